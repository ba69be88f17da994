/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What deadline threads reserve, and the kernel's reasons for refusing it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "reserve.h"
#include "rt/clock.h"
#include "rt/compiler.h"
#include "rt/units.h"

#define BANDWIDTH_WAIT_NS (500 * RT_NS_PER_MS)
#define BANDWIDTH_PAUSE_NS (10 * RT_NS_PER_MS)
#define SYSCTL "/proc/sys/kernel/"

/* ---- limits ------------------------------------------------------------------------ */

static int64_t read_sysctl(const char *path, int64_t otherwise)
{
	FILE *in = fopen(path, "re");
	int64_t value;

	if (!in || fscanf(in, "%" SCNd64, &value) != 1)
		value = otherwise;
	if (in)
		fclose(in);
	return value;
}

void dl_limits_read(struct dl_limits *ret)
{
	ret->period_min_us = read_sysctl(SYSCTL "sched_deadline_period_min_us", 100);
	ret->period_max_us = read_sysctl(SYSCTL "sched_deadline_period_max_us", 4194304);
	ret->rt_runtime_us = read_sysctl(SYSCTL "sched_rt_runtime_us", 950000);
	ret->rt_period_us = read_sysctl(SYSCTL "sched_rt_period_us", 1000000);
}

/* ---- what can be reserved at all --------------------------------------------------- */

static int refuse(struct rt_err *err, unsigned int thread, const char *what, int64_t ns,
		  const char *rule)
{
	char text[RT_TIME_TEXT_MAX];

	return rt_err_set(err, RT_EXIT_USAGE, EINVAL, "thread %u: the %s of %s %s", thread, what,
			  rt_format_time(text, sizeof(text), ns), rule);
}

int dl_reserve_check(const struct dl_reserve *r, unsigned int thread,
		     const struct dl_limits *limits, struct rt_err *err)
{
	char rule[160], other[RT_TIME_TEXT_MAX];

	if (r->runtime_ns < DL_RUNTIME_MIN_NS)
		return refuse(err, thread, "runtime", r->runtime_ns,
			      "is below 1024ns, the kernel's least");
	if (r->runtime_ns > r->deadline_ns) {
		snprintf(rule, sizeof(rule), "is longer than its deadline of %s; it must fit in",
			 rt_format_time(other, sizeof(other), r->deadline_ns));
		return refuse(err, thread, "runtime", r->runtime_ns, rule);
	}
	if (r->deadline_ns > r->period_ns) {
		snprintf(rule, sizeof(rule), "is longer than its period of %s; it must fit in",
			 rt_format_time(other, sizeof(other), r->period_ns));
		return refuse(err, thread, "deadline", r->deadline_ns, rule);
	}
	if (r->period_ns < limits->period_min_us * RT_NS_PER_US ||
	    r->period_ns / RT_NS_PER_US > limits->period_max_us) {
		snprintf(rule, sizeof(rule),
			 "is not within %" PRId64 " to %" PRId64 " us, which "
			 SYSCTL "sched_deadline_period_min_us and _max_us allow",
			 limits->period_min_us, limits->period_max_us);
		return refuse(err, thread, "period", r->period_ns, rule);
	}
	return 0;
}

struct rt_sched dl_reserve_sched(const struct dl_reserve *r, uint64_t flags)
{
	return (struct rt_sched){
		.policy = RT_POLICY_DEADLINE,
		.flags = flags,
		.runtime_ns = (uint64_t)r->runtime_ns,
		.deadline_ns = (uint64_t)r->deadline_ns,
		.period_ns = (uint64_t)r->period_ns,
	};
}

/* ---- why not ----------------------------------------------------------------------- */

static double percent(const struct dl_reserve *r)
{
	return 100.0 * (double)r->runtime_ns / (double)r->period_ns;
}

static double sum_of(const struct dl_request *request)
{
	double sum = 0;

	for (unsigned int i = 0; i < request->count; i++)
		sum += percent(&request->reserves[i]);
	return sum;
}

/* "60.0 % each" or "60.0 % to 80.0 % each" */
static void each_text(char *buf, size_t size, const struct dl_request *request)
{
	double low = percent(&request->reserves[0]), high = low;

	for (unsigned int i = 1; i < request->count; i++) {
		double p = percent(&request->reserves[i]);

		low = p < low ? p : low;
		high = p > high ? p : high;
	}
	if (high - low < 0.05)
		snprintf(buf, size, "%.1f %%", low);
	else
		snprintf(buf, size, "%.1f to %.1f %%", low, high);
}

static void explain_bandwidth(const struct dl_request *request, struct rt_err *err)
{
	rt_auto_free char *cpus = rt_cpuset_text(request->cpus);
	int count = rt_cpuset_count(request->cpus);
	struct dl_limits limits;
	char each[48], allowed[160];

	dl_limits_read(&limits);
	each_text(each, sizeof(each), request);
	if (limits.rt_runtime_us < 0)
		snprintf(allowed, sizeof(allowed), "sched_rt_runtime_us sets no limit");
	else
		snprintf(allowed, sizeof(allowed),
			 "sched_rt_runtime_us/sched_rt_period_us allow %.1f %% on the %d CPUs %s",
			 100.0 * (double)limits.rt_runtime_us * count / (double)limits.rt_period_us,
			 count, cpus ? cpus : "");
	*err = (struct rt_err){ 0 };
	rt_err_set(err, RT_EXIT_MISSING, EBUSY,
		   "the kernel refuses the bandwidth (EBUSY): %u threads ask for %s each, %.1f %% "
		   "in sum; %s, less what can't be seen from here: deadline threads of others, and "
		   "the kernel's fair server (5 %% of each CPU by default, from Linux 6.8 on); "
		   "lower it with %s", request->count, each, sum_of(request), allowed,
		   request->change);
}

static void explain_affinity(const struct dl_request *request, struct rt_err *err)
{
	struct rt_cpuset mask = RT_CPUSET_INIT, online = RT_CPUSET_INIT;
	rt_auto_free char *mask_text = NULL, *online_text = NULL;

	rt_cpuset_affinity(&mask, 0);
	rt_cpuset_online(&online);
	mask_text = rt_cpuset_text(&mask);
	online_text = rt_cpuset_text(&online);
	*err = (struct rt_err){ 0 };
	rt_err_set(err, RT_EXIT_MISSING, EPERM,
		   "the kernel refuses SCHED_DEADLINE (EPERM): a deadline thread must be allowed "
		   "on all CPUs of its scheduling domain; %s%s, and CPUs %s are online. Start it "
		   "without taskset and outside of cpusets, or have CPUs set apart by naming them",
		   request->is_apart ? "the set is no domain of its own, main may use " :
				       "this process may use CPUs ",
		   mask_text ? mask_text : "?", online_text ? online_text : "?");
	rt_cpuset_done(&mask);
	rt_cpuset_done(&online);
}

static void explain_right(struct rt_err *err)
{
	*err = (struct rt_err){ 0 };
	rt_err_set(err, RT_EXIT_MISSING, EPERM,
		   "this user may not run SCHED_DEADLINE threads; run as root or with CAP_SYS_NICE "
		   "(no resource limit grants it)");
}

void dl_explain(const struct dl_request *request, struct rt_err *err)
{
	bool lacks_right = strstr(err->text, "CAP_SYS_NICE") != NULL;

	if (err->code == -EBUSY && strstr(err->text, "SCHED_DEADLINE"))
		explain_bandwidth(request, err);
	else if (err->code == -EPERM && strstr(err->text, "SCHED_DEADLINE") && !lacks_right)
		explain_affinity(request, err);
	else if (err->code == -EPERM && lacks_right)
		explain_right(err);
}

/* Calls @try until it is not refused for want of bandwidth, or time is up. */
static int try_for_a_while(int (*try)(const struct rt_sched *sched, struct rt_err *err),
			   const struct rt_sched *sched, struct rt_err *err)
{
	const struct timespec pause = rt_ns_timespec(BANDWIDTH_PAUSE_NS);
	int status = try(sched, err);

	for (int64_t waited_ns = 0; status == -EBUSY && waited_ns < BANDWIDTH_WAIT_NS;
	     waited_ns += BANDWIDTH_PAUSE_NS) {
		nanosleep(&pause, NULL);
		*err = (struct rt_err){ 0 };
		status = try(sched, err);
	}
	return status;
}

static int try_here(const struct rt_sched *sched, struct rt_err *err RT_UNUSED)
{
	return rt_sched_setattr(0, sched);
}

void dl_wait_for_bandwidth(const struct rt_sched *sched)
{
	struct rt_err ignored = { 0 };

	try_for_a_while(try_here, sched, &ignored);
}

/*
 * When not even that little is free, the rights are there all the same, and what the threads
 * themselves want may fit.
 */
int dl_rights_check(struct rt_err *err)
{
	static const struct dl_reserve small = { 10 * RT_NS_PER_US, 100 * RT_NS_PER_MS,
						 100 * RT_NS_PER_MS };
	const struct rt_sched sched = dl_reserve_sched(&small, 0);
	int status = try_for_a_while(rt_sched_check, &sched, err);

	if (status != -EBUSY)
		return status;
	*err = (struct rt_err){ 0 };
	return 0;
}
