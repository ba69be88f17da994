/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_line - one line of the kernel's trace and trace_pipe files:
 *
 *     cyclictest-134     [001] d...2..    42.745055: sched_switch: prev_comm=...
 *     CPU:1 [LOST 12 EVENTS]
 */
#ifndef RT_TRACE_LINE_H
#define RT_TRACE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RT_TRACE_LINE_MAX 1024
#define RT_TRACE_COMM_MAX 32

/**
 * struct rt_trace_line - what it says
 * @cpu:    where it happened
 * @at_ns:  when, in the trace's clock; the kernel rounds it to microseconds, see rt_trace_refine()
 * @lost:   0; or that many events of this CPU are not there, and nothing but @cpu is known
 * @pid, @comm: who ran
 * @event, @length: the event's name, without a '\0' behind it; length 0: it has none
 * @fields: what follows it; "" if nothing does
 * @text:   the line, printable, which these lie in
 */
struct rt_trace_line {
	int cpu;
	int64_t at_ns;
	int64_t lost;
	int pid;
	char comm[RT_TRACE_COMM_MAX];
	const char *event;
	size_t length;
	const char *fields;
	char text[RT_TRACE_LINE_MAX];
};

/** rt_trace_line_read() - up to its '\n' or '\0'; false: it is none, or a comment */
bool rt_trace_line_read(struct rt_trace_line *ret, const char *line);

/** rt_trace_line_is() - is its event of this name? */
bool rt_trace_line_is(const struct rt_trace_line *line, const char *event);

/** rt_trace_overwritten() - "# entries-in-buffer/entries-written: 10/12" -> 2; 0 for other lines */
uint64_t rt_trace_overwritten(const char *line);

/**
 * rt_trace_refine() - a trace with nine digits behind the second instead of six
 * @raw: the same trace, read with the trace option "raw"
 * A line that is not found there stays as it is.
 * Return: heap memory of the caller's; NULL: there is none.
 */
char *rt_trace_refine(const char *trace, const char *raw);

/** rt_trace_copy() - a name out of a trace: cut, and what is not printable becomes '?' */
void rt_trace_copy(char *to, size_t size, const char *from, size_t length);

#endif
