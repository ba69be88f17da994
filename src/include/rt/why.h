/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why - what kept a thread from running between the moment it wanted to and the
 * moment it did, found in a trace of its CPU.
 *
 * Every stretch of that time gets exactly one cause, so that the causes add up
 * to the latency; what the trace does not tell is a cause of its own. Within an
 * interrupt, a softirq or an NMI it is that one, the innermost; else it depends
 * on what the thread was waiting for:
 *
 *     its timer        timer late: while the CPU idled, or a task ran
 *     somebody         waker: until that one had woken it
 *     the CPU          a thread that goes before it; a task below it, or the idle
 *                      loop, that was not left yet; one below it that the kernel
 *                      chose all the same, since it throttles real-time tasks or
 *                      serves the others
 *     nothing          switch-in: from the switch to it until it read the clock;
 *                      of a thread that never slept this is unexplained
 *
 * The trace is read as text, the form that people keep, send and read, which needs no
 * library: a reader of the binary pages would need libtraceevent for their formats, or a
 * copy of it, and could tell no more. For the kernel's rounding to microseconds there is
 * rt_trace_refine(): then a stretch is exact to the nanosecond, as the sum is in any case,
 * since its two ends are the thread's own. What is left is the correction of the clock: the
 * trace's may be some nanoseconds off the thread's.
 *
 * Time that the host of a virtual machine stole is in the stretch that it fell into, a
 * thread's or a late timer's: no event marks it. rt/steal.h has what can be known.
 */
#ifndef RT_WHY_H
#define RT_WHY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "rt/err.h"
#include "rt/json.h"

/**
 * enum rt_why_for - what the thread was waiting for at first
 * @RT_WHY_FOR_TIMER:  the time that it slept until
 * @RT_WHY_FOR_PERIOD: a deadline thread that yielded: its next period. No wake-up
 *                     is recorded for it, but its timer's expiry
 * @RT_WHY_FOR_WAKER:  a wake-up by somebody, who had begun with it at wake_ns
 * @RT_WHY_FOR_CPU:    nothing: it was running, and wanted to go on
 */
enum rt_why_for {
	RT_WHY_FOR_TIMER = 0,
	RT_WHY_FOR_PERIOD,
	RT_WHY_FOR_WAKER,
	RT_WHY_FOR_CPU,
};

/** enum rt_why_kind - what a stretch of a latency was spent with */
enum rt_why_kind {
	RT_WHY_TIMER_LATE,
	RT_WHY_WAKER,
	RT_WHY_IRQ,
	RT_WHY_SOFTIRQ,
	RT_WHY_NMI,
	RT_WHY_THREAD,    /* of the same or a better priority */
	RT_WHY_HELD,      /* of a worse one: the kernel did not leave it at once */
	RT_WHY_GIVEN,     /* of a worse one, switched to all the same: throttling, the fair server */
	RT_WHY_IDLE_EXIT,
	RT_WHY_SWITCH_IN,
	RT_WHY_OTHERS,    /* explained, but more causes than there is room for */
	RT_WHY_UNEXPLAINED,
	RT_WHY_KINDS
};

#define RT_WHY_NAME_MAX 40
#define RT_WHY_CAUSES_MAX 32
#define RT_WHY_PRIO_UNKNOWN 1000

/**
 * struct rt_why_cause - one of them, summed up
 * @name:  of the interrupt, softirq or task; of the task that ran meanwhile for
 *         RT_WHY_TIMER_LATE; of who woke it for RT_WHY_WAKER; "" where there is none
 * @pid:   of that task; 0: none, or idle
 * @prio:  as the kernel counts: 0-98 real-time (99 is 1 ... 0 is 99), 100-139 nice
 *         -20 to 19, below 0 deadline; RT_WHY_PRIO_UNKNOWN
 * @times: stretches of one sample; samples of a ranking
 */
struct rt_why_cause {
	enum rt_why_kind kind;
	char name[RT_WHY_NAME_MAX];
	int pid;
	int prio;
	int64_t ns;
	unsigned int times;
};

/**
 * struct rt_why_sample - which latency is to be explained
 * @noun: what a series is called; NULL: "thread"
 * @cpu: where the thread wanted to run; -1: the trace tells
 * @wake_ns, @now_ns: in the trace's clock
 * @since_ns: the trace stood still before, and what is older says nothing of now; 0: it did not
 */
struct rt_why_sample {
	enum rt_why_for waits_for;
	const char *noun;
	unsigned int series;
	int cpu;
	int tid;
	int64_t wake_ns;
	int64_t now_ns;
	int64_t since_ns;
};

/**
 * struct rt_why - a latency taken apart
 * @timer_ns: when the interrupt came that woke it; -1 where the trace does not tell
 * @woken_ns, @in_ns: when it was woken; when the CPU switched to it
 * @lost:     events that the buffer did not keep and that would belong here
 * @causes:   in the order in which they came; their sum is now_ns - wake_ns
 */
struct rt_why {
	struct rt_why_sample sample;
	int64_t timer_ns;
	int64_t woken_ns;
	int64_t in_ns;
	uint64_t lost;
	unsigned int count;
	struct rt_why_cause causes[RT_WHY_CAUSES_MAX];
};

/**
 * rt_why_explain() - take a latency apart
 * @trace: text as a trace file has it, '\0' behind it
 * Return: 0, also if all of it stays unexplained; -ENOMEM.
 */
int rt_why_explain(struct rt_why *ret, const struct rt_why_sample *sample, const char *trace,
		   struct rt_err *err);

/**
 * rt_why_rank() - add the causes of one sample to a ranking, largest first; zero it before
 * Tasks of one name and priority are one cause there; without a pid if they were several.
 */
void rt_why_rank(struct rt_why *ranking, const struct rt_why *one);

/** rt_why_largest() - the cause with the most time; NULL if there is none */
const struct rt_why_cause *rt_why_largest(const struct rt_why *why);

/** rt_why_events() - what to record for it: "SYSTEM:NAME"; NULL behind the last */
extern const char *const rt_why_events_needed[];
extern const char *const rt_why_events_wanted[];
extern const char *const rt_why_events_for_period[]; /* RT_WHY_FOR_PERIOD wants these, too */

/**
 * rt_why_say() - the explanation as lines that begin with '#'
 * @unit_ns: unit of display; the whole numbers of the first line add up
 */
void rt_why_say(FILE *out, const struct rt_why *why, int64_t unit_ns);
void rt_why_say_ranking(FILE *out, const struct rt_why *ranking, unsigned int samples,
			int64_t unit_ns);

/** rt_why_json(), rt_why_json_causes() - the same as a document's members, in nanoseconds */
struct json_object *rt_why_json(const struct rt_why *why);
struct json_object *rt_why_json_causes(const struct rt_why *why);

#endif
