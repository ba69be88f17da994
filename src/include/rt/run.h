/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run - when a run ends, and what the main thread does while it lasts.
 *
 * The main thread sleeps in sigtimedwait(2); it wakes for signals, for ticks
 * that were asked for, at the end of the duration, and when a member ends the
 * run, which sends it the wake-up signal. No signal handler does work.
 *
 * It does not poll a signalfd while others measure: the kernel wakes who does so
 * at every signal to any thread of the process, and signals are what some tools
 * measure.
 */
#ifndef RT_RUN_H
#define RT_RUN_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "rt/compiler.h"
#include "rt/err.h"

/** enum rt_ended_by - why a run ended */
enum rt_ended_by {
	RT_ENDED_NOT = 0, /* it goes on */
	RT_ENDED_DURATION,
	RT_ENDED_LOOPS,
	RT_ENDED_SIGNAL,
	RT_ENDED_THRESHOLD,
	RT_ENDED_ERROR,
};

/**
 * struct rt_run_plan - what ends it and what happens meanwhile
 * @duration_ns: on CLOCK_MONOTONIC from the release; 0: endless
 * @tick_ns:     how often @tick is called; 0: never
 * @checkpoint_ns: how often @checkpoint is called; 0: never
 * @checkpoint_data: handed to it
 * @usr1, @usr2: called on these signals; NULL: the signal keeps its default action;
 *            @usr1 writes to stderr and is not called while that has no reader
 * @data:        handed to all others
 */
struct rt_run_plan {
	int64_t duration_ns;
	int64_t tick_ns;
	void (*tick)(void *data);
	int64_t checkpoint_ns;
	void (*checkpoint)(void *data);
	void *checkpoint_data;
	void (*usr1)(void *data);
	void (*usr2)(void *data);
	void *data;
};

#define RT_RUN_CHILDREN 4 /* rooms that may wait for children: a load, a crew */

/**
 * struct rt_run - shared with the members, also when they are processes
 * @is_over: the only word that measuring loops look at
 */
struct rt_run {
	_Atomic int is_over RT_CACHE_ALIGNED;
	_Atomic int ended_by RT_CACHE_ALIGNED; /* enum rt_ended_by; the first one stays */
	_Atomic int signal;                    /* for RT_ENDED_SIGNAL */
	int64_t started_ns;                    /* CLOCK_MONOTONIC; both set before the release */
	int64_t until_ns;                      /* started + duration; INT64_MAX when endless */
	struct rt_run_plan plan;
	pid_t main_pid;
	sigset_t wakes;  /* what ends main's sleep */
	int signal_fd;   /* the same signals, for a main that waits for something else, too */
	struct rt_run_child {
		void (*call)(void *data);
		void *data;
	} children[RT_RUN_CHILDREN]; /* on SIGCHLD; each looks for its own */
};

/** rt_run_over() - should the measuring loop end? */
RT_INLINE bool rt_run_over(const struct rt_run *run)
{
	return atomic_load_explicit(&run->is_over, memory_order_relaxed);
}

/**
 * rt_run_new() - block the signals and get ready; before the first thread is made
 *
 * SIGINT and SIGTERM end a run also when they were inherited as ignored,
 * SIGHUP unless it was. SIGPIPE is ignored. All members inherit the mask.
 *
 * Return: 0; negative errno.
 */
int rt_run_new(struct rt_run **ret, const struct rt_run_plan *plan, struct rt_err *err);
void rt_run_free(struct rt_run *run);

/**
 * rt_run_end() - end it; from main or from a member, any number of times
 * Costs one write(2): members call it outside their measuring.
 */
void rt_run_end(struct rt_run *run, enum rt_ended_by why);

/** rt_run_begin() - the clock of the duration starts; called by rt_crew_release() */
void rt_run_begin(struct rt_run *run);

/**
 * rt_run_on_child() - call this on each SIGCHLD; main only
 * Several rooms have children: each waits for its own by pid, never for any.
 */
void rt_run_on_child(struct rt_run *run, void (*call)(void *data), void *data);

/** rt_run_take_signals() - act on the signals that are waiting, without sleeping; main only */
void rt_run_take_signals(struct rt_run *run);

/**
 * rt_run_wake() - make rt_run_wait() look again (a member has ended)
 */
void rt_run_wake(struct rt_run *run);

/**
 * rt_run_wait() - sleep until the run is over
 * @has_ended: looked at after each wake-up: true when all that is waited for
 *             is done (all members have left); may be NULL
 */
void rt_run_wait(struct rt_run *run, bool (*has_ended)(void *data), void *data);

/** rt_run_ended_text() - "duration", "loops", "signal:INT", "threshold", "error", "checkpoint" */
const char *rt_run_ended_text(const struct rt_run *run);

/** rt_run_progress() - 0..1 of the duration; negative when endless */
double rt_run_progress(const struct rt_run *run);

/** rt_run_wake_signal() - SIGURG: blocked, and has a handler that does nothing */
int rt_run_wake_signal(void);

/** rt_run_clean_signals() - default actions and an empty mask, in a child before its execve(2) */
void rt_run_clean_signals(void);

#endif
