/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A block that takes half of the allowed latency: how many bytes that are is found
 * by halving an interval, in a bounded number of steps, and what its copying usually
 * takes at most is how many packets are served with it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "queuelat.h"
#include "rt/log.h"
#include "rt/memory.h"

#define BYTES_MAX ((size_t)4 << 20)
#define CLOSE_NS 200
#define ROUNDS 3 /* a busy machine may lead us astray once or twice */
#define STEP_COPIES 500u
#define STEP_TIME_NS (10 * RT_NS_PER_MS)
#define FINAL_COPIES 50000u
#define FINAL_TIME_NS (300 * RT_NS_PER_MS)

void qlt_clear(struct qlt_session *s)
{
	memset(&s->histogram, 0, sizeof(s->histogram));
	rt_stats_init(&s->record->stats);
	rt_stats_begin(&s->record->stats);
	rt_buckets_clear(&s->record->log);
	rt_stats_end(&s->record->stats);
}

/* The same loop without a queue, as long as the copies or the time last. */
static void sample(struct qlt_session *s, size_t bytes, unsigned int copies, int64_t time_ns)
{
	const struct rt_cycles_scale *scale = &s->plan->scale;
	struct qlt_block *block = &s->block;
	uint64_t zero = rt_cycles(), until = zero + rt_cycles_from(scale, time_ns);
	int64_t last_ns = 0;
	uint64_t now;

	qlt_clear(s);
	do {
		int64_t now_ns;

		memmove(block->to, block->from, bytes);
		__asm__ volatile("" : : "r"(block->to) : "memory");
		now = rt_cycles();
		now_ns = rt_cycles_ns(scale, now - zero);
		qlt_step(&s->queue, now_ns - last_ns);
		qlt_count(&s->histogram, now_ns - last_ns);
		rt_record_add(s->record, now_ns - last_ns, now_ns - last_ns, 0, INT64_MAX);
		last_ns = now_ns;
	} while (s->histogram.count < copies && now < until);
}

static int64_t typical_ns(struct qlt_session *s, size_t bytes)
{
	sample(s, bytes, STEP_COPIES, STEP_TIME_NS);
	return (int64_t)qlt_fullest(&s->histogram) * QLT_WIDTH_NS;
}

static bool is_stopped(struct qlt_session *s)
{
	rt_run_take_signals(s->rt.run);
	return rt_run_over(s->rt.run);
}

/* More bytes take longer; where noise says otherwise the interval shrinks all the same. */
static size_t find_bytes(struct qlt_session *s, int64_t target_ns, int64_t *ret_ns)
{
	size_t low = 0, high = BYTES_MAX, bytes = BYTES_MAX / 2;

	while (high - low > 16 && !is_stopped(s)) {
		bytes = low + (high - low) / 2;
		*ret_ns = typical_ns(s, bytes);
		if (llabs(*ret_ns - target_ns) < CLOSE_NS)
			break;
		if (*ret_ns > target_ns)
			high = bytes;
		else
			low = bytes;
	}
	return bytes;
}

unsigned int qlt_fullest(const struct qlt_histogram *h)
{
	unsigned int fullest = 0;

	for (unsigned int i = 1; i <= QLT_BUCKETS; i++)
		if (h->buckets[i] > h->buckets[fullest])
			fullest = i;
	return fullest;
}

int64_t qlt_usual_ns(const struct qlt_histogram *h)
{
	unsigned int i = qlt_fullest(h) + 1;

	while (i < QLT_BUCKETS && h->buckets[i] * 40 >= h->count)
		i++;
	if (i > QLT_BUCKETS)
		i = QLT_BUCKETS;
	return (int64_t)(i + 1) * QLT_WIDTH_NS - 1;
}

static int get_memory(struct qlt_session *s, struct rt_err *err)
{
	s->block.from = rt_node_alloc(BYTES_MAX, -1);
	s->block.to = rt_node_alloc(BYTES_MAX, -1);
	if (!s->block.from || !s->block.to)
		return rt_err_memory(err, "the blocks");
	return 0;
}

void qlt_block_free(struct qlt_block *block)
{
	rt_node_free(block->from, BYTES_MAX);
	rt_node_free(block->to, BYTES_MAX);
}

static void measure_loop_cost(struct qlt_session *s)
{
	struct rt_stats *stats = &s->record->stats;

	sample(s, 0, STEP_COPIES, STEP_TIME_NS);
	s->block.loop_cost_ns = rt_log_percentile(&s->record->log, 50, stats->min_ns, stats->max_ns);
}

static bool is_near(int64_t typical, int64_t target_ns)
{
	int64_t apart = typical > target_ns ? typical - target_ns : target_ns - typical;

	return apart < CLOSE_NS || apart < target_ns / 20;
}

/* Search, then look for longer: what the search saw need not be what usually is. */
static void find_block(struct qlt_session *s, int64_t target_ns)
{
	int64_t typical = 0;

	for (int round = 0; round < ROUNDS && !is_stopped(s); round++) {
		s->block.bytes = find_bytes(s, target_ns, &typical);
		sample(s, s->block.bytes, FINAL_COPIES, FINAL_TIME_NS);
		typical = (int64_t)qlt_fullest(&s->histogram) * QLT_WIDTH_NS;
		if (is_near(typical, target_ns))
			return;
	}
	if (!is_stopped(s))
		rt_warn("no block takes %lld ns here, the nearest takes %lld ns; is the CPU shared "
			"with others?", (long long)target_ns, (long long)typical);
}

int qlt_calibrate(struct qlt_session *s, struct rt_err *err)
{
	int status = get_memory(s, err);

	if (status)
		return status;
	measure_loop_cost(s);
	find_block(s, qlt_block_ns(s->opts));
	if (is_stopped(s))
		return rt_err_set(err, RT_EXIT_FAILED, EINTR,
				  "ended in the calibration; nothing was measured");
	s->block.drain = qlt_packets(qlt_usual_ns(&s->histogram), s->opts->cycles,
				     s->plan->scale.hz);
	if (s->block.drain)
		return 0;
	return rt_err_set(err, RT_EXIT_FAILED, ERANGE,
			  "no packet of %lld cycles can be served within the block that was found",
			  (long long)s->opts->cycles);
}
