/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tasks: each limit refuses the first number above it, and is named. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "rt/compiler.h"
#include "rt/tasks.h"

#define NONE INT64_MAX

static const struct rt_tasks_limits wide = {
	.threads_max = NONE, .pid_max = NONE, .tasks = 500, .map_count = NONE, .maps = 50,
	.nproc = NONE, .pids_max = NONE,
};

static void refuses_the_first_above(const struct rt_tasks_limits *l, uint64_t fits,
				    const char *named)
{
	struct rt_err err = { 0 };

	assert_int_equal(rt_tasks_fit(l, "threads", fits, fits, &err), 0);
	assert_int_equal(rt_tasks_fit(l, "threads", fits + 1, fits + 1, &err), -EAGAIN);
	assert_int_equal(err.exit, RT_EXIT_MISSING);
	assert_non_null(strstr(err.text, named));
	assert_non_null(strstr(err.text, " threads cannot be had: "));
	assert_int_equal(rt_tasks_fit(l, "threads", UINT64_MAX / 4, UINT64_MAX / 4, NULL), -EAGAIN);
}

static void each_limit_is_named(void **state)
{
	struct rt_tasks_limits l = wide;

	(void)state;
	assert_int_equal(rt_tasks_fit(&l, "threads", UINT64_MAX / 4, UINT64_MAX / 4, NULL), 0);
	l.threads_max = 1500;
	refuses_the_first_above(&l, 1000, "threads-max is 1500, and the system has 500 tasks now");
	l = wide;
	l.pid_max = 32768;
	refuses_the_first_above(&l, 32268, "pid_max is 32768");
	l = wide;
	l.nproc = 100;
	refuses_the_first_above(&l, 99, "'ulimit -u') is 100");
	l = wide;
	l.pids_max = 20;
	l.pids = 15;
	strcpy(l.pids_file, "/sys/fs/cgroup/a/pids.max");
	refuses_the_first_above(&l, 5, "/sys/fs/cgroup/a/pids.max is 20, and the group has 15 now");
	l = wide;
	l.map_count = 65530;
	refuses_the_first_above(&l, 32740, "max_map_count is 65530");
	assert_int_equal(rt_tasks_fit(&l, "processes", 100000, 0, NULL), 0);
	l = wide;
	l.pid_max = 400; /* lowered below what there is */
	refuses_the_first_above(&l, 0, "pid_max is 400");
}

static void limits_of_this_system(void **state)
{
	struct rt_tasks_limits l;

	(void)state;
	rt_tasks_limits(&l);
	assert_true(l.tasks > 0 && l.tasks < l.pid_max);
	assert_true(l.maps > 1 && l.maps < l.map_count);
	assert_true(l.pids_max == NONE || l.pids >= 0);
	assert_int_equal(rt_tasks_check("threads", 1, 1, NULL), 0);
	assert_int_equal(rt_tasks_check("threads", 1000000000, 1000000000, NULL), -EAGAIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_limit_is_named),
		cmocka_unit_test(limits_of_this_system),
	};

	return cmocka_run_group_tests_name("tasks", tests, NULL, NULL);
}
