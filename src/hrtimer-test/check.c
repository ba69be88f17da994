/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The verdict: high-resolution timers are active, nothing expired early, and
 * sleeps are as fine as the clocks report.
 */
#include "hrtimer.h"

/* Without high-resolution timers clocks report a tick, 1 to 10 ms, and no sleep is shorter. */
#define FINE_NS (10 * RT_NS_PER_US)
#define TICK_NS RT_NS_PER_MS

static void look_at_clocks(struct hrt_session *s, struct hrt_verdict *v)
{
	v->is_fine_reported = true;
	for (unsigned int i = 0; i < HRT_CLOCKS; i++)
		if (s->clocks[i].resolution_ns > FINE_NS)
			v->is_fine_reported = false;
}

static void look_at_sleeps(struct hrt_session *s, struct hrt_verdict *v)
{
	for (unsigned int w = 0; w < HRT_WAYS; w++)
		for (unsigned int c = 0; c < HRT_CLOCKS; c++) {
			int64_t ns = s->shortest.ns[w][c];

			if (ns && (!v->shortest_ns || ns < v->shortest_ns))
				v->shortest_ns = ns;
		}
	/* asked for nothing finer, nothing was measured: then there is nothing against it */
	v->is_granularity_kept = !v->shortest_ns || !v->is_fine_reported ||
				 v->shortest_ns < TICK_NS;
}

void hrt_judge(struct hrt_session *s)
{
	struct hrt_verdict *v = &s->verdict;

	v->hres_active = hrt_hres_active();
	look_at_clocks(s, v);
	look_at_sleeps(s, v);
	for (unsigned int i = 0; i < s->cell_count; i++)
		if (s->cells[i].state == HRT_DONE && !s->cells[i].way->is_relative_only)
			v->early += s->cells[i].record->stats.early;
	v->passed = v->hres_active != 0 && v->is_fine_reported && !v->early &&
		    v->is_granularity_kept;
}
