/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hrtick - does the kernel end a runtime on time, or at the next tick?
 */
#ifndef DL_HRTICK_H
#define DL_HRTICK_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/err.h"
#include "rt/undo.h"

/** enum dl_hrtick - what sched/features says */
enum dl_hrtick { DL_HRTICK_UNKNOWN, DL_HRTICK_OFF, DL_HRTICK_ON };

/** dl_hrtick_state() - as it is now; unknown where debugfs can't be read */
enum dl_hrtick dl_hrtick_state(void);

/** dl_hrtick_text() - "on", "off", "unknown" */
const char *dl_hrtick_text(enum dl_hrtick state);

/**
 * dl_hrtick_set_on() - switch it on for the run
 * Return: 0; a negative errno with a sentence (RT_EXIT_MISSING).
 */
int dl_hrtick_set_on(struct rt_undo *undo, struct rt_err *err);

/**
 * dl_hrtick_note() - say what it means that it is off, if some runtime is under a tick
 * @runtime_ns: the shortest one
 */
void dl_hrtick_note(int64_t runtime_ns);

#endif
