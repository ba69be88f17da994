/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What oslat says: text, the peer's JSON, our own document.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "oslat.h"
#include "rt/json.h"
#include "rt/log.h"

#define LABEL_WIDTH 12
#define DRIFT_PARTS 1000 /* a counter that runs off by more than one part in so many is none */
#define DRIFT_MIN_NS (100 * RT_NS_PER_MS)

/* ---- values as they are shown --------------------------------------------------------- */

static int digits(const struct osl_plan *plan)
{
	return plan->unit_ns == 1 ? 3 : 0;
}

static double in_us(int64_t ns)
{
	return (double)ns / RT_NS_PER_US;
}

/* Truncated to the unit, in microseconds. */
static double shown_us(const struct osl_plan *plan, int64_t ns)
{
	return in_us(ns / plan->unit_ns * plan->unit_ns);
}

/* The upper end of a bucket. All threads have the same bias. */
static double label_us(const struct osl_session *s, uint32_t bucket)
{
	return in_us(s->threads[0]->bias_ns + (bucket + 1) * s->opts->width_ns);
}

static const struct rt_stats *stats_of(const struct osl_session *s, unsigned int i)
{
	return &s->rt.results.snap->series[i].stats;
}

static int64_t min_ns(const struct osl_session *s, unsigned int i)
{
	return stats_of(s, i)->count ? stats_of(s, i)->min_ns : 0;
}

static int64_t max_ns(const struct osl_session *s, unsigned int i)
{
	return stats_of(s, i)->count ? stats_of(s, i)->max_ns : 0;
}

static uint64_t mhz(const struct osl_thread *t)
{
	return (t->scale.hz + 500000) / 1000000;
}

static double seconds(const struct osl_thread *t)
{
	uint64_t first = RT_STATS_GET(t->first), last = RT_STATS_GET(t->last);
	bool has_ended = atomic_load(&t->is_measuring) && last > first;

	return has_ended ? (double)rt_cycles_ns(&t->scale, last - first) / RT_NS_PER_S : 0;
}

/* ---- text -------------------------------------------------------------------------------- */

/* All columns of all buckets: threads times buckets; NULL without memory. */
static uint64_t *table_of(const struct osl_session *s)
{
	uint64_t *table = calloc((size_t)s->plan->threads * s->plan->buckets, sizeof(*table));

	for (unsigned int i = 0; table && i < s->plan->threads; i++)
		if (atomic_load(&s->threads[i]->is_measuring))
			osl_fill_buckets(s->threads[i], table + (size_t)i * s->plan->buckets);
	return table;
}

static bool is_empty_row(const struct osl_session *s, const uint64_t *table, uint32_t bucket)
{
	for (unsigned int i = 0; i < s->plan->threads; i++)
		if (table[(size_t)i * s->plan->buckets + bucket])
			return false;
	return true;
}

static void print_bucket(const struct osl_session *s, const uint64_t *table, uint32_t bucket)
{
	bool is_last = bucket + 1 == s->plan->buckets;
	char label[40];

	snprintf(label, sizeof(label), "%03.*f (us)", digits(s->plan), label_us(s, bucket));
	fprintf(s->rt.results.out, "%*s:\t", LABEL_WIDTH, label);
	for (unsigned int i = 0; i < s->plan->threads; i++)
		fprintf(s->rt.results.out, " %llu", (unsigned long long)
			table[(size_t)i * s->plan->buckets + bucket]);
	fprintf(s->rt.results.out, "%s\n", is_last ? " (including overflows)" : "");
}

static void print_buckets(const struct osl_session *s, const uint64_t *table)
{
	bool was_left_out = false;

	for (uint32_t b = 0; b < s->plan->buckets; b++) {
		bool is_last = b + 1 == s->plan->buckets;

		if (s->opts->zero_omit && !is_last && is_empty_row(s, table, b)) {
			if (!was_left_out)
				fprintf(s->rt.results.out, "%*s\n", 7, "...");
			was_left_out = true;
			continue;
		}
		was_left_out = false;
		print_bucket(s, table, b);
	}
}

/** enum row - the rows that hold one number a thread */
enum row { ROW_CORE, ROW_FREQ, ROW_MIN, ROW_AVG, ROW_MAX, ROW_RANGE, ROW_DURATION };

static void print_value(const struct osl_session *s, enum row row, unsigned int i)
{
	const struct osl_thread *t = s->threads[i];
	FILE *out = s->rt.results.out;
	double low_us = shown_us(s->plan, min_ns(s, i)), high_us = shown_us(s->plan, max_ns(s, i));

	switch (row) {
	case ROW_CORE:
		fprintf(out, " %d", t->cpu);
		break;
	case ROW_FREQ:
		fprintf(out, " %llu", (unsigned long long)mhz(t));
		break;
	case ROW_MIN:
		fprintf(out, " %.*f", digits(s->plan), low_us);
		break;
	case ROW_AVG:
		fprintf(out, " %.3f", rt_stats_mean_ns(stats_of(s, i)) / RT_NS_PER_US);
		break;
	case ROW_MAX:
		fprintf(out, " %.*f", digits(s->plan), high_us);
		break;
	case ROW_RANGE:
		fprintf(out, " %.*f", digits(s->plan), high_us - low_us);
		break;
	case ROW_DURATION:
		fprintf(out, " %.3f", seconds(t));
		break;
	}
}

static void print_row(const struct osl_session *s, enum row row, const char *label,
		      const char *unit)
{
	fprintf(s->rt.results.out, "%*s:\t", LABEL_WIDTH, label);
	for (unsigned int i = 0; i < s->plan->threads; i++)
		print_value(s, row, i);
	fprintf(s->rt.results.out, "%s\n", unit);
}

static void print_result(const struct osl_session *s, const uint64_t *table)
{
	print_row(s, ROW_CORE, "Core", "");
	print_row(s, ROW_FREQ, "Counter Freq", " (MHz)");
	print_buckets(s, table);
	print_row(s, ROW_MIN, "Minimum", " (us)");
	print_row(s, ROW_AVG, "Average", " (us)");
	print_row(s, ROW_MAX, "Maximum", " (us)");
	print_row(s, ROW_RANGE, "Max-Min", " (us)");
	print_row(s, ROW_DURATION, "Duration", " (sec)");
	fputc('\n', s->rt.results.out);
	if (s->opts->results.percentiles)
		rt_report_percentiles(s->rt.results.out, s->rt.results.snap, s->plan->unit_ns,
				      false);
}

/* ---- before and meanwhile ------------------------------------------------------------------ */

static void say(const struct osl_session *s, const char *label, const char *fmt, ...)
	RT_PRINTF(3, 4);

static void say(const struct osl_session *s, const char *label, const char *fmt, ...)
{
	va_list values;

	fprintf(s->rt.results.out, "%s: \t", label);
	va_start(values, fmt);
	vfprintf(s->rt.results.out, fmt, values);
	va_end(values);
	fputc('\n', s->rt.results.out);
}

/* Some labels have two tabs behind them, some one: programs know them so. */
void osl_say_plan(const struct osl_session *s)
{
	const struct osl_opts *o = s->opts;
	FILE *out = s->rt.results.out;

	fprintf(out, "oslat V %s\n", RT_VERSION);
	if (o->quiet)
		return;
	say(s, "Total runtime", "\t%.10g seconds", (double)o->duration_ns / RT_NS_PER_S);
	if (o->priority)
		say(s, "Thread priority", "SCHED_FIFO:%d", (int)o->priority);
	else
		say(s, "Thread priority", "default");
	say(s, "CPU list", "\t%s", o->cpu_list ? o->cpu_list : "all");
	say(s, "CPU for main thread", "%d", s->plan->main_cpu);
	say(s, "Workload", "\t%s", o->work == OSL_WORK_MEMMOVE ? "memmove" : "no");
	say(s, "Workload mem", "\t%lld (KiB)",
	    o->work == OSL_WORK_MEMMOVE ? (long long)(o->work_bytes / 1024) : 0);
	say(s, "Preheat cores", "\t%u", s->plan->preheats);
	fprintf(out, "\nPre-heat for %.10g seconds...\n", (double)o->preheat_ns / RT_NS_PER_S);
	fflush(out);
}

void osl_say_bias(const struct osl_session *s)
{
	const struct osl_plan *plan = s->plan;

	if (s->opts->bias)
		fprintf(s->rt.results.out, "Global bias set to %.*f (us)\n", digits(plan),
			in_us(s->threads[0]->bias_ns));
	if (!s->opts->quiet)
		fprintf(s->rt.results.out, "Test starts...\n");
	fflush(s->rt.results.out);
}

/* ---- --json: the peer's members --------------------------------------------------------------- */

static struct json_object *decimal(double value, int after_point)
{
	char text[64];

	snprintf(text, sizeof(text), "%.*f", after_point, value);
	return json_object_new_double_s(value, text);
}

static struct json_object *histogram_json(const struct osl_session *s, const uint64_t *column)
{
	struct json_object *histogram = json_object_new_object();

	for (uint32_t b = 0; column && b < s->plan->buckets; b++) {
		char key[40];

		if (!column[b])
			continue;
		snprintf(key, sizeof(key), "%.*f", digits(s->plan), label_us(s, b));
		json_object_object_add(histogram, key, json_object_new_int64((int64_t)column[b]));
	}
	return histogram;
}

static struct json_object *thread_json(const struct osl_session *s, unsigned int i,
				       const uint64_t *table)
{
	const struct osl_thread *t = s->threads[i];
	const uint64_t *column = table ? table + (size_t)i * s->plan->buckets : NULL;
	struct json_object *o = json_object_new_object();
	int64_t unit = s->plan->unit_ns;

	json_object_object_add(o, "cpu", json_object_new_int(t->cpu));
	json_object_object_add(o, "freq", json_object_new_int64((int64_t)mhz(t)));
	json_object_object_add(o, "min", json_object_new_int64(min_ns(s, i) / unit));
	json_object_object_add(o, "avg",
			       decimal(rt_stats_mean_ns(stats_of(s, i)) / RT_NS_PER_US, 6));
	json_object_object_add(o, "max", json_object_new_int64(max_ns(s, i) / unit));
	json_object_object_add(o, "duration", decimal(seconds(t), 3));
	json_object_object_add(o, "histogram", histogram_json(s, column));
	return o;
}

static void fill_json(struct json_object *document, void *data)
{
	const struct osl_session *s = data;
	struct json_object *threads = json_object_new_object();
	rt_auto_free uint64_t *table = table_of(s);

	json_object_object_add(document, "num_threads", json_object_new_int64(s->plan->threads));
	for (unsigned int i = 0; i < s->plan->threads; i++) {
		char key[16];

		snprintf(key, sizeof(key), "%u", i);
		json_object_object_add(threads, key, thread_json(s, i, table));
	}
	json_object_object_add(document, "thread", threads);
}

/* ---- --result: what only oslat has --------------------------------------------------------------- */

static struct json_object *hit_json(const struct osl_session *s)
{
	const struct osl_meeting *m = &s->meeting;
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "from_ns",
			       json_object_new_int64(s->opts->threshold_us * RT_NS_PER_US));
	if (!atomic_load(&m->is_hit_told))
		return o;
	json_object_object_add(o, "series", json_object_new_int64(m->hit_index));
	json_object_object_add(o, "value_ns", json_object_new_int64(m->hit_ns));
	return o;
}

static void fill_result(struct json_object *own, void *data)
{
	const struct osl_session *s = data;
	const struct osl_opts *o = s->opts;
	struct json_object *hz = json_object_new_array();
	bool moves = o->work == OSL_WORK_MEMMOVE;

	json_object_object_add(own, "workload", json_object_new_string(moves ? "memmove" : "no"));
	json_object_object_add(own, "workload_bytes",
			       json_object_new_int64(moves ? o->work_bytes : 0));
	json_object_object_add(own, "preheat_ns", json_object_new_int64(o->preheat_ns));
	json_object_object_add(own, "bias_ns", json_object_new_int64(s->threads[0]->bias_ns));
	json_object_object_add(own, "bucket_width_ns", json_object_new_int64(o->width_ns));
	json_object_object_add(own, "buckets", json_object_new_int64(s->plan->buckets));
	json_object_object_add(own, "counter", json_object_new_string(rt_cycles_name()));
	for (unsigned int i = 0; i < s->plan->threads; i++)
		json_object_array_add(hz, json_object_new_int64((int64_t)s->threads[i]->scale.hz));
	json_object_object_add(own, "counter_hz", hz);
	if (o->threshold_us)
		json_object_object_add(own, "trace_threshold", hit_json(s));
	rt_tracing_json(&s->tracing, own);
}

/* ---- both documents ----------------------------------------------------------------------------- */

void osl_publish_all(void *session)
{
	struct osl_session *s = session;

	for (unsigned int i = 0; i < s->plan->threads; i++) {
		rt_status_info(s->rt.status, i)->tid = atomic_load(&rt_crew_member(s->rt.crew, i)->tid);
		osl_publish(s->threads[i]);
	}
}

void osl_report_plan(struct osl_plan *plan)
{
	plan->results = (struct rt_results_plan){
		.opts = &plan->opts->results,
		.tool = "oslat",
		.argc = plan->argc,
		.argv = plan->argv,
		.clock = CLOCK_MONOTONIC,
		.unit_ns = plan->unit_ns,
		.before = osl_publish_all,
		.fill_json = fill_json,
		.fill_result = fill_result,
	};
}

/* ---- honesty: what the numbers do not say ---------------------------------------------------------- */

/* A counter that changed its pace between preheat and run has measured nothing. */
static void check_counter(const struct osl_thread *t)
{
	uint64_t before = t->scale.hz;
	uint64_t hz = rt_cycles_hz(&t->started, &t->ended);
	uint64_t apart = hz > before ? hz - before : before - hz;

	if (t->ended.raw_ns - t->started.raw_ns < DRIFT_MIN_NS ||
	    t->started.raw_ns - t->born.raw_ns < DRIFT_MIN_NS)
		return;
	if (apart > before / DRIFT_PARTS)
		rt_warn("CPU %d: the counter ran at %llu kHz in the preheat and at %llu kHz in the "
			"run; all times are as uncertain", t->cpu,
			(unsigned long long)before / 1000, (unsigned long long)hz / 1000);
}

static void check_run(struct osl_session *s, struct rt_err *err)
{
	const struct osl_meeting *m = &s->meeting;

	if (!s->is_measuring)
		rt_warn("the run ended in the preheat; nothing was measured");
	for (unsigned int i = 0; s->is_measuring && i < s->plan->threads; i++) {
		check_counter(s->threads[i]);
		if (s->threads[i]->has_moved)
			rt_session_lost_cpu(&s->rt, i, "the loop", err);
	}
	if (!atomic_load(&m->is_hit_told))
		return;
	if (m->mark_error)
		rt_warn("the trace could not be marked and stopped: %s", strerror(m->mark_error));
	if (s->threshold.keeps_going)
		return;
	rt_err_set(err, RT_EXIT_FAILED, EIO,
		   "Trace threshold (%lld us) triggered on cpu %d with %lld us!",
		   (long long)s->opts->threshold_us, s->threads[m->hit_index]->cpu,
		   (long long)(m->hit_ns / RT_NS_PER_US));
}

int osl_report(struct osl_session *s, int exit_status, struct rt_err *err)
{
	rt_auto_free uint64_t *table = NULL;

	rt_results_take(&s->rt.results);
	rt_results_end_samples(&s->rt.results, err);
	check_run(s, err);
	if (exit_status == RT_EXIT_GOOD && rt_err_is_set(err))
		exit_status = err->exit;
	exit_status = rt_results_write(&s->rt.results, exit_status, err);
	table = table_of(s);
	if (!table) {
		rt_err_memory(err, "the table of buckets");
		return exit_status;
	}
	if (!s->opts->quiet)
		fprintf(s->rt.results.out, "Test completed.\n\n");
	print_result(s, table);
	rt_tracing_say(&s->tracing, s->rt.results.out);
	fflush(s->rt.results.out);
	rt_results_say(&s->rt.results);
	return exit_status;
}
