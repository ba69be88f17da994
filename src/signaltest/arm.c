/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arming signaltest: everything that the run needs, made before it begins.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

#include "rt/memory.h"
#include "rt/sched.h"
#include "signaltest.h"

/* Blocked before the first thread exists: none of them is ever killed by it. */
static void block_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

/* ---- threads -------------------------------------------------------------------- */

static void fill_member(struct sig_session *s, unsigned int i)
{
	struct rt_member *m = rt_crew_member(s->rt.crew, i);

	m->cpu = rt_cpuset_nth(&s->plan->cpus, i);
	m->node = rt_numa_node_of(m->cpu);
	m->sched = rt_sched_of((int)s->opts->priority);
	m->data = &s->threads[i];
	snprintf(m->name, sizeof(m->name), "signaltest/%u", i % 10000);
	rt_session_series(&s->rt, i, m, "ring", "thread %u", i);
}

static int make_thread(struct sig_session *s, unsigned int i)
{
	unsigned int count = s->plan->threads;
	struct sig_thread *t = &s->threads[i];
	int node;

	fill_member(s, i);
	node = rt_crew_member(s->rt.crew, i)->node;
	t->index = i;
	t->record = rt_status_record(s->rt.status, i, node);
	t->ring = s->ring;
	t->next = &s->threads[(i + 1) % count];
	t->run = s->rt.run;
	t->threshold = &s->threshold;
	t->rounds = s->opts->loops ? (uint64_t)s->opts->loops : UINT64_MAX;
	t->is_last = i + 1 == count;
	if (s->opts->verbose)
		t->values = rt_ring_new(RT_RING_SAMPLES, node);
	if (s->opts->verbose && !t->values)
		return -ENOMEM;
	return rt_results_ring(&t->samples, &s->rt.results, i, node);
}

static int make_threads(struct sig_session *s, struct rt_err *err)
{
	unsigned int count = s->plan->threads;
	int status = 0;

	s->threads = rt_node_alloc(count * sizeof(*s->threads), -1);
	s->ring = rt_node_alloc(sizeof(*s->ring), -1);
	if (!s->threads || !s->ring)
		status = -ENOMEM;
	for (unsigned int i = 0; !status && i < count; i++)
		status = make_thread(s, i);
	return status ? rt_err_memory(err, "the run; use fewer threads") : 0;
}

/* ---- all of it ----------------------------------------------------------------------- */

static int begin(struct sig_session *s, struct rt_err *err)
{
	bool draws = s->opts->verbose || (!s->opts->quiet && isatty(STDOUT_FILENO));
	const struct rt_run_plan plan = {
		.duration_ns = s->opts->duration_ns,
		.tick_ns = draws ? RT_LIVE_TICK_NS : 0,
		.tick = sig_tick,
		.data = s,
	};

	return rt_session_open(&s->rt, &plan, &s->plan->results, err);
}

int sig_arm(struct sig_session *s, const struct sig_plan *plan, struct rt_err *err)
{
	const struct rt_crew_plan crew_plan = { .prepare = sig_prepare, .body = sig_body };
	int status;

	s->plan = plan;
	s->opts = plan->opts;
	block_signal();
	rt_threshold_init(&s->threshold, plan->breaktrace, RT_NS_PER_US);
	status = begin(s, err);
	if (!status)
		status = rt_session_lock(&s->rt, s->opts->mlockall, err);
	if (!status)
		status = rt_session_mark(&s->rt, &s->threshold, s->opts->tracemark, err);
	if (!status)
		status = rt_session_records(&s->rt, plan->threads, err);
	if (!status)
		status = rt_session_crew(&s->rt, &crew_plan, plan->threads, err);
	if (!status)
		status = make_threads(s, err);
	if (!status)
		status = rt_session_extras(&s->rt, err);
	if (!status)
		sig_header(s);
	return status;
}

void sig_disarm(struct sig_session *s)
{
	rt_trace_mark_close(&s->threshold.mark);
	for (unsigned int i = 0; s->threads && i < s->plan->threads; i++)
		rt_ring_free(s->threads[i].values);
	if (s->threads)
		rt_node_free(s->threads, s->plan->threads * sizeof(*s->threads));
	rt_node_free(s->ring, sizeof(*s->ring));
}
