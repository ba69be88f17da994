/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report - a run's results as documents and text. One builder each: the peer's
 * JSON (--json), our own (--result), and the text forms that tools share. A
 * tool adds its own part through a callback.
 */
#ifndef RT_REPORT_H
#define RT_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "rt/histogram.h"
#include "rt/json.h"
#include "rt/run.h"
#include "rt/stats.h"
#include "rt/status.h"
#include "rt/sysinfo.h"
#include "rt/threshold.h"

/**
 * struct rt_series - one series, copied: nobody writes to it any more
 * @info:   what it is
 * @stats:  consistent copy
 * @log:    log-linear buckets, copied; owned by the snapshot
 * @lost:   samples that a ring or file did not keep; the tool writes it here at the end
 */
struct rt_series {
	const struct rt_series_info *info;
	struct rt_stats stats;
	struct rt_buckets *log;
	uint64_t lost;
};

/** struct rt_snapshot - all series of a tool at one moment */
struct rt_snapshot {
	unsigned int count;
	struct rt_series *series;
};

/**
 * rt_snapshot_new() - copies of all records of @status; room for them is made here
 * rt_snapshot_take() - copy again, into the same room; allocates nothing
 * A record that could not be had consistently keeps its last copy.
 */
int rt_snapshot_new(struct rt_snapshot **ret, struct rt_status *status);
void rt_snapshot_take(struct rt_snapshot *snap, struct rt_status *status);
void rt_snapshot_free(struct rt_snapshot *snap);

/**
 * struct rt_asked - something that was wanted of the system, and what was had
 * @name: "affinity", "mlock", "dma_latency", "numa", "tracemark", ...
 * @asked, @got: as text; @reason: NULL when it was had
 */
struct rt_asked {
	const char *name;
	char *asked;
	char *got;
	char *reason;
};

#define RT_ASKED_MAX 32

/**
 * struct rt_result - a whole run; what both documents are made from
 * @tool, @argc, @argv: as started
 * @started_ns, @ended_ns: CLOCK_REALTIME
 * @duration_ns: CLOCK_MONOTONIC, from the release to the end of the run
 * @ended_by:  rt_run_ended_text()
 * @clock:     name of the tool's clock; NULL: not told, times of samples are given in it alone
 * @clock_offset_ns: CLOCK_REALTIME minus the tool's clock, read at the release
 * @is_checkpoint: the run still goes on; exit_status is null then
 * @unit_ns:   unit of display: 1000 or 1
 * @system:    never NULL
 * @limit_ns:  --limit as given, in ns; 0: none. Which series passed it is found
 *             by rt_verdict_find()
 */
struct rt_result {
	const char *tool;
	int argc;
	char **argv;
	int64_t started_ns;
	int64_t ended_ns;
	int64_t duration_ns;
	const char *ended_by;
	const char *clock;
	int64_t clock_offset_ns;
	bool is_checkpoint;
	int exit_status;
	int64_t unit_ns;
	int64_t limit_ns;
	const struct rt_sysinfo *system;
	struct rt_asked asked[RT_ASKED_MAX];
	unsigned int asked_count;
	const struct rt_snapshot *snap;
};

/** rt_asked_add() - note a wish and its outcome; texts are copied; all may be NULL but @name */
void rt_asked_add(struct rt_result *result, const char *name, const char *asked, const char *got,
		  const char *reason);
void rt_asked_done(struct rt_result *result);

/**
 * rt_verdict_find() - the series with the largest latency above the limit as printed
 * Return: its index; -1 when none passed or there is no limit.
 */
int rt_verdict_find(const struct rt_result *result);

/** rt_verdict_say() - the line on stderr that says which series, CPU, value and when */
void rt_verdict_say(const struct rt_result *result, int series);

/**
 * rt_report_json() - the peer's document: its envelope, then what @fill adds
 * @fill: adds "num_threads", "resolution_in_ns", "thread" and the like; may be NULL
 * Return: heap text of the caller's with a newline at its end; NULL without memory.
 */
char *rt_report_json(const struct rt_result *result,
		     void (*fill)(struct json_object *document, void *data), void *data);

/**
 * rt_report_result() - our own document, schema rtgauge-result/1 (see man/rtgauge-result.5)
 * @fill: adds members under the tool's own name; may be NULL
 */
char *rt_report_result(const struct rt_result *result,
		       void (*fill)(struct json_object *own, void *data), void *data);

/* Building blocks for the callbacks. */

/** rt_json_avg() - a number printed with two decimals, as the peer does */
struct json_object *rt_json_avg(double value);

/**
 * rt_json_histogram() - { "BUCKET": COUNT, ... }, the non-empty rows of a linear histogram
 * @stats: of the same record
 */
struct json_object *rt_json_histogram(const struct rt_linear *linear, const struct rt_stats *stats);

/** rt_json_break() - { "limit_ns", and once a sample passed it: "series", "value_ns", "at_ns" } */
struct json_object *rt_json_break(const struct rt_threshold *t, int64_t unit_ns);

/** rt_shown_min(), _max(), _mean() - in whole units of display, 0 without samples; the peer's avg */
int64_t rt_shown(int64_t ns, int64_t unit_ns);
int64_t rt_shown_min(const struct rt_stats *s, int64_t unit_ns);
int64_t rt_shown_max(const struct rt_stats *s, int64_t unit_ns);
double rt_shown_mean(const struct rt_stats *s);

/**
 * rt_report_percentiles() - "# P50: 00012 00013" and so on, one column a series
 * @with_all: a last column over all series (--histofall), if there is more than one
 */
void rt_report_percentiles(FILE *out, const struct rt_snapshot *snap, int64_t unit_ns,
			   bool with_all);

/**
 * struct rt_thread_line - the line "T: 0 (12661) P:90 I:1000 C: 100 Min: ..."
 * @priority:    -1: the tool has no such field
 * @interval_us: 0: the tool has no such field
 * @smis:        NULL: no such field
 * @no_min:      what Min shows before the first sample: 1000000 in cyclictest
 */
struct rt_thread_line {
	unsigned int index;
	pid_t tid;
	int priority;
	int64_t interval_us;
	const struct rt_stats *stats;
	int64_t unit_ns;
	const uint64_t *smis;
	int64_t no_min;
};

/** rt_report_thread_line() - one line, as programs and people read it while a run lasts and after it */
void rt_report_thread_line(FILE *out, const struct rt_thread_line *line);

/**
 * struct rt_histogram_text - the text block of linear histograms, as many parsers read it
 * @columns:   one a series
 * @snap:      their records, in the same order
 * @with_sum:  -H: a last column over all; in the summary lines only behind more
 *             than one, as parsers know it
 * @zero_rows: print rows in which nobody has anything, too
 * @percentiles: their lines behind the overflows
 * @smis:      "# SMIs:" line; NULL: none
 */
struct rt_histogram_text {
	unsigned int columns;
	const struct rt_linear *const *linear;
	const struct rt_snapshot *snap;
	int64_t unit_ns;
	bool with_sum;
	bool zero_rows;
	bool percentiles;
	const uint64_t *smis;
};

/** rt_report_histogram() - the whole block, from "# Histogram" to its empty line */
void rt_report_histogram(FILE *out, const struct rt_histogram_text *h);

/**
 * rt_report_break() - the two lines "# Break thread: TID", "# Break value: N"
 * Nothing if no sample passed the limit. What became of the trace is said on stderr.
 */
void rt_report_break(FILE *out, const struct rt_threshold *t);

#endif
