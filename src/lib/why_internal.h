/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why_internal - the files of the why room:
 *
 *  why.c         a latency, in parts if the thread moved
 *  why_events.c  a trace -> the events that matter to it
 *  why_lines.c   one line -> an event
 *  why_walk.c    events -> causes
 *  why_causes.c  causes added up, sorted, ranked
 *  why_say.c     causes -> text and JSON
 */
#ifndef RT_WHY_INTERNAL_H
#define RT_WHY_INTERNAL_H

#include "rt/trace_line.h"
#include "rt/why.h"

#define WHY_COMM_MAX RT_TRACE_COMM_MAX
/* Timestamps are rounded, and the trace's clock is a hair off where it is corrected. */
#define WHY_SLACK_NS 1000

enum why_type {
	WHY_OTHER,  /* tells what runs on its CPU, no more */
	WHY_SWITCH,
	WHY_WAKING, /* other: who is woken */
	WHY_ENTRY,  /* kind, name: an interrupt or softirq begins */
	WHY_EXIT,
	WHY_NMI,    /* at its end; value: how long it took, ns */
	WHY_IDLE,   /* value: the state entered, -1 on leaving */
	WHY_MOVED,  /* other: who is now in the queue of another CPU; value: which */
	WHY_PERIOD, /* a deadline thread's timer; value: which one */
	WHY_LOST,   /* value: how many events; has no time */
};

struct why_task {
	char comm[WHY_COMM_MAX];
	int pid;
	int prio;
};

/**
 * struct why_event - one line
 * @current: who ran when it was written; of unknown priority but in WHY_SWITCH
 * @other:   next in WHY_SWITCH, who is woken in WHY_WAKING
 * @from_cpu: in WHY_MOVED, where it was
 * @stays_ready: WHY_SWITCH: the one that leaves wants to go on
 */
struct why_event {
	enum why_type type;
	int cpu;
	int64_t at_ns;
	struct why_task current;
	struct why_task other;
	bool stays_ready;
	int from_cpu;
	enum rt_why_kind kind;
	char name[RT_WHY_NAME_MAX];
	int64_t value;
};

/** rt_why_line() - read one line, up to its '\n' or '\0'; false: it is none, or a comment */
bool rt_why_line(struct why_event *ret, const char *line);

/**
 * struct why_events - those of one CPU, in order, and the wake-ups of the thread from all
 * @overwritten: how many the buffer did not keep, as far as they may belong here
 */
struct why_events {
	struct why_event *at;
	size_t count;
	size_t room;
	uint64_t overwritten;
};

/** rt_why_collect() - the events of a sample; free at. 0 or -ENOMEM */
int rt_why_collect(struct why_events *events, const struct rt_why_sample *s, const char *trace);

/** rt_why_find_cpu() - where the thread was switched in last; -1: the trace does not tell */
int rt_why_find_cpu(const struct rt_why_sample *s, const char *trace);

/**
 * rt_why_find_move() - where the thread goes next, if it does so after @from_ns and before the end
 * Return: false: it stays.
 */
bool rt_why_find_move(const struct rt_why_sample *s, int64_t from_ns, const char *trace,
		      struct why_event *ret);

/** rt_why_prio_of() - a task's priority, as any switch or wake-up tells; the last one counts */
int rt_why_prio_of(const struct why_events *events, int pid);

/** rt_why_find_timer() - the one that begins the thread's periods; 0: not known */
int64_t rt_why_find_timer(const struct why_events *events, int tid);

/** rt_why_knows_timers() - does any period begin in these events? */
bool rt_why_knows_timers(const struct why_events *events);

/** rt_why_walk() - fill in the causes of @part, all of them on its CPU */
void rt_why_walk(struct rt_why *part, const struct why_events *events);

/** rt_why_add() - so many ns of a cause; those that find no room become RT_WHY_OTHERS */
void rt_why_add(struct rt_why *why, const struct rt_why_cause *cause, int64_t ns,
		unsigned int times);

/** rt_why_sort() - largest cause first */
void rt_why_sort(struct rt_why *why);

#endif
