/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reserve - what a deadline thread reserves of its CPUs, and why the kernel
 * does not grant it; for both tools of this folder.
 */
#ifndef DL_RESERVE_H
#define DL_RESERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/cpuset.h"
#include "rt/err.h"
#include "rt/sched.h"

#define DL_RUNTIME_MIN_NS 1024 /* include/linux/sched/deadline: DL_SCALE */

/** struct dl_reserve - runtime within deadline, once in each period */
struct dl_reserve {
	int64_t runtime_ns;
	int64_t deadline_ns;
	int64_t period_ns;
};

/** struct dl_limits - what the kernel lets deadline threads have at all */
struct dl_limits {
	int64_t period_min_us;
	int64_t period_max_us;
	int64_t rt_runtime_us; /* below zero: bandwidth is not limited */
	int64_t rt_period_us;
};

/** dl_limits_read() - from /proc/sys/kernel; the kernel's defaults where it does not tell */
void dl_limits_read(struct dl_limits *ret);

/**
 * dl_reserve_check() - runtime <= deadline <= period, the period within the kernel's limits
 * Return: 0; -EINVAL with a sentence that names thread, numbers and rule (RT_EXIT_USAGE).
 */
int dl_reserve_check(const struct dl_reserve *r, unsigned int thread,
		     const struct dl_limits *limits, struct rt_err *err);

/** dl_reserve_sched() - as the kernel's call wants it */
struct rt_sched dl_reserve_sched(const struct dl_reserve *r, uint64_t flags);

/**
 * dl_wait_for_bandwidth() - in the thread, before it gets its policy: bandwidth
 * of threads that have just ended, or of CPUs that have just been given back, is
 * free only some time later. Waits for it, half a second at most, by trying.
 */
void dl_wait_for_bandwidth(const struct rt_sched *sched);

/**
 * dl_rights_check() - may this process have SCHED_DEADLINE here at all?
 * Asked by a thread that reserves one percent of a CPU and ends at once.
 */
int dl_rights_check(struct rt_err *err);

/** struct dl_request - all that a run asks for, for dl_explain() */
struct dl_request {
	const struct dl_reserve *reserves;
	unsigned int count;
	const struct rt_cpuset *cpus; /* where they are to run */
	bool is_apart;                /* in a partition of their own */
	const char *change;           /* the options that lower what is asked */
};

/**
 * dl_explain() - put the kernel's EBUSY or EPERM into words: what was asked,
 * each and in sum, what its settings allow, what can't be seen, what to change
 * @err: what rt_sched_apply() said; replaced. Others are left alone.
 */
void dl_explain(const struct dl_request *request, struct rt_err *err);

#endif
