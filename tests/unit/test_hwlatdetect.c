/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_hwlatdetect - lines of trace_pipe as kernels write them, masks, sums, text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "../../src/hwlatdetect/hwlat.h"

static void lines(void **state)
{
	static const struct {
		const char *line;
		enum hwl_line kind;
		struct hwl_sample sample;
		uint64_t lost;
	} rows[] = {
		/* five, seven flags; the latency format; padded numbers; NMIs; no count */
		{ "           <...>-1729  [001] d....   678.473449: #1     inner/outer(us):   11/12    "
		  "ts:1581527483.343962693 count:6", HWL_LINE_SAMPLE,
		  { INT64_C(1581527483343962693), 11, 12, 6, -1, -1, 1 }, 0 },
		{ "           <...>-146     [002] dn.....    26.290813: #2     inner/outer(us): "
		  "29014/30434 ts:1796060333.239719204 count:124", HWL_LINE_SAMPLE,
		  { INT64_C(1796060333239719204), 29014, 30434, 124, -1, -1, 2 }, 0 },
		{ "   <...>-158       2dnL.... 5660357us : #6     inner/outer(us): 37704/44075 "
		  "ts:1796060346.521479440 count:198", HWL_LINE_SAMPLE,
		  { INT64_C(1796060346521479440), 37704, 44075, 198, -1, -1, 2 }, 0 },
		{ "   <...>-158      13d...... 6682682us : #7     inner/outer(us): 24129/8113  "
		  "ts:1796060347.543731178 count:360", HWL_LINE_SAMPLE,
		  { INT64_C(1796060347543731178), 24129, 8113, 360, -1, -1, 13 }, 0 },
		{ " hwlatd/3-90 [003] d.... 1.0: #9 inner/outer(us):    0/25    ts:7.000000042 "
		  "count:1 nmi-total:4 nmi-count:2", HWL_LINE_SAMPLE,
		  { 7 * RT_NS_PER_S + 42, 0, 25, 1, 4, 2, 3 }, 0 },
		{ " <...>-5 [4095] d.... 1.0: #1 inner/outer(us): 1/2 ts:5.000001", HWL_LINE_SAMPLE,
		  { 5 * RT_NS_PER_S + 1000, 1, 2, -1, -1, -1, 4095 }, 0 },
		/* what else may come */
		{ "CPU:1 [LOST 3 EVENTS]", HWL_LINE_LOST, { 0 }, 3 },
		{ "CPU:130 [LOST 4294967296 EVENTS]", HWL_LINE_LOST, { 0 }, UINT64_C(4294967296) },
		{ "CPU:1 [LOST EVENTS]", HWL_LINE_OTHER, { 0 }, 0 },
		{ "", HWL_LINE_OTHER, { 0 }, 0 },
		{ "#", HWL_LINE_OTHER, { 0 }, 0 },
		{ "# tracer: hwlat", HWL_LINE_OTHER, { 0 }, 0 },
		{ " sh-12 [000] ..... 1.0: tracing_mark_write: hello #1 world", HWL_LINE_OTHER, { 0 }, 0 },
		{ " <...>-5 [001] d.... 1.0: #1 inner/outer(us): 1/ ts:5.0", HWL_LINE_OTHER, { 0 }, 0 },
		{ " <...>-5 [001] d.... 1.0: #1 inner/outer(us): 1/2", HWL_LINE_OTHER, { 0 }, 0 },
		{ " <...>-5 [001] d.... 1.0: #1 inner/outer(us):", HWL_LINE_OTHER, { 0 }, 0 },
		{ " <...>-5 [x] d.... 1.0: #1 inner/outer(us): 1/2 ts:5.0", HWL_LINE_OTHER, { 0 }, 0 },
		{ "#1 inner/outer(us): 1/2 ts:5.0", HWL_LINE_OTHER, { 0 }, 0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct hwl_sample s = { 0 };
		uint64_t lost = 0;

		assert_int_equal(hwl_line_parse(rows[i].line, &s, &lost), rows[i].kind);
		assert_int_equal(lost, rows[i].lost);
		if (rows[i].kind != HWL_LINE_SAMPLE)
			continue;
		assert_int_equal(s.at_ns, rows[i].sample.at_ns);
		assert_int_equal(s.inner_us, rows[i].sample.inner_us);
		assert_int_equal(s.outer_us, rows[i].sample.outer_us);
		assert_int_equal(s.count, rows[i].sample.count);
		assert_int_equal(s.nmi_total_us, rows[i].sample.nmi_total_us);
		assert_int_equal(s.nmi_count, rows[i].sample.nmi_count);
		assert_int_equal(s.cpu, rows[i].sample.cpu);
	}
}

static void masks(void **state)
{
	static const struct {
		const char *list;
		const char *mask;
	} rows[] = {
		{ "0", "1" },     { "0-1", "3" }, { "4", "10" }, { "31", "80000000" },
		{ "32", "1,00000000" }, { "0,35", "8,00000001" }, { "64", "1,00000000,00000000" },
		{ "", "0" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct rt_cpuset set = RT_CPUSET_INIT;
		char *mask;

		assert_int_equal(rt_cpuset_kernel_list(&set, rows[i].list), 0);
		mask = hwl_mask_text(&set);
		assert_string_equal(mask, rows[i].mask);
		free(mask);
		rt_cpuset_done(&set);
	}
}

static void sums(void **state)
{
	struct hwl_log log = { 0 };
	struct hwl_sample s = { .at_ns = 100 * RT_NS_PER_S, .inner_us = 11, .outer_us = 14, .count = 1 };

	(void)state;
	assert_true(hwl_mtbf_s(&log, 1000000, 500000) < 0);
	hwl_log_add(&log, &s);
	assert_true(hwl_mtbf_s(&log, 1000000, 500000) < 0); /* of one there is no time between */
	s = (struct hwl_sample){ .at_ns = 101 * RT_NS_PER_S, .inner_us = 20, .outer_us = 2, .count = 3 };
	hwl_log_add(&log, &s);
	s = (struct hwl_sample){ .at_ns = 102 * RT_NS_PER_S, .inner_us = 1, .outer_us = 16, .count = -1 };
	hwl_log_add(&log, &s);
	assert_int_equal(log.count, 3);
	assert_int_equal(log.kept, 3);
	assert_int_equal(log.exceeding, 1 + 3 + 1);
	assert_int_equal(log.max_us, 20);
	/* two seconds, two gaps, looked at half of the time */
	assert_float_equal(hwl_mtbf_s(&log, 1000000, 500000), 2.0, 1e-9);
	hwl_log_done(&log);
}

static void sample_lines(void **state)
{
	const struct hwl_sample first = { INT64_C(1581527481343962693), 11, 14, 1, -1, -1, 1 };
	const struct hwl_sample next = { INT64_C(1581527482343962700), 12, 15, -1, -1, -1, 0 };
	char *text;

	(void)state;
	setenv("TZ", "UTC", 1);
	text = hwl_sample_text(&first, NULL, NULL);
	assert_string_equal(text, "ts: 1581527481.343962693, delta:nan, inner:11, outer:14, cpu:1, count:1\n");
	free(text);
	text = hwl_sample_text(&next, &first, NULL);
	assert_string_equal(text, "ts: 1581527482.343962700, delta:1.000000, inner:12, outer:15, cpu:0\n");
	free(text);
	text = hwl_sample_text(&first, NULL, "%H:%M:%S.%n");
	assert_string_equal(text, "ts: 17:11:21.343962693, delta:nan, inner:11, outer:14, cpu:1, count:1\n");
	free(text);
	text = hwl_sample_text(&first, NULL, "%%n%n%n%");
	assert_true(strncmp(text, "ts: %n343962693343962693%,", 26) == 0);
	free(text);
	text = hwl_sample_text(&first, NULL, "%600Y");
	assert_true(strncmp(text, "ts: 1581527481.343962693,", 25) == 0); /* too long to be had */
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(masks),
		cmocka_unit_test(sums),
		cmocka_unit_test(sample_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
