/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load - a workload beside the measurement (--load=COMMAND): a shell command
 * in a process group of its own, with the affinity that we inherited,
 * SCHED_OTHER, clean signals, its stdout on stderr; it ends with us.
 */
#ifndef RT_LOAD_H
#define RT_LOAD_H

#include "rt/err.h"
#include "rt/run.h"
#include "rt/undo.h"

/**
 * rt_load_start() - start it; before the crew is formed and before main is moved
 *
 * A guardian process stands between: it ends the group when we end in any way,
 * kill -9 included (PR_SET_PDEATHSIG), TERM first and KILL two seconds later.
 *
 * @run:  its end before ours is a warning with its status
 * @undo: gets its end
 * Return: 0; negative errno with a sentence.
 */
int rt_load_start(const char *command, struct rt_run *run, struct rt_undo *undo,
		  struct rt_err *err);

#endif
