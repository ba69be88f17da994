/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched - policies by name, the calls that set them, and the reasons for which
 * the kernel refuses (kernel/sched/syscalls.c: user_check_sched_setscheduler()
 * and __sched_setscheduler()).
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/cgroup.h"
#include "rt/futex.h"
#include "rt/sched.h"
#include "rt/units.h"

#define CAP_SYS_NICE_BIT 23 /* include/uapi/linux/capability.h */

/* struct sched_attr of include/uapi/linux/sched/types.h, its first version: all kernels take it. */
struct sched_attr_abi {
	uint32_t size;
	uint32_t sched_policy;
	uint64_t sched_flags;
	int32_t sched_nice;
	uint32_t sched_priority;
	uint64_t sched_runtime;
	uint64_t sched_deadline;
	uint64_t sched_period;
};

/* The first row of a policy is its name. */
static const struct {
	const char *name;
	enum rt_policy policy;
} policies[] = {
	{ "other", RT_POLICY_OTHER },
	{ "normal", RT_POLICY_OTHER },
	{ "batch", RT_POLICY_BATCH },
	{ "idle", RT_POLICY_IDLE },
	{ "fifo", RT_POLICY_FIFO },
	{ "rr", RT_POLICY_RR },
	{ "deadline", RT_POLICY_DEADLINE },
};

/* The names differ in their first letters, so a prefix is always unique. */
int rt_policy_parse(enum rt_policy *ret, const char *text, struct rt_err *err)
{
	const char *name = strncasecmp(text, "sched_", 6) == 0 ? text + 6 : text;
	size_t len = strlen(name);

	for (size_t i = 0; len && i < RT_ARRAY_SIZE(policies); i++) {
		if (strncasecmp(policies[i].name, name, len) == 0) {
			*ret = policies[i].policy;
			return 0;
		}
	}
	return rt_err_set(err, RT_EXIT_USAGE, EINVAL,
			  "'%s' is not a scheduling policy; give other, batch, idle, fifo, rr or "
			  "deadline", text);
}

const char *rt_policy_name(enum rt_policy policy)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(policies); i++)
		if (policies[i].policy == policy)
			return policies[i].name;
	return "unknown";
}

pid_t rt_gettid(void)
{
	return (pid_t)syscall(SYS_gettid);
}

/* ---- the bare calls ---------------------------------------------------------- */

int rt_sched_setattr(pid_t tid, const struct rt_sched *sched)
{
	struct sched_attr_abi attr = {
		.size = sizeof(attr),
		.sched_policy = sched->policy,
		.sched_flags = sched->flags,
		.sched_priority = (uint32_t)sched->priority,
		.sched_runtime = sched->runtime_ns,
		.sched_deadline = sched->deadline_ns,
		.sched_period = sched->period_ns,
	};

	/* This call sets the nice value too, and lowering it is a right: hand the old one in. */
	errno = 0;
	attr.sched_nice = getpriority(PRIO_PROCESS, (id_t)tid);
	if (errno)
		return -errno;
	return syscall(SYS_sched_setattr, tid, &attr, 0) < 0 ? -errno : 0;
}

int rt_sched_get(pid_t tid, struct rt_sched *ret)
{
	struct sched_attr_abi attr = { .size = sizeof(attr) };

	if (syscall(SYS_sched_getattr, tid, &attr, sizeof(attr), 0) < 0)
		return -errno;
	*ret = (struct rt_sched){
		.policy = (enum rt_policy)attr.sched_policy,
		.priority = (int)attr.sched_priority,
		.flags = attr.sched_flags,
	};
	if (ret->policy == RT_POLICY_DEADLINE) { /* others report a time slice there */
		ret->runtime_ns = attr.sched_runtime;
		ret->deadline_ns = attr.sched_deadline;
		ret->period_ns = attr.sched_period;
	}
	return 0;
}

/* ---- why not ----------------------------------------------------------------- */

/*
 * A v1 group with cpu.rt_runtime_us = 0 may have no real-time thread, not even
 * one of root's. Return: that file's path, on the heap; NULL: not the reason.
 */
static char *find_zero_runtime(const char *cgroup_file)
{
	struct rt_cgroup group = { 0 };
	char *path = NULL;

	if (rt_cgroup_find(&group, "cpu", cgroup_file) < 0)
		return NULL;
	if (group.version == 1 && rt_cgroup_number(&group, "cpu.rt_runtime_us") == 0 &&
	    asprintf(&path, "%s/cpu.rt_runtime_us", group.folder) < 0)
		path = NULL;
	rt_cgroup_done(&group);
	return path;
}

bool rt_has_capability(unsigned int bit)
{
	FILE *in = fopen("/proc/thread-self/status", "re");
	char *line = NULL;
	size_t size = 0;
	uint64_t caps = 0;

	while (in && getline(&line, &size, in) > 0)
		if (sscanf(line, "CapEff: %" SCNx64, &caps) == 1)
			break;
	free(line);
	if (in)
		fclose(in);
	return caps >> bit & 1;
}

#define WHAT_MAX 160

/* "SCHED_FIFO priority 80", "SCHED_DEADLINE runtime 10us, deadline 1ms, period 1ms" */
static void describe(char *buf, const struct rt_sched *s)
{
	char run[RT_TIME_TEXT_MAX], dead[RT_TIME_TEXT_MAX], per[RT_TIME_TEXT_MAX];
	char name[16];

	snprintf(name, sizeof(name), "%s", rt_policy_name(s->policy));
	for (char *c = name; *c; c++)
		*c = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
	if (s->policy == RT_POLICY_DEADLINE)
		snprintf(buf, WHAT_MAX, "SCHED_%s runtime %s, deadline %s, period %s", name,
			 rt_format_time(run, sizeof(run), (int64_t)s->runtime_ns),
			 rt_format_time(dead, sizeof(dead), (int64_t)s->deadline_ns),
			 rt_format_time(per, sizeof(per), (int64_t)s->period_ns));
	else if (rt_policy_is_rt(s->policy))
		snprintf(buf, WHAT_MAX, "SCHED_%s priority %d", name, s->priority);
	else
		snprintf(buf, WHAT_MAX, "SCHED_%s", name);
}

static const char *limit_text(char buf[24], rlim_t limit)
{
	if (limit == RLIM_INFINITY)
		return "unlimited";
	snprintf(buf, 24, "%llu", (unsigned long long)limit);
	return buf;
}

#define REASON_MAX 512

/* Without CAP_SYS_NICE the limit decides over FIFO and RR; nothing else helps the others. */
static void explain_rights(char *buf, const struct rt_sched *sched)
{
	struct rlimit limit = { 0, 0 };
	char soft[24], hard[24];

	if (!rt_policy_is_rt(sched->policy)) {
		snprintf(buf, REASON_MAX, "run as root or with CAP_SYS_NICE");
		return;
	}
	getrlimit(RLIMIT_RTPRIO, &limit);
	snprintf(buf, REASON_MAX,
		 "run as root or with CAP_SYS_NICE, or raise the limit RLIMIT_RTPRIO to %d "
		 "('ulimit -r', /etc/security/limits.conf), which is now %s (soft) and %s (hard)",
		 sched->priority, limit_text(soft, limit.rlim_cur), limit_text(hard, limit.rlim_max));
}

static void explain_eperm(char *buf, pid_t tid, const struct rt_sched *sched)
{
	rt_auto_free char *zero_runtime = NULL;
	char cgroup_file[64];

	snprintf(cgroup_file, sizeof(cgroup_file), "/proc/%ld/cgroup",
		 (long)(tid ? tid : rt_gettid()));
	if (rt_policy_is_rt(sched->policy))
		zero_runtime = find_zero_runtime(cgroup_file);

	if (zero_runtime)
		snprintf(buf, REASON_MAX,
			 "the cgroup of this process may not run real-time threads: %s is 0; write a "
			 "runtime there, or move the process to another cgroup", zero_runtime);
	else if (!rt_has_capability(CAP_SYS_NICE_BIT))
		explain_rights(buf, sched);
	else if (sched->policy == RT_POLICY_DEADLINE)
		snprintf(buf, REASON_MAX,
			 "a deadline thread must be allowed on all CPUs of its scheduling domain, so "
			 "its affinity mask must not be narrowed (by taskset, a CPU list or a cpuset "
			 "that is no partition)");
	else
		snprintf(buf, REASON_MAX,
			 "CAP_SYS_NICE is there, so a user namespace (container), a cgroup without "
			 "real-time runtime, or a security module refuses it");
}

static void explain_einval(char *buf, const struct rt_sched *sched)
{
	if (sched->policy == RT_POLICY_DEADLINE)
		snprintf(buf, REASON_MAX,
			 "runtime must be 1024 ns or more and not above the deadline, the deadline "
			 "not above the period, and the period within "
			 "/proc/sys/kernel/sched_deadline_period_min_us and _max_us");
	else if (rt_policy_is_rt(sched->policy))
		snprintf(buf, REASON_MAX, "the priority must be from 1 to %d", RT_PRIORITY_MAX);
	else
		snprintf(buf, REASON_MAX, "this policy has no priority, or the kernel does not know it");
}

static void explain(char *buf, int code, pid_t tid, const struct rt_sched *sched)
{
	*buf = '\0';
	if (code == EPERM)
		explain_eperm(buf, tid, sched);
	else if (code == EINVAL)
		explain_einval(buf, sched);
	else if (code == EBUSY && sched->policy == RT_POLICY_DEADLINE)
		snprintf(buf, REASON_MAX,
			 "the deadline bandwidth of these CPUs does not suffice: the sum of "
			 "runtime/period over all deadline threads, those of others included, may "
			 "be sched_rt_runtime_us/sched_rt_period_us (usually 95 %%) of each CPU");
	else if (code == ENOSYS)
		snprintf(buf, REASON_MAX, "it needs Linux 3.14 or later, and no seccomp filter in its way");
}

static int refuse(int code, pid_t tid, const struct rt_sched *sched, struct rt_err *err)
{
	bool is_missing = code == EPERM || code == EBUSY || code == ENOSYS;
	char what[WHAT_MAX], reason[REASON_MAX], whom[32] = "";

	if (!err)
		return -code;
	if (tid)
		snprintf(whom, sizeof(whom), " for thread %ld", (long)tid);
	describe(what, sched);
	explain(reason, code, tid, sched);
	return rt_err_set(err, is_missing ? RT_EXIT_MISSING : RT_EXIT_FAILED, code,
			  "cannot get %s%s: %s%s%s", what, whom, strerror(code),
			  *reason ? "; " : "", reason);
}

/* ---- setting it -------------------------------------------------------------- */

/* Only the soft limit of our own process: it is ours to raise up to the hard one. */
static bool raise_soft_limit(int priority)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_RTPRIO, &limit) < 0 || limit.rlim_cur >= (rlim_t)priority ||
	    limit.rlim_max < (rlim_t)priority)
		return false;
	limit.rlim_cur = (rlim_t)priority;
	return setrlimit(RLIMIT_RTPRIO, &limit) == 0;
}

/* 0 or -errno */
static int apply(pid_t tid, const struct rt_sched *sched)
{
	int code = rt_sched_setattr(tid, sched);

	if (code == -EPERM && rt_policy_is_rt(sched->policy) && raise_soft_limit(sched->priority))
		code = rt_sched_setattr(tid, sched);
	return code;
}

int rt_sched_apply(pid_t tid, const struct rt_sched *sched, struct rt_err *err)
{
	int code = apply(tid, sched);

	return code < 0 ? refuse(-code, tid, sched, err) : 0;
}

/* ---- threads to try it on ------------------------------------------------------ */

/* A thread that takes no signals; 0 or -errno. */
static int start_aside(pthread_t *ret, void *(*body)(void *arg), void *arg)
{
	sigset_t all, before;
	int code;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	code = pthread_create(ret, NULL, body, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -code;
}

struct aside {
	void (*call)(void *data);
	void *data;
};

static void *run_aside(void *arg)
{
	struct aside *a = arg;

	a->call(a->data);
	return NULL;
}

int rt_thread_aside(void (*call)(void *data), void *data)
{
	struct aside a = { call, data };
	pthread_t thread;
	int code = start_aside(&thread, run_aside, &a);

	if (code < 0)
		return code;
	pthread_join(thread, NULL);
	return 0;
}

struct sleeper {
	_Atomic uint32_t tid;
	_Atomic uint32_t is_over;
};

static void *sleep_until_over(void *arg)
{
	struct sleeper *s = arg;

	atomic_store(&s->tid, (uint32_t)rt_gettid());
	rt_futex_wake(&s->tid, 1, RT_FUTEX_PRIVATE);
	while (!atomic_load(&s->is_over))
		rt_futex_wait(&s->is_over, 0, NULL, RT_FUTEX_PRIVATE);
	return NULL;
}

/*
 * It is tried on a thread that sleeps. One that ran as a deadline thread could pass its runtime,
 * as happens wherever a virtual CPU is taken away for a while, and would then be put away until
 * its periods have made up for that: for minutes, if the runtime is small.
 */
int rt_sched_check(const struct rt_sched *sched, struct rt_err *err)
{
	const struct rt_sched other = { .policy = RT_POLICY_OTHER };
	struct sleeper s = { 0, 0 };
	pthread_t thread;
	int code = start_aside(&thread, sleep_until_over, &s);

	if (code < 0)
		return rt_err_set(err, RT_EXIT_FAILED, code, "cannot start a thread: %s",
				  strerror(-code));
	while (!atomic_load(&s.tid))
		rt_futex_wait(&s.tid, 0, NULL, RT_FUTEX_PRIVATE);
	code = apply((pid_t)s.tid, sched);
	if (!code && sched->policy == RT_POLICY_DEADLINE)
		rt_sched_setattr((pid_t)s.tid, &other);
	atomic_store(&s.is_over, 1);
	rt_futex_wake(&s.is_over, 1, RT_FUTEX_PRIVATE);
	pthread_join(thread, NULL);
	return code < 0 ? refuse(-code, 0, sched, err) : 0;
}
