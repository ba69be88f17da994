/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hrtimer-test - how exact the kernel's timers are.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "hrtimer.h"
#include "rt/clock.h"
#include "rt/log.h"

static void describe(struct hrt_session *s, unsigned int i)
{
	struct rt_series_info *info = rt_status_info(s->status, i);
	struct hrt_cell *c = &s->cells[i];
	char period[RT_TIME_TEXT_MAX];

	snprintf(info->name, sizeof(info->name), "%.9s %.13s %.7s",
		 rt_clock_name(hrt_clock_ids[c->clock]), c->way->name,
		 rt_format_time(period, sizeof(period), c->period_ns));
	snprintf(info->kind, sizeof(info->kind), "wakeup");
	info->index = i;
	info->cpu = s->cpu;
	info->node = -1;
	info->policy = s->opts->priority ? RT_POLICY_FIFO : RT_POLICY_OTHER;
	info->priority = (int32_t)s->opts->priority;
	info->interval_ns = c->period_ns;
	c->record = rt_status_record(s->status, i, -1);
}

static int make_crew(struct hrt_session *s, struct rt_err *err)
{
	struct rt_crew_plan plan = { .count = 1, .undo = s->undo, .body = hrt_body };
	struct rt_member *m;
	int status = rt_crew_new(&s->crew, &plan, s->run, err);

	if (status)
		return status;
	m = rt_crew_member(s->crew, 0);
	m->cpu = s->cpu;
	m->sched.policy = s->opts->priority ? RT_POLICY_FIFO : RT_POLICY_OTHER;
	m->sched.priority = (int)s->opts->priority;
	m->data = s;
	snprintf(m->name, sizeof(m->name), "hrtimer-test/0");
	return 0;
}

static int arm(struct hrt_session *s, struct rt_err *err)
{
	struct rt_run_plan run_plan = { .data = s };
	int status = rt_run_new(&s->run, &run_plan, err);

	if (!status)
		status = rt_undo_open(&s->undo, err);
	if (!status)
		status = rt_results_open(&s->results, &s->results_plan, s->undo, err);
	if (!status)
		status = rt_status_new(&s->status, "hrtimer-test", s->argc, s->argv, s->cell_count, 1,
				       err);
	if (status)
		return status;
	for (unsigned int i = 0; i < s->cell_count; i++)
		describe(s, i);
	status = rt_results_attach(&s->results, s->run, s->status, err);
	return status ? status : make_crew(s, err);
}

static int run(struct hrt_session *s, struct rt_err *err)
{
	int status = rt_crew_form(s->crew, 0, err);

	if (status)
		return status;
	s->has_started = true;
	rt_results_begin(&s->results);
	rt_crew_release(s->crew);
	rt_run_wait(s->run, NULL, NULL);
	return rt_crew_join(s->crew, 0, err);
}

static void disarm(struct hrt_session *s)
{
	rt_results_done(&s->results);
	rt_crew_free(s->crew);
	rt_status_free(s->status);
	free(s->cells);
	rt_run_free(s->run);
}

int main(int argc, char **argv)
{
	struct hrt_opts opts = {
		.clocks = (1u << HRT_CLOCKS) - 1,
		.ways = (1u << HRT_WAYS) - 1,
		.periods = { 10 * RT_NS_PER_US, 100 * RT_NS_PER_US, RT_NS_PER_MS,
			     10 * RT_NS_PER_MS, 100 * RT_NS_PER_MS, RT_NS_PER_S },
		.period_count = 6,
	};
	static struct hrt_session session; /* read by the thread until the end */
	struct rt_err err = { 0 };
	int verdict = RT_EXIT_GOOD;
	int status;

	rt_opts_parse(&hrt_table, &opts, argc, argv);

	session.opts = &opts;
	session.argc = argc;
	session.argv = argv;
	status = hrt_plan(&session, &err);
	if (!status)
		status = arm(&session, &err);
	if (!status)
		status = run(&session, &err);
	if (session.has_started)
		verdict = hrt_report(&session, status ? (int)err.exit : RT_EXIT_GOOD, &err);

	disarm(&session);
	rt_undo_all(session.undo);
	status = rt_exit_status(status, &err);
	return status ? status : verdict;
}
