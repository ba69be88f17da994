/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signaltest - how long a signal takes once around a ring of threads.
 *
 *     sig_opts     what was typed                        options.c
 *     sig_plan     who runs where; touches nothing       plan.c
 *     sig_session  what exists while it runs             arm.c
 *     sig_thread   what one of the ring works on         ring.c
 */
#ifndef SIGNALTEST_H
#define SIGNALTEST_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/clock.h"
#include "rt/cpuset.h"
#include "rt/crew.h"
#include "rt/err.h"
#include "rt/options.h"
#include "rt/samples.h"
#include "rt/session.h"
#include "rt/threshold.h"

/** struct sig_opts - the command line, unresolved; zero is "not given" */
struct sig_opts {
	struct rt_opts_results results;
	const char *affinity; /* NULL: all usable CPUs */
	bool is_pinned;       /* -a was given */
	int64_t threads;      /* 0: one per CPU */
	bool has_threads;
	bool smp;
	int64_t priority;
	int64_t loops;
	int64_t duration_ns;
	struct rt_span breaktrace; /* 0: never */
	bool tracemark;
	bool mlockall;
	bool quiet;
	bool verbose;
};

extern const struct rt_opt_table sig_table;

/** struct sig_plan - everything decided, nothing touched */
struct sig_plan {
	const struct sig_opts *opts;
	struct rt_results_plan results;
	unsigned int threads;
	struct rt_cpuset cpus;
	struct rt_cpuset main_cpus;
	bool moves_main;
	int64_t breaktrace; /* in us; 0: none */
};

int sig_plan_make(struct sig_plan *plan, const struct sig_opts *opts, int argc, char **argv,
		  struct rt_err *err);
void sig_plan_done(struct sig_plan *plan);

/**
 * struct sig_ring - what the threads pass around
 * @holder:    whose turn it is: it says whether a signal stood for a turn
 * @paused_ns: how long thread 0 has paused in all; written in its turn only
 */
struct sig_ring {
	_Atomic unsigned int holder RT_CACHE_ALIGNED;
	_Atomic int64_t paused_ns;
};

/**
 * struct sig_thread - one of the ring
 * @sent_ns:   when it last sent the signal on
 * @paused_seen_ns: of ring->paused_ns, what does not belong to its next value
 * @rounds:    values to take; UINT64_MAX: endless
 * @disturbed: turns that began with somebody else's signal: no values
 * @has_moved: it was pushed off its CPU; valid after the join
 * @values, @samples: rings of -v and --samples; NULL: none
 */
struct sig_thread {
	struct rt_record *record;
	struct sig_ring *ring;
	struct sig_thread *next;
	struct rt_run *run;
	struct rt_threshold *threshold;
	int64_t sent_ns;
	int64_t paused_seen_ns;
	int64_t until_ns;
	uint64_t rounds;
	uint64_t disturbed;
	unsigned int index;
	bool is_last;
	bool has_moved;
	pid_t tid;
	struct rt_ring *values;
	struct rt_ring *samples;
} RT_CACHE_ALIGNED;

/** struct sig_session - one run, owned by main */
struct sig_session {
	struct rt_session rt;
	const struct sig_plan *plan;
	const struct sig_opts *opts;
	struct rt_threshold threshold;
	struct sig_ring *ring;
	struct sig_thread *threads;
};

/* ring.c: the crew's callbacks. */
int sig_prepare(struct rt_member *m, struct rt_err *err);
int sig_body(struct rt_member *m, struct rt_err *err);

/* arm.c */
int sig_arm(struct sig_session *s, const struct sig_plan *plan, struct rt_err *err);
void sig_disarm(struct sig_session *s);

/* report.c */
void sig_fill_json(struct json_object *document, void *session);
void sig_fill_result(struct json_object *own, void *session);
void sig_note(void *session); /* before records are copied */
void sig_tick(void *session);
void sig_header(struct sig_session *s);
int sig_report(struct sig_session *s, int exit_status, struct rt_err *err);

#endif
