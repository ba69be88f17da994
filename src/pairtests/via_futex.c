/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bare futex: the least that waking somebody takes.
 */
#include <errno.h>

#include "rt/futex.h"
#include "via.h"

static int open_way(struct pair_way *way, struct rt_undo *undo RT_UNUSED,
		    struct rt_err *err RT_UNUSED)
{
	atomic_init(&way->word, 0);
	return 0;
}

static enum rt_futex_scope scope_of(const struct pair_way *way)
{
	return way->is_shared ? RT_FUTEX_SHARED : RT_FUTEX_PRIVATE;
}

static int post(struct pair_way *way)
{
	atomic_store_explicit(&way->word, 1, memory_order_release);
	rt_futex_wake(&way->word, 1, scope_of(way));
	return 0;
}

static int wait_word(struct pair_way *way)
{
	while (!atomic_exchange_explicit(&way->word, 0, memory_order_acquire))
		if (rt_unlikely(rt_futex(&way->word, FUTEX_WAIT | (int)scope_of(way), 0, NULL) &&
				errno != EAGAIN))
			return -errno;
	return 0;
}

static void close_way(struct pair_way *way RT_UNUSED)
{
}

const struct pair_via pair_via_futex = {
	.name = "futex",
	.open = open_way,
	.post = post,
	.wait = wait_word,
	.close = close_way,
};
