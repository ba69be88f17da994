/* SPDX-License-Identifier: GPL-2.0-or-later */
/* why: lines of a trace, what they say of a latency, and that it always adds up. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/lib/why_internal.h"
#include "rt/compiler.h"
#include "rt/trace_line.h"

#define US 1000

/* ---- lines --------------------------------------------------------------------------- */

static void test_lines(void **state RT_UNUSED)
{
	static const struct {
		const char *line;
		bool is_line;
		enum why_type type;
		int cpu, pid, other;
		int64_t at_us, value;
		const char *name; /* of an entry or exit, or of the current task */
	} rows[] = {
		{ "  bash-12  [003] d..2.  5.000001: sched_switch: prev_comm=bash prev_pid=12 "
		  "prev_prio=120 prev_state=R+ ==> next_comm=x next_pid=9 next_prio=19\n", true,
		  WHY_SWITCH, 3, 12, 9, 5000001, 0, "bash" },
		{ " a-1 [2]-77  [001] d..2.  1.5: x", false },
		{ " a-1 [2] b-77  [001] d..2.  1.500000: sched_waking: comm=q-2 r pid=8 prio=3 "
		  "target_cpu=001", true, WHY_WAKING, 1, 77, 8, 1500000, 0, "a-1 [2] b" },
		{ "<idle>-0 [000] d.h1. 0.000002: local_timer_entry: vector=236", true, WHY_ENTRY,
		  0, 0, 0, 2, 0, "local_timer" },
		{ "<idle>-0 [000] d.h1. 0.000002: irq_handler_entry: irq=27 name=eth0", true,
		  WHY_ENTRY, 0, 0, 0, 2, 0, "irq/27-eth0" },
		{ "<idle>-0 [000] d.h1. 0.000003: irq_handler_exit: irq=27 ret=handled", true,
		  WHY_EXIT, 0, 0, 0, 3, 0, "irq/27-" },
		{ "<idle>-0 [000] ..s1. 0.000002: softirq_exit: vec=3 [action=NET_RX]", true,
		  WHY_EXIT, 0, 0, 0, 2, 0, "NET_RX" },
		{ "<idle>-0 [000] .n..1.. 0.000002: cpu_idle: state=4294967295 cpu_id=1", true,
		  WHY_IDLE, 0, 0, 0, 2, -1, "<idle>" },
		{ "<idle>-0 [000] d.Z1. 0.000002: nmi_handler: perf() delta_ns: 1234 handled: 1",
		  true, WHY_NMI, 0, 0, 0, 2, 1234, "<idle>" },
		{ "<idle>-0 [000] 0.000002: hrtimer_expire_entry: hrtimer=0 function=f now=1",
		  true, WHY_OTHER, 0, 0, 0, 2, 0, "<idle>" },
		{ "<idle>-0 [000] 0.000002: hrtimer_expire_entry: hrtimer=00000000001cb4ab "
		  "function=dl_task_timer now=1", true, WHY_PERIOD, 0, 0, 0, 2, 0x1cb4ab,
		  "<idle>" },
		{ "CPU:1 [LOST 12 EVENTS]", true, WHY_LOST, 1, 0, 0, 0, 12, "" },
		{ "CPU:1 [LOST EVENTS]", true, WHY_LOST, 1, 0, 0, 0, 1, "" },
		{ "a\nb-2-3  [001] d..2.  1.500000: sched_waking: comm=q", false },
		{ "bad\x80\x01-3  [001] d..2.  1.500000: foo: bar", true, WHY_OTHER, 1, 3, 0,
		  1500000, 0, "bad??" },
		{ "x-3 [001] d..2. 1.500000: sched_switch: prev_comm=x", true, WHY_OTHER, 1, 3, 0,
		  1500000, 0, "x" },
		{ "x-3 [001] d..2. 99999999999999999999.500000: foo: bar", false },
		{ "x-3 [99", false }, { "x-", false }, { "-", false }, { "", false },
		{ "# tracer: nop", false }, { "\n", false },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct why_event e;

		if (rt_why_line(&e, rows[i].line) != rows[i].is_line)
			fail_msg("row %zu: '%s'", i, rows[i].line);
		if (!rows[i].is_line)
			continue;
		if (e.type != rows[i].type || e.cpu != rows[i].cpu || e.other.pid != rows[i].other ||
		    e.current.pid != rows[i].pid || e.at_ns != rows[i].at_us * US ||
		    e.value != rows[i].value)
			fail_msg("row %zu: '%s'", i, rows[i].line);
		assert_string_equal(e.name[0] ? e.name : e.current.comm, rows[i].name);
	}
	assert_int_equal(rt_trace_overwritten("# entries-in-buffer/entries-written: 10/12   #P:2"), 2);
	assert_int_equal(rt_trace_overwritten("# entries-in-buffer/entries-written: 10/x"), 0);
	assert_int_equal(rt_trace_overwritten("# entries-in-buffer/entries-written: 12/10"), 0);
}

/* ---- latencies ------------------------------------------------------------------------- */

/* Write a line of CPU 1 at this microsecond. */
#define AT(us, task, what) task " [001] d..2. 0." us ": " what "\n"
#define SWITCH(us, prev, p, pprio, state, next, n, nprio)                                       \
	AT(us, prev "-" #p, "sched_switch: prev_comm=" prev " prev_pid=" #p " prev_prio=" #pprio \
	   " prev_state=" state " ==> next_comm=" next " next_pid=" #n " next_prio=" #nprio)
#define WAKE(us, task) AT(us, task, "sched_waking: comm=cyc pid=7 prio=19 target_cpu=001")
#define FULL "# entries-in-buffer/entries-written: 9/9   #P:2\n"
#define SLEEPS SWITCH("000010", "cyc", 7, 19, "S", "bash", 5, 120)

/* Due at 100 us, ran at 400 us. */
static const struct {
	const char *what, *trace, *sum;
	int64_t timer_us, woken_us, in_us;
} cases[] = {
	{ "a task goes before it",
	  FULL SLEEPS SWITCH("000050", "bash", 5, 120, "R", "spin", 6, 0)
	  AT("000118", "spin-6", "local_timer_entry: vector=236") WAKE("000120", "spin-6")
	  AT("000122", "spin-6", "local_timer_exit: vector=236")
	  SWITCH("000390", "spin", 6, 0, "S", "cyc", 7, 19),
	  "= 18 timer late (spin) + 4 local_timer + 268 spin + 10 switch-in", 118, 120, 390 },
	{ "one below it held the CPU",
	  FULL SLEEPS WAKE("000100", "bash-5") SWITCH("000300", "bash", 5, 120, "R", "cyc", 7, 19),
	  "= 200 leaving bash + 100 switch-in", -1, 100, 300 },
	{ "one below it was chosen",
	  FULL SLEEPS WAKE("000100", "bash-5") SWITCH("000120", "bash", 5, 120, "R", "cc1", 8, 120)
	  SWITCH("000200", "cc1", 8, 120, "R", "swapper/1", 0, 120)
	  SWITCH("000300", "swapper/1", 0, 120, "R", "cyc", 7, 19),
	  "= 20 leaving bash + 80 given to cc1 + 100 given to idle + 100 switch-in", -1, 100, 300 },
	{ "softirq within a task, an interrupt within the softirq, an NMI within all",
	  FULL SLEEPS WAKE("000100", "bash-5")
	  AT("000110", "bash-5", "softirq_entry: vec=3 [action=NET_RX]")
	  AT("000150", "bash-5", "irq_handler_entry: irq=27 name=eth0")
	  AT("000160", "bash-5", "nmi_handler: p() delta_ns: 5000 handled: 1")
	  AT("000170", "bash-5", "irq_handler_exit: irq=27 ret=handled")
	  AT("000250", "bash-5", "softirq_exit: vec=3 [action=NET_RX]")
	  SWITCH("000300", "bash", 5, 120, "R", "cyc", 7, 19),
	  "= 60 leaving bash + 120 softirq NET_RX + 15 irq/27-eth0 + 5 NMI + 100 switch-in", -1,
	  100, 300 },
	{ "from an idle state",
	  FULL SWITCH("000010", "cyc", 7, 19, "S", "swapper/1", 0, 120)
	  AT("000020", "<idle>-0", "cpu_idle: state=2 cpu_id=1")
	  AT("000250", "<idle>-0", "local_timer_entry: vector=236") WAKE("000260", "<idle>-0")
	  AT("000270", "<idle>-0", "local_timer_exit: vector=236")
	  AT("000275", "<idle>-0", "cpu_idle: state=4294967295 cpu_id=1")
	  SWITCH("000300", "swapper/1", 0, 120, "R", "cyc", 7, 19),
	  "= 150 timer late (idle state 2) + 20 local_timer + 30 idle exit + 100 switch-in",
	  250, 260, 300 },
	{ "woken from another CPU",
	  FULL SLEEPS "x-3 [000] d..2. 0.000120: sched_waking: comm=cyc pid=7 prio=19 "
	  "target_cpu=001\n" SWITCH("000150", "bash", 5, 120, "R", "cyc", 7, 19),
	  "= 20 timer late (bash) + 30 leaving bash + 250 switch-in", -1, 120, 150 },
	{ "it ran when it was due, and was pushed off",
	  FULL SWITCH("000010", "bash", 5, 120, "S", "cyc", 7, 19)
	  SWITCH("000200", "cyc", 7, 19, "R", "spin", 6, 0)
	  SWITCH("000300", "spin", 6, 0, "S", "cyc", 7, 19),
	  "= 200 switch-in + 100 spin", -1, -1, 300 },
	{ "nothing before it, and nothing was lost", FULL
	  AT("000118", "spin-6", "local_timer_entry: vector=236") WAKE("000120", "spin-6")
	  AT("000122", "spin-6", "local_timer_exit: vector=236")
	  SWITCH("000390", "spin", 6, 0, "S", "cyc", 7, 19),
	  "= 18 timer late (spin) + 4 local_timer + 268 spin + 10 switch-in", 118, 120, 390 },
	{ "its beginning was overwritten", "# entries-in-buffer/entries-written: 9/20   #P:2\n"
	  SWITCH("000390", "spin", 6, 0, "S", "cyc", 7, 19),
	  "= 290 unexplained + 10 switch-in", -1, -1, 390 },
	{ "a hole", FULL SLEEPS WAKE("000100", "bash-5") "CPU:1 [LOST 3 EVENTS]\n"
	  SWITCH("000390", "spin", 6, 0, "S", "cyc", 7, 19),
	  "= 290 unexplained + 10 switch-in", -1, 100, 390 },
	{ "nothing at all", "", "= 300 unexplained", -1, -1, -1 },
	{ "other CPUs only", "x-3 [000] d..2. 0.000120: foo: bar\n", "= 300 unexplained", -1, -1,
	  -1 },
	{ "the switch was stamped a hair after the end", FULL SLEEPS WAKE("000200", "bash-5")
	  SWITCH("000401", "bash", 5, 120, "R", "cyc", 7, 19),
	  "= 100 timer late (bash) + 200 leaving bash", -1, 200, 400 },
	{ "what came later does not count", FULL SLEEPS
	  SWITCH("000500", "bash", 5, 120, "R", "cyc", 7, 19),
	  "= 300 timer late (bash)", -1, -1, -1 },
};

/* Of threads that wait for something else. */
#define OTHER_WAKES(us, task) task " [000] d..2. 0." us ": sched_waking: comm=cyc pid=7 prio=19 " \
			      "target_cpu=001\n"
#define PERIOD(us, task, timer) \
	AT(us, task, "hrtimer_expire_entry: hrtimer=" timer " function=dl_task_timer now=1")
#define ONE_PERIOD PERIOD("000002", "bash-5", "0a") SWITCH("000004", "bash", 5, 120, "R", "cyc", 7, -1) \
	SWITCH("000010", "cyc", 7, -1, "R", "bash", 5, 120)

static const struct {
	const char *what;
	enum rt_why_for waits_for;
	const char *trace, *sum;
} other_cases[] = {
	{ "woken from another CPU, whatever its own did until then", RT_WHY_FOR_WAKER,
	  FULL SLEEPS AT("000118", "bash-5", "local_timer_entry: vector=236")
	  AT("000122", "bash-5", "local_timer_exit: vector=236") OTHER_WAKES("000150", "x-3")
	  SWITCH("000300", "bash", 5, 120, "R", "cyc", 7, 19),
	  "= 50 wake-up by x + 150 leaving bash + 100 switch-in" },
	{ "a task on its CPU keeps the other one from waking it", RT_WHY_FOR_WAKER,
	  FULL SLEEPS SWITCH("000110", "bash", 5, 120, "R", "spin", 6, 0)
	  SWITCH("000250", "spin", 6, 0, "S", "bash", 5, 120) WAKE("000260", "bash-5")
	  SWITCH("000300", "bash", 5, 120, "R", "cyc", 7, 19),
	  "= 20 wake-up by bash + 140 spin + 40 leaving bash + 100 switch-in" },
	{ "an interrupt does", RT_WHY_FOR_WAKER,
	  FULL SLEEPS AT("000120", "bash-5", "irq_handler_entry: irq=27 name=eth0")
	  AT("000180", "bash-5", "irq_handler_exit: irq=27 ret=handled") WAKE("000200", "bash-5")
	  SWITCH("000300", "bash", 5, 120, "R", "cyc", 7, 19),
	  "= 40 wake-up by bash + 60 irq/27-eth0 + 100 leaving bash + 100 switch-in" },
	{ "it sleeps once more, for the lock that the other one has", RT_WHY_FOR_WAKER,
	  FULL SLEEPS OTHER_WAKES("000120", "x-3") SWITCH("000130", "bash", 5, 120, "R", "cyc", 7, 19)
	  SWITCH("000140", "cyc", 7, 19, "S", "bash", 5, 120) OTHER_WAKES("000200", "x-3")
	  SWITCH("000210", "bash", 5, 120, "R", "cyc", 7, 19),
	  "= 80 wake-up by x + 20 leaving bash + 200 switch-in" },
	{ "who woke it is not told", RT_WHY_FOR_WAKER,
	  FULL SLEEPS SWITCH("000300", "bash", 5, 120, "R", "cyc", 7, 19),
	  "= 200 unexplained + 100 switch-in" },
	{ "it was on its way to sleep", RT_WHY_FOR_WAKER,
	  FULL SWITCH("000050", "bash", 5, 120, "S", "cyc", 7, 19), "= 300 switch-in" },
	{ "it was running, and another task went before it", RT_WHY_FOR_CPU,
	  FULL SWITCH("000010", "bash", 5, 120, "S", "cyc", 7, 19)
	  SWITCH("000110", "cyc", 7, 19, "R", "spin", 6, 0)
	  SWITCH("000390", "spin", 6, 0, "S", "cyc", 7, 19), "= 20 unexplained + 280 spin" },
	{ "it was running, and was interrupted", RT_WHY_FOR_CPU,
	  FULL SWITCH("000010", "bash", 5, 120, "S", "cyc", 7, 19)
	  AT("000110", "cyc-7", "local_timer_entry: vector=236")
	  AT("000380", "cyc-7", "local_timer_exit: vector=236"),
	  "= 30 unexplained + 270 local_timer" },
	{ "it was running, and was throttled", RT_WHY_FOR_CPU,
	  FULL SWITCH("000010", "bash", 5, 120, "S", "cyc", 7, 19)
	  SWITCH("000110", "cyc", 7, 19, "R", "cc1", 8, 120)
	  SWITCH("000390", "cc1", 8, 120, "R", "cyc", 7, 19),
	  "= 20 unexplained + 280 given to cc1" },
	{ "among its equals a nicer one may come first", RT_WHY_FOR_CPU,
	  FULL SWITCH("000010", "bash", 5, 120, "S", "cyc", 7, 120)
	  SWITCH("000110", "cyc", 7, 120, "R", "cc1", 8, 130)
	  SWITCH("000390", "cc1", 8, 130, "R", "cyc", 7, 120), "= 20 unexplained + 280 cc1" },
	{ "its period's timer is late; another thread's does not count", RT_WHY_FOR_PERIOD,
	  FULL ONE_PERIOD PERIOD("000105", "bash-5", "0b")
	  AT("000118", "bash-5", "local_timer_entry: vector=236") PERIOD("000120", "bash-5", "0a")
	  AT("000122", "bash-5", "local_timer_exit: vector=236")
	  SWITCH("000300", "bash", 5, 120, "R", "cyc", 7, -1),
	  "= 18 timer late (bash) + 4 local_timer + 178 leaving bash + 100 switch-in" },
	{ "its period had begun, and another deadline came first", RT_WHY_FOR_PERIOD,
	  FULL ONE_PERIOD PERIOD("000098", "bash-5", "0a")
	  SWITCH("000105", "bash", 5, 120, "R", "dl", 9, -1)
	  SWITCH("000350", "dl", 9, -1, "R", "cyc", 7, -1),
	  "= 5 leaving bash + 245 dl + 50 switch-in" },
	{ "its timer expires on another CPU", RT_WHY_FOR_PERIOD,
	  FULL ONE_PERIOD "x-3 [000] d.h.. 0.000150: hrtimer_expire_entry: hrtimer=0a "
	  "function=dl_task_timer now=1\n" SWITCH("000300", "bash", 5, 120, "R", "cyc", 7, -1),
	  "= 50 timer late (bash) + 150 leaving bash + 100 switch-in" },
	{ "it ran on another CPU before", RT_WHY_FOR_TIMER,
	  FULL SLEEPS WAKE("000020", "bash-5")
	  "x-3 [000] d..2. 0.000030: sched_switch: prev_comm=x prev_pid=3 prev_prio=120 "
	  "prev_state=R ==> next_comm=cyc next_pid=7 next_prio=19\n"
	  "cyc-7 [000] d..2. 0.000040: sched_switch: prev_comm=cyc prev_pid=7 prev_prio=19 "
	  "prev_state=S ==> next_comm=x next_pid=3 next_prio=120\n"
	  SWITCH("000050", "bash", 5, 120, "R", "cc1", 8, 120) WAKE("000150", "cc1-8")
	  SWITCH("000300", "cc1", 8, 120, "R", "cyc", 7, 19),
	  "= 50 timer late (cc1) + 150 leaving cc1 + 100 switch-in" },
	{ "its own timer expired before the trace began", RT_WHY_FOR_PERIOD,
	  FULL AT("000090", "dl-9", "local_timer_entry: vector=236")
	  AT("000095", "dl-9", "local_timer_exit: vector=236")
	  SWITCH("000300", "dl", 9, -1, "R", "cyc", 7, -1) PERIOD("000350", "cyc-7", "0b"),
	  "= 200 dl + 100 switch-in" },
	{ "no timer is told", RT_WHY_FOR_PERIOD,
	  FULL SWITCH("000010", "cyc", 7, -1, "R", "bash", 5, 120)
	  SWITCH("000300", "bash", 5, 120, "R", "cyc", 7, -1),
	  "= 200 unexplained + 100 switch-in" },
};

static int64_t sum_of(const struct rt_why *why)
{
	int64_t sum = 0;

	for (unsigned int i = 0; i < why->count; i++) {
		assert_true(why->causes[i].ns > 0);
		sum += why->causes[i].ns;
	}
	return sum;
}

static char *said(const struct rt_why *why, int64_t unit_ns)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_non_null(out);
	rt_why_say(out, why, unit_ns);
	fclose(out);
	return text;
}

static void test_cases(void **state RT_UNUSED)
{
	static const struct rt_why_sample sample = {
		.series = 2, .cpu = 1, .tid = 7, .wake_ns = 100 * US, .now_ns = 400 * US,
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		struct rt_why why;
		char *text, line[512];

		assert_int_equal(rt_why_explain(&why, &sample, cases[i].trace, NULL), 0);
		assert_int_equal(sum_of(&why), 300 * US);
		text = said(&why, US);
		snprintf(line, sizeof(line), "# Why: thread 2 on CPU 1: 300 us %s\n", cases[i].sum);
		if (strncmp(text, line, strlen(line)) != 0)
			fail_msg("%s:\n%snot\n%s", cases[i].what, text, line);
		if (why.timer_ns / US != cases[i].timer_us * (why.timer_ns < 0 ? 0 : 1) ||
		    (why.timer_ns < 0) != (cases[i].timer_us < 0) ||
		    why.woken_ns != (cases[i].woken_us < 0 ? -1 : cases[i].woken_us * US) ||
		    why.in_ns != (cases[i].in_us < 0 ? -1 : cases[i].in_us * US))
			fail_msg("%s:\n%s", cases[i].what, text);
		free(text);
	}
}

/* What the buffer lost is told, and how many they were; with none lost nothing is. */
static void test_partial(void **state RT_UNUSED)
{
	static const struct rt_why_sample sample = {
		.series = 2, .cpu = 1, .tid = 7, .wake_ns = 100 * US, .now_ns = 400 * US,
	};
	static const struct {
		const char *name, *said;
	} rows[] = {
		{ "a hole", "#   partial: the trace buffer lost 3 events\n" },
		{ "its beginning was overwritten", "#   partial: the trace buffer lost 11 events\n" },
		{ "nothing before it, and nothing was lost", NULL },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++)
		for (size_t k = 0; k < RT_ARRAY_SIZE(cases); k++) {
			struct rt_why why;
			char *text;

			if (strcmp(cases[k].what, rows[i].name) != 0)
				continue;
			assert_int_equal(rt_why_explain(&why, &sample, cases[k].trace, NULL), 0);
			text = said(&why, US);
			if (!strstr(text, rows[i].said ? rows[i].said : "partial") != !rows[i].said)
				fail_msg("%s:\n%s", rows[i].name, text);
			free(text);
		}
}

/* The trace stood still before: what is older than that tells nothing, not even of what was lost. */
static void test_since(void **state RT_UNUSED)
{
	static const char trace[] =
		"# entries-in-buffer/entries-written: 9/20   #P:2\n"
		"CPU:1 [LOST 3 EVENTS]\n"
		AT("000001", "old-9", "softirq_entry: vec=3 [action=NET_RX]")
		SWITCH("000002", "old", 9, 0, "S", "old", 8, 0)
		SWITCH("000060", "bash", 5, 120, "S", "cyc", 7, 19)
		AT("000118", "spin-6", "local_timer_entry: vector=236") WAKE("000120", "spin-6")
		AT("000122", "spin-6", "local_timer_exit: vector=236")
		SWITCH("000390", "spin", 6, 0, "S", "cyc", 7, 19);
	static const struct rt_why_sample sample = {
		.cpu = 1, .tid = 7, .wake_ns = 100 * US, .now_ns = 400 * US, .since_ns = 90 * US,
	};
	struct rt_why why;
	char *text;

	assert_int_equal(rt_why_explain(&why, &sample, trace, NULL), 0);
	text = said(&why, US);
	if (!strstr(text, "= 18 timer late (spin) + 4 local_timer + 268 spin + 10 switch-in\n"))
		fail_msg("%s", text);
	assert_int_equal(why.lost, 0);
	free(text);
}

static void test_other_cases(void **state RT_UNUSED)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(other_cases); i++) {
		const struct rt_why_sample sample = {
			.waits_for = other_cases[i].waits_for, .noun = "pair",
			.series = 2, .cpu = 1, .tid = 7, .wake_ns = 100 * US, .now_ns = 400 * US,
		};
		struct rt_why why;
		char *text, line[512];

		assert_int_equal(rt_why_explain(&why, &sample, other_cases[i].trace, NULL), 0);
		assert_int_equal(sum_of(&why), 300 * US);
		text = said(&why, US);
		snprintf(line, sizeof(line), "# Why: pair 2 on CPU 1: 300 us %s\n",
			 other_cases[i].sum);
		if (strncmp(text, line, strlen(line)) != 0)
			fail_msg("%s:\n%snot\n%s", other_cases[i].what, text, line);
		free(text);
	}
}

/* A thread that is not pinned waits for one CPU, and is moved to another one at last. */
static void test_moved(void **state RT_UNUSED)
{
	static const char trace[] =
		FULL ONE_PERIOD "y-4 [000] d..2. 0.000090: sched_switch: prev_comm=x prev_pid=3 "
		"prev_prio=120 prev_state=R ==> next_comm=y next_pid=4 next_prio=-1\n"
		"y-4 [000] d.h.. 0.000120: hrtimer_expire_entry: hrtimer=0a function=dl_task_timer "
		"now=1\n" SWITCH("000200", "bash", 5, 120, "S", "swapper/1", 0, 120)
		"y-4 [000] d..2. 0.000350: sched_migrate_task: comm=cyc pid=7 prio=-1 orig_cpu=0 "
		"dest_cpu=1\n" SWITCH("000390", "swapper/1", 0, 120, "R", "cyc", 7, -1);
	const struct rt_why_sample sample = { .waits_for = RT_WHY_FOR_PERIOD, .cpu = -1, .tid = 7,
					      .wake_ns = 100 * US, .now_ns = 400 * US };
	struct rt_why why;
	char *text;

	assert_int_equal(rt_why_explain(&why, &sample, trace, NULL), 0);
	assert_int_equal(sum_of(&why), 300 * US);
	text = said(&why, US);
	if (!strstr(text, "on CPU 1: 300 us = 20 timer late (y) + 230 y + 40 idle exit + 10 switch-in\n"))
		fail_msg("%s", text);
	assert_int_equal(why.woken_ns, 120 * US);
	assert_int_equal(why.in_ns, 390 * US);
	free(text);
}

/* More causes than fit: the rest is one of its own, and the sum stays. */
static void test_many(void **state RT_UNUSED)
{
	static const struct rt_why_sample sample = { .cpu = 1, .tid = 7, .now_ns = 900 * US };
	char trace[16384];
	size_t fill = 0;
	struct rt_why why;

	for (int i = 0; i < 80; i++)
		fill += (size_t)snprintf(trace + fill, sizeof(trace) - fill,
					 "a-%d [001] d..2. 0.%06d: sched_switch: prev_comm=a prev_pid"
					 "=%d prev_prio=1 prev_state=S ==> next_comm=a next_pid=%d "
					 "next_prio=1\n", i + 10, 10 * i + 5, i + 10, i + 11);
	assert_int_equal(rt_why_explain(&why, &sample, trace, NULL), 0);
	assert_int_equal(why.count, RT_WHY_CAUSES_MAX);
	assert_int_equal(sum_of(&why), 900 * US);
	assert_int_equal(rt_why_largest(&why)->kind, RT_WHY_OTHERS);
}

static void test_ranking(void **state RT_UNUSED)
{
	struct rt_why ranking = { 0 };
	struct rt_why one = { .sample = { .now_ns = 30 }, .count = 2, .causes = {
		{ RT_WHY_THREAD, "a", 1, 0, 10, 5 }, { RT_WHY_SOFTIRQ, "b", 0, 0, 20, 1 } } };
	struct rt_why two = { .sample = { .now_ns = 15 }, .count = 1, .lost = 2, .causes = {
		{ RT_WHY_THREAD, "a", 1, 0, 15, 1 } } };

	struct rt_why three = { .count = 3, .causes = {
		{ RT_WHY_THREAD, "a", 8, 0, 4, 1 }, { RT_WHY_THREAD, "a", 9, 0, 6, 1 },
		{ RT_WHY_THREAD, "a", 1, 5, 1, 1 } } };

	assert_null(rt_why_largest(&ranking));
	rt_why_rank(&ranking, &one);
	rt_why_rank(&ranking, &two);
	assert_int_equal(ranking.count, 2);
	assert_string_equal(ranking.causes[0].name, "a");
	assert_int_equal(ranking.causes[0].ns, 25);
	assert_int_equal(ranking.causes[0].times, 2);
	assert_int_equal(ranking.causes[1].times, 1);
	assert_int_equal(ranking.causes[0].pid, 1);
	assert_int_equal(ranking.sample.now_ns, 45);
	rt_why_rank(&ranking, &three);
	assert_int_equal(ranking.count, 3);
	assert_int_equal(ranking.causes[0].ns, 35); /* two more ids of the same name */
	assert_int_equal(ranking.causes[0].times, 3);
	assert_int_equal(ranking.causes[0].pid, 0);
	assert_int_equal(ranking.lost, 2);
}

/* ---- recorded traces ----------------------------------------------------------------------- */

static char *read_data(const char *name)
{
	static char text[65536];
	char path[512];
	FILE *f;
	size_t n;

	/* from the top of the tree, where make runs tests */
	snprintf(path, sizeof(path), "tests/data/why/%s", name);
	f = fopen(path, "r");
	if (!f)
		return NULL;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	return text;
}

static int64_t time_of(const struct rt_why *why, enum rt_why_kind kind, const char *name)
{
	for (unsigned int i = 0; i < why->count; i++)
		if (why->causes[i].kind == kind && strcmp(why->causes[i].name, name) == 0)
			return why->causes[i].ns;
	return 0;
}

static void test_spinner(void **state RT_UNUSED)
{
	static const struct rt_why_sample sample = { .cpu = -1, .tid = 10160,
		.wake_ns = INT64_C(5511894121000), .now_ns = INT64_C(5511897097500) };
	char *trace = read_data("spinner.txt");
	struct rt_why why;

	assert_non_null(trace);
	assert_int_equal(rt_why_explain(&why, &sample, trace, NULL), 0);
	assert_int_equal(sum_of(&why), 2976500);
	assert_int_equal(why.sample.cpu, 1);
	assert_int_equal(rt_why_largest(&why)->kind, RT_WHY_THREAD);
	assert_string_equal(rt_why_largest(&why)->name, "spinner");
	assert_int_equal(rt_why_largest(&why)->prio, 0);
	assert_int_equal(rt_why_largest(&why)->ns, 2857 * US);
	assert_int_equal(time_of(&why, RT_WHY_TIMER_LATE, "spinner"), 4 * US);
	assert_int_equal(time_of(&why, RT_WHY_IRQ, "local_timer"), 40 * US);
	assert_int_equal(time_of(&why, RT_WHY_SOFTIRQ, "RCU"), 68 * US);
	assert_int_equal(time_of(&why, RT_WHY_SWITCH_IN, ""), 7500);
	assert_int_equal(time_of(&why, RT_WHY_UNEXPLAINED, ""), 0);
}

/*
 * What follows was explained live, too, from a recording with nanoseconds: text is
 * within a microsecond or so of that.
 */

/* A FIFO 99 thread came when the receiver had just been woken from the other CPU. */
static void test_handover(void **state RT_UNUSED)
{
	static const struct rt_why_sample sample = {
		.waits_for = RT_WHY_FOR_WAKER, .cpu = 1, .tid = 10307,
		.wake_ns = INT64_C(3914432645771), .now_ns = INT64_C(3914435766922) };
	char *trace = read_data("handover.txt");
	struct rt_why why;

	assert_non_null(trace);
	assert_int_equal(rt_why_explain(&why, &sample, trace, NULL), 0);
	assert_int_equal(sum_of(&why), 3121151);
	assert_in_range(time_of(&why, RT_WHY_WAKER, "pairtest/1"), 1, 2413);
	assert_in_range(time_of(&why, RT_WHY_THREAD, "planted"), 3021927, 3024927);
	assert_int_equal(time_of(&why, RT_WHY_TIMER_LATE, "python3"), 0);
	assert_int_equal(time_of(&why, RT_WHY_UNEXPLAINED, ""), 0);
	assert_string_equal(why.causes[0].name, "pairtest/1");
	assert_int_equal(why.causes[0].prio, 19);
}

/* A gap in a busy loop: a FIFO 99 thread, and somebody of its own rank. */
static void test_gap(void **state RT_UNUSED)
{
	static const struct rt_why_sample sample = {
		.waits_for = RT_WHY_FOR_CPU, .cpu = 1, .tid = 11396,
		.wake_ns = INT64_C(3918408761575), .now_ns = INT64_C(3918411833655) };
	char *trace = read_data("gap.txt");
	struct rt_why why;

	assert_non_null(trace);
	assert_int_equal(rt_why_explain(&why, &sample, trace, NULL), 0);
	assert_int_equal(sum_of(&why), 3072080);
	assert_in_range(time_of(&why, RT_WHY_THREAD, "planted"), 2984101, 2987101);
	assert_in_range(time_of(&why, RT_WHY_THREAD, "qemu-aarch64"), 22568, 25568);
	assert_int_equal(time_of(&why, RT_WHY_SWITCH_IN, ""), 0);
	assert_in_range(time_of(&why, RT_WHY_UNEXPLAINED, ""), 18631, 21631);
}

/* A period of a deadline thread that another one, of an earlier deadline, took. */
static void test_period(void **state RT_UNUSED)
{
	static const struct rt_why_sample sample = {
		.waits_for = RT_WHY_FOR_PERIOD, .cpu = -1, .tid = 17767,
		.wake_ns = INT64_C(3927757367950), .now_ns = INT64_C(3927761398030) };
	char *trace = read_data("period.txt");
	struct rt_why why;

	assert_non_null(trace);
	assert_int_equal(rt_why_explain(&why, &sample, trace, NULL), 0);
	assert_int_equal(sum_of(&why), 4030080);
	assert_int_equal(why.sample.cpu, 0);
	assert_in_range(time_of(&why, RT_WHY_THREAD, "planted"), 3940673, 3943673);
	assert_int_equal(rt_why_largest(&why)->prio, -1);
	assert_int_equal(time_of(&why, RT_WHY_UNEXPLAINED, ""), 0);
}

/* As kernel 6.18 recorded it: no switch that leaves idle is there, and the spinner is named all the same. */
static void test_missing_switches(void **state RT_UNUSED)
{
	static const char trace[] =
		"cyclictest/0-5920 [001] d..2. 9181.422631: sched_switch: prev_comm=cyclictest/0 "
		"prev_pid=5920 prev_prio=19 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120\n"
		"<idle>-0 [001] d.h1. 9181.423183: local_timer_entry: vector=236\n"
		"<idle>-0 [001] d.h3. 9181.423183: sched_waking: comm=spinner pid=5912 prio=0 target_cpu=001\n"
		"<idle>-0 [001] dNh1. 9181.423189: local_timer_exit: vector=236\n"
		"spinner-5912 [001] d.h.. 9181.423621: local_timer_entry: vector=236\n"
		"spinner-5912 [001] d.h2. 9181.423622: sched_waking: comm=cyclictest/0 pid=5920 prio=19 target_cpu=001\n"
		"spinner-5912 [001] d.h.. 9181.423629: local_timer_exit: vector=236\n"
		"spinner-5912 [001] d.h.. 9181.424007: local_timer_entry: vector=236\n"
		"spinner-5912 [001] d.h.. 9181.424014: local_timer_exit: vector=236\n"
		"spinner-5912 [001] d..2. 9181.426198: sched_switch: prev_comm=spinner prev_pid=5912 "
		"prev_prio=0 prev_state=S ==> next_comm=cyclictest/0 next_pid=5920 next_prio=19\n";
	static const struct rt_why_sample sample = { .cpu = 1, .tid = 5920,
						     .wake_ns = 9181423613410,
						     .now_ns = 9181426199410 };
	struct rt_why why = { 0 };

	assert_int_equal(rt_why_explain(&why, &sample, trace, NULL), 0);
	assert_int_equal(sum_of(&why), sample.now_ns - sample.wake_ns);
	assert_int_equal(time_of(&why, RT_WHY_IDLE_EXIT, "idle"), 0);
	assert_in_range(time_of(&why, RT_WHY_THREAD, "spinner"), 2550 * US, 2580 * US);
	assert_in_range(time_of(&why, RT_WHY_TIMER_LATE, "spinner"), 7 * US, 8 * US);
}

static void test_guest(void **state RT_UNUSED)
{
	static const struct rt_why_sample sample = { .cpu = 1, .tid = 135,
		.wake_ns = INT64_C(42797040000), .now_ns = INT64_C(42797436000) };
	char *trace = read_data("guest-rt.txt");
	struct rt_why why;

	assert_non_null(trace);
	assert_int_equal(rt_why_explain(&why, &sample, trace, NULL), 0);
	assert_int_equal(sum_of(&why), 396 * US);
	assert_int_equal(time_of(&why, RT_WHY_TIMER_LATE, "idle state 1"), (10 + 42) * US);
	assert_int_equal(time_of(&why, RT_WHY_TIMER_LATE, "rcu_preempt"), 108 * US);
	assert_int_equal(time_of(&why, RT_WHY_IRQ, "local_timer"), (103 + 50) * US);
	assert_int_equal(time_of(&why, RT_WHY_HELD, "rcuc/1"), 21 * US);
	assert_int_equal(time_of(&why, RT_WHY_SWITCH_IN, ""), 25 * US);
	assert_int_equal(why.woken_ns, INT64_C(42797354000));
	assert_int_equal(why.timer_ns, INT64_C(42797340000));
}

/* With the times of the other reading all is as exact as the thread's own two looks at the clock. */
static void test_refined(void **state RT_UNUSED)
{
	static const struct {
		const char *text, *raw;
		struct rt_why_sample sample;
		int64_t late_ns, irq_ns, planted_ns, in_ns;
	} rows[] = {
		{ "planted.txt", "planted.raw.txt",
		  { .cpu = 1, .tid = 18205, .wake_ns = INT64_C(4976678760465),
		    .now_ns = INT64_C(4976678760465) + 2508715 }, 10431, 24207, 2454800, 2355 },
		{ "guest-planted.txt", "guest-planted.raw.txt",
		  { .cpu = -1, .tid = 171, .wake_ns = INT64_C(11431451979),
		    .now_ns = INT64_C(11431451979) + 3300097 }, 66893, 168613, 3017996, 46595 },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		char *text = strdup(read_data(rows[i].text));
		char *refined = rt_trace_refine(text, read_data(rows[i].raw));
		struct rt_why why;

		assert_int_equal(rt_why_explain(&why, &rows[i].sample, refined, NULL), 0);
		assert_int_equal(sum_of(&why), rows[i].sample.now_ns - rows[i].sample.wake_ns);
		assert_int_equal(why.sample.cpu, 1);
		assert_int_equal(time_of(&why, RT_WHY_TIMER_LATE, "planted"), rows[i].late_ns);
		assert_int_equal(time_of(&why, RT_WHY_IRQ, "local_timer"), rows[i].irq_ns);
		assert_int_equal(time_of(&why, RT_WHY_THREAD, "planted"), rows[i].planted_ns);
		assert_int_equal(time_of(&why, RT_WHY_SWITCH_IN, ""), rows[i].in_ns);
		/* without them to a microsecond for each of at most six stretches */
		assert_int_equal(rt_why_explain(&why, &rows[i].sample, text, NULL), 0);
		assert_in_range(time_of(&why, RT_WHY_THREAD, "planted"),
				rows[i].planted_ns - 6 * US, rows[i].planted_ns + 6 * US);
		free(refined);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),	cmocka_unit_test(test_cases),
		cmocka_unit_test(test_other_cases), cmocka_unit_test(test_moved),
		cmocka_unit_test(test_many),	cmocka_unit_test(test_partial),
		cmocka_unit_test(test_since),	cmocka_unit_test(test_ranking),
		cmocka_unit_test(test_spinner), cmocka_unit_test(test_guest),
		cmocka_unit_test(test_refined),
		cmocka_unit_test(test_missing_switches), cmocka_unit_test(test_handover),
		cmocka_unit_test(test_gap), cmocka_unit_test(test_period),
	};

	return cmocka_run_group_tests_name("why", tests, NULL, NULL);
}
