/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arming oslat: everything that the run needs, made before it begins.
 */
#include <errno.h>
#include <stdio.h>

#include "oslat.h"
#include "rt/log.h"
#include "rt/memory.h"

#define PUBLISH_NS RT_NS_PER_S

/* ---- the system ---------------------------------------------------------------- */

static size_t bytes_a_thread(const struct osl_plan *plan)
{
	size_t work = plan->opts->work == OSL_WORK_MEMMOVE ? 2 * (size_t)plan->opts->work_bytes : 0;

	return work + rt_stack_size() + sizeof(struct rt_record) + osl_counts_size(plan->buckets) +
	       sizeof(struct osl_thread) + 4 * rt_page_size();
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
	rt_asked_add(&s->rt.results.about, "tracemark", "on", status < 0 ? NULL : "on",
		     status < 0 ? refused.text : NULL);
	rt_warn_err(&refused);
}

/* At this gap or a longer one, as -T says; rt_threshold_init() has "above". */
static int arm_tracing(struct osl_session *s, struct rt_err *err)
{
	int64_t threshold_us = s->opts->threshold_us;
	int status;

	rt_threshold_init(&s->threshold, threshold_us, RT_NS_PER_US);
	if (threshold_us)
		s->threshold.from_ns = threshold_us * RT_NS_PER_US;
	status = rt_tracing_arm(&s->tracing, &s->plan->tracing, &s->threshold, s->rt.undo, err);
	if (s->threshold.keeps_going) {
		rt_close_fd(&s->meeting.mark.switch_fd); /* marks only: the trace goes on, too */
		s->meeting.mark.switch_fd = -1;
	}
	return status;
}

/* ---- threads --------------------------------------------------------------------- */

static int no_memory(struct rt_err *err)
{
	return rt_err_memory(err, "the run; use fewer CPUs or a smaller --workload-mem");
}

static int give_memory(struct osl_session *s, struct osl_thread *t, int node)
{
	const struct osl_opts *o = s->opts;
	void *counts;

	t->record = rt_status_record(s->rt.status, t->index, node);
	t->counts_size = osl_counts_size(t->bucket_count);
	counts = rt_node_alloc(t->counts_size, node);
	if (!counts)
		return -ENOMEM;
	osl_counts_place(&t->counts, counts, t->bucket_count);
	if (rt_results_ring(&t->samples_ring, &s->rt.results, t->index, node))
		return -ENOMEM;
	if (o->work != OSL_WORK_MEMMOVE)
		return 0;
	t->work_bytes = (size_t)o->work_bytes;
	t->from = rt_node_alloc(t->work_bytes, node);
	t->to = rt_node_alloc(t->work_bytes, node);
	return t->from && t->to ? 0 : -ENOMEM;
}

static void fill_member(struct osl_session *s, struct osl_thread *t, int node)
{
	struct rt_member *m = rt_crew_member(s->rt.crew, t->index);

	m->cpu = t->cpu;
	m->node = node;
	m->sched = rt_sched_of((int)s->opts->priority);
	m->data = t;
	snprintf(m->name, sizeof(m->name), "oslat/%d", t->cpu);
	rt_session_series(&s->rt, t->index, m, "gap", "CPU %d", t->cpu);
}

static int make_thread(struct osl_session *s, unsigned int index, struct rt_err *err)
{
	int cpu = rt_cpuset_nth(&s->plan->measured, index);
	int node = rt_numa_node_of(cpu);
	struct osl_thread *t = rt_node_alloc(sizeof(*t), node);

	if (!t)
		return no_memory(err);
	s->threads[index] = t;
	t->index = index;
	t->cpu = cpu;
	t->run = s->rt.run;
	t->plan = s->plan;
	t->meeting = &s->meeting;
	t->width_ns = s->opts->width_ns;
	t->bucket_count = s->plan->buckets;
	t->threshold_ns = INT64_MAX;
	t->session = s;
	if (give_memory(s, t, node))
		return no_memory(err);
	fill_member(s, t, node);
	return 0;
}

static int make_threads(struct osl_session *s, struct rt_err *err)
{
	int status = 0;

	s->threads = calloc(s->plan->threads, sizeof(struct osl_thread *));
	if (!s->threads)
		return no_memory(err);
	for (unsigned int i = 0; !status && i < s->plan->threads; i++)
		status = make_thread(s, i, err);
	return status;
}

/* ---- all of it -------------------------------------------------------------------- */

/*
 * The loops keep the time; main waits until all have ended. For watchers it copies the
 * counts, if it has a CPU of its own: reading them costs a loop some cache misses.
 */
static int begin(struct osl_session *s, struct rt_err *err)
{
	const struct rt_run_plan run_plan = {
		.tick_ns = s->plan->is_main_apart ? PUBLISH_NS : 0,
		.tick = osl_publish_all,
		.data = s,
	};

	return rt_session_open(&s->rt, &run_plan, &s->plan->results, err);
}

int osl_arm(struct osl_session *s, const struct osl_plan *plan, struct rt_err *err)
{
	const struct rt_crew_plan crew_plan = { .prepare = osl_thread_prepare,
						.body = osl_thread_body };
	int status;

	s->plan = plan;
	s->opts = plan->opts;
	atomic_store(&s->meeting.min_ns, INT64_MAX);
	status = begin(s, err);
	if (status)
		return status;
	open_trace(s);
	status = arm_tracing(s, err);
	if (status)
		return status;
	rt_session_try_lock(&s->rt, plan->threads * bytes_a_thread(plan));
	status = rt_session_records(&s->rt, plan->threads, err);
	if (!status)
		status = rt_session_crew(&s->rt, &crew_plan, plan->threads, err);
	if (!status)
		status = make_threads(s, err);
	if (!status)
		status = rt_session_extras(&s->rt, err);
	return status;
}

static void free_thread(struct osl_thread *t)
{
	rt_node_free(t->counts.cells, t->counts_size);
	rt_node_free(t->from, t->work_bytes);
	rt_node_free(t->to, t->work_bytes);
	rt_node_free(t, sizeof(*t));
}

void osl_disarm(struct osl_session *s)
{
	rt_tracing_done(&s->tracing);
	rt_trace_mark_close(&s->meeting.mark);
	for (unsigned int i = 0; s->threads && i < s->plan->threads && s->threads[i]; i++)
		free_thread(s->threads[i]);
	free(s->threads);
}
