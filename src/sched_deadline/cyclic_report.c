/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The results of cyclicdeadline: text, the peer's JSON, our own document.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "arming.h"
#include "cyclicdeadline.h"
#include "rt/json.h"
#include "rt/log.h"

/* ---- --json: the peer's members ---------------------------------------------------- */

static struct json_object *thread_json(struct cdl_session *s, unsigned int i)
{
	struct rt_stats copy = s->rt.results.snap->series[i].stats;
	const struct rt_stats *stats = &copy;
	const struct cdl_thread *t = s->threads[i];
	int64_t unit_ns = s->plan->unit_ns;
	struct json_object *thread = json_object_new_object();

	cdl_show(&copy);
	if (t->linear)
		json_object_object_add(thread, "histogram",
				       rt_json_histogram(t->linear, &t->record->stats));
	json_object_object_add(thread, "cycles", json_object_new_int64((int64_t)stats->count));
	json_object_object_add(thread, "min", json_object_new_int64(rt_shown_min(stats, unit_ns)));
	json_object_object_add(thread, "max", json_object_new_int64(rt_shown_max(stats, unit_ns)));
	json_object_object_add(thread, "avg", rt_json_avg(rt_shown_mean(stats)));
	return thread;
}

static void fill_json(struct json_object *document, void *data)
{
	struct cdl_session *s = data;
	struct json_object *threads = json_object_new_object();

	json_object_object_add(document, "num_threads", json_object_new_int64(s->plan->threads));
	json_object_object_add(document, "resolution_in_ns",
			       json_object_new_int(s->plan->unit_ns == 1));
	for (unsigned int i = 0; i < s->plan->threads; i++) {
		char key[16];

		snprintf(key, sizeof(key), "%u", i);
		json_object_object_add(threads, key, thread_json(s, i));
	}
	json_object_object_add(document, "thread", threads);
}

/* ---- --result: what only cyclicdeadline has ---------------------------------------- */

static void add_count(struct json_object *to, const char *name, uint64_t count)
{
	json_object_object_add(to, name, json_object_new_int64((int64_t)count));
}

static struct json_object *own_thread_json(struct cdl_session *s, unsigned int i)
{
	const struct cdl_thread *t = s->threads[i];
	struct json_object *thread = json_object_new_object();

	add_count(thread, "missed_deadlines", RT_STATS_GET(t->missed_deadlines));
	add_count(thread, "skipped_periods", s->rt.results.snap->series[i].stats.missed);
	add_count(thread, "phase_resets", RT_STATS_GET(t->resets));
	if (s->opts->overrun) {
		add_count(thread, "overrun_signals_at_least", RT_STATS_GET(t->overruns));
		add_count(thread, "overruns_by_cpu_time", RT_STATS_GET(t->cpu_overruns));
	}
	return thread;
}

static void fill_result(struct json_object *own, void *data)
{
	struct cdl_session *s = data;
	struct json_object *threads = json_object_new_array();

	json_object_object_add(own, "reclaim", json_object_new_boolean(s->opts->reclaim));
	json_object_object_add(own, "overrun", json_object_new_boolean(s->opts->overrun));
	if (s->opts->has_limit_missed)
		add_count(own, "limit_missed", (uint64_t)s->opts->limit_missed);
	if (s->plan->breaktrace)
		json_object_object_add(own, "break",
				       rt_json_break(&s->threshold, s->plan->unit_ns));
	for (unsigned int i = 0; i < s->plan->threads; i++)
		json_object_array_add(threads, own_thread_json(s, i));
	json_object_object_add(own, "threads", threads);
	rt_tracing_json(&s->tracing, own);
}

static void note_tids(void *data)
{
	struct cdl_session *s = data;

	for (unsigned int i = 0; i < s->plan->threads; i++)
		rt_status_info(s->rt.status, i)->tid =
			atomic_load(&rt_crew_member(s->rt.crew, i)->tid);
}

void cdl_report_plan(struct cdl_plan *plan)
{
	plan->results = (struct rt_results_plan){
		.opts = &plan->opts->results,
		.tool = "cyclicdeadline",
		.argc = plan->argc,
		.argv = plan->argv,
		.clock = CDL_CLOCK,
		.unit_ns = plan->unit_ns,
		.limit = plan->limit,
		.histfile = plan->buckets ? plan->opts->histfile : NULL,
		.before = note_tids,
		.fill_json = fill_json,
		.fill_result = fill_result,
	};
}

/* ---- text -------------------------------------------------------------------------- */

static void write_histogram(struct cdl_session *s, struct rt_err *err)
{
	unsigned int count = s->plan->threads;
	rt_auto_free const struct rt_linear **linear = calloc(count, sizeof(*linear));
	struct rt_histogram_text text = {
		.columns = count,
		.linear = linear,
		.snap = s->rt.results.snap,
		.unit_ns = s->plan->unit_ns,
		.zero_rows = s->opts->zero_rows,
		.percentiles = s->opts->results.percentiles,
	};

	if (!linear) {
		rt_err_memory(err, "the histogram");
		return;
	}
	for (unsigned int i = 0; i < count; i++)
		linear[i] = s->threads[i]->linear;
	rt_results_histogram(&s->rt.results, s->histfile, &text, err);
}

static uint64_t skipped(const struct cdl_session *s, unsigned int i)
{
	return s->rt.results.snap->series[i].stats.missed;
}

/* In the style of the histogram's summary: one column a thread. */
static void write_missed(struct cdl_session *s)
{
	FILE *out = s->rt.results.out;

	fputs("# Missed Deadlines:", out);
	for (unsigned int i = 0; i < s->plan->threads; i++)
		fprintf(out, " %05" PRIu64, s->threads[i]->missed_deadlines);
	fputs("\n# Skipped Periods:", out);
	for (unsigned int i = 0; i < s->plan->threads; i++)
		fprintf(out, " %05" PRIu64, skipped(s, i));
	fputc('\n', out);
	if (!s->opts->overrun)
		return;
	fputs("# Overruns (at least):", out);
	for (unsigned int i = 0; i < s->plan->threads; i++) {
		const struct cdl_thread *t = s->threads[i];

		fprintf(out, " %05" PRIu64,
			t->overruns > t->cpu_overruns ? t->overruns : t->cpu_overruns);
	}
	fputc('\n', out);
}

static void write_text(struct cdl_session *s, struct rt_err *err)
{
	for (unsigned int i = 0; i < s->plan->threads; i++)
		cdl_show(&s->rt.results.snap->series[i].stats); /* the documents have been written */
	if (!s->rt.live.lines && !s->plan->buckets)
		cdl_status_lines(s, s->rt.results.out);
	if (s->opts->results.percentiles && !s->plan->buckets)
		rt_report_percentiles(s->rt.results.out, s->rt.results.snap, s->plan->unit_ns,
				      false);
	if (s->plan->buckets)
		write_histogram(s, err);
	write_missed(s);
	rt_report_break(s->rt.results.out, &s->threshold);
	rt_tracing_say(&s->tracing, s->rt.results.out);
	fflush(s->rt.results.out);
}

/* ---- verdict ----------------------------------------------------------------------- */

static uint64_t missed_in_all(const struct cdl_session *s)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < s->plan->threads; i++)
		sum += s->threads[i]->missed_deadlines + skipped(s, i);
	return sum;
}

static bool is_over_missed(const struct cdl_session *s)
{
	return s->opts->has_limit_missed && missed_in_all(s) > (uint64_t)s->opts->limit_missed;
}

int cdl_report(struct cdl_session *s, int exit_status, struct rt_err *err)
{
	rt_results_take(&s->rt.results);
	rt_results_end_samples(&s->rt.results, err);
	cdl_watch_end(s);
	if (exit_status == RT_EXIT_GOOD && is_over_missed(s))
		exit_status = RT_EXIT_LIMIT;
	exit_status = rt_results_write(&s->rt.results, exit_status, err);
	write_text(s, err);
	rt_results_say(&s->rt.results);
	if (is_over_missed(s))
		rt_error("%" PRIu64 " deadlines and periods were missed, more than --limit-missed=%"
			 PRId64, missed_in_all(s), s->opts->limit_missed);
	return exit_status;
}
