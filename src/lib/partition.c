/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rt/partition.h"

#include <errno.h>

struct rt_partition { int none; };

int rt_partition_make(struct rt_partition **ret, const struct rt_partition_plan *plan,
		      struct rt_undo *undo, struct rt_err *err)
{
	(void)ret, (void)plan, (void)undo;
	return rt_err_set(err, RT_EXIT_MISSING, ENOSYS, "not built yet");
}
int rt_partition_given(struct rt_cpuset *ret, const char *path, struct rt_err *err)
{
	(void)ret, (void)path;
	return rt_err_set(err, RT_EXIT_MISSING, ENOSYS, "not built yet");
}
int rt_partition_enter(const struct rt_partition *p, struct rt_err *err)
{
	(void)p;
	return rt_err_set(err, RT_EXIT_MISSING, ENOSYS, "not built yet");
}
const struct rt_cpuset *rt_partition_cpus(const struct rt_partition *p) { (void)p; return NULL; }
const char *rt_partition_text(const struct rt_partition *p) { (void)p; return ""; }
void rt_partition_free(struct rt_partition *p) { (void)p; }
