/* SPDX-License-Identifier: GPL-2.0-or-later */
/* steal: a column of /proc/stat, and what grew between two looks. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "rt/compiler.h"
#include "rt/steal.h"

static void test_parse(void **state RT_UNUSED)
{
	static const char text[] = "cpu  1 2 3 4 5 6 7 80 9 10\n"
				   "cpu0 1 2 3 4 5 6 7 8 9 10\n"
				   "cpu1 1 2 3 4 5 6 7\n"
				   "cpu10 1 2 3 4 5 6 7 18 9 10\n"
				   "cpu12 1 2 3 4 5 6 7 x\n"
				   "intr 1 2 3 4 5 6 7 8 9\n";
	static const struct {
		int cpu;
		int64_t steps;
	} rows[] = { { 0, 8 }, { 1, -1 }, { 2, -1 }, { 10, 18 }, { 12, -1 }, { 100, -1 } };

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++)
		assert_int_equal(rt_steal_parse(text, rows[i].cpu), rows[i].steps);
	assert_int_equal(rt_steal_parse("", 0), -1);
	assert_int_equal(rt_steal_parse("cpu0 ", 0), -1);
}

static char *said(const struct rt_steal *steal)
{
	struct rt_cpuset cpus = RT_CPUSET_INIT;
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_int_equal(rt_cpuset_kernel_list(&cpus, "1-3"), 0);
	rt_steal_say(steal, &cpus, out);
	fclose(out);
	rt_cpuset_done(&cpus);
	return text;
}

static void test_say(void **state RT_UNUSED)
{
	int64_t before[] = { 0, 10000000, -1, 50000000 }, after[] = { 70000000, 40000000, -1, 70000000 };
	struct rt_steal steal = { .is_virtual = true, .step_ns = 10000000, .count = 4,
				  .before_ns = before, .after_ns = after };
	char *text = said(&steal);

	assert_int_equal(rt_steal_of(&steal, 0), 70000000);
	assert_int_equal(rt_steal_of(&steal, 2), -1);
	assert_int_equal(rt_steal_of(&steal, 4), -1);
	assert_int_equal(rt_steal_of(&steal, -1), -1);
	assert_string_equal(text, "# Stolen by the host in all the run, in steps of 10 ms: "
				  "30 ms of CPU 1, 20 ms of CPU 3\n");
	free(text);
	text = said(&(struct rt_steal){ .is_virtual = true, .step_ns = 10000000 });
	assert_non_null(strstr(text, ": none that is told\n"));
	free(text);
	text = said(&(struct rt_steal){ .is_virtual = false });
	assert_string_equal(text, "");
	free(text);
}

static void test_here(void **state RT_UNUSED)
{
	struct rt_steal steal = { 0 };

	rt_steal_begin(&steal);
	rt_steal_end(&steal);
	assert_true(rt_steal_of(&steal, 0) >= -1);
	assert_true(!steal.is_virtual || steal.step_ns > 0);
	rt_steal_done(&steal);
	assert_int_equal(rt_steal_of(&steal, 0), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_say),
		cmocka_unit_test(test_here),
	};

	return cmocka_run_group_tests_name("steal", tests, NULL, NULL);
}
