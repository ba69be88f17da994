/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the main thread does while the others measure: it draws the live block
 * on a terminal, and looks whether the CPUs are still there.
 */
#include <stdio.h>
#include <string.h>

#include "cyclicdeadline.h"
#include "rt/log.h"
#include "rt/out.h"

#define LOOK_NS (500 * RT_NS_PER_MS) /* for CPUs that went offline */
#define SETTLE_SLACK_NS RT_NS_PER_S  /* threads end the run themselves, if they can */

void cdl_show(struct rt_stats *stats)
{
	if (stats->min_ns < 0)
		stats->min_ns = 0;
	if (stats->last_ns < 0)
		stats->last_ns = 0;
	if (stats->count && stats->max_ns < 0)
		stats->max_ns = 0;
}

/* The newest consistent copy; the one before when the writer is in the middle. */
static const struct rt_stats *look(struct cdl_session *s, unsigned int i)
{
	rt_stats_read(&s->threads[i]->record->stats, &s->seen[i]);
	cdl_show(&s->seen[i]);
	return &s->seen[i];
}

void cdl_status_lines(struct cdl_session *s, FILE *out)
{
	for (unsigned int i = 0; i < s->plan->threads; i++) {
		struct rt_thread_line line = {
			.index = i,
			.tid = atomic_load(&rt_crew_member(s->rt.crew, i)->tid),
			.priority = -1,
			.interval_us = s->plan->reserves[i].period_ns / RT_NS_PER_US,
			.stats = look(s, i),
			.unit_ns = s->plan->unit_ns,
		};

		rt_report_thread_line(out, &line);
	}
}

static bool is_live(const struct cdl_session *s)
{
	return s->rt.live.is_terminal && !s->opts->quiet;
}

static void draw(struct cdl_session *s)
{
	if (!is_live(s) || !rt_live_begin(&s->rt.live, s->plan->threads))
		return;
	cdl_status_lines(s, s->rt.results.out);
	rt_live_end(&s->rt.live);
}

static void tick(void *data)
{
	struct cdl_session *s = data;

	draw(s);
	dl_places_watch(&s->plan->places, s->rt.run, &s->offline);
}

static void status_to_stderr(void *data)
{
	cdl_status_lines(data, rt_out_err());
}

/* Main's clock is the last resort, for threads that get no CPU. */
static int64_t latest_end(const struct cdl_plan *plan)
{
	int64_t duration_ns = plan->opts->duration_ns;
	int64_t slack_ns = SETTLE_SLACK_NS + 3 * plan->longest_period_ns;

	return duration_ns > 0 && duration_ns < INT64_MAX - slack_ns ? duration_ns + slack_ns : 0;
}

void cdl_watch_plan(const struct cdl_plan *plan, struct rt_run_plan *run_plan)
{
	bool is_drawn = !plan->opts->quiet && isatty(STDOUT_FILENO);

	run_plan->duration_ns = latest_end(plan);
	run_plan->tick_ns = is_drawn ? RT_LIVE_TICK_NS : LOOK_NS;
	run_plan->tick = tick;
	run_plan->usr1 = status_to_stderr;
}

static void tell_reserves(const struct cdl_session *s)
{
	for (unsigned int i = 0; i < s->plan->threads; i++) {
		const struct dl_reserve *r = &s->plan->reserves[i];
		char run[RT_TIME_TEXT_MAX], dead[RT_TIME_TEXT_MAX], per[RT_TIME_TEXT_MAX];

		rt_info("thread %u (%d): runtime %s, deadline %s, period %s", i,
			(int)atomic_load(&rt_crew_member(s->rt.crew, i)->tid),
			rt_format_time(run, sizeof(run), r->runtime_ns),
			rt_format_time(dead, sizeof(dead), r->deadline_ns),
			rt_format_time(per, sizeof(per), r->period_ns));
	}
}

void cdl_watch_begin(struct cdl_session *s)
{
	const struct dl_places_opts *o = &s->opts->places;

	if (!s->plan->places.is_apart && !(o->is_given && !o->list))
		fputs("Using all CPUS\n", s->rt.results.out);
	tell_reserves(s);
	draw(s);
	fflush(s->rt.results.out);
}

void cdl_watch_end(struct cdl_session *s)
{
	draw(s);
}
