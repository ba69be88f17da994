/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System V semaphores, a set of one for each direction. A set can't be removed
 * while it is in use, so its random key is journalled until the end.
 */
#include <errno.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/random.h>
#include <sys/sem.h>

#include "via.h"

#define KEY_TRIES 100

static int refuse(int code, struct rt_err *err)
{
	if (code == ENOSPC)
		return rt_err_set(err, RT_EXIT_MISSING, code,
				  "cannot make a semaphore set: there are as many as the kernel "
				  "allows, see /proc/sys/kernel/sem (semaphores in all, sets); raise "
				  "it or use fewer pairs");
	if (code == ENOSYS)
		return rt_err_set(err, RT_EXIT_MISSING, code,
				  "this kernel has no System V semaphores (CONFIG_SYSVIPC)");
	return rt_err_set(err, RT_EXIT_FAILED, code, "cannot make a semaphore set: %s",
			  strerror(code));
}

/* 0; -EEXIST: somebody has that key already */
static int try_key(struct pair_way *way, struct rt_undo *undo, struct rt_err *err)
{
	key_t key;
	int status;

	if (getrandom(&key, sizeof(key), 0) != sizeof(key))
		return rt_err_set(err, RT_EXIT_FAILED, EIO, "no random numbers for a key");
	if (key == IPC_PRIVATE)
		return -EEXIST;
	status = rt_undo_sem(undo, key, err);
	if (status)
		return status;
	way->id = semget(key, 1, IPC_CREAT | IPC_EXCL | 0600);
	if (way->id >= 0)
		return 0;
	status = -errno;
	rt_undo_forget(undo);
	return status == -EEXIST ? status : refuse(-status, err);
}

static int open_way(struct pair_way *way, struct rt_undo *undo, struct rt_err *err)
{
	int status = -EEXIST;

	for (int i = 0; i < KEY_TRIES && status == -EEXIST; i++)
		status = try_key(way, undo, err);
	if (status == -EEXIST)
		rt_err_set(err, RT_EXIT_FAILED, EEXIST, "no key is free for a semaphore set");
	return status;
}

static int change(struct pair_way *way, short by)
{
	struct sembuf operation = { .sem_num = 0, .sem_op = by };

	return rt_unlikely(semop(way->id, &operation, 1)) ? -errno : 0;
}

static int post(struct pair_way *way)
{
	return change(way, 1);
}

static int wait_semaphore(struct pair_way *way)
{
	return change(way, -1);
}

/* The set itself goes with the undo list. */
static void close_way(struct pair_way *way RT_UNUSED)
{
}

const struct pair_via pair_via_svsem = {
	.name = "svsem",
	.open = open_way,
	.post = post,
	.wait = wait_semaphore,
	.close = close_way,
};
