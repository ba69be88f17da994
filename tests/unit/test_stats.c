/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stats: what a record says of the samples put into it, also while it is written. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <pthread.h>

#include "rt/stats.h"

static void put(struct rt_stats *s, int64_t lat_ns, int64_t at_ns)
{
	rt_stats_begin(s);
	rt_stats_put(s, lat_ns, lat_ns / 1000, at_ns, 1000000);
	rt_stats_end(s);
}

static void empty_has_no_values(void **state)
{
	struct rt_stats s, copy = { .last_ns = 7 };

	(void)state;
	rt_stats_init(&s);
	assert_true(rt_stats_read(&s, &copy));
	assert_int_equal(copy.count, 0);
	assert_int_equal(copy.last_ns, 0);
	assert_true(rt_stats_mean_ns(&copy) == 0.0);
}

static void counts_each_sample(void **state)
{
	struct rt_stats s, copy;

	(void)state;
	rt_stats_init(&s);
	put(&s, 1999, 10);
	put(&s, -1999, 20);   /* early; shown as -1, truncated toward zero */
	put(&s, 999999, 30);  /* not yet late */
	put(&s, 1000000, 40); /* late: one interval */
	put(&s, 0, 50);
	rt_stats_miss(&s, 3);
	assert_true(rt_stats_read(&s, &copy));
	assert_int_equal(copy.count, 5);
	assert_int_equal(copy.early, 1);
	assert_int_equal(copy.late, 1);
	assert_int_equal(copy.missed, 3);
	assert_int_equal(copy.min_ns, -1999);
	assert_int_equal(copy.max_ns, 1000000);
	assert_int_equal(copy.max_at_ns, 40);
	assert_int_equal(copy.last_ns, 0);
	assert_int_equal(copy.last_at_ns, 50);
	assert_int_equal(copy.sum_ns, 1999 - 1999 + 999999 + 1000000);
	assert_int_equal(copy.sum_shown, 1 - 1 + 999 + 1000);
	assert_true(rt_stats_mean_ns(&copy) > 399999.79 && rt_stats_mean_ns(&copy) < 399999.81);
}

static void one_negative_sample_is_min_and_max(void **state)
{
	struct rt_stats s;

	(void)state;
	rt_stats_init(&s);
	put(&s, -5, 1);
	assert_int_equal(s.min_ns, -5);
	assert_int_equal(s.max_ns, -5);
}

static void reader_gives_up_inside_a_sample(void **state)
{
	struct rt_stats s, copy = { .count = 77 };

	(void)state;
	rt_stats_init(&s);
	rt_stats_begin(&s);
	assert_false(rt_stats_read(&s, &copy));
	assert_int_equal(copy.count, 77); /* its last copy stays */
	rt_stats_end(&s);
	assert_true(rt_stats_read(&s, &copy));
	assert_int_equal(copy.count, 0);
}

static void merges(void **state)
{
	struct rt_stats a, b, none;

	(void)state;
	rt_stats_init(&a);
	rt_stats_init(&b);
	rt_stats_init(&none);
	put(&a, 10, 100);
	put(&a, 30, 300);
	put(&b, -20, 200);
	put(&b, 40, 250);
	rt_stats_miss(&b, 2);
	rt_stats_merge(&a, &b);
	rt_stats_merge(&a, &none);
	assert_int_equal(a.count, 4);
	assert_int_equal(a.early, 1);
	assert_int_equal(a.missed, 2);
	assert_int_equal(a.min_ns, -20);
	assert_int_equal(a.max_ns, 40);
	assert_int_equal(a.max_at_ns, 250);
	assert_int_equal(a.last_ns, 30); /* the newest of both */
	assert_int_equal(a.sum_ns, 60);
	rt_stats_merge(&none, &b);
	assert_int_equal(none.last_ns, 40);
	assert_int_equal(none.min_ns, -20);
}

/* ---- a writer and a reader at the same time ------------------------------------ */

#define CONSTANT INT64_C(123457)
#define GOOD_COPIES 3000 /* each newer than the one before */

static struct rt_stats shared;
static _Atomic bool must_end;

static void *write_constant(void *data)
{
	int64_t at_ns = 0;

	(void)data;
	while (!atomic_load_explicit(&must_end, memory_order_relaxed)) {
		put(&shared, CONSTANT, ++at_ns);
		/* some time between two samples, as in life, or no copy would ever succeed */
		for (volatile int i = 0; i < 500; i++)
			;
	}
	return NULL;
}

static void copies_are_consistent(void **state)
{
	struct rt_stats copy = { 0 };
	uint64_t before = 0;
	unsigned int good = 0;
	pthread_t writer;

	(void)state;
	rt_stats_init(&shared);
	assert_int_equal(pthread_create(&writer, NULL, write_constant, NULL), 0);
	while (good < GOOD_COPIES) {
		if (!rt_stats_read(&shared, &copy))
			continue;
		if (copy.count == before) /* nothing new: the writer had no turn */
			continue;
		good++;
		if (copy.sum_ns != (int64_t)copy.count * CONSTANT ||
		    copy.sum_shown != (int64_t)copy.count * (CONSTANT / 1000) ||
		    copy.last_at_ns != (int64_t)copy.count || copy.count < before)
			break;
		before = copy.count;
	}
	atomic_store(&must_end, true);
	pthread_join(writer, NULL);
	assert_int_equal(good, GOOD_COPIES);
	assert_int_equal(copy.sum_ns, (int64_t)copy.count * CONSTANT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_has_no_values),
		cmocka_unit_test(counts_each_sample),
		cmocka_unit_test(one_negative_sample_is_min_and_max),
		cmocka_unit_test(reader_gives_up_inside_a_sample),
		cmocka_unit_test(merges),
		cmocka_unit_test(copies_are_consistent),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
