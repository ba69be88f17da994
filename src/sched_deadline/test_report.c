/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The results of deadline_test: a block a thread, and both documents.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "arming.h"
#include "deadline_test.h"
#include "rt/json.h"
#include "rt/log.h"

static const struct rt_stats *starts_of(const struct dlt_session *s, unsigned int i)
{
	return &s->rt.results.snap->series[i].stats;
}

static const struct rt_stats *runs_of(const struct dlt_session *s, unsigned int i)
{
	return &s->rt.results.snap->series[s->plan->threads + i].stats;
}

/* ---- --json and --result: members of our own, the peer has none -------------------- */

static void add(struct json_object *to, const char *name, int64_t value)
{
	json_object_object_add(to, name, json_object_new_int64(value));
}

static struct json_object *thread_json(const struct dlt_session *s, unsigned int i)
{
	const struct dlt_thread *t = s->threads[i];
	const struct rt_stats *runs = runs_of(s, i);
	struct json_object *thread = json_object_new_object();

	add(thread, "missed_deadlines", (int64_t)RT_STATS_GET(t->missed_deadlines));
	add(thread, "missed_periods", (int64_t)starts_of(s, i)->missed);
	add(thread, "met_deadlines", (int64_t)(runs->count - RT_STATS_GET(t->missed_deadlines)));
	add(thread, "adjustments", (int64_t)RT_STATS_GET(t->adjustments));
	add(thread, "total_adjustment", RT_STATS_GET(t->adjusted_ns) / RT_NS_PER_US);
	add(thread, "deadline", t->reserve.deadline_ns / RT_NS_PER_US);
	add(thread, "runtime", t->reserve.runtime_ns / RT_NS_PER_US);
	add(thread, "cycles", (int64_t)runs->count);
	add(thread, "min", rt_shown_min(runs, RT_NS_PER_US));
	add(thread, "max", rt_shown_max(runs, RT_NS_PER_US));
	json_object_object_add(thread, "avg", rt_json_avg(rt_shown_mean(runs)));
	add(thread, "voluntary_switches", RT_STATS_GET(t->voluntary));
	add(thread, "involuntary_switches", RT_STATS_GET(t->involuntary));
	add(thread, "migrations", RT_STATS_GET(t->migrations));
	return thread;
}

static void fill_json(struct json_object *document, void *data)
{
	const struct dlt_session *s = data;
	struct json_object *threads = json_object_new_object();

	add(document, "num_threads", s->plan->threads);
	for (unsigned int i = 0; i < s->plan->threads; i++) {
		char key[16];

		snprintf(key, sizeof(key), "%u", i);
		json_object_object_add(threads, key, thread_json(s, i));
	}
	json_object_object_add(document, "thread", threads);
}

static void fill_result(struct json_object *own, void *data)
{
	const struct dlt_session *s = data;
	struct json_object *threads = json_object_new_array();

	add(own, "percent_each", s->plan->percent);
	add(own, "run_percent", s->opts->run_percent);
	add(own, "loops_per_ms", s->speed.loops_per_ms);
	add(own, "overhead_us", s->speed.overhead_us);
	add(own, "rt_priority", s->opts->rt_priority);
	if (s->opts->has_limit_missed)
		add(own, "limit_missed", s->opts->limit_missed);
	for (unsigned int i = 0; i < s->plan->threads; i++) {
		struct json_object *thread = thread_json(s, i);

		add(thread, "loops", (int64_t)s->threads[i]->loops);
		json_object_array_add(threads, thread);
	}
	json_object_object_add(own, "threads", threads);
}

static void note_tids(void *data)
{
	struct dlt_session *s = data;

	for (unsigned int i = 0; i < s->plan->threads; i++) {
		pid_t tid = atomic_load(&rt_crew_member(s->rt.crew, i)->tid);

		rt_status_info(s->rt.status, i)->tid = tid;
		rt_status_info(s->rt.status, s->plan->threads + i)->tid = tid;
	}
}

void dlt_report_plan(struct dlt_plan *plan)
{
	plan->results = (struct rt_results_plan){
		.opts = &plan->opts->results,
		.tool = "deadline_test",
		.argc = plan->argc,
		.argv = plan->argv,
		.clock = DLT_CLOCK,
		.unit_ns = RT_NS_PER_US,
		.limit = plan->limit,
		.before = note_tids,
		.fill_json = fill_json,
		.fill_result = fill_result,
	};
}

/* ---- text -------------------------------------------------------------------------- */

static void write_thread(const struct dlt_session *s, unsigned int i)
{
	const struct dlt_thread *t = s->threads[i];
	const struct rt_stats *runs = runs_of(s, i);
	FILE *out = s->rt.results.out;

	fprintf(out, "\n[%d]\n", (int)t->tid);
	fprintf(out, "missed deadlines  = %" PRIu64 "\n", t->missed_deadlines);
	fprintf(out, "missed periods    = %" PRIu64 "\n", starts_of(s, i)->missed);
	fprintf(out, "Total adjustments = %" PRId64 " us\n", t->adjusted_ns / RT_NS_PER_US);
	if (t->adjustments)
		fprintf(out, "# adjustments = %" PRIu64 " avg: %" PRId64 " us\n", t->adjustments,
			t->adjusted_ns / RT_NS_PER_US / (int64_t)t->adjustments);
	fprintf(out, "deadline   : %" PRId64 " us\n", t->reserve.deadline_ns / RT_NS_PER_US);
	fprintf(out, "runtime    : %" PRId64 " us\n", t->reserve.runtime_ns / RT_NS_PER_US);
	fprintf(out, "nr_periods : %" PRIu64 "\n", runs->count);
	fprintf(out, "max_time: %" PRId64 "us\tmin_time: %" PRId64 "us\tavg_time: %" PRId64 "us\n",
		rt_shown_max(runs, RT_NS_PER_US), rt_shown_min(runs, RT_NS_PER_US),
		(int64_t)rt_shown_mean(runs));
	fprintf(out, "ctx switches vol:%" PRId64 " nonvol:%" PRId64 " migration:%" PRId64 "\n",
		t->voluntary, t->involuntary, t->migrations);
	fprintf(out, "highest prime: %u\n\n", t->prime);
}

static void warn_of_unknown(const struct dlt_session *s)
{
	const struct dlt_thread *t = s->threads[0];

	if (t->voluntary < 0 || t->involuntary < 0)
		rt_warn("/proc/PID/status has no counts of context switches; -1 is printed");
	if (t->migrations < 0)
		rt_warn("/proc/PID/sched has no count of migrations (CONFIG_SCHED_DEBUG); -1 is "
			"printed");
}

static void write_text(struct dlt_session *s)
{
	for (unsigned int i = 0; i < s->plan->threads; i++)
		write_thread(s, i);
	if (s->opts->results.percentiles) {
		const struct rt_snapshot starts = { s->plan->threads, s->rt.results.snap->series };

		rt_report_percentiles(s->rt.results.out, &starts, RT_NS_PER_US, false);
	}
	warn_of_unknown(s);
}

/* ---- verdict ----------------------------------------------------------------------- */

static uint64_t missed_in_all(const struct dlt_session *s)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < s->plan->threads; i++)
		sum += s->threads[i]->missed_deadlines + starts_of(s, i)->missed;
	return sum;
}

static bool is_over_missed(const struct dlt_session *s)
{
	return s->opts->has_limit_missed && missed_in_all(s) > (uint64_t)s->opts->limit_missed;
}

static void write_verdict(struct dlt_session *s)
{
	if (!s->opts->has_limit_missed)
		return;
	fprintf(s->rt.results.out,
		"# %s: %" PRIu64 " deadlines and periods missed, limit %" PRId64 "\n",
		is_over_missed(s) ? "FAIL" : "PASS", missed_in_all(s), s->opts->limit_missed);
	if (is_over_missed(s))
		rt_error("%" PRIu64 " deadlines and periods were missed, more than --limit-missed=%"
			 PRId64, missed_in_all(s), s->opts->limit_missed);
}

int dlt_report(struct dlt_session *s, int exit_status, struct rt_err *err)
{
	rt_results_take(&s->rt.results);
	rt_results_end_samples(&s->rt.results, err);
	if (exit_status == RT_EXIT_GOOD && is_over_missed(s))
		exit_status = RT_EXIT_LIMIT;
	exit_status = rt_results_write(&s->rt.results, exit_status, err);
	write_text(s);
	write_verdict(s);
	fflush(s->rt.results.out);
	rt_results_say(&s->rt.results);
	return exit_status;
}
