/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * irqsoff, preemptoff - the longest section with interrupts, or preemption,
 * switched off: one program under two names, on the kernel's tracers, or on its
 * events where it has no such tracer.
 */
#ifndef IRQ_IRQSOFF_H
#define IRQ_IRQSOFF_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/cpuset.h"
#include "rt/err.h"
#include "rt/instance.h"
#include "rt/options.h"
#include "rt/outfile.h"
#include "rt/session.h"
#include "rt/trace_line.h"

/** struct irq_kind - what is switched off, and the kernel's words for it */
struct irq_kind {
	const char *tracer;           /* its name, and the program's */
	const char *what;             /* "interrupts" */
	const struct rt_opt_table *table;
	const char *off_event;        /* of preemptirq */
	const char *on_event;
	const char *events_config;    /* what brings them */
};
extern const struct irq_kind irq_irqsoff;
extern const struct irq_kind irq_preemptoff;

/** struct irq_opts - the command line */
struct irq_opts {
	struct rt_opts_results results;
	int64_t duration_ns;
	const char *affinity;
	int64_t limit_ns; /* 0: none */
	const char *trace;
};
extern const struct rt_opt irq_rows[];

#define IRQ_NAME_MAX 128
#define IRQ_CHAIN_MAX 32

/**
 * struct irq_section - what the kernel's trace says of the longest one
 * @cpu:   -1: it does not say
 * @task:  name and id as "bash-1234"; "" if it does not say
 * @chain: the call chain at its end, innermost first
 */
struct irq_section {
	int64_t us;
	int cpu;
	char task[IRQ_NAME_MAX];
	char started[IRQ_NAME_MAX];
	char ended[IRQ_NAME_MAX];
	unsigned int depth;
	char chain[IRQ_CHAIN_MAX][IRQ_NAME_MAX];
};

/**
 * struct irq_cpu - what the events say of one CPU
 * @since_ns: of the section that it is in, if @is_off
 * @is_idle, @was_off: the idle loop waits for interrupts: no section goes on
 * @line:    with which the section began
 * @longest_ns: -1: none yet
 */
struct irq_cpu {
	bool is_off;
	bool is_idle;
	bool was_off;
	int64_t since_ns;
	int64_t longest_ns;
	char started[IRQ_NAME_MAX];
	char line[RT_TRACE_LINE_MAX];
};

/**
 * struct irq_events - the longest sections, from events that switch off and on
 * @cpus:  by number; @count of them have been seen, or lie below one that has
 * @lost:  events that were not read in time; a section that they belong to counts for none
 * @first, @last: the lines of the longest section
 * @rest:  a line that has not come whole
 */
struct irq_events {
	const struct irq_kind *kind;
	struct irq_cpu *cpus;
	unsigned int count;
	uint64_t lost;
	int64_t longest_ns;
	struct irq_section longest;
	char first[RT_TRACE_LINE_MAX];
	char last[RT_TRACE_LINE_MAX];
	char rest[RT_TRACE_LINE_MAX];
	size_t rest_length;
};

/** struct irq_session - one run */
struct irq_session {
	struct rt_session rt; /* without series: one maximum is no distribution */
	const struct irq_kind *kind;
	const struct irq_opts *opts;
	struct rt_cpuset cpus;
	struct rt_instance *instance;
	struct rt_outfile *file;
	bool is_top;
	bool uses_events; /* the kernel has no such tracer */
	struct irq_events events;
	int pipe_fd;
	char *trace;
	size_t trace_length;
	struct irq_section section;
};

/** irq_main() - the program */
int irq_main(const struct irq_kind *kind, int argc, char **argv);

/** irq_read_trace() - section.c: a latency tracer's trace file; 0, or -ENODATA: it has none */
int irq_read_trace(struct irq_section *ret, const char *trace);

/* events.c */

/** irq_events_take() - read on; @text need not end with a line; 0 or -ENOMEM */
int irq_events_take(struct irq_events *events, const char *text, size_t length);
void irq_events_done(struct irq_events *events);

/* tracer.c */
int irq_start(struct irq_session *s, struct rt_err *err);
int irq_stop(struct irq_session *s, struct rt_err *err);

/* pipe.c */

/** irq_pipe_check() - has the kernel the events? 0 or a negative errno */
int irq_pipe_check(const struct irq_kind *kind);
int irq_pipe_start(struct irq_session *s, struct rt_err *err);
void irq_pipe_tick(void *session);
int irq_pipe_stop(struct irq_session *s, struct rt_err *err);
#define IRQ_PIPE_TICK_NS (20 * RT_NS_PER_MS)

/* report.c */
void irq_fill(struct json_object *to, void *data);
void irq_say(const struct irq_session *s);

#endif
