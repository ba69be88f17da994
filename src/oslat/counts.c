/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the loops have counted, in the shapes that people and programs read. Main
 * does this, now and then and at the end; a loop does not notice.
 */
#include <stdint.h>
#include <string.h>

#include "oslat.h"

#define LINE_WORDS (RT_CACHE_LINE / sizeof(uint64_t))

static uint64_t load(const uint64_t *p)
{
	return RT_STATS_GET(*p);
}

/* ---- memory ------------------------------------------------------------------- */

static size_t round_words(size_t words)
{
	return (words + LINE_WORDS - 1) / LINE_WORDS * LINE_WORDS;
}

size_t osl_counts_size(uint32_t buckets)
{
	return (OSL_CELLS + round_words(buckets) + round_words(RT_LOG_BUCKETS)) * sizeof(uint64_t);
}

void osl_counts_place(struct osl_counts *c, void *memory, uint32_t buckets)
{
	c->cells = memory;
	c->buckets = c->cells + OSL_CELLS;
	c->log = c->buckets + round_words(buckets);
	osl_counts_clear(c, buckets);
}

void osl_counts_clear(struct osl_counts *c, uint32_t buckets)
{
	memset(c->cells, 0, osl_counts_size(buckets));
	c->long_cycles = c->long_count = c->early = c->max_cycles = c->max_at = 0;
	c->min_long_ns = INT64_MAX;
}

/* ---- rules ---------------------------------------------------------------------- */

/* A gap below the bias belongs to the first bucket, all beyond the last one to the last. */
uint32_t osl_bucket_of(const struct osl_thread *t, int64_t gap_ns)
{
	int64_t above_ns = gap_ns - t->bias_ns;
	uint64_t bucket = above_ns > 0 ? (uint64_t)above_ns / (uint64_t)t->width_ns : 0;

	return bucket < t->bucket_count ? (uint32_t)bucket : t->bucket_count - 1;
}

int64_t osl_smallest_ns(const struct osl_counts *c, const struct rt_cycles_scale *scale)
{
	for (uint32_t i = 0; i < OSL_CELLS; i++)
		if (load(&c->cells[i]))
			return rt_cycles_ns(scale, i);
	return RT_STATS_GET(c->min_long_ns);
}

/* ---- shapes ----------------------------------------------------------------------- */

void osl_fill_buckets(const struct osl_thread *t, uint64_t *ret)
{
	for (uint32_t i = 0; i < t->bucket_count; i++)
		ret[i] = load(&t->counts.buckets[i]);
	for (uint32_t i = 0; i < OSL_CELLS; i++)
		ret[osl_bucket_of(t, rt_cycles_ns(&t->scale, i))] += load(&t->counts.cells[i]);
}

/* A reading of the counter on CLOCK_MONOTONIC; those of the real run come after its start. */
static int64_t moment_ns(const struct osl_thread *t, uint64_t at)
{
	return at < t->started.cycles ?
		       t->started.mono_ns :
		       t->started.mono_ns + rt_cycles_ns(&t->scale, at - t->started.cycles);
}

/* The sum is kept in cycles, exactly, and becomes nanoseconds once. */
static void publish_stats(struct osl_thread *t, uint64_t count, uint64_t cycles)
{
	struct rt_stats *stats = &t->record->stats;
	int64_t sum_ns = rt_cycles_ns(&t->scale, cycles);

	RT_STATS_PUT(stats->count, count);
	RT_STATS_PUT(stats->early, load(&t->counts.early));
	RT_STATS_PUT(stats->min_ns, osl_smallest_ns(&t->counts, &t->scale));
	RT_STATS_PUT(stats->max_ns, rt_cycles_ns(&t->scale, load(&t->counts.max_cycles)));
	RT_STATS_PUT(stats->max_at_ns, moment_ns(t, load(&t->counts.max_at)));
	RT_STATS_PUT(stats->last_ns, rt_cycles_ns(&t->scale, load(&t->last_gap)));
	RT_STATS_PUT(stats->last_at_ns, moment_ns(t, load(&t->last)));
	RT_STATS_PUT(stats->sum_ns, sum_ns);
	RT_STATS_PUT(stats->sum_shown, sum_ns / t->plan->unit_ns);
}

void osl_publish(struct osl_thread *t)
{
	struct rt_record *r = t->record;
	uint64_t cycles = load(&t->counts.long_cycles);
	uint64_t count = 0;

	if (!atomic_load_explicit(&t->is_measuring, memory_order_acquire))
		return;
	rt_stats_begin(&r->stats);
	rt_buckets_clear(&r->log);
	for (uint32_t i = 0; i < OSL_CELLS; i++) {
		uint64_t n = load(&t->counts.cells[i]);

		if (n)
			rt_buckets_add_many(&r->log, rt_log_index(rt_cycles_ns(&t->scale, i)), n);
		count += n;
		cycles += n * i;
	}
	for (uint32_t i = 0; i < RT_LOG_BUCKETS; i++) {
		uint64_t n = load(&t->counts.log[i]);

		if (n)
			rt_buckets_add_many(&r->log, i, n);
		count += n;
	}
	if (count)
		publish_stats(t, count, cycles);
	rt_stats_end(&r->stats);
}
