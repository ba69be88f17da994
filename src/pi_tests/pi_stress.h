/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pi_stress - what its parts hand to each other, in the order of a run:
 *
 *     pis_opts     what was typed                           pi_stress_options.c
 *     pis_plan     who runs where and how; touches nothing  pi_stress_plan.c
 *     pis_session  what exists while it runs                pi_stress_arm.c, pi_stress_watch.c
 *     pis_group    what three threads work on               pi_stress_group.c
 */
#ifndef PI_STRESS_H
#define PI_STRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "pi_stress_group.h"
#include "rt/cpuset.h"
#include "rt/options.h"
#include "rt/sched.h"
#include "rt/session.h"

/** enum pis_noise - how much is said; zero is the usual */
enum pis_noise { PIS_QUIET = 1, PIS_VERBOSE = 2 };

/** struct pis_sched_opts - one --sched; zero where a key was not given */
struct pis_sched_opts {
	bool is_given;
	bool has_policy;
	bool has_priority;
	bool has_nice;
	enum rt_policy policy;
	int64_t priority;
	int64_t nice;
	int64_t runtime_ns;
	int64_t deadline_ns;
	int64_t period_ns;
};

/** struct pis_opts - the command line, unresolved; zero is "not given" */
struct pis_opts {
	struct rt_opts_results results;
	int64_t duration_ns;
	int64_t groups;
	bool has_groups;
	int64_t inversions; /* of each group; 0 or less: endless */
	int64_t watchdog_ns;
	int64_t section_ns;
	bool no_pi;
	bool rr;
	bool uniprocessor;
	struct pis_sched_opts sched[PIS_ROLES];
	bool mlockall;
	bool prompt;
	int noise; /* enum pis_noise */
	bool debug;
	bool nsecs;
	struct rt_span histogram;
	bool has_histogram;
};

extern const struct rt_opt_table pis_table;

/**
 * pis_sched_parse() - "id=high,policy=fifo,priority=5" into the row of its id
 * Return: 0; a negative errno with a sentence that does not name the option.
 */
int pis_sched_parse(struct pis_sched_opts sched[PIS_ROLES], const char *text, struct rt_err *err);

/** struct pis_seat - how the threads of one role run, in every group */
struct pis_seat {
	struct rt_sched sched;
	int nice;
	bool has_nice;
};

/** struct pis_plan - everything decided, nothing touched */
struct pis_plan {
	const struct pis_opts *opts;
	struct rt_results_plan results;
	struct rt_cpuset usable;
	unsigned int groups;
	int admin_cpu;     /* main's */
	bool is_shared;    /* some group runs on main's CPU too */
	struct pis_seat seats[PIS_ROLES];
	struct rt_sched admin;
	int64_t unit_ns;
	int64_t limit;     /* --limit in units; 0: none */
	uint32_t buckets;  /* 0: no linear histogram */
	int64_t section_ns;
	int64_t patience_ns;
	int64_t tick_ns;   /* of the watchdog and the live line */
};

/** pis_roles_resolve() - seats and main's policy from the options; 0, or -EINVAL with a sentence */
int pis_roles_resolve(struct pis_plan *plan, const struct pis_opts *opts, struct rt_err *err);

/** pis_group_cpu() - where group @index runs: CPUs behind main's first, then wrapping to it */
int pis_group_cpu(const struct pis_plan *plan, unsigned int index);

int pis_plan_make(struct pis_plan *plan, const struct pis_opts *opts, int argc, char **argv,
		  struct rt_err *err);
void pis_plan_done(struct pis_plan *plan);

/** enum pis_state - what the watchdog has found out about a group */
enum pis_state { PIS_GOOD, PIS_SLOW, PIS_DEADLOCKED };

/** struct pis_dog - the watchdog's view of one group; main only */
struct pis_dog {
	uint64_t passes;       /* at the last progress */
	unsigned int still;    /* ticks without any since then */
	int64_t since_ns;      /* the first of them */
	int64_t low_ran_ns;    /* CPU time by then; negative: unknown */
	int64_t med_ran_ns;
	enum pis_state state;
};

/** struct pis_session - one run, owned by main */
struct pis_session {
	struct rt_session rt;
	const struct pis_plan *plan;
	const struct pis_opts *opts;
	struct pis_group *groups; /* one a group, in pages of their own */
	struct pis_shared *shared;
	struct pis_dog *dogs;
	struct rt_err watchdog;   /* what it has barked */
	bool is_live;
};

/* pi_stress_arm.c: make everything that the run needs, each with its undo. */
int pis_arm(struct pis_session *s, const struct pis_plan *plan, struct rt_err *err);
void pis_disarm(struct pis_session *s);

/* pi_stress_watch.c: what main does before and meanwhile. */
void pis_watch_plan(const struct pis_plan *plan, struct rt_run_plan *run_plan);
void pis_watch_intro(struct pis_session *s);
void pis_watch_prompt(struct pis_session *s);
void pis_info(const struct pis_session *s, const char *fmt, ...) RT_PRINTF(2, 3);
const char *pis_sched_text(char *buf, size_t size, const struct pis_seat *seat);

/* pi_stress_dog.c: is anybody stuck? */
void pis_dog_look(struct pis_session *s);

/* pi_stress_report.c: after the run, also after one that failed. */
uint64_t pis_passes(const struct pis_group *g);
uint64_t pis_inversions(const struct pis_group *g);
uint64_t pis_total(const struct pis_session *s);
void pis_report_plan(struct pis_plan *plan);
int pis_check(struct pis_session *s, struct rt_err *err);
int pis_report(struct pis_session *s, int exit_status, struct rt_err *err);

#endif
