/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tasks - may this process have so many threads or processes? Asked by a plan, so that
 * a number that can't be had is refused at once and not after thousands have begun.
 */
#ifndef RT_TASKS_H
#define RT_TASKS_H

#include <stdint.h>

#include "rt/err.h"

#define RT_TASKS_FILE_MAX 512

/**
 * struct rt_tasks_limits - what bounds them; INT64_MAX: it is not known, or there is none
 * @threads_max, @pid_max: /proc/sys/kernel/threads-max, pid_max
 * @tasks:     all that the system has now
 * @map_count: /proc/sys/vm/max_map_count
 * @maps:      mappings of this process now
 * @nproc:     RLIMIT_NPROC; it does not bind root
 * @pids_max, @pids, @pids_file: of the cgroup, of this one and those above it, that has
 *             the least room
 */
struct rt_tasks_limits {
	int64_t threads_max;
	int64_t pid_max;
	int64_t tasks;
	int64_t map_count;
	int64_t maps;
	int64_t nproc;
	int64_t pids_max;
	int64_t pids;
	char pids_file[RT_TASKS_FILE_MAX];
};

/** rt_tasks_limits() - as they are now */
void rt_tasks_limits(struct rt_tasks_limits *ret);

/**
 * rt_tasks_fit() - do so many more keep all limits?
 * @what:   "threads", "processes"
 * @count:  besides those that there are
 * @stacks: of them, threads of this process: each takes two mappings, stack and guard
 *
 * What else begins or ends meanwhile is not known: a number that fits may still fail.
 *
 * Return: 0; -EAGAIN with a sentence that names the limit (RT_EXIT_MISSING).
 */
int rt_tasks_fit(const struct rt_tasks_limits *limits, const char *what, uint64_t count,
		 uint64_t stacks, struct rt_err *err);

/** rt_tasks_check() - rt_tasks_fit() to the limits as they are now; few are not worth a look */
int rt_tasks_check(const char *what, uint64_t count, uint64_t stacks, struct rt_err *err);

#endif
