/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * queuelat - a packet queue that one CPU serves by polling, as a model: the work is
 * the copying of a block of memory, packets arrive while it lasts, and interruptions
 * make it last longer.
 *
 *     qlt_opts     what was typed                                    options.c
 *     qlt_plan     the same, checked against each other              options.c
 *     qlt_block    a block of the wanted duration                    calibrate.c
 *     qlt_queue    the queue                                         here
 *     qlt_serve()  the loop                                          serve.c
 *     qlt_search() the greatest rate that never overruns             search.c
 *
 * One thread does it all, with the policy and on the CPUs that it was started with.
 */
#ifndef QUEUELAT_H
#define QUEUELAT_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/cycles.h"
#include "rt/err.h"
#include "rt/options.h"
#include "rt/session.h"

/** struct qlt_opts - the command line, unresolved */
struct qlt_opts {
	struct rt_opts_results results;
	int64_t cycles; /* a packet; 0: not given */
	double mhz;
	bool has_mhz;
	int64_t max_len_ns;
	double mpps;
	bool has_mpps;
	int64_t queue_len;
	int64_t timeout_ns; /* 0: none */
	bool find_max;
	int64_t run_ns;
	bool has_run;
	int64_t confirm_ns;
	bool has_confirm;
};

extern const struct rt_opt_table qlt_table;

/** struct qlt_plan - everything decided */
struct qlt_plan {
	const struct qlt_opts *opts;
	int argc;
	char **argv;
	struct rt_cycles_scale scale;
	uint64_t measured_hz;
	uint64_t max_queue; /* packets that can be served within the allowed latency */
	struct rt_results_plan results;
};

int qlt_plan_make(struct qlt_plan *plan, const struct qlt_opts *opts, int argc, char **argv,
		  struct rt_err *err);

/** qlt_packets() - how many packets of @cycles each are served in @ns, whole ones */
uint64_t qlt_packets(int64_t ns, int64_t cycles, uint64_t hz);

/* Durations of blocks: buckets of 100 ns up to 70 us, and one for all above. */
#define QLT_BUCKETS 700u
#define QLT_WIDTH_NS 100
#define QLT_TOP_NS (QLT_BUCKETS * QLT_WIDTH_NS)

struct qlt_histogram {
	uint64_t buckets[QLT_BUCKETS + 1];
	uint64_t count;
};

RT_INLINE void qlt_count(struct qlt_histogram *h, int64_t ns)
{
	uint64_t bucket = (uint64_t)ns / QLT_WIDTH_NS;

	h->buckets[bucket < QLT_BUCKETS ? bucket : QLT_BUCKETS]++;
	h->count++;
}

/** qlt_fullest() - the bucket with the most samples, the first of several */
unsigned int qlt_fullest(const struct qlt_histogram *h);

/**
 * qlt_usual_ns() - what a block usually takes at most: the upper end of the first bucket
 * above the fullest one that holds less than a fortieth of all samples
 */
int64_t qlt_usual_ns(const struct qlt_histogram *h);

/**
 * struct qlt_queue - the queue's arithmetic, without loss
 * @pps:    packets that arrive a second
 * @drain:  packets that are served with each block
 * @part:   of the next packet that has arrived, in 1/10^9
 */
struct qlt_queue {
	uint64_t pps;
	uint64_t drain;
	uint64_t length;
	uint64_t longest;
	uint64_t part;
};

/** qlt_arrive() - what arrives in @ns */
RT_INLINE uint64_t qlt_arrive(struct qlt_queue *q, int64_t ns)
{
	uint64_t seconds = (uint64_t)ns / RT_NS_PER_S;
	uint64_t part = q->part + ((uint64_t)ns - seconds * RT_NS_PER_S) * q->pps;

	q->part = part % RT_NS_PER_S;
	return seconds * q->pps + part / RT_NS_PER_S;
}

/** qlt_step() - one block of @ns: arrivals, then service; returns the arrivals */
RT_INLINE uint64_t qlt_step(struct qlt_queue *q, int64_t ns)
{
	uint64_t arrived = qlt_arrive(q, ns);

	q->length += arrived;
	q->length = q->length > q->drain ? q->length - q->drain : 0;
	if (q->length > q->longest)
		q->longest = q->length;
	return arrived;
}

/** struct qlt_block - the work: @bytes are copied */
struct qlt_block {
	char *from;
	char *to;
	size_t bytes;
	uint64_t drain;       /* packets served with it */
	int64_t loop_cost_ns; /* what the loop takes without any copying */
};

/** enum qlt_end - how serving ended */
enum qlt_end { QLT_TIME_OVER, QLT_EXCEEDED, QLT_STOPPED };

/** struct qlt_try - one run of --find-max */
struct qlt_try {
	int64_t tenths; /* of a million packets a second */
	int64_t time_ns;
	bool is_good;
};

#define QLT_TRIES_MAX 4096

/** struct qlt_session - one run */
struct qlt_session {
	struct rt_session rt;
	const struct qlt_plan *plan;
	const struct qlt_opts *opts;
	struct rt_record *record;
	struct qlt_block block;
	struct qlt_histogram histogram;
	struct qlt_queue queue;
	int marker_fd;
	enum qlt_end end;
	int64_t best_tenths; /* --find-max: 0: none found */
	bool is_confirmed;
	bool is_bound; /* even the highest rate that is tried was good */
	struct qlt_try *tries;
	unsigned int try_count;
};

/* Beyond this the histogram would not show a block's usual time. */
#define QLT_BLOCK_MAX_NS 60000

/** qlt_block_ns() - how long a block shall take: half of the allowed latency */
static inline int64_t qlt_block_ns(const struct qlt_opts *o)
{
	return o->max_len_ns / 2 < QLT_BLOCK_MAX_NS ? o->max_len_ns / 2 : QLT_BLOCK_MAX_NS;
}

/* calibrate.c */
void qlt_clear(struct qlt_session *s); /* no blocks yet */
int qlt_calibrate(struct qlt_session *s, struct rt_err *err);
void qlt_block_free(struct qlt_block *block);

/**
 * qlt_serve() - copy blocks until the time is over, the queue too long, or a signal comes
 * @time_ns: 0: endless
 */
enum qlt_end qlt_serve(struct qlt_session *s, uint64_t pps, int64_t time_ns);

/**
 * struct qlt_search - the search's question and what it says meanwhile
 * @is_good: 1: that rate held for that long; 0: it did not; negative: stop searching
 * @say:     one line; may be NULL
 */
struct qlt_search {
	int (*is_good)(void *data, int64_t tenths, int64_t time_ns);
	void (*say)(void *data, const char *line);
	void *data;
	int64_t run_ns;
	int64_t confirm_ns;
};

#define QLT_TENTHS_MAX 10000 /* 1000 million packets a second */

/**
 * qlt_search() - the greatest rate, in tenths of a million packets a second
 * Return: that rate, confirmed; 0 if even a tenth is too much; QLT_TENTHS_MAX if
 * nothing is; negative: stopped.
 */
int64_t qlt_search(const struct qlt_search *search);

/* report.c */
void qlt_report_plan(struct qlt_plan *plan);
void qlt_say_plan(const struct qlt_session *s);
void qlt_say_calibration(const struct qlt_session *s);
int qlt_report(struct qlt_session *s, int exit_status, struct rt_err *err);

#endif
