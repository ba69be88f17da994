/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * floor - the least that a wake-up measurement can cost: sleep until a point in time,
 * read the clock, keep the worst. No tool can show less than this on the same machine.
 *
 * usage: floor LOOPS        one wake-up a millisecond on CPU 0, SCHED_FIFO 95
 * prints minimum, mean and maximum in nanoseconds
 */
#include <inttypes.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define NS_PER_S 1000000000
#define PERIOD_NS 1000000

static int become_realtime(void)
{
	const struct sched_param param = { .sched_priority = 95 };
	cpu_set_t cpu0;

	CPU_ZERO(&cpu0);
	CPU_SET(0, &cpu0);
	return sched_setaffinity(0, sizeof(cpu0), &cpu0) || mlockall(MCL_CURRENT | MCL_FUTURE) ||
	       sched_setscheduler(0, SCHED_FIFO, &param);
}

int main(int argc, char **argv)
{
	long loops = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
	int64_t min_ns = INT64_MAX, max_ns = INT64_MIN, sum_ns = 0;
	struct timespec wake, now;

	if (loops < 1) {
		fprintf(stderr, "usage: floor LOOPS\n");
		return 2;
	}
	if (become_realtime()) {
		perror("floor");
		return 4;
	}
	clock_gettime(CLOCK_MONOTONIC, &wake);
	for (long i = 0; i < loops; i++) {
		wake.tv_nsec += PERIOD_NS;
		if (wake.tv_nsec >= NS_PER_S) {
			wake.tv_nsec -= NS_PER_S;
			wake.tv_sec++;
		}
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL);
		clock_gettime(CLOCK_MONOTONIC, &now);

		int64_t late_ns = (int64_t)(now.tv_sec - wake.tv_sec) * NS_PER_S +
				  (now.tv_nsec - wake.tv_nsec);

		if (late_ns < min_ns)
			min_ns = late_ns;
		if (late_ns > max_ns)
			max_ns = late_ns;
		sum_ns += late_ns;
	}
	printf("%" PRId64 " %" PRId64 " %" PRId64 "\n", min_ns, sum_ns / loops, max_ns);
	return 0;
}
