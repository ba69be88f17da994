/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace - see rt/trace.h.
 */
#include "trace_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rt/compiler.h"
#include "rt/tracefs.h"

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
