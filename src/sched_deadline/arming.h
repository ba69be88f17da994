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
#include "rt/session.h"

/**
 * dl_set_hrtick() - switch it on if that was asked, else say what it means that it is off
 * @runtime_ns: the shortest one
 */
int dl_set_hrtick(struct rt_session *s, bool is_asked, int64_t runtime_ns, struct rt_err *err);

/**
 * dl_set_apart() - the partition, if one is needed; @ret is NULL otherwise
 * @places: kept until the undo list is done
 */
int dl_set_apart(struct rt_session *s, struct rt_partition **ret, struct dl_places *places,
		 const struct dl_places_opts *opts, struct rt_err *err);

#endif
