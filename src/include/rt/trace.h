/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace - plain file operations on tracefs: the marker and the switch.
 */
#ifndef RT_TRACE_H
#define RT_TRACE_H

#include <stdint.h>

#include "rt/err.h"

/** struct rt_trace_mark - open files of the top-level trace; both -1 when closed */
struct rt_trace_mark {
	int marker_fd;
	int switch_fd;
};
#define RT_TRACE_MARK_CLOSED { -1, -1 }

/**
 * rt_trace_mark_open() - open trace_marker and tracing_on before the run
 * Warns (as its return value 1) when tracing is switched off already, for then
 * no mark can be written.
 * Return: 0; 1; a negative errno with a sentence (RT_EXIT_MISSING).
 */
int rt_trace_mark_open(struct rt_trace_mark *mark, struct rt_err *err);

/** rt_trace_switch_open() - tracing_on alone: a hit stops the trace and leaves no mark */
int rt_trace_switch_open(struct rt_trace_mark *mark, struct rt_err *err);
void rt_trace_mark_close(struct rt_trace_mark *mark);

/**
 * rt_trace_mark_hit() - write "hit latency threshold (VALUE > LIMIT)" and stop the trace
 * Called by the measuring thread itself, within microseconds of the sample:
 * two write(2), no allocation. tracing_on stays 0, so that the trace can be read.
 * Return: 0; a negative errno if the mark or the switch could not be written.
 */
int rt_trace_mark_hit(const struct rt_trace_mark *mark, int64_t value, int64_t limit);

#endif
