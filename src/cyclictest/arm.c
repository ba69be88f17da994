/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arming: everything that the run needs, made before it begins. What changes
 * the system goes through the undo list; what is ours alone is freed in
 * cyc_disarm(), which is fine with a half-armed session.
 */
#include <errno.h>

#include "measure.h"
#include "rt/log.h"
#include "rt/out.h"
#include "rt/power.h"

static void note(struct cyc_session *s, const char *what, const char *asked,
		 const struct rt_err *refused)
{
	rt_asked_add(&s->rt.results.about, what, asked, refused ? NULL : asked,
		     refused ? refused->text : NULL);
}

/* ---- the system -------------------------------------------------------------- */

/* The default request is nobody's explicit wish: without it the run goes on. */
static void limit_latency(struct cyc_session *s)
{
	struct rt_err refused = { 0 };
	char asked[24];

	snprintf(asked, sizeof(asked), "%dus", (int)s->opts->latency_us);
	if (rt_power_latency(s->rt.undo, (int32_t)s->opts->latency_us, &refused)) {
		note(s, "dma_latency", asked, &refused);
		rt_warn_err(&refused);
		return;
	}
	note(s, "dma_latency", asked, NULL);
	fprintf(s->rt.results.out, "# /dev/cpu_dma_latency set to %s\n", asked);
}

static int limit_idle(struct cyc_session *s, struct rt_err *err)
{
	const struct cyc_opts *o = s->opts;
	char asked[24];
	int status;

	if (!o->has_deepest_idle_state) {
		if (o->laptop)
			rt_warn("not setting cpu_dma_latency to save battery power");
		else if (o->default_system)
			rt_warn("not setting cpu_dma_latency from cyclictest");
		else
			limit_latency(s);
		return 0;
	}
	rt_warn("not setting cpu_dma_latency, --deepest-idle-state is set instead");
	status = rt_power_idle_limit(s->rt.undo, &s->plan->measured,
				     (int)o->deepest_idle_state, err);
	if (status)
		return status;
	snprintf(asked, sizeof(asked), "%d", (int)o->deepest_idle_state);
	note(s, "deepest_idle_state", asked, NULL);
	return 0;
}

static int open_trace(struct cyc_session *s, struct rt_err *err)
{
	rt_threshold_init(&s->threshold, s->plan->breaktrace, s->plan->unit_ns);
	return s->opts->tracemark ? rt_session_mark(&s->rt, &s->threshold, true, err) : 0;
}

/* Nobody asked for it in words: where it can't be had, the run goes on. */
static void open_status_file(struct cyc_session *s)
{
	struct rt_err refused = { 0 };

	if (cyc_status_file_open(&s->status_file, s->rt.undo, &refused)) {
		note(s, "status_object", "on", &refused);
		rt_warn_err(&refused);
	}
}

/* ---- memory and threads ------------------------------------------------------- */

static int make_tables(struct cyc_session *s, struct rt_err *err)
{
	const struct cyc_plan *plan = s->plan;

	if (plan->spike) {
		s->spikes = cyc_spikes_new((uint32_t)s->opts->spike_nodes);
		if (!s->spikes)
			return rt_err_memory(err, "the run");
	}
	s->shown_max_ns = calloc(plan->threads, sizeof(*s->shown_max_ns));
	s->seen = aligned_alloc(RT_CACHE_LINE, plan->threads * sizeof(*s->seen));
	if (!s->shown_max_ns || !s->seen)
		return rt_err_memory(err, "the run");
	for (unsigned int i = 0; i < plan->threads; i++)
		rt_stats_init(&s->seen[i]);
	return 0;
}

static int make_crew(struct cyc_session *s, struct rt_err *err)
{
	unsigned int threads = s->plan->threads;
	int status = rt_session_records(&s->rt, threads, err);

	if (!status)
		status = rt_session_crew(&s->rt, &cyc_crew_plan, threads, err);
	if (!status)
		status = make_tables(s, err);
	if (!status)
		status = cyc_threads_make(s, err);
	return status;
}

/* ---- all of it ----------------------------------------------------------------- */

static int begin(struct cyc_session *s, struct rt_err *err)
{
	const struct rt_results_plan *results = &s->plan->results;
	struct rt_run_plan run_plan = { .data = s };
	int status;

	cyc_watch_plan(s->plan, &run_plan);
	status = rt_session_open(&s->rt, &run_plan, results, err);
	if (!status && results->histfile)
		status = rt_outfile_open(&s->histfile, results->histfile, s->rt.undo, err);
	return status;
}

int cyc_arm(struct cyc_session *s, const struct cyc_plan *plan, struct rt_err *err)
{
	int status;

	s->plan = plan;
	s->opts = plan->opts;
	if (s->opts->unbuffered)
		setvbuf(rt_out(), NULL, _IONBF, 0);
	status = begin(s, err);
	if (!status)
		status = rt_session_lock(&s->rt, s->opts->mlockall, err);
	if (!status)
		status = open_trace(s, err);
	if (!status)
		status = rt_tracing_arm(&s->tracing, &plan->tracing, &s->threshold, s->rt.undo,
					err);
	if (!status)
		status = make_crew(s, err);
	if (!status && s->opts->fifo)
		status = cyc_fifo_open(&s->fifo, s->opts->fifo, s->rt.undo, err);
	if (!status)
		status = rt_session_extras(&s->rt, err);
	if (status)
		return status;
	cyc_watch_header(s);
	status = limit_idle(s, err);
	if (!status)
		open_status_file(s);
	return status;
}

void cyc_disarm(struct cyc_session *s)
{
	cyc_fifo_close(s->fifo);
	cyc_status_file_close(s->status_file);
	rt_outfile_close(s->histfile);
	rt_tracing_done(&s->tracing);
	rt_trace_mark_close(&s->threshold.mark);
	cyc_threads_free(s);
	cyc_spikes_free(s->spikes);
	free(s->shown_max_ns);
	free(s->seen);
}
