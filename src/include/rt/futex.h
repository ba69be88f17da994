/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * futex - wait for a word to change, and wake those who wait for it.
 *
 * Bare calls, since no C library offers them. A wait may return early: after a
 * signal, or when the word had changed already; callers look at the word again.
 */
#ifndef RT_FUTEX_H
#define RT_FUTEX_H

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "rt/compiler.h"

/** enum rt_futex_scope - who waits: threads of one process (cheaper), or processes too */
enum rt_futex_scope { RT_FUTEX_SHARED = 0, RT_FUTEX_PRIVATE = FUTEX_PRIVATE_FLAG };

/** rt_futex() - the call itself; the result of syscall(2): -1 with errno set on failure */
static inline long rt_futex(_Atomic uint32_t *word, int op, uint32_t value,
			    const struct timespec *timeout)
{
#ifdef SYS_futex_time64
	/* 32-bit machines: struct timespec has 64-bit seconds, see _TIME_BITS */
	if (sizeof(long) == 4)
		return syscall(SYS_futex_time64, word, op, value, timeout, NULL, 0);
#endif
	return syscall(SYS_futex, word, op, value, timeout, NULL, 0);
}

/** rt_futex_wait() - sleep while the word is @seen; @timeout NULL: without end */
static inline void rt_futex_wait(_Atomic uint32_t *word, uint32_t seen,
				 const struct timespec *timeout, enum rt_futex_scope scope)
{
	rt_futex(word, FUTEX_WAIT | (int)scope, seen, timeout);
}

/** rt_futex_wake() - up to @count of those who sleep at the word; INT_MAX: all */
static inline void rt_futex_wake(_Atomic uint32_t *word, int count, enum rt_futex_scope scope)
{
	rt_futex(word, FUTEX_WAKE | (int)scope, (uint32_t)count, NULL);
}

#endif
