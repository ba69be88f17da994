/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The measuring threads: their memory, their places in the crew, their loop.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "measure.h"
#include "rt/memory.h"

#define SEC_ALIGN_LEAD_NS (100 * RT_NS_PER_MS) /* a full second nearer than this is let go */

/* ---- in the thread ------------------------------------------------------------- */

static int prepare(struct rt_member *m, struct rt_err *err)
{
	struct cyc_thread *t = m->data;

	t->tid = atomic_load(&m->tid);
	if (t->smi_fd == -1)
		return 0;
	t->smi_fd = rt_smi_open(m->cpu, err);
	return t->smi_fd < 0 ? t->smi_fd : rt_smi_read(t->smi_fd, &t->smi_last);
}

static unsigned int features_of(const struct cyc_thread *t, const struct cyc_opts *o)
{
	unsigned int features = 0;

	if (o->nsecs)
		features |= CYC_WITH_NSECS;
	if (t->linear)
		features |= CYC_WITH_LINEAR;
	if (t->verbose_ring || t->samples_ring || t->spikes || t->smi_fd >= 0 ||
	    t->mono_until_ns != INT64_MAX)
		features |= CYC_WITH_EXTRAS;
	return features;
}

static cyc_measure *loop_of(enum cyc_sleep sleep, unsigned int features)
{
	switch (sleep) {
	case CYC_SLEEP_RELATIVE:
		return cyc_measure_relative[features];
	case CYC_SLEEP_SYSTEM:
		return cyc_measure_system[features];
	case CYC_SLEEP_TIMER:
		return cyc_measure_timer[features];
	default:
		return cyc_measure_absolute[features];
	}
}

static int body(struct rt_member *m, struct rt_err *err)
{
	struct cyc_thread *t = m->data;
	const struct cyc_plan *plan = t->plan;
	int status;

	/* Main keeps the duration too, but busy threads of ours may starve it. */
	if (t->clock == CLOCK_MONOTONIC)
		t->until_ns = m->run->until_ns;
	else
		t->mono_until_ns = m->run->until_ns;
	t->attention_ns = cyc_attention(t);
	status = loop_of(plan->sleep, features_of(t, plan->opts))(t, err);
	t->has_moved = rt_member_has_moved(m);
	return status;
}

const struct rt_crew_plan cyc_crew_plan = { .prepare = prepare, .body = body };

/* ---- made by main, before ------------------------------------------------------- */

static int no_memory(struct rt_err *err)
{
	return rt_err_set(err, RT_EXIT_FAILED, ENOMEM,
			  "no memory for the threads' results; use fewer threads or a smaller "
			  "--histogram");
}

/* Everything that a thread writes, on its node. */
static int give_memory(struct cyc_session *s, struct cyc_thread *t, int node)
{
	const struct cyc_plan *plan = s->plan;

	t->record = rt_status_record(s->rt.status, t->index, node);
	if (plan->buckets) {
		void *memory;

		t->linear_size = rt_linear_size(plan->buckets);
		memory = rt_node_alloc(t->linear_size, node);
		if (!memory)
			return -ENOMEM;
		t->linear = rt_linear_place(memory, plan->buckets);
	}
	if (s->opts->verbose) {
		t->verbose_ring = rt_ring_new(RT_RING_SAMPLES, node);
		if (!t->verbose_ring)
			return -ENOMEM;
	}
	return rt_results_ring(&t->samples_ring, &s->rt.results, t->index, node);
}

static void fill_thread(struct cyc_session *s, struct cyc_thread *t, const struct cyc_seat *seat)
{
	const struct cyc_plan *plan = s->plan;

	t->plan = plan;
	t->threshold = &s->threshold;
	t->run = s->rt.run;
	t->interval_ns = seat->interval_ns;
	t->until_ns = t->mono_until_ns = INT64_MAX;
	t->loops = s->opts->loops ? (uint64_t)s->opts->loops : UINT64_MAX;
	t->clock = s->opts->clock;
	t->offset_ns = seat->offset_ns;
	t->relative = s->opts->relative;
	t->spikes = s->spikes;
	t->spike_from_ns = rt_limit_from_ns(plan->spike, plan->unit_ns);
	t->smi_fd = s->opts->smi ? -2 : -1; /* -2: opened by the thread, on its CPU */
}

static void fill_member(struct cyc_session *s, struct cyc_thread *t, const struct cyc_seat *seat)
{
	struct rt_member *m = rt_crew_member(s->rt.crew, t->index);
	struct rt_series_info *info;

	m->cpu = seat->cpu;
	m->node = seat->node;
	m->sched.policy = s->plan->policy;
	m->sched.priority = rt_policy_is_rt(s->plan->policy) ? seat->priority : 0;
	m->data = t;
	snprintf(m->name, sizeof(m->name), "cyclictest/%u", m->index);
	info = rt_session_series(&s->rt, m->index, m, "wakeup", "thread %u", m->index);
	info->priority = seat->priority;
	info->interval_ns = seat->interval_ns;
}

int cyc_threads_make(struct cyc_session *s, struct rt_err *err)
{
	const struct cyc_plan *plan = s->plan;

	s->threads = calloc(plan->threads, sizeof(struct cyc_thread *));
	if (!s->threads)
		return no_memory(err);
	for (unsigned int i = 0; i < plan->threads; i++) {
		const struct cyc_seat *seat = &plan->seats[i];
		struct cyc_thread *t = rt_node_alloc(sizeof(struct cyc_thread), seat->node);

		if (!t)
			return no_memory(err);
		s->threads[i] = t;
		t->index = i;
		fill_thread(s, t, seat);
		if (give_memory(s, t, seat->node))
			return no_memory(err);
		fill_member(s, t, seat);
	}
	return 0;
}

void cyc_threads_free(struct cyc_session *s)
{
	for (unsigned int i = 0; s->threads && i < s->plan->threads && s->threads[i]; i++) {
		struct cyc_thread *t = s->threads[i];

		if (t->smi_fd >= 0)
			close(t->smi_fd);
		rt_node_free(t->linear, t->linear_size);
		rt_ring_free(t->verbose_ring);
		rt_node_free(t, sizeof(*t));
	}
	free(s->threads);
	s->threads = NULL;
}

static int64_t next_full_second(int64_t now_ns)
{
	int64_t second_ns = (now_ns / RT_NS_PER_S + 1) * RT_NS_PER_S;

	return second_ns - now_ns < SEC_ALIGN_LEAD_NS ? second_ns + RT_NS_PER_S : second_ns;
}

void cyc_threads_align(struct cyc_session *s)
{
	int64_t start_ns;

	if (!s->opts->is_aligned && !s->opts->is_secaligned)
		return;
	start_ns = rt_clock_ns(s->opts->clock);
	if (s->opts->is_secaligned)
		start_ns = next_full_second(start_ns);
	for (unsigned int i = 0; i < s->plan->threads; i++)
		s->threads[i]->start_ns = start_ns;
}
