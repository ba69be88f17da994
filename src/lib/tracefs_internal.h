/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracefs_internal - the tracefs room with tables and texts of a test's choice. */
#ifndef RT_TRACEFS_INTERNAL_H
#define RT_TRACEFS_INTERNAL_H

#include "rt/tracefs.h"

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

#endif
