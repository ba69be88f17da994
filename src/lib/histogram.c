/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rt/histogram.h"

#include <string.h>

/* Cells and cycle lists start on their own line of the widest common size. */
#define LINE 64
#define LINE_ROUND(n) (((n) + LINE - 1) & ~(size_t)(LINE - 1))

/* Of a copy: waiting for the end of one sample, and going over all cells again. */
#define QUIET_TRIES 1000
#define ROUND_TRIES 10

const struct rt_percentile rt_percentiles[RT_PERCENTILE_COUNT] = {
	{ 50, "50", "p50" },       { 90, "90", "p90" },
	{ 99, "99", "p99" },       { 99.9, "99.9", "p99.9" },
	{ 99.99, "99.99", "p99.99" }, { 99.999, "99.999", "p99.999" },
};

static uint32_t load32(const uint32_t *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static void store32(uint32_t *p, uint32_t value)
{
	__atomic_store_n(p, value, __ATOMIC_RELAXED);
}

/* The cell of @bucket went round @times more; false when the list is full. */
static bool add_times(struct rt_buckets *b, uint32_t bucket, uint32_t times)
{
	struct rt_carry *c = b->carries;
	uint32_t i;

	for (i = 0; i < b->carry_count; i++)
		if (c[i].bucket == bucket)
			break;
	if (i == RT_CARRIES_MAX)
		return false;
	if (i == b->carry_count) {
		store32(&c[i].bucket, bucket);
		store32(&c[i].times, times);
		store32(&b->carry_count, i + 1);
	} else {
		store32(&c[i].times, c[i].times + times);
	}
	return true;
}

/* Out of line: once in 2^32 samples of a bucket. */
void rt_buckets_carry(struct rt_buckets *b, uint32_t bucket)
{
	if (add_times(b, bucket, 1))
		return;
	store32(&b->cells[bucket], UINT32_MAX);
	RT_STATS_PUT(b->unkept, b->unkept + 1);
}

static uint32_t times_of(const struct rt_buckets *b, uint32_t bucket)
{
	for (uint32_t i = 0; i < b->carry_count; i++)
		if (b->carries[i].bucket == bucket)
			return b->carries[i].times;
	return 0;
}

uint64_t rt_buckets_get(const struct rt_buckets *b, uint32_t bucket)
{
	return (uint64_t)times_of(b, bucket) << 32 | b->cells[bucket];
}

uint64_t rt_buckets_sum(const struct rt_buckets *b)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < b->count; i++)
		sum += b->cells[i];
	for (uint32_t i = 0; i < b->carry_count; i++)
		sum += (uint64_t)b->carries[i].times << 32;
	return sum;
}

void rt_buckets_add_many(struct rt_buckets *b, uint32_t bucket, uint64_t more)
{
	uint64_t sum = b->cells[bucket] + (more & UINT32_MAX);
	uint64_t times = (more >> 32) + (sum >> 32);

	if (!times || add_times(b, bucket, (uint32_t)times)) {
		store32(&b->cells[bucket], (uint32_t)sum);
		return;
	}
	RT_STATS_PUT(b->unkept, b->unkept + (times << 32) + (uint32_t)sum - UINT32_MAX);
	store32(&b->cells[bucket], UINT32_MAX);
}

void rt_buckets_clear(struct rt_buckets *b)
{
	for (uint32_t i = 0; i < b->count; i++)
		store32(&b->cells[i], 0);
	store32(&b->carry_count, 0);
	RT_STATS_PUT(b->unkept, 0);
}

void rt_buckets_merge(struct rt_buckets *into, const struct rt_buckets *from)
{
	for (uint32_t i = 0; i < from->count; i++)
		if (from->cells[i])
			rt_buckets_add_many(into, i, from->cells[i]);
	for (uint32_t i = 0; i < from->carry_count; i++)
		rt_buckets_add_many(into, from->carries[i].bucket, (uint64_t)from->carries[i].times << 32);
	into->unkept += from->unkept;
}

struct rt_buckets *rt_buckets_new(uint32_t count)
{
	size_t cells_at = LINE_ROUND(sizeof(struct rt_buckets));
	char *memory = calloc(1, cells_at + (size_t)count * sizeof(uint32_t));
	struct rt_buckets *b = (struct rt_buckets *)memory;

	if (!b)
		return NULL;
	b->cells = (uint32_t *)(memory + cells_at);
	b->count = count;
	return b;
}

void rt_buckets_free(struct rt_buckets *b)
{
	free(b);
}

static void copy_carries(struct rt_buckets *into, const struct rt_buckets *live)
{
	into->carry_count = load32(&live->carry_count);
	into->unkept = RT_STATS_GET(live->unkept);
	for (uint32_t i = 0; i < into->carry_count; i++) {
		into->carries[i].bucket = load32(&live->carries[i].bucket);
		into->carries[i].times = load32(&live->carries[i].times);
	}
}

/* How often any cell went round; it only ever rises. */
static uint64_t rounds(const struct rt_buckets *b)
{
	uint32_t count = load32(&b->carry_count);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += load32(&b->carries[i].times);
	return sum;
}

/*
 * Until the sample that is being written, if any, is complete. A writer that
 * takes longer than this has been preempted, possibly by us: then we go on.
 */
static bool wait_for_sample(const struct rt_stats *s)
{
	uint32_t seq;

	/* what was copied before this is not newer than the number seen here */
	rt_stats_fence(memory_order_acquire);
	seq = rt_stats_look(s);
	for (unsigned int i = 0; (seq & 1) && i < QUIET_TRIES; i++)
		if (rt_stats_look(s) != seq)
			return true;
	return !(seq & 1);
}

/*
 * The writer may go on: each cell is one load. Only a cell and its carry must
 * be of one moment, and they are if no cell went round from before the copy
 * until the carries are copied. A cell that was caught between its wrap and
 * its carry has the carry when that sample is complete, so it shows as well.
 */
static bool copy_between_rounds(struct rt_buckets *into, const struct rt_buckets *live,
				const struct rt_stats *s, bool *ret_is_exact)
{
	uint64_t before = rounds(live);

	rt_stats_fence(memory_order_acquire);
	for (uint32_t i = 0; i < live->count; i++)
		into->cells[i] = load32(&live->cells[i]);
	*ret_is_exact = wait_for_sample(s);
	copy_carries(into, live);
	return rounds(into) == before;
}

bool rt_buckets_copy(struct rt_buckets *into, const struct rt_buckets *live,
		     const struct rt_stats *s)
{
	bool is_exact = false;

	/* again only if a cell went round just now, which takes each a minute at the least */
	for (unsigned int i = 0; i < ROUND_TRIES; i++)
		if (copy_between_rounds(into, live, s, &is_exact))
			return is_exact;
	return false;
}

void rt_log_bounds(uint32_t bucket, int64_t *low_ns, int64_t *high_ns)
{
	unsigned int shift;

	if (bucket == RT_LOG_EARLY) {
		*low_ns = INT64_MIN;
		*high_ns = 0;
	} else if (bucket == RT_LOG_ABOVE) {
		*low_ns = INT64_C(1) << RT_LOG_BITS;
		*high_ns = INT64_MAX;
	} else {
		/* the first two octaves are exact; from there each has its own shift */
		shift = bucket < 2 * RT_LOG_SUB ? 0 : (bucket >> RT_LOG_SUB_BITS) - 1;
		*low_ns = (int64_t)(bucket - (shift << RT_LOG_SUB_BITS)) << shift;
		*high_ns = *low_ns + (INT64_C(1) << shift);
	}
}

/*
 * ceil(percent/100 * samples) without rounding of its own: percent in millionths
 * is a whole number, so that 99.9 % of 1000 samples is the 999th and not the 1000th.
 */
static uint64_t rank_of(double percent, uint64_t samples)
{
	const uint64_t whole = 100 * UINT64_C(1000000);
	uint64_t millionths = (uint64_t)(percent * 1e6 + 0.5);
	uint64_t rank = samples / whole * millionths +
			(samples % whole * millionths + whole - 1) / whole;

	return rank ? rank : 1;
}

/* In rising order of latency: the buckets' numbers, but with those below zero first. */
static uint32_t in_order(uint32_t i)
{
	return i == 0 ? RT_LOG_EARLY : i <= RT_LOG_REGULAR ? i - 1 : RT_LOG_ABOVE;
}

int64_t rt_log_percentile(const struct rt_buckets *b, double percent, int64_t min_ns,
			  int64_t max_ns)
{
	uint64_t samples = rt_buckets_sum(b);
	uint64_t rank = rank_of(percent, samples);
	uint64_t seen = 0;
	int64_t low_ns, high_ns;

	if (!samples)
		return 0;
	for (uint32_t i = 0; i < RT_LOG_BUCKETS; i++) {
		seen += rt_buckets_get(b, in_order(i));
		if (seen < rank)
			continue;
		rt_log_bounds(in_order(i), &low_ns, &high_ns);
		if (high_ns - 1 < min_ns)
			return min_ns;
		return high_ns - 1 < max_ns ? high_ns - 1 : max_ns;
	}
	return max_ns;
}

static uint32_t keep_max_of(uint32_t count)
{
	return count < RT_OVERFLOWS_MAX ? count : RT_OVERFLOWS_MAX;
}

static size_t cycles_at(uint32_t count)
{
	return LINE_ROUND(sizeof(struct rt_linear)) + LINE_ROUND((size_t)count * sizeof(uint32_t));
}

size_t rt_linear_size(uint32_t count)
{
	return cycles_at(count) + LINE_ROUND((size_t)keep_max_of(count) * sizeof(uint64_t));
}

struct rt_linear *rt_linear_place(void *memory, uint32_t count)
{
	struct rt_linear *h = memory;
	char *base = memory;

	memset(memory, 0, rt_linear_size(count));
	h->buckets.cells = (uint32_t *)(base + LINE_ROUND(sizeof(*h)));
	h->buckets.count = count;
	h->cycles = (uint64_t *)(base + cycles_at(count));
	h->keep_max = keep_max_of(count);
	return h;
}
