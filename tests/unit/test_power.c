/* SPDX-License-Identifier: GPL-2.0-or-later */
/* power: the right files get the right values, in a mock tree, and are put back. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "folder.h"
#include "../../src/lib/power_internal.h"
#include "../../src/lib/undo_internal.h"
#include "rt/compiler.h"
#include "rt/power.h"

/* CPU 0 has four states, of which 3 is disabled already; CPU 1 three; CPU 2 none. */
#define STATES "0001/000"

static struct rt_undo *undo;

static int run(const char *command)
{
	char line[512];

	snprintf(line, sizeof(line), "cd '%s' && %s", base, command);
	return system(line);
}

static int make_tree(void **state RT_UNUSED)
{
	if (folder_make("power"))
		return -1;
	rt_power_root_for_tests(base);
	rt_undo_folder_for_tests(base);
	if (run("mkdir -p dev sys/devices/system/cpu/cpu2 && : > dev/cpu_dma_latency && "
		"for s in 0/0 0/1 0/2 0/3 1/0 1/1 1/2; do "
		"d=sys/devices/system/cpu/cpu${s%/*}/cpuidle/state${s#*/}; "
		"mkdir -p $d && echo 0 > $d/disable; done && "
		"echo 1 > sys/devices/system/cpu/cpu0/cpuidle/state3/disable"))
		return -1;
	return rt_undo_open(&undo, NULL);
}

static int read_state(int cpu, int idle)
{
	char name[96];
	FILE *f;
	int value;

	snprintf(name, sizeof(name), "sys/devices/system/cpu/cpu%d/cpuidle/state%d/disable", cpu,
		 idle);
	f = fopen(in(name), "r");
	assert_non_null(f);
	value = fgetc(f);
	fclose(f);
	return value;
}

/* All "disable" files as one text. */
static void expect(const char *want)
{
	char got[16] = "";

	for (int i = 0; i < 4; i++)
		got[i] = (char)read_state(0, i);
	got[4] = '/';
	for (int i = 0; i < 3; i++)
		got[5 + i] = (char)read_state(1, i);
	assert_string_equal(got, want);
}

static void test_limit(void **state RT_UNUSED)
{
	static const struct {
		int cpus; /* a mask */
		int deepest;
		int code;
		const char *states;
		enum rt_exit exit;
	} rows[] = {
		{ 3, -1, 0, "1111/111", 0 },
		{ 3, 0, 0, "0111/011", 0 },
		{ 3, 1, 0, "0011/001", 0 },
		{ 1, 2, 0, "0001/000", 0 },
		{ 2, 0, 0, "0001/011", 0 },
		{ 3, 2, 0, "0001/000", 0 },
		/* CPU 1 has no state 3: CPU 0 must not have been touched. */
		{ 3, 3, -ERANGE, STATES, RT_EXIT_USAGE },
		{ 1, 4, -ERANGE, STATES, RT_EXIT_USAGE },
		{ 1, -2, -ERANGE, STATES, RT_EXIT_USAGE },
		{ 7, 0, -ENODEV, STATES, RT_EXIT_MISSING },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct rt_cpuset cpus = RT_CPUSET_INIT;
		struct rt_err err = { 0 };

		for (int cpu = 0; cpu < 3; cpu++)
			if (rows[i].cpus & (1 << cpu))
				assert_int_equal(rt_cpuset_add(&cpus, cpu), 0);
		assert_int_equal(rt_power_idle_limit(undo, &cpus, rows[i].deepest, &err),
				 rows[i].code);
		assert_int_equal(err.exit, rows[i].exit);
		expect(rows[i].states);
		assert_int_equal(rt_undo_all(undo), 0);
		expect(STATES);
		rt_cpuset_done(&cpus);
		assert_int_equal(rt_undo_open(&undo, NULL), 0);
	}
	rt_undo_all(undo);
}

static void test_latency(void **state RT_UNUSED)
{
	static const int32_t rows[] = { 0, 1, 2000, INT32_MAX };

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		char bytes[2 * sizeof(int32_t)];
		int32_t value = -1;
		FILE *f;

		assert_int_equal(rt_power_latency(undo, rows[i], NULL), 0);
		f = fopen(in("dev/cpu_dma_latency"), "r");
		assert_non_null(f);
		assert_int_equal(fread(bytes, 1, sizeof(bytes), f), sizeof(value)); /* no more */
		fclose(f);
		memcpy(&value, bytes, sizeof(value));
		assert_int_equal(value, rows[i]);
	}
	assert_int_equal(rt_undo_all(undo), 0);
}

/* The request lasts as long as the descriptor: it must be open until the end, not longer. */
static void test_latency_is_held(void **state RT_UNUSED)
{
	int fd, before = dup(0);

	close(before);
	assert_int_equal(rt_power_latency(undo, 5, NULL), 0);
	fd = dup(0);
	assert_true(fd > before);
	close(fd);
	assert_int_equal(rt_undo_all(undo), 0);
	fd = dup(0);
	assert_int_equal(fd, before);
	close(fd);
}

static void test_latency_refused(void **state RT_UNUSED)
{
	struct rt_err err = { 0 };

	assert_int_equal(rt_power_latency(undo, -1, &err), -ERANGE);
	assert_int_equal(err.exit, RT_EXIT_USAGE);
	unlink(in("dev/cpu_dma_latency"));
	err = (struct rt_err){ 0 };
	assert_int_equal(rt_power_latency(undo, 0, &err), -ENOENT);
	assert_int_equal(err.exit, RT_EXIT_MISSING);
	assert_non_null(strstr(err.text, "/dev/cpu_dma_latency"));
	assert_int_equal(rt_undo_all(undo), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_tree, folder_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_limit),
		TEST(test_latency),
		TEST(test_latency_is_held),
		TEST(test_latency_refused),
	};

	return cmocka_run_group_tests_name("power", tests, NULL, NULL);
}
