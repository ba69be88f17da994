/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The measuring loop: how late a deadline thread gets its periods.
 *
 * A thread that yields is put away until its next period begins; the kernel
 * calls that a replenishment. How much later it runs is the latency. When
 * periods begin is nowhere to be read, so it is derived from the first
 * replenishments behind the common release: a thread can't run before its
 * period has begun, so each return from sched_yield() is an upper bound, and
 * the lowest of a few is the phase. Then they become samples like all others.
 *
 * The phase is kept. Only after a period that was missed altogether it is
 * derived anew, since the kernel may have begun a new sequence of periods then
 * (kernel/sched/deadline.c: replenish_dl_entity(), "lagged too much"): a
 * backlog never gets into later samples.
 */
#include "cyclicdeadline.h"

#define PHASE_RETURNS 128 /* the phase is derived from so many, or those of phase_ns */
#define SAME_PHASE_NS (50 * RT_NS_PER_US) /* nearer than this, two phases may be the same */

/* ---- a sample ---------------------------------------------------------------------- */

/* What only some runs do with a sample; may cost a system call. */
static void extras(struct cdl_thread *t, int64_t wake_ns, int64_t lat_ns, uint64_t count)
{
	if (t->with_overrun) {
		int64_t cpu_ns = rt_clock_ns(CLOCK_THREAD_CPUTIME_ID);

		if (cpu_ns - t->cpu_seen_ns > t->reserve.runtime_ns)
			RT_STATS_PUT(t->cpu_overruns, t->cpu_overruns + 1);
		t->cpu_seen_ns = cpu_ns;
	}
	if (t->samples_ring) {
		const struct rt_sample sample = {
			.cycle = count - 1,
			.wake_ns = wake_ns,
			.lat_ns = lat_ns,
		};

		rt_ring_put(t->samples_ring, &sample);
	}
}

static void hit(struct cdl_thread *t, int64_t lat_ns, int64_t shown, int64_t now_ns)
{
	const struct rt_hit hit = { t->index, t->tid, shown, now_ns, lat_ns };

	rt_threshold_take(t->threshold, t->run, &hit);
}

RT_INLINE void take_sample(struct cdl_thread *t, int64_t wake_ns, int64_t now_ns, bool is_plain)
{
	int64_t lat_ns = now_ns - wake_ns;
	int64_t above_ns = lat_ns < 0 ? 0 : lat_ns; /* early is the phase's error: not shown */
	int64_t shown = is_plain ? above_ns / RT_NS_PER_US : above_ns / t->unit_ns;
	uint64_t count = rt_record_keep(t->record, is_plain ? NULL : t->linear, lat_ns, shown,
					now_ns, true, t->reserve.period_ns);

	if (rt_unlikely(lat_ns >= t->reserve.deadline_ns))
		RT_STATS_PUT(t->missed_deadlines, t->missed_deadlines + 1);
	if (rt_threshold_passed(t->threshold, lat_ns))
		hit(t, lat_ns, shown, now_ns);
	if (!is_plain)
		extras(t, wake_ns, lat_ns, count);
}

/* ---- the phase, and the loop ------------------------------------------------------- */

/* One period further: the time at which the thread runs again. */
RT_INLINE int64_t next_return(void)
{
	sched_yield();
	return rt_clock_ns(CDL_CLOCK);
}

/** struct phase - what was seen of the first periods of a sequence */
struct phase {
	int64_t base_ns; /* when the first of them began, as well as it can be told */
	unsigned int count;
	int64_t seen_ns[PHASE_RETURNS];
};

/* A break is to be acted on at once; what the run goes on after can wait for the phase. */
static bool is_break(const struct cdl_thread *t, int64_t late_ns)
{
	return rt_threshold_passed(t->threshold, late_ns) && !t->threshold->keeps_going;
}

/*
 * A missed period ends it: what follows may be another sequence. So does a
 * latency above the break limit, which is to be acted on at once.
 */
static void watch_phase(const struct cdl_thread *t, struct phase *p)
{
	const int64_t period_ns = t->reserve.period_ns;
	int64_t passed_ns, late_ns, now_ns;

	p->base_ns = INT64_MAX;
	p->count = 0;
	do {
		now_ns = next_return();
		passed_ns = (int64_t)p->count * period_ns;
		p->seen_ns[p->count++] = now_ns;
		if (now_ns - passed_ns < p->base_ns)
			p->base_ns = now_ns - passed_ns;
		late_ns = now_ns - p->base_ns - passed_ns;
	} while (p->count < PHASE_RETURNS && passed_ns < t->phase_ns && late_ns < period_ns &&
		 now_ns < t->until_ns && !is_break(t, late_ns) && !rt_run_over(t->run));
}

/*
 * If the kernel began anew it did so just before the late return. If that is
 * far from the old phase while what was seen since is near it, nothing has
 * changed: the old phase was derived in quieter times, and is the better one.
 */
static bool is_same_phase(const struct cdl_thread *t, int64_t found_ns, int64_t kept_ns)
{
	int64_t anew_ns = (t->seen_ns - kept_ns) % t->reserve.period_ns;

	if (anew_ns < 0)
		anew_ns += t->reserve.period_ns;
	return anew_ns >= 2 * SAME_PHASE_NS && found_ns >= kept_ns &&
	       found_ns - kept_ns < SAME_PHASE_NS;
}

/* The periods from @wake_ns on that gave no sample, and which phase counts from now on */
static void count_missed(struct cdl_thread *t, struct phase *p, int64_t wake_ns)
{
	const int64_t period_ns = t->reserve.period_ns;
	int64_t missed = (p->base_ns - wake_ns + period_ns / 2) / period_ns;
	int64_t kept_ns = wake_ns + missed * period_ns;

	rt_stats_miss(&t->record->stats, (uint64_t)missed);
	if (is_same_phase(t, p->base_ns, kept_ns))
		p->base_ns = kept_ns;
	else
		RT_STATS_PUT(t->resets, t->resets + 1);
}

/*
 * @wake_ns: the period that would have come next, in a sequence that was lost; 0: the first one
 * Return: when the period behind the samples that were taken here begins.
 */
static int64_t find_phase(struct cdl_thread *t, int64_t wake_ns, bool is_plain)
{
	struct phase p;

	watch_phase(t, &p);
	if (wake_ns)
		count_missed(t, &p, wake_ns);
	else
		t->first_ns = p.base_ns;
	wake_ns = p.base_ns;
	for (unsigned int i = 0; i < p.count; i++) {
		take_sample(t, wake_ns, p.seen_ns[i], is_plain);
		wake_ns += t->reserve.period_ns;
	}
	t->seen_ns = p.seen_ns[p.count - 1];
	return wake_ns;
}

/* The duration counts from each thread's own first period on; the last thread ends the run. */
static int64_t end_of(const struct cdl_thread *t, int64_t first_ns)
{
	int64_t duration_ns = t->session->opts->duration_ns;

	return duration_ns > 0 && duration_ns < INT64_MAX - first_ns ? first_ns + duration_ns :
								       INT64_MAX;
}

RT_INLINE void measure(struct cdl_thread *t, bool is_plain)
{
	const int64_t period_ns = t->reserve.period_ns;
	int64_t wake_ns = find_phase(t, 0, is_plain);
	int64_t until_ns = t->until_ns = end_of(t, t->first_ns);
	int64_t now_ns = t->seen_ns;

	while (now_ns < until_ns && !rt_run_over(t->run)) {
		if (rt_unlikely(now_ns >= wake_ns)) { /* a whole period is lost */
			t->seen_ns = now_ns;
			wake_ns = find_phase(t, wake_ns, is_plain);
			now_ns = t->seen_ns;
			continue;
		}
		now_ns = next_return();
		take_sample(t, wake_ns, now_ns, is_plain);
		wake_ns += period_ns;
	}
	if (now_ns >= until_ns && wake_ns < until_ns) /* the last one was so late */
		rt_stats_miss(&t->record->stats,
			      (uint64_t)((until_ns - wake_ns + period_ns - 1) / period_ns));
}

/* Microseconds, and nothing but the statistics: nearly every run. */
static void measure_plain(struct cdl_thread *t)
{
	measure(t, true);
}

static void measure_all(struct cdl_thread *t)
{
	measure(t, false);
}

void cdl_measure(struct cdl_thread *t)
{
	if (t->unit_ns == RT_NS_PER_US && !t->linear && !t->samples_ring && !t->with_overrun)
		measure_plain(t);
	else
		measure_all(t);
}
