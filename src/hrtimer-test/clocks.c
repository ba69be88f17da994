/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clocks by themselves: what they report, how fine they step, how they drift, and
 * whether somebody set them meanwhile.
 */
#include "hrtimer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt/clock.h"

#define OFFSET_TRIES 9
#define STEP_READINGS 10000
#define DRIFT_MIN_NS (200 * RT_NS_PER_MS)
#define STEERED_PPM 1000  /* NTP slews by 500 at most; twice that leaves room */
#define READING_NS (200 * RT_NS_PER_US) /* an offset may be read this badly on a busy machine */

const clockid_t hrt_clock_ids[HRT_CLOCKS] = { CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_BOOTTIME,
					      CLOCK_TAI };

/* The reading between two of the other clock that lie nearest. */
static int64_t offset_to(clockid_t id, clockid_t other, int64_t *ret_other_ns)
{
	int64_t best = INT64_MAX, offset = 0;

	for (int i = 0; i < OFFSET_TRIES; i++) {
		int64_t before = rt_clock_ns(other), now = rt_clock_ns(id);
		int64_t after = rt_clock_ns(other);

		if (after - before >= best)
			continue;
		best = after - before;
		*ret_other_ns = before + best / 2;
		offset = now - *ret_other_ns;
	}
	return offset;
}

int64_t hrt_clock_offset_ns(clockid_t id)
{
	int64_t mono_ns;

	return offset_to(id, CLOCK_MONOTONIC, &mono_ns);
}

bool hrt_clock_stepped(int64_t from_ns, int64_t to_ns, int64_t elapsed_ns)
{
	int64_t moved = to_ns > from_ns ? to_ns - from_ns : from_ns - to_ns;

	return moved > READING_NS + elapsed_ns / 1000000 * STEERED_PPM;
}

static int64_t smallest_step(clockid_t id)
{
	int64_t smallest = INT64_MAX, last = rt_clock_ns(id);

	for (int i = 0; i < STEP_READINGS; i++) {
		int64_t now = rt_clock_ns(id);

		if (now > last && now - last < smallest)
			smallest = now - last;
		last = now;
	}
	return smallest == INT64_MAX ? 0 : smallest;
}

void hrt_clock_begin(struct hrt_clock *clock, clockid_t id)
{
	clock->id = id;
	clock->resolution_ns = rt_clock_resolution_ns(id);
	if (!clock->resolution_ns)
		return;
	clock->step_ns = smallest_step(id);
	clock->began_ns = offset_to(id, CLOCK_MONOTONIC_RAW, &clock->began_raw_ns);
}

void hrt_clock_end(struct hrt_clock *clock)
{
	int64_t raw_ns, offset_ns, elapsed_ns;

	if (!clock->resolution_ns)
		return;
	offset_ns = offset_to(clock->id, CLOCK_MONOTONIC_RAW, &raw_ns);
	elapsed_ns = raw_ns - clock->began_raw_ns;
	clock->was_set = hrt_clock_stepped(clock->began_ns, offset_ns, elapsed_ns);
	clock->has_drift = elapsed_ns >= DRIFT_MIN_NS && !clock->was_set;
	if (clock->has_drift)
		clock->drift_ppm = (double)(offset_ns - clock->began_ns) * 1e6 / (double)elapsed_ns;
}

/* Lines "  .hres_active    : 1", one a CPU */
int hrt_hres_parse(const char *text)
{
	static const char name[] = ".hres_active";
	int active = -1;

	for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
		const char *value = at + strcspn(at, ":\n");

		if (*value != ':')
			continue;
		if (strtol(value + 1, NULL, 10) == 0)
			return 0;
		active = 1;
	}
	return active;
}

int hrt_hres_active(void)
{
	FILE *f = fopen("/proc/timer_list", "re");
	rt_auto_free char *line = NULL;
	int active = -1;
	size_t size = 0;

	while (f && active != 0 && getline(&line, &size, f) > 0) {
		int one = hrt_hres_parse(line);

		active = one < 0 ? active : one;
	}
	if (f)
		fclose(f);
	return active;
}
