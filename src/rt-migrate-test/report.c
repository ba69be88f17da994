/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The results of rt-migrate-test: the table of iterations, a block a task, the
 * verdict, and documents.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "migrate.h"
#include "rt/json.h"
#include "rt/out.h"

static long long us(int64_t ns)
{
	return ns / RT_NS_PER_US;
}

/* ---- the bar ------------------------------------------------------------------------- */

char *mig_bar(char *buf, unsigned int done, unsigned int all)
{
	unsigned int percent = (unsigned int)((uint64_t)done * 100 / all);
	char dashes[MIG_BAR_WIDTH + 1];
	size_t length = MIG_BAR_WIDTH * percent / 100;

	memset(dashes, '-', length);
	dashes[length] = '\0';
	snprintf(buf, MIG_BAR_MAX, "\r|%*s|\r|%s", MIG_BAR_WIDTH, "", dashes);
	return buf;
}

/* Drawn anew in place, which only a terminal can show. */
void mig_report_progress(const struct mig_session *s)
{
	char bar[MIG_BAR_MAX];

	if (s->opts->quiet || !isatty(STDERR_FILENO))
		return;
	fputs(mig_bar(bar, s->rounds, (unsigned int)s->opts->loops), rt_out_err());
	fflush(rt_out_err());
}

static void end_progress(const struct mig_session *s)
{
	if (!s->opts->quiet && isatty(STDERR_FILENO))
		fputc('\n', rt_out_err());
}

/* ---- text ---------------------------------------------------------------------------- */

static void write_iteration(FILE *out, unsigned int round, const struct mig_lap *laps,
			    unsigned int tasks)
{
	fprintf(out, "%4u:   ", round);
	for (unsigned int i = 0; i < tasks; i++)
		fprintf(out, "%6lld  ", us(laps[i].start_ns));
	fprintf(out, "\n len:   ");
	for (unsigned int i = 0; i < tasks; i++)
		fprintf(out, "%6lld  ", us(laps[i].end_ns));
	fprintf(out, "\n loops: ");
	for (unsigned int i = 0; i < tasks; i++)
		fprintf(out, "%6llu  ", (unsigned long long)laps[i].loops);
	fprintf(out, "\n\n");
}

static void write_iterations(const struct mig_session *s)
{
	FILE *out = s->rt.results.out;

	fprintf(out, "Iter: ");
	for (unsigned int i = 0; i < s->plan->tasks; i++)
		fprintf(out, "%6u  ", i);
	fputc('\n', out);
	for (unsigned int r = 0; r < s->rounds; r++)
		write_iteration(out, r, &s->laps[(size_t)r * s->plan->tasks], s->plan->tasks);
}

static long long average(const struct rt_stats *stats)
{
	return stats->count ? (long long)(stats->sum_shown / (int64_t)stats->count) : 0;
}

static void write_task(const struct mig_session *s, unsigned int i)
{
	const struct rt_series_info *info = rt_status_info(s->rt.status, i);
	const struct rt_stats *stats = &s->rt.results.snap->series[i].stats;

	fprintf(s->rt.results.out,
		" Task %u (prio %d) (pid %d):\n"
		"   Max: %lld us\n"
		"   Min: %lld us\n"
		"   Tot: %lld us\n"
		"   Avg: %lld us\n\n",
		i, info->priority, info->tid,
		(long long)rt_shown_max(stats, RT_NS_PER_US),
		(long long)rt_shown_min(stats, RT_NS_PER_US), (long long)stats->sum_shown,
		average(stats));
}

/* Without an iteration nothing was checked, and there is no verdict. */
static void write_text(const struct mig_session *s, int exit_status)
{
	write_iterations(s);
	fprintf(s->rt.results.out, "Parent pid: %d\n", (int)getpid());
	for (unsigned int i = 0; i < s->plan->tasks; i++)
		write_task(s, i);
	if (s->opts->check && (s->rounds || exit_status))
		fprintf(s->rt.results.out, exit_status ? " Failed!\n" : " Passed!\n");
	fflush(s->rt.results.out);
}

/* ---- documents ----------------------------------------------------------------------- */

static struct json_object *task_json(const struct mig_session *s, unsigned int i)
{
	const struct rt_stats *stats = &s->rt.results.snap->series[i].stats;
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "prio",
			       json_object_new_int(rt_status_info(s->rt.status, i)->priority));
	json_object_object_add(o, "min", json_object_new_int64(rt_shown_min(stats, RT_NS_PER_US)));
	json_object_object_add(o, "avg", json_object_new_int64(average(stats)));
	json_object_object_add(o, "max", json_object_new_int64(rt_shown_max(stats, RT_NS_PER_US)));
	json_object_object_add(o, "total", json_object_new_int64(stats->sum_shown));
	return o;
}

static void fill_json(struct json_object *document, void *data)
{
	const struct mig_session *s = data;
	struct json_object *threads = json_object_new_object();

	json_object_object_add(document, "num_threads", json_object_new_int64(s->plan->tasks));
	for (unsigned int i = 0; i < s->plan->tasks; i++) {
		char key[16];

		snprintf(key, sizeof(key), "%u", i);
		json_object_object_add(threads, key, task_json(s, i));
	}
	json_object_object_add(document, "thread", threads);
}

/* The last iteration, in which the order was wrong */
static struct json_object *fault_json(const struct mig_session *s)
{
	struct json_object *o;

	if (!s->culprit)
		return NULL;
	o = json_object_new_object();
	json_object_object_add(o, "iteration", json_object_new_int64(s->rounds - 1));
	json_object_object_add(o, "task", json_object_new_int64(s->culprit));
	json_object_object_add(o, "reason", json_object_new_string(mig_fault_text(s->fault)));
	return o;
}

static void fill_result(struct json_object *own, void *data)
{
	const struct mig_session *s = data;

	json_object_object_add(own, "tasks", json_object_new_int64(s->plan->tasks));
	json_object_object_add(own, "iterations", json_object_new_int64(s->rounds));
	json_object_object_add(own, "equal", json_object_new_boolean(s->opts->equal));
	json_object_object_add(own, "run_time_ns", json_object_new_int64(s->opts->run_ns));
	json_object_object_add(own, "sleep_time_ns", json_object_new_int64(s->opts->sleep_ns));
	json_object_object_add(own, "maxerr_ns", json_object_new_int64(s->opts->maxerr_ns));
	json_object_object_add(own, "checked", json_object_new_boolean(s->opts->check));
	json_object_object_add(own, "fault", fault_json(s));
}

static void note_tids(void *data)
{
	struct mig_session *s = data;

	for (unsigned int i = 0; i < s->plan->tasks; i++)
		rt_status_info(s->rt.status, i)->tid =
			atomic_load(&rt_crew_member(s->rt.crew, i)->tid);
}

void mig_report_plan(struct mig_plan *plan)
{
	plan->results = (struct rt_results_plan){
		.opts = &plan->opts->results,
		.tool = "rt-migrate-test",
		.argc = plan->argc,
		.argv = plan->argv,
		.clock = CLOCK_MONOTONIC,
		.unit_ns = RT_NS_PER_US,
		.before = note_tids,
		.fill_json = fill_json,
		.fill_result = fill_result,
	};
}

int mig_report(struct mig_session *s, int exit_status, struct rt_err *err)
{
	end_progress(s);
	rt_results_take(&s->rt.results);
	exit_status = rt_results_write(&s->rt.results, exit_status, err);
	write_text(s, exit_status);
	return exit_status;
}
