/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread that sleeps. Lateness is judged in the sleep's own clock, from a stamp
 * taken before the sleep is asked for: what is below zero there came too early.
 */
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>

#include "hrtimer.h"
#include "rt/clock.h"
#include "rt/cpuset.h"

#define SHORTEST_TRIES 100
#define SHORTEST_TIME_NS (20 * RT_NS_PER_MS) /* of a call that knows milliseconds only */
#define SLACK_LOOPS 30
#define SLACK_PERIOD_NS RT_NS_PER_MS

static const int64_t slacks[HRT_SLACKS] = { 1, 50 * RT_NS_PER_US, 500 * RT_NS_PER_US };

/* ---- a cell ------------------------------------------------------------------------- */

static void add(struct hrt_cell *c, int64_t late_ns, int64_t at_ns)
{
	rt_record_add(c->record, late_ns, late_ns, at_ns, c->period_ns);
}

/* Each sleep is asked for anew, from now. */
static int64_t sleep_one_by_one(const struct rt_run *run, struct hrt_cell *c, struct hrt_timer *t)
{
	while (c->record->stats.count < c->samples && !rt_run_over(run)) {
		int64_t target_ns = rt_clock_ns(t->clock) + t->period_ns;
		int64_t expired = c->way->sleep(t, target_ns);
		int64_t now_ns = rt_clock_ns(t->clock);

		if (expired < 0)
			return expired;
		if (expired)
			add(c, now_ns - target_ns, now_ns);
	}
	return 0;
}

/*
 * A thread that was held up between its expiry and our stamp has reckoned an expiry
 * too many: what looks early then is the one before. Early is only what no such
 * reckoning explains.
 */
int64_t hrt_reckon_back(struct hrt_timer *t, int64_t now_ns, int64_t last_ns)
{
	int64_t back = 0;

	while (t->unsure > 0 && now_ns < last_ns + (1 - back) * t->period_ns) {
		t->unsure--;
		back++;
	}
	return back;
}

/*
 * The kernel keeps the period. Late is a wake-up against the first expiry that was due;
 * further ones that have passed meanwhile are overruns.
 */
static int64_t sleep_in_period(const struct rt_run *run, struct hrt_cell *c, struct hrt_timer *t,
			       int64_t start_ns)
{
	int64_t last_ns = start_ns;

	while (c->record->stats.count < c->samples && !rt_run_over(run)) {
		int64_t expired = c->way->sleep(t, last_ns + t->period_ns);
		int64_t now_ns = rt_clock_ns(t->clock);

		if (expired < 0)
			return expired;
		if (!expired)
			continue;
		last_ns -= hrt_reckon_back(t, now_ns, last_ns) * t->period_ns;
		add(c, now_ns - last_ns - t->period_ns, now_ns);
		if (expired > 1)
			rt_stats_miss(&c->record->stats, (uint64_t)expired - 1);
		last_ns += expired * t->period_ns;
	}
	return 0;
}

/* Of a start that is not ours: the earliest expiry says where the periods begin. */
static int64_t sleep_in_unknown_period(const struct rt_run *run, struct hrt_cell *c,
				       struct hrt_timer *t)
{
	int64_t start_ns = rt_clock_ns(t->clock), ahead_ns = 0;

	for (int i = 0; i < 3 && !rt_run_over(run); i++) {
		int64_t expired = c->way->sleep(t, start_ns + t->period_ns);
		int64_t late_ns;

		if (expired < 0)
			return expired;
		start_ns += expired * t->period_ns;
		late_ns = rt_clock_ns(t->clock) - start_ns;
		if (late_ns < ahead_ns)
			ahead_ns = late_ns;
	}
	return sleep_in_period(run, c, t, start_ns + ahead_ns);
}

static int64_t sleep_cell(const struct rt_run *run, struct hrt_cell *c, struct hrt_timer *t)
{
	int64_t start_ns = rt_clock_ns(t->clock);
	int status = c->way->arm ? c->way->arm(t) : 0;

	if (status)
		return status;
	if (!c->way->arm)
		return sleep_one_by_one(run, c, t);
	return c->way->is_relative_only ? sleep_in_unknown_period(run, c, t) :
					  sleep_in_period(run, c, t, start_ns);
}

static void run_cell(const struct rt_run *run, struct hrt_cell *c, clockid_t clock)
{
	struct hrt_timer t = { .clock = clock, .period_ns = c->period_ns, .fd = -1 };
	int64_t offset_ns = hrt_clock_offset_ns(clock), began_ns = rt_clock_ns(CLOCK_MONOTONIC);
	int64_t status = sleep_cell(run, c, &t);

	if (c->way->disarm)
		c->way->disarm(&t);
	if (status < 0) {
		c->state = HRT_IMPOSSIBLE;
		c->reason = (int)status;
	} else if (hrt_clock_stepped(offset_ns, hrt_clock_offset_ns(clock),
				     rt_clock_ns(CLOCK_MONOTONIC) - began_ns)) {
		c->state = HRT_STEPPED;
	} else if (c->record->stats.count) {
		c->state = HRT_DONE;
	}
}

/* ---- slack, and the shortest sleep ------------------------------------------------------- */

static void set_slack(int64_t ns)
{
	prctl(PR_SET_TIMERSLACK, (unsigned long)ns, 0, 0, 0);
}

static void measure_slack(const struct rt_run *run, struct hrt_slack *slack)
{
	struct hrt_timer t = { .clock = CLOCK_MONOTONIC, .period_ns = SLACK_PERIOD_NS, .fd = -1 };

	set_slack(slack->slack_ns);
	rt_stats_init(&slack->stats);
	for (int i = 0; i < SLACK_LOOPS && !rt_run_over(run); i++) {
		int64_t target_ns = rt_clock_ns(t.clock) + t.period_ns;
		int64_t expired = hrt_ways[1].sleep(&t, target_ns);
		int64_t now_ns = rt_clock_ns(t.clock);

		if (expired == 1)
			rt_stats_put(&slack->stats, now_ns - target_ns, now_ns - target_ns, now_ns,
				     INT64_MAX);
	}
	slack->is_done = slack->stats.count > 0;
}

static int64_t shortest_of(const struct rt_run *run, const struct hrt_way *way, clockid_t clock)
{
	struct hrt_timer t = { .clock = clock, .period_ns = way->unit_ns, .fd = -1 };
	int tries = SHORTEST_TIME_NS / way->unit_ns < SHORTEST_TRIES ?
			    (int)(SHORTEST_TIME_NS / way->unit_ns) : SHORTEST_TRIES;
	int64_t shortest = INT64_MAX;

	for (int i = 0; i < tries && !rt_run_over(run); i++) {
		int64_t before_ns = rt_clock_ns(clock);
		int64_t expired = way->sleep(&t, before_ns + t.period_ns);
		int64_t took_ns = rt_clock_ns(clock) - before_ns;

		if (expired == 1 && took_ns < shortest)
			shortest = took_ns;
	}
	if (way->disarm)
		way->disarm(&t);
	return shortest == INT64_MAX ? 0 : shortest;
}

/* Periodic timers are left out: at a nanosecond they would do nothing but expire. */
static void measure_shortest(struct hrt_session *s)
{
	set_slack(1);
	for (unsigned int w = 0; w < HRT_WAYS; w++)
		for (unsigned int c = 0; c < HRT_CLOCKS && !hrt_ways[w].arm; c++)
			if ((s->opts->ways & 1u << w) && (s->opts->clocks & 1u << c) &&
			    (hrt_ways[w].clocks & 1u << c) && s->clocks[c].resolution_ns)
				s->shortest.ns[w][c] =
					shortest_of(s->rt.run, &hrt_ways[w], s->clocks[c].id);
}

/* ---- all of it ------------------------------------------------------------------------------ */

static void restore_slack(const struct hrt_session *s)
{
	set_slack(s->opts->has_slack ? s->opts->slack_ns : s->slack_found_ns);
}

int hrt_body(struct rt_member *m, struct rt_err *err RT_UNUSED)
{
	struct hrt_session *s = m->data;

	s->slack_found_ns = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
	for (unsigned int i = 0; i < HRT_CLOCKS; i++)
		if (s->opts->clocks & 1u << i)
			hrt_clock_begin(&s->clocks[i], hrt_clock_ids[i]);
	measure_shortest(s);
	for (unsigned int i = 0; i < HRT_SLACKS; i++) {
		s->slacks[i].slack_ns = slacks[i];
		if (!s->opts->priority) /* real-time threads have none */
			measure_slack(s->rt.run, &s->slacks[i]);
	}
	restore_slack(s);
	for (unsigned int i = 0; i < s->cell_count && !rt_run_over(s->rt.run); i++) {
		struct hrt_cell *c = &s->cells[i];

		s->cells_begun = i + 1;
		if (s->clocks[c->clock].resolution_ns && c->state == HRT_NOT_YET)
			run_cell(s->rt.run, c, s->clocks[c->clock].id);
		else
			c->state = HRT_IMPOSSIBLE;
	}
	for (unsigned int i = 0; i < HRT_CLOCKS; i++)
		hrt_clock_end(&s->clocks[i]);
	rt_run_end(s->rt.run, RT_ENDED_LOOPS);
	return 0;
}
