/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rt/stats.h"

/*
 * A writer is inside its brackets for some tens of nanoseconds, so a reader
 * that meets it needs a few tries. A thousand are some 20 us: after that the
 * writer must have been preempted, possibly by this very reader.
 */
#define READ_TRIES 1000

void rt_stats_init(struct rt_stats *s)
{
	*s = (struct rt_stats){ .min_ns = INT64_MAX, .max_ns = INT64_MIN };
}

void rt_stats_miss(struct rt_stats *s, uint64_t intervals)
{
	rt_stats_begin(s);
	RT_STATS_PUT(s->missed, s->missed + intervals);
	rt_stats_end(s);
}

static void copy_fields(struct rt_stats *ret, const struct rt_stats *s)
{
	ret->count = RT_STATS_GET(s->count);
	ret->early = RT_STATS_GET(s->early);
	ret->late = RT_STATS_GET(s->late);
	ret->missed = RT_STATS_GET(s->missed);
	ret->min_ns = RT_STATS_GET(s->min_ns);
	ret->max_ns = RT_STATS_GET(s->max_ns);
	ret->last_ns = RT_STATS_GET(s->last_ns);
	ret->last_at_ns = RT_STATS_GET(s->last_at_ns);
	ret->max_at_ns = RT_STATS_GET(s->max_at_ns);
	ret->sum_ns = RT_STATS_GET(s->sum_ns);
	ret->sum_shown = RT_STATS_GET(s->sum_shown);
}

bool rt_stats_read(const struct rt_stats *s, struct rt_stats *ret)
{
	struct rt_stats copy = { 0 };

	for (unsigned int i = 0; i < READ_TRIES; i++) {
		uint32_t seq = rt_stats_look(s);

		if (seq & 1)
			continue;
		copy_fields(&copy, s);
		if (!rt_stats_is_still(s, seq))
			continue;
		*ret = copy;
		return true;
	}
	return false;
}

void rt_stats_merge(struct rt_stats *into, const struct rt_stats *from)
{
	if (from->count) {
		if (from->min_ns < into->min_ns)
			into->min_ns = from->min_ns;
		if (from->max_ns > into->max_ns) {
			into->max_ns = from->max_ns;
			into->max_at_ns = from->max_at_ns;
		}
		if (!into->count || from->last_at_ns >= into->last_at_ns) {
			into->last_ns = from->last_ns;
			into->last_at_ns = from->last_at_ns;
		}
	}
	into->count += from->count;
	into->early += from->early;
	into->late += from->late;
	into->missed += from->missed;
	into->sum_ns += from->sum_ns;
	into->sum_shown += from->sum_shown;
}

double rt_stats_mean_ns(const struct rt_stats *s)
{
	return s->count ? (double)s->sum_ns / (double)s->count : 0.0;
}
