/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_line: lines of a trace, and the nanoseconds that they lack. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "rt/compiler.h"
#include "rt/trace_line.h"

static void test_times(void **state RT_UNUSED)
{
	static const struct {
		const char *line;
		int64_t at_ns; /* -1: no line */
	} rows[] = {
		{ "a-1 [001] d..2. 5.000001: x: y", 5000001000 },
		{ "a-1 [001] d..2. 5.000001002: x: y", 5000001002 },
		{ "a-1 [001] 5.000001002: x: y", 5000001002 },
		{ "a-1 [001] d..2. 5.0000010: x: y", -1 },
		{ "a-1 [001] d..2. 5.0000010023: x: y", -1 },
		{ "a-1 [001] d..2. 5.: x: y", -1 },
		{ "a-1 [001] d..2. .000001: x: y", -1 },
		{ "a-1 [001] d..2. 9223372036.000001: x: y", -1 },
		{ "# a-1 [001] d..2. 5.000001: x: y", -1 },
		{ "", -1 },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct rt_trace_line line;
		bool is_line = rt_trace_line_read(&line, rows[i].line);

		if (is_line != (rows[i].at_ns >= 0) || (is_line && line.at_ns != rows[i].at_ns))
			fail_msg("'%s'", rows[i].line);
		if (is_line) {
			assert_true(rt_trace_line_is(&line, "x"));
			assert_false(rt_trace_line_is(&line, "xy"));
			assert_string_equal(line.fields, " y");
		}
	}
}

static void test_refine(void **state RT_UNUSED)
{
	static const struct {
		const char *what, *trace, *raw, *refined;
	} rows[] = {
		{ "nothing", "", "", "" },
		{ "each by its task, its CPU and its microsecond",
		  "# tracer: nop\n#\n a-7 [001] d..2. 5.000001: x: y\n"
		  " <idle>-0 [000] d..2. 5.000001: x: 5.000001: y\n a-7 [001] d..2. 5.000003: z: w",
		  "# tracer: nop\n#\n7 1 5000000600 type: 3\n0 0 5000001400 type: 3\n"
		  "7 1 5000003499 type: 4",
		  "# tracer: nop\n#\n a-7 [001] d..2. 5.000000600: x: y\n"
		  " <idle>-0 [000] d..2. 5.000001400: x: 5.000001: y\n"
		  " a-7 [001] d..2. 5.000003499: z: w" },
		{ "rounded over the second", "a-7 [001] 6.000000: x: y\n", "7 1 5999999500 type: 3\n",
		  "a-7 [001] 5.999999500: x: y\n" },
		{ "one of two is not there", "a-7 [001] 6.000000: x: y\na-7 [001] 7.000000: x: y\n",
		  "7 1 7000000001 type: 3\n",
		  "a-7 [001] 6.000000: x: y\na-7 [001] 7.000000001: x: y\n" },
		{ "others lie between", "a-7 [001] 7.000000: x: y\n",
		  "8 1 7000000001 type: 3\n7 2 7000000002 t\n7 1 7000000600 t\n7 1 7000000003 t\n",
		  "a-7 [001] 7.000000003: x: y\n" },
		{ "not what was asked for", "a-7 [001] 7.000000: x: y\nCPU:1 [LOST 2 EVENTS]\nb\n",
		  "a-7 [001] 7.000000: x: y\nb\n7\n7 1\n7 1 7\n7 1 7000000000\n",
		  "a-7 [001] 7.000000: x: y\nCPU:1 [LOST 2 EVENTS]\nb\n" },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		char *refined = rt_trace_refine(rows[i].trace, rows[i].raw);

		assert_non_null(refined);
		if (strcmp(refined, rows[i].refined) != 0)
			fail_msg("%s:\n%s", rows[i].what, refined);
		free(refined);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_refine),
	};

	return cmocka_run_group_tests_name("trace_line", tests, NULL, NULL);
}
