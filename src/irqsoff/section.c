/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trace file of the kernel's max-latency tracers (Documentation/trace/ftrace.rst):
 *
 *     # latency: 259 us, #4/4, CPU#3 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:4)
 *     #    | task: ps-6143 (uid:0 nice:0 policy:0 rt_prio:0)
 *     #  => started at: __lock_task_sighand
 *     #  => ended at:   _raw_spin_unlock_irqrestore
 *           ps-6143    3d..1  306us : <stack trace>
 *      => trace_hardirqs_on_caller
 *      => trace_hardirqs_on
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "irqsoff.h"
#include "rt/compiler.h"

/* What stands behind @key in the line, without blanks around it; NULL: no such key. */
static const char *behind(const char *line, const char *key)
{
	const char *at = strstr(line, key);

	if (!at)
		return NULL;
	at += strlen(key);
	return at + strspn(at, " ");
}

/* Up to @stop or the line's end; what is no plain text becomes '?'. */
static void copy(char to[IRQ_NAME_MAX], const char *from, const char *stop)
{
	size_t length = strcspn(from, stop);

	if (length >= IRQ_NAME_MAX)
		length = IRQ_NAME_MAX - 1;
	memcpy(to, from, length);
	while (length > 0 && to[length - 1] == ' ')
		length--;
	to[length] = '\0';
	for (char *c = to; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}

static bool read_latency(struct irq_section *section, const char *line)
{
	const char *at = behind(line, "# latency:"), *cpu;
	char *end;

	if (!at || !isdigit((unsigned char)*at))
		return false;
	section->us = strtoll(at, &end, 10);
	cpu = behind(end, "CPU#");
	section->cpu = cpu && isdigit((unsigned char)*cpu) ? atoi(cpu) : -1;
	return true;
}

static void read_head(struct irq_section *section, const char *line)
{
	const char *at;

	if ((at = behind(line, "| task:")))
		copy(section->task, at, "(\n");
	else if ((at = behind(line, "=> started at:")))
		copy(section->started, at, "\n");
	else if ((at = behind(line, "=> ended at:")))
		copy(section->ended, at, "\n");
}

int irq_read_trace(struct irq_section *ret, const char *trace)
{
	rt_auto_free char *text = strdup(trace);
	struct irq_section section = { .cpu = -1 };
	bool has_latency = false;
	char *rest = text;

	if (!text)
		return -ENOMEM;
	for (char *line; (line = strsep(&rest, "\n"));) {
		const char *call = line + strspn(line, " ");

		if (line[0] == '#') {
			has_latency |= read_latency(&section, line);
			read_head(&section, line);
		} else if (strncmp(call, "=> ", 3) == 0 && section.depth < IRQ_CHAIN_MAX) {
			copy(section.chain[section.depth++], call + 3, "\n");
		}
	}
	if (!has_latency)
		return -ENODATA;
	*ret = section;
	return 0;
}
