/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * queuelat - does a packet queue that is served by polling get too long?
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "queuelat.h"
#include "rt/log.h"
#include "rt/memory.h"
#include "rt/sched.h"
#include "rt/trace.h"

/* ---- arming ------------------------------------------------------------------------ */

static void describe(struct qlt_session *s)
{
	struct rt_series_info *info = rt_status_info(s->rt.status, 0);
	struct rt_cpuset mask = RT_CPUSET_INIT;
	struct rt_sched sched = { 0 };

	snprintf(info->name, sizeof(info->name), "block");
	snprintf(info->kind, sizeof(info->kind), "block");
	info->cpu = info->node = -1;
	if (rt_cpuset_affinity(&mask, 0) == 0 && rt_cpuset_count(&mask) == 1)
		info->cpu = rt_cpuset_next(&mask, -1);
	rt_cpuset_done(&mask);
	info->tid = rt_gettid();
	if (rt_sched_get(0, &sched) == 0) {
		info->policy = (int32_t)sched.policy;
		info->priority = sched.priority;
	}
	s->record = rt_status_record(s->rt.status, 0, -1);
}

/* Marks are for those who trace; without tracefs there are none. */
static void open_marker(struct qlt_session *s)
{
	struct rt_trace_mark mark = RT_TRACE_MARK_CLOSED;

	s->marker_fd = -1;
	if (s->opts->find_max || rt_trace_mark_open(&mark, NULL) < 0)
		return;
	s->marker_fd = mark.marker_fd;
	mark.marker_fd = -1;
	rt_trace_mark_close(&mark);
}

static int arm(struct qlt_session *s, const struct qlt_plan *plan, struct rt_err *err)
{
	const struct rt_run_plan run_plan = { .data = s };
	int status;

	s->plan = plan;
	s->opts = plan->opts;
	status = rt_session_open(&s->rt, &run_plan, &plan->results, err);
	if (!status)
		status = rt_session_records(&s->rt, 1, err);
	if (status)
		return status;
	describe(s);
	open_marker(s);
	s->tries = calloc(QLT_TRIES_MAX, sizeof(*s->tries));
	return s->tries ? 0 : rt_err_memory(err, "the run");
}

static void disarm(struct qlt_session *s)
{
	rt_close_fd(&s->marker_fd);
	if (s->plan)
		qlt_block_free(&s->block);
	free(s->tries);
}

/* ---- the run ------------------------------------------------------------------------- */

static int try_rate(void *data, int64_t tenths, int64_t time_ns)
{
	struct qlt_session *s = data;

	s->end = qlt_serve(s, (uint64_t)tenths * 100000, time_ns);
	if (s->end == QLT_STOPPED)
		return -EINTR;
	if (s->try_count < QLT_TRIES_MAX)
		s->tries[s->try_count++] = (struct qlt_try){ tenths, time_ns,
							      s->end == QLT_TIME_OVER };
	return s->end == QLT_TIME_OVER;
}

static void say_line(void *data, const char *line)
{
	struct qlt_session *s = data;

	fprintf(s->rt.results.out, "%s\n", line);
	fflush(s->rt.results.out);
}

static void find_max(struct qlt_session *s)
{
	const struct qlt_search search = { .is_good = try_rate, .say = say_line, .data = s,
					   .run_ns = s->opts->run_ns,
					   .confirm_ns = s->opts->confirm_ns };

	say_line(s, "Determining maximum mpps the machine can handle");
	s->best_tenths = qlt_search(&search);
	s->is_bound = s->best_tenths == QLT_TENTHS_MAX;
	if (s->end != QLT_STOPPED)
		s->end = QLT_TIME_OVER; /* a rate that did not hold was part of the search */
}

static void end_run(struct qlt_session *s)
{
	rt_run_end(s->rt.run, s->end == QLT_EXCEEDED ? RT_ENDED_THRESHOLD : RT_ENDED_DURATION);
}

static int run(struct qlt_session *s, struct rt_err *err)
{
	int status;

	qlt_say_plan(s);
	status = qlt_calibrate(s, err);
	if (status)
		return status;
	qlt_say_calibration(s);
	rt_run_begin(s->rt.run);
	rt_results_begin(&s->rt.results);
	if (s->opts->find_max)
		find_max(s);
	else
		s->end = qlt_serve(s, (uint64_t)(s->opts->mpps * 1e6 + 0.5), s->opts->timeout_ns);
	end_run(s);
	return 0;
}

int main(int argc, char **argv)
{
	static struct qlt_session session = { .marker_fd = -1 }; /* its histogram is large */
	struct qlt_opts opts = { 0 };
	struct qlt_plan plan = { 0 };
	struct rt_err err = { 0 };
	int verdict = RT_EXIT_GOOD;
	int status;

	rt_opts_parse(&qlt_table, &opts, argc, argv);

	status = qlt_plan_make(&plan, &opts, argc, argv, &err);
	if (!status)
		status = arm(&session, &plan, &err);
	if (!status)
		status = run(&session, &err);
	if (!status)
		verdict = qlt_report(&session, RT_EXIT_GOOD, &err);

	disarm(&session);
	rt_session_done(&session.rt);
	status = rt_exit_status(status, &err);
	return status ? status : verdict;
}
