/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arming signaltest: everything that the run needs, made before it begins.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "rt/load.h"
#include "rt/memory.h"
#include "rt/sched.h"
#include "signaltest.h"

static int no_memory(struct rt_err *err)
{
	return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "no memory for the run; use fewer threads");
}

/* Blocked before the first thread exists: none of them is ever killed by it. */
static void block_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static int lock_memory(struct sig_session *s, struct rt_err *err)
{
	int status;

	if (!s->opts->mlockall)
		return 0;
	status = rt_memory_lock(err);
	if (!status)
		rt_asked_add(&s->results.about, "mlock", "all", "all", NULL);
	return status;
}

/* ---- threads -------------------------------------------------------------------- */

static struct rt_ring *make_ring(void)
{
	void *memory = rt_node_alloc(rt_ring_size(RT_RING_SAMPLES), -1);

	return memory ? rt_ring_place(memory, RT_RING_SAMPLES) : NULL;
}

static void describe(struct sig_session *s, unsigned int i, int cpu)
{
	struct rt_series_info *info = rt_status_info(s->status, i);

	snprintf(info->name, sizeof(info->name), "thread %u", i);
	snprintf(info->kind, sizeof(info->kind), "ring");
	info->index = i;
	info->cpu = cpu;
	info->policy = s->opts->priority ? RT_POLICY_FIFO : RT_POLICY_OTHER;
	info->priority = (int32_t)s->opts->priority;
}

static void fill_member(struct sig_session *s, unsigned int i, int cpu)
{
	struct rt_member *m = rt_crew_member(s->crew, i);

	m->cpu = cpu;
	m->node = rt_numa_available() ? rt_numa_node_of(cpu) : -1;
	m->sched.policy = s->opts->priority ? RT_POLICY_FIFO : RT_POLICY_OTHER;
	m->sched.priority = (int)s->opts->priority;
	m->data = &s->threads[i];
	snprintf(m->name, sizeof(m->name), "signaltest/%u", i % 10000);
}

static int make_thread(struct sig_session *s, unsigned int i, struct rt_err *err)
{
	unsigned int count = s->plan->threads;
	int cpu = rt_cpuset_nth(&s->plan->cpus, i);
	struct sig_thread *t = &s->threads[i];

	fill_member(s, i, cpu);
	describe(s, i, cpu);
	t->index = i;
	t->record = rt_status_record(s->status, i, rt_crew_member(s->crew, i)->node);
	t->ring = s->ring;
	t->next = &s->threads[(i + 1) % count];
	t->run = s->run;
	t->threshold = &s->threshold;
	t->rounds = s->opts->loops ? (uint64_t)s->opts->loops : UINT64_MAX;
	t->is_last = i + 1 == count;
	if (s->opts->verbose)
		t->values = make_ring();
	if (s->opts->results.samples)
		t->samples = make_ring();
	if ((s->opts->verbose && !t->values) || (s->opts->results.samples && !t->samples))
		return no_memory(err);
	return 0;
}

static int make_threads(struct sig_session *s, struct rt_err *err)
{
	unsigned int count = s->plan->threads;
	int status = 0;

	s->threads = rt_node_alloc(count * sizeof(*s->threads), -1);
	s->ring = rt_node_alloc(sizeof(*s->ring), -1);
	if (!s->threads || !s->ring)
		return no_memory(err);
	for (unsigned int i = 0; !status && i < count; i++)
		status = make_thread(s, i, err);
	return status;
}

static int make_crew(struct sig_session *s, struct rt_err *err)
{
	const struct rt_crew_plan crew_plan = {
		.count = s->plan->threads,
		.undo = s->undo,
		.prepare = sig_prepare,
		.body = sig_body,
	};
	const struct rt_results_plan *r = &s->plan->results;
	int status = rt_status_new(&s->status, r->tool, r->argc, r->argv, s->plan->threads,
				   (uint32_t)r->unit_ns, err);

	if (!status)
		status = rt_crew_new(&s->crew, &crew_plan, s->run, err);
	if (!status)
		status = make_threads(s, err);
	if (!status)
		status = rt_results_attach(&s->results, s->run, s->status, err);
	return status;
}

/* ---- files ------------------------------------------------------------------------ */

static int open_trace(struct sig_session *s, struct rt_err *err)
{
	int status;

	rt_threshold_init(&s->threshold, s->plan->breaktrace, RT_NS_PER_US);
	status = rt_threshold_trace(&s->threshold, s->opts->tracemark, err);
	if (!status && s->plan->breaktrace && s->opts->tracemark)
		rt_asked_add(&s->results.about, "tracemark", "on", "on", NULL);
	return status;
}

static struct rt_ring *samples_ring(void *data, unsigned int series)
{
	const struct sig_session *s = data;

	return s->threads[series].samples;
}

/* ---- all of it ----------------------------------------------------------------------- */

static void checkpoint(void *session)
{
	struct sig_session *s = session;

	rt_results_checkpoint(&s->results);
}

static int begin(struct sig_session *s, struct rt_err *err)
{
	bool draws = s->opts->verbose || (!s->opts->quiet && isatty(STDOUT_FILENO));
	struct rt_run_plan plan = {
		.duration_ns = s->opts->duration_ns,
		.tick_ns = draws ? RT_LIVE_TICK_NS : 0,
		.tick = sig_tick,
		.checkpoint_ns = s->opts->results.checkpoint_ns,
		.checkpoint = checkpoint,
		.data = s,
	};
	struct rt_results_plan results = s->plan->results;
	int status = rt_run_new(&s->run, &plan, err);

	results.data = s;
	if (!status)
		status = rt_undo_open(&s->undo, err);
	if (!status)
		status = rt_results_open(&s->results, &results, s->undo, err);
	if (!status)
		rt_live_init(&s->live, s->results.out);
	return status;
}

int sig_arm(struct sig_session *s, const struct sig_plan *plan, struct rt_err *err)
{
	int status;

	s->plan = plan;
	s->opts = plan->opts;
	block_signal();
	status = begin(s, err);
	if (!status)
		status = lock_memory(s, err);
	if (!status)
		status = open_trace(s, err);
	if (!status)
		status = make_crew(s, err);
	if (!status)
		status = rt_results_open_samples(&s->results, samples_ring, err);
	if (!status && s->opts->results.load)
		status = rt_load_start(s->opts->results.load, s->run, s->undo, err);
	if (!status)
		sig_header(s);
	return status;
}

void sig_disarm(struct sig_session *s)
{
	rt_trace_mark_close(&s->threshold.mark);
	rt_crew_free(s->crew);
	for (unsigned int i = 0; s->threads && i < s->plan->threads; i++) {
		rt_node_free(s->threads[i].values, rt_ring_size(RT_RING_SAMPLES));
		rt_node_free(s->threads[i].samples, rt_ring_size(RT_RING_SAMPLES));
	}
	if (s->threads)
		rt_node_free(s->threads, s->plan->threads * sizeof(*s->threads));
	rt_node_free(s->ring, sizeof(*s->ring));
	rt_results_done(&s->results);
	rt_status_free(s->status);
	rt_run_free(s->run);
}
