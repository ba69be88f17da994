/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_internal - the trace room against folders of a test's choice. */
#ifndef RT_TRACE_INTERNAL_H
#define RT_TRACE_INTERNAL_H

#include <stdbool.h>

#include "rt/trace.h"

/**
 * rt_tracefs_find() - look for tracefs
 * @ret:    set to heap memory of the caller's
 * @usual:  the folder that is tried first
 * @mounts: a table of mounts in the form of /proc/self/mounts
 * Return: 0; -ENOENT; -ENOMEM.
 */
int rt_tracefs_find(char **ret, const char *usual, const char *mounts);

/** rt_tracefs_is_locked() - does the text of /sys/kernel/security/lockdown forbid tracing? NULL: no */
bool rt_tracefs_is_locked(const char *lockdown);

/** rt_trace_mark_open_in() - rt_trace_mark_open() in this folder */
int rt_trace_mark_open_in(struct rt_trace_mark *mark, const char *folder, struct rt_err *err);

#endif
