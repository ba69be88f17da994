/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A condition variable with a priority-inheritance mutex. Its wait takes no
 * signal, so main closes the way at the end; the mutex is robust, so that an
 * end that was killed while it held it stops nobody.
 */
#include <errno.h>
#include <string.h>

#include "via.h"

/* What the word says. */
enum { COND_IDLE, COND_POSTED, COND_CLOSED };

static int sharing(const struct pair_way *way)
{
	return way->is_shared ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE;
}

static int make_mutex(struct pair_way *way)
{
	pthread_mutexattr_t attr;
	int code = pthread_mutexattr_init(&attr);

	if (code)
		return code;
	code = pthread_mutexattr_setpshared(&attr, sharing(way));
	if (!code)
		code = pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	if (!code)
		code = pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	if (!code)
		code = pthread_mutex_init(&way->mutex, &attr);
	pthread_mutexattr_destroy(&attr);
	return code;
}

static int make_cond(struct pair_way *way)
{
	pthread_condattr_t attr;
	int code = pthread_condattr_init(&attr);

	if (code)
		return code;
	code = pthread_condattr_setpshared(&attr, sharing(way));
	if (!code)
		code = pthread_cond_init(&way->cond, &attr);
	pthread_condattr_destroy(&attr);
	return code;
}

static int open_way(struct pair_way *way, struct rt_undo *undo RT_UNUSED, struct rt_err *err)
{
	int code = make_mutex(way);

	if (code)
		return rt_err_set(err, code == ENOTSUP ? RT_EXIT_MISSING : RT_EXIT_FAILED, code,
				  "cannot make a priority-inheritance mutex: %s", strerror(code));
	code = make_cond(way);
	if (code)
		return rt_err_set(err, RT_EXIT_FAILED, code,
				  "cannot make a condition variable: %s", strerror(code));
	atomic_init(&way->word, COND_IDLE);
	return 0;
}

static uint32_t word_of(const struct pair_way *way)
{
	return atomic_load_explicit(&way->word, memory_order_relaxed);
}

static int held(struct pair_way *way, int code)
{
	return code == EOWNERDEAD ? pthread_mutex_consistent(&way->mutex) : code;
}

static int say(struct pair_way *way, uint32_t word)
{
	int code = held(way, pthread_mutex_lock(&way->mutex));

	if (rt_unlikely(code))
		return -code;
	if (word_of(way) != COND_CLOSED)
		atomic_store_explicit(&way->word, word, memory_order_relaxed);
	pthread_cond_signal(&way->cond);
	pthread_mutex_unlock(&way->mutex);
	return 0;
}

static int post(struct pair_way *way)
{
	return say(way, COND_POSTED);
}

static int wait_cond(struct pair_way *way)
{
	int code = held(way, pthread_mutex_lock(&way->mutex));
	bool is_posted;

	if (rt_unlikely(code))
		return -code;
	while (!code && word_of(way) == COND_IDLE)
		code = held(way, pthread_cond_wait(&way->cond, &way->mutex));
	is_posted = word_of(way) == COND_POSTED;
	if (is_posted)
		atomic_store_explicit(&way->word, COND_IDLE, memory_order_relaxed);
	pthread_mutex_unlock(&way->mutex);
	return code ? -code : is_posted ? 0 : -EINTR;
}

static void wake(struct pair_way *way)
{
	say(way, COND_CLOSED);
}

/* It goes with its memory: a killed waiter would be waited for by a destroying call. */
static void close_way(struct pair_way *way RT_UNUSED)
{
}

const struct pair_via pair_via_cond = {
	.name = "cond",
	.open = open_way,
	.post = post,
	.wait = wait_cond,
	.wake = wake,
	.close = close_way,
};
