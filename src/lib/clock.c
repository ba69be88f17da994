/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock - the clocks' names, and whether this kernel has them.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "rt/clock.h"

/* The first row of a clock is its name; the others are what scripts write instead. */
static const struct {
	const char *name;
	clockid_t clock;
} clocks[] = {
	{ "monotonic", CLOCK_MONOTONIC },
	{ "realtime", CLOCK_REALTIME },
	{ "tai", CLOCK_TAI },
	{ "boottime", CLOCK_BOOTTIME },
	{ "aux0", RT_CLOCK_AUX0 },
	{ "aux1", RT_CLOCK_AUX0 + 1 },
	{ "aux2", RT_CLOCK_AUX0 + 2 },
	{ "aux3", RT_CLOCK_AUX0 + 3 },
	{ "aux4", RT_CLOCK_AUX0 + 4 },
	{ "aux5", RT_CLOCK_AUX0 + 5 },
	{ "aux6", RT_CLOCK_AUX0 + 6 },
	{ "aux7", RT_CLOCK_AUX0 + 7 },
	{ "0", CLOCK_MONOTONIC },
	{ "1", CLOCK_REALTIME },
};

int rt_clock_parse(clockid_t *ret, const char *text, struct rt_err *err)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(clocks); i++) {
		if (strcmp(clocks[i].name, text) == 0) {
			*ret = clocks[i].clock;
			return 0;
		}
	}
	return rt_err_set(err, RT_EXIT_USAGE, EINVAL,
			  "'%s' is not a clock; give monotonic (or 0), realtime (or 1), tai, "
			  "boottime, or aux0 to aux7", text);
}

const char *rt_clock_name(clockid_t clock)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(clocks); i++)
		if (clocks[i].clock == clock)
			return clocks[i].name;
	/* Read by tools that follow the scheduler's clock; nobody can sleep on it. */
	return clock == CLOCK_MONOTONIC_RAW ? "monotonic_raw" : "unknown";
}

static bool is_aux(clockid_t clock)
{
	return clock >= RT_CLOCK_AUX0 && clock < RT_CLOCK_AUX0 + RT_CLOCK_AUX_COUNT;
}

/* The clock could not be read: why? */
static int explain_read(clockid_t clock, int code, struct rt_err *err)
{
	if (is_aux(clock) && code == ENODEV)
		return rt_err_set(err, RT_EXIT_MISSING, EINVAL,
				  "clock %s is switched off; root can switch it on with "
				  "'echo 1 > /sys/kernel/time/aux_clocks/%d/aux_clock_enable'",
				  rt_clock_name(clock), (int)clock - RT_CLOCK_AUX0);
	if (is_aux(clock))
		return rt_err_set(err, RT_EXIT_MISSING, EINVAL,
				  "this kernel has no clock %s: %s; it needs Linux 6.17 or later, "
				  "built with CONFIG_POSIX_AUX_CLOCKS",
				  rt_clock_name(clock), strerror(code));
	return rt_err_set(err, RT_EXIT_MISSING, EINVAL, "this kernel has no clock %s (id %d): %s",
			  rt_clock_name(clock), (int)clock, strerror(code));
}

int rt_clock_probe(clockid_t clock, struct rt_err *err)
{
	/* Long past on every clock, so that the sleep ends at once. */
	const struct timespec passed = { 0, 1 };
	struct timespec now;
	int code;

	if (clock_gettime(clock, &now) < 0)
		return explain_read(clock, errno, err);

	/* An interruption by a signal shows as well that one can sleep. */
	code = clock_nanosleep(clock, TIMER_ABSTIME, &passed, NULL);
	if (!code || code == EINTR)
		return 0;
	return rt_err_set(err, RT_EXIT_MISSING, code == EINVAL ? EINVAL : EOPNOTSUPP,
			  "this kernel cannot sleep on clock %s: %s; a run can use monotonic instead",
			  rt_clock_name(clock), strerror(code));
}

int64_t rt_clock_resolution_ns(clockid_t clock)
{
	struct timespec res;

	return clock_getres(clock, &res) < 0 ? 0 : rt_timespec_ns(&res);
}
