/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why_lines - the fields of the events that a trace tells about.
 */
#include <stdlib.h>
#include <string.h>

#include "why_internal.h"
#include "rt/trace_line.h"

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
	rt_trace_copy(task->comm, sizeof(task->comm), name, (size_t)(end - name));
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

/* "comm=NAME pid=N prio=N orig_cpu=N dest_cpu=N", written on any CPU */
static void read_moved(struct why_event *event, const char *fields)
{
	int64_t from;

	if (!read_task(fields, "", &event->other) || !number_behind(fields, " orig_cpu=", &from) ||
	    !number_behind(fields, " dest_cpu=", &event->value))
		return;
	event->from_cpu = (int)from;
	event->type = WHY_MOVED;
}

/* "irq=27 name=eth0" on entry, "irq=27 ret=handled" on exit */
static void read_irq(struct why_event *event, const char *fields)
{
	int64_t irq = 0;
	const char *name = strstr(fields, " name=");

	number_behind(fields, "irq=", &irq);
	snprintf(event->name, sizeof(event->name), "irq/%d-", (int)irq);
	if (name)
		rt_trace_copy(event->name + strlen(event->name),
			  sizeof(event->name) - strlen(event->name), name + 6, strlen(name + 6));
}

/* "vec=3 [action=NET_RX]" */
static void read_softirq(struct why_event *event, const char *fields)
{
	const char *action = strstr(fields, "[action=");

	event->kind = RT_WHY_SOFTIRQ;
	if (action)
		rt_trace_copy(event->name, sizeof(event->name), action + 8,
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
		rt_trace_copy(event->name, sizeof(event->name), name, length - (is_entry ? 6 : 5));
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

static void read_fields(struct why_event *event, const struct rt_trace_line *line)
{
	if (rt_trace_line_is(line, "sched_switch"))
		read_switch(event, line->fields);
	else if (rt_trace_line_is(line, "sched_waking"))
		read_waking(event, line->fields);
	else if (rt_trace_line_is(line, "sched_migrate_task"))
		read_moved(event, line->fields);
	else if (rt_trace_line_is(line, "cpu_idle"))
		read_idle(event, line->fields);
	else if (rt_trace_line_is(line, "nmi_handler") &&
		 number_behind(line->fields, "delta_ns: ", &event->value))
		event->type = WHY_NMI;
	else if (rt_trace_line_is(line, "hrtimer_expire_entry"))
		read_hrtimer(event, line->fields);
	else if (ends_with(line->event, line->length, "_entry") ||
		 ends_with(line->event, line->length, "_exit"))
		read_nested(event, line->event, line->length, line->fields);
}

bool rt_why_line(struct why_event *ret, const char *text)
{
	struct rt_trace_line line;

	*ret = (struct why_event){ 0 };
	if (!rt_trace_line_read(&line, text))
		return false;
	ret->cpu = line.cpu;
	if (line.lost) {
		ret->type = WHY_LOST;
		ret->value = line.lost;
		return true;
	}
	ret->at_ns = line.at_ns;
	ret->current.pid = line.pid;
	ret->current.prio = RT_WHY_PRIO_UNKNOWN;
	memcpy(ret->current.comm, line.comm, sizeof(ret->current.comm));
	read_fields(ret, &line);
	return true;
}
