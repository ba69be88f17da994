/* SPDX-License-Identifier: GPL-2.0-or-later */
/* instance_internal - the instance room against folders of a test's choice. */
#ifndef RT_INSTANCE_INTERNAL_H
#define RT_INSTANCE_INTERNAL_H

#include "rt/instance.h"

/** rt_instance_open() - one whose folder exists already; tracing is switched off in it */
int rt_instance_open(struct rt_instance **ret, const char *top, const char *folder,
		     struct rt_err *err);

/** rt_instance_open_at() - the same; left as it is if it is not ours alone */
int rt_instance_open_at(struct rt_instance **ret, const char *top, const char *folder, bool is_ours,
			struct rt_err *err);

/** rt_instance_new_in() - rt_instance_new() where tracefs is at @top */
int rt_instance_new_in(struct rt_instance **ret, const char *top, struct rt_undo *undo,
		       struct rt_err *err);

int rt_instance_top_in(struct rt_instance **ret, const char *top, const char *tracer,
		       struct rt_undo *undo, struct rt_err *err);

/** rt_instance_top_option() - -EINVAL: this kernel has no such option */
int rt_instance_top_option(const struct rt_instance *in, const char *option, struct rt_err *err);

int rt_tracer_check_in(const char *top, const char *name, struct rt_err *err);
int rt_event_check_in(const char *top, const char *event, struct rt_err *err);

/** rt_tracefs_has_word() - does a file of one line, such as available_tracers, have it? */
bool rt_tracefs_has_word(const char *folder, const char *file, const char *word);

/** rt_tracefs_put() - write a value to a file of @folder, opened with these flags, too; negative errno */
int rt_tracefs_put(const char *folder, const char *file, const char *value, int flags);

/** rt_tracefs_slurp() - a whole file of @folder as heap text; negative errno */
int rt_tracefs_slurp(const char *folder, const char *file, char **ret, size_t *length);

#endif
