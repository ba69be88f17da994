/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The three processes of pip_stress, and the page that they share.
 */
#ifndef PIP_ROLES_H
#define PIP_ROLES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "rt/crew.h"
#include "turn.h"

enum pip_role { PIP_LOW, PIP_MED, PIP_HIGH, PIP_ROLES };

/**
 * struct pip_page - shared by all processes; the supervisor reads the rest after the run
 * @resource:  held by low, wanted by high
 * @high_go:   low to high: the resource is taken, ask for it
 * @med_go:    high to medium: I am about to ask
 * @hold_ns:   low sleeps so long with the resource held
 * @spin_ns:   medium's own deadline
 * @has_owned: high has had the resource: medium ends its spin
 * @med_runs:  medium has begun to spin
 * @was_taken: high found the resource taken
 * @was_overtaken: medium ran while high waited: the inversion was there
 * @med_gave_up: medium's deadline passed first: nothing has resolved it
 * @blocked_ns: from high's call to its owning the resource
 */
struct pip_page {
	pthread_mutex_t resource;
	struct turn high_go;
	struct turn med_go;
	int64_t hold_ns;
	int64_t spin_ns;
	_Atomic bool has_owned;
	_Atomic bool med_runs;
	_Atomic bool was_taken;
	_Atomic bool was_overtaken;
	_Atomic bool med_gave_up;
	int64_t blocked_ns;
};

/** pip_role_run() - the body of a process; @m->data is the page, @m->index the role */
int pip_role_run(struct rt_member *m, struct rt_err *err);

/** pip_dismiss() - a process has gone: nobody shall wait for its turn */
void pip_dismiss(struct pip_page *page);

#endif
