/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Making a partition. What is written into a group of our own goes with the
 * group; everything else is a knob.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "partition_internal.h"
#include "rt/compiler.h"

static int refuse(struct rt_err *err, int code, const char *group, const char *file,
		  const char *value)
{
	const char *hint = code == -EACCES || code == -EPERM ? "; run as root" : "";

	return rt_err_set(err, RT_EXIT_MISSING, code,
			  "CPUs cannot be set apart: writing '%s' to %s/%s: %s%s", value, group,
			  file, strerror(-code), hint);
}

static int put(const char *group, const char *file, const char *value, struct rt_err *err)
{
	int status = rt_group_write(group, file, value);

	return status ? refuse(err, status, group, file, value) : 0;
}

static int put_knob(struct rt_undo *undo, const char *group, const char *file, const char *value,
		    struct rt_err *err)
{
	rt_auto_free char *path = NULL;

	if (asprintf(&path, "%s/%s", group, file) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	return rt_undo_knob(undo, path, value, err);
}

/* A new group "MOUNT/rtgauge-TOOL-RANDOM" and @tail; its removal is noted first. */
static int make_group(char **ret, const char *mount, const char *name, const char *tail,
		      struct rt_undo *undo, struct rt_err *err)
{
	rt_auto_free char *path = NULL;
	int status;

	if (asprintf(&path, "%s%s%s", strcmp(mount, "/") ? mount : "", name, tail) < 0) {
		path = NULL;
		return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "no memory for a cgroup");
	}
	status = rt_undo_rmdir(undo, path, err);
	if (status)
		return status;
	if (mkdir(path, 0755) < 0) {
		status = -errno;
		rt_undo_forget(undo);
		return rt_err_set(err, RT_EXIT_MISSING, status,
				  "CPUs cannot be set apart: making the cgroup %s: %s%s", path,
				  strerror(-status),
				  status == -EACCES || status == -EPERM ? "; run as root" : "");
	}
	*ret = rt_take(path);
	return 0;
}

static int describe(struct rt_partition *p, const char *what, const struct rt_cpuset *cpus,
		    struct rt_err *err)
{
	int status = rt_cpuset_copy(&p->cpus, cpus);

	if (!status && asprintf(&p->text, "%s %s", what, p->path) < 0) {
		p->text = NULL;
		status = -ENOMEM;
	}
	return status ? rt_err_set(err, RT_EXIT_FAILED, status, "no memory for a cgroup") : 0;
}

/* ---- cgroup v2 --------------------------------------------------------------------- */

/*
 * Threads enter a threaded group only out of the domain that it belongs to, so
 * this process (nobody else) goes there first. Below the root that is the root.
 */
int rt_partition_join_domain(const char *domain, struct rt_err *err)
{
	rt_auto_free char *inside = rt_group_read(domain, "cgroup.procs");
	char pid[24];

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	if (inside && rt_group_has_word(inside, pid))
		return 0;
	return put(domain, "cgroup.procs", pid, err);
}

/*
 * The kernel takes the word and then says whether it holds: "root invalid (WHY)".
 * A knob, although it goes with the group: the kernel gives back the CPUs of a
 * removed group when it finds the time, those of a mere member at once, and the
 * masks that are put back after it need them.
 */
static int become_partition(const char *group, const char *kind, struct rt_undo *undo,
			    struct rt_err *err)
{
	rt_auto_free char *state = NULL;
	int status = put_knob(undo, group, "cpuset.cpus.partition", kind, err);

	if (status)
		return status;
	state = rt_group_read(group, "cpuset.cpus.partition");
	if (state && strcmp(state, kind) == 0)
		return 0;
	return rt_err_set(err, RT_EXIT_MISSING, EINVAL,
			  "CPUs cannot be set apart: the kernel calls the cpuset partition %s '%s'",
			  group, state ? state : "unreadable");
}

static int fill_v2(struct rt_partition *p, const struct rt_partition_plan *plan,
		   struct rt_undo *undo, struct rt_err *err)
{
	rt_auto_free char *list = rt_cpuset_text(plan->cpus);
	int status = list ? 0 : -ENOMEM;

	if (!status)
		status = put(p->path, "cgroup.type", "threaded", err);
	if (!status)
		status = put(p->path, "cpuset.cpus", list, err);
	if (!status)
		status = become_partition(p->path, plan->isolated ? "isolated" : "root", undo,
					  err);
	return status;
}

int rt_partition_make_v2(struct rt_partition *p, const char *mount,
			 const struct rt_partition_plan *plan, struct rt_undo *undo,
			 struct rt_err *err)
{
	char name[RT_UNDO_NAME_MAX];
	int status = rt_undo_random_name(name);

	/* Masks first: undone last, when the partition is gone. */
	if (!status)
		status = rt_partition_note_tasks(plan->cpus, plan->force, undo, err);
	if (!status)
		status = put_knob(undo, mount, "cgroup.subtree_control", "+cpuset", err);
	if (!status)
		status = make_group(&p->path, mount, name, "", undo, err);
	if (!status)
		status = rt_partition_join_domain(mount, err);
	if (!status)
		status = fill_v2(p, plan, undo, err);
	p->how = PARTITION_THREADS;
	return status ? status : describe(p, "cgroup v2 partition", plan->cpus, err);
}

/* ---- cgroup v1 --------------------------------------------------------------------- */

/* A group beside @group with some of these CPUs: heap text, NULL: there is none */
static char *find_overlap(const char *mount, const char *group, const struct rt_cpuset *cpus)
{
	DIR *folder = opendir(mount);
	struct dirent *entry;
	char *found = NULL;

	while (folder && !found && (entry = readdir(folder))) {
		struct rt_cpuset theirs = RT_CPUSET_INIT;
		char *path;

		if (entry->d_name[0] == '.' || asprintf(&path, "%s/%s", mount, entry->d_name) < 0)
			continue;
		if (strcmp(path, group) != 0 && rt_group_cpus(&theirs, path, "cpuset.cpus") == 0) {
			rt_cpuset_and(&theirs, cpus);
			if (rt_cpuset_count(&theirs))
				found = rt_take(path);
		}
		rt_cpuset_done(&theirs);
		free(path);
	}
	if (folder)
		closedir(folder);
	return found;
}

/* EINVAL has one meaning here that can be told. */
static int put_cpus(const char *group, const char *mount, const char *file, const char *value,
		    const struct rt_cpuset *cpus, struct rt_err *err)
{
	int status = rt_group_write(group, file, value);
	rt_auto_free char *other = status == -EINVAL ? find_overlap(mount, group, cpus) : NULL;

	if (other)
		return rt_err_set(err, RT_EXIT_MISSING, EBUSY,
				  "CPUs cannot be set apart: the cpuset %s has some of them "
				  "(another run, "
				  "or a container), and the kernel refuses to share CPUs of an "
				  "exclusive "
				  "set (EINVAL)", other);
	return status ? refuse(err, status, group, file, value) : 0;
}

static int fill_v1(const char *group, const char *mount, const struct rt_cpuset *cpus,
		   struct rt_err *err)
{
	rt_auto_free char *list = rt_cpuset_text(cpus);
	rt_auto_free char *mems = rt_group_read(mount, "cpuset.mems");
	int status;

	if (!list || !mems)
		return rt_err_set(err, RT_EXIT_MISSING, ENOENT,
				  "CPUs cannot be set apart: %s/cpuset.mems can't be read", mount);
	status = put_cpus(group, mount, "cpuset.cpus", list, cpus, err);
	return status ? status : put(group, "cpuset.mems", mems, err);
}

/* An empty set for the CPUs that are left: without it they would have no domain at all. */
static int make_rest(const char *mount, const char *name, const struct rt_cpuset *cpus,
		     struct rt_undo *undo, struct rt_err *err)
{
	struct rt_cpuset rest = RT_CPUSET_INIT;
	rt_auto_free char *path = NULL;
	int status = rt_group_cpus(&rest, mount, "cpuset.cpus");

	if (!status)
		rt_cpuset_andnot(&rest, cpus);
	if (!status && rt_cpuset_count(&rest)) {
		status = make_group(&path, mount, name, "-rest", undo, err);
		if (!status)
			status = fill_v1(path, mount, &rest, err);
	}
	rt_cpuset_done(&rest);
	return status;
}

int rt_partition_make_v1(struct rt_partition *p, const char *mount,
			 const struct rt_partition_plan *plan, struct rt_undo *undo,
			 struct rt_err *err)
{
	char name[RT_UNDO_NAME_MAX];
	int status = rt_undo_random_name(name);

	if (!status && plan->isolated)
		status = rt_err_set(err, RT_EXIT_MISSING, EINVAL,
				    "an isolated partition needs cgroup v2; cpusets are mounted as "
				    "v1 here, at %s", mount);
	if (!status)
		status = put_knob(undo, mount, "cpuset.cpu_exclusive", "1", err);
	if (!status)
		status = make_rest(mount, name, plan->cpus, undo, err);
	if (!status)
		status = make_group(&p->path, mount, name, "", undo, err);
	if (!status)
		status = fill_v1(p->path, mount, plan->cpus, err);
	if (!status)
		status = put_cpus(p->path, mount, "cpuset.cpu_exclusive", "1", plan->cpus, err);
	/* Undone first: the domains are joined again before the sets go. */
	if (!status)
		status = put_knob(undo, mount, "cpuset.sched_load_balance", "0", err);
	p->how = PARTITION_TASKS;
	return status ? status : describe(p, "cgroup v1 exclusive cpuset", plan->cpus, err);
}
