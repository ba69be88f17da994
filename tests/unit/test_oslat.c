/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_oslat - gaps in cycles become buckets, statistics and percentiles, as by
 * hand. The counter runs at 1 GHz here, so that a cycle is a nanosecond.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "../../src/oslat/oslat.h"
#include "rt/histogram.h"

static struct osl_opts opts;
static struct osl_plan plan = { .opts = &opts, .unit_ns = RT_NS_PER_US };

struct fixture {
	struct osl_thread *t;
	struct osl_meeting meeting;
	void *memory;
};

static void *aligned(size_t size)
{
	void *p = NULL;

	assert_int_equal(posix_memalign(&p, RT_CACHE_LINE, size), 0);
	memset(p, 0, size);
	return p;
}

static void begin(struct fixture *f, int64_t width_ns, uint32_t buckets, int64_t bias_ns)
{
	struct osl_thread *t = f->t = aligned(sizeof(*t));

	memset(&f->meeting, 0, sizeof(f->meeting));
	f->meeting.mark = (struct rt_trace_mark)RT_TRACE_MARK_CLOSED;
	f->memory = aligned(osl_counts_size(buckets));
	osl_counts_place(&t->counts, f->memory, buckets);
	t->scale = rt_cycles_scale(1000000000);
	t->width_ns = width_ns;
	t->bucket_count = buckets;
	t->bias_ns = bias_ns;
	t->threshold_ns = INT64_MAX;
	t->few_cycles = OSL_CELLS;
	t->plan = &plan;
	t->meeting = &f->meeting;
	t->is_measuring = true;
	t->started.mono_ns = 5000;
	t->record = aligned(sizeof(*t->record));
	t->record->log.cells = t->record->log_cells;
	t->record->log.count = RT_LOG_BUCKETS;
	rt_stats_init(&t->record->stats);
}

static void end(struct fixture *f)
{
	free(f->t->record);
	free(f->memory);
	free(f->t);
}

/* Gaps as the loop would give them, and the counter's readings that go with them. */
static void gaps(struct osl_thread *t, const uint64_t *list, size_t count)
{
	uint64_t at = t->first, from = 0;

	for (size_t i = 0; i < count; i++) {
		if (list[i] < from)
			t->counts.cells[list[i]]++;
		else
			from = osl_gap(t, at, list[i]);
		at += list[i];
	}
	t->last = at;
	t->last_gap = list[count - 1];
}

static void rule_of_buckets(void **state)
{
	static const struct {
		int64_t width_ns, bias_ns, gap_ns;
		uint32_t bucket;
	} rows[] = {
		{ 1000, 0, 0, 0 },       { 1000, 0, 999, 0 },         { 1000, 0, 1000, 1 },
		{ 1000, 0, 30999, 30 },  { 1000, 0, 31000, 31 },      { 1000, 0, 32000, 31 },
		{ 1000, 0, INT64_MAX, 31 }, { 1000, 0, -5, 0 },
		{ 500, 0, 499, 0 },      { 500, 0, 500, 1 },          { 1500, 0, 2999, 1 },
		{ 1000, 5000, 5000, 0 }, { 1000, 5000, 5999, 0 },     { 1000, 5000, 6000, 1 },
		{ 1000, 5000, 4000, 0 }, /* below the bias: the first, not the last */
		{ 1000, 5000, 36000, 31 }, { 1, 29, 29, 0 },          { 1, 29, 30, 1 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct osl_thread t = { .width_ns = rows[i].width_ns, .bias_ns = rows[i].bias_ns,
					.bucket_count = 32 };

		assert_int_equal(osl_bucket_of(&t, rows[i].gap_ns), rows[i].bucket);
	}
}

static void statistics_are_exact(void **state)
{
	static const uint64_t list[] = { 40, 50, 40, 999, 1000, 4095, 4096, 50000, 40, 30 };
	struct fixture f;
	struct rt_stats *s;
	uint64_t sum = 0, buckets[8];

	(void)state;
	begin(&f, 1000, 8, 0);
	gaps(f.t, list, RT_ARRAY_SIZE(list));
	osl_publish(f.t);
	s = &f.t->record->stats;
	for (size_t i = 0; i < RT_ARRAY_SIZE(list); i++)
		sum += list[i];
	assert_int_equal(s->count, RT_ARRAY_SIZE(list));
	assert_int_equal(s->sum_ns, sum);
	assert_int_equal(s->min_ns, 30);
	assert_int_equal(s->max_ns, 50000);
	assert_int_equal(s->max_at_ns, 5000 + 40 + 50 + 40 + 999 + 1000 + 4095 + 4096 + 50000);
	assert_int_equal(s->last_ns, 30);
	assert_int_equal(s->last_at_ns, 5000 + (int64_t)sum);
	assert_int_equal(rt_buckets_sum(&f.t->record->log), s->count);
	assert_int_equal(rt_buckets_get(&f.t->record->log, rt_log_index(40)), 3);
	assert_int_equal(rt_buckets_get(&f.t->record->log, rt_log_index(50000)), 1);
	osl_fill_buckets(f.t, buckets);
	assert_int_equal(buckets[0], 6);
	assert_int_equal(buckets[1], 1);
	assert_int_equal(buckets[4], 2); /* 4095 and 4096 */
	assert_int_equal(buckets[7], 1); /* the overflow */
	osl_publish(f.t); /* again: as a checkpoint does */
	assert_int_equal(s->count, RT_ARRAY_SIZE(list));
	assert_int_equal(s->sum_ns, sum);
	end(&f);
}

/* A week at 50 million a second: no cell, sum or bucket goes round. */
static void a_week_fits(void **state)
{
	const uint64_t many = UINT64_C(604800) * 50000000;
	struct fixture f;
	uint64_t buckets[8];

	(void)state;
	begin(&f, 1000, 8, 0);
	f.t->counts.cells[20] = many;
	f.t->counts.max_cycles = 20;
	osl_publish(f.t);
	assert_true(f.t->record->stats.count == many);
	assert_true(f.t->record->stats.sum_ns == (int64_t)(many * 20));
	assert_true(rt_buckets_get(&f.t->record->log, 20) == many);
	osl_fill_buckets(f.t, buckets);
	assert_true(buckets[0] == many);
	end(&f);
}

static void a_counter_that_goes_back_is_early(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 1000, 8, 0);
	osl_gap(f.t, 1000, 40);
	osl_gap(f.t, 1000, (uint64_t)-7);
	osl_publish(f.t);
	assert_int_equal(f.t->record->stats.early, 1);
	assert_int_equal(f.t->record->stats.count, 2);
	assert_int_equal(f.t->record->stats.max_ns, 40);
	assert_int_equal(rt_buckets_get(&f.t->record->log, RT_LOG_EARLY), 1);
	end(&f);
}

/* The loop asks again for each gap that is the longest so far, and for none that is not. */
static void the_longest_so_far_is_looked_at(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 1000, 8, 0);
	assert_int_equal(osl_gap(f.t, 0, 40), 41);
	assert_int_equal(osl_gap(f.t, 100, 60), 61);
	assert_int_equal(f.t->counts.max_at, 160);
	assert_int_equal(osl_gap(f.t, 200, 100000), OSL_CELLS);
	assert_int_equal(osl_gap(f.t, 300000, 5000), OSL_CELLS);
	assert_int_equal(f.t->counts.max_cycles, 100000);
	assert_int_equal(f.t->counts.cells[40] + f.t->counts.cells[60], 2);
	assert_int_equal(f.t->counts.long_count, 2);
	end(&f);
}

/* The counter runs as it does here: when a gap was is read off against the clock. */
static void a_gap_above_the_threshold_is_told_and_costs_no_gap(void **state)
{
	struct rt_threshold threshold;
	struct rt_cycles_stamp before, after;
	struct rt_run_plan run_plan = { 0 };
	struct rt_run *run;
	struct fixture f;
	struct rt_hit hit;

	(void)state;
	begin(&f, 1000, 32, 0);
	assert_int_equal(rt_run_new(&run, &run_plan, NULL), 0);
	rt_threshold_init(&threshold, 0, RT_NS_PER_US);
	rt_threshold_rise(&threshold);
	f.t->run = run;
	f.t->tid = 77;
	f.t->scale = rt_cycles_scale(rt_cycles_measure_hz(20 * RT_NS_PER_MS));
	osl_gap(f.t, 1000, OSL_CELLS + 100);
	assert_int_equal(f.t->resumed, 0); /* nobody asked */
	f.t->threshold = &threshold;
	rt_cycles_stamp(&before);
	osl_gap(f.t, before.cycles - OSL_CELLS - 200, OSL_CELLS + 200); /* it ended just now */
	rt_cycles_stamp(&after);
	assert_true(f.t->resumed >= before.cycles && f.t->resumed <= after.cycles);
	assert_true(rt_threshold_next(&threshold, &hit));
	assert_int_equal(hit.tid, 77);
	assert_int_equal(hit.lat_ns, rt_cycles_ns(&f.t->scale, OSL_CELLS + 200));
	assert_in_range(hit.at_ns, before.mono_ns - 100 * RT_NS_PER_US,
			before.mono_ns + 100 * RT_NS_PER_US);
	rt_threshold_release(&threshold);
	f.t->resumed = 0;
	osl_gap(f.t, after.cycles, OSL_CELLS + 150); /* not the worst so far */
	assert_int_equal(f.t->resumed, 0);
	assert_false(rt_threshold_next(&threshold, &hit));
	rt_run_free(run);
	end(&f);
}

static void nothing_measured_is_nothing_published(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 1000, 8, 0);
	f.t->is_measuring = false; /* what is there is the preheat's */
	f.t->counts.cells[20] = 7;
	osl_publish(f.t);
	assert_int_equal(f.t->record->stats.count, 0);
	f.t->is_measuring = true;
	osl_counts_clear(&f.t->counts, 8);
	osl_publish(f.t);
	assert_int_equal(f.t->record->stats.count, 0);
	end(&f);
}

static void options_fit_together(void **state)
{
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(rt_opts_check_table(&osl_table, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rule_of_buckets),
		cmocka_unit_test(statistics_are_exact),
		cmocka_unit_test(a_week_fits),
		cmocka_unit_test(a_counter_that_goes_back_is_early),
		cmocka_unit_test(the_longest_so_far_is_looked_at),
		cmocka_unit_test(a_gap_above_the_threshold_is_told_and_costs_no_gap),
		cmocka_unit_test(nothing_measured_is_nothing_published),
		cmocka_unit_test(options_fit_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
