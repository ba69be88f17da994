/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock: names both ways, and probes that cost nothing. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "rt/clock.h"

static void test_names(void **state RT_UNUSED)
{
	static const struct {
		const char *text;
		clockid_t clock;
		const char *name;
	} rows[] = {
		{ "monotonic", CLOCK_MONOTONIC, "monotonic" },
		{ "realtime", CLOCK_REALTIME, "realtime" },
		{ "tai", CLOCK_TAI, "tai" },
		{ "boottime", CLOCK_BOOTTIME, "boottime" },
		{ "0", CLOCK_MONOTONIC, "monotonic" },
		{ "1", CLOCK_REALTIME, "realtime" },
		{ "aux0", 16, "aux0" },
		{ "aux7", 23, "aux7" },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		clockid_t clock = -1;

		assert_int_equal(rt_clock_parse(&clock, rows[i].text, NULL), 0);
		assert_int_equal(clock, rows[i].clock);
		assert_string_equal(rt_clock_name(clock), rows[i].name);
	}
}

static void test_refused_names(void **state RT_UNUSED)
{
	static const char *const rows[] = { "",	   "2",	   "00",   "aux8",	"aux",	 "aux00",
					    "mono", " tai", "tai ", "Monotonic", "-1", "aux-1" };

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct rt_err err = { 0 };
		clockid_t clock = -1;

		assert_int_equal(rt_clock_parse(&clock, rows[i], &err), -EINVAL);
		assert_int_equal(clock, -1);
		assert_int_equal(err.exit, RT_EXIT_USAGE);
		assert_non_null(strstr(err.text, "boottime"));
	}
	assert_string_equal(rt_clock_name(-1), "unknown");
	assert_string_equal(rt_clock_name(24), "unknown");
	assert_string_equal(rt_clock_name(CLOCK_PROCESS_CPUTIME_ID), "unknown");
}

static void test_conversion(void **state RT_UNUSED)
{
	struct timespec ts = rt_ns_timespec(INT64_C(5000000007));

	assert_int_equal(ts.tv_sec, 5);
	assert_int_equal(ts.tv_nsec, 7);
	assert_int_equal(rt_timespec_ns(&ts), INT64_C(5000000007));
	ts = (struct timespec){ .tv_sec = 2000000000, .tv_nsec = 999999999 };
	assert_int_equal(rt_timespec_ns(&ts), INT64_C(2000000000999999999));
}

static void test_probe(void **state RT_UNUSED)
{
	struct rt_err err = { 0 };
	int64_t before = rt_clock_ns(CLOCK_MONOTONIC);

	assert_int_equal(rt_clock_probe(CLOCK_MONOTONIC, &err), 0);
	assert_int_equal(rt_clock_probe(CLOCK_REALTIME, &err), 0);
	assert_int_equal(rt_clock_probe(CLOCK_BOOTTIME, &err), 0);
	assert_false(rt_err_is_set(&err));
	assert_true(rt_clock_ns(CLOCK_MONOTONIC) >= before);

	assert_int_equal(rt_clock_probe(15, &err), -EINVAL); /* no kernel has it */
	assert_int_equal(err.exit, RT_EXIT_MISSING);
	assert_int_equal(rt_clock_resolution_ns(15), 0);
	assert_true(rt_clock_resolution_ns(CLOCK_MONOTONIC) > 0);
}

/* Readable, but nobody can sleep on it. */
static void test_probe_sleepless(void **state RT_UNUSED)
{
	struct rt_err err = { 0 };
	int code = rt_clock_probe(CLOCK_MONOTONIC_RAW, &err);

	assert_true(code == -EOPNOTSUPP || code == -EINVAL);
	assert_int_equal(err.exit, RT_EXIT_MISSING);
	assert_non_null(strstr(err.text, "cannot sleep"));
}

/* Whatever this kernel does with them, a refusal is explained. */
static void test_probe_aux(void **state RT_UNUSED)
{
	for (int i = 0; i < RT_CLOCK_AUX_COUNT; i++) {
		struct rt_err err = { 0 };
		int code = rt_clock_probe(RT_CLOCK_AUX0 + i, &err);

		assert_true(code == 0 || code == -EINVAL || code == -EOPNOTSUPP);
		assert_int_equal(rt_err_is_set(&err), code != 0);
		if (code)
			assert_non_null(strstr(err.text, "aux"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	   cmocka_unit_test(test_refused_names),
		cmocka_unit_test(test_conversion), cmocka_unit_test(test_probe),
		cmocka_unit_test(test_probe_sleepless), cmocka_unit_test(test_probe_aux),
	};

	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
