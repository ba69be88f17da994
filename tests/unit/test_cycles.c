/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_cycles - the counter goes forward, its frequency is found, and cycles
 * become nanoseconds without loss.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rt/compiler.h"
#include "rt/cycles.h"

static const uint64_t frequencies[] = { 1000000,    19200000,   24000000,     62500000,
					100000000,  999999999,  1000000000,   2445406000,
					2597000000, 4000000000, 10000000000 };

static void counter_goes_forward(void **state)
{
	uint64_t last = rt_cycles();

	(void)state;
	for (int i = 0; i < 10000; i++) {
		uint64_t now = rt_cycles();

		assert_true(now >= last);
		last = now;
	}
}

static void frequency_from_stamps(void **state)
{
	static const struct {
		uint64_t cycles;
		int64_t ns;
		uint64_t hz;
	} rows[] = {
		{ 2597000000, RT_NS_PER_S, 2597000000 },
		{ 24000000, RT_NS_PER_S, 24000000 },
		{ 1, 3, 333333333 },
		{ UINT64_C(1500000000000000), INT64_C(600000000000000), 2500000000 }, /* a week */
		{ 5, 0, 0 },
		{ 5, -1, 0 },
		{ 0, 5, 0 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct rt_cycles_stamp from = { .cycles = 1234567, .raw_ns = 987654 };
		struct rt_cycles_stamp to = { .cycles = from.cycles + rows[i].cycles,
					      .raw_ns = from.raw_ns + rows[i].ns };

		assert_int_equal(rt_cycles_hz(&from, &to), rows[i].hz);
	}
}

/* Two looks at the same counter, on a busy machine, agree within one in a hundred. */
static void measured_twice_is_the_same(void **state)
{
	uint64_t one = rt_cycles_measure_hz(20 * RT_NS_PER_MS);
	uint64_t two = rt_cycles_measure_hz(40 * RT_NS_PER_MS);

	(void)state;
	assert_true(one > 0 && two > 0);
	assert_true(one - one / 100 < two && two < one + one / 100);
}

static void stamps_are_of_one_moment(void **state)
{
	struct rt_cycles_stamp a, b;

	(void)state;
	rt_cycles_stamp(&a);
	rt_cycles_stamp(&b);
	assert_true(b.cycles > a.cycles && b.raw_ns > a.raw_ns && b.mono_ns > a.mono_ns);
}

/* By hand: cycles times 10^9 by hz, within one nanosecond for a second, and 1e-9 of a week. */
static void cycles_become_nanoseconds(void **state)
{
	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(frequencies); i++) {
		struct rt_cycles_scale s = rt_cycles_scale(frequencies[i]);
		int64_t second = rt_cycles_ns(&s, frequencies[i]);
		int64_t week = rt_cycles_ns(&s, frequencies[i] * 604800);

		assert_true(s.mult >> 31 == 1);
		assert_int_equal(rt_cycles_ns(&s, 0), 0);
		assert_in_range(second, RT_NS_PER_S - 1, RT_NS_PER_S + 1);
		assert_in_range(week, 604800 * RT_NS_PER_S - 604800, 604800 * RT_NS_PER_S + 604800);
	}
}

/* cycles * mult / 2^shift in whole numbers of any size, where halves that are cut would show. */
static void no_half_is_cut(void **state)
{
	static const struct {
		uint64_t hz, cycles;
		int64_t ns;
	} rows[] = {
		{ 1000000, UINT64_C(5219407314941), INT64_C(5219407314941000) },
		{ 24000000, UINT64_C(3853871398127), INT64_C(160577974941100) },
		{ 10000000000, UINT64_C(7894816077093), INT64_C(789481607755) },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct rt_cycles_scale s = rt_cycles_scale(rows[i].hz);

		assert_true(rt_cycles_ns(&s, rows[i].cycles) == rows[i].ns);
	}
}

static void nanoseconds_become_cycles(void **state)
{
	static const int64_t times[] = { 0, 1, 2, 500, 999, 1000, 1500, 32000, RT_NS_PER_S,
					 3600 * RT_NS_PER_S };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(frequencies); i++) {
		struct rt_cycles_scale s = rt_cycles_scale(frequencies[i]);

		for (size_t k = 0; k < RT_ARRAY_SIZE(times); k++) {
			uint64_t cycles = rt_cycles_from(&s, times[k]);

			assert_true(rt_cycles_ns(&s, cycles) >= times[k]);
			assert_true(cycles == 0 || rt_cycles_ns(&s, cycles - 1) < times[k]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counter_goes_forward),
		cmocka_unit_test(frequency_from_stamps),
		cmocka_unit_test(measured_twice_is_the_same),
		cmocka_unit_test(stamps_are_of_one_moment),
		cmocka_unit_test(cycles_become_nanoseconds),
		cmocka_unit_test(no_half_is_cut),
		cmocka_unit_test(nanoseconds_become_cycles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
