/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rt-migrate-test - what its parts hand to each other, in the order of a run:
 *
 *     mig_opts     what was typed                           options.c
 *     mig_plan     how many tasks at which priority         plan.c
 *     mig_task     what one task works on                   tasks.c
 *     mig_lap      what it did in one iteration             rule.c
 *     mig_session  what exists while it runs                main.c, report.c
 */
#ifndef MIGRATE_H
#define MIGRATE_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/cpuset.h"
#include "rt/err.h"
#include "rt/options.h"
#include "rt/session.h"

/** struct mig_opts - the command line, unresolved; @tasks 0: not given */
struct mig_opts {
	struct rt_opts_results results;
	int64_t tasks;
	int64_t priority;
	bool equal;
	int64_t loops;
	int64_t duration_ns;
	int64_t run_ns;
	int64_t sleep_ns;
	int64_t maxerr_ns;
	bool check;
	bool quiet;
};

extern const struct rt_opt_table mig_table;

/** struct mig_plan - everything decided, nothing touched */
struct mig_plan {
	const struct mig_opts *opts;
	int argc;
	char **argv;
	unsigned int tasks;
	int main_priority; /* above all tasks */
	struct rt_cpuset usable;
	struct rt_results_plan results;
};

int mig_plan_make(struct mig_plan *plan, const struct mig_opts *opts, int argc, char **argv,
		  struct rt_err *err);
void mig_plan_done(struct mig_plan *plan);

/** mig_priority() - of a task; the lowest, the highest, and those between are alike with --equal */
int mig_priority(const struct mig_opts *opts, unsigned int tasks, unsigned int task);

/** struct mig_lap - one task in one iteration; times since the release */
struct mig_lap {
	int64_t start_ns;
	int64_t end_ns;
	uint64_t loops;
};

/** enum mig_fault - how a task came too late behind one of lower or equal priority */
enum mig_fault {
	MIG_FINE = 0,
	MIG_FEWER_LOOPS,   /* it got less done */
	MIG_STARTED_AFTER, /* it began only when the other had ended */
	MIG_ENDED_AFTER,   /* it ended much later than the other */
};

/**
 * mig_judge() - the pass rule for two neighbours
 * @lower, @higher: of the task below and of the one above
 */
enum mig_fault mig_judge(const struct mig_lap *lower, const struct mig_lap *higher,
			 int64_t maxerr_ns);

/** mig_find() - the first task of an iteration that breaks the rule; 0: none (task 0 never does) */
unsigned int mig_find(const struct mig_lap *laps, unsigned int tasks, int64_t maxerr_ns,
		      enum mig_fault *ret);

/** mig_fault_text() - the fault as the end of "task 2 ..." */
const char *mig_fault_text(enum mig_fault fault);

/**
 * struct mig_gate - where the tasks wait for each iteration
 * @round:    raised by main to let them go; each task looks for its change
 * @arrivals: of all tasks together, ever; a multiple of their number when all are there
 * @from_ns:  when main opened it, CLOCK_MONOTONIC
 */
struct mig_gate {
	_Atomic uint32_t round RT_CACHE_ALIGNED;
	_Atomic uint32_t arrivals RT_CACHE_ALIGNED;
	int64_t from_ns;
};

/** struct mig_task - written by the task, read by main while the task waits at the gate */
struct mig_task {
	struct mig_lap lap;
	struct mig_gate *gate;
	const struct mig_plan *plan;
	bool moves; /* the highest one: to the next CPU before each iteration */
} RT_CACHE_ALIGNED;

/** struct mig_session - one run, owned by main */
struct mig_session {
	struct rt_session rt;
	const struct mig_plan *plan;
	const struct mig_opts *opts;
	struct mig_gate *gate;
	struct mig_task *tasks;
	struct mig_lap *laps;   /* iteration by iteration, a lap a task */
	unsigned int rounds;    /* iterations done */
	unsigned int room;      /* iterations that laps has room for */
	unsigned int culprit;   /* task that came too late in the last iteration; 0: none */
	enum mig_fault fault;
};

/* tasks.c */
int mig_tasks_make(struct mig_session *s, struct rt_err *err);
void mig_tasks_free(struct mig_session *s);
extern const struct rt_crew_plan mig_crew_plan;

/** mig_round() - one iteration of all tasks, its laps kept; 0 or a negative errno */
int mig_round(struct mig_session *s, struct rt_err *err);

/** mig_rounds_end() - let all tasks leave */
void mig_rounds_end(struct mig_session *s);

/* report.c */
void mig_report_plan(struct mig_plan *plan);
void mig_report_progress(const struct mig_session *s);
int mig_report(struct mig_session *s, int exit_status, struct rt_err *err);

#define MIG_BAR_WIDTH 70
/** mig_bar() - the progress bar: back to the left, frame, back, dashes; @buf of MIG_BAR_MAX */
#define MIG_BAR_MAX (2 * MIG_BAR_WIDTH + 16)
char *mig_bar(char *buf, unsigned int done, unsigned int all);

#endif
