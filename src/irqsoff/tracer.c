/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's tracer, in an instance of our own where it can run there, else at
 * the top level, which is put back.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "irqsoff.h"
#include "rt/compiler.h"
#include "rt/files.h"
#include "rt/log.h"
#include "rt/tracefs.h"

/* A threshold would make the kernel keep whatever is above it, and no maximum. It exists once. */
static int clear_threshold(struct irq_session *s, struct rt_err *err)
{
	const char *top = rt_tracefs_path(err);
	rt_auto_free char *path = NULL;

	if (!top)
		return -ENOENT;
	if (asprintf(&path, "%s/tracing_thresh", top) < 0) {
		path = NULL;
		return rt_err_memory(err, "a path");
	}
	return access(path, F_OK) ? 0 : rt_undo_knob(s->rt.undo, path, "0", err);
}

static int start_own(struct irq_session *s, struct rt_err *err)
{
	int status = rt_instance_new(&s->instance, s->rt.undo, err);

	if (!status)
		status = rt_instance_cpus(s->instance, &s->cpus, err);
	if (!status)
		status = rt_instance_tracer(s->instance, s->kind->tracer, err);
	if (status) {
		rt_instance_free(s->instance);
		s->instance = NULL;
	}
	return status;
}

static int start_at_top(struct irq_session *s, struct rt_err *err)
{
	if (s->opts->affinity)
		return rt_opts_refuse(err, "affinity", "the tracer cannot run in an instance of "
						       "its own here, and looks at all CPUs");
	s->is_top = true;
	return rt_instance_top(&s->instance, s->kind->tracer, s->rt.undo, err);
}

/* The greatest so far is a record, not a setting: nobody wants an old one back. */
static int start_anew(struct irq_session *s, struct rt_err *err)
{
	int status = rt_instance_set(s->instance, "tracing_max_latency", "0", err);

	if (status || s->is_top)
		return status;
	status = rt_instance_switch(s->instance, true);
	if (status)
		return rt_err_set(err, RT_EXIT_MISSING, status, "cannot start the trace: %s",
				  strerror(-status));
	return 0;
}

int irq_start(struct irq_session *s, struct rt_err *err)
{
	struct rt_err refused = { 0 };
	int status = clear_threshold(s, err);

	if (!status && start_own(s, &refused))
		status = start_at_top(s, err);
	return status ? status : start_anew(s, err);
}

static int64_t read_max(const struct irq_session *s)
{
	rt_auto_free char *path = NULL, *line = NULL;
	int64_t us;

	if (asprintf(&path, "%s/tracing_max_latency", s->instance->folder) < 0) {
		path = NULL;
		return 0;
	}
	line = rt_read_line(path);
	return line && rt_parse_int(&us, line, 0, INT64_MAX / RT_NS_PER_US) == 0 ? us : 0;
}

/* Without a section longer than 0 us the trace file has none. */
int irq_stop(struct irq_session *s, struct rt_err *err)
{
	int64_t us;
	int status;

	if (!s->is_top)
		rt_instance_switch(s->instance, false);
	us = read_max(s);
	s->section.cpu = -1;
	status = rt_instance_read(s->instance, &s->trace, &s->trace_length, err);
	if (!status && us > 0 && irq_read_trace(&s->section, s->trace))
		rt_warn("the kernel's trace does not tell which section it was");
	s->section.us = us;
	if (!status && s->file)
		status = rt_outfile_write(s->file, s->trace, s->trace_length, err);
	return status;
}
