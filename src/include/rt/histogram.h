/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * histogram - how often which latency was seen, in two views of the same
 * samples: linear buckets of one display unit, which -h prints row by row, and
 * log-linear ones, which are always on and give percentiles.
 *
 * Both count in rt_buckets: 32-bit cells, half the memory of 64-bit ones, with
 * a short list of carries for cells that have gone round 2^32. One writer, the
 * measuring thread, inside rt_stats_begin()/end() of its record; readers copy.
 */
#ifndef RT_HISTOGRAM_H
#define RT_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rt/compiler.h"
#include "rt/stats.h"

/* A cell wraps after 2^32 samples: 71 minutes at one a microsecond, five days at one every 100 us. */
#define RT_CARRIES_MAX 32

struct rt_carry {
	uint32_t bucket;
	uint32_t times; /* how often it went round */
};

/**
 * struct rt_buckets - @cells of @count buckets
 * @unkept: samples that could not be counted, since the carries were full: never in 7 days
 */
struct rt_buckets {
	uint32_t *cells;
	uint32_t count;
	uint32_t carry_count;
	uint64_t unkept;
	struct rt_carry carries[RT_CARRIES_MAX];
};

void rt_buckets_carry(struct rt_buckets *b, uint32_t bucket);

RT_INLINE void rt_buckets_add(struct rt_buckets *b, uint32_t bucket)
{
	uint32_t cell = b->cells[bucket] + 1;

	RT_STATS_PUT(b->cells[bucket], cell);
	if (rt_unlikely(cell == 0))
		rt_buckets_carry(b, bucket);
}

/**
 * rt_buckets_add_many() - @more samples at once; what the cell can't hold goes to the carries
 * rt_buckets_clear() - back to no samples
 * For writers that count elsewhere and publish now and then; of a live record
 * within rt_stats_begin()/end().
 */
void rt_buckets_add_many(struct rt_buckets *b, uint32_t bucket, uint64_t more);
void rt_buckets_clear(struct rt_buckets *b);

/** rt_buckets_get() - a bucket's 64-bit count; of a copy or of an ended run */
uint64_t rt_buckets_get(const struct rt_buckets *b, uint32_t bucket);

/*
 * The log-linear view, HDR layout (Tene, HdrHistogram): 128 buckets an octave,
 * so that a bucket is never wider than 1/128 of its lower bound (0.8 %), exact
 * below 256 ns, up to 2^RT_LOG_BITS ns = 4.9 hours. Two more buckets hold what is
 * below zero and what is above the top, so that samples = sum over buckets.
 */
#define RT_LOG_SUB_BITS 7
#define RT_LOG_SUB (1u << RT_LOG_SUB_BITS)
#define RT_LOG_BITS 44
#define RT_LOG_REGULAR ((RT_LOG_BITS - RT_LOG_SUB_BITS + 1) * RT_LOG_SUB)
#define RT_LOG_EARLY RT_LOG_REGULAR
#define RT_LOG_ABOVE (RT_LOG_REGULAR + 1)
#define RT_LOG_BUCKETS (RT_LOG_REGULAR + 2)

/** rt_log_index_regular() - the bucket of a latency from 0 to below RT_LOG_TOP_NS */
#define RT_LOG_TOP_NS (INT64_C(1) << RT_LOG_BITS)
RT_INLINE uint32_t rt_log_index_regular(int64_t lat_ns)
{
	uint64_t v = (uint64_t)lat_ns;
	/* 63 ^ clz is the highest bit's number, for which machines have an instruction */
	unsigned int shift = (63 ^ (unsigned int)__builtin_clzll(v | RT_LOG_SUB)) - RT_LOG_SUB_BITS;

	return (uint32_t)(shift << RT_LOG_SUB_BITS) + (uint32_t)(v >> shift);
}

/** rt_log_index() - the bucket of any latency */
RT_INLINE uint32_t rt_log_index(int64_t lat_ns)
{
	if (rt_unlikely((uint64_t)lat_ns >> RT_LOG_BITS))
		return lat_ns < 0 ? RT_LOG_EARLY : RT_LOG_ABOVE;
	return rt_log_index_regular(lat_ns);
}

/**
 * rt_log_bounds() - the latencies of a bucket: from *low_ns up to and without *high_ns
 * RT_LOG_EARLY: INT64_MIN to 0; RT_LOG_ABOVE: 2^RT_LOG_BITS to INT64_MAX.
 */
void rt_log_bounds(uint32_t bucket, int64_t *low_ns, int64_t *high_ns);

/**
 * rt_log_percentile() - the latency that @percent of all samples do not pass
 * @b:      RT_LOG_BUCKETS buckets
 * @percent: 0 < percent <= 100
 * @min_ns, @max_ns: of the record; the result lies within them
 *
 * Return: the highest latency of the bucket in which the sample with the rank
 * ceil(percent/100 * samples) lies; 0 without samples.
 */
int64_t rt_log_percentile(const struct rt_buckets *b, double percent, int64_t min_ns,
			  int64_t max_ns);

/** rt_buckets_sum() - over all buckets */
uint64_t rt_buckets_sum(const struct rt_buckets *b);

/** rt_buckets_merge() - add @from into @into; same count; carries where needed */
void rt_buckets_merge(struct rt_buckets *into, const struct rt_buckets *from);

/** rt_buckets_new(), rt_buckets_free() - on the heap, cells behind the struct; NULL without memory */
struct rt_buckets *rt_buckets_new(uint32_t count);
void rt_buckets_free(struct rt_buckets *b);

/**
 * rt_buckets_copy() - of a live one into one of the same count, while the writer of @s goes on
 * Return: true: each cell and its carry are of one moment; false: the writer stood still in the
 * middle of a sample, and a cell that went round with it, one sample of 2^32, may lack that round.
 */
bool rt_buckets_copy(struct rt_buckets *into, const struct rt_buckets *live,
		     const struct rt_stats *s);

/* The percentiles that every tool shows, with their names. */
struct rt_percentile {
	double percent;
	const char *text; /* "50", "99.9": as in "# P99.9:" */
	const char *key;  /* "p50", "p99.9": member of the result document */
};
#define RT_PERCENTILE_COUNT 6
extern const struct rt_percentile rt_percentiles[RT_PERCENTILE_COUNT];

/*
 * The linear view: @buckets of one unit each from 0; early samples go to bucket
 * 0, samples from the top on are overflows, whose cycle numbers are kept up to a limit.
 */
#define RT_LINEAR_MAX 1000000
#define RT_OVERFLOWS_MAX 10000

struct rt_linear {
	struct rt_buckets buckets;
	uint64_t overflows;
	uint32_t kept;     /* of their cycle numbers */
	uint32_t keep_max;
	uint64_t *cycles;  /* zero-based, in order */
};

/** rt_linear_add() - @shown in the unit of display, @cycle zero-based */
RT_INLINE void rt_linear_add(struct rt_linear *h, int64_t shown, uint64_t cycle)
{
	if (rt_unlikely((uint64_t)shown >= h->buckets.count)) {
		if (shown >= 0) {
			if (h->kept < h->keep_max)
				h->cycles[h->kept++] = cycle;
			h->overflows++;
			return;
		}
		shown = 0;
	}
	rt_buckets_add(&h->buckets, (uint32_t)shown);
}

/**
 * rt_linear_size() - bytes for one with @count buckets and its overflow list
 * rt_linear_place() - lay one out in memory of that size, zeroed, 64-byte aligned
 * At most min(@count, RT_OVERFLOWS_MAX) cycle numbers are kept.
 */
size_t rt_linear_size(uint32_t count);
struct rt_linear *rt_linear_place(void *memory, uint32_t count);

#endif
