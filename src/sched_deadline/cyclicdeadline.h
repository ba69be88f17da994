/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cyclicdeadline - what its parts hand to each other, in the order of a run:
 *
 *     cdl_opts     what was typed                           cyclic_options.c
 *     cdl_plan     who reserves what, where; touches nothing cyclic_plan.c
 *     cdl_session  what exists while it runs                cyclic_arm.c, cyclic_watch.c
 *     cdl_thread   what one measuring thread works on       cyclic_measure.c, cyclic_thread.c
 */
#ifndef CYCLICDEADLINE_H
#define CYCLICDEADLINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "places.h"
#include "reserve.h"
#include "rt/clock.h"
#include "rt/err.h"
#include "rt/histogram.h"
#include "rt/options.h"
#include "rt/samples.h"
#include "rt/session.h"
#include "rt/tracing.h"
#include "rt/threshold.h"

/*
 * The kernel counts periods in the scheduler's clock, which knows nothing of
 * NTP; of the clocks that can be read this one is nearest to it.
 */
#define CDL_CLOCK CLOCK_MONOTONIC_RAW

/** struct cdl_opts - the command line, unresolved; zero is "not given" */
struct cdl_opts {
	struct rt_opts_results results;
	struct rt_opts_tracing tracing;
	struct dl_places_opts places;
	int64_t threads; /* 0 with has_threads: one per CPU */
	bool has_threads;
	int64_t interval_ns;
	bool has_interval;
	int64_t step_ns;
	bool has_step;
	const char *runtimes;
	const char *deadlines;
	const char *periods;
	bool reclaim;
	bool overrun;
	bool hrtick;
	int64_t duration_ns;
	struct rt_span histogram;
	bool has_histogram;
	const char *histfile;
	bool zero_rows;
	struct rt_span breaktrace;
	bool has_breaktrace;
	bool tracemark;
	int64_t limit_missed;
	bool has_limit_missed;
	bool nsecs;
	bool quiet;
	bool verbose;
	bool debug;
};

extern const struct rt_opt_table cdl_table;

/** struct cdl_plan - everything decided, nothing touched */
struct cdl_plan {
	const struct cdl_opts *opts;
	int argc;
	char **argv;
	struct dl_places places;
	unsigned int threads;
	struct dl_reserve *reserves; /* one a thread */
	uint64_t flags;              /* of sched_setattr(2) */
	int64_t shortest_runtime_ns;
	int64_t longest_period_ns;
	int64_t unit_ns;   /* of display: 1000, or 1 with -N */
	uint32_t buckets;  /* 0: no linear histogram */
	int64_t limit;     /* --limit in units; 0: none */
	int64_t breaktrace; /* -b in units; 0: none */
	struct rt_results_plan results;
	struct rt_tracing_plan tracing;
};

/**
 * cdl_plan_make() - resolve the options against this machine
 * Return: 0; a negative errno with a sentence.
 */
int cdl_plan_make(struct cdl_plan *plan, const struct cdl_opts *opts, int argc, char **argv,
		  struct rt_err *err);
void cdl_plan_done(struct cdl_plan *plan);

/**
 * struct cdl_thread - the block of one thread, hot members first
 * @seen_ns:  when it ran last, and
 * @first_ns: when its first period began, in CDL_CLOCK
 * @until_ns: when its duration is over
 * @phase_ns: so long it watches its returns before it knows its phase
 * @missed_deadlines, @overruns, @cpu_overruns: written by it alone, see RT_STATS_GET()
 */
struct cdl_thread {
	struct rt_record *record;
	struct rt_linear *linear; /* NULL without --histogram */
	struct rt_threshold *threshold;
	struct rt_run *run;
	struct rt_ring *samples_ring;
	int64_t seen_ns;
	int64_t first_ns;
	int64_t until_ns;
	int64_t phase_ns;
	int64_t unit_ns;
	struct dl_reserve reserve;
	uint64_t missed_deadlines;
	uint64_t overruns;     /* SIGXCPUs taken; at least so many runtimes were overrun */
	uint64_t cpu_overruns; /* cycles that took more CPU time than the runtime */
	uint64_t resets;       /* how often the phase was found anew after a missed period */
	int64_t cpu_seen_ns;
	unsigned int index;
	pid_t tid;
	bool with_overrun;
	struct cdl_session *session;
	size_t linear_size;
} RT_CACHE_ALIGNED;

/** struct cdl_session - one run, owned by main */
struct cdl_session {
	struct rt_session rt;
	const struct cdl_plan *plan;
	const struct cdl_opts *opts;
	struct rt_partition *partition; /* NULL: none is needed */
	struct rt_threshold threshold;
	struct rt_tracing tracing;
	struct cdl_thread **threads;
	_Atomic unsigned int measuring; /* threads that are not through with their duration */
	struct rt_outfile *histfile;
	struct rt_stats *seen; /* newest copies for the status lines */
	struct rt_err offline; /* a CPU was taken offline: why the run ended */
};

/* cyclic_arm.c: make everything that the run needs, each with its undo. */
int cdl_arm(struct cdl_session *s, struct cdl_plan *plan, struct rt_err *err);
void cdl_disarm(struct cdl_session *s);

/* cyclic_thread.c: the crew's callbacks and the threads' memory. */
int cdl_threads_make(struct cdl_session *s, struct rt_err *err);
void cdl_threads_free(struct cdl_session *s);
extern const struct rt_crew_plan cdl_crew_plan;

/* cyclic_measure.c: until the thread's duration or the run is over. */
void cdl_measure(struct cdl_thread *t);

/* cyclic_watch.c: what main does meanwhile. */
void cdl_watch_plan(const struct cdl_plan *plan, struct rt_run_plan *run_plan);
void cdl_watch_begin(struct cdl_session *s);
void cdl_watch_end(struct cdl_session *s);
/**
 * cdl_show() - make a copy fit for the old formats, whose readers know no signs:
 * what is early, by the error of the phase, is 0 there
 */
void cdl_show(struct rt_stats *stats);
void cdl_status_lines(struct cdl_session *s, FILE *out);

/* cyclic_report.c: after the run, also after one that failed. */
void cdl_report_plan(struct cdl_plan *plan);
int cdl_report(struct cdl_session *s, int exit_status, struct rt_err *err);

#endif
