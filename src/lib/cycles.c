/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rt/cycles.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#define STAMP_TRIES 7

const char *rt_cycles_name(void)
{
#if defined(__x86_64__) || (defined(__i386__) && defined(__SSE2__))
	return "tsc";
#elif defined(__aarch64__)
	return "cntvct";
#elif defined(__powerpc64__)
	return "timebase";
#elif defined(__riscv) && __riscv_xlen == 64
	return "time";
#else
	return "monotonic_raw";
#endif
}

bool rt_cycles_are_steady(void)
{
#if defined(__x86_64__) || (defined(__i386__) && defined(__SSE2__))
	unsigned int a, b, c, d;

	/* Advanced power management information: bit 8, invariant TSC (Intel SDM 17.17.1) */
	return __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1u << 8;
#else
	return true;
#endif
}

/* The clocks are read between two readings of the counter: the nearer these, the better. */
void rt_cycles_stamp(struct rt_cycles_stamp *ret)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < STAMP_TRIES; i++) {
		uint64_t before = rt_cycles();
		int64_t raw_ns = rt_clock_ns(CLOCK_MONOTONIC_RAW);
		uint64_t after = rt_cycles();

		if (after - before >= best)
			continue;
		best = after - before;
		ret->cycles = before + best / 2;
		ret->raw_ns = raw_ns;
		ret->mono_ns = rt_clock_ns(CLOCK_MONOTONIC);
	}
}

uint64_t rt_cycles_hz(const struct rt_cycles_stamp *from, const struct rt_cycles_stamp *to)
{
	long double cycles = (long double)(to->cycles - from->cycles);
	int64_t ns = to->raw_ns - from->raw_ns;

	if (ns <= 0)
		return 0;
	return (uint64_t)(cycles * RT_NS_PER_S / (long double)ns + 0.5L);
}

uint64_t rt_cycles_measure_hz(int64_t time_ns)
{
	struct rt_cycles_stamp from, to;

	rt_cycles_stamp(&from);
	while (rt_clock_ns(CLOCK_MONOTONIC_RAW) - from.raw_ns < time_ns)
		;
	rt_cycles_stamp(&to);
	return rt_cycles_hz(&from, &to);
}

/* The shift that gives mult its 32nd bit keeps the most of the fraction. */
struct rt_cycles_scale rt_cycles_scale(uint64_t hz)
{
	struct rt_cycles_scale scale = { .hz = hz };
	long double mult = (long double)RT_NS_PER_S / (long double)hz;

	while (mult < 2147483648.0L) {
		mult *= 2;
		scale.shift++;
	}
	scale.mult = (uint64_t)(mult + 0.5L);
	return scale;
}

uint64_t rt_cycles_from(const struct rt_cycles_scale *s, int64_t ns)
{
	uint64_t cycles = (uint64_t)((long double)ns * (long double)s->hz / RT_NS_PER_S);

	while (cycles > 0 && rt_cycles_ns(s, cycles - 1) >= ns)
		cycles--;
	while (rt_cycles_ns(s, cycles) < ns)
		cycles++;
	return cycles;
}
