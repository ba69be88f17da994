/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats - the record of one measuring thread: written by that thread alone,
 * read by anybody as a consistent copy, no lock on the writer's side.
 *
 * The writer makes the sequence number odd, writes, and makes it even again.
 * The writes in between are relaxed stores behind a release fence, the reader
 * copies between two looks at the number and tries again when it has changed
 * (Boehm, "Can seqlocks get along with programming language memory models?",
 * MSPC 2012). On x86 all of it is plain moves. All fields are naturally
 * aligned; on 32-bit machines a 64-bit field may be written in two halves,
 * which the sequence number covers too.
 */
#ifndef RT_STATS_H
#define RT_STATS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "rt/compiler.h"

/**
 * struct rt_stats - counts and latencies of one thread since its release
 * @count:     samples; each below is about these, valid once count > 0
 * @early:     of them, below zero (a stepped clock, an early timer)
 * @late:      of them, one interval or more
 * @missed:    intervals that were slept through because of a late one; they gave no sample
 * @min_ns:    smallest and
 * @max_ns:    largest latency
 * @last_ns:   the newest
 * @last_at_ns: when the newest was taken, in the tool's clock
 * @max_at_ns: when the largest was taken
 * @sum_ns:    exact sum
 * @sum_shown: sum of the values as the peer's formats show them: truncated to
 *             the unit of display, whose mean they print as avg
 *
 * Sums: 2^63 ns is 292 years of accumulated latency.
 */
struct rt_stats {
	_Atomic uint32_t seq;
	uint32_t pad;
	uint64_t count;
	uint64_t early;
	uint64_t late;
	uint64_t missed;
	int64_t min_ns;
	int64_t max_ns;
	int64_t last_ns;
	int64_t last_at_ns;
	int64_t max_at_ns;
	int64_t sum_ns;
	int64_t sum_shown;
} RT_CACHE_ALIGNED;

#if defined(__SANITIZE_THREAD__)
#define RT_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RT_THREAD_SANITIZER 1
#endif
#endif

/*
 * Loads and stores that happen once, at their place, as one plain move; what
 * 32-bit machines write in two halves is safe under the sequence number. The
 * compiler folds a volatile access into its instruction, which it does not with
 * an atomic one; the thread sanitizer wants the atomic one. It knows no fences,
 * and needs none: its own calls keep the compiler from moving anything.
 */
#ifdef RT_THREAD_SANITIZER
#define RT_STATS_PUT(field, value) __atomic_store_n(&(field), (value), __ATOMIC_RELAXED)
#define RT_STATS_GET(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)
#define rt_stats_fence(order) ((void)0)
#else
#define RT_STATS_PUT(field, value) (*(volatile __typeof__(field) *)&(field) = (value))
#define RT_STATS_GET(field) (*(const volatile __typeof__(field) *)&(field))
#define rt_stats_fence(order) atomic_thread_fence(order)
#endif

/** rt_stats_init() - no samples yet */
void rt_stats_init(struct rt_stats *s);

/* Brackets around everything that belongs to one sample, also in the histograms. */
RT_INLINE void rt_stats_begin(struct rt_stats *s)
{
	uint32_t seq = atomic_load_explicit(&s->seq, memory_order_relaxed);

	atomic_store_explicit(&s->seq, seq + 1, memory_order_relaxed);
	rt_stats_fence(memory_order_release);
}

RT_INLINE void rt_stats_end(struct rt_stats *s)
{
	uint32_t seq = atomic_load_explicit(&s->seq, memory_order_relaxed);

	atomic_store_explicit(&s->seq, seq + 1, memory_order_release);
}

/**
 * rt_stats_count() - a sample's numbers, between begin and end
 * @lat_ns:   may be negative
 * @shown:    the same in the unit of display, truncated toward zero
 * @at_ns:    when the thread read the clock
 * Return: the samples so far, this one included.
 */
RT_INLINE uint64_t rt_stats_count(struct rt_stats *s, int64_t lat_ns, int64_t shown, int64_t at_ns)
{
	uint64_t count = s->count + 1;

	RT_STATS_PUT(s->last_ns, lat_ns);
	RT_STATS_PUT(s->last_at_ns, at_ns);
	RT_STATS_PUT(s->count, count);
	RT_STATS_PUT(s->sum_ns, s->sum_ns + lat_ns);
	RT_STATS_PUT(s->sum_shown, s->sum_shown + shown);
	if (rt_unlikely(lat_ns < s->min_ns))
		RT_STATS_PUT(s->min_ns, lat_ns);
	if (rt_unlikely(lat_ns > s->max_ns)) {
		RT_STATS_PUT(s->max_ns, lat_ns);
		RT_STATS_PUT(s->max_at_ns, at_ns);
	}
	return count;
}

/**
 * rt_stats_judge() - is this sample early or late? Between begin and end
 * @late_ns:  from this latency on the sample is late (INT64_MAX: never)
 */
RT_INLINE void rt_stats_judge(struct rt_stats *s, int64_t lat_ns, int64_t late_ns)
{
	if (lat_ns < 0)
		RT_STATS_PUT(s->early, s->early + 1);
	else if (lat_ns >= late_ns)
		RT_STATS_PUT(s->late, s->late + 1);
}

/** rt_stats_put() - both: one sample */
RT_INLINE void rt_stats_put(struct rt_stats *s, int64_t lat_ns, int64_t shown, int64_t at_ns,
			    int64_t late_ns)
{
	rt_stats_count(s, lat_ns, shown, at_ns);
	if (rt_unlikely((uint64_t)lat_ns >= (uint64_t)late_ns)) /* below zero is far above, too */
		rt_stats_judge(s, lat_ns, late_ns);
}

/** rt_stats_miss() - intervals that were slept through; outside begin and end */
void rt_stats_miss(struct rt_stats *s, uint64_t intervals);

/**
 * rt_stats_read() - a consistent copy while the owner goes on writing
 *
 * Gives up after some tries: a reader of higher priority than a preempted
 * writer on the same CPU would wait for ever.
 *
 * Return: true; false if no consistent copy could be had, *ret is then
 * untouched and the caller keeps its last one.
 */
bool rt_stats_read(const struct rt_stats *s, struct rt_stats *ret);

/*
 * What a reader of anything that is written within the brackets does: look,
 * copy with relaxed loads if the number is even, and throw the copy away
 * unless the number is still the same.
 */
RT_INLINE uint32_t rt_stats_look(const struct rt_stats *s)
{
	return atomic_load_explicit(&s->seq, memory_order_acquire);
}

RT_INLINE bool rt_stats_is_still(const struct rt_stats *s, uint32_t seq)
{
	rt_stats_fence(memory_order_acquire);
	return atomic_load_explicit(&s->seq, memory_order_relaxed) == seq;
}

/** rt_stats_merge() - add @from to @into; copies, not live records */
void rt_stats_merge(struct rt_stats *into, const struct rt_stats *from);

/** rt_stats_mean_ns() - exact mean, 0 without samples */
double rt_stats_mean_ns(const struct rt_stats *s);

#endif
