/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What queuelat says: text, documents.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "queuelat.h"
#include "rt/json.h"
#include "rt/log.h"

/* ---- histogram ------------------------------------------------------------------------ */

static void print_range(FILE *out, unsigned int bucket)
{
	if (bucket == QLT_BUCKETS)
		fprintf(out, "[%u - END]", QLT_TOP_NS);
	else
		fprintf(out, "[%u - %u]", bucket * QLT_WIDTH_NS,
			bucket * QLT_WIDTH_NS + QLT_WIDTH_NS - 1);
}

static uint64_t fill_of(const struct qlt_session *s, unsigned int ns)
{
	struct qlt_queue q = { .pps = (uint64_t)(s->opts->mpps * 1e6 + 0.5) };

	return qlt_arrive(&q, ns);
}

static void print_fill(const struct qlt_session *s, unsigned int bucket)
{
	unsigned int low = bucket * QLT_WIDTH_NS;

	fprintf(s->rt.results.out, "  packetfillrates=[%llu - %llu]",
		(unsigned long long)fill_of(s, low),
		(unsigned long long)fill_of(s, low + QLT_WIDTH_NS - 1));
}

/* An empty bucket before another empty one is left out; three dots stand for all such in a row. */
static void print_histogram(const struct qlt_session *s, bool with_fill)
{
	const uint64_t *buckets = s->histogram.buckets;
	FILE *out = s->rt.results.out;
	bool was_left_out = false;

	for (unsigned int i = 0; i <= QLT_BUCKETS; i++) {
		if (i < QLT_BUCKETS && !buckets[i] && !buckets[i + 1]) {
			was_left_out = true;
			continue;
		}
		if (was_left_out)
			fprintf(out, "...\n");
		was_left_out = false;
		print_range(out, i);
		fprintf(out, " = %llu", (unsigned long long)buckets[i]);
		if (with_fill && i < QLT_BUCKETS)
			print_fill(s, i);
		fputc('\n', out);
	}
}

static unsigned int bucket_of(int64_t ns)
{
	return ns < QLT_TOP_NS ? (unsigned int)(ns / QLT_WIDTH_NS) : QLT_BUCKETS;
}

static void print_extreme(const struct qlt_session *s, const char *label, int64_t ns)
{
	unsigned int bucket = bucket_of(ns);

	fprintf(s->rt.results.out, "%s loop processing time: ", label);
	print_range(s->rt.results.out, bucket);
	fprintf(s->rt.results.out, " = %llu\n", (unsigned long long)s->histogram.buckets[bucket]);
}

static void print_summary(const struct qlt_session *s)
{
	const struct rt_stats *stats = &s->rt.results.snap->series[0].stats;
	FILE *out = s->rt.results.out;

	print_histogram(s, false);
	fprintf(out, "\n ---------------- \n");
	if (!stats->count)
		return;
	print_extreme(s, "Min", stats->min_ns);
	print_extreme(s, "Max", stats->max_ns);
	fprintf(out, "Avg loop processing time: %lld\n", (long long)rt_stats_mean_ns(stats));
	fprintf(out, "# Min, Max, Avg in ns: %lld %lld %.1f; longest queue: %llu\n",
		(long long)stats->min_ns, (long long)stats->max_ns, rt_stats_mean_ns(stats),
		(unsigned long long)s->queue.longest);
}

/* ---- before and after --------------------------------------------------------------------- */

void qlt_say_plan(const struct qlt_session *s)
{
	double ghz = (double)s->plan->scale.hz / 1e9;

	fprintf(s->rt.results.out, "tsc_freq_ghz = %f, cycles_to_ns = %f\nmax_queue_len = %llu\n", ghz,
		1 / ghz, (unsigned long long)s->plan->max_queue);
	fflush(s->rt.results.out);
}

void qlt_say_calibration(const struct qlt_session *s)
{
	print_histogram(s, s->opts->has_mpps);
	fprintf(s->rt.results.out, "default_n=%zu nr_packets_drain_per_block=%llu\n", s->block.bytes,
		(unsigned long long)s->block.drain);
	fprintf(s->rt.results.out, "# the loop without a block: %lld ns\n",
		(long long)s->block.loop_cost_ns);
	fflush(s->rt.results.out);
}

static void say_found(const struct qlt_session *s, struct rt_err *err)
{
	if (s->best_tenths > 0 && s->is_bound)
		fprintf(s->rt.results.out, "Final mpps is: %.10g, the most that is tried\n",
			(double)s->best_tenths / 10);
	else if (s->best_tenths > 0)
		fprintf(s->rt.results.out, "Final mpps is: %.10g\n", (double)s->best_tenths / 10);
	else if (s->end == QLT_STOPPED)
		rt_err_set(err, RT_EXIT_FAILED, EINTR, "ended before a rate was confirmed");
	else
		rt_err_set(err, RT_EXIT_FAILED, ERANGE,
			   "even 0.1 million packets a second are too many");
}

static void say_end(const struct qlt_session *s, struct rt_err *err)
{
	if (s->opts->find_max) {
		say_found(s, err);
		return;
	}
	if (s->end == QLT_EXCEEDED) {
		fprintf(s->rt.results.out, "queue length exceeded:  queue_size=%llu max_queue_len=%llu\n",
			(unsigned long long)s->queue.length,
			(unsigned long long)s->plan->max_queue);
		rt_err_set(err, RT_EXIT_FAILED, EIO,
			   "the queue grew to %llu packets, more than %llu",
			   (unsigned long long)s->queue.length,
			   (unsigned long long)s->plan->max_queue);
	}
	print_summary(s);
}

/* ---- documents ------------------------------------------------------------------------------ */

static void add_int(struct json_object *o, const char *name, int64_t value)
{
	json_object_object_add(o, name, json_object_new_int64(value));
}

static void add_decimal(struct json_object *o, const char *name, double value, int after_point)
{
	char text[64];

	snprintf(text, sizeof(text), "%.*f", after_point, value);
	json_object_object_add(o, name, json_object_new_double_s(value, text));
}

static struct json_object *histogram_json(const struct qlt_histogram *h)
{
	struct json_object *o = json_object_new_object();

	for (unsigned int i = 0; i <= QLT_BUCKETS; i++) {
		char key[16];

		snprintf(key, sizeof(key), "%u", i * QLT_WIDTH_NS);
		if (h->buckets[i])
			add_int(o, key, (int64_t)h->buckets[i]);
	}
	return o;
}

static struct json_object *tries_json(const struct qlt_session *s)
{
	struct json_object *list = json_object_new_array();

	for (unsigned int i = 0; i < s->try_count; i++) {
		struct json_object *o = json_object_new_object();

		add_decimal(o, "mpps", (double)s->tries[i].tenths / 10, 1);
		add_decimal(o, "seconds", (double)s->tries[i].time_ns / RT_NS_PER_S, 3);
		json_object_object_add(o, "held", json_object_new_boolean(s->tries[i].is_good));
		json_object_array_add(list, o);
	}
	return list;
}

static void fill(struct json_object *o, void *data)
{
	const struct qlt_session *s = data;
	const struct rt_stats *stats = &s->rt.results.snap->series[0].stats;

	add_decimal(o, "freq_mhz", (double)s->plan->scale.hz / 1e6, 3);
	add_decimal(o, "measured_mhz", (double)s->plan->measured_hz / 1e6, 3);
	add_int(o, "cycles", s->opts->cycles);
	add_int(o, "max_len", s->opts->max_len_ns);
	add_int(o, "max_queue_len", (int64_t)s->plan->max_queue);
	add_int(o, "block_bytes", (int64_t)s->block.bytes);
	add_int(o, "drain_per_block", (int64_t)s->block.drain);
	add_int(o, "loop_cost", s->block.loop_cost_ns);
	add_decimal(o, "mpps", (double)s->queue.pps / 1e6, 6);
	add_int(o, "longest_queue", (int64_t)s->queue.longest);
	json_object_object_add(o, "exceeded", json_object_new_boolean(s->end == QLT_EXCEEDED));
	add_int(o, "blocks", (int64_t)stats->count);
	add_int(o, "min", stats->count ? stats->min_ns : 0);
	add_decimal(o, "avg", rt_stats_mean_ns(stats), 2);
	add_int(o, "max", stats->count ? stats->max_ns : 0);
	json_object_object_add(o, "histogram", histogram_json(&s->histogram));
	if (!s->opts->find_max)
		return;
	if (s->best_tenths > 0)
		add_decimal(o, "max_mpps", (double)s->best_tenths / 10, 1);
	else
		json_object_object_add(o, "max_mpps", NULL);
	json_object_object_add(o, "runs", tries_json(s));
}

void qlt_report_plan(struct qlt_plan *plan)
{
	plan->results = (struct rt_results_plan){
		.opts = &plan->opts->results,
		.tool = "queuelat",
		.argc = plan->argc,
		.argv = plan->argv,
		.clock = CLOCK_MONOTONIC,
		.unit_ns = 1,
		.fill_json = fill,
		.fill_result = fill,
	};
}

int qlt_report(struct qlt_session *s, int exit_status, struct rt_err *err)
{
	rt_results_take(&s->rt.results);
	say_end(s, err);
	fflush(s->rt.results.out);
	if (exit_status == RT_EXIT_GOOD && rt_err_is_set(err))
		exit_status = err->exit;
	return rt_results_write(&s->rt.results, exit_status, err);
}
