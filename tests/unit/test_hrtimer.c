/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_hrtimer - which cells there are, what a clock step is, and the verdict.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "../../src/hrtimer-test/hrtimer.h"
#include "rt/compiler.h"

static const struct hrt_way *way(const char *name)
{
	for (size_t i = 0; i < HRT_WAYS; i++)
		if (strcmp(hrt_ways[i].name, name) == 0)
			return &hrt_ways[i];
	fail();
	return NULL;
}

static void possible_cells(void **state)
{
	static const struct {
		const char *way;
		unsigned int clock; /* monotonic, realtime, boottime, tai */
		int64_t period_ns;
		bool is_possible;
	} rows[] = {
		{ "nanosleep", 0, 1, true },           { "nanosleep", 3, 10000, true },
		{ "nanosleep-abs", 2, 10000, true },   { "timerfd", 2, 10000, true },
		{ "timerfd", 3, 10000, false },        { "posix", 3, 10000, true },
		{ "setitimer", 0, 10000, true },       { "setitimer", 1, 10000, false },
		{ "setitimer", 0, 10500, false },      { "poll", 0, 10500, true },
		{ "poll", 1, 10500, false },           { "epoll", 0, 999000, false },
		{ "epoll", 0, 1000000, true },         { "epoll", 0, 1500000, false },
		{ "futex", 1, 10000, true },           { "futex", 2, 10000, false },
		{ "deadline", 0, 99999, false },       { "deadline", 0, 100000, true },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++)
		assert_int_equal(hrt_cell_is_possible(way(rows[i].way), rows[i].clock,
						      rows[i].period_ns), rows[i].is_possible);
}

static void samples_of_a_cell(void **state)
{
	(void)state;
	assert_int_equal(hrt_samples(10000, 100 * RT_NS_PER_MS, 100), 100);
	assert_int_equal(hrt_samples(10 * RT_NS_PER_MS, 100 * RT_NS_PER_MS, 100), 10);
	assert_int_equal(hrt_samples(RT_NS_PER_S, 100 * RT_NS_PER_MS, 100), 1);
	assert_int_equal(hrt_samples(RT_NS_PER_S, 10 * RT_NS_PER_S, 3), 3);
}

static void steps_and_steering(void **state)
{
	(void)state;
	assert_false(hrt_clock_stepped(0, 0, 0));
	assert_false(hrt_clock_stepped(1000, 51000, 0));                      /* badly read */
	assert_false(hrt_clock_stepped(0, 500 * RT_NS_PER_US, RT_NS_PER_S));  /* slewed */
	assert_true(hrt_clock_stepped(0, RT_NS_PER_MS, 10 * RT_NS_PER_MS));
	assert_true(hrt_clock_stepped(RT_NS_PER_S, 0, RT_NS_PER_S));
	assert_true(hrt_clock_stepped(0, RT_NS_PER_S, RT_NS_PER_S));
}

static void timer_list(void **state)
{
	static const struct {
		const char *text;
		int active;
	} rows[] = {
		{ "", -1 },
		{ "Timer List Version: v0.10\n", -1 },
		{ "  .hres_active    : 1\n", 1 },
		{ "  .hres_active    : 0\n", 0 },
		{ "cpu: 0\n  .hres_active    : 1\n  .nohz_mode      : 2\ncpu: 1\n  .hres_active    : 1\n", 1 },
		{ "cpu: 0\n  .hres_active    : 1\ncpu: 1\n  .hres_active    : 0\n", 0 },
		{ "  .hres_active\n", -1 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++)
		assert_int_equal(hrt_hres_parse(rows[i].text), rows[i].active);
}

/* A session with one cell, whose one expiry was late by so much. */
static void judge(struct hrt_session *s, const char *name, int64_t late_ns, int64_t resolution_ns,
		  int64_t shortest_ns)
{
	static struct rt_record *record;
	static struct hrt_cell cell;
	static struct hrt_opts opts;

	if (!record)
		assert_int_equal(posix_memalign((void **)&record, RT_CACHE_LINE, sizeof(*record)), 0);
	memset(record, 0, sizeof(*record));
	record->log.cells = record->log_cells;
	record->log.count = RT_LOG_BUCKETS;
	rt_stats_init(&record->stats);
	rt_record_add(record, late_ns, late_ns, 0, INT64_MAX);
	cell = (struct hrt_cell){ .way = way(name), .state = HRT_DONE, .record = record };
	*s = (struct hrt_session){ .opts = &opts, .cells = &cell, .cell_count = 1 };
	s->clocks[0].resolution_ns = resolution_ns;
	s->shortest.ns[0][0] = shortest_ns;
	hrt_judge(s);
}

static void verdicts(void **state)
{
	static struct hrt_session s;

	(void)state;
	judge(&s, "nanosleep", 5000, 1, 15000);
	assert_true(s.verdict.is_fine_reported && s.verdict.is_granularity_kept);
	assert_int_equal(s.verdict.early, 0);
	assert_int_equal(s.verdict.passed, s.verdict.hres_active != 0);
	judge(&s, "nanosleep", -1, 1, 15000); /* one nanosecond early is early */
	assert_int_equal(s.verdict.early, 1);
	assert_false(s.verdict.passed);
	judge(&s, "deadline", -1, 1, 15000); /* but not of a start that is not ours */
	assert_int_equal(s.verdict.early, 0);
	judge(&s, "nanosleep", 5000, 4000000, 4000000); /* ticks */
	assert_false(s.verdict.is_fine_reported);
	assert_false(s.verdict.passed);
	judge(&s, "nanosleep", 5000, 1, 4000000); /* says fine, but is not */
	assert_false(s.verdict.is_granularity_kept);
	assert_false(s.verdict.passed);
}

/* An expiry reckoned too many is taken back; without one, early is early. */
static void early_or_reckoned_wrongly(void **state)
{
	struct hrt_timer t = { .period_ns = 1000, .unsure = 2 };

	(void)state;
	assert_int_equal(hrt_reckon_back(&t, 11000, 10000), 0); /* due at 11000 */
	assert_int_equal(hrt_reckon_back(&t, 10500, 10000), 1); /* due at 10000 */
	assert_int_equal(t.unsure, 1);
	assert_int_equal(hrt_reckon_back(&t, 7500, 10000), 1); /* more than can be explained */
	assert_int_equal(t.unsure, 0);
	assert_int_equal(hrt_reckon_back(&t, 10999, 10000), 0);
}

static void options_fit_together(void **state)
{
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(rt_opts_check_table(&hrt_table, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(possible_cells),
		cmocka_unit_test(samples_of_a_cell),
		cmocka_unit_test(steps_and_steering),
		cmocka_unit_test(timer_list),
		cmocka_unit_test(verdicts),
		cmocka_unit_test(early_or_reckoned_wrongly),
		cmocka_unit_test(options_fit_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
