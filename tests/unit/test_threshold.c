/* SPDX-License-Identifier: GPL-2.0-or-later */
/* threshold: from which latency on a limit is passed, and that one thread only takes it. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rt/threshold.h"

static void compares_as_printed(void **state)
{
	static const struct {
		int64_t limit, unit_ns, from_ns;
	} rows[] = {
		{ 20, 1000, 21000 }, /* 20999 ns shows as 20 */
		{ 1, 1000, 2000 },
		{ 20, 1, 21 },
		{ 0, 1000, INT64_MAX },
		{ 0, 1, INT64_MAX },
		{ INT64_MAX, 1, INT64_MAX },
		{ INT64_MAX, 1000, INT64_MAX },
		{ INT64_MAX / 1000, 1000, INT64_MAX }, /* one more unit does not fit */
		{ INT64_MAX / 1000 - 1, 1000, INT64_MAX / 1000 * 1000 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++)
		assert_int_equal(rt_limit_from_ns(rows[i].limit, rows[i].unit_ns), rows[i].from_ns);
}

static void passes_from_there_on(void **state)
{
	struct rt_threshold t;

	(void)state;
	rt_threshold_init(&t, 20, 1000);
	assert_false(rt_threshold_passed(&t, 20999));
	assert_true(rt_threshold_passed(&t, 21000));
	assert_false(rt_threshold_passed(&t, -30000));
	assert_int_equal(t.mark.marker_fd, -1);
	assert_int_equal(t.mark.switch_fd, -1);
	assert_false(t.is_taken);
	rt_threshold_init(&t, 0, 1000);
	assert_false(rt_threshold_passed(&t, INT64_MAX - 1));
}

static struct rt_run *new_run(void)
{
	static const struct rt_run_plan plan = { 0 };
	struct rt_run *run = NULL;

	assert_int_equal(rt_run_new(&run, &plan, NULL), 0);
	return run;
}

static void hit_ends_the_run(void **state)
{
	struct rt_run *run = new_run();
	struct rt_threshold t;

	(void)state;
	rt_threshold_init(&t, 20, 1000);
	rt_threshold_hit(&t, run, 3, 1234, 25, 777);
	rt_threshold_hit(&t, run, 4, 5678, 99, 888); /* the first one counts */
	assert_true(t.is_taken);
	assert_int_equal(t.series, 3);
	assert_int_equal(t.tid, 1234);
	assert_int_equal(t.value, 25);
	assert_int_equal(t.at_ns, 777);
	assert_int_equal(t.mark_error, 0);
	assert_true(rt_run_over(run));
	assert_string_equal(rt_run_ended_text(run), "threshold");
	rt_run_free(run);
}

static void hit_marks_and_stops_the_trace(void **state)
{
	struct rt_run *run = new_run();
	struct rt_threshold t;
	char text[128] = "";
	int marker[2], control[2];

	(void)state;
	assert_int_equal(pipe(marker), 0);
	assert_int_equal(pipe(control), 0);
	rt_threshold_init(&t, 20, 1000);
	t.mark.marker_fd = marker[1];
	t.mark.switch_fd = control[1];
	rt_threshold_hit(&t, run, 0, 1, 66, 1);
	assert_int_equal(t.mark_error, 0);
	assert_true(read(marker[0], text, sizeof(text) - 1) > 0);
	assert_non_null(strstr(text, "hit latency threshold (66 > 20)"));
	assert_true(read(control[0], text, sizeof(text) - 1) > 0);
	assert_int_equal(text[0], '0');
	for (int i = 0; i < 2; i++) {
		close(marker[i]);
		close(control[i]);
	}
	rt_run_free(run);
}

/* The run goes on: one hit after the other is handed to main, the others are counted. */
static void keeps_going(void **state)
{
	struct rt_run *run = new_run();
	struct rt_threshold t;
	struct rt_hit hit;
	int control[2];
	char text[8] = "";

	(void)state;
	assert_int_equal(pipe(control), 0);
	rt_threshold_init(&t, 20, 1000);
	t.keeps_going = true;
	t.instance_fd = control[1];
	assert_false(rt_threshold_next(&t, &hit));
	rt_threshold_take(&t, run, &(struct rt_hit){ 3, 1234, 25, 777, 25500 });
	rt_threshold_take(&t, run, &(struct rt_hit){ 4, 5678, 99, 888, 99000 });
	assert_int_equal(read(control[0], text, sizeof(text)), 1);
	assert_int_equal(text[0], '0');
	assert_false(rt_run_over(run));
	assert_true(rt_threshold_next(&t, &hit));
	assert_int_equal(hit.series, 3);
	assert_int_equal(hit.lat_ns, 25500);
	assert_false(rt_threshold_next(&t, &hit));
	rt_threshold_take(&t, run, &(struct rt_hit){ 5, 1, 30, 999, 30000 });
	assert_false(rt_threshold_next(&t, &hit)); /* the first is still being handled */
	rt_threshold_release(&t);
	rt_threshold_take(&t, run, &(struct rt_hit){ 6, 2, 22, 1000, 22000 });
	assert_true(rt_threshold_next(&t, &hit));
	assert_int_equal(hit.series, 6);
	assert_int_equal(t.passed, 4);
	assert_int_equal(t.series, 3); /* the first one stays the break */
	rt_run_free(run);
	close(control[0]);
	close(control[1]);
}

static void rises(void **state)
{
	static const struct {
		int64_t lat_ns;
		bool is_hit;
	} rows[] = { { 5, true }, { 5, false }, { 4, false }, { 6, true },
		     { INT64_C(5000000000), true }, { INT64_C(6000000000), false } };
	struct rt_run *run = new_run();
	struct rt_threshold t;
	struct rt_hit hit;

	(void)state;
	rt_threshold_init(&t, 0, 1000);
	rt_threshold_rise(&t);
	assert_true(rt_threshold_passed(&t, 1));
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		rt_threshold_take(&t, run, &(struct rt_hit){ .lat_ns = rows[i].lat_ns });
		assert_int_equal(rt_threshold_next(&t, &hit), rows[i].is_hit);
		rt_threshold_release(&t);
	}
	assert_int_equal(t.missed_ns, 0);
	assert_false(t.is_taken); /* nothing that could be called a break */
	assert_int_equal(t.passed, 0);
	assert_false(rt_run_over(run));
	rt_run_free(run);
}

/* Worse ones that come while one is handled are not forgotten, but the largest is known. */
static void misses_what_comes_meanwhile(void **state)
{
	static const int64_t meanwhile[] = { 90, 120, 300, 200 };
	struct rt_run *run = new_run();
	struct rt_threshold t;
	struct rt_hit hit;

	(void)state;
	rt_threshold_init(&t, 0, 1000);
	rt_threshold_miss(&t, 50);
	assert_int_equal(t.missed_ns, 0); /* it does not rise */
	rt_threshold_rise(&t);
	rt_threshold_take(&t, run, &(struct rt_hit){ .lat_ns = 100 });
	for (size_t i = 0; i < RT_ARRAY_SIZE(meanwhile); i++)
		rt_threshold_take(&t, run, &(struct rt_hit){ .lat_ns = meanwhile[i] });
	assert_int_equal(t.missed_ns, 300);
	assert_true(rt_threshold_next(&t, &hit));
	assert_int_equal(hit.lat_ns, 100);
	rt_threshold_release(&t);
	rt_threshold_take(&t, run, &(struct rt_hit){ .lat_ns = 110 }); /* still a new worst one */
	assert_true(rt_threshold_next(&t, &hit));
	assert_int_equal(t.missed_ns, 300);
	rt_run_free(run);
}

/* ---- many at once ------------------------------------------------------------------ */

#define THREADS 8

static struct rt_threshold raced;
static struct rt_run *raced_run;

static void *hit(void *data)
{
	unsigned int i = *(unsigned int *)data;

	rt_threshold_hit(&raced, raced_run, i, (pid_t)i + 100, (int64_t)i * 10, (int64_t)i * 1000);
	return NULL;
}

static void one_of_many_takes_it(void **state)
{
	pthread_t threads[THREADS];
	unsigned int numbers[THREADS];

	(void)state;
	raced_run = new_run();
	rt_threshold_init(&raced, 1, 1000);
	for (unsigned int i = 0; i < THREADS; i++) {
		numbers[i] = i;
		assert_int_equal(pthread_create(&threads[i], NULL, hit, &numbers[i]), 0);
	}
	for (unsigned int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_true(raced.is_taken);
	assert_int_equal(raced.tid, raced.series + 100);
	assert_int_equal(raced.value, raced.series * 10);
	assert_int_equal(raced.at_ns, raced.series * 1000);
	rt_run_free(raced_run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compares_as_printed),
		cmocka_unit_test(passes_from_there_on),
		cmocka_unit_test(hit_ends_the_run),
		cmocka_unit_test(hit_marks_and_stops_the_trace),
		cmocka_unit_test(keeps_going),
		cmocka_unit_test(rises),
		cmocka_unit_test(misses_what_comes_meanwhile),
		cmocka_unit_test(one_of_many_takes_it),
	};

	return cmocka_run_group_tests_name("threshold", tests, NULL, NULL);
}
