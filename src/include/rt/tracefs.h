/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracefs - where the kernel's tracing is mounted, whether it may be used, and the
 * reading and writing of its files.
 */
#ifndef RT_TRACEFS_H
#define RT_TRACEFS_H

#include <stdbool.h>
#include <stddef.h>

#include "rt/err.h"
#include "rt/undo.h"

/**
 * rt_tracefs_path() - where tracefs is mounted
 * /sys/kernel/tracing if the marker is there, else the first tracefs in
 * /proc/self/mounts, else below debugfs.
 * Return: a constant string; NULL with a sentence that tells how to mount it, or that the
 * kernel is locked down, which leaves it empty.
 */
const char *rt_tracefs_path(struct rt_err *err);

/**
 * rt_tracefs_hint() - what may help when a file of tracefs cannot be used
 * @code: errno, of either sign
 * Return: "" or words to be put behind a message, with "; " at their beginning.
 */
const char *rt_tracefs_hint(int code);

/** rt_tracefs_put() - write a value to a file of @folder, opened with these flags, too; negative errno */
int rt_tracefs_put(const char *folder, const char *file, const char *value, int flags);

/** rt_tracefs_knob() - write a value that the undo list takes back */
int rt_tracefs_knob(struct rt_undo *undo, const char *folder, const char *file, const char *value,
		    struct rt_err *err);

/** rt_tracefs_slurp() - a whole file of @folder as heap text; negative errno */
int rt_tracefs_slurp(const char *folder, const char *file, char **ret, size_t *length);

/** rt_tracefs_has_word() - does a file of one line, such as available_tracers, have it? */
bool rt_tracefs_has_word(const char *folder, const char *file, const char *word);

#endif
