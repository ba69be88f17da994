/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -R: is the clock as fine as it says? Reads it again and again for about a
 * millisecond and takes the smallest step seen.
 */
#include <stdio.h>

#include "cyclictest.h"
#include "rt/log.h"
#include "rt/out.h"

#define READINGS_MIN 1000
#define READINGS_MAX 100000
#define SPAN_NS RT_NS_PER_MS
#define TRIAL 1000

static int64_t now(clockid_t clock)
{
	return rt_clock_ns(clock);
}

/* How many readings take about one millisecond. */
static unsigned int count_readings(clockid_t clock)
{
	int64_t start_ns = now(clock);
	int64_t trial_ns;

	for (unsigned int i = 0; i < TRIAL; i++)
		now(clock);
	trial_ns = now(clock) - start_ns;
	if (trial_ns <= 0)
		return READINGS_MAX;
	if (SPAN_NS * TRIAL / trial_ns > READINGS_MAX)
		return READINGS_MAX;
	if (SPAN_NS * TRIAL / trial_ns < READINGS_MIN)
		return READINGS_MIN;
	return (unsigned int)(SPAN_NS * TRIAL / trial_ns);
}

static int64_t smallest_step(const int64_t *readings, unsigned int count)
{
	int64_t smallest = INT64_MAX;

	for (unsigned int i = 1; i < count; i++) {
		int64_t step = readings[i] - readings[i - 1];

		if (step > 0 && step < smallest)
			smallest = step;
	}
	return smallest;
}

static void list(const int64_t *readings, unsigned int count)
{
	fprintf(rt_out_err(), "INFO: For %u consecutive calls to clock_gettime():\n", count);
	fprintf(rt_out_err(), "INFO: time, delta time (nsec)\n");
	for (unsigned int i = 0; i < count; i++)
		fprintf(rt_out_err(), "INFO: %lld.%09lld  %5lld\n",
			(long long)(readings[i] / RT_NS_PER_S),
			(long long)(readings[i] % RT_NS_PER_S),
			(long long)(i ? readings[i] - readings[i - 1] : 0));
}

void cyc_check_resolution(clockid_t clock, bool verbose, bool debug)
{
	unsigned int count = count_readings(clock);
	rt_auto_free int64_t *readings = malloc(count * sizeof(*readings));
	int64_t reported = rt_clock_resolution_ns(clock);
	int64_t measured;

	if (!readings) {
		rt_warn("no memory for the readings of --resolution, continuing without it");
		return;
	}
	for (unsigned int i = 0; i < count; i++)
		readings[i] = now(clock);
	measured = smallest_step(readings, count);
	if (measured > reported || verbose) {
		fprintf(rt_out_err(), "WARN: reported clock resolution: %lld nsec\n",
			(long long)reported);
		fprintf(rt_out_err(), "WARN: measured clock resolution approximately: %lld nsec\n",
			(long long)measured);
	}
	if (debug)
		list(readings, count);
}
