/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What only some runs do with a sample.
 */
#include "measure.h"

static uint64_t count_smis(struct cyc_thread *t)
{
	uint32_t now;
	uint32_t new_ones;

	if (rt_smi_read(t->smi_fd, &now))
		return 0;
	new_ones = now - t->smi_last;
	t->smi_last = now;
	RT_STATS_PUT(t->smi_count, t->smi_count + new_ones);
	return new_ones;
}

void cyc_hit(struct cyc_thread *t, int64_t lat_ns, int64_t shown, int64_t now_ns)
{
	struct rt_hit hit = { t->index, t->tid, shown, now_ns, lat_ns };

	rt_threshold_take(t->threshold, t->run, &hit);
}

void cyc_extras(struct cyc_thread *t, int64_t wake_ns, int64_t lat_ns, int64_t shown)
{
	struct rt_sample sample = {
		.cycle = t->record->stats.count - 1,
		.wake_ns = wake_ns,
		.lat_ns = lat_ns,
	};

	if (t->smi_fd >= 0)
		sample.extra = count_smis(t);
	if (t->verbose_ring)
		rt_ring_put(t->verbose_ring, &sample);
	if (t->samples_ring)
		rt_ring_put(t->samples_ring, &sample);
	if (lat_ns >= t->spike_from_ns)
		cyc_spikes_add(t->spikes, t->index, shown, wake_ns + lat_ns);
	if (t->mono_until_ns != INT64_MAX && rt_clock_ns(CLOCK_MONOTONIC) >= t->mono_until_ns)
		rt_run_end(t->run, RT_ENDED_DURATION);
}
