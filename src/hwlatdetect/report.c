/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What hwlatdetect says: text, documents.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "hwlat.h"
#include "rt/json.h"
#include "rt/log.h"

/* ---- text --------------------------------------------------------------------------- */

void hwl_debug(const struct hwl_session *s, const char *fmt, ...)
{
	va_list values;

	if (!s->opts->debug || s->opts->quiet)
		return;
	va_start(values, fmt);
	vfprintf(s->rt.results.out, fmt, values);
	va_end(values);
	fputc('\n', s->rt.results.out);
}

static const char *or_none(const char *text)
{
	return text ? text : "None";
}

void hwl_say_banner(const struct hwl_session *s)
{
	const struct hwl_plan *plan = s->plan;
	FILE *out = s->rt.results.out;

	if (s->opts->quiet)
		return;
	fprintf(out, "hwlatdetect:  test duration %.10g seconds\n",
		(double)s->opts->duration_ns / RT_NS_PER_S);
	fprintf(out, "   detector: %s\n   parameters:\n", plan->detector->name);
	fprintf(out, "        CPU list:          %s\n", or_none(s->opts->cpu_list));
	fprintf(out, "        Latency threshold: %lldus\n", (long long)plan->threshold_us);
	fprintf(out, "        Sample window:      %lldus\n", (long long)plan->window_us);
	fprintf(out, "        Sample width:      %lldus\n", (long long)plan->width_us);
	fprintf(out, "     Non-sampling period:  %lldus\n",
		(long long)(plan->window_us - plan->width_us));
	fprintf(out, "        Output File:       %s\n\nStarting test\n", or_none(s->opts->report));
	fflush(out);
}

static void write_sample(FILE *out, const struct hwl_session *s, const struct hwl_sample *sample,
			 const struct hwl_sample *before)
{
	rt_auto_free char *text = hwl_sample_text(sample, before, s->opts->time_format);

	if (text)
		fputs(text, out);
}

void hwl_say_sample(const struct hwl_session *s, const struct hwl_sample *sample,
		    const struct hwl_sample *before)
{
	if (s->opts->quiet)
		return;
	write_sample(s->rt.results.out, s, sample, before);
	fflush(s->rt.results.out);
}

static void write_samples(FILE *out, const struct hwl_session *s)
{
	const struct hwl_log *log = &s->log;

	for (size_t i = 0; i < log->kept; i++)
		write_sample(out, s, &log->samples[i], i ? &log->samples[i - 1] : NULL);
}

static void say_smis(const struct hwl_session *s)
{
	for (unsigned int i = 0; i < s->smis.count; i++)
		if (s->smis.cpus[i].seen)
			fprintf(s->rt.results.out, "%u SMIs occured on cpu %d\n",
				s->smis.cpus[i].seen, s->smis.cpus[i].cpu);
	if (s->smis.count)
		fprintf(s->rt.results.out, "SMIs during run: %llu\n",
			(unsigned long long)hwl_smis_sum(&s->smis));
}

static void say_summary(const struct hwl_session *s)
{
	const struct hwl_log *log = &s->log;
	double mtbf_s = hwl_mtbf_s(log, s->plan->window_us, s->plan->width_us);
	FILE *out = s->rt.results.out;

	if (log->count)
		fprintf(out, "Max Latency: %lldus\n", (long long)log->max_us);
	else
		fprintf(out, "Max Latency: Below threshold\n");
	fprintf(out, "Samples recorded: %llu\nSamples exceeding threshold: %llu\n",
		(unsigned long long)log->count, (unsigned long long)log->exceeding);
	if (log->exceeding > 1 && mtbf_s >= 0)
		fprintf(out, "MTBF: %.3f seconds\n", mtbf_s);
	else if (log->exceeding > 1)
		fprintf(out, "MTBF: n/a\n");
	say_smis(s);
}

static void save_report(struct hwl_session *s, struct rt_err *err)
{
	rt_auto_free char *text = NULL;
	size_t length = 0;
	FILE *memory = open_memstream(&text, &length);

	if (!memory) {
		rt_err_memory(err, "the report");
		return;
	}
	write_samples(memory, s);
	fclose(memory);
	if (rt_outfile_write(s->report, text, length, err) == 0 && !s->opts->quiet)
		fprintf(s->rt.results.out, "report saved to %s (%zu samples)\n", s->opts->report,
			s->log.kept);
}

static void write_text(struct hwl_session *s, struct rt_err *err)
{
	if (!s->opts->quiet)
		say_summary(s);
	if (s->report)
		save_report(s, err);
	if (!s->opts->quiet && !s->opts->watch)
		write_samples(s->rt.results.out, s);
	if (!s->opts->quiet && s->opts->results.percentiles)
		rt_report_percentiles(s->rt.results.out, s->rt.results.snap, RT_NS_PER_US, true);
	fflush(s->rt.results.out);
}

/* ---- documents --------------------------------------------------------------------------- */

static void add_int(struct json_object *o, const char *name, int64_t value)
{
	json_object_object_add(o, name, json_object_new_int64(value));
}

static struct json_object *decimal_or_null(double value, int after_point, bool is_there)
{
	char text[64];

	snprintf(text, sizeof(text), "%.*f", after_point, value);
	return is_there ? json_object_new_double_s(value, text) : NULL;
}

static struct json_object *sample_json(const struct hwl_sample *sample,
				       const struct hwl_sample *before)
{
	struct json_object *o = json_object_new_object();
	int64_t delta_ns = before ? sample->at_ns - before->at_ns : 0;
	char ts[48];

	snprintf(ts, sizeof(ts), "%lld.%09lld", (long long)(sample->at_ns / RT_NS_PER_S),
		 (long long)(sample->at_ns % RT_NS_PER_S));
	json_object_object_add(o, "ts", json_object_new_string(ts));
	json_object_object_add(o, "delta", decimal_or_null((double)delta_ns / RT_NS_PER_S, 6, before));
	add_int(o, "inner", sample->inner_us);
	add_int(o, "outer", sample->outer_us);
	add_int(o, "cpu", sample->cpu);
	if (sample->count >= 0)
		add_int(o, "count", sample->count);
	if (sample->nmi_count >= 0) {
		add_int(o, "nmi_total", sample->nmi_total_us);
		add_int(o, "nmi_count", sample->nmi_count);
	}
	return o;
}

static struct json_object *samples_json(const struct hwl_log *log)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < log->kept; i++)
		json_object_array_add(list, sample_json(&log->samples[i],
							i ? &log->samples[i - 1] : NULL));
	return list;
}

static void fill(struct json_object *o, void *data)
{
	struct hwl_session *s = data;
	const struct hwl_plan *plan = s->plan;
	const struct hwl_log *log = &s->log;
	double mtbf_s = hwl_mtbf_s(log, plan->window_us, plan->width_us);

	json_object_object_add(o, "detector", json_object_new_string(plan->detector->name));
	json_object_object_add(o, "mode", json_object_new_string(hwl_mode_name(plan->mode)));
	add_int(o, "threshold", plan->threshold_us);
	add_int(o, "hardlimit", plan->hardlimit_us);
	add_int(o, "window", plan->window_us);
	add_int(o, "width", plan->width_us);
	add_int(o, "recorded", (int64_t)log->count);
	add_int(o, "exceeding", (int64_t)log->exceeding);
	add_int(o, "lost", (int64_t)log->lost);
	json_object_object_add(o, "max", log->count ? json_object_new_int64(log->max_us) : NULL);
	json_object_object_add(o, "mtbf", decimal_or_null(mtbf_s, 3, mtbf_s >= 0));
	json_object_object_add(o, "smis", s->smis.count ?
			       json_object_new_int64((int64_t)hwl_smis_sum(&s->smis)) : NULL);
	json_object_object_add(o, "samples", samples_json(log));
}

void hwl_report_plan(struct hwl_plan *plan)
{
	plan->results = (struct rt_results_plan){
		.opts = &plan->opts->results,
		.tool = "hwlatdetect",
		.argc = plan->argc,
		.argv = plan->argv,
		.clock = CLOCK_REALTIME,
		.unit_ns = RT_NS_PER_US,
		.fill_json = fill,
		.fill_result = fill,
	};
}

/* ---- after the run -------------------------------------------------------------------------- */

static void tell_lost(const struct hwl_session *s)
{
	if (s->log.lost)
		rt_warn("%llu events were lost before they could be read",
			(unsigned long long)s->log.lost);
	if (s->log.kept < s->log.count)
		rt_warn("only the first %zu of %llu samples are listed", s->log.kept,
			(unsigned long long)s->log.count);
}

static void judge(const struct hwl_session *s, struct rt_err *err)
{
	if (s->log.count && s->log.max_us > s->plan->hardlimit_us)
		rt_err_set(err, RT_EXIT_FAILED, EIO,
			   "the largest latency, %lldus, is above the hard limit of %lldus",
			   (long long)s->log.max_us, (long long)s->plan->hardlimit_us);
}

int hwl_report(struct hwl_session *s, int exit_status, struct rt_err *err)
{
	if (!s->opts->quiet)
		fprintf(s->rt.results.out, "%stest finished\n",
			atomic_load(&s->rt.run->ended_by) == RT_ENDED_SIGNAL ? "interrupted\n" : "");
	rt_results_take(&s->rt.results);
	rt_results_end_samples(&s->rt.results, err);
	tell_lost(s);
	judge(s, err);
	if (exit_status == RT_EXIT_GOOD && rt_err_is_set(err))
		exit_status = err->exit;
	exit_status = rt_results_write(&s->rt.results, exit_status, err);
	write_text(s, err);
	rt_results_say(&s->rt.results);
	return exit_status;
}
