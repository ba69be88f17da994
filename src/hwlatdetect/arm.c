/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arming hwlatdetect: files, records, power, then the detector.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hwlat.h"
#include "rt/clock.h"
#include "rt/load.h"
#include "rt/log.h"
#include "rt/power.h"

#define LOOK_NS (100 * RT_NS_PER_MS)

static void tick(void *data)
{
	struct hwl_session *s = data;

	s->plan->detector->collect(s);
}

static void checkpoint(void *data)
{
	struct hwl_session *s = data;

	s->plan->detector->collect(s);
	rt_results_checkpoint(&s->results);
}

static int begin(struct hwl_session *s, struct rt_err *err)
{
	struct rt_run_plan run_plan = {
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
	if (!status && s->opts->report)
		status = rt_outfile_open(&s->report, s->opts->report, s->undo, err);
	return status;
}

/* ---- a series for each CPU --------------------------------------------------------- */

static int no_memory(struct rt_err *err)
{
	return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "no memory for the run");
}

static void describe(struct hwl_session *s, unsigned int i)
{
	struct rt_series_info *info = rt_status_info(s->status, i);

	info->cpu = rt_cpuset_nth(&s->plan->cpus, i);
	info->node = -1;
	info->index = i;
	info->interval_ns = s->plan->window_us * RT_NS_PER_US;
	snprintf(info->name, sizeof(info->name), "CPU %d", info->cpu);
	snprintf(info->kind, sizeof(info->kind), "gap");
	rt_status_record(s->status, i, -1);
}

static int make_series(struct hwl_session *s, struct rt_err *err)
{
	const struct hwl_plan *plan = s->plan;
	unsigned int count = (unsigned int)rt_cpuset_count(&plan->cpus);
	int status = rt_status_new(&s->status, "hwlatdetect", plan->argc, plan->argv, count,
				   RT_NS_PER_US, err);

	if (status)
		return status;
	for (unsigned int i = 0; i < count; i++)
		describe(s, i);
	return rt_results_attach(&s->results, s->run, s->status, err);
}

static int make_rings(struct hwl_session *s, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		size_t size = rt_ring_size(RT_RING_SAMPLES);
		void *memory = NULL;

		if (posix_memalign(&memory, RT_CACHE_LINE, size))
			return -ENOMEM;
		memset(memory, 0, size);
		s->rings[i] = rt_ring_place(memory, RT_RING_SAMPLES);
	}
	return 0;
}

static struct rt_ring *samples_ring(void *data, unsigned int series)
{
	const struct hwl_session *s = data;

	return s->rings[series];
}

static int open_samples(struct hwl_session *s, struct rt_err *err)
{
	unsigned int count = rt_status_count(s->status);
	int status;

	if (!s->opts->results.samples)
		return 0;
	s->rings = calloc(count, sizeof(struct rt_ring *));
	if (!s->rings || make_rings(s, count))
		return no_memory(err);
	status = rt_results_open_samples(&s->results, samples_ring, err);
	return status ? status : rt_results_start_samples(&s->results, NULL, err);
}

/* ---- what was found ------------------------------------------------------------------- */

static void record(struct hwl_session *s, unsigned int series, const struct hwl_sample *sample)
{
	struct rt_record *r = rt_status_record(s->status, series, -1);
	int64_t us = sample->inner_us > sample->outer_us ? sample->inner_us : sample->outer_us;

	rt_record_add(r, us * RT_NS_PER_US, us, sample->at_ns, INT64_MAX);
	if (s->rings) {
		struct rt_sample kept = { .cycle = r->stats.count - 1, .wake_ns = sample->at_ns,
					  .lat_ns = us * RT_NS_PER_US };

		rt_ring_put(s->rings[series], &kept);
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
	for (unsigned int i = 0; i < rt_status_count(s->status); i++)
		if (rt_status_info(s->status, i)->cpu == sample->cpu)
			record(s, i, sample);
}

/* ---- all of it --------------------------------------------------------------------------- */

/* Not asked for in words: without it the run goes on. */
static void limit_latency(struct hwl_session *s)
{
	struct rt_err refused = { 0 };

	rt_power_latency(s->undo, 0, &refused);
	rt_asked_add(&s->results.about, "dma_latency", "0us", refused.text[0] ? NULL : "0us",
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
	if (!status && s->opts->results.load)
		status = rt_load_start(s->opts->results.load, s->run, s->undo, err);
	if (!status)
		status = open_samples(s, err);
	if (!status)
		status = plan->detector->arm(s, err);
	if (status)
		return status;
	limit_latency(s);
	hwl_smis_begin(&s->smis);
	return 0;
}

/* The undo list has run before. */
void hwl_disarm(struct hwl_session *s)
{
	for (unsigned int i = 0; s->rings && i < rt_status_count(s->status); i++)
		free(s->rings[i]);
	free(s->rings);
	if (s->plan)
		s->plan->detector->done(s);
	hwl_smis_done(&s->smis);
	hwl_log_done(&s->log);
	rt_results_done(&s->results);
	rt_outfile_close(s->report);
	rt_status_free(s->status);
	rt_run_free(s->run);
}
