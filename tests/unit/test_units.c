/* SPDX-License-Identifier: GPL-2.0-or-later */
/* units: every way in which people write numbers, and those that must be refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "rt/compiler.h"
#include "rt/units.h"

#define UNTOUCHED INT64_C(-4242)
#define S RT_NS_PER_S
#define D (86400 * S)

static void expect(const char *text, int got, int64_t got_value, int want, int64_t want_value)
{
	if (got != want || got_value != (want ? UNTOUCHED : want_value))
		fail_msg("'%s': got %d, %lld; want %d, %lld", text, got, (long long)got_value, want,
			 (long long)want_value);
}

static void test_int(void **state RT_UNUSED)
{
	static const struct {
		const char *text;
		int64_t min, max;
		int code;
		int64_t value;
	} rows[] = {
		{ "0", 0, 10, 0, 0 },
		{ "10", 0, 10, 0, 10 },
		{ "11", 0, 10, -ERANGE, 0 },
		{ "007", 0, 10, 0, 7 },
		{ "+7", 0, 10, 0, 7 },
		{ " 3500", 0, 9999, 0, 3500 },
		{ "\t5", 0, 10, 0, 5 },
		{ "600.00", 0, 9999, 0, 600 },
		{ "600.0", 0, 9999, 0, 600 },
		{ "-5.0", -9, 9, 0, -5 },
		{ "-5", 0, 10, -ERANGE, 0 },
		{ "-5", -5, 10, 0, -5 },
		{ "-0", 0, 10, 0, 0 },
		{ "-6", -5, 10, -ERANGE, 0 },
		{ "9223372036854775807", 0, INT64_MAX, 0, INT64_MAX },
		{ "9223372036854775808", 0, INT64_MAX, -ERANGE, 0 },
		{ "-9223372036854775807", INT64_MIN, 0, 0, -INT64_MAX },
		{ "99999999999999999999999", INT64_MIN, INT64_MAX, -ERANGE, 0 },
		{ "-99999999999999999999999", INT64_MIN, INT64_MAX, -ERANGE, 0 },
		{ "99999999999999999999999x", 0, INT64_MAX, -EINVAL, 0 },
		{ "4294967296", 0, 10, -ERANGE, 0 },
		{ "", 0, 10, -EINVAL, 0 },
		{ " ", 0, 10, -EINVAL, 0 },
		{ "-", -9, 10, -EINVAL, 0 },
		{ "+", 0, 10, -EINVAL, 0 },
		{ "--5", -9, 10, -EINVAL, 0 },
		{ "+-5", -9, 10, -EINVAL, 0 },
		{ "- 5", -9, 10, -EINVAL, 0 },
		{ "abc", 0, 10, -EINVAL, 0 },
		{ "5x", 0, 10, -EINVAL, 0 },
		{ "5 ", 0, 10, -EINVAL, 0 },
		{ "5 6", 0, 10, -EINVAL, 0 },
		{ "1e3", 0, 9999, -EINVAL, 0 },
		{ "0x10", 0, 9999, -EINVAL, 0 },
		{ "1.5", 0, 10, -EINVAL, 0 },
		{ "600.01", 0, 9999, -EINVAL, 0 },
		{ "5.", 0, 10, -EINVAL, 0 },
		{ ".", 0, 10, -EINVAL, 0 },
		{ "5.0.0", 0, 10, -EINVAL, 0 },
		{ "5us", 0, 10, -EINVAL, 0 },
		{ "1,000", 0, 9999, -EINVAL, 0 },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		int64_t value = UNTOUCHED;
		int code = rt_parse_int(&value, rows[i].text, rows[i].min, rows[i].max);

		expect(rows[i].text, code, value, rows[i].code, rows[i].value);
	}
}

static void test_double(void **state RT_UNUSED)
{
	static const struct {
		const char *text;
		int code;
		double value;
	} rows[] = {
		{ "1.5", 0, 1.5 },    { "2", 0, 2 },	    { " 0.25", 0, 0.25 },
		{ ".5", 0, 0.5 },     { "-1.5", 0, -1.5 },  { "100", 0, 100 },
		{ "100.1", -ERANGE }, { "-100.5", -ERANGE }, { "", -EINVAL },
		{ "1.", -EINVAL },    { "1e1", -EINVAL },   { "nan", -EINVAL },
		{ "inf", -EINVAL },   { "0x1", -EINVAL },   { "1.5x", -EINVAL },
		{ "1,5", -EINVAL },   { "-", -EINVAL },
	};
	char huge[400];
	double value = -42;

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		int code;

		value = -42;
		code = rt_parse_double(&value, rows[i].text, -100, 100);
		if (code != rows[i].code || fabs(value - (code ? -42 : rows[i].value)) > 0)
			fail_msg("'%s': got %d, %f", rows[i].text, code, value);
	}
	memset(huge, '9', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = '\0';
	assert_int_equal(rt_parse_double(&value, huge, 0, INFINITY), -ERANGE);
}

static void test_size(void **state RT_UNUSED)
{
	static const struct {
		const char *text;
		int code;
		int64_t value;
	} rows[] = {
		{ "4096", 0, 4096 },
		{ "4096b", 0, 4096 },
		{ "64k", 0, 65536 },
		{ "64K", 0, 65536 },
		{ "1M", 0, 1048576 },
		{ "4g", 0, INT64_C(4) << 30 },
		{ "0", 0, 0 },
		{ "8589934591G", 0, INT64_C(8589934591) << 30 },
		{ "8589934592G", -ERANGE, 0 },
		{ "-1k", -ERANGE, 0 },
		{ "1kb", -EINVAL, 0 },
		{ "1T", -EINVAL, 0 },
		{ "1.5M", -EINVAL, 0 },
		{ "k", -EINVAL, 0 },
		{ "1 k", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
		{ "0x10", -EINVAL, 0 },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		int64_t value = UNTOUCHED;
		int code = rt_parse_size(&value, rows[i].text, 0, INT64_MAX);

		expect(rows[i].text, code, value, rows[i].code, rows[i].value);
	}
}

static void test_time(void **state RT_UNUSED)
{
	static const struct {
		const char *text;
		enum rt_time_units units;
		int code;
		int64_t ns; /* bare numbers are seconds */
	} rows[] = {
		{ "90", RT_UNITS_FINE, 0, 90 * S },
		{ "0", RT_UNITS_FINE, 0, 0 },
		{ "-0", RT_UNITS_FINE, 0, 0 },
		{ " 90", RT_UNITS_FINE, 0, 90 * S },
		{ "600.00", RT_UNITS_FINE, 0, 600 * S },
		{ "20ns", RT_UNITS_FINE, 0, 20 },
		{ "20us", RT_UNITS_FINE, 0, 20000 },
		{ "10ms", RT_UNITS_DURATION, 0, 10000000 },
		{ "1.5s", RT_UNITS_FINE, 0, 1500000000 },
		{ ".5s", RT_UNITS_FINE, 0, 500000000 },
		{ "0.1us", RT_UNITS_FINE, 0, 100 },
		{ "1.000000001s", RT_UNITS_FINE, 0, S + 1 },
		{ "1.0000000019999s", RT_UNITS_FINE, 0, S + 1 },
		{ "0.999999999999999999999999s", RT_UNITS_FINE, 0, S - 1 },
		{ "1.9ns", RT_UNITS_FINE, 0, 1 },
		{ "1m0s", RT_UNITS_DURATION, 0, 60 * S },
		{ "1h30m", RT_UNITS_DURATION, 0, 5400 * S },
		{ "30m1h", RT_UNITS_DURATION, 0, 5400 * S },
		{ "1s500ms", RT_UNITS_FINE, 0, 1500000000 },
		{ "1.5h", RT_UNITS_DURATION, 0, 5400 * S },
		{ "5M", RT_UNITS_DURATION, 0, 300 * S },
		{ "2H", RT_UNITS_DURATION, 0, 7200 * S },
		{ "1D", RT_UNITS_DURATION, 0, D },
		{ "7d", RT_UNITS_DURATION, 0, 7 * D },
		{ "30000d", RT_UNITS_DURATION, 0, 30000 * D },
		{ "1w", RT_UNITS_WEEKS, 0, 7 * D },
		{ "1w1d", RT_UNITS_WEEKS, 0, 8 * D },
		{ "9223372036854775807ns", RT_UNITS_FINE, 0, INT64_MAX },
		{ "9223372036854775808ns", RT_UNITS_FINE, -ERANGE, 0 },
		{ "9223372036854775807ns1ns", RT_UNITS_FINE, -ERANGE, 0 },
		{ "9223372036s", RT_UNITS_FINE, 0, 9223372036 * S },
		{ "9223372037", RT_UNITS_FINE, -ERANGE, 0 },
		{ "9223372036.9s", RT_UNITS_FINE, -ERANGE, 0 },
		{ "106752d", RT_UNITS_DURATION, -ERANGE, 0 },
		{ "99999999999999999999", RT_UNITS_FINE, -ERANGE, 0 },
		{ "-5", RT_UNITS_FINE, -ERANGE, 0 },
		{ "-5s", RT_UNITS_FINE, -ERANGE, 0 },
		{ "-99999999999999999999", RT_UNITS_FINE, -ERANGE, 0 },
		{ "1w", RT_UNITS_DURATION, -EINVAL, 0 },
		{ "5m", RT_UNITS_FINE, -EINVAL, 0 },
		{ "1h", RT_UNITS_FINE, -EINVAL, 0 },
		{ "5S", RT_UNITS_FINE, -EINVAL, 0 },
		{ "5MS", RT_UNITS_DURATION, -EINVAL, 0 },
		{ "", RT_UNITS_FINE, -EINVAL, 0 },
		{ "s", RT_UNITS_FINE, -EINVAL, 0 },
		{ "abc", RT_UNITS_FINE, -EINVAL, 0 },
		{ "5x", RT_UNITS_FINE, -EINVAL, 0 },
		{ "5sx", RT_UNITS_FINE, -EINVAL, 0 },
		{ "1.5", RT_UNITS_FINE, -EINVAL, 0 },
		{ "1.s", RT_UNITS_FINE, -EINVAL, 0 },
		{ "1..5s", RT_UNITS_FINE, -EINVAL, 0 },
		{ "1m30", RT_UNITS_DURATION, -EINVAL, 0 },
		{ "1m 30s", RT_UNITS_DURATION, -EINVAL, 0 },
		{ "1m-30s", RT_UNITS_DURATION, -EINVAL, 0 },
		{ "5 s", RT_UNITS_FINE, -EINVAL, 0 },
		{ "5s ", RT_UNITS_FINE, -EINVAL, 0 },
		{ "1e3", RT_UNITS_FINE, -EINVAL, 0 },
		{ "1e3s", RT_UNITS_FINE, -EINVAL, 0 },
		{ "99999999999999999999x", RT_UNITS_FINE, -EINVAL, 0 },
		{ "1:30", RT_UNITS_DURATION, -EINVAL, 0 },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		int64_t ns = UNTOUCHED;
		int code = rt_parse_time(&ns, rows[i].text, S, rows[i].units, 0, INT64_MAX);

		expect(rows[i].text, code, ns, rows[i].code, rows[i].ns);
	}
}

static void test_time_range(void **state RT_UNUSED)
{
	int64_t ns = UNTOUCHED;

	assert_int_equal(rt_parse_time(&ns, "0", RT_NS_PER_US, RT_UNITS_FINE, 1000, S), -ERANGE);
	assert_int_equal(rt_parse_time(&ns, "999ns", RT_NS_PER_US, RT_UNITS_FINE, 1000, S), -ERANGE);
	assert_int_equal(rt_parse_time(&ns, "1000001", RT_NS_PER_US, RT_UNITS_FINE, 1000, S),
			 -ERANGE);
	assert_int_equal(ns, UNTOUCHED);
	assert_int_equal(rt_parse_time(&ns, "1", RT_NS_PER_US, RT_UNITS_FINE, 1000, S), 0);
	assert_int_equal(ns, 1000);
	assert_int_equal(rt_parse_time(&ns, "1s", RT_NS_PER_US, RT_UNITS_FINE, 1000, S), 0);
	assert_int_equal(ns, S);
}

static void test_span(void **state RT_UNUSED)
{
	struct rt_span span = { -1, false };
	int64_t ns = UNTOUCHED;

	assert_int_equal(rt_parse_span(&span, "5x"), -EINVAL);
	assert_int_equal(rt_parse_span(&span, "5m"), -EINVAL);
	assert_int_equal(rt_parse_span(&span, "1.5"), -EINVAL);
	assert_int_equal(rt_parse_span(&span, "-1"), -ERANGE);
	assert_int_equal(span.value, -1);

	assert_int_equal(rt_parse_span(&span, "20"), 0);
	assert_true(span.is_bare);
	assert_int_equal(rt_span_ns(&ns, &span, RT_NS_PER_US), 0);
	assert_int_equal(ns, 20000);
	assert_int_equal(rt_span_ns(&ns, &span, 1), 0);
	assert_int_equal(ns, 20);

	assert_int_equal(rt_parse_span(&span, "20us"), 0);
	assert_false(span.is_bare);
	assert_int_equal(rt_span_ns(&ns, &span, 1), 0);
	assert_int_equal(ns, 20000);

	ns = UNTOUCHED;
	assert_int_equal(rt_parse_span(&span, "9223372036854775807"), 0);
	assert_int_equal(rt_span_ns(&ns, &span, RT_NS_PER_US), -ERANGE);
	assert_int_equal(ns, UNTOUCHED);
}

static void test_format_time(void **state RT_UNUSED)
{
	static const struct {
		int64_t ns;
		const char *text;
	} rows[] = {
		{ 0, "0s" },
		{ 1, "1ns" },
		{ 20000, "20us" },
		{ 1500000, "1500us" },
		{ 10000000, "10ms" },
		{ 90 * S, "90s" },
		{ 300 * S, "5m" },
		{ 7200 * S, "2h" },
		{ 7 * D, "7d" },
		{ S + 1, "1000000001ns" },
		{ -5000000, "-5ms" },
		{ INT64_MAX, "9223372036854775807ns" },
		{ INT64_MIN, "-9223372036854775808ns" },
	};
	char buf[RT_TIME_TEXT_MAX];

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		int64_t back;

		assert_string_equal(rt_format_time(buf, sizeof(buf), rows[i].ns), rows[i].text);
		if (rows[i].ns < 0)
			continue;
		assert_int_equal(rt_parse_time(&back, buf, 1, RT_UNITS_DURATION, 0, INT64_MAX), 0);
		assert_int_equal(back, rows[i].ns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_int),	   cmocka_unit_test(test_double),
		cmocka_unit_test(test_size),	   cmocka_unit_test(test_time),
		cmocka_unit_test(test_time_range), cmocka_unit_test(test_span),
		cmocka_unit_test(test_format_time),
	};

	return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
