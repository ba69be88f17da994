/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compiler - the few attributes and idioms that every room uses.
 */
#ifndef RT_COMPILER_H
#define RT_COMPILER_H

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

/* The compiler checks the arguments of a printf-like function. */
#define RT_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))

#define RT_UNUSED __attribute__((unused))

/*
 * What one measuring thread writes lies alone in its cache lines. 128 and not
 * 64, since x86 fetches lines in pairs and some arm64 cores have 128.
 */
#define RT_CACHE_LINE 128
#define RT_CACHE_ALIGNED __attribute__((aligned(RT_CACHE_LINE)))

/* A measuring function is built once per set of features: all is constant in it. */
#define RT_INLINE static inline __attribute__((always_inline))

#define rt_likely(x) __builtin_expect(!!(x), 1)
#define rt_unlikely(x) __builtin_expect(!!(x), 0)

#define RT_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static inline void rt_free_ptr(void *p)
{
	free(*(void **)p);
}

static inline void rt_close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/* Locals that clean up after themselves; rt_take() moves a pointer out of one. */
#define rt_auto_free __attribute__((cleanup(rt_free_ptr)))
#define rt_auto_close __attribute__((cleanup(rt_close_fd)))
#define rt_take(p)                          \
	__extension__({                     \
		__typeof__(p) taken_ = (p); \
		(p) = NULL;                 \
		taken_;                     \
	})

#endif
