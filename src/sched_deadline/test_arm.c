/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arming: everything that the run needs, made before it begins. What changes
 * the system goes through the undo list; what is ours alone is freed in
 * dlt_disarm(), which is fine with a half-armed session.
 */
#include <errno.h>
#include <stdlib.h>

#include "arming.h"
#include "deadline_test.h"
#include "rt/load.h"
#include "rt/log.h"

#define LOOK_NS (500 * RT_NS_PER_MS) /* for CPUs that went offline */

/* ---- files and threads ------------------------------------------------------------- */

static struct rt_ring *samples_ring(void *data, unsigned int series)
{
	const struct dlt_session *s = data;

	return series < s->plan->threads ? s->threads[series]->samples_ring : NULL;
}

/* Two series a thread: how late its periods started, and how long its work took. */
static int make_crew(struct dlt_session *s, struct rt_err *err)
{
	struct rt_crew_plan crew_plan = dlt_crew_plan;
	int status;

	crew_plan.count = s->plan->threads + (s->opts->rt_priority ? 1 : 0);
	crew_plan.undo = s->undo;
	status = rt_status_new(&s->status, "deadline_test", s->plan->argc, s->plan->argv,
			       2 * s->plan->threads, RT_NS_PER_US, err);
	if (!status)
		status = rt_crew_new(&s->crew, &crew_plan, s->run, err);
	if (!status)
		status = dlt_threads_make(s, err);
	if (!status)
		status = rt_results_attach(&s->results, s->run, s->status, err);
	return status;
}

/* ---- the run ----------------------------------------------------------------------- */

static void tick(void *data)
{
	struct dlt_session *s = data;

	if (dl_places_lost(&s->plan->places, &s->offline) == -ENODEV)
		rt_run_end(s->run, RT_ENDED_ERROR);
}

static void checkpoint(void *data)
{
	struct dlt_session *s = data;

	rt_results_checkpoint(&s->results);
}

static int begin_run(struct dlt_session *s, struct rt_err *err)
{
	const struct rt_run_plan run_plan = {
		.duration_ns = s->opts->duration_ns,
		.tick_ns = LOOK_NS,
		.tick = tick,
		.checkpoint_ns = s->opts->results.checkpoint_ns,
		.checkpoint = checkpoint,
		.data = s,
	};
	struct rt_results_plan results = s->plan->results;
	int status = rt_run_new(&s->run, &run_plan, err);

	results.data = s;
	if (!status)
		status = rt_undo_open(&s->undo, err);
	if (!status)
		status = rt_results_open(&s->results, &results, s->undo, err);
	return status;
}

static int calibrate(struct dlt_session *s, struct rt_err *err)
{
	int status;

	s->loops = calloc(s->plan->threads, sizeof(*s->loops));
	if (!s->loops)
		return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "no memory for the run");
	status = dlt_calibrate(&s->speed, s->loops, s->plan, s->results.out, err);
	fflush(s->results.out);
	return status;
}

int dlt_arm(struct dlt_session *s, struct dlt_plan *plan, struct rt_err *err)
{
	int status;

	s->plan = plan;
	s->opts = plan->opts;
	if (s->opts->verbose)
		rt_log_set_level(RT_LOG_INFO);
	status = begin_run(s, err);
	if (!status)
		dl_lock_memory(&s->results.about, plan->threads + 1);
	if (!status)
		status = calibrate(s, err);
	if (!status)
		status = make_crew(s, err);
	if (!status)
		status = rt_results_open_samples(&s->results, samples_ring, err);
	if (!status && s->opts->results.load)
		status = rt_load_start(s->opts->results.load, s->run, s->undo, err);
	if (!status)
		status = dl_set_hrtick(s->opts->hrtick, plan->reserves[0].runtime_ns, s->undo,
				       &s->results.about, err); /* periods rise: the shortest one */
	if (!status)
		status = dl_set_apart(&s->partition, &plan->places, &plan->places_opts, s->undo,
				      &s->results.about, err);
	return status;
}

void dlt_disarm(struct dlt_session *s)
{
	rt_results_done(&s->results);
	dlt_threads_free(s);
	rt_crew_free(s->crew);
	rt_status_free(s->status);
	rt_partition_free(s->partition);
	free(s->loops);
	rt_run_free(s->run);
}
