/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cycles - the CPU's own counter, read in a few nanoseconds without the kernel,
 * and how it stands to time.
 *
 * How fast it counts is measured, against CLOCK_MONOTONIC_RAW, which nobody
 * steers: two stamps, a while apart. Each is good to some 50 ns, so a second
 * between them gives the frequency to 1e-7. Descriptions of the machine
 * (CPUID leaf 15H, the device tree) are missing or wrong too often.
 */
#ifndef RT_CYCLES_H
#define RT_CYCLES_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "rt/clock.h"
#include "rt/compiler.h"

/**
 * rt_cycles() - the counter now, ordered behind everything that stands before it
 * Where no counter is known: CLOCK_MONOTONIC_RAW in nanoseconds.
 */
RT_INLINE uint64_t rt_cycles(void)
{
#if defined(__x86_64__) || (defined(__i386__) && defined(__SSE2__))
	uint32_t low, high;

	__asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
#elif defined(__aarch64__)
	uint64_t now;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(now) : : "memory");
	return now;
#elif defined(__powerpc64__)
	return __builtin_ppc_get_timebase();
#elif defined(__riscv) && __riscv_xlen == 64
	uint64_t now;

	__asm__ volatile("fence\n\trdtime %0" : "=r"(now) : : "memory");
	return now;
#else
	return (uint64_t)rt_clock_ns(CLOCK_MONOTONIC_RAW);
#endif
}

/** rt_cycles_name() - "tsc", "cntvct", "timebase", "time", "monotonic_raw" */
const char *rt_cycles_name(void);

/** rt_cycles_are_steady() - false if the CPU says that its counter follows its clock or stops */
bool rt_cycles_are_steady(void);

/** struct rt_cycles_stamp - the counter and the clocks at one moment */
struct rt_cycles_stamp {
	uint64_t cycles;
	int64_t raw_ns;
	int64_t mono_ns;
};

/** rt_cycles_stamp() - the best of a few tries: the one that took the least time */
void rt_cycles_stamp(struct rt_cycles_stamp *ret);

/** rt_cycles_hz() - frequency between two stamps; 0 if no time or no cycle lies between them */
uint64_t rt_cycles_hz(const struct rt_cycles_stamp *from, const struct rt_cycles_stamp *to);

/** rt_cycles_measure_hz() - spin for @time_ns, and the frequency meanwhile */
uint64_t rt_cycles_measure_hz(int64_t time_ns);

/**
 * struct rt_cycles_scale - cycles to nanoseconds by one multiplication:
 * ns = cycles * mult / 2^shift, where mult has 32 bits (relative error 2^-32)
 */
struct rt_cycles_scale {
	uint64_t hz;
	uint64_t mult;
	unsigned int shift;
};

/** rt_cycles_scale() - @hz from 1000 up to 2^40 */
struct rt_cycles_scale rt_cycles_scale(uint64_t hz);

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 rt_uint128; /* ISO C has none */
#endif

/** rt_cycles_ns() - truncated; any number of cycles that is less than 2^63 ns */
RT_INLINE int64_t rt_cycles_ns(const struct rt_cycles_scale *s, uint64_t cycles)
{
#ifdef __SIZEOF_INT128__
	return (int64_t)(((rt_uint128)cycles * s->mult) >> s->shift);
#else
	uint64_t low = (cycles & UINT32_MAX) * s->mult;
	uint64_t high = (cycles >> 32) * s->mult + (low >> 32);

	if (s->shift >= 32)
		return (int64_t)(high >> (s->shift - 32));
	return (int64_t)(high << (32 - s->shift) | (low & UINT32_MAX) >> s->shift);
#endif
}

/** rt_cycles_from() - the fewest cycles that rt_cycles_ns() shows as @ns or more */
uint64_t rt_cycles_from(const struct rt_cycles_scale *s, int64_t ns);

#endif
