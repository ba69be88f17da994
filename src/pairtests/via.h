/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * via - what a mechanism of waking somebody is to the engine. A mechanism is one
 * file: how to make it, to post, to wait, to remove it.
 *
 * A way has one end that posts and one that waits; between two posts the waiter
 * has answered by the other way, so that at most one post is under way. All of
 * it lies in memory that forked ends share, and descriptors are opened before
 * they fork.
 */
#ifndef PAIR_VIA_H
#define PAIR_VIA_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "rt/compiler.h"
#include "rt/err.h"
#include "rt/undo.h"

/**
 * struct pair_way - one direction of a pair
 * @posted_ns:  when the poster was about to post, CLOCK_MONOTONIC; it changes with each post
 * @timeouts:   waits that ended by @timeout_ns; the waiter writes, others read
 * @disturbed:  hand-overs that something else than the post may have ended: no samples
 * @timeout_ns: heeded by message queues; 0: none
 * @is_back:    from receiver to sender
 * @is_shared:  between processes: a futex of threads alone is cheaper
 * the rest:    the mechanism's own
 */
struct pair_way {
	_Atomic int64_t posted_ns RT_CACHE_ALIGNED;
	uint64_t timeouts;
	uint64_t disturbed;
	int64_t timeout_ns;
	bool is_back;
	bool is_shared;

	_Atomic uint32_t word; /* futex, cond */
	int fd[2];             /* descriptors: [0] to wait on, [1] to post to */
	int id;                /* semaphores */
	pid_t poster_pid;
	pid_t waiter_pid, waiter_tid;
	sem_t sem;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
};

/**
 * struct pair_via - a mechanism
 * @name:  as --via takes it
 * @open:  by main, before any end exists; a half-opened way is closed again by itself
 * @enter: in the end, before the release: as its waiter or as its poster; may be NULL
 * @post:  wake the waiter: 0 or a negative errno
 * @wait:  for a post: 0; -EINTR; -ETIMEDOUT; -EAGAIN when something else woke it;
 *         another negative errno is a failure. A wait must end with -EINTR when the
 *         crew's wake-up signal comes, or on @wake
 * @wake:  by main at the end of the run, for mechanisms whose wait takes no signal
 * @close: by main, after all ends have gone
 */
struct pair_via {
	const char *name;
	int (*open)(struct pair_way *way, struct rt_undo *undo, struct rt_err *err);
	void (*enter)(struct pair_way *way, bool is_waiter);
	int (*post)(struct pair_way *way);
	int (*wait)(struct pair_way *way);
	void (*wake)(struct pair_way *way);
	void (*close)(struct pair_way *way);
};

extern const struct pair_via pair_via_signal, pair_via_mq, pair_via_ptsem, pair_via_svsem;
extern const struct pair_via pair_via_futex, pair_via_eventfd, pair_via_pipe, pair_via_unix;
extern const struct pair_via pair_via_cond;

#endif
