/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report: text byte by byte; what other programs parse must not move. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report_fixture.h"
#include "rt/clock.h"
#include "rt/live.h"

/* ---- snapshot, verdict, asked ------------------------------------------------------------ */

static void snapshot_keeps_its_last_good_copy(void **state)
{
	struct rt_record *r;
	struct fixture f;

	(void)state;
	fixture_new(&f, 1);
	r = rt_status_record(f.status, 0, -1);
	add(&f, 0, 100, 10);
	take(&f);
	rt_stats_begin(&r->stats);
	r->stats.count = 99;
	take(&f);
	assert_int_equal(f.snap->series[0].stats.count, 1);
	rt_stats_end(&r->stats);
	take(&f);
	assert_int_equal(f.snap->series[0].stats.count, 99);
	fixture_done(&f);
}

static void snapshot_of_records_without_a_place(void **state)
{
	struct rt_status *st = NULL;
	struct rt_snapshot *snap = NULL;

	(void)state;
	assert_int_equal(rt_status_new(&st, "x", 1, args, 2, 1, NULL), 0);
	assert_int_equal(rt_snapshot_new(&snap, st), 0);
	assert_int_equal(snap->count, 2);
	assert_int_equal(snap->series[1].stats.count, 0);
	assert_int_equal(rt_shown_min(&snap->series[1].stats, 1), 0);
	assert_null(rt_status_peek(st, 1)); /* and they still have none */
	rt_snapshot_free(snap);
	rt_snapshot_free(NULL);
	rt_status_free(st);
}

static void verdict_names_the_worst_above_the_limit(void **state)
{
	struct fixture f;

	(void)state;
	fixture_new(&f, 3);
	f.result.limit_ns = 20000;
	assert_int_equal(rt_verdict_find(&f.result), -1);
	add(&f, 0, 20999, 1); /* shows as 20 */
	add(&f, 1, -90000, 1);
	take(&f);
	assert_int_equal(rt_verdict_find(&f.result), -1);
	f.result.unit_ns = 1;
	assert_int_equal(rt_verdict_find(&f.result), 0);
	f.result.unit_ns = 1000;
	add(&f, 1, 21000, 2);
	add(&f, 2, 21001, 2);
	take(&f);
	assert_int_equal(rt_verdict_find(&f.result), 2);
	f.result.limit_ns = 20500; /* 20.5us: 21 is the first shown value above it */
	assert_int_equal(rt_verdict_find(&f.result), 2);
	rt_status_info(f.status, 2)->is_reference = 1; /* is not judged */
	assert_int_equal(rt_verdict_find(&f.result), 1);
	rt_status_info(f.status, 2)->is_reference = 0;
	f.result.limit_ns = 21000;
	assert_int_equal(rt_verdict_find(&f.result), -1);
	f.result.limit_ns = 0;
	assert_int_equal(rt_verdict_find(&f.result), -1);
	fixture_done(&f);
}

/* What the verdict prints on stderr, without the program's name in front */
static void verdict_says(const struct rt_result *result, const char *expected)
{
	int before = dup(STDERR_FILENO);
	FILE *caught = tmpfile();
	char text[512] = "";

	fflush(stderr);
	dup2(fileno(caught), STDERR_FILENO);
	rt_verdict_say(result, rt_verdict_find(result));
	fflush(stderr);
	dup2(before, STDERR_FILENO);
	close(before);
	rewind(caught);
	assert_non_null(fgets(text, sizeof(text), caught));
	assert_null(fgets(text + strlen(text), 10, caught)); /* one line */
	fclose(caught);
	assert_non_null(strstr(text, ": "));
	assert_string_equal(strstr(text, ": ") + 2, expected);
}

static void verdict_is_put_into_words(void **state)
{
	struct fixture f;

	(void)state;
	fixture_new(&f, 1);
	f.result.limit_ns = 20000;
	add(&f, 0, 123456, 5);
	take(&f);
	verdict_says(&f.result, "limit passed: thread 0 on CPU 0 had a latency of 123 us,"
				" above --limit 20us\n");
	f.result.clock = "monotonic";
	f.result.clock_offset_ns = STARTED_NS;
	f.result.unit_ns = 1;
	rt_status_info(f.status, 0)->cpu = -1;
	verdict_says(&f.result, "limit passed: thread 0 had a latency of 123456 ns at "
				"2026-11-30T18:59:19.000000005Z, above --limit 20us\n");
	fixture_done(&f);
}

static void asked_never_overflows(void **state)
{
	struct rt_result result = { 0 };

	(void)state;
	for (int i = 0; i < RT_ASKED_MAX + 5; i++)
		rt_asked_add(&result, "x", "a", i % 2 ? "b" : NULL, NULL);
	assert_int_equal(result.asked_count, RT_ASKED_MAX);
	rt_asked_done(&result);
	assert_int_equal(result.asked_count, 0);
}

static void shown_is_truncated_toward_zero(void **state)
{
	(void)state;
	assert_int_equal(rt_shown(1999, 1000), 1);
	assert_int_equal(rt_shown(-1999, 1000), -1);
	assert_int_equal(rt_shown(-999, 1000), 0);
	assert_int_equal(rt_shown(-999, 1), -999);
}

/* ---- the histogram block -------------------------------------------------------------------- */

#define COLUMNS_MAX 2

struct block {
	struct fixture f;
	struct rt_linear *linear[COLUMNS_MAX];
	struct rt_histogram_text text;
};

static void block_new(struct block *b, unsigned int columns, uint32_t buckets)
{
	fixture_new(&b->f, columns);
	for (unsigned int i = 0; i < columns; i++) {
		void *memory = aligned_alloc(64, (rt_linear_size(buckets) + 63) & ~(size_t)63);

		b->linear[i] = rt_linear_place(memory, buckets);
	}
	b->text = (struct rt_histogram_text){
		.columns = columns,
		.linear = (const struct rt_linear *const *)b->linear,
		.snap = b->f.snap,
		.unit_ns = 1000,
	};
}

static void block_add(struct block *b, unsigned int i, int64_t us)
{
	uint64_t cycle = rt_status_record(b->f.status, i, -1)->stats.count;

	add(&b->f, i, us * 1000 + 499, 1);
	rt_linear_add(b->linear[i], us, cycle);
}

static void block_is(struct block *b, const char *expected)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	take(&b->f);
	rt_report_histogram(out, &b->text);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void block_done(struct block *b)
{
	for (unsigned int i = 0; i < b->text.columns; i++)
		free(b->linear[i]);
	fixture_done(&b->f);
}

static void block_with_sum(void **state)
{
	static const uint64_t smis[] = { 0, 3 };
	struct block b;

	(void)state;
	block_new(&b, 2, 300);
	block_add(&b, 0, 62);
	block_add(&b, 0, 62);
	block_add(&b, 0, 65);
	block_add(&b, 1, 68);
	block_add(&b, 1, 1350);
	b.text.with_sum = true;
	block_is(&b, "# Histogram\n"
		     "000062 000002\t000000\t000002\n"
		     "000065 000001\t000000\t000001\n"
		     "000068 000000\t000001\t000001\n"
		     "# Total: 000000003 000000001 000000004\n"
		     "# Min Latencies: 00062 00068\n"
		     "# Avg Latencies: 00063 00709\n"
		     "# Max Latencies: 00065 01350 01350\n"
		     "# Histogram Overflows: 00000 00001 00001\n"
		     "# Histogram Overflow at cycle number:\n"
		     "# Thread 0: \n"
		     "# Thread 1: 00001\n"
		     "\n");
	b.text.with_sum = false;
	b.text.smis = smis;
	block_is(&b, "# Histogram\n"
		     "000062 000002\t000000\n"
		     "000065 000001\t000000\n"
		     "000068 000000\t000001\n"
		     "# Total: 000000003 000000001\n"
		     "# Min Latencies: 00062 00068\n"
		     "# Avg Latencies: 00063 00709\n"
		     "# Max Latencies: 00065 01350\n"
		     "# Histogram Overflows: 00000 00001\n"
		     "# Histogram Overflow at cycle number:\n"
		     "# Thread 0: \n"
		     "# Thread 1: 00001\n"
		     "# SMIs: 00000 00003\n"
		     "\n");
	block_done(&b);
}

static void block_of_one_thread(void **state)
{
	struct block b;

	(void)state;
	block_new(&b, 1, 3);
	block_add(&b, 0, -2); /* early: bucket 0, and the minimum stays negative */
	block_add(&b, 0, 2);
	for (int i = 0; i < 3; i++)
		block_add(&b, 0, 5);
	b.text.with_sum = true;
	b.text.zero_rows = true;
	block_is(&b, "# Histogram\n"
		     "000000 000001\t000001\n"
		     "000001 000000\t000000\n"
		     "000002 000001\t000001\n"
		     "# Total: 000000002\n"
		     "# Min Latencies: -0001\n"
		     "# Avg Latencies: 00003\n"
		     "# Max Latencies: 00005\n"
		     "# Histogram Overflows: 00003\n"
		     "# Histogram Overflow at cycle number:\n"
		     "# Thread 0: 00002 00003 00004\n" /* as many as are kept: no others */
		     "\n");
	block_add(&b, 0, 5);
	b.text.zero_rows = false;
	b.text.percentiles = true;
	block_is(&b, "# Histogram\n"
		     "000000 000001\t000001\n"
		     "000002 000001\t000001\n"
		     "# Total: 000000002\n"
		     "# Min Latencies: -0001\n"
		     "# Avg Latencies: 00003\n"
		     "# Max Latencies: 00005\n"
		     "# Histogram Overflows: 00004\n"
		     "# Histogram Overflow at cycle number:\n"
		     "# Thread 0: 00002 00003 00004 # 00001 others\n"
		     "# P50: 00005\n"
		     "# P90: 00005\n"
		     "# P99: 00005\n"
		     "# P99.9: 00005\n"
		     "# P99.99: 00005\n"
		     "# P99.999: 00005\n"
		     "\n");
	block_done(&b);
}

static void block_without_samples(void **state)
{
	struct block b;

	(void)state;
	block_new(&b, 2, 5);
	b.text.with_sum = true;
	block_is(&b, "# Histogram\n"
		     "# Total: 000000000 000000000 000000000\n"
		     "# Min Latencies: 00000 00000\n"
		     "# Avg Latencies: 00000 00000\n"
		     "# Max Latencies: 00000 00000 00000\n"
		     "# Histogram Overflows: 00000 00000 00000\n"
		     "# Histogram Overflow at cycle number:\n"
		     "# Thread 0: \n"
		     "# Thread 1: \n"
		     "\n");
	block_done(&b);
}

static void block_of_large_counts(void **state)
{
	struct block b;

	(void)state;
	block_new(&b, 1, 2);
	b.linear[0]->buckets.cells[1] = UINT32_MAX;
	rt_linear_add(b.linear[0], 1, 0);
	block_is(&b, "# Histogram\n"
		     "000001 4294967296\n"
		     "# Total: 4294967296\n"
		     "# Min Latencies: 00000\n"
		     "# Avg Latencies: 00000\n"
		     "# Max Latencies: 00000\n"
		     "# Histogram Overflows: 00000\n"
		     "# Histogram Overflow at cycle number:\n"
		     "# Thread 0: \n"
		     "\n");
	block_done(&b);
}

static void percentiles_of_all(void **state)
{
	struct fixture f;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	fixture_new(&f, 2);
	for (int i = 0; i < 98; i++) /* 1000000 ns is within 999424..1003519 */
		add(&f, 0, 10000, 1);
	add(&f, 1, 200000, 1);
	add(&f, 1, 1000000, 1);
	take(&f);
	rt_report_percentiles(out, f.snap, 1000, true);
	rt_report_percentiles(out, f.snap, 1, false);
	fclose(out);
	/* 200000 lies in the octave 2^17, 1024 a bucket: 199680..200703 */
	assert_string_equal(text, "# P50: 00010 00200 00010\n"
				  "# P90: 00010 01000 00010\n"
				  "# P99: 00010 01000 00200\n"
				  "# P99.9: 00010 01000 01000\n"
				  "# P99.99: 00010 01000 01000\n"
				  "# P99.999: 00010 01000 01000\n"
				  "# P50: 10000 200703\n"
				  "# P90: 10000 1000000\n"
				  "# P99: 10000 1000000\n"
				  "# P99.9: 10000 1000000\n"
				  "# P99.99: 10000 1000000\n"
				  "# P99.999: 10000 1000000\n");
	free(text);
	fixture_done(&f);
}

/* ---- live -------------------------------------------------------------------------- */

static void live_is_silent_without_a_terminal(void **state)
{
	struct rt_live live;
	FILE *out = tmpfile();

	(void)state;
	rt_live_init(&live, out);
	assert_false(rt_live_begin(&live, 2));
	assert_false(rt_live_begin(&live, 2));
	rt_live_end(&live);
	assert_int_equal(ftell(out), 0);
	fclose(out);
}

static void live_goes_back_by_the_lines_it_drew(void **state)
{
	char *text = NULL;
	size_t size;
	struct rt_live live = { .out = open_memstream(&text, &size), .is_terminal = true };

	(void)state;
	for (unsigned int lines = 2; lines < 5; lines++) {
		assert_true(rt_live_begin(&live, lines));
		fputs("x\n", live.out);
		rt_live_end(&live);
	}
	assert_string_equal(text, "x\n\033[2Ax\n\033[3Ax\n");
	fclose(live.out);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(snapshot_keeps_its_last_good_copy),
		cmocka_unit_test(snapshot_of_records_without_a_place),
		cmocka_unit_test(verdict_names_the_worst_above_the_limit),
		cmocka_unit_test(verdict_is_put_into_words),
		cmocka_unit_test(asked_never_overflows),
		cmocka_unit_test(shown_is_truncated_toward_zero),
		cmocka_unit_test(block_with_sum),
		cmocka_unit_test(block_of_one_thread),
		cmocka_unit_test(block_without_samples),
		cmocka_unit_test(block_of_large_counts),
		cmocka_unit_test(percentiles_of_all),
		cmocka_unit_test(live_is_silent_without_a_terminal),
		cmocka_unit_test(live_goes_back_by_the_lines_it_drew),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
