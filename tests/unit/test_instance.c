/* SPDX-License-Identifier: GPL-2.0-or-later */
/* instance: what is written where, on a folder that looks like tracefs. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "../../src/lib/instance_internal.h"
#include "rt/compiler.h"

static int make_base(void **state RT_UNUSED)
{
	static const char *const folders[] = { "", "instances", "events", "events/sched",
					       "events/sched/sched_switch", "i", "i/events",
					       "i/events/sched", "i/events/sched/sched_switch",
					       "i/per_cpu", "i/per_cpu/cpu1", "i/per_cpu/cpu33" };
	static const char *const files[] = { "events/sched/sched_switch/enable",
					     "i/events/sched/sched_switch/enable",
					     "i/events/sched/sched_switch/filter",
					     "i/events/enable", "i/current_tracer", "i/trace_clock",
					     "i/trace_options", "i/tracing_cpumask",
					     "i/per_cpu/cpu1/buffer_size_kb",
					     "i/per_cpu/cpu33/buffer_size_kb" };

	if (folder_make("instance"))
		return -1;
	for (size_t i = 1; i < RT_ARRAY_SIZE(folders); i++)
		if (mkdir(in(folders[i]), 0755))
			return -1;
	for (size_t i = 0; i < RT_ARRAY_SIZE(files); i++)
		put(files[i], "");
	put("available_tracers", "blk function nop\n");
	put("i/tracing_on", "1");
	put("i/trace", "# tracer: nop\n");
	return 0;
}

static struct rt_instance *open_it(void)
{
	struct rt_instance *own = NULL;

	assert_int_equal(rt_instance_open(&own, base, in("i"), NULL), 0);
	return own;
}

static void test_switch(void **state RT_UNUSED)
{
	struct rt_instance *own = open_it();

	assert_string_equal(get("i/tracing_on"), "0"); /* off until it is wanted */
	assert_int_equal(rt_instance_switch(own, true), 0);
	assert_string_equal(get("i/tracing_on"), "01"); /* a plain file keeps both writes */
	rt_instance_free(own);
	rt_instance_free(NULL);
}

static void test_cpus(void **state RT_UNUSED)
{
	static const struct {
		const char *list, *mask;
	} rows[] = { { "1", "00000002" }, { "0-3,31", "8000000f" }, { "33", "00000002,00000000" },
		     { "0,64", "00000001,00000000,00000001" } };
	struct rt_instance *own = open_it();
	struct rt_cpuset cpus = RT_CPUSET_INIT;

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		rt_cpuset_done(&cpus);
		assert_int_equal(rt_cpuset_kernel_list(&cpus, rows[i].list), 0);
		put("i/tracing_cpumask", "");
		assert_int_equal(rt_instance_cpus(own, &cpus, NULL), 0);
		assert_string_equal(get("i/tracing_cpumask"), rows[i].mask);
	}
	rt_cpuset_done(&cpus);
	assert_int_equal(rt_cpuset_kernel_list(&cpus, "1,33"), 0);
	assert_int_equal(rt_instance_buffer(own, &cpus, 512, NULL), 0);
	assert_string_equal(get("i/per_cpu/cpu1/buffer_size_kb"), "512");
	assert_string_equal(get("i/per_cpu/cpu33/buffer_size_kb"), "512");
	rt_cpuset_done(&cpus);
	rt_instance_free(own);
}

static void test_events(void **state RT_UNUSED)
{
	static const struct {
		const char *event;
		int status;
		enum rt_exit exit;
		const char *word;
	} rows[] = {
		{ "sched:sched_switch", 0, RT_EXIT_GOOD, NULL },
		{ "sched:sched_switch prev_pid==0", 0, RT_EXIT_GOOD, NULL },
		{ "sched:none", -ENOENT, RT_EXIT_MISSING, "'sched:none' (it needs CONFIG_EVENT" },
		{ "preemptirq:irq_disable", -ENOENT, RT_EXIT_MISSING, "CONFIG_PREEMPTIRQ_TRACEPOINTS" },
		{ "a:b", -ENOENT, RT_EXIT_MISSING, "no event 'a:b';" },
		{ "sched", -EINVAL, RT_EXIT_USAGE, "'sched' is no event" },
		{ "sched:", -EINVAL, RT_EXIT_USAGE, "'sched:' is no event" },
		{ ":x", -EINVAL, RT_EXIT_USAGE, "':x'" },
		{ "", -EINVAL, RT_EXIT_USAGE, "''" },
		{ "../x:y", -EINVAL, RT_EXIT_USAGE, "'../x:y'" },
		{ "sched:../x", -EINVAL, RT_EXIT_USAGE, "'sched:../x'" },
	};
	struct rt_instance *own = open_it();

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct rt_err err = { 0 };

		put("i/events/sched/sched_switch/enable", "");
		assert_int_equal(rt_instance_event(own, rows[i].event, &err), rows[i].status);
		assert_int_equal(err.exit, rows[i].exit);
		assert_string_equal(get("i/events/sched/sched_switch/enable"),
				    rows[i].status ? "" : "1");
		if (rows[i].word && !strstr(err.text, rows[i].word))
			fail_msg("'%s' lacks '%s'", err.text, rows[i].word);
	}
	assert_string_equal(get("i/events/sched/sched_switch/filter"), "prev_pid==0");
	assert_int_equal(rt_instance_events_all(own, NULL), 0);
	assert_string_equal(get("i/events/enable"), "1");
	rt_instance_free(own);
}

static void test_tracers(void **state RT_UNUSED)
{
	static const struct {
		const char *name;
		int status;
		enum rt_exit exit;
		const char *word;
	} rows[] = {
		{ "function", 0, RT_EXIT_GOOD, NULL },
		{ "irqsoff", -ENOENT, RT_EXIT_MISSING, "CONFIG_IRQSOFF_TRACER" },
		{ "preemptirqsoff", -ENOENT, RT_EXIT_MISSING, "CONFIG_PREEMPT_TRACER" },
		{ "wakeup_rt", -ENOENT, RT_EXIT_MISSING, "CONFIG_SCHED_TRACER" },
		{ "func", -EINVAL, RT_EXIT_USAGE, "'func' is no tracer; this kernel has: blk fun" },
		{ "", -EINVAL, RT_EXIT_USAGE, "'' is no tracer" },
	};
	struct rt_instance *own = open_it();

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct rt_err err = { 0 };

		assert_int_equal(rt_instance_tracer(own, rows[i].name, &err), rows[i].status);
		assert_int_equal(err.exit, rows[i].exit);
		if (rows[i].word && !strstr(err.text, rows[i].word))
			fail_msg("'%s' lacks '%s'", err.text, rows[i].word);
	}
	assert_string_equal(get("i/current_tracer"), "function");
	unlink(in("available_tracers"));
	assert_int_equal(rt_instance_tracer(own, "nop", NULL), -ENOENT);
	rt_instance_free(own);
}

static void test_trace(void **state RT_UNUSED)
{
	struct rt_instance *own = open_it();
	char *text = NULL;
	size_t length = 0;

	assert_int_equal(rt_instance_clock(own, "mono", NULL), 0);
	assert_string_equal(get("i/trace_clock"), "mono");
	assert_int_equal(rt_instance_option(own, "nooverwrite", NULL), 0);
	assert_string_equal(get("i/trace_options"), "nooverwrite");
	assert_int_equal(rt_instance_read(own, &text, &length, NULL), 0);
	assert_string_equal(text, "# tracer: nop\n");
	assert_int_equal(length, strlen(text));
	free(text);
	assert_int_equal(rt_instance_clear(own, NULL), 0);
	assert_string_equal(get("i/trace"), "");
	rt_instance_free(own);
}

/* A folder is made and taken away again; what cannot be made leaves nothing behind. */
static void test_new(void **state RT_UNUSED)
{
	struct rt_instance *own = NULL;
	struct rt_undo *undo = NULL;
	struct rt_err err = { 0 };

	assert_int_equal(rt_undo_open(&undo, NULL), 0);
	/* a plain folder has no files in it when it is new */
	assert_int_equal(rt_instance_new_in(&own, base, undo, &err), -ENOENT);
	assert_non_null(strstr(err.text, "tracing_on"));
	assert_int_equal(rmdir(in("instances")), -1);
	assert_int_equal(errno, ENOTEMPTY);
	assert_int_equal(rt_undo_all(undo), 0);
	assert_int_equal(rmdir(in("instances")), 0);
	err = (struct rt_err){ 0 };
	assert_int_equal(rt_undo_open(&undo, NULL), 0);
	assert_int_equal(rt_instance_new_in(&own, base, undo, &err), -ENOENT);
	assert_non_null(strstr(err.text, "cannot make the trace instance"));
	assert_int_equal(err.exit, RT_EXIT_MISSING);
	assert_int_equal(rt_undo_all(undo), 0);
	assert_null(own);
}

/* The top level is taken only when it is free, and left as it was found. */
static void test_top(void **state RT_UNUSED)
{
	struct rt_instance *own = NULL;
	struct rt_undo *undo = NULL;
	struct rt_err err = { 0 };

	put("tracing_on", "0\n");
	put("current_tracer", "function\n");
	assert_int_equal(rt_undo_open(&undo, NULL), 0);
	assert_int_equal(rt_instance_top_in(&own, base, "blk", undo, &err), -EBUSY);
	assert_non_null(strstr(err.text, "'function' is running already"));
	assert_int_equal(rt_instance_top_in(&own, base, "irqsoff", undo, NULL), -ENOENT);
	put("current_tracer", "nop\n");
	assert_int_equal(rt_instance_top_in(&own, base, "blk", undo, NULL), 0);
	assert_int_equal(strncmp(get("current_tracer"), "blk", 3), 0);
	assert_int_equal(get("tracing_on")[0], '1');
	rt_instance_free(own);
	assert_int_equal(rt_undo_all(undo), 0);
	assert_int_equal(strncmp(get("current_tracer"), "nop", 3), 0);
	assert_int_equal(get("tracing_on")[0], '0');
}

/* Switched off at a break, and on again at the end; its options are put back, too. */
static void test_top_stopped(void **state RT_UNUSED)
{
	struct rt_instance *own = NULL;
	struct rt_undo *undo = NULL;

	put("tracing_on", "1\n");
	put("current_tracer", "nop\n");
	put("trace_options", "irq-info\nnoblock\n");
	assert_int_equal(rt_undo_open(&undo, NULL), 0);
	assert_int_equal(rt_instance_top_in(&own, base, "blk", undo, NULL), 0);
	assert_int_equal(get("tracing_on")[0], '1');
	assert_int_equal(rt_instance_option(own, "none-such", NULL), -EINVAL);
	assert_int_equal(rt_instance_option(own, "noirq-info", NULL), 0);
	assert_int_equal(strncmp(get("trace_options"), "noirq-info", 10), 0);
	put("trace_options", "noirq-info\nnoblock\n"); /* as the kernel shows it */
	put("tracing_on", "0\n");
	rt_instance_free(own);
	assert_int_equal(rt_undo_all(undo), 0);
	assert_int_equal(get("tracing_on")[0], '1');
	assert_int_equal(strncmp(get("trace_options"), "irq-info", 8), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_base, folder_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_switch), TEST(test_cpus),  TEST(test_events),
		TEST(test_tracers), TEST(test_trace), TEST(test_new),
		TEST(test_top), TEST(test_top_stopped),
	};

	return cmocka_run_group_tests_name("instance", tests, NULL, NULL);
}
