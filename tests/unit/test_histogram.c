/* SPDX-License-Identifier: GPL-2.0-or-later */
/* histogram: borders and percentiles against values worked out by hand; 64-bit counts. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "rt/histogram.h"

static void borders(void **state)
{
	static const struct {
		int64_t lat_ns;
		uint32_t bucket;
		int64_t low_ns, high_ns;
	} rows[] = {
		{ 0, 0, 0, 1 },
		{ 1, 1, 1, 2 },
		{ 127, 127, 127, 128 },
		{ 128, 128, 128, 129 },
		{ 255, 255, 255, 256 }, /* exact up to here */
		{ 256, 256, 256, 258 }, /* two a bucket from here */
		{ 257, 256, 256, 258 },
		{ 258, 257, 258, 260 },
		{ 511, 383, 510, 512 },
		{ 512, 384, 512, 516 }, /* four */
		{ 1000, 506, 1000, 1004 },
		{ 1023, 511, 1020, 1024 },
		{ 1024, 512, 1024, 1032 },
		/* 10^6 is in the octave 2^19 = 524288, 4096 a bucket: (10^6 - 2^19) / 4096 = 116.1 */
		{ 1000000, 13 * 128 + 116, 524288 + 116 * 4096, 524288 + 117 * 4096 },
		{ (INT64_C(1) << 44) - 1, RT_LOG_REGULAR - 1, 255 * (INT64_C(1) << 36),
		  INT64_C(1) << 44 },
		{ INT64_C(1) << 44, RT_LOG_ABOVE, INT64_C(1) << 44, INT64_MAX },
		{ INT64_MAX, RT_LOG_ABOVE, INT64_C(1) << 44, INT64_MAX },
		{ -1, RT_LOG_EARLY, INT64_MIN, 0 },
		{ INT64_MIN, RT_LOG_EARLY, INT64_MIN, 0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		int64_t low_ns, high_ns;

		assert_int_equal(rt_log_index(rows[i].lat_ns), rows[i].bucket);
		rt_log_bounds(rows[i].bucket, &low_ns, &high_ns);
		assert_int_equal(low_ns, rows[i].low_ns);
		assert_int_equal(high_ns, rows[i].high_ns);
	}
}

static void buckets_cover_all_without_gap(void **state)
{
	int64_t expected_ns = 0;

	(void)state;
	for (uint32_t i = 0; i < RT_LOG_REGULAR; i++) {
		int64_t low_ns, high_ns;

		rt_log_bounds(i, &low_ns, &high_ns);
		assert_int_equal(low_ns, expected_ns);
		assert_true(high_ns > low_ns);
		assert_true(high_ns - low_ns <= 1 + low_ns / 128);
		assert_int_equal(rt_log_index(low_ns), i);
		assert_int_equal(rt_log_index(high_ns - 1), i);
		expected_ns = high_ns;
	}
	assert_int_equal(expected_ns, INT64_C(1) << RT_LOG_BITS);
}

static struct rt_buckets *new_log(void)
{
	struct rt_buckets *b = rt_buckets_new(RT_LOG_BUCKETS);

	assert_non_null(b);
	return b;
}

static void percentiles(void **state)
{
	struct rt_buckets *b = new_log();

	(void)state;
	for (int64_t ns = 1; ns <= 200; ns++) /* exact buckets: P is the value itself */
		rt_buckets_add(b, rt_log_index(ns));
	assert_int_equal(rt_log_percentile(b, 50, 1, 200), 100);
	assert_int_equal(rt_log_percentile(b, 50.1, 1, 200), 101);
	assert_int_equal(rt_log_percentile(b, 90, 1, 200), 180);
	assert_int_equal(rt_log_percentile(b, 99, 1, 200), 198);
	assert_int_equal(rt_log_percentile(b, 99.9, 1, 200), 200);
	assert_int_equal(rt_log_percentile(b, 100, 1, 200), 200);
	assert_int_equal(rt_log_percentile(b, 0.001, 1, 200), 1);
	rt_buckets_free(b);
}

/* 99.9 % of 1000 is 999 and no rounding makes it the 1000th, which is the slow one. */
static void ranks_are_exact(void **state)
{
	struct rt_buckets *b = new_log();

	(void)state;
	b->cells[10] = 999;
	b->cells[200] = 1;
	assert_int_equal(rt_log_percentile(b, 99.9, 10, 200), 10);
	assert_int_equal(rt_log_percentile(b, 99.99, 10, 200), 200);
	b->cells[10] = 99999;
	assert_int_equal(rt_log_percentile(b, 99.999, 10, 200), 10);
	rt_buckets_free(b);
}

static void percentiles_stay_within_min_and_max(void **state)
{
	struct rt_buckets *b = new_log();

	(void)state;
	assert_int_equal(rt_log_percentile(b, 50, INT64_MAX, INT64_MIN), 0); /* no samples */
	rt_buckets_add(b, rt_log_index(1001)); /* 1000..1003 */
	assert_int_equal(rt_log_percentile(b, 50, 1001, 1001), 1001);
	assert_int_equal(rt_log_percentile(b, 50, 1001, 5000), 1003);
	rt_buckets_add(b, rt_log_index(-500));
	rt_buckets_add(b, rt_log_index(-400));
	assert_int_equal(rt_log_percentile(b, 50, -500, 1001), -1); /* early ones come first */
	assert_int_equal(rt_log_percentile(b, 50, -500, -400), -400);
	assert_int_equal(rt_log_percentile(b, 100, -500, 1001), 1001);
	rt_buckets_add(b, rt_log_index(INT64_C(1) << 50));
	assert_int_equal(rt_log_percentile(b, 100, -500, INT64_C(1) << 50), INT64_C(1) << 50);
	rt_buckets_free(b);
}

static void a_cell_goes_round(void **state)
{
	struct rt_buckets *b = new_log();

	(void)state;
	b->cells[5] = UINT32_MAX;
	rt_buckets_add(b, 5);
	assert_int_equal(b->cells[5], 0);
	assert_true(rt_buckets_get(b, 5) == UINT64_C(1) << 32);
	rt_buckets_add(b, 5);
	assert_true(rt_buckets_get(b, 5) == (UINT64_C(1) << 32) + 1);
	b->cells[5] = UINT32_MAX;
	rt_buckets_add(b, 5);
	assert_true(rt_buckets_get(b, 5) == UINT64_C(2) << 32);
	assert_int_equal(b->carry_count, 1);
	assert_true(rt_buckets_sum(b) == UINT64_C(2) << 32);
	rt_buckets_free(b);
}

/* A week at one sample every 100 us: 6 048 000 000. */
static void a_week_is_counted(void **state)
{
	const uint64_t week = UINT64_C(6048000000);
	struct rt_buckets *b = new_log();

	(void)state;
	b->cells[rt_log_index(700)] = UINT32_MAX;
	rt_buckets_add(b, rt_log_index(700));
	b->cells[rt_log_index(700)] = (uint32_t)(week - (UINT64_C(1) << 32) - 2);
	rt_buckets_add(b, rt_log_index(700));
	rt_buckets_add(b, rt_log_index(9000));
	assert_true(rt_buckets_get(b, rt_log_index(700)) == week - 1);
	assert_true(rt_buckets_sum(b) == week);
	assert_int_equal(rt_log_percentile(b, 99.999, 700, 9000), 703);
	assert_int_equal(rt_log_percentile(b, 100, 700, 9000), 9000);
	rt_buckets_free(b);
}

static void full_carries_count_what_is_unkept(void **state)
{
	struct rt_buckets *b = new_log();

	(void)state;
	for (uint32_t i = 0; i <= RT_CARRIES_MAX; i++) {
		b->cells[i] = UINT32_MAX;
		rt_buckets_add(b, i);
	}
	assert_int_equal(b->carry_count, RT_CARRIES_MAX);
	assert_int_equal(b->unkept, 1);
	assert_true(rt_buckets_get(b, RT_CARRIES_MAX) == UINT32_MAX);
	rt_buckets_add(b, RT_CARRIES_MAX);
	assert_int_equal(b->unkept, 2);
	b->cells[3] = UINT32_MAX; /* those that have a carry go on */
	rt_buckets_add(b, 3);
	assert_true(rt_buckets_get(b, 3) == UINT64_C(2) << 32);
	assert_int_equal(b->unkept, 2);
	rt_buckets_free(b);
}

static void merging_carries(void **state)
{
	struct rt_buckets *a = new_log(), *b = new_log();

	(void)state;
	a->cells[1] = UINT32_MAX - 1;
	b->cells[1] = 5;
	a->cells[2] = 7;
	b->cells[3] = UINT32_MAX;
	rt_buckets_add(b, 3);
	rt_buckets_add(b, 3);
	b->unkept = 9;
	rt_buckets_merge(a, b);
	assert_true(rt_buckets_get(a, 1) == UINT64_C(4294967294) + 5);
	assert_true(rt_buckets_get(a, 2) == 7);
	assert_true(rt_buckets_get(a, 3) == (UINT64_C(1) << 32) + 1);
	assert_int_equal(a->unkept, 9);
	rt_buckets_free(a);
	rt_buckets_free(b);
}

static void merging_into_full_carries_loses_nothing_unsaid(void **state)
{
	struct rt_buckets *a = new_log(), *b = new_log();
	uint64_t expected;

	(void)state;
	for (uint32_t i = 0; i < RT_CARRIES_MAX; i++) {
		a->cells[i] = UINT32_MAX;
		rt_buckets_add(a, i);
	}
	a->cells[100] = UINT32_MAX - 2;
	b->cells[100] = 10;
	b->cells[200] = UINT32_MAX;
	rt_buckets_add(b, 200);
	expected = rt_buckets_sum(a) + rt_buckets_sum(b);
	rt_buckets_merge(a, b);
	assert_true(rt_buckets_sum(a) + a->unkept == expected);
	assert_true(a->unkept > 0);
	rt_buckets_free(a);
	rt_buckets_free(b);
}

/* ---- copies of a live one --------------------------------------------------------- */

static struct rt_stats stats;
static struct rt_buckets *live;
static _Atomic bool must_end;

#define BUSY_BUCKET 40

/* A cell near its end goes round again and again while it is copied. */
static void *add_for_ever(void *data)
{
	(void)data;
	for (uint32_t i = 1; !atomic_load_explicit(&must_end, memory_order_relaxed); i++) {
		rt_stats_begin(&stats);
		if (i % 4096 == 0) /* nearly 2^32 samples at once */
			__atomic_store_n(&live->cells[BUSY_BUCKET], UINT32_MAX, __ATOMIC_RELAXED);
		rt_buckets_add(live, BUSY_BUCKET);
		rt_stats_end(&stats);
		for (volatile int j = 0; j < 20; j++)
			;
	}
	return NULL;
}

/* As of a writer that publishes what it has counted elsewhere, again and again. */
static void many_at_once(void **state)
{
	static const uint64_t counts[] = { 0, 1, UINT32_MAX, UINT64_C(1) << 32,
					   UINT64_C(20000000000000) };
	struct rt_buckets *b = rt_buckets_new(8);

	(void)state;
	assert_non_null(b);
	for (int round = 0; round < 3; round++) {
		uint64_t sum = 0;

		rt_buckets_clear(b);
		assert_int_equal(rt_buckets_sum(b), 0);
		for (uint32_t i = 0; i < 5; i++) {
			rt_buckets_add_many(b, i, counts[i]);
			rt_buckets_add_many(b, i, 3);
			assert_int_equal(rt_buckets_get(b, i), counts[i] + 3);
			sum += counts[i] + 3;
		}
		assert_int_equal(rt_buckets_sum(b), sum);
		assert_int_equal(b->unkept, 0);
	}
	rt_buckets_free(b);
}

static void copies_have_cell_and_carry_of_one_moment(void **state)
{
	struct rt_buckets *copy = new_log();
	uint64_t before = 0;
	pthread_t writer;
	bool is_rising = true;

	(void)state;
	live = new_log();
	rt_stats_init(&stats);
	assert_int_equal(pthread_create(&writer, NULL, add_for_ever, NULL), 0);
	while (is_rising && before >> 32 < 400) { /* until it went round so often */
		uint64_t now;

		if (!rt_buckets_copy(copy, live, &stats))
			continue; /* the writer was preempted in a sample */
		now = rt_buckets_get(copy, BUSY_BUCKET);
		is_rising = now >= before;
		before = now;
	}
	atomic_store(&must_end, true);
	pthread_join(writer, NULL);
	assert_true(is_rising);
	assert_true(rt_buckets_copy(copy, live, &stats));
	assert_memory_equal(copy->cells, live->cells, RT_LOG_BUCKETS * sizeof(uint32_t));
	assert_true(rt_buckets_sum(copy) == rt_buckets_sum(live));
	assert_int_equal(copy->carry_count, 1);
	rt_buckets_free(copy);
	rt_buckets_free(live);
}

static void copies_even_from_a_stopped_writer(void **state)
{
	struct rt_buckets *from = new_log(), *copy = new_log();
	struct rt_stats s;

	(void)state;
	rt_stats_init(&s);
	from->cells[77] = 3;
	from->cells[RT_LOG_ABOVE] = 4;
	rt_stats_begin(&s); /* preempted in the middle of a sample */
	assert_false(rt_buckets_copy(copy, from, &s));
	assert_int_equal(copy->cells[77], 3);
	assert_int_equal(copy->cells[RT_LOG_ABOVE], 4);
	rt_buckets_free(from);
	rt_buckets_free(copy);
}

/* ---- linear -------------------------------------------------------------------------- */

static struct rt_linear *new_linear(uint32_t count)
{
	size_t size = rt_linear_size(count);
	void *memory = aligned_alloc(64, (size + 63) & ~(size_t)63);

	assert_non_null(memory);
	memset(memory, 0xee, size);
	return rt_linear_place(memory, count);
}

static void linear_is_laid_out_in_its_memory(void **state)
{
	static const uint32_t counts[] = { 1, 7, 16, 17, 9999, 10000, 10001, RT_LINEAR_MAX };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(counts); i++) {
		struct rt_linear *h = new_linear(counts[i]);
		uint32_t keep = counts[i] < RT_OVERFLOWS_MAX ? counts[i] : RT_OVERFLOWS_MAX;

		assert_int_equal((uintptr_t)h->buckets.cells % 64, 0);
		assert_int_equal((uintptr_t)h->cycles % 64, 0);
		assert_true((char *)h->buckets.cells >= (char *)(h + 1));
		assert_true((char *)h->cycles >= (char *)(h->buckets.cells + counts[i]));
		assert_int_equal(h->keep_max, keep);
		assert_true((char *)(h->cycles + keep) <= (char *)h + rt_linear_size(counts[i]));
		assert_int_equal(h->buckets.count, counts[i]);
		assert_true(rt_buckets_sum(&h->buckets) == 0);
		assert_int_equal(h->cycles[keep - 1], 0);
		free(h);
	}
}

static void linear_counts(void **state)
{
	struct rt_linear *h = new_linear(3);

	(void)state;
	rt_linear_add(h, 0, 0);
	rt_linear_add(h, -4, 1); /* early ones belong to bucket 0 */
	rt_linear_add(h, 2, 2);
	for (uint64_t cycle = 3; cycle < 8; cycle++)
		rt_linear_add(h, 3 + (int64_t)cycle, cycle);
	rt_linear_add(h, INT64_MAX, 8);
	assert_true(rt_buckets_get(&h->buckets, 0) == 2);
	assert_true(rt_buckets_get(&h->buckets, 1) == 0);
	assert_true(rt_buckets_get(&h->buckets, 2) == 1);
	assert_true(rt_buckets_sum(&h->buckets) == 3);
	assert_int_equal(h->overflows, 6);
	assert_int_equal(h->kept, 3); /* at most as many as there are buckets */
	assert_int_equal(h->cycles[0], 3);
	assert_int_equal(h->cycles[2], 5);
	free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(borders),
		cmocka_unit_test(buckets_cover_all_without_gap),
		cmocka_unit_test(percentiles),
		cmocka_unit_test(ranks_are_exact),
		cmocka_unit_test(percentiles_stay_within_min_and_max),
		cmocka_unit_test(a_cell_goes_round),
		cmocka_unit_test(a_week_is_counted),
		cmocka_unit_test(full_carries_count_what_is_unkept),
		cmocka_unit_test(merging_carries),
		cmocka_unit_test(merging_into_full_carries_loses_nothing_unsaid),
		cmocka_unit_test(many_at_once),
		cmocka_unit_test(copies_have_cell_and_carry_of_one_moment),
		cmocka_unit_test(copies_even_from_a_stopped_writer),
		cmocka_unit_test(linear_is_laid_out_in_its_memory),
		cmocka_unit_test(linear_counts),
	};

	return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
