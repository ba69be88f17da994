/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * results - the life of a run's documents.
 */
#include "rt/results.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rt/clock.h"
#include "rt/json.h"
#include "rt/log.h"
#include "rt/out.h"

static bool is_stdout(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

FILE *rt_results_out(const struct rt_results_plan *plan)
{
	return is_stdout(plan->opts->json) || is_stdout(plan->opts->result) ||
			       is_stdout(plan->histfile) ? rt_out_err() : rt_out();
}

/* The option that needs json-c; NULL: none was given. A checkpoint needs one of the others. */
static const char *asks_for_json(const struct rt_opts_results *o)
{
	if (o->json)
		return "json";
	if (o->result)
		return "result";
	return o->samples ? "samples" : NULL; /* the head of that file is a document */
}

int rt_results_check(const struct rt_results_plan *plan, struct rt_err *err)
{
	const struct rt_opts_results *o = plan->opts;
	const char *asking = RT_HAS_JSON ? NULL : asks_for_json(o);

	if (is_stdout(o->json) + is_stdout(o->result) + is_stdout(plan->histfile) > 1)
		return rt_opts_refuse(err, is_stdout(o->result) ? "result" : "histfile",
				      "only one document can go to stdout ('-')");
	if (is_stdout(o->samples))
		return rt_opts_refuse(err, "samples", "needs a file, '-' is not one");
	if (o->checkpoint_ns && (!o->json || is_stdout(o->json)) &&
	    (!o->result || is_stdout(o->result)))
		return rt_opts_refuse(err, "checkpoint",
				      "needs --result=FILE or --json=FILE, a file to be replaced");
	if (asking)
		return rt_err_set(err, RT_EXIT_MISSING, ENOTSUP,
				  "--%s: this program was built without json-c (JSON=0); build it "
				  "with json-c, or leave the option out", asking);
	return 0;
}

static void describe(struct rt_results *r)
{
	const struct rt_results_plan *plan = &r->plan;

	rt_sysinfo_get(&r->system);
	r->about.tool = plan->tool;
	r->about.argc = plan->argc;
	r->about.argv = plan->argv;
	r->about.unit_ns = plan->unit_ns;
	r->about.limit_ns = plan->limit * plan->unit_ns;
	r->about.system = &r->system;
}

static bool is_replaced(const struct rt_outfile *file)
{
	return file && rt_outfile_is_replaced(file);
}

int rt_results_open(struct rt_results *r, const struct rt_results_plan *plan,
		    struct rt_undo *undo, struct rt_err *err)
{
	const struct rt_opts_results *o = plan->opts;
	int status = 0;

	r->plan = *plan;
	describe(r);
	r->out = rt_results_out(plan);
	if (o->json)
		status = rt_outfile_open(&r->json, o->json, undo, err);
	if (!status && o->result)
		status = rt_outfile_open(&r->result, o->result, undo, err);
	if (status)
		return status;
	if (o->checkpoint_ns && !is_replaced(r->json) && !is_replaced(r->result))
		return rt_opts_refuse(err, "checkpoint",
				      "needs a regular file behind --result or --json");
	return 0;
}

int rt_results_attach(struct rt_results *r, struct rt_run *run, struct rt_status *status,
		      struct rt_err *err)
{
	r->run = run;
	r->status = status;
	if (rt_snapshot_new(&r->snap, status))
		return rt_err_memory(err, "the results");
	r->about.snap = r->snap;
	return 0;
}

int rt_results_ring(struct rt_ring **ret, struct rt_results *r, unsigned int series, int node)
{
	*ret = NULL;
	if (!r->plan.opts->samples)
		return 0;
	if (!r->rings)
		r->rings = calloc(rt_status_count(r->status), sizeof(struct rt_ring *));
	if (!r->rings)
		return -ENOMEM;
	*ret = r->rings[series] = rt_ring_new(RT_RING_SAMPLES, node);
	return *ret ? 0 : -ENOMEM;
}

static void add_samples_series(struct rt_results *r, unsigned int i, struct rt_ring *ring)
{
	const struct rt_series_info *info = rt_status_info(r->status, i);

	r->samples_from[r->samples_count] = i;
	r->samples_series[r->samples_count++] = (struct rt_samples_series){
		.name = info->name,
		.cpu = info->cpu,
		.interval_ns = info->interval_ns,
		.ring = ring,
	};
}

int rt_results_open_samples(struct rt_results *r, struct rt_err *err)
{
	const struct rt_results_plan *plan = &r->plan;
	unsigned int count = rt_status_count(r->status);

	if (!plan->opts->samples)
		return 0;
	r->samples_series = calloc(count, sizeof(*r->samples_series));
	r->samples_from = calloc(count, sizeof(*r->samples_from));
	if (!r->samples_series || !r->samples_from)
		return rt_err_memory(err, "--samples");
	for (unsigned int i = 0; r->rings && i < count; i++)
		if (r->rings[i])
			add_samples_series(r, i, r->rings[i]);
	return rt_samples_open(&r->samples, plan->opts->samples, plan->tool,
			       rt_clock_name(plan->clock), r->samples_series, r->samples_count,
			       err);
}

int rt_results_start_samples(struct rt_results *r, const struct rt_cpuset *cpus,
			     struct rt_err *err)
{
	return r->samples ? rt_samples_start(r->samples, cpus, err) : 0;
}

int rt_results_place_main(struct rt_results *r, const struct rt_cpuset *cpus, bool is_pinned,
			  struct rt_err *err)
{
	int status = cpus ? rt_cpuset_pin(0, cpus) : 0;

	if (status)
		return rt_err_set(err, RT_EXIT_FAILED, status,
				  "cannot move the main thread to its CPUs: %s", strerror(-status));
	if (!cpus && is_pinned)
		rt_asked_add(&r->about, "main_thread", "a CPU that is not measured", NULL,
			     "all usable CPUs are measured");
	return rt_results_start_samples(r, cpus, err);
}

void rt_results_begin(struct rt_results *r)
{
	r->about.started_ns = rt_clock_ns(CLOCK_REALTIME);
	r->about.clock = rt_clock_name(r->plan.clock);
	r->about.clock_offset_ns = r->about.started_ns - rt_clock_ns(r->plan.clock);
	if (r->plan.before)
		r->plan.before(r->plan.data); /* thread ids, for those who watch */
}

static void take(struct rt_results *r)
{
	if (r->plan.before)
		r->plan.before(r->plan.data);
	rt_snapshot_take(r->snap, r->status);
	r->about.ended_ns = rt_clock_ns(CLOCK_REALTIME);
	r->about.duration_ns = rt_clock_ns(CLOCK_MONOTONIC) - r->run->started_ns;
}

static void write_one(struct rt_outfile *file, char *text, struct rt_err *err)
{
	if (text)
		rt_outfile_write(file, text, strlen(text), err);
	else
		rt_err_memory(err, "the result document");
	free(text);
}

/* A document tells the status that the process will end with, as far as it is known by then. */
static void tell_failure(struct rt_results *r, const struct rt_err *err)
{
	if (rt_err_is_set(err))
		r->about.exit_status = (int)err->exit;
}

static void write_both(struct rt_results *r, struct rt_err *err)
{
	const struct rt_results_plan *plan = &r->plan;

	tell_failure(r, err);
	if (r->json)
		write_one(r->json, rt_report_json(&r->about, plan->fill_json, plan->data), err);
	tell_failure(r, err);
	if (r->result)
		write_one(r->result, rt_report_result(&r->about, plan->fill_result, plan->data),
			  err);
}

void rt_results_checkpoint(struct rt_results *r)
{
	struct rt_err err = { 0 };

	take(r);
	r->about.ended_by = "checkpoint";
	r->about.is_checkpoint = true;
	write_both(r, &err);
	r->about.is_checkpoint = false;
	if (rt_err_is_set(&err))
		rt_warn("%s; the run goes on", err.text);
}

void rt_results_take(struct rt_results *r)
{
	take(r);
	r->about.ended_by = rt_run_ended_text(r->run);
}

void rt_results_end_samples(struct rt_results *r, struct rt_err *err)
{
	rt_auto_free uint64_t *lost = calloc(r->samples_count + 1, sizeof(*lost));

	if (!r->samples)
		return;
	rt_samples_close(r->samples, lost, err);
	r->samples = NULL;
	for (unsigned int i = 0; lost && i < r->samples_count; i++) {
		if (lost[i])
			rt_warn("%s: %" PRIu64 " samples are not in the --samples file",
				r->samples_series[i].name, lost[i]);
		r->snap->series[r->samples_from[i]].lost += lost[i];
	}
}

int rt_results_write(struct rt_results *r, int exit_status, struct rt_err *err)
{
	if (exit_status == RT_EXIT_GOOD && rt_verdict_find(&r->about) >= 0)
		exit_status = RT_EXIT_LIMIT;
	r->about.exit_status = exit_status;
	write_both(r, err);
	return exit_status;
}

void rt_results_say(const struct rt_results *r)
{
	int series = rt_verdict_find(&r->about);

	if (series >= 0)
		rt_verdict_say(&r->about, series);
}

void rt_results_histogram(struct rt_results *r, struct rt_outfile *file,
			  const struct rt_histogram_text *text, struct rt_err *err)
{
	rt_auto_free char *block = NULL;
	size_t length = 0;
	FILE *memory;

	if (!file) {
		rt_report_histogram(r->out, text);
		return;
	}
	memory = open_memstream(&block, &length);
	if (!memory) {
		rt_err_memory(err, "the histogram");
		return;
	}
	rt_report_histogram(memory, text);
	fclose(memory);
	rt_outfile_write(file, block, length, err);
}

/* Their writer has ended. */
static void free_rings(struct rt_results *r)
{
	for (unsigned int i = 0; r->rings && i < rt_status_count(r->status); i++)
		rt_ring_free(r->rings[i]);
	free(r->rings);
	r->rings = NULL;
}

void rt_results_done(struct rt_results *r)
{
	rt_outfile_close(r->json);
	rt_outfile_close(r->result);
	rt_samples_close(r->samples, NULL, NULL);
	free_rings(r);
	free(r->samples_series);
	free(r->samples_from);
	rt_snapshot_free(r->snap);
	rt_asked_done(&r->about);
	rt_sysinfo_done(&r->system);
	r->json = r->result = NULL;
	r->snap = NULL;
	r->samples = NULL;
	r->samples_series = NULL;
	r->samples_from = NULL;
}
