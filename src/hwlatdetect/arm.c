/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arming hwlatdetect: files, records, power, then the detector.
 */
#include <stdio.h>

#include "hwlat.h"
#include "rt/clock.h"
#include "rt/log.h"
#include "rt/power.h"

#define LOOK_NS (100 * RT_NS_PER_MS)

static void tick(void *data)
{
	struct hwl_session *s = data;

	s->plan->detector->collect(s);
}

static int begin(struct hwl_session *s, struct rt_err *err)
{
	const struct rt_run_plan run_plan = {
		.duration_ns = s->opts->duration_ns,
		.tick_ns = LOOK_NS,
		.tick = tick,
		.data = s,
	};
	int status = rt_session_open(&s->rt, &run_plan, &s->plan->results, err);

	if (!status && s->opts->report)
		status = rt_outfile_open(&s->report, s->opts->report, s->rt.undo, err);
	return status;
}

/* ---- a series for each CPU --------------------------------------------------------- */

static int make_one(struct hwl_session *s, unsigned int i)
{
	struct rt_series_info *info = rt_status_info(s->rt.status, i);
	struct rt_ring *ring;

	info->cpu = rt_cpuset_nth(&s->plan->cpus, i);
	info->node = -1;
	info->index = i;
	info->interval_ns = s->plan->window_us * RT_NS_PER_US;
	snprintf(info->name, sizeof(info->name), "CPU %d", info->cpu);
	snprintf(info->kind, sizeof(info->kind), "gap");
	rt_status_record(s->rt.status, i, -1);
	return rt_results_ring(&ring, &s->rt.results, i, -1);
}

static int make_series(struct hwl_session *s, struct rt_err *err)
{
	unsigned int count = (unsigned int)rt_cpuset_count(&s->plan->cpus);
	int status = rt_session_records(&s->rt, count, err);

	for (unsigned int i = 0; !status && i < count; i++)
		if (make_one(s, i))
			status = rt_err_memory(err, "the run");
	return status;
}

/* ---- what was found ------------------------------------------------------------------- */

static void record(struct hwl_session *s, unsigned int series, const struct hwl_sample *sample)
{
	struct rt_record *r = rt_status_record(s->rt.status, series, -1);
	int64_t us = sample->inner_us > sample->outer_us ? sample->inner_us : sample->outer_us;

	rt_record_add(r, us * RT_NS_PER_US, us, sample->at_ns, INT64_MAX);
	if (s->rt.results.rings) {
		struct rt_sample kept = { .cycle = r->stats.count - 1, .wake_ns = sample->at_ns,
					  .lat_ns = us * RT_NS_PER_US };

		rt_ring_put(s->rt.results.rings[series], &kept);
	}
}

/* A CPU that came online during the run has no series; its sample is in the list all the same. */
void hwl_found(struct hwl_session *s, const struct hwl_sample *sample)
{
	struct hwl_log *log = &s->log;
	struct hwl_sample before = { .at_ns = log->last_ns };

	if (s->opts->watch)
		hwl_say_sample(s, sample, log->count ? &before : NULL);
	hwl_log_add(log, sample);
	for (unsigned int i = 0; i < rt_status_count(s->rt.status); i++)
		if (rt_status_info(s->rt.status, i)->cpu == sample->cpu)
			record(s, i, sample);
}

/* ---- all of it --------------------------------------------------------------------------- */

/* Not asked for in words: without it the run goes on. */
static void limit_latency(struct hwl_session *s)
{
	struct rt_err refused = { 0 };

	rt_power_latency(s->rt.undo, 0, &refused);
	rt_asked_add(&s->rt.results.about, "dma_latency", "0us", refused.text[0] ? NULL : "0us",
		     refused.text[0] ? refused.text : NULL);
	if (refused.text[0])
		rt_warn_err(&refused);
	else
		hwl_debug(s, "c-states disabled");
}

int hwl_arm(struct hwl_session *s, const struct hwl_plan *plan, struct rt_err *err)
{
	int status;

	s->plan = plan;
	s->opts = plan->opts;
	status = begin(s, err);
	if (!status)
		status = make_series(s, err);
	if (!status)
		status = rt_session_extras(&s->rt, err);
	if (!status)
		status = rt_results_start_samples(&s->rt.results, NULL, err);
	if (!status)
		status = plan->detector->arm(s, err);
	if (status)
		return status;
	limit_latency(s);
	hwl_smis_begin(&s->smis);
	return 0;
}

/* What the detector has changed is put back with its help. */
void hwl_disarm(struct hwl_session *s)
{
	rt_session_undo(&s->rt);
	if (s->plan)
		s->plan->detector->done(s);
	hwl_smis_done(&s->smis);
	hwl_log_done(&s->log);
	rt_outfile_close(s->report);
}
