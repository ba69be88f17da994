/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracing - a run beside a trace of our own: tracers and events that are
 * stopped at the break and saved, actions, and explanations (--why).
 *
 *     rt_tracing_check()   can it be had? touches nothing           plan
 *     rt_tracing_arm()     the instance, the trace's file           arm
 *     rt_tracing_begin()   recording starts                         run
 *     rt_tracing_look()    main: handle a hit, if there is one      run
 *     rt_tracing_end()     the last one                             after it
 *     rt_tracing_say(), rt_tracing_json()                           report
 *     rt_tracing_done()
 */
#ifndef RT_TRACING_H
#define RT_TRACING_H

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "rt/actions.h"
#include "rt/cpuset.h"
#include "rt/err.h"
#include "rt/instance.h"
#include "rt/json.h"
#include "rt/options.h"
#include "rt/outfile.h"
#include "rt/run.h"
#include "rt/steal.h"
#include "rt/threshold.h"
#include "rt/undo.h"
#include "rt/why.h"

#define RT_TRACING_WORDS 32
#define RT_TRACING_WHYS 8

/** struct rt_opts_tracing - the group of options; zero is: no tracing */
struct rt_opts_tracing {
	const char *tracer;                    /* -T and the letters of old */
	const char *event[RT_TRACING_WORDS];   /* --event, -C */
	unsigned int events;
	bool all_events;                       /* -E alone */
	const char *option[RT_TRACING_WORDS];  /* -O */
	unsigned int options;
	struct rt_actions actions;             /* --on-threshold */
	bool why;
	bool keep_going;
};
extern const struct rt_opt rt_rows_tracing[];       /* with cyclictest's letters */
extern const struct rt_opt rt_rows_tracing_long[];  /* without any: other tools have these */
extern const struct rt_opt rt_rows_tracing_oslat[]; /* likewise; its break is asked for with -T */

/**
 * struct rt_tracing_plan - what a tool tells
 * @tool:      for the trace's file name
 * @has_break: -b was given
 * @break_option: its long name; NULL: "breaktrace"
 * @clock:     in which samples are stamped
 * @measured:  whose events are recorded
 * @waits_for: what a latency begins with; 0: with a timer
 * @noun:      what a series is called; NULL: "thread"
 * @cpu_of:    where a series is pinned to; -1: nowhere
 */
struct rt_tracing_plan {
	const struct rt_opts_tracing *opts;
	const char *tool;
	bool has_break;
	const char *break_option;
	clockid_t clock;
	int64_t unit_ns;
	const struct rt_cpuset *measured;
	enum rt_why_for waits_for;
	const char *noun;
	int (*cpu_of)(void *data, unsigned int series);
	void *data;
};

/**
 * struct rt_tracing - one run's; zero it before the first use
 * @top:     instead of or beside the instance, for a tracer that runs nowhere else
 * @file:    where the trace goes at a break; NULL: nowhere
 * @whys:    the largest latencies that were explained, largest first
 * @on_ns:   since when it records, in the clock of the samples
 * @length:  of the instance's trace when it was read last
 * @handled: hits that were looked at; others came while that was done
 * @explained: those among them that were due after @on_ns
 * @unsaved: why the trace could not be written, if so
 * @steal:   while it recorded; with --why
 */
struct rt_tracing {
	struct rt_tracing_plan plan;
	struct rt_threshold *threshold;
	struct rt_instance *instance;
	struct rt_instance *top;
	struct rt_outfile *file;
	const char *file_name;
	char *own_name;
	struct rt_why whys[RT_TRACING_WHYS];
	unsigned int why_count;
	struct rt_why ranking;
	int64_t on_ns;
	size_t length;
	unsigned int handled;
	unsigned int explained;
	bool is_saved;
	struct rt_err unsaved;
	struct rt_steal steal;
};

/**
 * rt_tracing_check() - refuse what can't go together or can't be had here
 * Options that only have a meaning with a break limit are warned about without one.
 * Return: 0; a negative errno with a sentence.
 */
int rt_tracing_check(const struct rt_tracing_plan *plan, struct rt_err *err);

/** rt_tracing_arm() - after rt_threshold_init() and the opening of its marks */
int rt_tracing_arm(struct rt_tracing *t, const struct rt_tracing_plan *plan,
		   struct rt_threshold *threshold, struct rt_undo *undo, struct rt_err *err);

void rt_tracing_begin(struct rt_tracing *t);

/**
 * rt_tracing_look() - save and explain the trace of a hit, carry out the actions
 * What fails is a warning: the run is what counts. Starts recording again if the run goes on.
 */
void rt_tracing_look(struct rt_tracing *t);

/** rt_tracing_watch() - the same, for rt_run_wait(); false: a hit never says that all is done */
bool rt_tracing_watch(void *tracing);

/**
 * rt_tracing_end() - after the join: handle the last hit
 * Return: 0; a negative errno with a sentence when a trace was lost (RT_EXIT_FAILED).
 */
int rt_tracing_end(struct rt_tracing *t, struct rt_err *err);

/** rt_tracing_say() - explanations as '#' lines; nothing without --why */
void rt_tracing_say(const struct rt_tracing *t, FILE *out);

/** rt_tracing_json() - adds "why", "causes" and "stolen" to a tool's own part */
void rt_tracing_json(const struct rt_tracing *t, struct json_object *own);

/** rt_tracing_done() - close all; before rt_undo_all() */
void rt_tracing_done(struct rt_tracing *t);

#endif
