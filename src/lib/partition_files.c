/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>

#include "partition_internal.h"
#include "rt/compiler.h"

#define FILE_MAX 4096

static char *join(const char *group, const char *file)
{
	char *path;

	return asprintf(&path, "%s/%s", group, file) < 0 ? NULL : path;
}

char *rt_group_read(const char *group, const char *file)
{
	rt_auto_free char *path = join(group, file);
	rt_auto_free char *text = calloc(1, FILE_MAX);
	rt_auto_close int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	ssize_t length = fd < 0 || !text ? -1 : read(fd, text, FILE_MAX - 1);

	if (length < 0)
		return NULL;
	while (length > 0 && strchr(" \n", text[length - 1]))
		text[--length] = '\0';
	return rt_take(text);
}

int rt_group_write(const char *group, const char *file, const char *text)
{
	rt_auto_free char *path = join(group, file);
	rt_auto_close int fd = path ? open(path, O_WRONLY | O_CLOEXEC) : -1;

	if (fd < 0)
		return path ? -errno : -ENOMEM;
	return write(fd, text, strlen(text)) < 0 ? -errno : 0;
}

int rt_group_cpus(struct rt_cpuset *ret, const char *group, const char *file)
{
	rt_auto_free char *list = rt_group_read(group, file);

	return list ? rt_cpuset_kernel_list(ret, list) : -errno;
}

bool rt_group_has_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = text; at && *at;) {
		size_t next = strcspn(at, " \n");

		if (next == length && strncmp(at, word, length) == 0)
			return true;
		at += next + (at[next] != '\0');
	}
	return false;
}

/* Does this hierarchy have cpusets? The controller is bound to one version only. */
static bool has_cpusets(const struct mntent *entry, const char *type)
{
	rt_auto_free char *controllers = NULL;

	if (strcmp(entry->mnt_type, type) != 0)
		return false;
	if (strcmp(type, "cgroup") == 0)
		return hasmntopt(entry, "cpuset") != NULL;
	controllers = rt_group_read(entry->mnt_dir, "cgroup.controllers");
	return controllers && rt_group_has_word(controllers, "cpuset");
}

static char *find_mount(const char *type)
{
	FILE *table = setmntent("/proc/self/mounts", "re");
	struct mntent *entry;
	char *path = NULL;

	while (table && !path && (entry = getmntent(table)))
		if (has_cpusets(entry, type))
			path = strdup(entry->mnt_dir);
	if (table)
		endmntent(table);
	return path;
}

char *rt_group_mount_v2(void)
{
	return find_mount("cgroup2");
}

char *rt_group_mount_v1(void)
{
	return find_mount("cgroup");
}
