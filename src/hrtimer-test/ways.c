/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ways to sleep that the kernel's high-resolution timers serve.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "hrtimer.h"
#include "rt/clock.h"
#include "rt/cpuset.h"
#include "rt/futex.h"
#include "rt/sched.h"
#include "rt/sigwait.h"

#define MONOTONIC 1u /* bits, in the order of hrt_clock_ids */
#define REALTIME 2u
#define BOOTTIME 4u
#define TAI 8u
#define ALL (MONOTONIC | REALTIME | BOOTTIME | TAI)

#define DEADLINE_MIN_NS (100 * RT_NS_PER_US) /* the kernel's default shortest period */
#define DEADLINE_RUNTIME_NS (20 * RT_NS_PER_US)

/* 1 expiry; 0 interrupted; negative errno */
static int64_t outcome(int error)
{
	return error == 0 ? 1 : error == EINTR ? 0 : -error;
}

/* ---- clock_nanosleep(2) ------------------------------------------------------------ */

static int64_t nanosleep_relative(struct hrt_timer *t, int64_t target_ns RT_UNUSED)
{
	struct timespec span = rt_ns_timespec(t->period_ns);

	return outcome(rt_clock_sleep(t->clock, 0, &span));
}

static int64_t nanosleep_absolute(struct hrt_timer *t, int64_t target_ns)
{
	struct timespec when = rt_ns_timespec(target_ns);

	return outcome(rt_clock_sleep(t->clock, TIMER_ABSTIME, &when));
}

/* ---- timerfd_create(2) ---------------------------------------------------------------- */

static int arm_timerfd(struct hrt_timer *t)
{
	struct itimerspec every = { rt_ns_timespec(t->period_ns), rt_ns_timespec(t->period_ns) };

	t->fd = timerfd_create(t->clock, TFD_CLOEXEC);
	if (t->fd < 0 || timerfd_settime(t->fd, 0, &every, NULL) < 0)
		return -errno;
	return 0;
}

static int64_t sleep_timerfd(struct hrt_timer *t, int64_t target_ns RT_UNUSED)
{
	uint64_t expirations;

	if (read(t->fd, &expirations, sizeof(expirations)) < 0)
		return outcome(errno);
	return (int64_t)expirations;
}

static void close_fd(struct hrt_timer *t)
{
	rt_close_fd(&t->fd);
	t->fd = -1;
}

/* ---- signals: timer_create(2), setitimer(2) ------------------------------------------------ */

/* Blocked in all threads; what is left over from a timer before is no expiry. */
static void drop_signals(struct hrt_timer *t)
{
	const struct timespec now = { 0 };

	sigemptyset(&t->signals);
	sigaddset(&t->signals, SIGALRM);
	while (rt_sigwait(&t->signals, NULL, &now) == SIGALRM)
		;
}

static int arm_posix(struct hrt_timer *t)
{
	struct itimerspec every = { rt_ns_timespec(t->period_ns), rt_ns_timespec(t->period_ns) };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };

	drop_signals(t);
	if (timer_create(t->clock, &event, &t->timer) < 0)
		return -errno;
	t->is_armed = true;
	return timer_settime(t->timer, 0, &every, NULL) < 0 ? -errno : 0;
}

static int64_t sleep_posix(struct hrt_timer *t, int64_t target_ns RT_UNUSED)
{
	siginfo_t info;

	if (rt_sigwait(&t->signals, &info, NULL) < 0)
		return outcome(errno);
	return 1 + (int64_t)info.si_overrun;
}

static void disarm_posix(struct hrt_timer *t)
{
	if (t->is_armed)
		timer_delete(t->timer);
	t->is_armed = false;
	drop_signals(t);
}

static int arm_setitimer(struct hrt_timer *t)
{
	struct timeval period = { .tv_sec = t->period_ns / RT_NS_PER_S,
				  .tv_usec = t->period_ns % RT_NS_PER_S / RT_NS_PER_US };
	struct itimerval every = { period, period };

	drop_signals(t);
	return setitimer(ITIMER_REAL, &every, NULL) < 0 ? -errno : 0;
}

/* Where the kernel does not tell, whole periods of lateness are taken for expiries. */
static int64_t reckon(struct hrt_timer *t, int64_t target_ns)
{
	int64_t late_ns = rt_clock_ns(t->clock) - target_ns;
	int64_t passed = late_ns > t->period_ns ? late_ns / t->period_ns : 0;

	t->unsure += passed;
	return 1 + passed;
}

/* The kernel arms it anew when the signal is taken and does not tell what it left out. */
static int64_t sleep_setitimer(struct hrt_timer *t, int64_t target_ns)
{
	if (rt_sigwait(&t->signals, NULL, NULL) < 0)
		return outcome(errno);
	return reckon(t, target_ns);
}

static void disarm_setitimer(struct hrt_timer *t)
{
	const struct itimerval never = { 0 };

	setitimer(ITIMER_REAL, &never, NULL);
	drop_signals(t);
}

/* ---- time-outs: poll(2), epoll_wait(2), futex(2) ------------------------------------------------ */

static int64_t sleep_poll(struct hrt_timer *t, int64_t target_ns RT_UNUSED)
{
	struct timespec span = rt_ns_timespec(t->period_ns);

	return ppoll(NULL, 0, &span, NULL) < 0 ? outcome(errno) : 1;
}

static int arm_epoll(struct hrt_timer *t)
{
	if (t->fd < 0)
		t->fd = epoll_create1(EPOLL_CLOEXEC);
	return t->fd < 0 ? -errno : 0;
}

static int64_t sleep_epoll(struct hrt_timer *t, int64_t target_ns RT_UNUSED)
{
	struct epoll_event event;
	int status = arm_epoll(t);

	if (status)
		return status;
	return epoll_wait(t->fd, &event, 1, (int)(t->period_ns / RT_NS_PER_MS)) < 0 ?
		       outcome(errno) : 1;
}

static int64_t sleep_futex(struct hrt_timer *t, int64_t target_ns)
{
	int op = FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG |
		 (t->clock == CLOCK_REALTIME ? FUTEX_CLOCK_REALTIME : 0);
	struct timespec when = rt_ns_timespec(target_ns);

#ifdef SYS_futex_time64
	if (sizeof(long) == 4)
		syscall(SYS_futex_time64, &t->word, op, 0, &when, NULL, FUTEX_BITSET_MATCH_ANY);
	else
#endif
		syscall(SYS_futex, &t->word, op, 0, &when, NULL, FUTEX_BITSET_MATCH_ANY);
	return errno == ETIMEDOUT ? 1 : outcome(errno);
}

/* ---- SCHED_DEADLINE: sched_yield(2) gives the rest of a period back ---------------------------------- */

/* The kernel takes no deadline thread that is pinned to a part of its CPUs. */
static int arm_deadline(struct hrt_timer *t)
{
	struct rt_sched sched = { .policy = RT_POLICY_DEADLINE, .runtime_ns = DEADLINE_RUNTIME_NS,
				  .deadline_ns = (uint64_t)t->period_ns,
				  .period_ns = (uint64_t)t->period_ns };
	struct rt_cpuset all = RT_CPUSET_INIT;
	int status = rt_sched_get(0, &t->before);

	if (!status)
		status = rt_cpuset_affinity(&t->mask, 0);
	if (!status)
		status = rt_cpuset_possible(&all);
	if (!status)
		status = rt_cpuset_pin(0, &all);
	rt_cpuset_done(&all);
	if (!status)
		status = rt_sched_setattr(0, &sched);
	t->is_armed = !status;
	if (!status)
		sched_yield(); /* from here on it wakes at the beginnings of its periods */
	return status;
}

static int64_t sleep_deadline(struct hrt_timer *t, int64_t target_ns)
{
	sched_yield();
	return reckon(t, target_ns);
}

static void disarm_deadline(struct hrt_timer *t)
{
	if (t->is_armed)
		rt_sched_setattr(0, &t->before);
	t->is_armed = false;
	if (rt_cpuset_count(&t->mask))
		rt_cpuset_pin(0, &t->mask);
	rt_cpuset_done(&t->mask);
}

const struct hrt_way hrt_ways[HRT_WAYS] = {
	{ "nanosleep", ALL, 1, 1, false, NULL, nanosleep_relative, NULL },
	{ "nanosleep-abs", ALL, 1, 1, false, NULL, nanosleep_absolute, NULL },
	{ "timerfd", MONOTONIC | REALTIME | BOOTTIME, 1, 1, false, arm_timerfd, sleep_timerfd,
	  close_fd },
	{ "posix", ALL, 1, 1, false, arm_posix, sleep_posix, disarm_posix },
	{ "setitimer", MONOTONIC, RT_NS_PER_US, RT_NS_PER_US, false, arm_setitimer,
	  sleep_setitimer, disarm_setitimer },
	{ "poll", MONOTONIC, 1, 1, false, NULL, sleep_poll, NULL },
	{ "epoll", MONOTONIC, RT_NS_PER_MS, RT_NS_PER_MS, false, NULL, sleep_epoll, close_fd },
	{ "futex", MONOTONIC | REALTIME, 1, 1, false, NULL, sleep_futex, NULL },
	{ "deadline", MONOTONIC, 1, DEADLINE_MIN_NS, true, arm_deadline, sleep_deadline,
	  disarm_deadline },
};
