/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The C library's semaphores: what the peer does with mutexes that one thread
 * locks and the other unlocks, in the way that POSIX allows. Either is a futex below.
 */
#include <errno.h>
#include <string.h>

#include "via.h"

static int open_way(struct pair_way *way, struct rt_undo *undo RT_UNUSED, struct rt_err *err)
{
	if (sem_init(&way->sem, way->is_shared, 0))
		return rt_err_set(err, RT_EXIT_FAILED, errno, "cannot make a semaphore: %s",
				  strerror(errno));
	return 0;
}

static int post(struct pair_way *way)
{
	return rt_unlikely(sem_post(&way->sem)) ? -errno : 0;
}

static int wait_semaphore(struct pair_way *way)
{
	return rt_unlikely(sem_wait(&way->sem)) ? -errno : 0;
}

static void close_way(struct pair_way *way)
{
	sem_destroy(&way->sem);
}

const struct pair_via pair_via_ptsem = {
	.name = "ptsem",
	.open = open_way,
	.post = post,
	.wait = wait_semaphore,
	.close = close_way,
};
