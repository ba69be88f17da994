/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the kernel has no such tracer: its preemptirq events, in an instance of our own,
 * read while they come, since no buffer could hold those of a whole run.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "irqsoff.h"
#include "rt/clock.h"
#include "rt/compiler.h"

#define BUFFER_KB 4096
#define READ_MAX 65536
#define IDLE_EVENT "power:cpu_idle"

static int each_event(const struct irq_kind *kind, const struct rt_instance *in,
		      struct rt_err *err)
{
	const char *const names[] = { kind->off_event, kind->on_event };
	int status = in ? rt_instance_event(in, IDLE_EVENT, err) : rt_event_check(IDLE_EVENT, err);

	for (size_t i = 0; !status && i < RT_ARRAY_SIZE(names); i++) {
		char event[64];

		snprintf(event, sizeof(event), "preemptirq:%s", names[i]);
		status = in ? rt_instance_event(in, event, err) : rt_event_check(event, err);
	}
	return status;
}

int irq_pipe_check(const struct irq_kind *kind)
{
	return each_event(kind, NULL, NULL);
}

static int open_pipe(struct irq_session *s, struct rt_err *err)
{
	rt_auto_free char *path = NULL;

	if (asprintf(&path, "%s/trace_pipe", s->instance->folder) < 0) {
		path = NULL;
		return rt_err_memory(err, "a path");
	}
	s->pipe_fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (s->pipe_fd < 0)
		return rt_err_set(err, RT_EXIT_MISSING, errno, "cannot open %s: %s", path,
				  strerror(errno));
	return 0;
}

int irq_pipe_start(struct irq_session *s, struct rt_err *err)
{
	int status = rt_instance_new(&s->instance, s->rt.undo, err);

	s->events.kind = s->kind;
	s->events.longest_ns = -1;
	if (!status)
		status = rt_instance_clock(s->instance, "mono", err);
	if (!status)
		status = rt_instance_cpus(s->instance, &s->cpus, err);
	if (!status)
		status = rt_instance_buffer(s->instance, &s->cpus, BUFFER_KB, err);
	if (!status)
		status = open_pipe(s, err);
	if (!status)
		status = each_event(s->kind, s->instance, err);
	if (status)
		return status;
	status = rt_instance_switch(s->instance, true);
	return status ? rt_err_set(err, RT_EXIT_MISSING, status, "cannot start the trace: %s",
				   strerror(-status)) : 0;
}

/* Until nothing is left, or @until_ns: reading makes events itself. */
static int read_on(struct irq_session *s, int64_t until_ns)
{
	static char text[READ_MAX];
	int status = 0;

	while (!status && rt_clock_ns(CLOCK_MONOTONIC) < until_ns) {
		ssize_t got = read(s->pipe_fd, text, sizeof(text));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		status = irq_events_take(&s->events, text, (size_t)got);
	}
	return status;
}

void irq_pipe_tick(void *session)
{
	struct irq_session *s = session;

	if (read_on(s, rt_clock_ns(CLOCK_MONOTONIC) + IRQ_PIPE_TICK_NS / 2))
		rt_run_end(s->rt.run, RT_ENDED_ERROR);
}

static int save(const struct irq_session *s, struct rt_err *err)
{
	rt_auto_free char *text = NULL;

	if (s->events.longest_ns < 0)
		return rt_outfile_write(s->file, "", 0, err);
	if (asprintf(&text, "%s\n%s\n", s->events.first, s->events.last) < 0) {
		text = NULL;
		return rt_err_memory(err, "a trace");
	}
	return rt_outfile_write(s->file, text, strlen(text), err);
}

int irq_pipe_stop(struct irq_session *s, struct rt_err *err)
{
	rt_instance_switch(s->instance, false);
	if (read_on(s, INT64_MAX))
		return rt_err_memory(err, "what the events say");
	s->section = s->events.longest;
	if (s->events.longest_ns < 0)
		s->section.cpu = -1;
	return s->file ? save(s, err) : 0;
}
