/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rt/samples.h"

#include "rt/memory.h"

static size_t size_of(uint32_t samples)
{
	return sizeof(struct rt_ring) + (size_t)samples * sizeof(struct rt_sample);
}

struct rt_ring *rt_ring_new(uint32_t samples, int node)
{
	struct rt_ring *r = rt_shared_alloc(size_of(samples), node);

	if (r)
		r->mask = samples - 1;
	return r;
}

void rt_ring_free(struct rt_ring *r)
{
	if (r)
		rt_node_free(r, size_of(r->mask + 1));
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
