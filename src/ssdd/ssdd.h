/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ssdd - what its parts hand to each other, in the order of a run:
 *
 *     ssdd_opts     what was typed                             options.c
 *     ssdd_pair     a tracer and its tracee, as main sees them  tracer.c
 *     ssdd_session  what exists while it runs                  main.c, pairs.c, report.c
 */
#ifndef SSDD_H
#define SSDD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "rt/compiler.h"
#include "rt/err.h"
#include "rt/options.h"
#include "rt/session.h"

/** struct ssdd_opts - the command line */
struct ssdd_opts {
	struct rt_opts_results results;
	int64_t forks;
	int64_t iters;
	bool quiet;
};

extern const struct rt_opt_table ssdd_table;

#define SSDD_TEXT_MAX 256

/**
 * struct ssdd_pair - shared between main and a tracer
 * @tracer: 0 once it was waited for; main's
 * @tracee: its process id, a futex: written by itself once it is sure to die with its
 *          tracer; 0 before that, and by the tracer once it was waited for
 * @steps:  done so far; the tracer's
 * @has_failed: @text is set, by the tracer before it ends, or by main after that
 */
struct ssdd_pair {
	pid_t tracer;
	_Atomic uint32_t tracee;
	_Atomic uint64_t steps;
	_Atomic bool has_failed;
	char text[SSDD_TEXT_MAX];
	uint64_t seen_steps; /* main's, when it last looked */
	int64_t seen_at_ns;
} RT_CACHE_ALIGNED;

/** struct ssdd_session - one run, owned by main */
struct ssdd_session {
	struct rt_session rt;
	const struct ssdd_opts *opts;
	int argc;
	char **argv;
	struct rt_results_plan results_plan;
	struct ssdd_pair *pairs;
	unsigned int made;
	unsigned int left;   /* tracers that were waited for */
	unsigned int failed; /* pairs */
};

/** enum ssdd_state - what a wait(2) status says */
enum ssdd_state { SSDD_EXITED, SSDD_EXITED_ERRSTAT, SSDD_STOPPED, SSDD_SIGNALED, SSDD_UNKNOWN };
enum ssdd_state ssdd_state(int wait_status, int *ret_signal);
const char *ssdd_state_name(enum ssdd_state state);

/** ssdd_trace() - a tracer's whole life; never returns */
void ssdd_trace(struct ssdd_session *s, unsigned int index) __attribute__((noreturn));

/** ssdd_probe() - may we trace at all? Tried on a child. 0; a negative errno, RT_EXIT_MISSING */
int ssdd_probe(struct rt_err *err);

/* pairs.c */
int ssdd_pairs_init(struct ssdd_session *s, struct rt_err *err);
int ssdd_pairs_start(struct ssdd_session *s, struct rt_err *err);
void ssdd_pairs_watch(void *session); /* a tick: who makes no progress has failed */
bool ssdd_pairs_ended(void *session);
void ssdd_pairs_end(struct ssdd_session *s); /* nobody is left after this */
void ssdd_pairs_done(struct ssdd_session *s);

/* report.c */
void ssdd_report_plan(struct ssdd_session *s);
void ssdd_report_header(struct ssdd_session *s);
int ssdd_report(struct ssdd_session *s, int exit_status, struct rt_err *err);

#endif
