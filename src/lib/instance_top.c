/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instance_top - the top level of tracefs, which is everybody's: a tracer that runs
 * nowhere else, and all of it put back.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "instance_internal.h"
#include "rt/compiler.h"
#include "rt/tracefs.h"

/*
 * Running it is on, and behind a break off. A knob is put back only when it has the value
 * that it was given: so that is the one which it had not.
 */
static int switch_top_on(const char *top, struct rt_undo *undo, struct rt_err *err)
{
	bool is_on = rt_tracefs_has_word(top, "tracing_on", "1");
	int status = rt_tracefs_knob(undo, top, "tracing_on", is_on ? "0" : "1", err);

	if (status || !is_on)
		return status;
	status = rt_tracefs_put(top, "tracing_on", "1", 0);
	return status ? rt_err_set(err, RT_EXIT_MISSING, status, "cannot start the trace: %s",
				   strerror(-status)) : 0;
}

int rt_instance_top_in(struct rt_instance **ret, const char *top, const char *tracer,
		       struct rt_undo *undo, struct rt_err *err)
{
	rt_auto_free char *now = NULL;
	int status = rt_tracer_check_in(top, tracer, err);

	if (status)
		return status;
	status = rt_tracefs_slurp(top, "current_tracer", &now, NULL);
	if (status)
		return rt_err_set(err, RT_EXIT_MISSING, status, "cannot read %s/current_tracer: %s",
				  top, strerror(-status));
	now[strcspn(now, "\n")] = '\0';
	if (strcmp(now, "nop") != 0)
		return rt_err_set(err, RT_EXIT_MISSING, EBUSY,
				  "the tracer '%s' is running already; end it with 'echo nop >"
				  "%s/current_tracer'", now, top);
	status = rt_tracefs_knob(undo, top, "current_tracer", tracer, err);
	if (!status)
		status = switch_top_on(top, undo, err);
	if (!status)
		status = rt_instance_open_at(ret, top, top, false, err);
	if (!status)
		(*ret)->undo = undo;
	return status;
}

int rt_instance_top(struct rt_instance **ret, const char *tracer, struct rt_undo *undo,
		    struct rt_err *err)
{
	const char *top = rt_tracefs_path(err);

	return top ? rt_instance_top_in(ret, top, tracer, undo, err) : -ENOENT;
}
