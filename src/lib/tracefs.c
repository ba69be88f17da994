/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracefs - where it is, whether it may be used, and its files.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt/compiler.h"
#include "rt/files.h"
#include "tracefs_internal.h"

#define READ_STEP 65536

/* ---- where it is ----------------------------------------------------------------- */

/* A blank in a mount point is written as \040, and other characters likewise: fstab(5). */
static void decode_octal(char *text)
{
	char *to = text;

	for (const char *c = text; *c; c++) {
		if (c[0] == '\\' && strspn(c + 1, "01234567") >= 3) {
			*to++ = (char)((c[1] - '0') * 64 + (c[2] - '0') * 8 + (c[3] - '0'));
			c += 3;
		} else {
			*to++ = *c;
		}
	}
	*to = '\0';
}

static bool has_marker(const char *folder)
{
	rt_auto_free char *path = NULL;

	if (asprintf(&path, "%s/trace_marker", folder) < 0) {
		path = NULL;
		return false;
	}
	/* The folder is root's alone (0700): without the right to look it is there all the same. */
	return access(path, F_OK) == 0 || errno == EACCES;
}

/* Return: 0; -ENOENT if the marker is not there; -ENOMEM. */
static int take_folder(char **ret, const char *point, const char *below)
{
	rt_auto_free char *folder = NULL;

	if (asprintf(&folder, "%s%s", point, below) < 0) {
		folder = NULL;
		return -ENOMEM;
	}
	if (!has_marker(folder))
		return -ENOENT;
	*ret = rt_take(folder);
	return 0;
}

/*
 * The first folder of tracefs that is of a file system of this type, BELOW its mount
 * point. One may be hidden by what was mounted over it, or be an empty debugfs.
 * Return: 0; -ENOENT; -ENOMEM.
 */
static int find_mount(char **ret, const char *mounts, const char *type, const char *below)
{
	rt_auto_free char *line = NULL;
	FILE *f = fopen(mounts, "re");
	int status = -ENOENT;
	size_t size = 0;

	while (f && status == -ENOENT && getline(&line, &size, f) > 0) {
		char *rest, *device = strtok_r(line, " ", &rest);
		char *point = device ? strtok_r(NULL, " ", &rest) : NULL;
		char *kind = point ? strtok_r(NULL, " ", &rest) : NULL;

		if (kind && strcmp(kind, type) == 0) {
			decode_octal(point);
			status = take_folder(ret, point, below);
		}
	}
	if (f)
		fclose(f);
	return status;
}

int rt_tracefs_find(char **ret, const char *usual, const char *mounts)
{
	int status = take_folder(ret, usual, "");

	if (status == -ENOENT)
		status = find_mount(ret, mounts, "tracefs", "");
	if (status == -ENOENT)
		status = find_mount(ret, mounts, "debugfs", "/tracing");
	return status;
}

/* "integrity" locks other things only. */
bool rt_tracefs_is_locked(const char *lockdown)
{
	return lockdown && strstr(lockdown, "[confidentiality]");
}

#define LOCKDOWN "/sys/kernel/security/lockdown"
#define LOCKED "this kernel is locked down (" LOCKDOWN "), and nobody can trace; " \
	       "boot it without lockdown=confidentiality"

/* Leaves errno alone: it is asked in the middle of a message. */
static bool is_locked(void)
{
	int code = errno;
	rt_auto_free char *lockdown = rt_read_line(LOCKDOWN);

	errno = code;
	return rt_tracefs_is_locked(lockdown);
}

const char *rt_tracefs_hint(int code)
{
	code = abs(code);
	if (geteuid() != 0 && (code == EACCES || code == EPERM))
		return "; run as root";
	if (is_locked())
		return "; " LOCKED;
	if (code == EPERM)
		return "; is the kernel locked down (" LOCKDOWN ")?";
	return "";
}

const char *rt_tracefs_path(struct rt_err *err)
{
	static char *path; /* looked up once; main thread only */

	if (!path && rt_tracefs_find(&path, "/sys/kernel/tracing", "/proc/self/mounts") < 0)
		rt_err_set(err, RT_EXIT_MISSING, ENOENT, "%s",
			   is_locked() ? "tracefs is empty: " LOCKED :
					 "tracefs is not mounted; as root: "
					 "mount -t tracefs nodev /sys/kernel/tracing");
	return path;
}

/* ---- its files ------------------------------------------------------------------- */

static char *path_of(const char *folder, const char *file)
{
	char *path;

	return asprintf(&path, "%s/%s", folder, file) < 0 ? NULL : path;
}

int rt_tracefs_put(const char *folder, const char *file, const char *value, int flags)
{
	rt_auto_free char *path = path_of(folder, file);
	rt_auto_close int fd = -1;

	if (!path)
		return -ENOMEM;
	fd = open(path, O_WRONLY | O_CLOEXEC | flags);
	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		return -errno;
	return 0;
}

int rt_tracefs_slurp(const char *folder, const char *file, char **ret, size_t *length)
{
	rt_auto_free char *path = path_of(folder, file);
	rt_auto_free char *text = NULL;
	rt_auto_close int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	size_t room = 0, fill = 0;

	if (fd < 0)
		return path ? -errno : -ENOMEM;
	for (;;) {
		ssize_t got;

		if (room - fill < READ_STEP) {
			char *more = realloc(text, room = 2 * room + 2 * READ_STEP);

			if (!more)
				return -ENOMEM;
			text = more;
		}
		got = read(fd, text + fill, room - fill - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		fill += (size_t)got;
	}
	text[fill] = '\0';
	*ret = rt_take(text);
	if (length)
		*length = fill;
	return 0;
}

bool rt_tracefs_has_word(const char *folder, const char *file, const char *word)
{
	rt_auto_free char *text = NULL;
	char *rest;

	if (rt_tracefs_slurp(folder, file, &text, NULL))
		return false;
	rest = text;
	for (char *at; (at = strsep(&rest, " \n"));)
		if (*at && strcmp(at, word) == 0)
			return true;
	return false;
}

int rt_tracefs_knob(struct rt_undo *undo, const char *folder, const char *file, const char *value,
		    struct rt_err *err)
{
	rt_auto_free char *path = NULL;

	if (asprintf(&path, "%s/%s", folder, file) < 0) {
		path = NULL;
		return rt_err_memory(err, "a trace");
	}
	return rt_undo_knob(undo, path, value, err);
}
