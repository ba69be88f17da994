/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pairs, as main sees them: started, watched, and all brought home.
 *
 * Main adopts tracees whose tracer was killed (PR_SET_CHILD_SUBREAPER), so that
 * it can wait for them, too.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rt/clock.h"
#include "ssdd.h"

/* A pair that does not step at all for so long hangs in a call that never returns. */
#define PATIENCE_NS (30 * RT_NS_PER_S)

static size_t size_of_pairs(const struct ssdd_session *s)
{
	return (size_t)s->opts->forks * sizeof(*s->pairs);
}

int ssdd_pairs_init(struct ssdd_session *s, struct rt_err *err)
{
	void *memory = mmap(NULL, size_of_pairs(s), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return rt_err_set(err, RT_EXIT_FAILED, errno, "no memory for %lld pairs: %s",
				  (long long)s->opts->forks, strerror(errno));
	s->pairs = memory;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	return 0;
}

void ssdd_pairs_done(struct ssdd_session *s)
{
	if (s->pairs)
		munmap(s->pairs, size_of_pairs(s));
}

/* ---- children ------------------------------------------------------------------------ */

static struct ssdd_pair *find(struct ssdd_session *s, pid_t pid)
{
	for (unsigned int i = 0; i < s->made; i++)
		if (s->pairs[i].tracer == pid)
			return &s->pairs[i];
	return NULL;
}

static void note_end(struct ssdd_session *s, struct ssdd_pair *pair, int wait_status)
{
	int signal;
	enum ssdd_state state = ssdd_state(wait_status, &signal);

	pair->tracer = 0;
	s->left++;
	if (state == SSDD_EXITED)
		return;
	s->failed++;
	if (atomic_load(&pair->has_failed))
		return;
	snprintf(pair->text, sizeof(pair->text), "the tracer ended as %s (signo %d)",
		 ssdd_state_name(state), signal);
	atomic_store(&pair->has_failed, true);
}

/* On SIGCHLD. Tracees without a tracer, and children from before an execve(2), just go. */
static void reap(void *data)
{
	struct ssdd_session *s = data;
	int wait_status;
	pid_t pid;

	while ((pid = waitpid(-1, &wait_status, WNOHANG)) > 0) {
		struct ssdd_pair *pair = find(s, pid);

		if (pair)
			note_end(s, pair, wait_status);
	}
}

bool ssdd_pairs_ended(void *session)
{
	const struct ssdd_session *s = session;

	return s->left == s->made;
}

static int start_pair(struct ssdd_session *s, struct rt_err *err)
{
	struct ssdd_pair *pair = &s->pairs[s->made];
	pid_t pid;

	pair->seen_at_ns = rt_clock_ns(CLOCK_MONOTONIC);
	pid = fork(); /* both write to the pair: its tracer is for main to note */
	if (pid == 0)
		ssdd_trace(s, s->made);
	if (pid < 0)
		return rt_err_set(err, RT_EXIT_FAILED, errno,
				  "cannot make tracer %u of %lld: %s; see 'ulimit -u'", s->made + 1,
				  (long long)s->opts->forks, strerror(errno));
	pair->tracer = pid;
	s->made++;
	return 0;
}

int ssdd_pairs_start(struct ssdd_session *s, struct rt_err *err)
{
	int status = 0;

	rt_run_on_child(s->rt.run, reap, s);
	rt_run_begin(s->rt.run);
	while (!status && s->made < s->opts->forks && !rt_run_over(s->rt.run)) {
		status = start_pair(s, err);
		rt_run_take_signals(s->rt.run);
	}
	return status;
}

/* ---- watching ------------------------------------------------------------------------ */

static void watch(struct ssdd_pair *pair, int64_t now_ns)
{
	uint64_t steps = atomic_load_explicit(&pair->steps, memory_order_relaxed);

	if (steps != pair->seen_steps) {
		pair->seen_steps = steps;
		pair->seen_at_ns = now_ns;
	} else if (now_ns - pair->seen_at_ns > PATIENCE_NS) {
		if (!atomic_load(&pair->has_failed))
			snprintf(pair->text, sizeof(pair->text), "no step after #%llu in %d seconds",
				 (unsigned long long)steps, (int)(PATIENCE_NS / RT_NS_PER_S));
		atomic_store(&pair->has_failed, true);
		kill(pair->tracer, SIGKILL);
	}
}

void ssdd_pairs_watch(void *session)
{
	struct ssdd_session *s = session;
	int64_t now_ns = rt_clock_ns(CLOCK_MONOTONIC);

	for (unsigned int i = 0; i < s->made; i++)
		if (s->pairs[i].tracer)
			watch(&s->pairs[i], now_ns);
}

/* ---- the end ------------------------------------------------------------------------- */

static void wait_for(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* The kernel kills a tracee with its tracer; it is ours to be waited for then. */
static void end_pair(struct ssdd_pair *pair)
{
	pid_t tracee;

	if (pair->tracer) {
		kill(pair->tracer, SIGKILL);
		wait_for(pair->tracer);
		pair->tracer = 0;
	}
	tracee = (pid_t)atomic_load(&pair->tracee);
	if (tracee)
		wait_for(tracee); /* ECHILD if it went with reap() */
}

void ssdd_pairs_end(struct ssdd_session *s)
{
	for (unsigned int i = 0; i < s->made; i++)
		if (s->pairs[i].tracer)
			kill(s->pairs[i].tracer, SIGKILL);
	for (unsigned int i = 0; i < s->made; i++)
		end_pair(&s->pairs[i]);
}
