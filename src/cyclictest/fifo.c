/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -F: a named pipe; whoever opens it for reading gets the status lines once.
 *
 * A reader waits in its open(2) until somebody writes, which main looks for
 * twice a second: the kernel tells nobody of a waiting reader.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "cyclictest.h"

#define LOOK_NS (500 * RT_NS_PER_MS)

struct cyc_fifo {
	char *path; /* absolute: the journal's entry must hold from any folder */
	int64_t look_at_ns;
	int owner; /* the socket that says that we live */
};

static int refuse(struct rt_err *err, const char *path, int code, const char *why)
{
	return rt_err_set(err, RT_EXIT_FAILED, code,
			  "--fifo: cannot offer the status at %s: %s", path, why);
}

/*
 * One owner per pipe: an abstract socket named after the inode, which the kernel
 * gives up with its process. (Locking the pipe itself would need a descriptor
 * for reading, and then there would always be a reader.)
 */
static int own(const struct stat *st)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int length = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1,
			      "rtgauge-fifo-%llu-%llu", (unsigned long long)st->st_dev,
			      (unsigned long long)st->st_ino);
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);

	if (fd >= 0 && bind(fd, (struct sockaddr *)&name, size) == 0)
		return fd;
	rt_close_fd(&fd);
	return -EBUSY;
}

/* Only a pipe of our uid that nobody keeps. It was not made by us, and stays. */
static int reuse(const char *path, int *ret_owner, struct rt_err *err)
{
	struct stat st;

	if (lstat(path, &st))
		return refuse(err, path, errno, strerror(errno));
	if (!S_ISFIFO(st.st_mode))
		return refuse(err, path, EEXIST,
			      "it exists and is no named pipe; give a path that does not exist");
	if (st.st_uid != geteuid())
		return refuse(err, path, EEXIST, "it belongs to somebody else");
	*ret_owner = own(&st);
	return *ret_owner < 0 ? refuse(err, path, EBUSY, "another run offers its status there") : 0;
}

/* Under a name of its own first, so that the journal knows the inode before it has @path. */
static int make(const char *path, struct rt_undo *undo, int *ret_owner, struct rt_err *err)
{
	rt_auto_free char *temporary = NULL;
	struct stat st;
	int status;

	if (asprintf(&temporary, "%s.%d", path, (int)getpid()) < 0)
		return refuse(err, path, ENOMEM, "no memory");
	status = rt_undo_unlink(undo, temporary, err);
	if (status)
		return status;
	if (mkfifo(temporary, 0666) || lstat(temporary, &st))
		return refuse(err, path, errno, strerror(errno));
	status = rt_undo_unlink_inode(undo, path, st.st_dev, st.st_ino, err);
	if (!status && link(temporary, path))
		status = errno == EEXIST ? reuse(path, ret_owner, err) :
					   refuse(err, path, errno, strerror(errno));
	else if (!status)
		*ret_owner = own(&st);
	unlink(temporary);
	return status;
}

static char *absolute(const char *path)
{
	rt_auto_free char *folder = path[0] == '/' ? NULL : getcwd(NULL, 0);
	char *whole = NULL;

	if (path[0] == '/')
		return strdup(path);
	if (!folder || asprintf(&whole, "%s/%s", folder, path) < 0)
		return NULL;
	return whole;
}

int cyc_fifo_open(struct cyc_fifo **ret, const char *path, struct rt_undo *undo,
		  struct rt_err *err)
{
	struct cyc_fifo *fifo = calloc(1, sizeof(*fifo));
	int status;

	if (!fifo)
		return refuse(err, path, ENOMEM, "no memory");
	fifo->owner = -1;
	fifo->path = absolute(path);
	status = fifo->path ? make(fifo->path, undo, &fifo->owner, err) :
			      refuse(err, path, errno, strerror(errno));
	if (status) {
		cyc_fifo_close(fifo);
		return status;
	}
	*ret = fifo;
	return 0;
}

void cyc_fifo_offer(struct cyc_fifo *fifo, char *(*text)(void *data, size_t *length), void *data)
{
	int64_t now_ns = rt_clock_ns(CLOCK_MONOTONIC);
	rt_auto_free char *status = NULL;
	size_t length = 0;
	int fd;

	if (now_ns < fifo->look_at_ns)
		return;
	fifo->look_at_ns = now_ns + LOOK_NS;
	fd = open(fifo->path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return; /* ENXIO: nobody reads */
	status = text(data, &length);
	/* A reader that is gone again, or too slow, gets what it gets. */
	if (status && write(fd, status, length) < 0)
		fifo->look_at_ns = now_ns + LOOK_NS;
	close(fd);
}

void cyc_fifo_close(struct cyc_fifo *fifo)
{
	if (!fifo)
		return;
	rt_close_fd(&fifo->owner);
	free(fifo->path);
	free(fifo);
}
