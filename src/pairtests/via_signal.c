/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals to one thread: SIGUSR2 forth, SIGUSR1 back, taken by a synchronous wait.
 *
 * Anybody may send these signals, too. Only the partner's count; and since a
 * second pending signal to the same thread is dropped, a foreign one may stand
 * for the partner's: the engine looks whether there was a post.
 */
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>

#include "rt/sched.h"
#include "rt/sigwait.h"
#include "via.h"

static int signal_of(const struct pair_way *way)
{
	return way->is_back ? SIGUSR1 : SIGUSR2;
}

/* Both are blocked in all ends, which inherit main's mask, before the first one exists. */
static int open_way(struct pair_way *way, struct rt_undo *undo RT_UNUSED, struct rt_err *err)
{
	sigset_t set;
	int code;

	sigemptyset(&set);
	sigaddset(&set, signal_of(way));
	code = pthread_sigmask(SIG_BLOCK, &set, NULL);
	return code ? rt_err_set(err, RT_EXIT_FAILED, code, "cannot block signals") : 0;
}

static void enter(struct pair_way *way, bool is_waiter)
{
	if (is_waiter) {
		way->waiter_pid = getpid();
		way->waiter_tid = rt_gettid();
	} else {
		way->poster_pid = getpid();
	}
}

static int post(struct pair_way *way)
{
	long failed = syscall(SYS_tgkill, way->waiter_pid, way->waiter_tid, signal_of(way));

	return rt_unlikely(failed) ? -errno : 0;
}

static int wait_signal(struct pair_way *way)
{
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal_of(way));
	if (rt_unlikely(rt_sigwait(&set, &info, NULL) < 0))
		return -errno;
	return info.si_pid == way->poster_pid ? 0 : -EAGAIN;
}

static void close_way(struct pair_way *way RT_UNUSED)
{
}

const struct pair_via pair_via_signal = {
	.name = "signal",
	.open = open_way,
	.enter = enter,
	.post = post,
	.wait = wait_signal,
	.close = close_way,
};
