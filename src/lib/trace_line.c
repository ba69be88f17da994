/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_line - see rt/trace_line.h.
 */
#include "rt/trace_line.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "rt/clock.h"

void rt_trace_copy(char *to, size_t size, const char *from, size_t length)
{
	if (length >= size)
		length = size - 1;
	memcpy(to, from, length);
	to[length] = '\0';
	for (char *c = to; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}

static const char *digits(const char *text, int64_t *ret)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return NULL;
	*ret = strtoll(text, &end, 10);
	return end;
}

/* "42.745055: ", or "42.745055123: " of a refined trace */
static const char *read_time(const char *text, int64_t *ret)
{
	int64_t seconds, fraction;
	const char *dot = digits(text, &seconds), *end;

	if (!dot || *dot != '.')
		return NULL;
	end = digits(dot + 1, &fraction);
	if (!end || (end - dot != 7 && end - dot != 10) || strncmp(end, ": ", 2) != 0)
		return NULL;
	if (seconds > INT64_MAX / RT_NS_PER_S - 1)
		return NULL;
	*ret = seconds * RT_NS_PER_S + (end - dot == 7 ? fraction * RT_NS_PER_US : fraction);
	return end + 2;
}

/* " [001] d...2..    42.745055: " and what is behind it; the flags may be missing. */
static const char *read_place(const char *text, struct rt_trace_line *line)
{
	int64_t cpu;
	const char *at = text + strspn(text, " ");

	if (at[0] != '[')
		return NULL;
	at = digits(at + 1, &cpu);
	if (!at || strncmp(at, "] ", 2) != 0)
		return NULL;
	line->cpu = (int)cpu;
	at += 2;
	at += strspn(at, " ");
	text = read_time(at, &line->at_ns);
	if (text)
		return text;
	at += strcspn(at, " ");
	at += strspn(at, " ");
	return read_time(at, &line->at_ns);
}

/* The task's name may hold dashes and brackets: the first place where all fits is it. */
static const char *read_head(struct rt_trace_line *line)
{
	const char *name = line->text + strspn(line->text, " ");

	for (const char *dash = strchr(name, '-'); dash; dash = strchr(dash + 1, '-')) {
		int64_t pid;
		const char *rest = digits(dash + 1, &pid);

		rest = rest ? read_place(rest, line) : NULL;
		if (!rest)
			continue;
		line->pid = (int)pid;
		rt_trace_copy(line->comm, sizeof(line->comm), name, (size_t)(dash - name));
		return rest;
	}
	return NULL;
}

/* "CPU:1 [LOST 12 EVENTS]" */
static bool read_lost(struct rt_trace_line *line)
{
	int64_t cpu;
	const char *at;

	if (strncmp(line->text, "CPU:", 4) != 0)
		return false;
	at = digits(line->text + 4, &cpu);
	if (!at || strncmp(at, " [LOST ", 7) != 0)
		return false;
	line->cpu = (int)cpu;
	if (!digits(at + 7, &line->lost) || !line->lost)
		line->lost = 1; /* the kernel does not always know how many */
	return true;
}

bool rt_trace_line_read(struct rt_trace_line *ret, const char *line)
{
	ret->cpu = ret->pid = 0;
	ret->at_ns = ret->lost = 0;
	ret->comm[0] = '\0';
	ret->event = ret->fields = "";
	ret->length = 0;
	rt_trace_copy(ret->text, sizeof(ret->text), line, strcspn(line, "\n"));
	if (read_lost(ret))
		return true;
	if (ret->text[0] == '#')
		return false;
	line = read_head(ret);
	if (!line)
		return false;
	if (line[strcspn(line, ": ")] == ':') {
		ret->event = line;
		ret->length = strcspn(line, ":");
		ret->fields = line + ret->length + 1;
	}
	return true;
}

bool rt_trace_line_is(const struct rt_trace_line *line, const char *event)
{
	return strlen(event) == line->length && memcmp(line->event, event, line->length) == 0;
}

uint64_t rt_trace_overwritten(const char *line)
{
	static const char head[] = "# entries-in-buffer/entries-written: ";
	int64_t kept, written;
	const char *at;

	if (strncmp(line, head, sizeof(head) - 1) != 0)
		return 0;
	at = digits(line + sizeof(head) - 1, &kept);
	if (!at || *at != '/' || !digits(at + 1, &written) || written < kept)
		return 0;
	return (uint64_t)(written - kept);
}
