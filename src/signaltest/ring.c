/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One thread of the ring: wait for SIGUSR1, read the clock, send it on.
 *
 * A value is the time from a thread's own signal until the next one reaches it:
 * once around. Thread 0 pauses every 16 rounds, so that a ring at a real-time
 * priority leaves its CPUs to others now and then; no thread's value has that
 * pause in it.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>

#include "rt/sigwait.h"
#include "signaltest.h"

#define PAUSE_EVERY 16
#define PAUSE_NS (10 * RT_NS_PER_MS)
#define REST_NS (3600 * RT_NS_PER_S)

/* ---- one turn ------------------------------------------------------------------- */

/* The clock is read right before: what lies between is the call alone. */
static int send_on(struct sig_thread *t)
{
	const struct sig_thread *next = t->next;

	t->paused_seen_ns = atomic_load_explicit(&t->ring->paused_ns, memory_order_relaxed);
	atomic_store_explicit(&t->ring->holder, next->index, memory_order_release);
	t->sent_ns = rt_clock_ns(CLOCK_MONOTONIC);
	return syscall(SYS_tgkill, getpid(), next->tid, SIGUSR1) ? -errno : 0;
}

static void keep(struct sig_thread *t, int64_t now_ns)
{
	int64_t paused_ns = atomic_load_explicit(&t->ring->paused_ns, memory_order_relaxed) -
			    t->paused_seen_ns;
	int64_t lat_ns = now_ns - t->sent_ns - paused_ns;
	int64_t shown = lat_ns / RT_NS_PER_US;
	struct rt_sample sample = { .wake_ns = t->sent_ns, .lat_ns = lat_ns };

	rt_record_add(t->record, lat_ns, shown, now_ns, INT64_MAX);
	if (rt_threshold_passed(t->threshold, lat_ns))
		rt_threshold_hit(t->threshold, t->run, t->index, t->tid, shown, now_ns);
	sample.cycle = t->record->stats.count - 1;
	if (t->values)
		rt_ring_put(t->values, &sample);
	if (t->samples)
		rt_ring_put(t->samples, &sample);
	if (rt_unlikely(now_ns >= t->until_ns))
		rt_run_end(t->run, RT_ENDED_DURATION);
}

/*
 * Wait for the turn: 1 it came, and *now_ns is when; 0 the run is over; else failed.
 * Signals from outside are dropped. If one came while a turn was under way it may
 * have swallowed the ring's own: the turn is taken, but is no value (*now_ns is 0).
 */
static int await(struct sig_thread *t, int64_t *now_ns)
{
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	for (;;) {
		int got = rt_sigwait(&set, &info, NULL);

		*now_ns = rt_clock_ns(CLOCK_MONOTONIC);
		if (rt_unlikely(rt_run_over(t->run)))
			return 0;
		if (rt_unlikely(got < 0 && errno != EINTR))
			return -errno;
		if (got < 0 || atomic_load_explicit(&t->ring->holder, memory_order_acquire) !=
				       t->index)
			continue;
		if (rt_likely(info.si_pid == getpid()))
			return 1;
		RT_STATS_PUT(t->disturbed, t->disturbed + 1);
		*now_ns = 0;
		return 1;
	}
}

/* ---- the loop --------------------------------------------------------------------- */

static void pause_for(int64_t ns)
{
	struct timespec span = rt_ns_timespec(ns);

	rt_clock_sleep(CLOCK_MONOTONIC, 0, &span);
}

/* Only the holder of the turn writes here. */
static void let_others_run(struct sig_thread *t)
{
	int64_t begin_ns = rt_clock_ns(CLOCK_MONOTONIC);
	int64_t before_ns = atomic_load_explicit(&t->ring->paused_ns, memory_order_relaxed);

	pause_for(PAUSE_NS);
	atomic_store_explicit(&t->ring->paused_ns,
			      before_ns + rt_clock_ns(CLOCK_MONOTONIC) - begin_ns,
			      memory_order_relaxed);
}

/* Thread 0 begins; the others have sent nothing before their first turn: no value. */
static int run_ring(struct sig_thread *t)
{
	bool has_sent = t->index == 0;
	uint64_t round = 0;
	int64_t now_ns;
	int status = has_sent ? send_on(t) : 0;

	while (!status && round < t->rounds) {
		status = await(t, &now_ns);
		if (status <= 0)
			return status;
		if (has_sent && now_ns)
			keep(t, now_ns);
		round += has_sent;
		if (t->is_last && round == t->rounds) { /* nobody waits for another turn */
			rt_run_end(t->run, RT_ENDED_LOOPS);
			return 0;
		}
		if (t->index == 0 && round % PAUSE_EVERY == 0)
			let_others_run(t);
		status = send_on(t);
		has_sent = true;
	}
	return status;
}

/* ---- the crew's callbacks ---------------------------------------------------------- */

int sig_prepare(struct rt_member *m, struct rt_err *err RT_UNUSED)
{
	struct sig_thread *t = m->data;

	t->tid = atomic_load(&m->tid);
	return 0;
}

int sig_body(struct rt_member *m, struct rt_err *err)
{
	struct sig_thread *t = m->data;
	int status;

	t->until_ns = m->run->until_ns;
	status = run_ring(t);
	t->has_moved = rt_member_has_moved(m);
	if (status < 0 && !rt_run_over(m->run))
		return rt_err_set(err, RT_EXIT_FAILED, status,
				  "thread %u cannot pass the signal on: %s", t->index,
				  strerror(-status));
	/* A thread that goes away disturbs those that still measure. */
	while (!rt_run_over(m->run))
		pause_for(REST_NS);
	return 0;
}
