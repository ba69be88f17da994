/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pairs - how long a hand-over takes: from one end's post to the other end's
 * wake-up. One engine, many mechanisms, five programs:
 *
 *     sigwaittest.c ...  a program: its own options, its mechanism   options.c
 *     pair_plan          which end runs where; touches nothing       plan.c
 *     pair_session       what exists while it runs                   arm.c
 *     pair_end           what one end works on, and its loop         ends.c
 *     pair_way, pair_via one direction of a pair; how it is passed   via.h, via_*.c
 *     pair_main()        the life of every one of these programs     run.c, report.c
 *
 * Pair i is the receiver, shown as number 2i, and the sender, 2i + 1. The way
 * from sender to receiver is what the text shows; the way back is measured
 * alike and stands in --result.
 */
#ifndef PAIRS_H
#define PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/clock.h"
#include "rt/cpuset.h"
#include "rt/err.h"
#include "rt/options.h"
#include "rt/samples.h"
#include "rt/session.h"
#include "rt/threshold.h"
#include "rt/tracing.h"
#include "via.h"

/** struct pair_opts - the command line, unresolved; zero is "not given" */
struct pair_opts {
	struct rt_opts_results results;
	struct rt_opts_tracing tracing;
	const char *affinity; /* -a LIST; NULL with is_pinned: all usable CPUs */
	bool is_pinned;
	const char *sender_affinity;
	int64_t threads; /* pairs; 0 with has_threads: one per CPU */
	bool has_threads;
	bool smp;
	int64_t priority;
	int64_t interval_ns;
	int64_t distance_ns;
	int64_t loops;
	int64_t duration_ns;
	struct rt_span breaktrace; /* 0: never */
	bool tracemark;
	bool quiet;
	bool fork;
	int64_t timeout_ns;      /* pmqtest -T; 0: none */
	int64_t forcetimeout_ns; /* pmqtest -f; 0: none */
	const struct pair_via *via; /* pairtest --via */
};

/* Rows that all five programs have, with pair_opts at offset 0; then come their own. */
extern const struct rt_opt pair_rows[];
#define PAIR_AT(field) offsetof(struct pair_opts, field)
#define PAIR_FORK_ROW(letter_, is_ours_)                                        \
	{ RT_OPT_FLAG, letter_, "fork", .field = PAIR_AT(fork), .is_ours = is_ours_, \
	  .help = "each end is a process instead of a thread" }
#define PAIR_MECHANISMS "futex, eventfd, pipe, unix, cond, signal, mq, ptsem or svsem"
#define PAIR_TRACING_ROWS RT_OPT_INCLUDE(rt_rows_tracing_long, PAIR_AT(tracing))
#define PAIR_RESULTS_ROWS RT_OPT_INCLUDE(rt_rows_results, PAIR_AT(results))

/**
 * struct pair_tool - what makes one of the programs
 * @via:             its mechanism; NULL: chosen by --via
 * @lowest_priority: each pair has one less than the one before, down to this
 * @shows_timeouts:  its lines and its JSON have that member
 */
struct pair_tool {
	const struct rt_opt_table *table;
	const struct pair_via *via;
	int lowest_priority;
	bool shows_timeouts;
};

/** struct pair_seat - where and how one end runs */
struct pair_seat {
	int cpu; /* -1: not pinned */
	int node;
	int priority; /* 0: SCHED_OTHER */
};

/** struct pair_plan - everything decided, nothing touched */
struct pair_plan {
	const struct pair_tool *tool;
	const struct pair_opts *opts;
	const struct pair_via *via;
	struct rt_results_plan results;
	unsigned int pairs;
	struct pair_seat *seats; /* two a pair: receiver, sender */
	struct rt_cpuset measured;
	struct rt_cpuset senders; /* --sender-affinity; else as measured */
	struct rt_cpuset traced;  /* both */
	struct rt_tracing_plan tracing;
	struct rt_cpuset main_cpus;
	bool moves_main;
	bool is_pinned;
	int64_t breaktrace; /* in us; 0: none */
};

/**
 * pair_plan_make() - resolve the options against this machine
 * Return: 0; a negative errno with a sentence.
 */
int pair_plan_make(struct pair_plan *plan, const struct pair_tool *tool,
		   const struct pair_opts *opts, int argc, char **argv, struct rt_err *err);
void pair_plan_done(struct pair_plan *plan);
int64_t pair_interval_ns(const struct pair_opts *opts, unsigned int pair);

/**
 * struct pair_end - one end, in memory that forked ends share, hot members first
 * @in, @out:  the ways that it waits on and posts to
 * @record:    of @in
 * @seen_ns:   the post that it took last
 * @rounds:    hand-overs to make; UINT64_MAX: endless
 * @pause_ns:  the receiver's interval; the sender's -f
 * @threshold: the receiver's -b; the sender has none
 * @ring:      of --samples; NULL: none
 * @seen_cpu:  where it last ran, if it is not pinned; read by others
 * @has_moved: it was pushed off its CPU; valid after the join
 * @pairs_left: how many pairs have not made all their rounds; of all ends
 */
struct pair_end {
	const struct pair_via *via;
	struct pair_way *in;
	struct pair_way *out;
	struct rt_record *record;
	struct rt_run *run;
	int64_t seen_ns;
	int64_t interval_ns;
	int64_t pause_ns;
	int64_t until_ns;
	uint64_t rounds;
	struct rt_threshold *threshold;
	struct rt_ring *ring;
	_Atomic unsigned int *pairs_left;
	unsigned int pair;
	bool is_sender;
	bool is_pinned;
	bool has_moved;
	pid_t tid;
	_Atomic int seen_cpu;
} RT_CACHE_ALIGNED;

/** struct pair - both ways and both ends */
struct pair {
	struct pair_way forth;
	struct pair_way back;
	struct pair_end receiver;
	struct pair_end sender;
};

/** struct pair_shared - what members write or share, in one mapping that forks inherit */
struct pair_shared {
	struct rt_threshold threshold;
	_Atomic unsigned int pairs_left RT_CACHE_ALIGNED;
	struct pair pairs[];
};

/** struct pair_session - one run, owned by main */
struct pair_session {
	struct rt_session rt; /* series: all ways forth, then all ways back */
	const struct pair_plan *plan;
	const struct pair_opts *opts;
	struct rt_tracing tracing;
	struct pair_shared *shared;
	size_t shared_size;
	unsigned int opened; /* pairs whose ways are open */
};

/* ends.c: the crew's callbacks. */
int pair_end_prepare(struct rt_member *m, struct rt_err *err);
int pair_end_body(struct rt_member *m, struct rt_err *err);

/* arm.c */
int pair_arm(struct pair_session *s, const struct pair_plan *plan, struct rt_err *err);
void pair_disarm(struct pair_session *s);

/* report.c */
void pair_fill_json(struct json_object *document, void *session);
void pair_fill_result(struct json_object *own, void *session);
void pair_note(void *session);    /* before records are copied */
void pair_draw(struct pair_session *s);
int pair_report(struct pair_session *s, int exit_status, struct rt_err *err);

/* run.c */
int pair_main(const struct pair_tool *tool, int argc, char **argv);

#endif
