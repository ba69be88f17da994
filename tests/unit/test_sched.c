/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched: names, policies that are really had, and the reasons why not. Some
 * reasons need a kernel that is made up, so the source is taken in whole.
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

#include "folder.h"
#include "rt/cgroup.h"
#include "rt/cpuset.h"
#include "rt/futex.h" /* with the kernel's own futexes */

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

/* The group of every process, in the folder of the test */
static int group_version;

static int group_find(struct rt_cgroup *ret, const char *file RT_UNUSED)
{
	*ret = (struct rt_cgroup){ .folder = strdup(base), .version = group_version };
	return 0;
}

#define rt_cgroup_find(group, controller, file) group_find(group, file)
#define getrlimit(what, limit) limit_get(limit)
#define setrlimit(what, limit) limit_set(limit)
#define syscall call_kernel
#include "../../src/lib/sched.c"
#undef rt_cgroup_find
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

static int setup_folder(void **state RT_UNUSED)
{
	return folder_make("sched");
}

static void expect_runtime(int version, const char *runtime, bool is_reason)
{
	rt_auto_free char *path = NULL;

	group_version = version;
	put("cpu.rt_runtime_us", runtime);
	path = find_zero_runtime("/proc/self/cgroup");
	assert_int_equal(path != NULL, is_reason);
	if (path)
		assert_string_equal(path, in("cpu.rt_runtime_us"));
}

static void test_zero_runtime(void **state RT_UNUSED)
{
	expect_runtime(1, "0\n", true);
	expect_runtime(1, "950000\n", false);
	expect_runtime(1, "-1\n", false);
	expect_runtime(2, "0\n", false);
	unlink(in("cpu.rt_runtime_us"));
	group_version = 1;
	assert_null(find_zero_runtime("/proc/self/cgroup"));
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
		cmocka_unit_test_setup_teardown(test_zero_runtime, setup_folder, folder_remove),
	};

	return cmocka_run_group_tests_name("sched", tests, NULL, NULL);
}
