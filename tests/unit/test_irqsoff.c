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

#define US 1000

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

/* ---- events ---------------------------------------------------------------------------- */

static const struct irq_kind kind = { .off_event = "irq_disable", .on_event = "irq_enable" };

#define OFF(cpu, us) " a-b-7  [00" cpu "] d..1.  5." us ": irq_disable: caller=f" us "+0x2/0x9 parent=0x0\n"
#define ON(cpu, us) " a-b-7  [00" cpu "] d..1.  5." us ": irq_enable: caller=g" us "+0x2/0x9 parent=0x0\n"
#define IDLE(cpu, us, state) \
	" <idle>-0  [00" cpu "] d..1.  5." us ": cpu_idle: state=" state " cpu_id=" cpu "\n"
#define LEAVE "4294967295"

static void test_events(void **state RT_UNUSED)
{
	static const struct {
		const char *what, *text;
		int64_t longest_us, cpu_us[3]; /* -1: none */
		int cpu;
		uint64_t lost;
		const char *started, *ended;
	} rows[] = {
		{ "nothing", "", -1, { -1, -1, -1 }, 0, 0, "", "" },
		{ "two CPUs, interleaved", "# tracer: nop\n" OFF("0", "000010") OFF("2", "000012")
		  ON("0", "000015") OFF("0", "000016") ON("2", "000042") ON("0", "000018"),
		  30, { 5, -1, 30 }, 2, 0, "f000012+0x2/0x9", "g000042+0x2/0x9" },
		{ "an end whose beginning came before", ON("0", "000010") OFF("0", "000011")
		  ON("0", "000012"), 1, { 1, -1, -1 }, 0, 0, "f000011+0x2/0x9", "g000012+0x2/0x9" },
		{ "one that had not ended", OFF("0", "000010"), -1, { -1, -1, -1 }, 0, 0, "", "" },
		{ "the idle loop waits", OFF("1", "000010") IDLE("1", "000014", "1")
		  IDLE("1", "900000", LEAVE) ON("1", "900003"), 4, { -1, 4, -1 }, 1, 0,
		  "f000010+0x2/0x9", "" },
		{ "an interrupt's return switched them on there", OFF("1", "000010")
		  IDLE("1", "000014", "1") ON("1", "000500") IDLE("1", "000510", LEAVE)
		  OFF("1", "800000") ON("1", "800002"), 4, { -1, 4, -1 }, 1, 0,
		  "f000010+0x2/0x9", "" },
		{ "a hole counts for nothing", OFF("1", "000010") "CPU:1 [LOST 12 EVENTS]\n"
		  ON("1", "700000") OFF("1", "700001") ON("1", "700003"), 2, { -1, 2, -1 }, 1, 12,
		  "f700001+0x2/0x9", "g700003+0x2/0x9" },
		{ "a hole on another CPU", OFF("1", "000010") "CPU:0 [LOST EVENTS]\n"
		  ON("1", "000020"), 10, { -1, 10, -1 }, 1, 1, "f000010+0x2/0x9",
		  "g000020+0x2/0x9" },
		{ "no caller, no such CPU, no such event",
		  "x-1 [000] d..1. 5.000010: irq_disable: (f+0x0/0x9)\n"
		  "x-1 [99999999] d..1. 5.000010: irq_disable: x\n"
		  "x-1 [000] d..1. 5.000012: irq_disabled: x\n"
		  "x-1 [000] d..1. 5.000017: irq_enable:\n", 7, { 7, -1, -1 }, 0, 0, "", "" },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++)
		for (size_t step = 1; step < 200; step += 99) { /* in pieces of any size */
			struct irq_events events = { .kind = &kind, .longest_ns = -1 };
			size_t length = strlen(rows[i].text);

			for (size_t at = 0; at < length; at += step)
				assert_int_equal(irq_events_take(&events, rows[i].text + at,
						 length - at < step ? length - at : step), 0);
			if (events.longest_ns / US != rows[i].longest_us &&
			    !(events.longest_ns == -1 && rows[i].longest_us == -1))
				fail_msg("%s: %lld", rows[i].what, (long long)events.longest_ns);
			for (unsigned int cpu = 0; cpu < 3; cpu++) {
				int64_t ns = cpu < events.count ? events.cpus[cpu].longest_ns : -1;

				if ((ns < 0 ? -1 : ns / US) != rows[i].cpu_us[cpu])
					fail_msg("%s: CPU %u: %lld", rows[i].what, cpu, (long long)ns);
			}
			assert_int_equal(events.lost, rows[i].lost);
			assert_int_equal(events.longest.cpu, rows[i].cpu);
			assert_string_equal(events.longest.started, rows[i].started);
			assert_string_equal(events.longest.ended, rows[i].ended);
			irq_events_done(&events);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_torn),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_events),
	};

	return cmocka_run_group_tests_name("irqsoff", tests, NULL, NULL);
}
