/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hrtimer-test - how exact the kernel's timers are.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "hrtimer.h"
#include "rt/clock.h"
#include "rt/log.h"

static void describe(struct hrt_session *s, const struct rt_member *m, unsigned int i)
{
	struct hrt_cell *c = &s->cells[i];
	char period[RT_TIME_TEXT_MAX];
	struct rt_series_info *info =
		rt_session_series(&s->rt, i, m, "wakeup", "%.9s %.13s %.7s",
				  rt_clock_name(hrt_clock_ids[c->clock]), c->way->name,
				  rt_format_time(period, sizeof(period), c->period_ns));

	info->index = i;
	info->interval_ns = c->period_ns;
	c->record = rt_status_record(s->rt.status, i, -1);
}

static void fill_member(struct hrt_session *s)
{
	struct rt_member *m = rt_crew_member(s->rt.crew, 0);

	m->cpu = s->cpu;
	m->sched = rt_sched_of((int)s->opts->priority);
	m->data = s;
	snprintf(m->name, sizeof(m->name), "hrtimer-test/0");
	for (unsigned int i = 0; i < s->cell_count; i++)
		describe(s, m, i);
}

/* The slow rows are the last ones: who looks on sees how far it is. */
static void draw(void *data)
{
	struct hrt_session *s = data;
	unsigned int begun = s->cells_begun;
	const struct hrt_cell *c = &s->cells[begun - !!begun];
	char period[RT_TIME_TEXT_MAX];

	if (!begun || s->opts->quiet || !rt_live_begin(&s->rt.live, 1))
		return;
	fprintf(s->rt.results.out, "# row %u of %u: %-10s %-14s %8s\n", begun, s->cell_count,
		rt_clock_name(hrt_clock_ids[c->clock]), c->way->name,
		rt_format_time(period, sizeof(period), c->period_ns));
	rt_live_end(&s->rt.live);
}

static int arm(struct hrt_session *s, struct rt_err *err)
{
	const bool is_drawn = !s->opts->quiet && isatty(STDOUT_FILENO);
	const struct rt_crew_plan crew_plan = { .body = hrt_body };
	const struct rt_run_plan run_plan = {
		.tick_ns = is_drawn ? RT_LIVE_TICK_NS : 0,
		.tick = is_drawn ? draw : NULL,
		.data = s,
	};
	int status = rt_session_open(&s->rt, &run_plan, &s->results_plan, err);

	if (!status)
		status = rt_session_records(&s->rt, s->cell_count, err);
	if (!status)
		status = rt_session_crew(&s->rt, &crew_plan, 1, err);
	if (!status)
		fill_member(s);
	return status;
}

static int run(struct hrt_session *s, struct rt_err *err)
{
	int status = rt_crew_form(s->rt.crew, 0, err);

	if (status)
		return status;
	rt_session_begin(&s->rt);
	rt_crew_release(s->rt.crew);
	rt_run_wait(s->rt.run, NULL, NULL);
	draw(s);
	return rt_crew_join(s->rt.crew, 0, err);
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
	if (session.rt.has_started)
		verdict = hrt_report(&session, status ? (int)err.exit : RT_EXIT_GOOD, &err);

	free(session.cells);
	rt_session_done(&session.rt);
	status = rt_exit_status(status, &err);
	return status ? status : verdict;
}
