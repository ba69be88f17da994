/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arming a hand-over test: everything that the run needs, made before it begins.
 */
#include <errno.h>
#include <stdio.h>

#include "pairs.h"
#include "rt/memory.h"

/* ---- ends and ways --------------------------------------------------------------- */

static void fill_end(struct pair_session *s, struct pair_end *e, unsigned int pair, bool is_sender)
{
	const struct pair_opts *o = s->opts;
	unsigned int series = is_sender ? s->plan->pairs + pair : pair;
	const struct pair_seat *seat = &s->plan->seats[2 * pair + is_sender];
	struct pair *p = &s->shared->pairs[pair];

	e->via = s->plan->via;
	e->in = is_sender ? &p->back : &p->forth;
	e->out = is_sender ? &p->forth : &p->back;
	e->record = rt_status_record(s->rt.status, series, seat->node);
	e->run = s->rt.run;
	e->interval_ns = pair_interval_ns(o, pair);
	e->pause_ns = is_sender ? o->forcetimeout_ns : e->interval_ns;
	e->rounds = o->loops ? (uint64_t)o->loops : UINT64_MAX;
	e->threshold = is_sender ? NULL : &s->shared->threshold;
	e->pairs_left = &s->shared->pairs_left;
	e->pair = pair;
	e->is_sender = is_sender;
	e->is_pinned = seat->cpu >= 0;
	e->seen_cpu = seat->cpu;
}

/* "TOOL/7", cut at the tool so that the number stays: 15 characters are shown. */
static void name_member(struct rt_member *m, const char *tool)
{
	char number[12];
	int digits = snprintf(number, sizeof(number), "/%u", m->index);

	snprintf(m->name, sizeof(m->name), "%.*s%s", (int)sizeof(m->name) - 1 - digits, tool,
		 number);
}

static void fill_member(struct pair_session *s, struct pair_end *e)
{
	unsigned int index = 2 * e->pair + e->is_sender;
	struct rt_member *m = rt_crew_member(s->rt.crew, index);
	const struct pair_seat *seat = &s->plan->seats[index];

	m->cpu = seat->cpu;
	m->node = seat->node;
	m->sched = rt_sched_of(seat->priority);
	m->data = e;
	name_member(m, s->plan->results.tool);
}

static void describe(struct pair_session *s, const struct pair_end *e)
{
	const struct rt_member *m = rt_crew_member(s->rt.crew, 2 * e->pair + e->is_sender);
	unsigned int series = e->is_sender ? s->plan->pairs + e->pair : e->pair;
	struct rt_series_info *info = rt_session_series(&s->rt, series, m, "handover", "pair %u%s",
							e->pair, e->is_sender ? " back" : "");

	info->index = e->pair;
	info->interval_ns = e->interval_ns;
	info->is_reference = e->is_sender; /* the limit is about what the lines show */
}

static int make_end(struct pair_session *s, struct pair_end *e, unsigned int pair, bool is_sender)
{
	fill_end(s, e, pair, is_sender);
	fill_member(s, e);
	describe(s, e);
	return is_sender ? 0 : rt_results_ring(&e->ring, &s->rt.results, pair, -1);
}

static int open_ways(struct pair_session *s, struct rt_err *err)
{
	const struct pair_via *via = s->plan->via;
	int status = 0;

	for (unsigned int i = 0; !status && i < s->plan->pairs; i++) {
		struct pair *p = &s->shared->pairs[i];

		p->back.is_back = true;
		p->forth.is_shared = p->back.is_shared = s->opts->fork;
		p->forth.timeout_ns = p->back.timeout_ns = s->opts->timeout_ns;
		p->forth.fd[0] = p->forth.fd[1] = p->back.fd[0] = p->back.fd[1] = -1;
		status = via->open(&p->forth, s->rt.undo, err);
		if (status)
			break;
		status = via->open(&p->back, s->rt.undo, err);
		if (status)
			via->close(&p->forth);
		else
			s->opened = i + 1;
	}
	return status;
}

static int no_memory(struct rt_err *err)
{
	return rt_err_memory(err, "the run; use fewer pairs");
}

/* Forked ends and main see the same; touched, so that no end has to. */
static int make_pairs(struct pair_session *s, struct rt_err *err)
{
	unsigned int pairs = s->plan->pairs;
	int status = 0;

	s->shared_size = sizeof(*s->shared) + pairs * sizeof(struct pair);
	s->shared = rt_shared_alloc(s->shared_size, -1);
	if (!s->shared)
		return no_memory(err);
	s->shared->pairs_left = pairs;
	rt_threshold_init(&s->shared->threshold, s->plan->breaktrace, RT_NS_PER_US);
	for (unsigned int i = 0; !status && i < pairs; i++) {
		make_end(s, &s->shared->pairs[i].sender, i, true);
		status = make_end(s, &s->shared->pairs[i].receiver, i, false);
	}
	if (status)
		return no_memory(err);
	return open_ways(s, err);
}

/* ---- all of it ---------------------------------------------------------------------------- */

static void tick(void *session)
{
	pair_draw(session);
}

static int begin(struct pair_session *s, struct rt_err *err)
{
	const struct rt_run_plan plan = {
		.duration_ns = s->opts->duration_ns,
		.tick_ns = s->opts->quiet || !isatty(STDOUT_FILENO) ? 0 : RT_LIVE_TICK_NS,
		.tick = tick,
		.data = s,
	};

	return rt_session_open(&s->rt, &plan, &s->plan->results, err);
}

static bool lock_memory(struct pair_session *s)
{
	size_t stacks = s->opts->fork ? 0 : 2 * s->plan->pairs * (rt_stack_size() + rt_page_size());
	size_t records = 2 * s->plan->pairs * (sizeof(struct rt_record) + rt_page_size());

	return rt_session_try_lock(&s->rt, stacks + records);
}

int pair_arm(struct pair_session *s, const struct pair_plan *plan, struct rt_err *err)
{
	struct rt_crew_plan crew_plan = { .as_processes = plan->opts->fork,
					  .prepare = pair_end_prepare, .body = pair_end_body };
	int status;

	s->plan = plan;
	s->opts = plan->opts;
	status = begin(s, err);
	if (status)
		return status;
	crew_plan.lock_memory = lock_memory(s);
	status = rt_session_records(&s->rt, 2 * plan->pairs, err);
	if (!status)
		status = rt_session_crew(&s->rt, &crew_plan, 2 * plan->pairs, err);
	if (!status)
		status = make_pairs(s, err);
	if (!status)
		status = rt_session_mark(&s->rt, &s->shared->threshold, s->opts->tracemark, err);
	if (!status)
		status = rt_tracing_arm(&s->tracing, &plan->tracing, &s->shared->threshold,
					s->rt.undo, err);
	if (!status)
		status = rt_session_extras(&s->rt, err);
	return status;
}

void pair_disarm(struct pair_session *s)
{
	for (unsigned int i = 0; i < s->opened; i++) {
		s->plan->via->close(&s->shared->pairs[i].forth);
		s->plan->via->close(&s->shared->pairs[i].back);
	}
	rt_tracing_done(&s->tracing);
	if (s->shared)
		rt_trace_mark_close(&s->shared->threshold.mark);
	rt_node_free(s->shared, s->shared_size);
}
