/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threshold - what is done when a sample passes the break limit (-b): the
 * measuring thread itself marks and stops the trace, then the run ends.
 *
 * Or it goes on (--keep-going), or there is no limit and each new worst sample
 * counts (--why): then main is woken, takes the hit, does what takes time, and
 * releases the threshold for the next one. Meanwhile others are only counted.
 */
#ifndef RT_THRESHOLD_H
#define RT_THRESHOLD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "rt/compiler.h"
#include "rt/run.h"
#include "rt/trace.h"

/**
 * struct rt_hit - a sample that passed
 * @value:  in the unit of display
 * @at_ns:  when it was taken, in the clock of the measurement
 * @lat_ns: 0: not told
 */
struct rt_hit {
	unsigned int series;
	pid_t tid;
	int64_t value;
	int64_t at_ns;
	int64_t lat_ns;
};

/**
 * struct rt_threshold - one for the whole run; lies in shared memory when members are processes
 * @from_ns: the smallest latency that passes the limit *as printed*: at -b 20 (us)
 *           this is 21000 ns, since 20.9 us shows as 20. INT64_MAX: no limit
 * @limit:   as given, in the unit of display
 * @mark:    closed: no trace is touched
 * @is_claimed: a thread is at it: the first one to set it
 * @series, @tid, @value, @at_ns: of the first sample that passed; valid once is_taken
 * @mark_error: negative errno if the mark could not be written
 * @keeps_going: the run does not end with it
 * @is_rising: no limit: a sample passes if it is the worst so far
 * @instance_fd: tracing_on of our own instance, which every hit stops; -1: none
 * @passed:   how many samples passed, handled or not
 * @worst_ns: when rising; stays at UINT32_MAX once it was reached
 * @missed_ns: when rising, the largest that was worse but came while another one was handled
 * @is_pending: @hit waits for main
 */
struct rt_threshold {
	int64_t from_ns;
	int64_t limit;
	struct rt_trace_mark mark;
	_Atomic bool is_claimed;
	_Atomic bool is_taken;
	unsigned int series;
	pid_t tid;
	int64_t value;
	int64_t at_ns;
	int mark_error;
	bool keeps_going;
	bool is_rising;
	int instance_fd;
	_Atomic unsigned long passed;
	_Atomic uint32_t worst_ns;
	_Atomic uint32_t missed_ns;
	_Atomic bool is_pending;
	struct rt_hit hit;
};

/** rt_threshold_init() - @limit in units of @unit_ns; 0: none */
void rt_threshold_init(struct rt_threshold *t, int64_t limit, int64_t unit_ns);

/**
 * rt_threshold_trace() - for tools whose bare -b stops the trace: open what it takes
 * @with_mark: a marker was asked for in words. Without, a trace that can't be
 *             stopped is a warning
 * Nothing is done without a limit. Close with rt_trace_mark_close().
 * Return: 0; a negative errno with a sentence.
 */
int rt_threshold_trace(struct rt_threshold *t, bool with_mark, struct rt_err *err);

/** rt_threshold_tell() - what became of the trace, on stderr, if a sample passed the limit */
void rt_threshold_tell(const struct rt_threshold *t);

/** rt_limit_from_ns() - smallest latency whose truncated value is above @limit units; INT64_MAX for 0 */
int64_t rt_limit_from_ns(int64_t limit, int64_t unit_ns);

/** rt_threshold_passed() - does this sample pass it? */
RT_INLINE bool rt_threshold_passed(const struct rt_threshold *t, int64_t lat_ns)
{
	return rt_unlikely(lat_ns >= t->from_ns);
}

/**
 * rt_threshold_hit() - by the measuring thread, at once: trace, then the end of the run
 * Only the first one counts.
 */
void rt_threshold_hit(struct rt_threshold *t, struct rt_run *run, unsigned int series, pid_t tid,
		      int64_t value, int64_t at_ns);

/** rt_threshold_take() - the same with the exact latency, as the threshold's kind asks for */
void rt_threshold_take(struct rt_threshold *t, struct rt_run *run, const struct rt_hit *hit);

/** rt_threshold_rise() - instead of a limit: each new worst sample, and the run goes on */
void rt_threshold_rise(struct rt_threshold *t);

/** rt_threshold_miss() - when rising: a worse one that could not be handled; by any thread */
void rt_threshold_miss(struct rt_threshold *t, int64_t lat_ns);

/**
 * rt_threshold_next() - main: is there a hit to handle?
 * Until rt_threshold_release() no other one is kept.
 */
bool rt_threshold_next(struct rt_threshold *t, struct rt_hit *ret);
void rt_threshold_release(struct rt_threshold *t);

#endif
