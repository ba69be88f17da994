/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup: which folder is a process' group, on made-up machines. The room's own functions
 * are tried, so its source is taken in whole.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/stat.h>

#include "folder.h"

#include "../../src/lib/cgroup.c"

static int setup(void **state RT_UNUSED)
{
	return folder_make("cgroup");
}

static void test_list_has(void **state RT_UNUSED)
{
	assert_true(list_has("cpu", "cpu"));
	assert_true(list_has("cpu,cpuacct", "cpu"));
	assert_true(list_has("cpuacct,cpu", "cpu"));
	assert_true(list_has("rw,cpuacct,cpu", "cpu"));
	assert_false(list_has("cpuset", "cpu"));
	assert_false(list_has("cpuacct", "cpu"));
	assert_false(list_has("", "cpu"));
	assert_false(list_has("name=cpu", "cpu"));
}

/* What /proc would say, with a mount point that has a blank in its name */
struct machine {
	const char *cgroup;  /* /proc/PID/cgroup */
	const char *root;    /* what of the hierarchy is mounted */
	const char *type;    /* and as what */
	const char *options;
	const char *want;    /* folder below the mount point; NULL: there is none */
	int version;
};

static void check_machine(const struct machine *m)
{
	struct rt_cgroup group = { 0 };
	char text[1024], want[512];

	snprintf(text, sizeof(text),
		 "22 1 0:5 / /proc rw - proc proc rw\n"
		 "broken line\n"
		 "31 1 0:27 / /nowhere rw shared:9 - cgroup cgroup rw,cpuset\n"
		 "32 1 0:28 %s /groups\\040of/cpu rw,relatime shared:10 master:2 - %s cgroup %s\n",
		 m->root, m->type, m->options);
	put("mountinfo", text);
	put("cgroup", m->cgroup);
	if (!m->want) {
		assert_int_equal(find(&group, "cpu", in("cgroup"), in("mountinfo")), -ENOENT);
		assert_null(group.folder);
		return;
	}
	snprintf(want, sizeof(want), "/groups of/cpu%s", m->want);
	assert_int_equal(find(&group, "cpu", in("cgroup"), in("mountinfo")), 0);
	assert_string_equal(group.folder, want);
	assert_int_equal(group.version, m->version);
	while (rt_cgroup_up(&group))
		continue;
	assert_string_equal(group.folder, "/groups of/cpu");
	rt_cgroup_done(&group);
}

static void test_find(void **state RT_UNUSED)
{
	static const struct machine machines[] = {
		{ "9:cpuset:/\n3:cpuacct,cpu:/user\n0::/\n", "/", "cgroup", "rw,cpuacct,cpu", "/user", 1 },
		{ "0::/v2\n3:cpu:/user", "/", "cgroup", "rw,cpu", "/user", 1 },
		{ "3:cpu:/\n", "/", "cgroup", "rw,cpu", "", 1 },
		{ "3:cpuset:/user\n", "/", "cgroup", "rw,cpu", NULL, 0 },
		{ "3:cpu:/user\n", "/", "cgroup", "rw,memory", NULL, 0 },
		{ "3:cpuset:/user\n0::/a/b\n", "/", "cgroup2", "rw,nsdelegate", "/a/b", 2 },
		{ "0::/\n", "/", "cgroup2", "rw", "", 2 },
		{ "0::/a\n", "/", "cgroup", "rw,cpu", NULL, 0 },
		/* in a container the mount shows the hierarchy from the group on */
		{ "3:cpu:/box/7\n", "/box/7", "cgroup", "rw,cpu", "", 1 },
		{ "3:cpu:/box/7/user\n", "/box/7", "cgroup", "rw,cpu", "/user", 1 },
		{ "3:cpu:/box/77\n", "/box/7", "cgroup", "rw,cpu", NULL, 0 },
		/* and a process may be outside of the namespace */
		{ "0::/../other\n", "/", "cgroup2", "rw", NULL, 0 },
		{ "0::/../other\n", "/..", "cgroup2", "rw", "/other", 2 },
		{ "no colons\n", "/", "cgroup", "rw,cpu", NULL, 0 },
		{ "", "/", "cgroup", "rw,cpu", NULL, 0 },
	};
	struct rt_cgroup group = { 0 };

	for (size_t i = 0; i < RT_ARRAY_SIZE(machines); i++)
		check_machine(&machines[i]);
	assert_int_equal(find(&group, "cpu", "/nonexistent", "/nonexistent"), -ENOENT);
	rt_cgroup_done(&group);
}

static void test_up(void **state RT_UNUSED)
{
	struct rt_cgroup group = { .folder = strdup("/mnt/a/b"), .top = strlen("/mnt") };

	assert_true(rt_cgroup_up(&group));
	assert_string_equal(group.folder, "/mnt/a");
	assert_true(rt_cgroup_up(&group));
	assert_string_equal(group.folder, "/mnt");
	assert_false(rt_cgroup_up(&group));
	assert_string_equal(group.folder, "/mnt");
	rt_cgroup_done(&group);
}

static void test_number(void **state RT_UNUSED)
{
	struct rt_cgroup group = { .folder = base };

	put("pids.max", "max\n");
	put("pids.current", "17\n");
	put("cpu.rt_runtime_us", "-1\n");
	put("memory.limit_in_bytes", "9223372036854771712\n");
	assert_true(rt_cgroup_number(&group, "pids.max") == INT64_MAX);
	assert_true(rt_cgroup_number(&group, "pids.current") == 17);
	assert_true(rt_cgroup_number(&group, "cpu.rt_runtime_us") == -1);
	assert_true(rt_cgroup_number(&group, "memory.limit_in_bytes") == INT64_C(9223372036854771712));
	assert_true(rt_cgroup_number(&group, "none") == INT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list_has),
		cmocka_unit_test_setup_teardown(test_find, setup, folder_remove),
		cmocka_unit_test(test_up),
		cmocka_unit_test_setup_teardown(test_number, setup, folder_remove),
	};

	return cmocka_run_group_tests_name("cgroup", tests, NULL, NULL);
}
