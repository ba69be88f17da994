/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spikes: the first N samples above --spike, of all threads together. Slots are
 * taken with one atomic addition; what finds none left is only counted.
 */
#include <stdatomic.h>
#include <stdio.h>

#include "cyclictest.h"
#include "rt/json.h"

struct spike {
	unsigned int thread;
	int64_t value;
	int64_t at_ns;
};

struct cyc_spikes {
	_Atomic uint64_t seen;
	uint64_t nodes;
	struct spike list[];
};

struct cyc_spikes *cyc_spikes_new(uint32_t nodes)
{
	struct cyc_spikes *spikes = calloc(1, sizeof(*spikes) + nodes * sizeof(struct spike));

	if (spikes)
		spikes->nodes = nodes;
	return spikes;
}

void cyc_spikes_free(struct cyc_spikes *spikes)
{
	free(spikes);
}

void cyc_spikes_add(struct cyc_spikes *spikes, unsigned int thread, int64_t value, int64_t at_ns)
{
	uint64_t slot = atomic_fetch_add_explicit(&spikes->seen, 1, memory_order_relaxed);

	if (slot < spikes->nodes)
		spikes->list[slot] = (struct spike){ thread, value, at_ns };
}

uint64_t cyc_spikes_seen(const struct cyc_spikes *spikes)
{
	return atomic_load(&spikes->seen);
}

static uint64_t kept(const struct cyc_spikes *spikes)
{
	uint64_t seen = cyc_spikes_seen(spikes);

	return seen < spikes->nodes ? seen : spikes->nodes;
}

void cyc_spikes_print(const struct cyc_spikes *spikes, FILE *out)
{
	if (!cyc_spikes_seen(spikes))
		return;
	fputc('\n', out);
	for (uint64_t i = 0; i < kept(spikes); i++) {
		const struct spike *s = &spikes->list[i];

		fprintf(out, "T:%2u Spike:%8lld: TS: %12lld\n", s->thread, (long long)s->value,
			(long long)(s->at_ns / RT_NS_PER_US));
	}
	fprintf(out, "spikes = %llu\n\n", (unsigned long long)cyc_spikes_seen(spikes));
}

struct json_object *cyc_spikes_json(const struct cyc_spikes *spikes, int64_t unit_ns)
{
	struct json_object *list = json_object_new_array();

	for (uint64_t i = 0; i < kept(spikes); i++) {
		const struct spike *s = &spikes->list[i];
		struct json_object *spike = json_object_new_object();

		json_object_object_add(spike, "thread", json_object_new_int64(s->thread));
		json_object_object_add(spike, "value_ns",
				       json_object_new_int64(s->value * unit_ns));
		json_object_object_add(spike, "at_ns", json_object_new_int64(s->at_ns));
		json_object_array_add(list, spike);
	}
	return list;
}
