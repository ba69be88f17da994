/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rt/cgroup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt/compiler.h"
#include "rt/files.h"
#include "rt/units.h"

/* Is @word one of the comma-separated words of @list? */
static bool list_has(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, word, len) == 0 && (at[len] == ',' || !at[len]))
			return true;
	}
	return false;
}

/* ---- which group: /proc/PID/cgroup ------------------------------------------------- */

/*
 * Lines "3:cpu,cpuacct:/some/group" of version 1 and "0::/some/group" of version 2.
 * Return: the group in the hierarchy with the controller, on the heap, and its version.
 */
static char *find_group(const char *cgroup_file, const char *controller, int *ret_version)
{
	FILE *in = fopen(cgroup_file, "re");
	char *line = NULL, *path = NULL;
	size_t size = 0;

	*ret_version = 0;
	while (in && *ret_version != 1 && getline(&line, &size, in) > 0) {
		char *controllers = strchr(line, ':');
		char *group = controllers ? strchr(controllers + 1, ':') : NULL;
		bool is_v2 = strncmp(line, "0::", 3) == 0;

		if (!group)
			continue;
		*group++ = '\0';
		group[strcspn(group, "\n")] = '\0';
		if (!is_v2 && !list_has(controllers + 1, controller))
			continue;
		free(path);
		path = strdup(group);
		*ret_version = is_v2 ? 2 : 1;
	}
	free(line);
	if (in)
		fclose(in);
	return path;
}

/* ---- where it is mounted: /proc/self/mountinfo -------------------------------------- */

/* Undo the octal escapes of the mount tables ("\040" is a blank). */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; to++) {
		unsigned int byte;

		if (sscanf(text, "\\%3o", &byte) == 1 && strlen(text) >= 4) {
			*to = (char)byte;
			text += 4;
		} else {
			*to = *text++;
		}
	}
	*to = '\0';
}

/* Takes a line apart, see proc(5); true if the hierarchy that is looked for is mounted there. */
static bool read_mount(char *line, int version, const char *controller, char **ret_root,
		       char **ret_at)
{
	char *tail = strstr(line, " - ");
	char *type, *options, *next = NULL;

	if (!tail)
		return false;
	*tail = '\0';
	type = strtok_r(tail + 3, " ", &next);
	strtok_r(NULL, " ", &next); /* source */
	options = strtok_r(NULL, " \n", &next);
	if (!type || !options || strcmp(type, version == 2 ? "cgroup2" : "cgroup") != 0 ||
	    (version == 1 && !list_has(options, controller)))
		return false;

	strtok_r(line, " ", &next); /* mount id */
	strtok_r(NULL, " ", &next); /* its parent */
	strtok_r(NULL, " ", &next); /* device */
	*ret_root = strtok_r(NULL, " ", &next);
	*ret_at = strtok_r(NULL, " ", &next);
	if (!*ret_root || !*ret_at)
		return false;
	unescape(*ret_root);
	unescape(*ret_at);
	return true;
}

/* The group below a mount that shows the hierarchy from @root on */
static int place(struct rt_cgroup *ret, const char *root, const char *at, const char *group)
{
	size_t len = strcmp(root, "/") == 0 ? 0 : strlen(root);

	if (strncmp(group, root, len) != 0 || (group[len] != '/' && group[len]))
		return -ENOENT; /* not below what is mounted here */
	group += len;
	if (strncmp(group, "/..", 3) == 0)
		return -ENOENT; /* outside of this cgroup namespace */
	ret->top = strlen(at);
	if (asprintf(&ret->folder, "%s%s", at, strcmp(group, "/") == 0 ? "" : group) >= 0)
		return 0;
	ret->folder = NULL;
	return -ENOENT;
}

static int find(struct rt_cgroup *ret, const char *controller, const char *cgroup_file,
		const char *mountinfo_file)
{
	rt_auto_free char *group = find_group(cgroup_file, controller, &ret->version);
	FILE *in = group ? fopen(mountinfo_file, "re") : NULL;
	char *line = NULL, *root, *at;
	size_t size = 0;
	int status = -ENOENT;

	ret->folder = NULL;
	while (in && status && getline(&line, &size, in) > 0)
		if (read_mount(line, ret->version, controller, &root, &at))
			status = place(ret, root, at, group);
	free(line);
	if (in)
		fclose(in);
	return status;
}

int rt_cgroup_find(struct rt_cgroup *ret, const char *controller, const char *cgroup_file)
{
	return find(ret, controller, cgroup_file, "/proc/self/mountinfo");
}

/* ---- in it ------------------------------------------------------------------------- */

bool rt_cgroup_up(struct rt_cgroup *group)
{
	char *slash = strrchr(group->folder, '/');

	if (!slash || (size_t)(slash - group->folder) < group->top)
		return false;
	*slash = '\0';
	return true;
}

int64_t rt_cgroup_number(const struct rt_cgroup *group, const char *file)
{
	rt_auto_free char *path = NULL, *line = NULL;
	int64_t number;

	if (asprintf(&path, "%s/%s", group->folder, file) < 0) {
		path = NULL;
		return INT64_MAX;
	}
	line = rt_read_line(path);
	return line && rt_parse_int(&number, line, INT64_MIN, INT64_MAX) == 0 ? number : INT64_MAX;
}

void rt_cgroup_done(struct rt_cgroup *group)
{
	free(group->folder);
	group->folder = NULL;
}
