/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arming a hand-over test: everything that the run needs, made before it begins.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "pairs.h"
#include "rt/load.h"
#include "rt/log.h"
#include "rt/memory.h"

#define SPARE_BYTES ((size_t)8 << 20) /* what reports and the C library may still map */

static int no_memory(struct rt_err *err)
{
	return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "no memory for the run; use fewer pairs");
}

/* Forked ends and main see the same; touched, so that no end has to. */
static void *shared_alloc(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

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
	e->record = rt_status_record(s->status, series, seat->node);
	e->run = s->run;
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
	struct rt_member *m = rt_crew_member(s->crew, index);
	const struct pair_seat *seat = &s->plan->seats[index];

	m->cpu = seat->cpu;
	m->node = seat->node;
	m->sched.policy = seat->priority ? RT_POLICY_FIFO : RT_POLICY_OTHER;
	m->sched.priority = seat->priority;
	m->data = e;
	name_member(m, s->plan->results.tool);
}

static void describe(struct pair_session *s, const struct pair_end *e)
{
	unsigned int series = e->is_sender ? s->plan->pairs + e->pair : e->pair;
	const struct pair_seat *seat = &s->plan->seats[2 * e->pair + e->is_sender];
	struct rt_series_info *info = rt_status_info(s->status, series);

	snprintf(info->name, sizeof(info->name), "pair %u%s", e->pair,
		 e->is_sender ? " back" : "");
	snprintf(info->kind, sizeof(info->kind), "handover");
	info->index = e->pair;
	info->cpu = seat->cpu;
	info->node = seat->node;
	info->policy = seat->priority ? RT_POLICY_FIFO : RT_POLICY_OTHER;
	info->priority = seat->priority;
	info->interval_ns = e->interval_ns;
	info->is_reference = e->is_sender; /* the limit is about what the lines show */
}

static void make_end(struct pair_session *s, struct pair_end *e, unsigned int pair, bool is_sender)
{
	fill_end(s, e, pair, is_sender);
	fill_member(s, e);
	describe(s, e);
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
		status = via->open(&p->forth, s->undo, err);
		if (status)
			break;
		status = via->open(&p->back, s->undo, err);
		if (status)
			via->close(&p->forth);
		else
			s->opened = i + 1;
	}
	return status;
}

static int make_pairs(struct pair_session *s, struct rt_err *err)
{
	unsigned int pairs = s->plan->pairs;

	s->shared_size = sizeof(*s->shared) + pairs * sizeof(struct pair);
	s->shared = shared_alloc(s->shared_size);
	if (!s->shared)
		return no_memory(err);
	s->shared->pairs_left = pairs;
	rt_threshold_init(&s->shared->threshold, s->plan->breaktrace, RT_NS_PER_US);
	for (unsigned int i = 0; i < pairs; i++) {
		make_end(s, &s->shared->pairs[i].receiver, i, false);
		make_end(s, &s->shared->pairs[i].sender, i, true);
	}
	return open_ways(s, err);
}

static int make_crew(struct pair_session *s, bool locks, struct rt_err *err)
{
	struct rt_crew_plan crew_plan = {
		.count = 2 * s->plan->pairs,
		.as_processes = s->opts->fork,
		.lock_memory = locks,
		.undo = s->undo,
		.prepare = pair_end_prepare,
		.body = pair_end_body,
	};
	const struct rt_results_plan *r = &s->plan->results;
	int status = rt_status_new(&s->status, r->tool, r->argc, r->argv, 2 * s->plan->pairs,
				   (uint32_t)r->unit_ns, err);

	if (!status)
		status = rt_crew_new(&s->crew, &crew_plan, s->run, err);
	if (!status)
		status = make_pairs(s, err);
	if (!status)
		status = rt_results_attach(&s->results, s->run, s->status, err);
	return status;
}

/* ---- the system -------------------------------------------------------------------- */

/* Always wanted, never asked for in words: where it can't be had the run goes on. */
static bool lock_memory(struct pair_session *s)
{
	size_t stacks = s->opts->fork ? 0 : 2 * s->plan->pairs * (rt_stack_size() + rt_page_size());
	size_t records = 2 * s->plan->pairs * (sizeof(struct rt_record) + rt_page_size());
	struct rt_err refused = { 0 };

	if (!rt_memory_lock_fits_with(stacks + records + SPARE_BYTES))
		rt_err_set(&refused, RT_EXIT_MISSING, ENOMEM,
			   "memory is not locked: RLIMIT_MEMLOCK ('ulimit -l') is too low for it");
	else
		rt_memory_lock(&refused);
	rt_asked_add(&s->results.about, "mlock", "all", refused.text[0] ? NULL : "all",
		     refused.text[0] ? refused.text : NULL);
	if (!refused.text[0])
		return true;
	rt_warn_err(&refused);
	return false;
}

static int open_trace(struct pair_session *s, struct rt_err *err)
{
	int status = rt_threshold_trace(&s->shared->threshold, s->opts->tracemark, err);

	if (!status && s->plan->breaktrace && s->opts->tracemark)
		rt_asked_add(&s->results.about, "tracemark", "on", "on", NULL);
	return status;
}

/* ---- --samples ------------------------------------------------------------------------ */

static struct rt_ring *samples_ring(void *data, unsigned int series)
{
	const struct pair_session *s = data;

	return series < s->plan->pairs ? s->shared->pairs[series].receiver.ring : NULL;
}

static int open_samples(struct pair_session *s, struct rt_err *err)
{
	size_t size = rt_page_round(rt_ring_size(RT_RING_SAMPLES));

	if (!s->opts->results.samples)
		return 0;
	s->rings_size = s->plan->pairs * size;
	s->rings = shared_alloc(s->rings_size);
	if (!s->rings)
		return no_memory(err);
	for (unsigned int i = 0; i < s->plan->pairs; i++)
		s->shared->pairs[i].receiver.ring =
			rt_ring_place((char *)s->rings + i * size, RT_RING_SAMPLES);
	return rt_results_open_samples(&s->results, samples_ring, err);
}

/* ---- all of it ---------------------------------------------------------------------------- */

static void tick(void *session)
{
	pair_draw(session);
}

static void checkpoint(void *session)
{
	struct pair_session *s = session;

	rt_results_checkpoint(&s->results);
}

static int begin(struct pair_session *s, struct rt_err *err)
{
	struct rt_run_plan plan = {
		.duration_ns = s->opts->duration_ns,
		.tick_ns = s->opts->quiet || !isatty(STDOUT_FILENO) ? 0 : RT_LIVE_TICK_NS,
		.tick = tick,
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

int pair_arm(struct pair_session *s, const struct pair_plan *plan, struct rt_err *err)
{
	bool is_locked;
	int status;

	s->plan = plan;
	s->opts = plan->opts;
	status = begin(s, err);
	if (status)
		return status;
	is_locked = lock_memory(s);
	status = make_crew(s, is_locked, err);
	if (!status)
		status = open_trace(s, err);
	if (!status)
		status = open_samples(s, err);
	if (!status && s->opts->results.load)
		status = rt_load_start(s->opts->results.load, s->run, s->undo, err);
	return status;
}

void pair_disarm(struct pair_session *s)
{
	for (unsigned int i = 0; i < s->opened; i++) {
		s->plan->via->close(&s->shared->pairs[i].forth);
		s->plan->via->close(&s->shared->pairs[i].back);
	}
	rt_crew_free(s->crew);
	rt_results_done(&s->results);
	rt_status_free(s->status);
	if (s->shared) {
		rt_trace_mark_close(&s->shared->threshold.mark);
		munmap(s->shared, s->shared_size);
	}
	if (s->rings)
		munmap(s->rings, s->rings_size);
	rt_run_free(s->run);
}
