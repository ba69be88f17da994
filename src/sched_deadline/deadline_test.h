/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * deadline_test - what its parts hand to each other, in the order of a run:
 *
 *     dlt_opts     what was typed                           test_options.c
 *     dlt_plan     who reserves what, where; touches nothing test_plan.c
 *     dlt_speed    how much work a CPU does                 test_work.c
 *     dlt_session  what exists while it runs                test_arm.c
 *     dlt_thread   what one working thread has              test_thread.c
 */
#ifndef DEADLINE_TEST_H
#define DEADLINE_TEST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "places.h"
#include "reserve.h"
#include "rt/clock.h"
#include "rt/err.h"
#include "rt/options.h"
#include "rt/samples.h"
#include "rt/session.h"

#define DLT_CLOCK CLOCK_MONOTONIC_RAW /* as near to the scheduler's own as there is */

/** struct dlt_opts - the command line; zero is "not given" */
struct dlt_opts {
	struct rt_opts_results results;
	struct dl_places_opts places;
	bool last_cpu;
	int64_t interval_ns;
	int64_t step_ns;
	int64_t threads;
	int64_t percent;
	int64_t run_percent;
	int64_t rt_priority;
	bool hrtick;
	int64_t duration_ns;
	int64_t limit_missed;
	bool has_limit_missed;
	bool verbose;
};

extern const struct rt_opt_table dlt_table;

/** struct dlt_plan - everything decided, nothing touched */
struct dlt_plan {
	const struct dlt_opts *opts;
	int argc;
	char **argv;
	char last_cpu[16]; /* -b as a list */
	struct dl_places_opts places_opts;
	struct dl_places places;
	unsigned int threads;
	int percent; /* of a CPU, each thread */
	int64_t limit; /* --limit in us; 0: none */
	struct dl_reserve *reserves;
	struct rt_results_plan results;
};

int dlt_plan_make(struct dlt_plan *plan, const struct dlt_opts *opts, int argc, char **argv,
		  struct rt_err *err);
void dlt_plan_done(struct dlt_plan *plan);

/** dlt_percent() - a thread's share of a CPU: at least 1, at most 90 */
int dlt_percent(int64_t percent, int cpus, unsigned int threads);

/* ---- test_work.c ------------------------------------------------------------------- */


/** dlt_work_do() - so many loops of it, from the start; returns the highest prime */
uint32_t dlt_work_do(uint64_t loops);

/** struct dlt_speed - of the CPU that was tried */
struct dlt_speed {
	int64_t loops_per_ms;
	int64_t overhead_us; /* what a period costs beside its loops */
};

/** dlt_loops() - how many fill this part of a runtime */
uint64_t dlt_loops(const struct dlt_speed *speed, int64_t runtime_ns, int64_t run_percent);

/**
 * dlt_calibrate() - find the speed, then a number of loops for each runtime that fits into it
 * @loops: one a thread
 * @out:   says what was measured
 * Return: 0; a negative errno with a sentence when the machine is too disturbed.
 */
int dlt_calibrate(struct dlt_speed *speed, uint64_t *loops, const struct dlt_plan *plan,
		  FILE *out, struct rt_err *err);

/**
 * struct dlt_thread - one thread's counts; written by it alone, read after the join
 * @switches, @migrations: -1: the kernel does not tell
 */
struct dlt_thread {
	struct rt_record *starts; /* how late periods started */
	struct rt_record *runs;   /* how long the work took */
	struct rt_ring *samples_ring;
	struct rt_run *run;
	struct dl_reserve reserve;
	uint64_t loops;
	int64_t until_ns;
	uint64_t missed_deadlines;
	uint64_t adjustments; /* the phase was found to be earlier */
	int64_t adjusted_ns;
	uint32_t prime;
	int64_t voluntary;
	int64_t involuntary;
	int64_t migrations;
	unsigned int index;
	pid_t tid;
	struct dlt_session *session;
} RT_CACHE_ALIGNED;

/** struct dlt_session - one run, owned by main */
struct dlt_session {
	struct rt_session rt; /* its crew: the threads, and behind them the spinner of -r */
	const struct dlt_plan *plan;
	const struct dlt_opts *opts;
	struct rt_partition *partition;
	struct dlt_speed speed;
	uint64_t *loops;
	struct dlt_thread **threads;
	struct rt_err offline;
};

/* test_arm.c */
int dlt_arm(struct dlt_session *s, struct dlt_plan *plan, struct rt_err *err);
void dlt_disarm(struct dlt_session *s);

/* test_thread.c */
int dlt_threads_make(struct dlt_session *s, struct rt_err *err);
void dlt_threads_free(struct dlt_session *s);
extern const struct rt_crew_plan dlt_crew_plan;

/* test_report.c */
void dlt_report_plan(struct dlt_plan *plan);
int dlt_report(struct dlt_session *s, int exit_status, struct rt_err *err);

#endif
