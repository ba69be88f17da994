/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A worker: it passes its messages, one system call each as long as they go
 * through whole.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "hackbench.h"

/* Messages are written and read whole: what went short is continued. */
static int write_message(int fd, const char *message, size_t size, const struct rt_run *run)
{
	size_t done = 0;

	do {
		ssize_t length = write(fd, message + done, size - done);

		if (rt_likely(length > 0))
			done += (size_t)length;
		else if (length < 0 && (errno != EINTR || rt_run_over(run)))
			return -errno;
	} while (rt_unlikely(done < size));
	return 0;
}

static int read_message(int fd, char *message, size_t size, const struct rt_run *run)
{
	size_t done = 0;

	do {
		ssize_t length = read(fd, message + done, size - done);

		if (rt_likely(length > 0))
			done += (size_t)length;
		else if (length == 0)
			return -EPIPE; /* the other side has gone before its time */
		else if (errno != EINTR || rt_run_over(run))
			return -errno;
	} while (rt_unlikely(done < size));
	return 0;
}

/* To each channel of the group in turn. */
static int send_all(struct hb_worker *w, const char *message)
{
	const struct hb_plan *plan = w->team->plan;
	const struct rt_run *run = w->team->run;

	for (uint64_t loop = 0; loop < plan->loops; loop++) {
		for (unsigned int i = 0; i < plan->fds; i++) {
			int status = write_message(w->fds[i], message, plan->datasize, run);

			if (status < 0 || rt_run_over(run))
				return status;
		}
	}
	return 0;
}

/* What all senders of the group have for this receiver. */
static int receive_all(struct hb_worker *w, char *message)
{
	const struct hb_plan *plan = w->team->plan;
	const struct rt_run *run = w->team->run;
	uint64_t count = plan->fds * plan->loops;

	for (uint64_t i = 0; i < count; i++) {
		int status = read_message(w->fd, message, plan->datasize, run);

		if (status < 0 || rt_run_over(run))
			return status;
	}
	return 0;
}

/*
 * Waiters at a descriptor are woken last come, first served: the senders run
 * before the receivers, and fill the channels. With another order the same
 * messages take more switches, and times could not be compared with those that
 * people have noted for years.
 */
static void get_ready(struct hb_team *team)
{
	struct pollfd go = { .fd = team->go_fd, .events = POLLIN };

	if (atomic_fetch_add(&team->shared->ready, 1) + 1 == team->plan->tasks)
		rt_run_wake(team->run);
	while (poll(&go, 1, -1) != 1)
		; /* a signal */
}

int hb_work(struct hb_worker *w, struct rt_err *err)
{
	const char *role = w->is_sender ? "sender" : "receiver";
	size_t size = w->team->plan->datasize;
	rt_auto_free char *message = NULL;
	int status;

	/* Receivers write here: no two of them into one cache line. */
	if (posix_memalign((void **)&message, RT_CACHE_LINE, size))
		return rt_err_set(err, RT_EXIT_FAILED, ENOMEM,
				  "%s %u of group %u has no memory for messages of %zu bytes", role,
				  w->index, w->group, size);
	memset(message, 0, size);
	get_ready(w->team);
	status = w->is_sender ? send_all(w, message) : receive_all(w, message);
	if (status == 0 || rt_run_over(w->team->run))
		return 0;
	return rt_err_set(err, RT_EXIT_FAILED, status, "%s %u of group %u cannot %s: %s", role,
			  w->index, w->group, w->is_sender ? "send" : "receive",
			  status == -EPIPE || status == -ECONNRESET ? "the other side has gone"
								   : strerror(-status));
}
