/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planted - a cause to be found: keep the CPU for a while, pause, and again; at
 * the end tell when that was, in the monotonic clock:
 *
 *     planted BURSTS BURST_US PAUSE_US
 *
 *     burst FROM_NS TO_NS CPU_NS    CPU_NS: what the kernel says that it ran
 *     gap FROM_NS TO_NS             within a burst, but it did not run: two looks at
 *                                   the clock that are this far apart
 *
 * Nothing is printed before the end, and it ends by itself. Started by tests at a
 * real-time priority, on one CPU of several and under timeout(1).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define GAP_NS 20000 /* shorter ones count as its own time: what a look at the clock may take */
#define LINES_MAX 32768

static struct line {
	int64_t from_ns, to_ns, cpu_ns; /* cpu_ns < 0: a gap */
} lines[LINES_MAX];
static unsigned int count, lost;

static void note(int64_t from_ns, int64_t to_ns, int64_t cpu_ns)
{
	if (count < LINES_MAX)
		lines[count++] = (struct line){ from_ns, to_ns, cpu_ns };
	else
		lost++;
}

static int64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void burst(int64_t length_ns)
{
	int64_t cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
	int64_t from_ns = now_ns(CLOCK_MONOTONIC), last_ns = from_ns;

	while (last_ns < from_ns + length_ns) {
		int64_t ns = now_ns(CLOCK_MONOTONIC);

		if (ns - last_ns > GAP_NS)
			note(last_ns, ns, -1);
		last_ns = ns;
	}
	note(from_ns, last_ns, now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns);
}

int main(int argc, char **argv)
{
	long bursts = argc == 4 ? atol(argv[1]) : 0;
	int64_t length_ns = argc == 4 ? atol(argv[2]) * INT64_C(1000) : 0;
	int64_t pause_ns = argc == 4 ? atol(argv[3]) * INT64_C(1000) : 0;
	struct timespec pause = { pause_ns / 1000000000, pause_ns % 1000000000 };

	if (bursts < 1 || length_ns < 1 || pause_ns < 1) {
		fprintf(stderr, "usage: planted BURSTS BURST_US PAUSE_US\n");
		return 2;
	}
	for (long i = 0; i < bursts; i++) {
		nanosleep(&pause, NULL);
		burst(length_ns);
	}
	for (unsigned int i = 0; i < count; i++)
		if (lines[i].cpu_ns < 0)
			printf("gap %" PRId64 " %" PRId64 "\n", lines[i].from_ns, lines[i].to_ns);
		else
			printf("burst %" PRId64 " %" PRId64 " %" PRId64 "\n", lines[i].from_ns,
			       lines[i].to_ns, lines[i].cpu_ns);
	return lost != 0;
}
