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
 * rt_load_start() - start it; before the crew is formed
 * @run:  is told when it ends early, which is a warning
 * @undo: gets its end: TERM to the group, KILL after two seconds, reaped
 * Return: 0; negative errno with a sentence.
 */
int rt_load_start(const char *command, struct rt_run *run, struct rt_undo *undo,
		  struct rt_err *err);

/** rt_load_reap() - on SIGCHLD: has it ended? Warns with its status, once. */
void rt_load_reap(struct rt_run *run);

#endif
