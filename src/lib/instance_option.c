/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instance_option - the words of trace_options. At the top level they are knobs.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "rt/compiler.h"
#include "rt/instance.h"
#include "rt/tracefs.h"

/* The word or its opposite is in the list; a knob would take anything. */
static int set_at_top(const struct rt_instance *in, const char *option, struct rt_err *err)
{
	const char *name = strncmp(option, "no", 2) == 0 ? option + 2 : option;
	rt_auto_free char *opposite = NULL;

	if (asprintf(&opposite, "no%s", name) < 0) {
		opposite = NULL;
		return rt_err_memory(err, "a trace");
	}
	if (!rt_tracefs_has_word(in->top, "trace_options", name) &&
	    !rt_tracefs_has_word(in->top, "trace_options", opposite))
		return -EINVAL;
	return rt_tracefs_knob(in->undo, in->top, "trace_options", option, err);
}

int rt_instance_option(const struct rt_instance *in, const char *option, struct rt_err *err)
{
	int status = in->undo ? set_at_top(in, option, err) :
				rt_tracefs_put(in->folder, "trace_options", option, 0);

	if (status == -EINVAL)
		return rt_err_set(err, RT_EXIT_USAGE, EINVAL,
				  "'%s' is no option of this kernel's tracing; give a word of %s/"
				  "trace_options", option, in->top);
	if (status)
		return rt_err_set(err, RT_EXIT_MISSING, status,
				  "cannot set the trace option '%s': %s", option,
				  strerror(-status));
	return 0;
}
