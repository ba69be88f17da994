/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The longest sections from the kernel's preemptirq events:
 *
 *     bash-12  [001] d..1.  42.745055: irq_disable: caller=do_x+0x12/0x80 parent=0x0
 *     bash-12  [001] d..1.  42.745061: irq_enable: caller=do_x+0x31/0x80 parent=0x0
 *
 * The idle loop waits for interrupts with both switched off, and the instruction that
 * waits is what lets them through: that is no section, as for the kernel's tracers.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "irqsoff.h"

#define CPUS_MAX 65536

static struct irq_cpu *cpu_of(struct irq_events *events, int number)
{
	unsigned int wanted = (unsigned int)number + 1;
	struct irq_cpu *more;

	if (number < 0 || number >= CPUS_MAX)
		return NULL;
	if (wanted <= events->count)
		return &events->cpus[number];
	more = realloc(events->cpus, wanted * sizeof(*more));
	if (!more)
		return NULL;
	for (unsigned int i = events->count; i < wanted; i++)
		more[i] = (struct irq_cpu){ .longest_ns = -1 };
	events->cpus = more;
	events->count = wanted;
	return &events->cpus[number];
}

/* "caller=NAME+0x12/0x80 parent=..." */
static void read_caller(char to[IRQ_NAME_MAX], const char *fields)
{
	const char *caller = strstr(fields, "caller=");

	caller = caller ? caller + strlen("caller=") : "";
	rt_trace_copy(to, IRQ_NAME_MAX, caller, strcspn(caller, " "));
}

static void begin(struct irq_cpu *cpu, const struct rt_trace_line *line)
{
	cpu->is_off = true;
	cpu->since_ns = line->at_ns;
	read_caller(cpu->started, line->fields);
	memcpy(cpu->line, line->text, sizeof(cpu->line));
}

static void keep_longest(struct irq_events *events, const struct irq_cpu *cpu,
			 const struct rt_trace_line *line, int64_t ns)
{
	struct irq_section *longest = &events->longest;

	events->longest_ns = ns;
	*longest = (struct irq_section){ .us = ns / RT_NS_PER_US, .cpu = line->cpu };
	snprintf(longest->task, sizeof(longest->task), "%s-%d", line->comm, line->pid);
	memcpy(longest->started, cpu->started, sizeof(longest->started));
	read_caller(longest->ended, line->fields);
	memcpy(events->first, cpu->line, sizeof(events->first));
	memcpy(events->last, line->text, sizeof(events->last));
}

static void end(struct irq_events *events, struct irq_cpu *cpu, const struct rt_trace_line *line)
{
	int64_t ns = line->at_ns - cpu->since_ns;

	if (cpu->is_off && ns > cpu->longest_ns)
		cpu->longest_ns = ns;
	if (cpu->is_off && ns > events->longest_ns)
		keep_longest(events, cpu, line, ns);
	cpu->is_off = false;
}

/* What was on again in between, by an interrupt's return, stays so. */
static void idle(struct irq_events *events, struct irq_cpu *cpu, const struct rt_trace_line *line)
{
	bool is_leaving = strstr(line->fields, "state=4294967295") != NULL;

	if (!is_leaving) {
		cpu->was_off = cpu->is_off;
		end(events, cpu, line);
	} else if (cpu->is_idle && cpu->was_off) {
		begin(cpu, line);
	}
	cpu->is_idle = !is_leaving;
}

static int take_line(struct irq_events *events, const char *text)
{
	struct rt_trace_line line;
	struct irq_cpu *cpu;

	if (!rt_trace_line_read(&line, text))
		return 0;
	cpu = cpu_of(events, line.cpu);
	if (!cpu)
		return line.cpu < CPUS_MAX ? -ENOMEM : 0;
	if (line.lost) {
		events->lost += (uint64_t)line.lost;
		cpu->is_off = cpu->is_idle = cpu->was_off = false;
	} else if (rt_trace_line_is(&line, events->kind->off_event)) {
		begin(cpu, &line);
	} else if (rt_trace_line_is(&line, events->kind->on_event)) {
		cpu->was_off = false;
		end(events, cpu, &line);
	} else if (rt_trace_line_is(&line, "cpu_idle")) {
		idle(events, cpu, &line);
	}
	return 0;
}

/* A line longer than there is room for is cut; what counts stands at its beginning. */
int irq_events_take(struct irq_events *events, const char *text, size_t length)
{
	int status = 0;

	for (size_t i = 0; !status && i < length; i++) {
		if (text[i] != '\n') {
			if (events->rest_length < sizeof(events->rest) - 1)
				events->rest[events->rest_length++] = text[i];
			continue;
		}
		events->rest[events->rest_length] = '\0';
		events->rest_length = 0;
		status = take_line(events, events->rest);
	}
	return status;
}

void irq_events_done(struct irq_events *events)
{
	free(events->cpus);
	events->cpus = NULL;
	events->count = 0;
}
