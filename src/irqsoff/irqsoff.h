/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * irqsoff, preemptoff - the longest section with interrupts, or preemption,
 * switched off: one program under two names, on the kernel's tracers.
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

/** struct irq_kind - what is switched off */
struct irq_kind {
	const char *tracer;           /* its name, and the program's */
	const char *what;             /* "interrupts" */
	const struct rt_opt_table *table;
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

/** struct irq_session - one run */
struct irq_session {
	struct rt_session rt; /* without series: one maximum is no distribution */
	const struct irq_kind *kind;
	const struct irq_opts *opts;
	struct rt_cpuset cpus;
	struct rt_instance *instance;
	struct rt_outfile *file;
	bool is_top;
	char *trace;
	size_t trace_length;
	struct irq_section section;
};

/** irq_main() - the program */
int irq_main(const struct irq_kind *kind, int argc, char **argv);

/** irq_read_trace() - section.c: a latency tracer's trace file; 0, or -ENODATA: it has none */
int irq_read_trace(struct irq_section *ret, const char *trace);

/* tracer.c */
int irq_start(struct irq_session *s, struct rt_err *err);
int irq_stop(struct irq_session *s, struct rt_err *err);

/* report.c */
void irq_fill(struct json_object *to, void *data);
void irq_say(const struct irq_session *s);

#endif
