/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched: names, policies that are really had, and the reasons why not. The
 * room's own functions for cgroups are tried on files made up here, so its
 * source is taken in whole.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rt/cpuset.h"

/*
 * Few machines let a test choose the hard limit, so a pretended kernel stands in
 * for the real one while is_pretended is set: it knows the limit and nothing else.
 */
static bool is_pretended;
static struct rlimit pretended_limit;

static int limit_get(struct rlimit *ret)
{
	if (!is_pretended)
		return getrlimit(RLIMIT_RTPRIO, ret);
	*ret = pretended_limit;
	return 0;
}

static int limit_set(const struct rlimit *limit)
{
	if (!is_pretended)
		return setrlimit(RLIMIT_RTPRIO, limit);
	pretended_limit = *limit;
	return 0;
}

/* The three calls that the room makes, each with its own arguments. */
static long call_kernel(long nr, ...)
{
	uint32_t *attr;
	va_list args;
	pid_t tid;

	if (nr == SYS_gettid)
		return syscall(nr);
	va_start(args, nr);
	tid = va_arg(args, pid_t);
	attr = va_arg(args, void *);
	va_end(args);
	if (nr == SYS_sched_getattr)
		return syscall(nr, tid, attr, (size_t)attr[0], 0);
	if (!is_pretended)
		return syscall(nr, tid, attr, 0);
	if (attr[5] <= pretended_limit.rlim_cur) /* sched_priority */
		return 0;
	errno = EPERM;
	return -1;
}

#define getrlimit(what, limit) limit_get(limit)
#define setrlimit(what, limit) limit_set(limit)
#define syscall call_kernel
#include "../../src/lib/sched.c"
#undef getrlimit
#undef setrlimit
#undef syscall

#define NO_THREAD 0x7ffffff0 /* above every pid_max */
#define MS INT64_C(1000000)

static void test_policy_names(void **state RT_UNUSED)
{
	static const struct {
		const char *text;
		enum rt_policy policy;
	} rows[] = {
		{ "other", RT_POLICY_OTHER },	    { "normal", RT_POLICY_OTHER },
		{ "batch", RT_POLICY_BATCH },	    { "idle", RT_POLICY_IDLE },
		{ "fifo", RT_POLICY_FIFO },	    { "rr", RT_POLICY_RR },
		{ "deadline", RT_POLICY_DEADLINE }, { "FIFO", RT_POLICY_FIFO },
		{ "Rr", RT_POLICY_RR },		    { "f", RT_POLICY_FIFO },
		{ "dead", RT_POLICY_DEADLINE },	    { "SCHED_FIFO", RT_POLICY_FIFO },
		{ "sched_rr", RT_POLICY_RR },	    { "SCHED_OTHER", RT_POLICY_OTHER },
	};
	static const char *const refused[] = { "",	"x",	  "fifox",  "fifo ", " fifo",
					       "sched_", "sched", "1",	    "SCHED_SCHED_RR" };

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		enum rt_policy policy = 99;

		assert_int_equal(rt_policy_parse(&policy, rows[i].text, NULL), 0);
		assert_int_equal(policy, rows[i].policy);
	}
	for (size_t i = 0; i < RT_ARRAY_SIZE(refused); i++) {
		struct rt_err err = { 0 };
		enum rt_policy policy = 99;

		assert_int_equal(rt_policy_parse(&policy, refused[i], &err), -EINVAL);
		assert_int_equal(policy, 99);
		assert_int_equal(err.exit, RT_EXIT_USAGE);
	}
	assert_string_equal(rt_policy_name(RT_POLICY_OTHER), "other");
	assert_string_equal(rt_policy_name(RT_POLICY_DEADLINE), "deadline");
	assert_string_equal(rt_policy_name(4), "unknown");
}

/* ---- threads that try it ----------------------------------------------------------- */

struct attempt {
	struct rt_sched wanted;
	struct rt_sched got;
	struct rt_err err;
	int nice_before, nice_after;
	int code, get_code;
	pid_t tid;
	bool is_pinned;
};

static void make_attempt(void *data)
{
	struct attempt *a = data;

	a->tid = rt_gettid();
	if (a->nice_before)
		setpriority(PRIO_PROCESS, 0, a->nice_before);
	if (a->is_pinned)
		rt_cpuset_pin_cpu(0, sched_getcpu());
	a->code = rt_sched_apply(0, &a->wanted, &a->err);
	a->get_code = rt_sched_get(0, &a->got);
	a->nice_after = getpriority(PRIO_PROCESS, 0);
}

static void test_other_for_anyone(void **state RT_UNUSED)
{
	static const enum rt_policy rows[] = { RT_POLICY_OTHER, RT_POLICY_BATCH, RT_POLICY_IDLE };

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct attempt a = { .wanted.policy = rows[i], .nice_before = 19 };

		assert_int_equal(rt_thread_aside(make_attempt, &a), 0);
		assert_int_equal(a.code, 0);
		assert_int_equal(a.get_code, 0);
		assert_int_equal(a.got.policy, rows[i]);
		assert_int_equal(a.got.priority, 0);
		assert_int_equal(a.got.runtime_ns, 0);
		assert_int_equal(a.nice_after, 19);
		assert_int_not_equal(a.tid, rt_gettid());
	}
}

static void test_real_time(void **state RT_UNUSED)
{
	struct attempt a = { .wanted = { .policy = RT_POLICY_FIFO, .priority = 5,
					 .flags = RT_SCHED_RESET_ON_FORK } };

	assert_int_equal(rt_thread_aside(make_attempt, &a), 0);
	if (a.code == -EPERM) {
		assert_int_equal(a.err.exit, RT_EXIT_MISSING);
		print_message("# skipped: no right to real-time priorities: %s\n", a.err.text);
		return;
	}
	assert_int_equal(a.code, 0);
	assert_int_equal(a.got.policy, RT_POLICY_FIFO);
	assert_int_equal(a.got.priority, 5);
	assert_int_equal(a.got.flags, RT_SCHED_RESET_ON_FORK);
}

static void test_check_leaves_caller(void **state RT_UNUSED)
{
	const struct rt_sched fifo = { .policy = RT_POLICY_FIFO, .priority = 3 };
	struct rt_sched before, after;
	struct rt_err err = { 0 };
	int code;

	assert_int_equal(rt_sched_get(0, &before), 0);
	code = rt_sched_check(&fifo, &err);
	assert_true(code == 0 || code == -EPERM);
	assert_int_equal(rt_err_is_set(&err), code != 0);
	assert_int_equal(rt_sched_get(0, &after), 0);
	assert_memory_equal(&before, &after, sizeof(before));
}

static const struct rt_sched some_deadline = {
	.policy = RT_POLICY_DEADLINE, .runtime_ns = MS / 10, .deadline_ns = MS, .period_ns = MS,
};

static void test_impossible_values(void **state RT_UNUSED)
{
	struct rt_sched deadline = some_deadline;
	struct rt_sched fifo = { .policy = RT_POLICY_FIFO, .priority = 0 };
	struct rt_err err = { 0 };

	assert_int_equal(rt_sched_apply(0, &fifo, &err), -EINVAL);
	assert_int_equal(err.exit, RT_EXIT_FAILED);
	assert_non_null(strstr(err.text, "SCHED_FIFO priority 0"));
	assert_non_null(strstr(err.text, "from 1 to 99"));

	err = (struct rt_err){ 0 };
	deadline.runtime_ns = 2 * MS;
	assert_int_equal(rt_sched_apply(0, &deadline, &err), -EINVAL);
	assert_non_null(strstr(err.text, "SCHED_DEADLINE runtime 2ms, deadline 1ms, period 1ms"));

	err = (struct rt_err){ 0 };
	fifo.priority = 1;
	assert_int_equal(rt_sched_apply(NO_THREAD, &fifo, &err), -ESRCH);
	assert_int_equal(err.exit, RT_EXIT_FAILED);
	assert_non_null(strstr(err.text, "thread 2147483632"));
	assert_int_equal(rt_sched_apply(NO_THREAD, &fifo, NULL), -ESRCH);
	assert_int_equal(rt_sched_get(NO_THREAD, &fifo), -ESRCH);
}

/* The kernel has another EPERM for this one, which no right helps against. */
static void test_pinned_deadline(void **state RT_UNUSED)
{
	struct attempt pinned = { .wanted = some_deadline, .is_pinned = true };
	struct rt_cpuset usable = RT_CPUSET_INIT;
	int cpus;

	assert_int_equal(rt_cpuset_usable(&usable, NULL), 0);
	cpus = rt_cpuset_count(&usable);
	rt_cpuset_done(&usable);
	if (cpus < 2 || rt_sched_check(&some_deadline, NULL) < 0) {
		print_message("# skipped: needs two CPUs and the right to SCHED_DEADLINE\n");
		return;
	}
	assert_int_equal(rt_thread_aside(make_attempt, &pinned), 0);
	assert_int_equal(pinned.code, -EPERM);
	assert_int_equal(pinned.err.exit, RT_EXIT_MISSING);
	assert_non_null(strstr(pinned.err.text, "affinity"));
}

static void test_other_reasons(void **state RT_UNUSED)
{
	struct rt_err err = { 0 };

	assert_int_equal(refuse(EBUSY, 0, &some_deadline, &err), -EBUSY);
	assert_int_equal(err.exit, RT_EXIT_MISSING);
	assert_non_null(strstr(err.text, "bandwidth"));
	assert_non_null(strstr(err.text, "95 %)"));

	err = (struct rt_err){ 0 };
	assert_int_equal(refuse(ENOSYS, 0, &some_deadline, &err), -ENOSYS);
	assert_int_equal(err.exit, RT_EXIT_MISSING);
}

/* ---- without rights, in a child -------------------------------------------------------- */

/* Returns which claims are false, a bit each. */
static int claims_without_rights(void)
{
	const struct rt_sched rr = { .policy = RT_POLICY_RR, .priority = 30 };
	struct rlimit limit = { 0, 0 };
	struct rt_err err = { 0 };
	int wrong = 0;

	if (setrlimit(RLIMIT_RTPRIO, &limit) < 0 || (getuid() == 0 && setuid(65534) < 0))
		return 1;
	if (rt_sched_check(&rr, &err) != -EPERM || err.exit != RT_EXIT_MISSING)
		wrong |= 2;
	if (!strstr(err.text, "SCHED_RR priority 30") || !strstr(err.text, "CAP_SYS_NICE"))
		wrong |= 4;
	if (!strstr(err.text, "RLIMIT_RTPRIO to 30") || !strstr(err.text, "0 (soft) and 0 (hard)"))
		wrong |= 8;

	err = (struct rt_err){ 0 };
	if (rt_sched_check(&some_deadline, &err) != -EPERM || !strstr(err.text, "CAP_SYS_NICE"))
		wrong |= 16;
	if (strstr(err.text, "RLIMIT")) /* of no use for it */
		wrong |= 32;
	return wrong;
}

static void test_without_rights(void **state RT_UNUSED)
{
	int status = -1;
	pid_t pid;

	if (getuid() != 0 && rt_has_capability(CAP_SYS_NICE_BIT)) {
		print_message("# skipped: CAP_SYS_NICE is there without root\n");
		return;
	}
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		_exit(claims_without_rights());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_soft_limit_is_raised(void **state RT_UNUSED)
{
	static const struct {
		rlim_t soft, hard;
		int priority, code;
		rlim_t soft_after;
	} rows[] = {
		{ 0, 20, 10, 0, 10 },
		{ 0, 20, 20, 0, 20 },
		{ 0, 20, 21, -EPERM, 0 },
		{ 15, 20, 10, 0, 15 },
		{ 0, RLIM_INFINITY, 99, 0, 99 },
		{ RLIM_INFINITY, RLIM_INFINITY, 99, 0, RLIM_INFINITY },
		{ 5, 5, 10, -EPERM, 5 },
		{ 0, 0, 1, -EPERM, 0 },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		const struct rt_sched s = { .policy = RT_POLICY_FIFO, .priority = rows[i].priority };
		int code;

		pretended_limit = (struct rlimit){ rows[i].soft, rows[i].hard };
		is_pretended = true;
		code = rt_sched_apply(0, &s, NULL);
		is_pretended = false;
		assert_int_equal(code, rows[i].code);
		assert_int_equal(pretended_limit.rlim_cur, rows[i].soft_after);
		assert_int_equal(pretended_limit.rlim_max, rows[i].hard);
	}
}

static void test_limit_in_words(void **state RT_UNUSED)
{
	const struct rt_sched s = { .policy = RT_POLICY_FIFO, .priority = 99 };
	char text[REASON_MAX];

	is_pretended = true;
	pretended_limit = (struct rlimit){ 5, 20 };
	explain_rights(text, &s);
	assert_non_null(strstr(text, "RLIMIT_RTPRIO to 99"));
	assert_non_null(strstr(text, "now 5 (soft) and 20 (hard)"));
	pretended_limit = (struct rlimit){ 5, RLIM_INFINITY };
	explain_rights(text, &s);
	assert_non_null(strstr(text, "5 (soft) and unlimited (hard)"));
	is_pretended = false;
}

/* ---- cgroups -------------------------------------------------------------------------- */

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

static void write_file(const char *path, const char *text)
{
	FILE *out = fopen(path, "we");

	assert_non_null(out);
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
}

/* A made-up machine: what /proc would say, and a hierarchy in a temporary folder. */
static void check_runtime(const char *dir, const char *cgroup, const char *root,
			  const char *mount_name, const char *options, const char *want)
{
	char cgroup_file[256], mounts_file[256], mounts[1024], want_path[256];
	char *got;

	snprintf(cgroup_file, sizeof(cgroup_file), "%s/cgroup", dir);
	snprintf(mounts_file, sizeof(mounts_file), "%s/mountinfo", dir);
	snprintf(mounts, sizeof(mounts),
		 "22 1 0:5 / /proc rw - proc proc rw\n"
		 "30 1 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
		 "broken line\n"
		 "31 1 0:27 / /nowhere rw shared:9 - cgroup cgroup rw,cpuset\n"
		 "32 1 0:28 %s %s/%s rw,relatime shared:10 master:2 - cgroup cgroup %s\n",
		 root, dir, mount_name, options);
	write_file(cgroup_file, cgroup);
	write_file(mounts_file, mounts);

	got = find_zero_runtime(cgroup_file, mounts_file);
	if (want) {
		snprintf(want_path, sizeof(want_path), "%s/%s", dir, want);
		assert_non_null(got);
		assert_string_equal(got, want_path);
	} else {
		assert_null(got);
	}
	free(got);
}

/* Folder and runtime of each group; the mount point has a blank in its name. */
static const char *const groups[][2] = {
	{ "v1 cpu", "950000\n" },
	{ "v1 cpu/user", "0\n" },
	{ "v1 cpu/unlimited", "-1\n" },
};

static void make_groups(const char *dir)
{
	char path[256];

	for (size_t i = 0; i < RT_ARRAY_SIZE(groups); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, groups[i][0]);
		assert_int_equal(mkdir(path, 0700), 0);
		strcat(path, "/cpu.rt_runtime_us");
		write_file(path, groups[i][1]);
	}
}

static void remove_groups(const char *dir)
{
	static const char *const files[] = { "cgroup", "mountinfo" };
	char path[256];

	for (size_t i = RT_ARRAY_SIZE(groups); i-- > 0;) {
		snprintf(path, sizeof(path), "%s/%s/cpu.rt_runtime_us", dir, groups[i][0]);
		unlink(path);
		snprintf(path, sizeof(path), "%s/%s", dir, groups[i][0]);
		rmdir(path);
	}
	for (size_t i = 0; i < RT_ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		unlink(path);
	}
	assert_int_equal(rmdir(dir), 0);
}

static void test_zero_runtime(void **state RT_UNUSED)
{
	static const char zero[] = "v1 cpu/user/cpu.rt_runtime_us";
	static const struct {
		const char *cgroup, *root, *mount, *options, *want;
	} rows[] = {
		{ "9:cpuset:/\n3:cpuacct,cpu:/user\n0::/\n", "/", "v1\\040cpu", "rw,cpuacct,cpu", zero },
		{ "3:cpu:/user", "/", "v1\\040cpu", "rw,cpu", zero },
		{ "3:cpu:/\n", "/", "v1\\040cpu", "rw,cpu", NULL },
		{ "3:cpu:/unlimited\n", "/", "v1\\040cpu", "rw,cpu", NULL },
		{ "3:cpu:/gone\n", "/", "v1\\040cpu", "rw,cpu", NULL },
		{ "3:cpuset:/user\n0::/user\n", "/", "v1\\040cpu", "rw,cpu", NULL },
		{ "3:cpu:/user\n", "/", "v1\\040cpu", "rw,cpuset", NULL },
		/* in a container the mount shows the hierarchy from the group on */
		{ "3:cpu:/box/7\n", "/box/7", "v1\\040cpu/user", "rw,cpu", zero },
		{ "3:cpu:/box/7/user\n", "/box/7", "v1\\040cpu", "rw,cpu", zero },
		{ "3:cpu:/box/77\n", "/box/7", "v1\\040cpu/user", "rw,cpu", NULL },
		{ "no colons\n", "/", "v1\\040cpu", "rw,cpu", NULL },
		{ "", "/", "v1\\040cpu", "rw,cpu", NULL },
	};
	char dir[] = "/tmp/test_sched.XXXXXX";

	assert_non_null(mkdtemp(dir));
	make_groups(dir);
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++)
		check_runtime(dir, rows[i].cgroup, rows[i].root, rows[i].mount, rows[i].options,
			      rows[i].want);
	remove_groups(dir);
	assert_null(find_zero_runtime("/nonexistent", "/nonexistent"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_policy_names),
		cmocka_unit_test(test_other_for_anyone),
		cmocka_unit_test(test_real_time),
		cmocka_unit_test(test_check_leaves_caller),
		cmocka_unit_test(test_impossible_values),
		cmocka_unit_test(test_pinned_deadline),
		cmocka_unit_test(test_other_reasons),
		cmocka_unit_test(test_without_rights),
		cmocka_unit_test(test_soft_limit_is_raised),
		cmocka_unit_test(test_limit_in_words),
		cmocka_unit_test(test_list_has),
		cmocka_unit_test(test_zero_runtime),
	};

	return cmocka_run_group_tests_name("sched", tests, NULL, NULL);
}
