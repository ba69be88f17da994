/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace - see rt/trace.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt/compiler.h"
#include "rt/files.h"
#include "trace_internal.h"

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

/* ---- the mark -------------------------------------------------------------------- */

static int open_file(const char *folder, const char *name, int flags, struct rt_err *err)
{
	rt_auto_free char *path = NULL;
	int fd;

	if (asprintf(&path, "%s/%s", folder, name) < 0) {
		path = NULL;
		return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "no memory for a path");
	}
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		return rt_err_set(err, RT_EXIT_MISSING, errno, "cannot open %s: %s%s", path,
				  strerror(errno), rt_tracefs_hint(errno));
	return fd;
}

int rt_trace_mark_open_in(struct rt_trace_mark *mark, const char *folder, struct rt_err *err)
{
	char state = '1';
	int fd;

	*mark = (struct rt_trace_mark)RT_TRACE_MARK_CLOSED;
	fd = open_file(folder, "trace_marker", O_WRONLY, err);
	if (fd < 0)
		return fd;
	mark->marker_fd = fd;
	fd = open_file(folder, "tracing_on", O_RDWR, err);
	if (fd < 0) {
		rt_trace_mark_close(mark);
		return fd;
	}
	mark->switch_fd = fd;
	if (pread(fd, &state, 1, 0) < 0)
		state = '1'; /* not known: the run will tell */
	return state == '0' ? 1 : 0;
}

int rt_trace_mark_open(struct rt_trace_mark *mark, struct rt_err *err)
{
	const char *folder = rt_tracefs_path(err);

	*mark = (struct rt_trace_mark)RT_TRACE_MARK_CLOSED;
	return folder ? rt_trace_mark_open_in(mark, folder, err) : -ENOENT;
}

int rt_trace_switch_open(struct rt_trace_mark *mark, struct rt_err *err)
{
	const char *folder = rt_tracefs_path(err);
	int fd;

	*mark = (struct rt_trace_mark)RT_TRACE_MARK_CLOSED;
	fd = folder ? open_file(folder, "tracing_on", O_WRONLY, err) : -ENOENT;
	if (fd < 0)
		return fd;
	mark->switch_fd = fd;
	return 0;
}

void rt_trace_mark_close(struct rt_trace_mark *mark)
{
	rt_close_fd(&mark->marker_fd);
	rt_close_fd(&mark->switch_fd);
	*mark = (struct rt_trace_mark)RT_TRACE_MARK_CLOSED;
}

int rt_trace_mark_hit(const struct rt_trace_mark *mark, int64_t value, int64_t limit)
{
	char text[96];
	int length = snprintf(text, sizeof(text),
			      "hit latency threshold (%" PRId64 " > %" PRId64 ")", value, limit);
	int status = mark->marker_fd < 0 && mark->switch_fd < 0 ? -EBADF : 0;

	if (mark->marker_fd >= 0 && write(mark->marker_fd, text, (size_t)length) < 0)
		status = -errno;
	/* Also without a mark: what happened before the sample must not be overwritten. */
	if (mark->switch_fd >= 0 && write(mark->switch_fd, "0\n", 2) < 0 && !status)
		status = -errno;
	return status;
}
