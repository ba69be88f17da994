/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session - what every run has, made and ended in one order. A tool's own
 * session has it as its member and adds what only this tool needs:
 *
 *     rt_session_open()      signals, the undo list, the documents      arm
 *     rt_session_lock()      memory, as asked; or
 *     rt_session_try_lock()  memory, where it can be
 *     rt_session_mark()      what a break (-b) does to the trace
 *     rt_session_records()   the numbers, a series each
 *     rt_session_crew()      those who measure
 *     rt_session_series()    what a series is
 *     rt_results_ring()      its way to --samples
 *     rt_session_extras()    --samples, --load
 *     rt_session_begin()     the run starts                             run
 *     rt_session_lost_cpu()  a member was not where it should have been
 *     rt_session_done()      all of it goes, and is put back            undo
 *
 * A tool calls what it needs. Whatever fails, rt_session_done() ends it all.
 */
#ifndef RT_SESSION_H
#define RT_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "rt/compiler.h"
#include "rt/crew.h"
#include "rt/err.h"
#include "rt/live.h"
#include "rt/results.h"
#include "rt/run.h"
#include "rt/status.h"
#include "rt/threshold.h"
#include "rt/undo.h"

/**
 * struct rt_session - one run, owned by main; zero it before the first use
 * @live:        ready to draw where text goes
 * @has_started: it is reported, also if it failed since
 */
struct rt_session {
	struct rt_run *run;
	struct rt_undo *undo;
	struct rt_crew *crew;
	struct rt_status *status;
	struct rt_results results;
	struct rt_live live;
	bool has_started;
};

/**
 * rt_session_open() - take the signals, replay what dead runs left, prove the files
 * @run:     its data is handed to the callbacks of both plans; a checkpoint needs
 *           none of its own: the documents are written then
 * @results: without data
 * Return: 0; a negative errno with a sentence.
 */
int rt_session_open(struct rt_session *s, const struct rt_run_plan *run,
		    const struct rt_results_plan *results, struct rt_err *err);

/** rt_session_lock() - lock all memory, if that was asked for in words: then it has to be had */
int rt_session_lock(struct rt_session *s, bool is_asked, struct rt_err *err);

/**
 * rt_session_try_lock() - lock all memory; where that can't be had a warning says so
 * @more: bytes that the tool will map after it
 * Return: is it locked?
 */
bool rt_session_try_lock(struct rt_session *s, size_t more);

/**
 * rt_session_mark() - rt_threshold_trace(), with the mark noted for the result
 * Nothing is done without a limit.
 */
int rt_session_mark(struct rt_session *s, struct rt_threshold *t, bool with_mark,
		    struct rt_err *err);

/** rt_session_records() - so many series, for watchers and documents; 0; -ENOMEM with a sentence */
int rt_session_records(struct rt_session *s, unsigned int series, struct rt_err *err);

/**
 * rt_session_crew() - so many members; the caller then fills them, before rt_crew_form()
 * @plan: without count and undo
 * Return: 0; -ENOMEM with a sentence.
 */
int rt_session_crew(struct rt_session *s, const struct rt_crew_plan *plan, unsigned int count,
		    struct rt_err *err);

/**
 * rt_session_series() - a series is what this member measures: where it runs and as what
 * @m:    filled; its index is the series', too, if the caller gives it no other
 * @kind: "wakeup", "handover", ...
 * Return: its description, for what else there is to say.
 */
struct rt_series_info *rt_session_series(struct rt_session *s, unsigned int series,
					 const struct rt_member *m, const char *kind,
					 const char *name, ...) RT_PRINTF(5, 6);

/**
 * rt_session_extras() - what goes on beside the run: the file of --samples, the command of --load
 * After all series and rings, before the crew is formed.
 */
int rt_session_extras(struct rt_session *s, struct rt_err *err);

/** rt_session_begin() - right before the release: from here on the run is reported */
void rt_session_begin(struct rt_session *s);

/**
 * rt_session_lost_cpu() - the member behind a series was pushed off its CPU
 * It is not reported as having been there.
 * @who: "thread 3"; NULL: the series' name
 * Return: -ENODEV with a sentence (RT_EXIT_FAILED).
 */
int rt_session_lost_cpu(struct rt_session *s, unsigned int series, const char *who,
			struct rt_err *err);

/** rt_session_undo() - put everything back already now, where that uses what the tool frees */
void rt_session_undo(struct rt_session *s);

/** rt_session_done() - free everything, put everything back; also half-made, also twice */
void rt_session_done(struct rt_session *s);

#endif
