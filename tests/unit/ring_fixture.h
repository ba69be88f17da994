/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rings and who fills them, for the tests of rings and of the file. Behind <cmocka.h>. */
#ifndef RING_FIXTURE_H
#define RING_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/samples.h"

static inline struct rt_ring *new_ring(uint32_t samples)
{
	struct rt_ring *r = rt_ring_new(samples, -1);

	assert_non_null(r);
	return r;
}

static inline bool put(struct rt_ring *r, uint64_t cycle)
{
	struct rt_sample s = { .cycle = cycle, .wake_ns = (int64_t)cycle * 1000,
			       .lat_ns = (int64_t)(cycle % 50), .extra = cycle + 1 };

	return rt_ring_put(r, &s);
}

/* A producer of MANY samples; @data: the ring */
#define MANY 200000

static inline void *produce(void *data)
{
	for (uint64_t i = 0; i < MANY; i++)
		put(data, i);
	return NULL;
}

#endif
