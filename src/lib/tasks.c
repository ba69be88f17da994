/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tasks - see rt/tasks.h. kernel/fork.c: copy_process() has all of these checks.
 */
#include "rt/tasks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "rt/cgroup.h"
#include "rt/compiler.h"
#include "rt/files.h"
#include "rt/sched.h"
#include "rt/units.h"

#define CAP_SYS_ADMIN_BIT 21 /* include/uapi/linux/capability.h */
#define CAP_SYS_RESOURCE_BIT 24
#define FEW 64 /* every system takes these */
#define MAPS_PER_STACK 2

static int64_t number_in(const char *path)
{
	rt_auto_free char *line = rt_read_line(path);
	int64_t number;

	/* "max" is none */
	return line && rt_parse_int(&number, line, 0, INT64_MAX) == 0 ? number : INT64_MAX;
}

/* Fourth field of /proc/loadavg: "running/all" */
static int64_t tasks_now(void)
{
	rt_auto_free char *line = rt_read_line("/proc/loadavg");
	const char *slash = line ? strchr(line, '/') : NULL;

	return slash ? strtoll(slash + 1, NULL, 10) : 0;
}

static int64_t maps_now(void)
{
	FILE *in = fopen("/proc/self/maps", "re");
	char *line = NULL;
	size_t size = 0;
	int64_t count = 0;

	while (in && getline(&line, &size, in) > 0)
		count++;
	free(line);
	if (in)
		fclose(in);
	return count;
}

static int64_t nproc_limit(void)
{
	struct rlimit limit;

	if (getuid() == 0 || rt_has_capability(CAP_SYS_ADMIN_BIT) ||
	    rt_has_capability(CAP_SYS_RESOURCE_BIT) ||
	    getrlimit(RLIMIT_NPROC, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return INT64_MAX;
	return (int64_t)limit.rlim_cur;
}

/* ---- the cgroup's ------------------------------------------------------------------ */

/* This process' group and those above it: the one with the least room counts. */
static void look_at_groups(struct rt_tasks_limits *l)
{
	struct rt_cgroup group = { 0 };

	if (rt_cgroup_find(&group, "pids", RT_CGROUP_OWN) < 0)
		return;
	do {
		int64_t max = rt_cgroup_number(&group, "pids.max");
		int64_t now = rt_cgroup_number(&group, "pids.current");

		if (max == INT64_MAX || now == INT64_MAX || max - now >= l->pids_max - l->pids)
			continue;
		l->pids_max = max;
		l->pids = now;
		snprintf(l->pids_file, sizeof(l->pids_file), "%s/pids.max", group.folder);
	} while (rt_cgroup_up(&group));
	rt_cgroup_done(&group);
}

/* ---- all of them ------------------------------------------------------------------- */

void rt_tasks_limits(struct rt_tasks_limits *ret)
{
	*ret = (struct rt_tasks_limits){
		.threads_max = number_in("/proc/sys/kernel/threads-max"),
		.pid_max = number_in("/proc/sys/kernel/pid_max"),
		.tasks = tasks_now(),
		.map_count = number_in("/proc/sys/vm/max_map_count"),
		.maps = maps_now(),
		.nproc = nproc_limit(),
		.pids_max = INT64_MAX,
	};
	look_at_groups(ret);
}

static int refuse(struct rt_err *err, const char *what, uint64_t count, const char *name,
		  int64_t limit, const char *why)
{
	return rt_err_set(err, RT_EXIT_MISSING, EAGAIN,
			  "%" PRIu64 " %s cannot be had: %s is %" PRId64 ", and %s; raise it, or ask "
			  "for fewer", count, what, name, limit, why);
}

/* Would @more pass the limit, when @now of it is taken? */
static bool passes(int64_t limit, int64_t now, uint64_t more)
{
	return limit != INT64_MAX && more > (limit > now ? (uint64_t)(limit - now) : 0);
}

int rt_tasks_fit(const struct rt_tasks_limits *l, const char *what, uint64_t count,
		 uint64_t stacks, struct rt_err *err)
{
	char why[96];

	snprintf(why, sizeof(why), "the system has %" PRId64 " tasks now", l->tasks);
	if (passes(l->threads_max, l->tasks, count))
		return refuse(err, what, count, "/proc/sys/kernel/threads-max", l->threads_max, why);
	if (passes(l->pid_max, l->tasks, count))
		return refuse(err, what, count, "/proc/sys/kernel/pid_max", l->pid_max, why);
	snprintf(why, sizeof(why), "the group has %" PRId64 " now", l->pids);
	if (passes(l->pids_max, l->pids, count))
		return refuse(err, what, count, l->pids_file, l->pids_max, why);
	if (passes(l->nproc, 1, count))
		return refuse(err, what, count, "RLIMIT_NPROC ('ulimit -u')", l->nproc,
			      "it counts all of the user's");
	if (passes(l->map_count, l->maps, MAPS_PER_STACK * stacks))
		return refuse(err, what, count, "/proc/sys/vm/max_map_count", l->map_count,
			      "each takes two mappings");
	return 0;
}

int rt_tasks_check(const char *what, uint64_t count, uint64_t stacks, struct rt_err *err)
{
	struct rt_tasks_limits limits;

	if (count <= FEW)
		return 0;
	rt_tasks_limits(&limits);
	return rt_tasks_fit(&limits, what, count, stacks, err);
}
