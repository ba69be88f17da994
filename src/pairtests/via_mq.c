/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * POSIX message queues of one short message each. A queue has a random name for
 * the moment of its making; its ends inherit the descriptor.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <mqueue.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "rt/clock.h"
#include "via.h"

#define MESSAGE_SIZE 8

static const char message[MESSAGE_SIZE] = "handover";

/* The same errno stands for two limits. */
static int refuse_full(int code, struct rt_err *err)
{
	struct rlimit limit = { 0 };
	rt_auto_close int probe = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (probe < 0)
		return rt_err_set(err, RT_EXIT_MISSING, code,
				  "cannot open a message queue: no more descriptors; raise "
				  "RLIMIT_NOFILE ('ulimit -n') or use fewer pairs");
	getrlimit(RLIMIT_MSGQUEUE, &limit);
	return rt_err_set(err, RT_EXIT_MISSING, code,
			  "cannot open a message queue: the user's queues pass RLIMIT_MSGQUEUE "
			  "('ulimit -q', now %ju bytes); raise it or use fewer pairs",
			  (uintmax_t)limit.rlim_cur);
}

static int refuse(int code, struct rt_err *err)
{
	if (code == EMFILE)
		return refuse_full(code, err);
	if (code == ENOSPC)
		return rt_err_set(err, RT_EXIT_MISSING, code,
				  "cannot open a message queue: there are as many as "
				  "/proc/sys/fs/mqueue/queues_max allows; raise it or use fewer "
				  "pairs");
	if (code == ENOSYS)
		return rt_err_set(err, RT_EXIT_MISSING, code,
				  "this kernel has no POSIX message queues (CONFIG_POSIX_MQUEUE)");
	return rt_err_set(err, RT_EXIT_FAILED, code, "cannot open a message queue: %s",
			  strerror(code));
}

static int open_way(struct pair_way *way, struct rt_undo *undo, struct rt_err *err)
{
	struct mq_attr attr = { .mq_maxmsg = 1, .mq_msgsize = MESSAGE_SIZE };
	char name[RT_UNDO_NAME_MAX];
	int status = rt_undo_random_name(name);

	if (status)
		return rt_err_set(err, RT_EXIT_FAILED, status, "cannot name a message queue");
	status = rt_undo_mq(undo, name, err);
	if (status)
		return status;
	way->fd[0] = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attr);
	status = way->fd[0] < 0 ? refuse(errno, err) : 0;
	if (!status)
		mq_unlink(name);
	rt_undo_forget(undo);
	return status;
}

static int post(struct pair_way *way)
{
	return rt_unlikely(mq_send(way->fd[0], message, MESSAGE_SIZE, 1)) ? -errno : 0;
}

static ssize_t receive_timed(struct pair_way *way, char *text)
{
	/* The call knows no other clock. */
	struct timespec until = rt_ns_timespec(rt_clock_ns(CLOCK_REALTIME) + way->timeout_ns);

	return mq_timedreceive(way->fd[0], text, MESSAGE_SIZE, NULL, &until);
}

static int wait_message(struct pair_way *way)
{
	char text[MESSAGE_SIZE];
	ssize_t length = way->timeout_ns ? receive_timed(way, text) :
					   mq_receive(way->fd[0], text, MESSAGE_SIZE, NULL);

	return rt_unlikely(length < 0) ? -errno : 0;
}

static void close_way(struct pair_way *way)
{
	if (way->fd[0] >= 0)
		mq_close(way->fd[0]);
}

const struct pair_via pair_via_mq = {
	.name = "mq",
	.open = open_way,
	.post = post,
	.wait = wait_message,
	.close = close_way,
};
