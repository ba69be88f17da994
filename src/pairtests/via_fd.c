/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Descriptors that block in read(2): eventfd, pipe, AF_UNIX socket. They differ
 * only in how they are made.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "via.h"

static int refuse(const char *what, struct rt_err *err)
{
	int code = errno;
	bool is_full = code == EMFILE || code == ENFILE;

	return rt_err_set(err, is_full ? RT_EXIT_MISSING : RT_EXIT_FAILED, code,
			  "cannot make %s: %s%s", what, strerror(code),
			  is_full ? "; raise RLIMIT_NOFILE ('ulimit -n') or use fewer pairs" : "");
}

static int open_eventfd(struct pair_way *way, struct rt_undo *undo RT_UNUSED, struct rt_err *err)
{
	way->fd[0] = eventfd(0, EFD_CLOEXEC);
	way->fd[1] = way->fd[0];
	return way->fd[0] < 0 ? refuse("an eventfd", err) : 0;
}

static int open_pipe(struct pair_way *way, struct rt_undo *undo RT_UNUSED, struct rt_err *err)
{
	return pipe2(way->fd, O_CLOEXEC) ? refuse("a pipe", err) : 0;
}

static int open_unix(struct pair_way *way, struct rt_undo *undo RT_UNUSED, struct rt_err *err)
{
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, way->fd) ?
		       refuse("a socket pair", err) : 0;
}

/* Eight bytes are what an eventfd wants; the others take them as they are. */
static int post(struct pair_way *way)
{
	uint64_t one = 1;

	return rt_unlikely(write(way->fd[1], &one, sizeof(one)) != sizeof(one)) ? -errno : 0;
}

static int wait_descriptor(struct pair_way *way)
{
	uint64_t got;

	return rt_unlikely(read(way->fd[0], &got, sizeof(got)) != sizeof(got)) ? -errno : 0;
}

static void close_way(struct pair_way *way)
{
	if (way->fd[1] != way->fd[0])
		rt_close_fd(&way->fd[1]);
	rt_close_fd(&way->fd[0]);
}

const struct pair_via pair_via_eventfd = {
	.name = "eventfd",
	.open = open_eventfd,
	.post = post,
	.wait = wait_descriptor,
	.close = close_way,
};

const struct pair_via pair_via_pipe = {
	.name = "pipe",
	.open = open_pipe,
	.post = post,
	.wait = wait_descriptor,
	.close = close_way,
};

const struct pair_via pair_via_unix = {
	.name = "unix",
	.open = open_unix,
	.post = post,
	.wait = wait_descriptor,
	.close = close_way,
};
