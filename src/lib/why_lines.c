/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why_lines - the lines of a trace file as events:
 *
 *     cyclictest-134     [001] d...2..    42.745055: sched_switch: prev_comm=...
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "why_internal.h"
#include "rt/clock.h"
#include "rt/compiler.h"

#define LINE_MAX_READ 1024

/* Names of tasks may hold anything; they are cut, never trusted. */
static void copy_name(char *to, size_t size, const char *from, size_t length)
{
	if (length >= size)
		length = size - 1;
	memcpy(to, from, length);
	to[length] = '\0';
	for (char *c = to; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}

/* ---- what stands before the event's name ------------------------------------------- */

static const char *digits(const char *text, int64_t *ret)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return NULL;
	*ret = strtoll(text, &end, 10);
	return end;
}

/* "42.745055: " */
static const char *read_time(const char *text, int64_t *ret)
{
	int64_t seconds, micros;
	const char *dot = digits(text, &seconds), *end;

	if (!dot || *dot != '.')
		return NULL;
	end = digits(dot + 1, &micros);
	if (!end || end - dot != 7 || strncmp(end, ": ", 2) != 0)
		return NULL;
	if (seconds > INT64_MAX / RT_NS_PER_S - 1)
		return NULL;
	*ret = seconds * RT_NS_PER_S + micros * RT_NS_PER_US;
	return end + 2;
}

/* " [001] d...2..    42.745055: " and what is behind it; the flags may be missing. */
static const char *read_place(const char *text, struct why_event *event)
{
	int64_t cpu;
	const char *at = text + strspn(text, " ");

	if (at[0] != '[')
		return NULL;
	at = digits(at + 1, &cpu);
	if (!at || strncmp(at, "] ", 2) != 0)
		return NULL;
	event->cpu = (int)cpu;
	at += 2;
	at += strspn(at, " ");
	text = read_time(at, &event->at_ns);
	if (text)
		return text;
	at += strcspn(at, " ");
	at += strspn(at, " ");
	return read_time(at, &event->at_ns);
}

/* The task's name may hold dashes and brackets: the first place where all fits is it. */
static const char *read_head(const char *line, struct why_event *event)
{
	const char *name = line + strspn(line, " ");

	for (const char *dash = strchr(name, '-'); dash; dash = strchr(dash + 1, '-')) {
		int64_t pid;
		const char *rest = digits(dash + 1, &pid);

		rest = rest ? read_place(rest, event) : NULL;
		if (!rest)
			continue;
		event->current.pid = (int)pid;
		event->current.prio = RT_WHY_PRIO_UNKNOWN;
		copy_name(event->current.comm, sizeof(event->current.comm), name,
			  (size_t)(dash - name));
		return rest;
	}
	return NULL;
}

/* ---- the fields behind it -------------------------------------------------------------- */

static bool number_behind(const char *text, const char *key, int64_t *ret)
{
	const char *at = strstr(text, key);
	char *end;

	if (!at)
		return false;
	*ret = strtoll(at + strlen(key), &end, 0);
	return end != at + strlen(key);
}

/* "KEYcomm=NAME KEYpid=N KEYprio=N", KEY being "prev_", "next_" or "" */
static bool read_task(const char *text, const char *key, struct why_task *task)
{
	char word[24];
	int64_t pid, prio;
	const char *name, *end;

	snprintf(word, sizeof(word), "%scomm=", key);
	name = strstr(text, word);
	if (!name)
		return false;
	name += strlen(word);
	snprintf(word, sizeof(word), " %spid=", key);
	end = strstr(name, word);
	if (!end || !number_behind(end, word, &pid))
		return false;
	snprintf(word, sizeof(word), " %sprio=", key);
	if (!number_behind(end, word, &prio))
		return false;
	copy_name(task->comm, sizeof(task->comm), name, (size_t)(end - name));
	task->pid = (int)pid;
	task->prio = (int)prio;
	return true;
}

static void read_switch(struct why_event *event, const char *fields)
{
	const char *arrow = strstr(fields, " ==> "), *state;
	struct why_task prev, next;

	if (!arrow || !read_task(fields, "prev_", &prev) || !read_task(arrow, "next_", &next))
		return;
	state = strstr(fields, " prev_state=");
	event->stays_ready = state && state[strlen(" prev_state=")] == 'R';
	event->current = prev;
	event->other = next;
	event->type = WHY_SWITCH;
}

static void read_waking(struct why_event *event, const char *fields)
{
	if (read_task(fields, "", &event->other))
		event->type = WHY_WAKING;
}

/* "irq=27 name=eth0" on entry, "irq=27 ret=handled" on exit */
static void read_irq(struct why_event *event, const char *fields)
{
	int64_t irq = 0;
	const char *name = strstr(fields, " name=");

	number_behind(fields, "irq=", &irq);
	snprintf(event->name, sizeof(event->name), "irq/%d-", (int)irq);
	if (name)
		copy_name(event->name + strlen(event->name),
			  sizeof(event->name) - strlen(event->name), name + 6, strlen(name + 6));
}

/* "vec=3 [action=NET_RX]" */
static void read_softirq(struct why_event *event, const char *fields)
{
	const char *action = strstr(fields, "[action=");

	event->kind = RT_WHY_SOFTIRQ;
	if (action)
		copy_name(event->name, sizeof(event->name), action + 8,
			  strcspn(action + 8, "]"));
}

static bool ends_with(const char *text, size_t length, const char *end)
{
	size_t tail = strlen(end);

	return length > tail && memcmp(text + length - tail, end, tail) == 0;
}

/* irq_handler_, softirq_, and of the vectors and IPIs all that have an entry and an exit */
static void read_nested(struct why_event *event, const char *name, size_t length,
			const char *fields)
{
	bool is_entry = ends_with(name, length, "_entry");

	event->kind = RT_WHY_IRQ;
	if (strncmp(name, "irq_handler_", 12) == 0)
		read_irq(event, fields);
	else if (strncmp(name, "softirq_", 8) == 0)
		read_softirq(event, fields);
	else if (strstr(fields, "vector=") || strncmp(name, "ipi_", 4) == 0)
		copy_name(event->name, sizeof(event->name), name, length - (is_entry ? 6 : 5));
	else
		return;
	event->type = is_entry ? WHY_ENTRY : WHY_EXIT;
}

static void read_idle(struct why_event *event, const char *fields)
{
	if (!number_behind(fields, "state=", &event->value))
		return;
	if (event->value == UINT32_MAX)
		event->value = -1;
	event->type = WHY_IDLE;
}

/* "hrtimer=00000000d372d482 function=dl_task_timer now=2022392136820" */
static void read_hrtimer(struct why_event *event, const char *fields)
{
	const char *timer = strstr(fields, "hrtimer=");

	if (!timer || !strstr(fields, " function=dl_task_timer"))
		return;
	event->value = (int64_t)strtoull(timer + strlen("hrtimer="), NULL, 16);
	event->type = WHY_PERIOD;
}

static void read_fields(struct why_event *event, const char *name, size_t length,
			const char *fields)
{
	if (length == 12 && memcmp(name, "sched_switch", 12) == 0)
		read_switch(event, fields);
	else if (length == 12 && memcmp(name, "sched_waking", 12) == 0)
		read_waking(event, fields);
	else if (length == 8 && memcmp(name, "cpu_idle", 8) == 0)
		read_idle(event, fields);
	else if (length == 11 && memcmp(name, "nmi_handler", 11) == 0 &&
		 number_behind(fields, "delta_ns: ", &event->value))
		event->type = WHY_NMI;
	else if (length == 20 && memcmp(name, "hrtimer_expire_entry", 20) == 0)
		read_hrtimer(event, fields);
	else if (ends_with(name, length, "_entry") || ends_with(name, length, "_exit"))
		read_nested(event, name, length, fields);
}

/* ---- lines ------------------------------------------------------------------------------- */

/* "CPU:1 [LOST 12 EVENTS]" */
static bool read_lost(struct why_event *event, const char *line)
{
	int64_t cpu;
	const char *at;

	if (strncmp(line, "CPU:", 4) != 0)
		return false;
	at = digits(line + 4, &cpu);
	if (!at || strncmp(at, " [LOST ", 7) != 0)
		return false;
	event->type = WHY_LOST;
	event->cpu = (int)cpu;
	if (!digits(at + 7, &event->value))
		event->value = 1; /* the kernel does not always know how many */
	return true;
}

bool rt_why_line(struct why_event *ret, const char *line)
{
	char text[LINE_MAX_READ];
	const char *name;
	size_t length;

	*ret = (struct why_event){ 0 };
	copy_name(text, sizeof(text), line, strcspn(line, "\n"));
	if (read_lost(ret, text))
		return true;
	if (text[0] == '#')
		return false;
	name = read_head(text, ret);
	if (!name)
		return false;
	length = strcspn(name, ": ");
	if (name[length] != ':')
		return true;
	read_fields(ret, name, length, name + length + 1);
	return true;
}

uint64_t rt_why_overwritten(const char *line)
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
