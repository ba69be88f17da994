/* SPDX-License-Identifier: GPL-2.0-or-later */
/* irqsoff: the trace files of the kernel's max-latency tracers. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../../src/irqsoff/irqsoff.h"
#include "rt/compiler.h"

static void test_whole(void **state RT_UNUSED)
{
	static char text[8192];
	struct irq_section section;
	FILE *f = fopen("tests/data/irqsoff/trace.txt", "r");

	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	assert_int_equal(irq_read_trace(&section, text), 0);
	assert_int_equal(section.us, 259);
	assert_int_equal(section.cpu, 3);
	assert_string_equal(section.task, "my ps-6143");
	assert_string_equal(section.started, "__lock_task_sighand");
	assert_string_equal(section.ended, "_raw_spin_unlock_irqrestore");
	assert_int_equal(section.depth, 4);
	assert_string_equal(section.chain[0], "trace_hardirqs_on_caller");
	assert_string_equal(section.chain[3], "do_task_stat");
}

static void test_torn(void **state RT_UNUSED)
{
	static const struct {
		const char *text;
		int status;
		int64_t us;
		int cpu;
	} rows[] = {
		{ "", -ENODATA },
		{ "# tracer: irqsoff\n#\n", -ENODATA },
		{ "# latency: x us\n", -ENODATA },
		{ "# latency: 7 us", 0, 7, -1 },
		{ "# latency: 7 us, #4/4, CPU#x |\n => a\n", 0, 7, -1 },
		{ "# latency: 7 us, #4/4, CPU#12 |", 0, 7, 12 },
		{ "# latency: 3 us, CPU#1\n# latency: 9 us, CPU#2\n", 0, 9, 2 },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct irq_section section = { .us = 55 };

		assert_int_equal(irq_read_trace(&section, rows[i].text), rows[i].status);
		assert_int_equal(section.us, rows[i].status ? 55 : rows[i].us);
		if (!rows[i].status)
			assert_int_equal(section.cpu, rows[i].cpu);
	}
}

/* Longer names and chains than there is room for are cut. */
static void test_long(void **state RT_UNUSED)
{
	static char text[IRQ_CHAIN_MAX * 600];
	struct irq_section section;
	size_t fill = (size_t)sprintf(text, "# latency: 1 us\n#    | task: \x01\xff%0300d(x)\n", 7);

	for (int i = 0; i < IRQ_CHAIN_MAX + 5; i++)
		fill += (size_t)sprintf(text + fill, " => %0300d\n", i);
	assert_int_equal(irq_read_trace(&section, text), 0);
	assert_int_equal(section.depth, IRQ_CHAIN_MAX);
	assert_int_equal(strlen(section.chain[0]), IRQ_NAME_MAX - 1);
	assert_int_equal(strncmp(section.task, "??000", 5), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_torn),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests_name("irqsoff", tests, NULL, NULL);
}
