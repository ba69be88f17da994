/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * feed - what keeping a sample costs: the same samples into a bare array, and into
 * a thread's statistics with both histograms, as a measuring loop does it.
 *
 * usage: feed [ROUNDS]
 * prints "bare NS", "kept NS" (nanoseconds a sample, the best round) and "ratio R"
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "rt/clock.h"
#include "rt/histogram.h"
#include "rt/stats.h"
#include "rt/status.h"

#define SAMPLES (1u << 20)
#define ROUNDS 15
#define LINEAR 1000
#define LATE_NS 1000000u
#define NS_PER_US 1000

/* Each loop a function of its own, with all registers for itself, as a measuring loop has them. */
#define RT_NOINLINE __attribute__((noinline))

/* Latencies as a quiet machine has them: most between 3 and 11 us, one in 256 up to 260 us. */
static int64_t latency(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return 3000 + (int64_t)(state & 0x1fff) + ((state >> 40) & 0xff ? 0 : (int64_t)(state >> 46));
}

static int64_t best(int64_t now, int64_t before)
{
	return now < before ? now : before;
}

/* The plainest histogram: a latency in nanoseconds, an increment in an array of microseconds. */
static RT_NOINLINE int64_t feed_bare(const int64_t *lat_ns, uint32_t *cells)
{
	int64_t start_ns = rt_clock_ns(CLOCK_MONOTONIC);

	for (uint32_t i = 0; i < SAMPLES; i++)
		cells[(uint64_t)lat_ns[i] / NS_PER_US]++;
	return rt_clock_ns(CLOCK_MONOTONIC) - start_ns;
}

static RT_NOINLINE int64_t feed_kept(const int64_t *lat_ns, struct rt_record *record,
				     struct rt_linear *linear)
{
	int64_t start_ns = rt_clock_ns(CLOCK_MONOTONIC);

	for (uint32_t i = 0; i < SAMPLES; i++) {
		int64_t lat = lat_ns[i];
		int64_t shown = (int64_t)((uint64_t)lat / NS_PER_US);

		bool is_special = (uint64_t)lat >= LATE_NS; /* as a measuring loop asks */

		rt_record_keep(record, linear, lat, shown, start_ns + i, is_special, LATE_NS);
	}
	return rt_clock_ns(CLOCK_MONOTONIC) - start_ns;
}

/* All samples of all rounds must have arrived: a fast loop that loses some is no result. */
static int check(const struct rt_record *record, const struct rt_linear *linear, uint64_t want)
{
	uint64_t log = rt_buckets_sum(&record->log);
	uint64_t rows = rt_buckets_sum(&linear->buckets) + linear->overflows;

	if (record->stats.count == want && log == want && rows == want)
		return 0;
	fprintf(stderr, "feed: fed %" PRIu64 ", counted %" PRIu64 ", %" PRIu64 " and %" PRIu64 "\n",
		want, record->stats.count, log, rows);
	return 1;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : ROUNDS;
	int64_t *lat_ns = malloc(SAMPLES * sizeof(*lat_ns));
	uint32_t *cells = calloc(LINEAR, sizeof(*cells));
	struct rt_record *record = aligned_alloc(64, sizeof(*record));
	void *memory = aligned_alloc(64, (rt_linear_size(LINEAR) + 63) & ~(size_t)63);
	int64_t bare_ns = INT64_MAX, kept_ns = INT64_MAX;
	struct rt_linear *linear;

	if (rounds < 1 || !lat_ns || !cells || !record || !memory)
		return 1;
	rt_stats_init(&record->stats);
	record->log = (struct rt_buckets){ .cells = record->log_cells, .count = RT_LOG_BUCKETS };
	for (uint32_t i = 0; i < RT_LOG_BUCKETS; i++)
		record->log_cells[i] = 0;
	linear = rt_linear_place(memory, LINEAR);
	for (uint32_t i = 0; i < SAMPLES; i++)
		lat_ns[i] = latency();
	for (int i = 0; i < rounds; i++) {
		bare_ns = best(feed_bare(lat_ns, cells), bare_ns);
		kept_ns = best(feed_kept(lat_ns, record, linear), kept_ns);
	}
	printf("bare %.2f\nkept %.2f\nratio %.2f\n", (double)bare_ns / SAMPLES,
	       (double)kept_ns / SAMPLES, (double)kept_ns / (double)bare_ns);
	return check(record, linear, (uint64_t)rounds * SAMPLES);
}
