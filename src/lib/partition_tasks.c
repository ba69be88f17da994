/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tasks of others. A v2 partition takes its CPUs away from every task outside
 * of it; when it is gone they may use all CPUs again, but on many kernels not
 * those that somebody had chosen for them. So these masks are noted first.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "partition_internal.h"
#include "rt/compiler.h"
#include "rt/units.h"

/* include/linux/sched.h: in field 9 of /proc/PID/stat */
#define PF_KTHREAD 0x00200000u
#define PF_NO_SETAFFINITY 0x04000000u

struct scan {
	const struct rt_cpuset *cpus;
	const struct rt_cpuset *online;
	bool force;
	struct rt_undo *undo;
	struct rt_err *err;
};

static bool is_within(const struct rt_cpuset *part, const struct rt_cpuset *whole)
{
	bool is_in = true;

	rt_cpuset_for_each(cpu, part)
		is_in &= rt_cpuset_has(whole, cpu);
	return is_in;
}

static bool do_meet(const struct rt_cpuset *a, const struct rt_cpuset *b)
{
	rt_cpuset_for_each(cpu, a)
		if (rt_cpuset_has(b, cpu))
			return true;
	return false;
}

/* Name and flags out of /proc/PID/task/TID/stat, see proc_pid_stat(5). */
static bool read_stat(int process_fd, const char *tid, char name[32], unsigned int *flags)
{
	char path[64], text[1024] = "";
	char *open, *close;
	rt_auto_close int fd = -1;
	ssize_t length;

	snprintf(path, sizeof(path), "task/%.16s/stat", tid);
	fd = openat(process_fd, path, O_RDONLY | O_CLOEXEC);
	length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	open = length > 0 ? strchr(text, '(') : NULL;
	close = open ? strrchr(open, ')') : NULL; /* the name may hold anything */
	if (!close)
		return false;
	*close = '\0';
	snprintf(name, 32, "%s", open + 1);
	/* state ppid pgrp session tty tpgid flags */
	return sscanf(close + 1, " %*c %*d %*d %*d %*d %*d %u", flags) == 1;
}

static int refuse(const struct scan *scan, const char *tid, const char *name,
		  const struct rt_cpuset *mask)
{
	rt_auto_free char *list = rt_cpuset_text(mask);

	return rt_err_set(scan->err, RT_EXIT_MISSING, EBUSY,
			  "task %s (%s) is pinned to CPUs %s, which would be taken from it; end "
			  "it, "
			  "choose other CPUs, or let it run elsewhere meanwhile with --force", tid,
			  name, list ? list : "?");
}

/* 0; or the reason why the partition may not be made. A task that has ended is no matter. */
static int look_at_task(const struct scan *scan, int process_fd, const char *tid)
{
	struct rt_cpuset mask = RT_CPUSET_INIT;
	unsigned int flags = 0;
	char name[32];
	int64_t id;
	int status = 0;

	if (rt_parse_int(&id, tid, 1, INT32_MAX) ||
	    !read_stat(process_fd, tid, name, &flags) || (flags & PF_NO_SETAFFINITY) ||
	    rt_cpuset_affinity(&mask, (pid_t)id))
		return 0;
	if (do_meet(&mask, scan->cpus) && !is_within(scan->online, &mask)) {
		if (is_within(&mask, scan->cpus) && !scan->force && !(flags & PF_KTHREAD))
			status = refuse(scan, tid, name, &mask);
		else
			rt_undo_affinity(scan->undo, (pid_t)id, &mask, NULL);
	}
	rt_cpuset_done(&mask);
	return status;
}

static int look_at_process(const struct scan *scan, int proc_fd, const char *pid)
{
	rt_auto_close int fd = openat(proc_fd, pid, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int tasks_fd = fd < 0 ? -1 : openat(fd, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *tasks = tasks_fd < 0 ? NULL : fdopendir(tasks_fd);
	struct dirent *entry;
	int status = 0;

	if (!tasks) {
		rt_close_fd(&tasks_fd);
		return 0;
	}
	while (!status && (entry = readdir(tasks)))
		status = look_at_task(scan, fd, entry->d_name);
	closedir(tasks);
	return status;
}

static int look_at_all(const struct scan *scan)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int status = 0;

	if (!proc)
		return rt_err_set(scan->err, RT_EXIT_MISSING, errno,
				  "cannot list the tasks that would lose CPUs: /proc: %s",
				  strerror(errno));
	while (!status && (entry = readdir(proc))) {
		int64_t pid;

		if (rt_parse_int(&pid, entry->d_name, 1, INT32_MAX) || pid == getpid())
			continue;
		status = look_at_process(scan, dirfd(proc), entry->d_name);
	}
	closedir(proc);
	return status;
}

int rt_partition_note_tasks(const struct rt_cpuset *cpus, bool force, struct rt_undo *undo,
			    struct rt_err *err)
{
	struct rt_cpuset online = RT_CPUSET_INIT;
	const struct scan scan = { cpus, &online, force, undo, err };
	int status = rt_cpuset_online(&online);

	if (!status)
		status = look_at_all(&scan);
	rt_cpuset_done(&online);
	return status;
}
