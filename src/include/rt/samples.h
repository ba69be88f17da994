/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * samples - single samples on their way out of a measuring thread: a ring with
 * one producer and one consumer, and the file that --samples writes.
 *
 * The producer never waits. What does not fit is counted and reported.
 */
#ifndef RT_SAMPLES_H
#define RT_SAMPLES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rt/compiler.h"
#include "rt/err.h"

/**
 * struct rt_sample - one measurement
 * @cycle:   zero-based number of the sample in its thread; a gap shows lost ones
 * @wake_ns: the intended wake-up, in the tool's clock
 * @lat_ns:  how much later the thread ran; may be negative
 * @extra:   the tool's own; cyclictest: SMIs since the sample before
 */
struct rt_sample {
	uint64_t cycle;
	int64_t wake_ns;
	int64_t lat_ns;
	uint64_t extra;
};

#define RT_RING_SAMPLES 16384u /* a power of two */

struct rt_ring {
	_Atomic uint32_t head RT_CACHE_ALIGNED; /* producer: next to write */
	uint32_t tail_seen;                     /* producer: last look at tail */
	_Atomic uint32_t lost;                  /* producer: samples that did not fit, modulo 2^32 */
	_Atomic uint32_t tail RT_CACHE_ALIGNED; /* consumer: next to read */
	uint32_t mask;
	struct rt_sample slots[];
};

/**
 * rt_ring_new() - an empty ring in shared memory: its producer may be a process
 * @samples: slots, a power of two
 * @node:    where it lies; -1: anywhere
 * Return: the ring; NULL without memory.
 */
struct rt_ring *rt_ring_new(uint32_t samples, int node);
void rt_ring_free(struct rt_ring *r);

/** rt_ring_put() - the producer's side; false (and counted) when full */
RT_INLINE bool rt_ring_put(struct rt_ring *r, const struct rt_sample *sample)
{
	uint32_t head = atomic_load_explicit(&r->head, memory_order_relaxed);

	if (rt_unlikely(head - r->tail_seen > r->mask)) {
		r->tail_seen = atomic_load_explicit(&r->tail, memory_order_acquire);
		if (head - r->tail_seen > r->mask) {
			atomic_fetch_add_explicit(&r->lost, 1, memory_order_relaxed);
			return false;
		}
	}
	r->slots[head & r->mask] = *sample;
	atomic_store_explicit(&r->head, head + 1, memory_order_release);
	return true;
}

/** rt_ring_get() - the consumer's side: up to @max samples, oldest first; how many */
uint32_t rt_ring_get(struct rt_ring *r, struct rt_sample *ret, uint32_t max);

/** rt_ring_lost() - how many did not fit so far, modulo 2^32 */
static inline uint32_t rt_ring_lost(struct rt_ring *r)
{
	return atomic_load_explicit(&r->lost, memory_order_relaxed);
}

/*
 * The sample file. All numbers are little-endian.
 *
 *   header:  8 bytes "RTGSMPL1", u32 length of what follows in the header, then
 *            that many bytes of JSON: tool, clock, started, and series
 *            [ { name, cpu, interval_ns } ]
 *   block:   u32 "BLK1", u32 series, u32 samples, u32 bytes, u64 first cycle,
 *            i64 first wake_ns, u64 lost so far in this series; then that many bytes:
 *            per sample three LEB128 varints, the signed ones zigzag-coded:
 *            cycles since the sample before minus 1 (first: 0),
 *            wake_ns minus the sample before's minus interval_ns (first: 0), lat_ns
 *
 * A sample costs four to five bytes. A file is readable up to its last complete block.
 */
struct rt_samples_file;

struct rt_samples_series {
	const char *name;
	int cpu;
	int64_t interval_ns;
	struct rt_ring *ring;
};

/**
 * rt_samples_open() - make the file and write its header
 * @series: kept by reference until rt_samples_close()
 * Return: 0; a negative errno with a sentence (RT_EXIT_FAILED).
 */
int rt_samples_open(struct rt_samples_file **ret, const char *path, const char *tool,
		    const char *clock, const struct rt_samples_series *series, size_t count,
		    struct rt_err *err);

/**
 * rt_samples_start() - begin the writer thread
 * @cpus: where it may run: off the measured CPUs; NULL: anywhere
 * All signals are blocked in it. It wakes often enough that a ring of
 * RT_RING_SAMPLES at the shortest interval is at most half full.
 */
struct rt_cpuset;
int rt_samples_start(struct rt_samples_file *file, const struct rt_cpuset *cpus,
		     struct rt_err *err);

/**
 * rt_samples_close() - drain the rings, end the thread, close the file; frees it
 * @ret_lost: per series, samples that are not in the file: ring full or write failed; may be NULL
 * Return: 0; the first write error with a sentence (RT_EXIT_FAILED).
 */
int rt_samples_close(struct rt_samples_file *file, uint64_t *ret_lost, struct rt_err *err);

#endif
