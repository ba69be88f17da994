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
#include "rt/log.h"
#include "rt/memory.h"

#define LOOK_NS (500 * RT_NS_PER_MS) /* for CPUs that went offline */

/* Two series a thread: how late its periods started, and how long its work took. */
static int make_crew(struct dlt_session *s, struct rt_err *err)
{
	unsigned int threads = s->plan->threads;
	int status = rt_session_records(&s->rt, 2 * threads, err);

	if (!status)
		status = rt_session_crew(&s->rt, &dlt_crew_plan,
					 threads + (s->opts->rt_priority ? 1 : 0), err);
	if (!status)
		status = dlt_threads_make(s, err);
	return status;
}

/* ---- the run ----------------------------------------------------------------------- */

static void tick(void *data)
{
	struct dlt_session *s = data;

	dl_places_watch(&s->plan->places, s->rt.run, &s->offline);
}

static int begin(struct dlt_session *s, struct rt_err *err)
{
	const struct rt_run_plan run_plan = {
		.duration_ns = s->opts->duration_ns,
		.tick_ns = LOOK_NS,
		.tick = tick,
		.data = s,
	};

	return rt_session_open(&s->rt, &run_plan, &s->plan->results, err);
}

static int calibrate(struct dlt_session *s, struct rt_err *err)
{
	int status;

	s->loops = calloc(s->plan->threads, sizeof(*s->loops));
	if (!s->loops)
		return rt_err_memory(err, "the run");
	status = dlt_calibrate(&s->speed, s->loops, s->plan, s->rt.results.out, err);
	fflush(s->rt.results.out);
	return status;
}

int dlt_arm(struct dlt_session *s, struct dlt_plan *plan, struct rt_err *err)
{
	int status;

	s->plan = plan;
	s->opts = plan->opts;
	if (s->opts->verbose)
		rt_log_set_level(RT_LOG_INFO);
	status = begin(s, err);
	if (!status)
		rt_session_try_lock(&s->rt, (plan->threads + 1) * rt_stack_size());
	if (!status)
		status = calibrate(s, err);
	if (!status)
		status = make_crew(s, err);
	if (!status)
		status = rt_session_extras(&s->rt, err);
	if (!status) /* periods rise: the first runtime is the shortest one */
		status = dl_set_hrtick(&s->rt, s->opts->hrtick, plan->reserves[0].runtime_ns, err);
	if (!status)
		status = dl_set_apart(&s->rt, &s->partition, &plan->places, &plan->places_opts,
				      err);
	return status;
}

void dlt_disarm(struct dlt_session *s)
{
	dlt_threads_free(s);
	rt_partition_free(s->partition);
	free(s->loops);
}
