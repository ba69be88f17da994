/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oslat - what its parts hand to each other, in the order of a run:
 *
 *     osl_opts     what was typed                          options.c
 *     osl_plan     who runs where and how; touches nothing plan.c
 *     osl_session  what exists while it runs               arm.c, main.c
 *     osl_thread   what one busy loop works on             thread.c
 *     its counts as buckets, text and documents            counts.c, report.c
 */
#ifndef OSLAT_H
#define OSLAT_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/cpuset.h"
#include "rt/cycles.h"
#include "rt/err.h"
#include "rt/options.h"
#include "rt/samples.h"
#include "rt/session.h"
#include "rt/threshold.h"
#include "rt/trace.h"
#include "rt/tracing.h"

/** enum osl_work - what a loop does between two readings of the counter */
enum osl_work { OSL_WORK_NO, OSL_WORK_MEMMOVE };

/** struct osl_opts - the command line, unresolved; zero is "not given" */
struct osl_opts {
	struct rt_opts_results results;
	struct rt_opts_tracing tracing;
	const char *cpu_list;
	int64_t main_cpu;
	bool has_main_cpu;
	int64_t priority;

	int64_t duration_ns;
	int64_t preheat_ns;
	bool single_preheat;

	enum osl_work work;
	int64_t work_bytes;

	int64_t buckets;
	bool has_buckets;
	int64_t width_ns;
	bool bias;
	int64_t threshold_us; /* 0: none */
	bool zero_omit;
	bool quiet;
};

extern const struct rt_opt_table osl_table;

/** struct osl_plan - everything decided, nothing touched */
struct osl_plan {
	const struct osl_opts *opts;
	int argc;
	char **argv;
	struct rt_cpuset measured;
	unsigned int threads;  /* one on each measured CPU */
	unsigned int preheats; /* how many of them, the first ones, preheat */
	int main_cpu;
	bool is_main_apart;
	int64_t unit_ns; /* of display and of the bias: 1000, or 1 where the width has fractions of a us */
	uint32_t buckets;
	struct rt_results_plan results;
	struct rt_tracing_plan tracing;
};

/**
 * osl_plan_make() - resolve the options against this machine
 * Return: 0; a negative errno with a sentence.
 */
int osl_plan_make(struct osl_plan *plan, const struct osl_opts *opts, int argc, char **argv,
		  struct rt_err *err);
void osl_plan_done(struct osl_plan *plan);

/* Gaps up to this many cycles are only counted, a cell for each number of cycles. */
#define OSL_CELLS 4096

/**
 * struct osl_counts - what a loop has seen; written by it alone, in cycles and ns
 * @cells:   gaps of exactly so many cycles
 * @buckets: longer ones, by the bucket rule
 * @log:     the same, by the log-linear rule, RT_LOG_BUCKETS of them
 * @long_cycles, @long_count, @early, @min_long_ns: of the longer ones
 * @max_cycles, @max_at: the largest of all, and the counter at its end
 */
struct osl_counts {
	uint64_t *cells;
	uint64_t *buckets;
	uint64_t *log;
	uint64_t long_cycles;
	uint64_t long_count;
	uint64_t early;
	int64_t min_long_ns;
	uint64_t max_cycles;
	uint64_t max_at;
};

struct osl_meeting;
struct osl_session;

/** struct osl_thread - the block of one thread, on its own node, hot members first */
struct osl_thread {
	struct osl_counts counts;
	uint64_t few_cycles; /* gaps below go into the cells */
	struct rt_run *run;
	void *from;          /* for memmove; NULL without */
	void *to;
	size_t work_bytes;

	struct rt_cycles_scale scale;
	int64_t width_ns;
	int64_t bias_ns;
	uint32_t bucket_count;
	int64_t threshold_ns; /* INT64_MAX: none */
	struct rt_threshold *threshold; /* -T, --why; NULL: neither, or in the preheat */
	uint64_t resumed;     /* the counter behind what a hit took, which is no gap; else 0 */
	struct rt_ring *ring; /* --samples: gaps beyond the first bucket; NULL in the preheat */

	struct rt_cycles_stamp born;    /* since here the frequency is known better and better */
	struct rt_cycles_stamp started; /* of the real run */
	struct rt_cycles_stamp ended;
	uint64_t first;                 /* first and */
	uint64_t last;                  /* last reading of the real run */
	uint64_t last_gap;
	_Atomic bool is_measuring;      /* the counts are the real run's */
	bool has_moved;                 /* it was pushed off its CPU; valid after the join */

	struct osl_meeting *meeting;
	const struct osl_plan *plan;
	struct osl_session *session;
	struct rt_record *record; /* written by main, from the counts */
	unsigned int index;
	int cpu;
	pid_t tid;
	struct rt_ring *samples_ring;
	size_t counts_size;
} RT_CACHE_ALIGNED;

/**
 * struct osl_meeting - where the threads meet between the preheat and the run
 * @min_ns: smallest gap of all who preheat
 * @word:   0 until all have arrived, then 1
 * @at_line: who stands ready for the real run
 */
struct osl_meeting {
	_Atomic uint32_t word;
	_Atomic uint32_t arrived;
	_Atomic uint32_t at_line;
	_Atomic int64_t min_ns;
	struct rt_trace_mark mark; /* -T */
	_Atomic bool is_hit;       /* somebody passed -T: the first one */
	_Atomic bool is_hit_told;  /* and what follows is valid */
	unsigned int hit_index;
	int64_t hit_ns;
	uint64_t hit_at;
	int mark_error;
} RT_CACHE_ALIGNED;

/** struct osl_session - one run, owned by main */
struct osl_session {
	struct rt_session rt;
	const struct osl_plan *plan;
	const struct osl_opts *opts;
	struct osl_meeting meeting;
	struct rt_threshold threshold;
	struct rt_tracing tracing;
	struct osl_thread **threads;
	bool is_measuring;
};

/* arm.c: make everything that the run needs, each with its undo. */
int osl_arm(struct osl_session *s, const struct osl_plan *plan, struct rt_err *err);
void osl_disarm(struct osl_session *s);

/* thread.c: preheat, meet, measure. */
int osl_thread_prepare(struct rt_member *m, struct rt_err *err);
int osl_thread_body(struct rt_member *m, struct rt_err *err);
uint64_t osl_gap(struct osl_thread *t, uint64_t before, uint64_t cycles);

/* counts.c: what loops have seen, in other shapes. */
size_t osl_counts_size(uint32_t buckets);
void osl_counts_place(struct osl_counts *c, void *memory, uint32_t buckets);
void osl_counts_clear(struct osl_counts *c, uint32_t buckets);
uint32_t osl_bucket_of(const struct osl_thread *t, int64_t gap_ns);
int64_t osl_smallest_ns(const struct osl_counts *c, const struct rt_cycles_scale *scale);
void osl_publish(struct osl_thread *t);                      /* counts -> record */
void osl_fill_buckets(const struct osl_thread *t, uint64_t *ret); /* -> plan->buckets counts */

/* report.c: what is said before, meanwhile and after. */
void osl_report_plan(struct osl_plan *plan);
void osl_publish_all(void *session); /* for watchers and documents */
void osl_say_plan(const struct osl_session *s);
void osl_say_bias(const struct osl_session *s);
int osl_report(struct osl_session *s, int exit_status, struct rt_err *err);

#endif
