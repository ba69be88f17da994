/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of irqsoff and preemptoff.
 */
#include "irqsoff.h"

#define AT(field) offsetof(struct irq_opts, field)
#define YEAR_NS (INT64_C(366) * 24 * 3600 * RT_NS_PER_S)

const struct rt_opt irq_rows[] = {
	RT_OPT_GROUP("Run"),
	{ RT_OPT_TIME, 'D', "duration", "TIME", AT(duration_ns), .unit_ns = RT_NS_PER_S,
	  .units = RT_UNITS_DURATION, .min = 0, .max = YEAR_NS, .def = "10",
	  .help = "length of the run: seconds, or with m, h, d; 0: endless" },
	{ RT_OPT_TEXT, 'a', "affinity", "CPUSET", AT(affinity),
	  .help = "look at these CPUs only" },
	{ RT_OPT_TIME, 0, "limit", "US", AT(limit_ns), .unit_ns = RT_NS_PER_US,
	  .min = RT_NS_PER_US, .max = YEAR_NS,
	  .help = "end with status 3 if the longest section was above US" },
	{ RT_OPT_TEXT, 0, "trace", "FILE", AT(trace),
	  .help = "write the kernel's trace of the longest section to FILE" },
	RT_OPT_INCLUDE(rt_rows_documents, AT(results)),
	RT_OPT_END
};

static const struct rt_opt_table irqsoff_table = {
	.tool = "irqsoff",
	.purpose = "find the longest section with interrupts switched off",
	.rows = irq_rows,
	.help_letter = 'h',
};

static const struct rt_opt_table preemptoff_table = {
	.tool = "preemptoff",
	.purpose = "find the longest section with preemption switched off",
	.rows = irq_rows,
	.help_letter = 'h',
};

const struct irq_kind irq_irqsoff = {
	.tracer = "irqsoff", .what = "interrupts", .table = &irqsoff_table,
	.off_event = "irq_disable", .on_event = "irq_enable",
	.events_config = "CONFIG_PREEMPTIRQ_TRACEPOINTS with CONFIG_TRACE_IRQFLAGS",
};

const struct irq_kind irq_preemptoff = {
	.tracer = "preemptoff", .what = "preemption", .table = &preemptoff_table,
	.off_event = "preempt_disable", .on_event = "preempt_enable",
	.events_config = "CONFIG_PREEMPTIRQ_TRACEPOINTS with CONFIG_TRACE_PREEMPT_TOGGLE",
};
