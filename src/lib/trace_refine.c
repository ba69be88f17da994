/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_refine - the nanoseconds that a trace's text lacks.
 *
 * With the option "raw" the kernel prints the same events in the same order as
 *
 *     134 1 42745055123 type: 307
 *
 * task, CPU and the time in nanoseconds, and nothing of what the event says. The two
 * readings are laid side by side: a line gets the time of the next raw one with its task
 * and CPU that rounds to its microsecond.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt/clock.h"
#include "rt/trace_line.h"

#define AHEAD 64 /* raw lines that may be of no event of ours */
#define STAMP_MAX 48

struct stamp {
	int pid;
	int cpu;
	int64_t ns;
};

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : line + strlen(line);
}

/* (sscanf(3) would look for the end of all the text first.) */
static bool read_stamp(struct stamp *ret, const char *line)
{
	char *pid_end, *cpu_end, *end;

	ret->pid = (int)strtol(line, &pid_end, 10);
	if (pid_end == line || *pid_end != ' ')
		return false;
	ret->cpu = (int)strtol(pid_end, &cpu_end, 10);
	if (cpu_end == pid_end || *cpu_end != ' ')
		return false;
	ret->ns = strtoll(cpu_end, &end, 10);
	return end != cpu_end && *end == ' ';
}

/* The kernel rounds to the nearest. */
static bool is_of(const struct stamp *stamp, const struct rt_trace_line *line)
{
	return stamp->pid == line->pid && stamp->cpu == line->cpu &&
	       (stamp->ns + RT_NS_PER_US / 2) / RT_NS_PER_US == line->at_ns / RT_NS_PER_US;
}

/* Return: the raw line behind it; NULL: there is none. */
static const char *find(const char *raw, const struct rt_trace_line *line, int64_t *ret_ns)
{
	struct stamp stamp;

	for (int i = 0; *raw && i < AHEAD; i++, raw = next_line(raw))
		if (read_stamp(&stamp, raw) && is_of(&stamp, line)) {
			*ret_ns = stamp.ns;
			return next_line(raw);
		}
	return NULL;
}

/* Where the time stands in the line: "42.745055" before ": EVENT". */
static bool find_time(const struct rt_trace_line *line, size_t *from, size_t *to)
{
	size_t end = (size_t)(line->event - line->text) - 2, at = end;

	while (at > 0 && strchr("0123456789.", line->text[at - 1]))
		at--;
	*from = at;
	*to = end;
	return end > at;
}

static char *refine_line(char *out, const char *text, size_t length, const char **raw)
{
	struct rt_trace_line line;
	size_t from, to;
	int64_t ns;
	const char *behind = NULL;

	if (rt_trace_line_read(&line, text) && line.length && find_time(&line, &from, &to))
		behind = find(*raw, &line, &ns);
	if (behind) {
		*raw = behind;
		out = mempcpy(out, text, from);
		out += sprintf(out, "%" PRId64 ".%09" PRId64, ns / RT_NS_PER_S, ns % RT_NS_PER_S);
		text += to;
		length -= to;
	}
	return mempcpy(out, text, length);
}

char *rt_trace_refine(const char *trace, const char *raw)
{
	size_t lines = 1;
	char *refined, *out;

	for (const char *line = trace; *line; line = next_line(line))
		lines++;
	refined = out = malloc(strlen(trace) + lines * STAMP_MAX + 1);
	if (!refined)
		return NULL;
	for (const char *line = trace; *line;) {
		const char *end = next_line(line);

		out = refine_line(out, line, (size_t)(end - line), &raw);
		line = end;
	}
	*out = '\0';
	return refined;
}
