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
#include "rt/load.h"
#include "rt/log.h"

/* ---- the system -------------------------------------------------------------------- */

static int open_trace(struct cdl_session *s, struct rt_err *err)
{
	int status;

	rt_threshold_init(&s->threshold, s->plan->breaktrace, s->plan->unit_ns);
	if (!s->opts->tracemark || !s->plan->breaktrace)
		return 0;
	status = rt_trace_mark_open(&s->threshold.mark, err);
	if (status < 0)
		return status;
	if (status == 1)
		rt_warn("tracing is switched off: the break will leave no mark in the trace");
	rt_asked_add(&s->results.about, "tracemark", "on", "on", NULL);
	return 0;
}

/* ---- files ------------------------------------------------------------------------- */

static int open_documents(struct cdl_session *s, struct rt_err *err)
{
	struct rt_results_plan plan = s->plan->results;
	int status;

	plan.data = s;
	status = rt_results_open(&s->results, &plan, s->undo, err);
	if (!status && plan.histfile)
		status = rt_outfile_open(&s->histfile, plan.histfile, s->undo, err);
	return status;
}

static struct rt_ring *samples_ring(void *data, unsigned int series)
{
	const struct cdl_session *s = data;

	return s->threads[series]->samples_ring;
}

/* ---- threads ----------------------------------------------------------------------- */

static int make_tables(struct cdl_session *s, struct rt_err *err)
{
	s->seen = aligned_alloc(RT_CACHE_LINE, s->plan->threads * sizeof(*s->seen));
	if (!s->seen)
		return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "no memory for the run");
	for (unsigned int i = 0; i < s->plan->threads; i++)
		rt_stats_init(&s->seen[i]);
	return 0;
}

static int make_crew(struct cdl_session *s, struct rt_err *err)
{
	struct rt_crew_plan crew_plan = cdl_crew_plan;
	int status;

	crew_plan.count = s->plan->threads;
	crew_plan.undo = s->undo;
	status = rt_status_new(&s->status, "cyclicdeadline", s->plan->argc, s->plan->argv,
			       s->plan->threads, (uint32_t)s->plan->unit_ns, err);
	if (!status)
		status = rt_crew_new(&s->crew, &crew_plan, s->run, err);
	if (!status)
		status = make_tables(s, err);
	if (!status)
		status = cdl_threads_make(s, err);
	if (!status)
		status = rt_results_attach(&s->results, s->run, s->status, err);
	return status;
}

static int begin_run(struct cdl_session *s, struct rt_err *err)
{
	struct rt_run_plan run_plan = { .data = s };
	int status;

	cdl_watch_plan(s->plan, &run_plan);
	status = rt_run_new(&s->run, &run_plan, err);
	if (!status)
		status = rt_undo_open(&s->undo, err);
	return status;
}

int cdl_arm(struct cdl_session *s, struct cdl_plan *plan, struct rt_err *err)
{
	int status;

	s->plan = plan;
	s->opts = plan->opts;
	if (s->opts->verbose || s->opts->debug)
		rt_log_set_level(s->opts->debug ? RT_LOG_DEBUG : RT_LOG_INFO);
	status = begin_run(s, err);
	if (!status)
		status = open_documents(s, err);
	if (!status)
		status = open_trace(s, err);
	if (!status)
		status = make_crew(s, err);
	if (!status)
		status = rt_results_open_samples(&s->results, samples_ring, err);
	if (!status && s->opts->results.load)
		status = rt_load_start(s->opts->results.load, s->run, s->undo, err);
	if (!status)
		status = dl_set_hrtick(s->opts->hrtick, plan->shortest_runtime_ns, s->undo,
				       &s->results.about, err);
	if (!status)
		status = dl_set_apart(&s->partition, &plan->places, &s->opts->places, s->undo,
				      &s->results.about, err);
	if (!status)
		dl_lock_memory(&s->results.about, plan->threads);
	return status;
}

void cdl_disarm(struct cdl_session *s)
{
	rt_results_done(&s->results);
	rt_outfile_close(s->histfile);
	rt_trace_mark_close(&s->threshold.mark);
	cdl_threads_free(s);
	rt_crew_free(s->crew);
	rt_status_free(s->status);
	rt_partition_free(s->partition);
	free(s->seen);
	rt_run_free(s->run);
}
