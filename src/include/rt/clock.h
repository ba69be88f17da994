/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock - 64-bit nanoseconds since a clock's own zero, and the clocks' names.
 */
#ifndef RT_CLOCK_H
#define RT_CLOCK_H

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "rt/compiler.h"
#include "rt/err.h"
#include "rt/units.h"

/* The kernel's auxiliary clocks (from 6.17, include/uapi/linux/time.h): ids 16 to 23. */
#define RT_CLOCK_AUX0 16
#define RT_CLOCK_AUX_COUNT 8

static inline int64_t rt_timespec_ns(const struct timespec *ts)
{
	return (int64_t)ts->tv_sec * RT_NS_PER_S + ts->tv_nsec;
}

/** rt_ns_timespec() - @ns must not be negative: a time to wait for or until */
static inline struct timespec rt_ns_timespec(int64_t ns)
{
	/* An unsigned division is shorter: this stands in measuring loops. */
	uint64_t seconds = (uint64_t)ns / (uint64_t)RT_NS_PER_S;
	struct timespec ts = {
		.tv_sec = (time_t)seconds,
		.tv_nsec = (long)(ns - (int64_t)seconds * RT_NS_PER_S),
	};

	return ts;
}

/** rt_clock_ns() - now; the clock has been probed, so it can't fail */
static inline int64_t rt_clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return rt_timespec_ns(&ts);
}

/**
 * rt_clock_sleep() - clock_nanosleep(2) without the C library's cancellation points
 * No thread of ours is ever cancelled, and the bookkeeping for it would be half
 * of what a measuring loop executes. On x86-64 even syscall(2)'s moving of its
 * arguments is saved.
 * Return: 0 or a positive errno: EINTR after a signal.
 */
static inline int rt_clock_sleep(clockid_t clock, int flags, const struct timespec *when)
{
#if defined(__x86_64__) && defined(__LP64__)
	register void *remain __asm__("r10") = NULL;
	long status;

	__asm__ volatile("syscall"
			 : "=a"(status)
			 : "0"((long)SYS_clock_nanosleep), "D"((long)clock), "S"((long)flags),
			   "d"(when), "r"(remain)
			 : "rcx", "r11", "memory");
	return (int)-status;
#elif defined(SYS_clock_nanosleep) && __SIZEOF_LONG__ == 8
	return rt_likely(syscall(SYS_clock_nanosleep, clock, flags, when, NULL) == 0) ? 0 : errno;
#else
	return clock_nanosleep(clock, flags, when, NULL);
#endif
}

/**
 * rt_clock_parse() - "monotonic", "realtime", "tai", "boottime", "aux0".."aux7", "0", "1"
 * "0" is monotonic and "1" realtime, as in this family of tools, unlike the kernel's ids.
 * Return: 0; -EINVAL with a sentence that lists the names.
 */
int rt_clock_parse(clockid_t *ret, const char *text, struct rt_err *err);

/** rt_clock_name() - the name as rt_clock_parse() takes it; "unknown" otherwise */
const char *rt_clock_name(clockid_t clock);

/**
 * rt_clock_probe() - does this kernel have the clock, and can one sleep on it?
 * Return: 0; -EINVAL or -EOPNOTSUPP with a sentence (RT_EXIT_MISSING).
 */
int rt_clock_probe(clockid_t clock, struct rt_err *err);

/** rt_clock_resolution_ns() - what clock_getres() reports; 0 if it fails */
int64_t rt_clock_resolution_ns(clockid_t clock);

#endif
