/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The measuring loops that sleep: until a time, for a time, and with nanosleep(2).
 *
 * A sleep is interrupted only by the crew's wake-up at the end of the run.
 */
#include <errno.h>
#include <string.h>

#include "measure.h"

static int sleep_failed(int code, struct rt_err *err)
{
	return rt_err_set(err, RT_EXIT_FAILED, code, "cannot sleep: %s", strerror(code));
}

/* Until the next point of the grid: what came late does not move the grid. */
RT_INLINE int absolute(struct cyc_thread *t, struct rt_err *err, unsigned int features)
{
	const struct rt_run *run = t->run;
	const clockid_t clock = t->clock;
	int64_t wake_ns = cyc_first_wake(t);

	while (!rt_run_over(run)) {
		struct timespec wake = rt_ns_timespec(wake_ns);
		int code = rt_clock_sleep(clock, TIMER_ABSTIME, &wake);
		int64_t now_ns = rt_clock_ns(clock);

		if (rt_unlikely(code)) {
			if (code == EINTR)
				continue;
			return sleep_failed(code, err);
		}
		cyc_sample(t, wake_ns, now_ns, features);
		wake_ns = cyc_next(t, wake_ns, now_ns);
	}
	return 0;
}

/* For one interval from now: the reading of the clock before it is part of what is measured. */
RT_INLINE int relative(struct cyc_thread *t, struct rt_err *err, unsigned int features)
{
	const struct rt_run *run = t->run;
	const clockid_t clock = t->clock;
	const struct timespec interval = rt_ns_timespec(t->interval_ns);

	while (!rt_run_over(run)) {
		int64_t wake_ns = rt_clock_ns(clock) + t->interval_ns;
		int code = rt_clock_sleep(clock, 0, &interval);
		int64_t now_ns = rt_clock_ns(clock);

		if (rt_unlikely(code)) {
			if (code == EINTR)
				continue;
			return sleep_failed(code, err);
		}
		cyc_sample(t, wake_ns, now_ns, features);
	}
	return 0;
}

/* The same with the older call, which knows no clock. */
RT_INLINE int system_sleep(struct cyc_thread *t, struct rt_err *err, unsigned int features)
{
	const struct rt_run *run = t->run;
	const clockid_t clock = t->clock;
	const struct timespec interval = rt_ns_timespec(t->interval_ns);

	while (!rt_run_over(run)) {
		int64_t wake_ns = rt_clock_ns(clock) + t->interval_ns;
		int failed = nanosleep(&interval, NULL);
		int64_t now_ns = rt_clock_ns(clock);

		if (rt_unlikely(failed)) {
			if (errno == EINTR)
				continue;
			return sleep_failed(errno, err);
		}
		cyc_sample(t, wake_ns, now_ns, features);
	}
	return 0;
}

CYC_VARIANTS(cyc_measure_absolute, absolute)
CYC_VARIANTS(cyc_measure_relative, relative)
CYC_VARIANTS(cyc_measure_system, system_sleep)
