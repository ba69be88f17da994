/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hrtimer-test - how exact the kernel's timers are, for each clock, each way to
 * sleep, and a sweep of periods.
 *
 *     hrt_opts    what was typed                             options.c
 *     hrt_cell    one clock, one way, one period             plan.c, measure.c
 *     hrt_way     how to sleep                               ways.c
 *     hrt_clock   a clock by itself: step, drift             clocks.c
 *     hrt_verdict what --check says                          check.c
 *     text and documents                                     report.c
 */
#ifndef HRTIMER_H
#define HRTIMER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "rt/err.h"
#include "rt/options.h"
#include "rt/session.h"

#define HRT_CLOCKS 4
#define HRT_WAYS 9
#define HRT_PERIODS_MAX 32
#define HRT_SLACKS 3

/** struct hrt_opts - the command line; zero is "not given" */
struct hrt_opts {
	struct rt_opts_results results;
	unsigned int clocks; /* bits */
	unsigned int ways;   /* bits */
	int64_t periods[HRT_PERIODS_MAX];
	unsigned int period_count;
	int64_t loops;
	int64_t cell_time_ns;
	int64_t slack_ns;
	bool has_slack;
	int64_t priority;
	const char *affinity;
	bool check;
	bool quiet;
};

extern const struct rt_opt_table hrt_table;

/* ---- clocks ---------------------------------------------------------------------- */

/** struct hrt_clock - what is found out about a clock alone */
struct hrt_clock {
	clockid_t id;
	int64_t resolution_ns; /* as reported; 0: this kernel has no such clock */
	int64_t step_ns;       /* smallest step between two readings that differ */
	int64_t began_ns, began_raw_ns;
	double drift_ppm;      /* against CLOCK_MONOTONIC_RAW */
	bool has_drift;        /* the run was long enough, and nobody set the clock */
	bool was_set;
};

extern const clockid_t hrt_clock_ids[HRT_CLOCKS];

void hrt_clock_begin(struct hrt_clock *clock, clockid_t id);
void hrt_clock_end(struct hrt_clock *clock);

/** hrt_clock_offset_ns() - a clock minus CLOCK_MONOTONIC, good to a microsecond or so */
int64_t hrt_clock_offset_ns(clockid_t id);

/** hrt_clock_stepped() - did a clock jump, if its offset went @from -> @to in @elapsed_ns? */
bool hrt_clock_stepped(int64_t from_ns, int64_t to_ns, int64_t elapsed_ns);

/** hrt_hres_active() - 1: on all CPUs; 0: not on all; -1: the kernel does not tell */
int hrt_hres_active(void);
/** hrt_hres_parse() - the same from the text of /proc/timer_list */
int hrt_hres_parse(const char *text);

/* ---- ways --------------------------------------------------------------------------- */

/** struct hrt_timer - what a way needs between its calls */
struct hrt_timer {
	clockid_t clock;
	int64_t period_ns;
	int fd;
	timer_t timer;
	bool is_armed;
	int64_t unsure; /* expiries that passed by our own reckoning, not by the kernel's word */
	_Atomic uint32_t word;
	sigset_t signals;
	struct rt_sched before; /* SCHED_DEADLINE: what it was */
	struct rt_cpuset mask;
};

/**
 * struct hrt_way - a way to sleep
 * @clocks:  bits of those that the call takes
 * @unit_ns: shortest time that the call can be asked for; periods are multiples of it
 * @min_ns:  no period below this
 * @is_relative_only: what is early can't be judged: the periods' start is not ours
 * @arm:     start a periodic timer; NULL: each sleep is asked for anew
 * @sleep:   until the next expiry; @target_ns: when, for those that are asked anew
 *           Return: expirations; 0 if interrupted; a negative errno
 * @disarm:  NULL: nothing to do
 */
struct hrt_way {
	const char *name;
	unsigned int clocks;
	int64_t unit_ns;
	int64_t min_ns;
	bool is_relative_only;
	int (*arm)(struct hrt_timer *t);
	int64_t (*sleep)(struct hrt_timer *t, int64_t target_ns);
	void (*disarm)(struct hrt_timer *t);
};

extern const struct hrt_way hrt_ways[HRT_WAYS];

/* ---- cells ---------------------------------------------------------------------------- */

enum hrt_state { HRT_NOT_YET, HRT_IMPOSSIBLE, HRT_DONE, HRT_STEPPED };

/**
 * struct hrt_cell - one row of the table
 * @record: lateness of each expiry, in the sleep's own clock
 */
struct hrt_cell {
	unsigned int clock; /* index */
	const struct hrt_way *way;
	int64_t period_ns;
	uint64_t samples;   /* that are wanted */
	enum hrt_state state;
	int reason;         /* negative errno of an impossible one, if it was tried */
	struct rt_record *record;
};

bool hrt_cell_is_possible(const struct hrt_way *way, unsigned int clock, int64_t period_ns);
uint64_t hrt_samples(int64_t period_ns, int64_t cell_time_ns, int64_t loops);

/** struct hrt_slack - what PR_SET_TIMERSLACK does to sleeps of a millisecond */
struct hrt_slack {
	int64_t slack_ns;
	struct rt_stats stats;
	bool is_done;
};

/** struct hrt_shortest - the shortest sleep that a way gives when asked for its unit */
struct hrt_shortest {
	int64_t ns[HRT_WAYS][HRT_CLOCKS]; /* 0: not measured */
};

/** struct hrt_verdict - of --check */
struct hrt_verdict {
	int hres_active;       /* as hrt_hres_active() */
	bool is_fine_reported; /* resolutions reported are those of high-resolution timers */
	uint64_t early;
	int64_t shortest_ns;   /* of all ways */
	bool is_granularity_kept;
	bool passed;
};

/** struct hrt_session - one run */
struct hrt_session {
	struct rt_session rt;
	const struct hrt_opts *opts;
	int argc;
	char **argv;
	int cpu; /* -1: not pinned */
	struct rt_results_plan results_plan;
	struct hrt_clock clocks[HRT_CLOCKS];
	struct hrt_cell *cells;
	unsigned int cell_count;
	_Atomic unsigned int cells_begun; /* less than all if it was ended early */
	struct hrt_slack slacks[HRT_SLACKS];
	struct hrt_shortest shortest;
	int64_t slack_found_ns; /* as the thread was started with */
	struct hrt_verdict verdict;
};

/* plan.c */
int hrt_plan(struct hrt_session *s, struct rt_err *err);
/* measure.c: in the thread */
int hrt_body(struct rt_member *m, struct rt_err *err);

/** hrt_reckon_back() - how many expiries too many had been reckoned up to @last_ns */
int64_t hrt_reckon_back(struct hrt_timer *t, int64_t now_ns, int64_t last_ns);
/* check.c */
void hrt_judge(struct hrt_session *s);
/* report.c */
void hrt_report_plan(struct hrt_session *s);
int hrt_report(struct hrt_session *s, int exit_status, struct rt_err *err);

#endif
