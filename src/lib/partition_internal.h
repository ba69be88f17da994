/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * partition_internal - what the files of the partition room share.
 *
 *  partition.c        the face, groups that the user made
 *  partition_make.c   making a group, of either cgroup version
 *  partition_tasks.c  tasks of others that a v2 partition would touch
 *  partition_files.c  small files, and where the hierarchies are mounted
 */
#ifndef RT_PARTITION_INTERNAL_H
#define RT_PARTITION_INTERNAL_H

#include "rt/partition.h"

/** enum partition_how - how a thread gets in */
enum partition_how {
	PARTITION_THREADS, /* v2: cgroup.threads */
	PARTITION_PROCESS, /* v2: the process has been moved, its threads with it */
	PARTITION_TASKS,   /* v1: tasks */
};

struct rt_partition {
	enum partition_how how;
	char *path;
	char *text;
	struct rt_cpuset cpus;
};

/* ---- partition_files.c ------------------------------------------------------------- */

/** rt_group_mount() - where a hierarchy with cpusets is mounted: heap text, NULL: nowhere */
char *rt_group_mount_v2(void);
char *rt_group_mount_v1(void);

/** rt_group_read() - a group's file without the newline at its end: heap text, NULL with errno set */
char *rt_group_read(const char *group, const char *file);

/** rt_group_write() - 0 or a negative errno */
int rt_group_write(const char *group, const char *file, const char *text);

/** rt_group_cpus() - a CPU list out of a group's file; 0 or a negative errno */
int rt_group_cpus(struct rt_cpuset *ret, const char *group, const char *file);

/** rt_group_has_word() - is it one of the words of a text? */
bool rt_group_has_word(const char *text, const char *word);

/* ---- partition_make.c -------------------------------------------------------------- */
int rt_partition_make_v2(struct rt_partition *p, const char *mount,
			 const struct rt_partition_plan *plan, struct rt_undo *undo,
			 struct rt_err *err);
int rt_partition_make_v1(struct rt_partition *p, const char *mount,
			 const struct rt_partition_plan *plan, struct rt_undo *undo,
			 struct rt_err *err);

/**
 * rt_partition_join_domain() - move this process to where its threads may enter a threaded group
 * @domain: the group that the threaded one belongs to
 */
int rt_partition_join_domain(const char *domain, struct rt_err *err);

/* ---- partition_tasks.c ------------------------------------------------------------- */

/**
 * rt_partition_note_tasks() - journal the masks that a partition of @cpus would change
 * Return: 0; -EBUSY with a sentence if a task is pinned wholly inside, unless @force.
 */
int rt_partition_note_tasks(const struct rt_cpuset *cpus, bool force, struct rt_undo *undo,
			    struct rt_err *err);

#endif
