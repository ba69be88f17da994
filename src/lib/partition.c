/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * partition - the face of the room, and groups that the user made.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "partition_internal.h"
#include "rt/compiler.h"

/* ---- a given group ----------------------------------------------------------------- */

static bool is_group(const char *path)
{
	rt_auto_free char *cpus = rt_group_read(path, "cpuset.cpus");

	return cpus != NULL;
}

/* As it stands, or below either hierarchy. NULL with a sentence. */
static char *find_given(const char *given, struct rt_err *err)
{
	rt_auto_free char *v2 = rt_group_mount_v2();
	rt_auto_free char *v1 = rt_group_mount_v1();
	const char *const mounts[] = { "", v2, v1 };

	for (size_t i = 0; i < RT_ARRAY_SIZE(mounts); i++) {
		bool is_whole = i == 0;
		char *path;

		if (!mounts[i] || (is_whole && given[0] != '/'))
			continue;
		if (asprintf(&path, "%s%s%s", mounts[i], given[0] == '/' ? "" : "/", given) < 0)
			break;
		if (is_group(path))
			return path;
		free(path);
	}
	rt_err_set(err, RT_EXIT_USAGE, ENOENT,
		   "%s is no cgroup with cpusets; give its path, such as /sys/fs/cgroup/rt", given);
	return NULL;
}

static bool is_v2(const char *path)
{
	rt_auto_free char *type = rt_group_read(path, "cgroup.type");

	return type != NULL;
}

static int given_cpus(struct rt_cpuset *ret, const char *path, struct rt_err *err)
{
	int status = rt_group_cpus(ret, path, is_v2(path) ? "cpuset.cpus.effective" :
							    "cpuset.effective_cpus");

	if (status == -ENOENT) /* v1 before Linux 3.17 */
		status = rt_group_cpus(ret, path, "cpuset.cpus");
	if (status)
		return rt_err_set(err, RT_EXIT_MISSING, status, "the CPUs of %s can't be read: %s",
				  path, strerror(-status));
	if (!rt_cpuset_count(ret))
		return rt_err_set(err, RT_EXIT_MISSING, ENODEV, "%s has no CPUs that are online",
				  path);
	return 0;
}

int rt_partition_given(struct rt_cpuset *ret, const char *path, struct rt_err *err)
{
	rt_auto_free char *found = find_given(path, err);

	return found ? given_cpus(ret, found, err) : -ENOENT;
}

static int check_cpus(const struct rt_partition *p, const struct rt_cpuset *wanted,
		      struct rt_err *err)
{
	rt_auto_free char *has = rt_cpuset_text(&p->cpus), *list = NULL;

	if (!wanted || rt_cpuset_equal(&p->cpus, wanted))
		return 0;
	list = rt_cpuset_text(wanted);
	return rt_err_set(err, RT_EXIT_USAGE, EINVAL,
			  "%s has the CPUs %s, not %s; a deadline thread runs on all of "
			  "them", p->path,
			  has ? has : "?", list ? list : "?");
}

/* The nearest group above a threaded one that is not threaded itself. */
static char *domain_of(const char *path)
{
	char *domain = strdup(path);

	while (domain) {
		rt_auto_free char *type = rt_group_read(domain, "cgroup.type");
		char *slash = strrchr(domain, '/');

		if (!type || strcmp(type, "threaded") != 0 || !slash || slash == domain)
			break;
		*slash = '\0';
	}
	return domain;
}

static int use_v2(struct rt_partition *p, struct rt_err *err)
{
	rt_auto_free char *state = rt_group_read(p->path, "cpuset.cpus.partition");
	rt_auto_free char *type = rt_group_read(p->path, "cgroup.type");
	rt_auto_free char *domain = NULL;

	if (!state || (strcmp(state, "root") != 0 && strcmp(state, "isolated") != 0))
		return rt_err_set(err, RT_EXIT_MISSING, EINVAL,
				  "%s is no cpuset partition: its cpuset.cpus.partition is '%s'; "
				  "write root there", p->path, state ? state : "missing");
	p->how = type && strcmp(type, "threaded") == 0 ? PARTITION_THREADS : PARTITION_PROCESS;
	domain = domain_of(p->path);
	if (!domain)
		return -ENOMEM;
	return rt_partition_join_domain(domain, err);
}

static int use_given(struct rt_partition *p, const struct rt_partition_plan *plan,
		     struct rt_err *err)
{
	const char *what;
	int status;

	p->path = find_given(plan->path, err);
	if (!p->path)
		return -ENOENT;
	status = given_cpus(&p->cpus, p->path, err);
	if (!status)
		status = check_cpus(p, plan->cpus, err);
	if (status)
		return status;
	p->how = PARTITION_TASKS;
	what = is_v2(p->path) ? "given cgroup v2 partition" : "given cgroup v1 cpuset";
	if (asprintf(&p->text, "%s %s", what, p->path) < 0) {
		p->text = NULL;
		return -ENOMEM;
	}
	return is_v2(p->path) ? use_v2(p, err) : 0;
}

/* ---- the face ---------------------------------------------------------------------- */

static int make(struct rt_partition *p, const struct rt_partition_plan *plan,
		struct rt_undo *undo, struct rt_err *err)
{
	rt_auto_free char *v2 = rt_group_mount_v2();
	rt_auto_free char *v1 = v2 ? NULL : rt_group_mount_v1();

	if (v2)
		return rt_partition_make_v2(p, v2, plan, undo, err);
	if (v1)
		return rt_partition_make_v1(p, v1, plan, undo, err);
	return rt_err_set(err, RT_EXIT_MISSING, ENOENT,
			  "CPUs cannot be set apart: no cgroup hierarchy with cpusets is mounted, "
			  "neither v2 (mount -t cgroup2 none /sys/fs/cgroup) nor v1; and a "
			  "deadline "
			  "thread must be allowed on all CPUs of its scheduling domain");
}

int rt_partition_make(struct rt_partition **ret, const struct rt_partition_plan *plan,
		      struct rt_undo *undo, struct rt_err *err)
{
	struct rt_partition *p = calloc(1, sizeof(*p));
	int status;

	if (!p)
		return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "no memory for a partition");
	status = plan->path ? use_given(p, plan, err) : make(p, plan, undo, err);
	if (status) {
		rt_partition_free(p);
		return rt_err_set(err, RT_EXIT_FAILED, status, "CPUs cannot be set apart: %s",
				  strerror(-status));
	}
	*ret = p;
	return 0;
}

int rt_partition_enter(const struct rt_partition *p, struct rt_err *err)
{
	const char *file = p->how == PARTITION_THREADS ? "cgroup.threads" : "tasks";
	int status = 0;

	if (p->how != PARTITION_PROCESS)
		status = rt_group_write(p->path, file, "0"); /* 0: the writing thread */
	if (status)
		return rt_err_set(err, RT_EXIT_MISSING, status, "cannot enter %s: %s/%s: %s",
				  p->text, p->path, file, strerror(-status));
	return 0;
}

const struct rt_cpuset *rt_partition_cpus(const struct rt_partition *p)
{
	return &p->cpus;
}

bool rt_partition_holds_main(const struct rt_partition *p)
{
	return p->how == PARTITION_PROCESS;
}

const char *rt_partition_text(const struct rt_partition *p)
{
	return p->text;
}

void rt_partition_free(struct rt_partition *p)
{
	if (!p)
		return;
	rt_cpuset_done(&p->cpus);
	free(p->path);
	free(p->text);
	free(p);
}
