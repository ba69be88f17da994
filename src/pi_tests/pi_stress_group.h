/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A group: three threads of rising priority on one CPU, and what they share.
 */
#ifndef PI_STRESS_GROUP_H
#define PI_STRESS_GROUP_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "rt/compiler.h"
#include "rt/crew.h"
#include "rt/histogram.h"
#include "rt/samples.h"
#include "rt/status.h"
#include "turn.h"

enum pis_role { PIS_LOW, PIS_MED, PIS_HIGH, PIS_ROLES };

/* Features that the loops are built for; they combine. */
#define PIS_WITH_TRACE 1u  /* -d */
#define PIS_WITH_EXTRAS 2u /* --histogram, --samples */

/**
 * struct pis_shared - what one group's threads hand to each other
 * @mutex:     the one that it is all about
 * @high_go:   low to high: the mutex is taken, ask for it
 * @med_go:    high to medium: I am about to ask
 * @med_done, @high_done: to low: I am through with this pass
 * @asked:     the pass in which high has found out whether the mutex is taken
 * @owned:     the pass in which high had the mutex: medium spins until then
 * @given_up:  the pass that medium has kept from going on until it ended itself
 * @has_enough: high has done the inversions that were asked for
 * @is_broken: a thread has failed: no more passes
 * @is_over:   written by low before it gives the last turns: leave
 */
struct pis_shared {
	pthread_mutex_t mutex;
	struct turn high_go;
	struct turn med_go;
	struct turn med_done;
	struct turn high_done;
	_Atomic uint32_t asked;
	_Atomic uint32_t owned;
	_Atomic uint32_t given_up;
	_Atomic bool has_enough;
	_Atomic bool is_broken;
	_Atomic bool is_over;
} RT_CACHE_ALIGNED;

/**
 * struct pis_group - with what is set before the run, and what each thread alone writes
 * @blocking:   by high: from its call to its owning the mutex; one sample an inversion
 * @section:    by low: what it runs between high's asking and the unlock; one a pass
 * @inversions: how many to do; UINT64_MAX: no end
 * @section_ns: low works at least so long in the section
 * @patience_ns: how long low waits, with the mutex held, for a high thread that the kernel
 *              does not run at once
 * @spin_ns:    medium's own deadline
 * @starved_ns: a medium that has spun so long when the run ends has kept low from running
 * @not_inverted: by high: passes in which it found the mutex free
 * @failed:     by high: passes that medium gave up; their blocking times are not kept
 * @spun:       by medium: passes in which it ran before high had the mutex
 * @longest_spin_ns: by medium
 */
struct pis_group {
	struct pis_shared *shared;
	struct rt_record *blocking;
	struct rt_record *section;
	unsigned int index;
	int cpu;
	uint64_t inversions;
	int64_t section_ns;
	int64_t patience_ns;
	int64_t spin_ns;
	int64_t starved_ns;
	int64_t unit_ns;
	unsigned int features;

	/* extras */
	struct rt_linear *linear;
	struct rt_ring *samples;
	size_t linear_size;

	uint64_t not_inverted RT_CACHE_ALIGNED;
	uint64_t failed;
	uint64_t spun RT_CACHE_ALIGNED;
	int64_t longest_spin_ns;
	_Atomic bool has_starved; /* by medium, read by main after the run */
	_Atomic bool has_moved;   /* by any of them: it has lost its CPU */
};

/** pis_group_run() - the body of a thread: passes until the run is over */
int pis_group_run(enum pis_role role, struct pis_group *group, struct rt_run *run,
		  struct rt_err *err);

#endif
