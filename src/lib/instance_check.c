/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instance_check - which tracers and events this kernel has, and which config
 * option brings the others.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "instance_internal.h"
#include "rt/compiler.h"
#include "rt/tracefs.h"

struct from_config {
	const char *name;
	const char *config;
};

static const struct from_config tracers[] = {
	{ "function", "CONFIG_FUNCTION_TRACER" },
	{ "function_graph", "CONFIG_FUNCTION_GRAPH_TRACER" },
	{ "irqsoff", "CONFIG_IRQSOFF_TRACER" },
	{ "preemptoff", "CONFIG_PREEMPT_TRACER" },
	{ "preemptirqsoff", "CONFIG_IRQSOFF_TRACER and CONFIG_PREEMPT_TRACER" },
	{ "wakeup", "CONFIG_SCHED_TRACER" },
	{ "wakeup_rt", "CONFIG_SCHED_TRACER" },
	{ "wakeup_dl", "CONFIG_SCHED_TRACER" },
	{ "hwlat", "CONFIG_HWLAT_TRACER" },
	{ "osnoise", "CONFIG_OSNOISE_TRACER" },
	{ "timerlat", "CONFIG_TIMERLAT_TRACER" },
	{ "blk", "CONFIG_BLK_DEV_IO_TRACE" },
	{ "mmiotrace", "CONFIG_MMIOTRACE" },
	{ "nop", "CONFIG_TRACING" },
};

/* Systems whose events come with an option of their own; all others with what they trace. */
static const struct from_config systems[] = {
	{ "preemptirq", "CONFIG_PREEMPTIRQ_TRACEPOINTS with CONFIG_TRACE_IRQFLAGS or "
			"CONFIG_TRACE_PREEMPT_TOGGLE" },
	{ "osnoise", "CONFIG_OSNOISE_TRACER" },
	{ "syscalls", "CONFIG_FTRACE_SYSCALLS" },
	{ "raw_syscalls", "CONFIG_HAVE_SYSCALL_TRACEPOINTS" },
	{ "kprobes", "CONFIG_KPROBE_EVENTS" },
	{ "sched", "CONFIG_EVENT_TRACING" },
	{ "irq", "CONFIG_EVENT_TRACING" },
	{ "timer", "CONFIG_EVENT_TRACING" },
};

static const char *config_of(const struct from_config *table, size_t count, const char *name,
			     size_t length)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(table[i].name) == length && memcmp(table[i].name, name, length) == 0)
			return table[i].config;
	return NULL;
}

/* ---- tracers --------------------------------------------------------------------------- */

static int cannot_read(const char *top, const char *file, int status, struct rt_err *err)
{
	return rt_err_set(err, RT_EXIT_MISSING, status, "cannot read %s/%s: %s%s", top, file,
			  strerror(-status), rt_tracefs_hint(status));
}

int rt_tracer_check_in(const char *top, const char *name, struct rt_err *err)
{
	rt_auto_free char *has = NULL;
	const char *config = config_of(tracers, RT_ARRAY_SIZE(tracers), name, strlen(name));
	int status;

	if (rt_tracefs_has_word(top, "available_tracers", name))
		return 0;
	status = rt_tracefs_slurp(top, "available_tracers", &has, NULL);
	if (status)
		return cannot_read(top, "available_tracers", status, err);
	has[strcspn(has, "\n")] = '\0';
	if (!config)
		return rt_err_set(err, RT_EXIT_USAGE, EINVAL,
				  "'%s' is no tracer; this kernel has: %s", name, has);
	return rt_err_set(err, RT_EXIT_MISSING, ENOENT,
			  "this kernel has no %s tracer (it needs %s); it has: %s", name, config,
			  has);
}

int rt_tracer_check(const char *name, struct rt_err *err)
{
	const char *top = rt_tracefs_path(err);

	return top ? rt_tracer_check_in(top, name, err) : -ENOENT;
}

/* ---- events ---------------------------------------------------------------------------- */

static size_t name_length(const char *text)
{
	return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
}

bool rt_event_is_name(const char *event)
{
	size_t system = name_length(event), name;

	if (!system || event[system] != ':')
		return false;
	event += system + 1;
	name = name_length(event);
	return name && (!event[name] || event[name] == ' ' || event[name] == '\t');
}

int rt_event_check_in(const char *top, const char *event, struct rt_err *err)
{
	size_t length = strcspn(event, " \t"), system = strcspn(event, ":");
	rt_auto_free char *path = NULL;
	const char *config;

	if (!rt_event_is_name(event))
		return rt_err_set(err, RT_EXIT_USAGE, EINVAL,
				  "'%s' is no event; give SYSTEM:NAME, or 'SYSTEM:NAME FILTER'",
				  event);
	if (asprintf(&path, "%s/events/%.*s/%.*s/enable", top, (int)system, event,
		     (int)(length - system - 1), event + system + 1) < 0) {
		path = NULL;
		return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "no memory for a path");
	}
	if (access(path, W_OK) == 0)
		return 0;
	if (errno != ENOENT)
		return rt_err_set(err, RT_EXIT_MISSING, errno, "cannot write to %s: %s%s", path,
				  strerror(errno), rt_tracefs_hint(errno));
	config = config_of(systems, RT_ARRAY_SIZE(systems), event, system);
	return rt_err_set(err, RT_EXIT_MISSING, ENOENT,
			  "this kernel has no event '%.*s'%s%s%s; %s/available_events lists what "
			  "it has", (int)length, event, config ? " (it needs " : "",
			  config ? config : "", config ? ")" : "", top);
}

int rt_event_check(const char *event, struct rt_err *err)
{
	const char *top = rt_tracefs_path(err);

	return top ? rt_event_check_in(top, event, err) : -ENOENT;
}
