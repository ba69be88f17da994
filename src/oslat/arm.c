/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arming oslat: everything that the run needs, made before it begins.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "oslat.h"
#include "rt/load.h"
#include "rt/log.h"
#include "rt/memory.h"

#define PUBLISH_NS RT_NS_PER_S
#define SPARE_BYTES ((size_t)8 << 20) /* what reports and the C library may still map */

/* ---- the system ---------------------------------------------------------------- */

static size_t bytes_a_thread(const struct osl_plan *plan)
{
	size_t work = plan->opts->work == OSL_WORK_MEMMOVE ? 2 * (size_t)plan->opts->work_bytes : 0;

	return work + rt_stack_size() + sizeof(struct rt_record) + osl_counts_size(plan->buckets) +
	       sizeof(struct osl_thread) + 4 * rt_page_size();
}

/* Always wanted, never asked for in words: where it can't be had the run goes on. */
static void lock_memory(struct osl_session *s)
{
	struct rt_err refused = { 0 };

	if (!rt_memory_lock_fits_with(s->plan->threads * bytes_a_thread(s->plan) + SPARE_BYTES))
		rt_err_set(&refused, RT_EXIT_MISSING, ENOMEM,
			   "memory is not locked: RLIMIT_MEMLOCK ('ulimit -l') is too low for it");
	else
		rt_memory_lock(&refused);
	rt_asked_add(&s->results.about, "mlock", "all", refused.text[0] ? NULL : "all",
		     refused.text[0] ? refused.text : NULL);
	if (refused.text[0])
		rt_warn_err(&refused);
}

/* As with a bare -b elsewhere: what -T promises is the end; without tracefs it ends all the same. */
static void open_trace(struct osl_session *s)
{
	struct rt_err refused = { 0 };
	int status;

	if (!s->opts->threshold_us)
		return;
	status = rt_trace_mark_open(&s->meeting.mark, &refused);
	if (status == 1)
		rt_warn("tracing is switched off: the threshold will leave no mark in the trace");
	rt_asked_add(&s->results.about, "tracemark", "on", status < 0 ? NULL : "on",
		     status < 0 ? refused.text : NULL);
	rt_warn_err(&refused);
}

/* ---- threads --------------------------------------------------------------------- */

static int no_memory(struct rt_err *err)
{
	return rt_err_set(err, RT_EXIT_FAILED, ENOMEM,
			  "no memory for the run; use fewer CPUs or a smaller --workload-mem");
}

static int give_memory(struct osl_session *s, struct osl_thread *t, int node)
{
	const struct osl_opts *o = s->opts;
	void *counts;

	t->record = rt_status_record(s->status, t->index, node);
	t->counts_size = osl_counts_size(t->bucket_count);
	counts = rt_node_alloc(t->counts_size, node);
	if (!counts)
		return -ENOMEM;
	osl_counts_place(&t->counts, counts, t->bucket_count);
	if (o->results.samples) {
		void *ring;

		t->ring_size = rt_ring_size(RT_RING_SAMPLES);
		ring = rt_node_alloc(t->ring_size, node);
		if (!ring)
			return -ENOMEM;
		t->samples_ring = rt_ring_place(ring, RT_RING_SAMPLES);
	}
	if (o->work != OSL_WORK_MEMMOVE)
		return 0;
	t->work_bytes = (size_t)o->work_bytes;
	t->from = rt_node_alloc(t->work_bytes, node);
	t->to = rt_node_alloc(t->work_bytes, node);
	return t->from && t->to ? 0 : -ENOMEM;
}

static void describe(struct osl_session *s, const struct osl_thread *t, int node)
{
	struct rt_series_info *info = rt_status_info(s->status, t->index);

	snprintf(info->name, sizeof(info->name), "CPU %d", t->cpu);
	snprintf(info->kind, sizeof(info->kind), "gap");
	info->index = t->index;
	info->cpu = t->cpu;
	info->node = node;
	info->policy = s->opts->priority ? RT_POLICY_FIFO : RT_POLICY_OTHER;
	info->priority = (int32_t)s->opts->priority;
}

static void fill_member(struct osl_session *s, struct osl_thread *t, int node)
{
	struct rt_member *m = rt_crew_member(s->crew, t->index);

	m->cpu = t->cpu;
	m->node = node;
	m->sched.policy = s->opts->priority ? RT_POLICY_FIFO : RT_POLICY_OTHER;
	m->sched.priority = (int)s->opts->priority;
	m->data = t;
	snprintf(m->name, sizeof(m->name), "oslat/%d", t->cpu);
}

static int make_thread(struct osl_session *s, unsigned int index, struct rt_err *err)
{
	int cpu = rt_cpuset_nth(&s->plan->measured, index);
	int node = rt_numa_available() ? rt_numa_node_of(cpu) : -1;
	struct osl_thread *t = rt_node_alloc(sizeof(*t), node);

	if (!t)
		return no_memory(err);
	s->threads[index] = t;
	t->index = index;
	t->cpu = cpu;
	t->run = s->run;
	t->plan = s->plan;
	t->meeting = &s->meeting;
	t->width_ns = s->opts->width_ns;
	t->bucket_count = s->plan->buckets;
	t->threshold_ns = INT64_MAX;
	if (give_memory(s, t, node))
		return no_memory(err);
	describe(s, t, node);
	fill_member(s, t, node);
	return 0;
}

static int make_crew(struct osl_session *s, struct rt_err *err)
{
	const struct osl_plan *plan = s->plan;
	struct rt_crew_plan crew_plan = { .count = plan->threads, .undo = s->undo,
					  .prepare = osl_thread_prepare, .body = osl_thread_body };
	int status = rt_status_new(&s->status, "oslat", plan->argc, plan->argv, plan->threads,
				   (uint32_t)plan->unit_ns, err);

	if (!status)
		status = rt_crew_new(&s->crew, &crew_plan, s->run, err);
	if (status)
		return status;
	s->threads = calloc(plan->threads, sizeof(struct osl_thread *));
	if (!s->threads)
		return no_memory(err);
	for (unsigned int i = 0; !status && i < plan->threads; i++)
		status = make_thread(s, i, err);
	return status ? status : rt_results_attach(&s->results, s->run, s->status, err);
}

static struct rt_ring *samples_ring(void *data, unsigned int series)
{
	const struct osl_session *s = data;

	return s->threads[series]->samples_ring;
}

/* ---- all of it -------------------------------------------------------------------- */

static void checkpoint(void *data)
{
	struct osl_session *s = data;

	rt_results_checkpoint(&s->results);
}

/*
 * The loops keep the time; main waits until all have ended. For watchers it copies the
 * counts, if it has a CPU of its own: reading them costs a loop some cache misses.
 */
static int begin(struct osl_session *s, struct rt_err *err)
{
	struct rt_run_plan run_plan = {
		.tick_ns = s->plan->is_main_apart ? PUBLISH_NS : 0,
		.tick = osl_publish_all,
		.checkpoint_ns = s->opts->results.checkpoint_ns,
		.checkpoint = checkpoint,
		.data = s,
	};
	struct rt_results_plan results = s->plan->results;
	int status = rt_run_new(&s->run, &run_plan, err);

	results.data = s;
	if (!status)
		status = rt_undo_open(&s->undo, err);
	return status ? status : rt_results_open(&s->results, &results, s->undo, err);
}

int osl_arm(struct osl_session *s, const struct osl_plan *plan, struct rt_err *err)
{
	int status;

	s->plan = plan;
	s->opts = plan->opts;
	atomic_store(&s->meeting.min_ns, INT64_MAX);
	status = begin(s, err);
	if (status)
		return status;
	open_trace(s);
	lock_memory(s);
	status = make_crew(s, err);
	if (!status)
		status = rt_results_open_samples(&s->results, samples_ring, err);
	if (!status && s->opts->results.load)
		status = rt_load_start(s->opts->results.load, s->run, s->undo, err);
	return status;
}

static void free_thread(struct osl_thread *t)
{
	rt_node_free(t->counts.cells, t->counts_size);
	rt_node_free(t->samples_ring, t->ring_size);
	rt_node_free(t->from, t->work_bytes);
	rt_node_free(t->to, t->work_bytes);
	rt_node_free(t, sizeof(*t));
}

void osl_disarm(struct osl_session *s)
{
	rt_results_done(&s->results);
	rt_trace_mark_close(&s->meeting.mark);
	rt_crew_free(s->crew);
	for (unsigned int i = 0; s->threads && i < s->plan->threads && s->threads[i]; i++)
		free_thread(s->threads[i]);
	free(s->threads);
	rt_status_free(s->status);
	rt_run_free(s->run);
}
