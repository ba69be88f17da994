/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instance - a tracefs instance of our own: buffers, events, tracer, options
 * and clock that nobody else uses, so that nobody else's tracing is disturbed.
 *
 *     rt_instance_new()     its folder, journalled; tracing is off in it
 *     rt_instance_cpus(), _buffer(), _clock(), _event(), _tracer(), _option()
 *     rt_instance_switch()  on; off again by the one who sees the event
 *     rt_instance_read(), rt_instance_clear()
 *     rt_instance_free()    close it; rt_undo_all() removes the folder
 *
 * What is set in it dies with it and needs no undo of its own.
 */
#ifndef RT_INSTANCE_H
#define RT_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>

#include "rt/cpuset.h"
#include "rt/err.h"
#include "rt/undo.h"

/**
 * struct rt_instance - one of them
 * @top:       where tracefs is mounted
 * @folder:    its own folder
 * @switch_fd: its tracing_on, for threads that must stop it at once
 * @undo:      of the top level, where options are put back; NULL: all of it is our own
 */
struct rt_instance {
	char *top;
	char *folder;
	int switch_fd;
	struct rt_undo *undo;
};

/**
 * rt_instance_new() - make one
 * Return: 0; a negative errno with a sentence (RT_EXIT_MISSING): tracefs is not
 * mounted, we are not root, the kernel refuses it or is locked down.
 */
int rt_instance_new(struct rt_instance **ret, struct rt_undo *undo, struct rt_err *err);

/**
 * rt_instance_top() - the top level of tracefs, for what no instance can do
 * @tracer: is started there, if nobody else's is running, and put back with all else
 * Tracing is on in it. It is everybody's: whether it was on before is put back, too, also
 * when it was switched off meanwhile.
 * Return: 0; -EBUSY: another tracer is running; a negative errno (RT_EXIT_MISSING).
 */
int rt_instance_top(struct rt_instance **ret, const char *tracer, struct rt_undo *undo,
		    struct rt_err *err);

/** rt_instance_free() - close its files; after that rt_undo_all() can remove it; NULL is fine */
void rt_instance_free(struct rt_instance *in);

/** rt_instance_set() - write one word or line to a file of the instance */
int rt_instance_set(const struct rt_instance *in, const char *file, const char *value,
		    struct rt_err *err);

/** rt_instance_has() - is there such a file in it? */
bool rt_instance_has(const struct rt_instance *in, const char *file);

/** rt_instance_cpus() - trace on these CPUs alone */
int rt_instance_cpus(const struct rt_instance *in, const struct rt_cpuset *cpus,
		     struct rt_err *err);

/** rt_instance_buffer() - room for @kb KiB on each of these CPUs; others keep the least */
int rt_instance_buffer(const struct rt_instance *in, const struct rt_cpuset *cpus, unsigned int kb,
		       struct rt_err *err);

/** rt_instance_clock() - "mono", "boot", ...: the trace's timestamps */
int rt_instance_clock(const struct rt_instance *in, const char *clock, struct rt_err *err);

/**
 * rt_instance_event() - enable "SYSTEM:NAME", or "SYSTEM:NAME FILTER" for some only
 * Return: 0; -ENOENT: this kernel has no such event (RT_EXIT_MISSING); -EINVAL:
 * the filter is none (RT_EXIT_USAGE); another negative errno.
 */
int rt_instance_event(const struct rt_instance *in, const char *event, struct rt_err *err);

/** rt_instance_events_all() - enable whatever there is */
int rt_instance_events_all(const struct rt_instance *in, struct rt_err *err);

/** rt_instance_tracer() - 0; -EOPNOTSUPP when only the top level can have it (RT_EXIT_MISSING) */
int rt_instance_tracer(const struct rt_instance *in, const char *tracer, struct rt_err *err);

/** rt_instance_option() - one word of trace_options, with "no" before it to clear it */
int rt_instance_option(const struct rt_instance *in, const char *option, struct rt_err *err);

/** rt_instance_switch() - tracing on or off; one write(2), allowed in a measuring thread */
int rt_instance_switch(const struct rt_instance *in, bool on);

/** rt_instance_clear() - empty its buffers */
int rt_instance_clear(const struct rt_instance *in, struct rt_err *err);

/**
 * rt_instance_read() - the trace as text
 * @ret: heap memory of the caller's, with a '\0' behind it
 */
int rt_instance_read(const struct rt_instance *in, char **ret, size_t *length,
		     struct rt_err *err);

/**
 * rt_instance_refine() - the nanoseconds that the trace just read lacks
 * @trace: by rt_instance_read(); nothing may have been recorded since. Replaced; left as
 *         it is, in microseconds, where the kernel does not give more
 */
void rt_instance_refine(const struct rt_instance *in, char **trace);

/*
 * What can be asked before anything is made.
 */

/**
 * rt_tracer_check() - has this kernel a tracer of that name?
 * Return: 0; -EINVAL: nobody has (RT_EXIT_USAGE); -ENOENT: this kernel lacks it,
 * with the config option that brings it; no tracefs (RT_EXIT_MISSING).
 */
int rt_tracer_check(const char *name, struct rt_err *err);

/** rt_event_check() - the same of an event, "SYSTEM:NAME" with or without a filter behind it */
int rt_event_check(const char *event, struct rt_err *err);

/** rt_event_is_name() - does the word have the form SYSTEM:NAME[ FILTER]? */
bool rt_event_is_name(const char *event);

#endif
