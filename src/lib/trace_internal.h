/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_internal - the trace room against folders of a test's choice. */
#ifndef RT_TRACE_INTERNAL_H
#define RT_TRACE_INTERNAL_H

#include <stdbool.h>

#include "rt/trace.h"

/** rt_trace_mark_open_in() - rt_trace_mark_open() in this folder */
int rt_trace_mark_open_in(struct rt_trace_mark *mark, const char *folder, struct rt_err *err);

#endif
