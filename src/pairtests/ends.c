/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two ends of a pair and what they measure.
 *
 *     sender    wait for the answer | note it | pause -f | stamp, post
 *     receiver  wait for the post   | note it | pause -i | stamp, post
 *
 * Both ways are measured alike: the poster reads the clock right before it
 * posts, the waiter right after it was woken, and only then looks at the stamp.
 * All notes are taken between wake-up and pause, while the partner is blocked.
 *
 * The receiver's first post only says that it is there: it is no sample, since
 * the sender may not have waited yet.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "pairs.h"

#define REST_NS (3600 * RT_NS_PER_S)

/* ---- one hand-over ------------------------------------------------------------ */

RT_INLINE int post(struct pair_end *e)
{
	struct pair_way *out = e->out;

	atomic_store_explicit(&out->posted_ns, rt_clock_ns(CLOCK_MONOTONIC), memory_order_release);
	return e->via->post(out);
}

/* Woken, but not simply by a post: 1 there was one, 0 wait again, else failed */
static int look_again(struct pair_end *e, int status, int64_t posted_ns)
{
	struct pair_way *in = e->in;

	switch (status) {
	case 0: /* a post whose hand-over was already taken as disturbed */
	case -EINTR:
		return 0;
	case -ETIMEDOUT:
		RT_STATS_PUT(in->timeouts, in->timeouts + 1);
		return 0;
	case -EAGAIN:
		if (posted_ns == e->seen_ns)
			return 0;
		RT_STATS_PUT(in->disturbed, in->disturbed + 1);
		e->seen_ns = posted_ns;
		return 1;
	default:
		return status;
	}
}

static void hit(struct pair_end *e, int64_t lat_ns, int64_t shown, int64_t now_ns)
{
	const struct rt_hit hit = { e->pair, e->tid, shown, now_ns, lat_ns };

	rt_threshold_take(e->threshold, e->run, &hit);
}

static void keep(struct pair_end *e, int64_t posted_ns, int64_t now_ns)
{
	int64_t lat_ns = now_ns - posted_ns;
	int64_t shown = lat_ns / RT_NS_PER_US;
	struct rt_sample sample = { .wake_ns = posted_ns, .lat_ns = lat_ns };

	rt_record_add(e->record, lat_ns, shown, now_ns, e->interval_ns);
	if (e->threshold && rt_threshold_passed(e->threshold, lat_ns))
		hit(e, lat_ns, shown, now_ns);
	if (e->ring) {
		sample.cycle = e->record->stats.count - 1;
		rt_ring_put(e->ring, &sample);
	}
	if (!e->is_pinned)
		atomic_store_explicit(&e->seen_cpu, sched_getcpu(), memory_order_relaxed);
	if (rt_unlikely(now_ns >= e->until_ns))
		rt_run_end(e->run, RT_ENDED_DURATION);
}

/*
 * Wait for the partner and keep the sample if it is one: 1 it has posted,
 * 0 the run is over, else failed.
 */
RT_INLINE int take(struct pair_end *e, bool is_sample)
{
	struct pair_way *in = e->in;

	for (;;) {
		int status = e->via->wait(in);
		int64_t now_ns = rt_clock_ns(CLOCK_MONOTONIC);
		int64_t posted_ns = atomic_load_explicit(&in->posted_ns, memory_order_acquire);

		if (rt_unlikely(rt_run_over(e->run)))
			return 0; /* ends that leave are in the way of this one */
		if (rt_unlikely(status || posted_ns == e->seen_ns)) {
			status = look_again(e, status, posted_ns);
			if (status)
				return status;
			continue;
		}
		e->seen_ns = posted_ns;
		if (is_sample)
			keep(e, posted_ns, now_ns);
		return 1;
	}
}

/* ---- the loops ------------------------------------------------------------------ */

/* A signal ends the pause: the crew's, and then the run is over. */
RT_INLINE void pause_for(int64_t ns)
{
	struct timespec span = rt_ns_timespec(ns);

	rt_clock_sleep(CLOCK_MONOTONIC, 0, &span);
}

/* A thread that goes away disturbs those that still measure: it stays until all have ended. */
static void rest(const struct rt_run *run)
{
	while (!rt_run_over(run))
		pause_for(REST_NS);
}

static int run_receiver(struct pair_end *e)
{
	int status = post(e);

	for (uint64_t round = 0; !status && round < e->rounds; round++) {
		status = take(e, true);
		if (status <= 0)
			return status;
		pause_for(e->pause_ns);
		if (rt_run_over(e->run))
			return 0;
		status = post(e);
	}
	return status;
}

static int run_sender(struct pair_end *e)
{
	int status = take(e, false);

	for (uint64_t round = 0; status > 0 && round < e->rounds; round++) {
		if (e->pause_ns)
			pause_for(e->pause_ns);
		status = post(e);
		if (status)
			return status;
		status = take(e, true);
	}
	if (status > 0 && atomic_fetch_sub(e->pairs_left, 1) == 1)
		rt_run_end(e->run, RT_ENDED_LOOPS);
	return status < 0 ? status : 0;
}

/* ---- the crew's callbacks ---------------------------------------------------------- */

int pair_end_prepare(struct rt_member *m, struct rt_err *err RT_UNUSED)
{
	struct pair_end *e = m->data;

	e->tid = atomic_load(&m->tid);
	if (!e->is_pinned) /* a sender may get no sample before a threshold ends the run */
		atomic_store_explicit(&e->seen_cpu, sched_getcpu(), memory_order_relaxed);
	if (e->via->enter) {
		e->via->enter(e->in, true);
		e->via->enter(e->out, false);
	}
	return 0;
}

int pair_end_body(struct rt_member *m, struct rt_err *err)
{
	struct pair_end *e = m->data;
	int status;

	e->until_ns = m->run->until_ns;
	status = e->is_sender ? run_sender(e) : run_receiver(e);
	e->has_moved = rt_member_has_moved(m);
	if (status < 0 && !rt_run_over(m->run))
		return rt_err_set(err, RT_EXIT_FAILED, status,
				  "pair %u cannot hand over by %s any more: %s", e->pair,
				  e->via->name, strerror(-status));
	rest(m->run);
	return 0;
}
