/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a measuring thread works on, and what it does with a sample. All of it
 * is inlined into the loops of measure_*.c, which exist once per set of
 * features: inside a loop, nothing is asked about features that are off.
 */
#ifndef CYC_MEASURE_H
#define CYC_MEASURE_H

#include "cyclictest.h"
#include "rt/smi.h"

/* Features that the loops are built for; they combine. */
#define CYC_WITH_NSECS 1u  /* -N: the unit of display is the nanosecond */
#define CYC_WITH_LINEAR 2u /* -h or -H */
#define CYC_WITH_EXTRAS 4u /* -v, --samples, --spike, --smi, or -D on another clock */
#define CYC_FEATURE_SETS 8u

/** struct cyc_reduction - main's work on -o: the largest of the values since the last print */
struct cyc_reduction {
	int64_t count;
	struct rt_sample largest;
};

/** struct cyc_thread - the block of one thread, on its own node, hot members first */
struct cyc_thread {
	struct rt_record *record;
	struct rt_linear *linear;       /* NULL without -h */
	struct rt_threshold *threshold; /* -b */
	struct rt_run *run;
	int64_t interval_ns;
	int64_t attention_ns; /* from here on, or below zero, a latency is more than a number */
	int64_t until_ns; /* the end of the run in this clock; INT64_MAX: main keeps it alone */
	uint64_t loops;   /* UINT64_MAX: endless */
	clockid_t clock;
	unsigned int index;
	pid_t tid;
	int64_t start_ns; /* common start with -A, --secaligned; else 0: its own */
	int64_t offset_ns;
	bool relative;    /* for the timer: -r */
	const struct cyc_plan *plan;

	/* extras */
	struct rt_ring *verbose_ring;
	struct rt_ring *samples_ring;
	struct cyc_spikes *spikes;
	int64_t spike_from_ns; /* INT64_MAX: none */
	int64_t mono_until_ns; /* the end on CLOCK_MONOTONIC when the clock is another one */
	int smi_fd;
	uint32_t smi_last;
	uint64_t smi_count;

	bool has_moved; /* at its end it was not on its CPU any more; valid after the join */
	struct cyc_reduction reduction;
	size_t linear_size;
} RT_CACHE_ALIGNED;

typedef int cyc_measure(struct cyc_thread *t, struct rt_err *err);

/* One function per way to sleep; the table has one entry per feature set. */
extern cyc_measure *const cyc_measure_absolute[CYC_FEATURE_SETS];
extern cyc_measure *const cyc_measure_relative[CYC_FEATURE_SETS];
extern cyc_measure *const cyc_measure_system[CYC_FEATURE_SETS];
extern cyc_measure *const cyc_measure_timer[CYC_FEATURE_SETS];

/* extras.c: what only some runs do with a sample; may cost a system call. */
void cyc_extras(struct cyc_thread *t, int64_t wake_ns, int64_t lat_ns, int64_t shown);

/**
 * cyc_attention() - the smallest latency with a meaning of its own
 * Late, above the break limit or above the histogram's top: cyc_sample() looks
 * for all three, and for early ones, with a single comparison.
 */
static inline int64_t cyc_attention(const struct cyc_thread *t)
{
	int64_t from_ns = t->threshold->from_ns;

	if (t->interval_ns < from_ns)
		from_ns = t->interval_ns;
	return from_ns < RT_LOG_TOP_NS ? from_ns : RT_LOG_TOP_NS;
}

/* In the unit of display, truncated toward zero; what is not special is not negative. */
RT_INLINE int64_t cyc_shown(int64_t lat_ns, bool is_special, unsigned int features)
{
	if (features & CYC_WITH_NSECS)
		return lat_ns;
	if (rt_unlikely(is_special))
		return lat_ns / RT_NS_PER_US;
	return (int64_t)((uint64_t)lat_ns / (uint64_t)RT_NS_PER_US);
}

/* extras.c: a sample that passed the limit, or is the worst so far with --why */
void cyc_hit(struct cyc_thread *t, int64_t lat_ns, int64_t shown, int64_t now_ns);

/**
 * cyc_sample() - one wake-up: into the statistics, and does the run end with it?
 * @wake_ns: when the thread wanted to run
 * @now_ns:  when it did
 */
RT_INLINE void cyc_sample(struct cyc_thread *t, int64_t wake_ns, int64_t now_ns,
			  unsigned int features)
{
	int64_t lat_ns = now_ns - wake_ns;
	bool is_special = (uint64_t)lat_ns >= (uint64_t)t->attention_ns;
	int64_t shown = cyc_shown(lat_ns, is_special, features);
	uint64_t count = rt_record_keep(t->record, features & CYC_WITH_LINEAR ? t->linear : NULL,
					lat_ns, shown, now_ns, is_special, t->interval_ns);

	if (rt_unlikely(is_special) && rt_threshold_passed(t->threshold, lat_ns))
		cyc_hit(t, lat_ns, shown, now_ns);
	if (features & CYC_WITH_EXTRAS)
		cyc_extras(t, wake_ns, lat_ns, shown);
	if (rt_unlikely(now_ns >= t->until_ns))
		rt_run_end(t->run, RT_ENDED_DURATION);
	if (rt_unlikely(count == t->loops))
		rt_run_end(t->run, RT_ENDED_LOOPS);
}

/**
 * cyc_next() - the wake-up after this one, on the grid of the interval
 * Intervals that have passed meanwhile give no sample; they are counted.
 */
RT_INLINE int64_t cyc_next(struct cyc_thread *t, int64_t wake_ns, int64_t now_ns)
{
	wake_ns += t->interval_ns;
	if (rt_unlikely(now_ns > wake_ns)) {
		int64_t missed = (now_ns - wake_ns + t->interval_ns - 1) / t->interval_ns;

		rt_stats_miss(&t->record->stats, (uint64_t)missed);
		wake_ns += missed * t->interval_ns;
	}
	return wake_ns;
}

/**
 * cyc_first_wake() - the first point of the thread's grid that it can keep
 * Points that went by while the threads were being released are no samples.
 */
RT_INLINE int64_t cyc_first_wake(const struct cyc_thread *t)
{
	int64_t now_ns = rt_clock_ns(t->clock);
	int64_t wake_ns = t->interval_ns + (t->start_ns ? t->start_ns + t->offset_ns : now_ns);

	if (now_ns > wake_ns)
		wake_ns += (now_ns - wake_ns + t->interval_ns - 1) / t->interval_ns *
			   t->interval_ns;
	return wake_ns;
}

/* The eight variants of an always-inlined loop, and their table. */
#define CYC_VARIANT(loop, n)                                            \
	static int loop##_##n(struct cyc_thread *t, struct rt_err *err) \
	{                                                               \
		return loop(t, err, n);                                 \
	}
#define CYC_VARIANTS(table, loop)                                                           \
	CYC_VARIANT(loop, 0) CYC_VARIANT(loop, 1) CYC_VARIANT(loop, 2) CYC_VARIANT(loop, 3) \
	CYC_VARIANT(loop, 4) CYC_VARIANT(loop, 5) CYC_VARIANT(loop, 6) CYC_VARIANT(loop, 7) \
	cyc_measure *const table[CYC_FEATURE_SETS] = { loop##_0, loop##_1, loop##_2,        \
						       loop##_3, loop##_4, loop##_5,        \
						       loop##_6, loop##_7 };

#endif
