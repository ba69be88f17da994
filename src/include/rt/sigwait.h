/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sigwait - take a blocked signal, or come back when any other wakes the thread.
 *
 * A bare call: that of some C libraries (musl) goes back to sleep after a signal
 * that is not awaited, and whoever is to be woken by one would sleep for ever.
 */
#ifndef RT_SIGWAIT_H
#define RT_SIGWAIT_H

#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/**
 * rt_sigwait() - as sigtimedwait(2)
 * @set:     blocked in all threads
 * @info:    what came; may be NULL. Its si_code is the kernel's: SI_TKILL for tgkill(2)
 * @timeout: NULL: without end
 *
 * Return: the signal; -1 with errno: EINTR after any other signal, EAGAIN at the timeout.
 */
static inline int rt_sigwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	const size_t kernel_size = _NSIG / 8; /* sigset_t is larger */

#ifdef SYS_rt_sigtimedwait_time64
	/* 32-bit machines: struct timespec has 64-bit seconds, see _TIME_BITS */
	if (sizeof(long) == 4)
		return (int)syscall(SYS_rt_sigtimedwait_time64, set, info, timeout, kernel_size);
#endif
	return (int)syscall(SYS_rt_sigtimedwait, set, info, timeout, kernel_size);
}

#endif
