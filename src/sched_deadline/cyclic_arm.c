/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arming: everything that the run needs, made before it begins. What changes
 * the system goes through the undo list; what is ours alone is freed in
 * cdl_disarm(), which is fine with a half-armed session.
 */
#include <errno.h>
#include <stdlib.h>

#include "arming.h"
#include "cyclicdeadline.h"
#include "rt/log.h"
#include "rt/memory.h"

/* ---- threads ----------------------------------------------------------------------- */

static int make_tables(struct cdl_session *s, struct rt_err *err)
{
	s->seen = aligned_alloc(RT_CACHE_LINE, s->plan->threads * sizeof(*s->seen));
	if (!s->seen)
		return rt_err_memory(err, "the run");
	for (unsigned int i = 0; i < s->plan->threads; i++)
		rt_stats_init(&s->seen[i]);
	return 0;
}

static int make_crew(struct cdl_session *s, struct rt_err *err)
{
	unsigned int threads = s->plan->threads;
	int status = rt_session_records(&s->rt, threads, err);

	if (!status)
		status = rt_session_crew(&s->rt, &cdl_crew_plan, threads, err);
	if (!status)
		status = make_tables(s, err);
	if (!status)
		status = cdl_threads_make(s, err);
	return status;
}

/* ---- all of it --------------------------------------------------------------------- */

static int begin(struct cdl_session *s, struct rt_err *err)
{
	const struct rt_results_plan *results = &s->plan->results;
	struct rt_run_plan run_plan = { .data = s };
	int status;

	cdl_watch_plan(s->plan, &run_plan);
	status = rt_session_open(&s->rt, &run_plan, results, err);
	if (!status && results->histfile)
		status = rt_outfile_open(&s->histfile, results->histfile, s->rt.undo, err);
	return status;
}

static int open_trace(struct cdl_session *s, struct rt_err *err)
{
	rt_threshold_init(&s->threshold, s->plan->breaktrace, s->plan->unit_ns);
	return s->opts->tracemark ? rt_session_mark(&s->rt, &s->threshold, true, err) : 0;
}

int cdl_arm(struct cdl_session *s, struct cdl_plan *plan, struct rt_err *err)
{
	int status;

	s->plan = plan;
	s->opts = plan->opts;
	if (s->opts->verbose || s->opts->debug)
		rt_log_set_level(s->opts->debug ? RT_LOG_DEBUG : RT_LOG_INFO);
	status = begin(s, err);
	if (!status)
		status = open_trace(s, err);
	if (!status)
		status = rt_tracing_arm(&s->tracing, &plan->tracing, &s->threshold, s->rt.undo,
					err);
	if (!status)
		status = make_crew(s, err);
	if (!status)
		status = rt_session_extras(&s->rt, err);
	if (!status)
		status = dl_set_hrtick(&s->rt, s->opts->hrtick, plan->shortest_runtime_ns, err);
	if (!status)
		status = dl_set_apart(&s->rt, &s->partition, &plan->places, &s->opts->places, err);
	if (!status)
		rt_session_try_lock(&s->rt, plan->threads * rt_stack_size());
	return status;
}

void cdl_disarm(struct cdl_session *s)
{
	rt_outfile_close(s->histfile);
	rt_tracing_done(&s->tracing);
	rt_trace_mark_close(&s->threshold.mark);
	cdl_threads_free(s);
	rt_partition_free(s->partition);
	free(s->seen);
}
