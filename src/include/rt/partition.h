/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * partition - CPUs set apart from the others, so that deadline threads may be
 * confined to them.
 *
 * The kernel admits a deadline thread only if it may run on all CPUs of its
 * scheduling domain. So a subset of the machine's CPUs must become a domain of
 * its own:
 *
 *     cgroup v2  a threaded group below the root with cpuset.cpus.partition
 *     cgroup v1  an exclusive cpuset, an empty one for the other CPUs, and the
 *                root's cpuset.sched_load_balance switched off
 *     given      a partition or exclusive set that the user has made
 *
 * Whichever is mounted is taken. No task of anybody is moved into a group but
 * the threads that enter. A v2 partition pushes all other tasks off its CPUs
 * and may forget their affinity masks: these are journalled before it is made
 * and put back after it is gone. All of it goes through the undo list.
 */
#ifndef RT_PARTITION_H
#define RT_PARTITION_H

#include <stdbool.h>

#include "rt/cpuset.h"
#include "rt/err.h"
#include "rt/undo.h"

struct rt_partition;

/**
 * struct rt_partition_plan - what is wanted
 * @cpus:     the CPUs to set apart; with @path they must be the group's, NULL: whatever it has
 * @path:     a group that the user made; absolute, or relative to the mounted
 *            hierarchy; NULL: make one
 * @isolated: v2: without load balancing inside; each CPU is then alone
 * @force:    also push away tasks that are pinned wholly inside @cpus
 */
struct rt_partition_plan {
	const struct rt_cpuset *cpus;
	const char *path;
	bool isolated;
	bool force;
};

/**
 * rt_partition_make() - set the CPUs apart, or look at the given group
 * @ret: end with rt_partition_free(); the group itself goes with the undo list
 * Main thread, before members are started.
 *
 * Return: 0; a negative errno with a sentence that has the kernel's own
 * reason (RT_EXIT_MISSING), or RT_EXIT_USAGE for a path that is no group.
 */
int rt_partition_make(struct rt_partition **ret, const struct rt_partition_plan *plan,
		      struct rt_undo *undo, struct rt_err *err);

/**
 * rt_partition_enter() - move the calling thread in, before it becomes a deadline thread
 * Any number of threads at once.
 * Return: 0; a negative errno with a sentence (RT_EXIT_MISSING).
 */
int rt_partition_enter(const struct rt_partition *p, struct rt_err *err);

/**
 * rt_partition_given() - the CPUs of a group that the user made, before it is used
 * Return: 0; a negative errno with a sentence.
 */
int rt_partition_given(struct rt_cpuset *ret, const char *path, struct rt_err *err);

/** rt_partition_cpus() - the CPUs that threads inside run on */
const struct rt_cpuset *rt_partition_cpus(const struct rt_partition *p);

/**
 * rt_partition_holds_main() - is the whole process inside?
 * So it is in a group that the user made and that takes no single threads.
 */
bool rt_partition_holds_main(const struct rt_partition *p);

/** rt_partition_text() - for people: "cgroup v2 partition /sys/fs/cgroup/rtgauge-..." */
const char *rt_partition_text(const struct rt_partition *p);

void rt_partition_free(struct rt_partition *p);

#endif
