/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why_internal - the three files of the why room:
 *
 *  why_lines.c  lines of a trace -> events
 *  why.c        events -> causes
 *  why_say.c    causes -> text and JSON
 */
#ifndef RT_WHY_INTERNAL_H
#define RT_WHY_INTERNAL_H

#include "rt/trace_line.h"
#include "rt/why.h"

#define WHY_COMM_MAX RT_TRACE_COMM_MAX

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

/** rt_why_sort() - largest cause first */
void rt_why_sort(struct rt_why *why);

#endif
