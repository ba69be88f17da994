/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arming - what both tools of this folder do to the system before a run, with
 * what was asked and had noted for the result.
 */
#ifndef DL_ARMING_H
#define DL_ARMING_H

#include <stdbool.h>
#include <stdint.h>

#include "places.h"
#include "rt/err.h"
#include "rt/report.h"
#include "rt/samples.h"
#include "rt/undo.h"

/**
 * dl_lock_memory() - nobody asks for it in words: where it can't be had a warning says so
 * @threads: that are still to be made, each with a stack
 */
void dl_lock_memory(struct rt_result *about, unsigned int threads);

/**
 * dl_set_hrtick() - switch it on if that was asked, else say what it means that it is off
 * @runtime_ns: the shortest one
 */
int dl_set_hrtick(bool is_asked, int64_t runtime_ns, struct rt_undo *undo,
		  struct rt_result *about, struct rt_err *err);

/**
 * dl_set_apart() - the partition, if one is needed; @ret is NULL otherwise
 * @places: kept until the undo list is done
 */
int dl_set_apart(struct rt_partition **ret, struct dl_places *places,
		 const struct dl_places_opts *opts, struct rt_undo *undo, struct rt_result *about,
		 struct rt_err *err);

#endif
