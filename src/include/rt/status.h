/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * status - the numbers of a running tool, for any number of watchers.
 *
 * Records and their descriptions lie in one sealed memfd, "rtgauge-status",
 * which the same user or root finds through /proc/PID/fd. Watchers map it
 * read-only and take consistent copies (rt_stats_read()); nothing is to be
 * cleaned up, and the writers do nothing for it.
 *
 * Layout, in pages: struct rt_status_head; one struct rt_series_info a series,
 * info_stride bytes apart; behind them a byte a series, not 0 once its record has
 * been placed (before that, reading the record would place it); from
 * head.records_at on one struct rt_record a series, record_stride bytes apart.
 * scripts/rt-top reads it, too.
 */
#ifndef RT_STATUS_H
#define RT_STATUS_H

#include <stdint.h>

#include "rt/err.h"
#include "rt/histogram.h"
#include "rt/stats.h"

#define RT_STATUS_MEMFD "rtgauge-status"
#define RT_STATUS_MAGIC UINT64_C(0x3153544154534752) /* "RGSTATS1" where bytes are little-endian */
#define RT_STATUS_VERSION 1

struct rt_status_head {
	uint64_t magic;
	uint32_t version;
	uint32_t series;
	uint64_t infos_at;
	uint64_t info_stride;
	uint64_t records_at;
	uint64_t record_stride;
	uint32_t cells_at; /* offset of log_cells in a record */
	uint32_t log_buckets;
	uint32_t main_pid;
	uint32_t shown_unit_ns; /* 1 or 1000: what sum_shown is in */
	int64_t started_ns;     /* CLOCK_REALTIME */
	char tool[32];
	char cmdline[512]; /* cut */
};

/**
 * struct rt_series_info - what a series of samples is
 * @name: "thread 0", "pair 3"; @kind: "wakeup", "handover", "blocking", "gap", ...
 * @cpu, @node: -1 when none; @tid: 0 before it runs
 * @is_reference: 1: beside the others for comparison; --limit does not judge it
 */
struct rt_series_info {
	char name[32];
	char kind[16];
	int32_t cpu;
	int32_t node;
	int32_t tid;
	int32_t policy;
	int32_t priority;
	uint32_t index;
	int64_t interval_ns;
	int64_t runtime_ns, deadline_ns, period_ns; /* SCHED_DEADLINE, else 0 */
	uint32_t is_reference;
	uint32_t pad;
};

/** struct rt_record - everything that is always kept of one series: 20 KB */
struct rt_record {
	struct rt_stats stats;
	struct rt_buckets log;
	uint32_t log_cells[RT_LOG_BUCKETS];
} RT_CACHE_ALIGNED;

struct rt_status;

/**
 * rt_status_new() - the object, mapped shared, also for forked members
 * @unit_ns: unit of display
 * Where there is no memfd, anonymous shared memory serves, unseen by watchers.
 * Return: 0; -ENOMEM.
 */
int rt_status_new(struct rt_status **ret, const char *tool, int argc, char **argv,
		  unsigned int series, uint32_t unit_ns, struct rt_err *err);
void rt_status_free(struct rt_status *status);

/** rt_status_info() - filled by the tool before the run */
struct rt_series_info *rt_status_info(struct rt_status *status, unsigned int series);

/**
 * rt_status_record() - the series' record, placed on @node and touched at the first call
 * Call it for each series before memory is locked: locking places all that has no place yet.
 */
struct rt_record *rt_status_record(struct rt_status *status, unsigned int series, int node);

/** rt_status_peek() - a reader's: the record, NULL until it has been placed; touches nothing */
const struct rt_record *rt_status_peek(const struct rt_status *status, unsigned int series);

unsigned int rt_status_count(const struct rt_status *status);

/**
 * rt_record_keep() - one sample into all that is kept of it, for measuring loops
 * @linear:     NULL: there is none; constant in a loop
 * @is_special: false promises that the sample is neither early nor late nor
 *              above the log-linear histogram's top (RT_LOG_TOP_NS): a loop
 *              finds out with one comparison, and most samples are not
 * @late_ns:    from this latency on it is late
 * Return: the samples so far, this one included.
 */
RT_INLINE uint64_t rt_record_keep(struct rt_record *r, struct rt_linear *linear, int64_t lat_ns,
				  int64_t shown, int64_t at_ns, bool is_special, int64_t late_ns)
{
	uint64_t count;

	rt_stats_begin(&r->stats);
	count = rt_stats_count(&r->stats, lat_ns, shown, at_ns);
	if (rt_unlikely(is_special))
		rt_stats_judge(&r->stats, lat_ns, late_ns);
	rt_buckets_add(&r->log, rt_unlikely(is_special) ? rt_log_index(lat_ns) :
							  rt_log_index_regular(lat_ns));
	if (linear)
		rt_linear_add(linear, shown, count - 1);
	rt_stats_end(&r->stats);
	return count;
}

/** rt_record_add() - one sample into stats and log-linear histogram */
RT_INLINE void rt_record_add(struct rt_record *r, int64_t lat_ns, int64_t shown, int64_t at_ns,
			     int64_t late_ns)
{
	rt_record_keep(r, NULL, lat_ns, shown, at_ns, true, late_ns);
}

#endif
