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

int rt_tracer_check_in(const char *top, const char *name, struct rt_err *err);
int rt_event_check_in(const char *top, const char *event, struct rt_err *err);

#endif
