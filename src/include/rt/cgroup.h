/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup - where a process stands in the hierarchies of control groups, of either version.
 *
 *     struct rt_cgroup group = { 0 };
 *
 *     if (rt_cgroup_find(&group, "pids", RT_CGROUP_OWN) == 0)
 *         do
 *             ... rt_cgroup_number(&group, "pids.max")
 *         while (rt_cgroup_up(&group));
 *     rt_cgroup_done(&group);
 */
#ifndef RT_CGROUP_H
#define RT_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RT_CGROUP_OWN "/proc/self/cgroup"

/**
 * struct rt_cgroup - one group
 * @folder:  its path, on the heap
 * @top:     length of the path of what is mounted there; nothing above it can be seen
 * @version: of the hierarchy that has the controller: 1 or 2
 */
struct rt_cgroup {
	char *folder;
	size_t top;
	int version;
};

/**
 * rt_cgroup_find() - the group that holds a process, in the hierarchy with a controller
 * @controller:  "cpu", "pids", "memory"
 * @cgroup_file: RT_CGROUP_OWN, or that of another process
 *
 * In a container the group itself is often what is mounted (cgroups(7), cgroup_namespaces(7)).
 * Version 2 is taken where no hierarchy of version 1 has the controller, whether or not that
 * is switched on there: then its files are missing.
 *
 * Return: 0, and rt_cgroup_done() is the caller's to call; -ENOENT: it is not to be seen.
 */
int rt_cgroup_find(struct rt_cgroup *ret, const char *controller, const char *cgroup_file);

/** rt_cgroup_up() - go on to the group above; false when there is none that can be seen */
bool rt_cgroup_up(struct rt_cgroup *group);

/** rt_cgroup_number() - what the file says; INT64_MAX for "max" and for a file that is not there */
int64_t rt_cgroup_number(const struct rt_cgroup *group, const char *file);

/** rt_cgroup_done() - frees the path; a group that was not found is fine */
void rt_cgroup_done(struct rt_cgroup *group);

#endif
