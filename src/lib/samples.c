/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rt/samples.h"

size_t rt_ring_size(uint32_t samples)
{
	return sizeof(struct rt_ring) + (size_t)samples * sizeof(struct rt_sample);
}

struct rt_ring *rt_ring_place(void *memory, uint32_t samples)
{
	struct rt_ring *r = memory;

	r->mask = samples - 1;
	return r;
}

uint32_t rt_ring_get(struct rt_ring *r, struct rt_sample *ret, uint32_t max)
{
	uint32_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
	uint32_t head = atomic_load_explicit(&r->head, memory_order_acquire);
	uint32_t count = head - tail;

	if (count > max)
		count = max;
	for (uint32_t i = 0; i < count; i++)
		ret[i] = r->slots[(tail + i) & r->mask];
	/* release: the slots have been read before the producer may write them again */
	atomic_store_explicit(&r->tail, tail + count, memory_order_release);
	return count;
}
