/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loop: a block is copied, time has passed, packets have arrived, packets are
 * served. From one reading of the counter to the next all time counts, so the loop
 * costs what it costs; only what we do for others (signals, trace marks) is left out.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "queuelat.h"

#define LOOK_NS (10 * RT_NS_PER_MS) /* how often signals are looked for */

static void mark_block(const struct qlt_session *s, uint64_t arrived, int64_t ns)
{
	char text[160];
	int length = snprintf(text, sizeof(text),
			      "memmove block queue_size=%llu queue_dec=%llu queue_inc=%llu "
			      "delta=%lld ns\n", (unsigned long long)s->queue.length,
			      (unsigned long long)s->queue.drain, (unsigned long long)arrived,
			      (long long)ns);

	/* Tracing may be off: then there is no mark, which is no fault of the run. */
	if (s->marker_fd >= 0 && write(s->marker_fd, text, (size_t)length) < 0)
		return;
}

static void mark_exceeded(const struct qlt_session *s)
{
	char text[128];
	int length = snprintf(text, sizeof(text),
			      "queue length exceeded: queue_size=%llu max_queue_len=%llu\n",
			      (unsigned long long)s->queue.length,
			      (unsigned long long)s->plan->max_queue);

	if (s->marker_fd >= 0 && write(s->marker_fd, text, (size_t)length) < 0)
		return;
}

static void begin(struct qlt_session *s, uint64_t pps)
{
	s->queue = (struct qlt_queue){ .pps = pps, .drain = s->block.drain };
	qlt_clear(s);
}

static bool is_stopped(struct qlt_session *s)
{
	rt_run_take_signals(s->rt.run);
	return rt_run_over(s->rt.run);
}

enum qlt_end qlt_serve(struct qlt_session *s, uint64_t pps, int64_t time_ns)
{
	const struct rt_cycles_scale *scale = &s->plan->scale;
	const struct qlt_block *block = &s->block;
	const uint64_t limit = s->plan->max_queue, mark_from = (uint64_t)s->opts->queue_len;
	int64_t mono_ns = rt_clock_ns(CLOCK_MONOTONIC), last_ns = 0, look_ns = LOOK_NS;
	uint64_t zero, until;

	begin(s, pps);
	zero = rt_cycles();
	until = time_ns ? zero + rt_cycles_from(scale, time_ns) : UINT64_MAX;
	for (;;) {
		uint64_t now, arrived;
		int64_t now_ns, took_ns;

		memmove(block->to, block->from, block->bytes);
		__asm__ volatile("" : : "r"(block->to) : "memory"); /* somebody looks at it */
		now = rt_cycles();
		now_ns = rt_cycles_ns(scale, now - zero);
		took_ns = now_ns - last_ns;
		last_ns = now_ns;

		arrived = qlt_step(&s->queue, took_ns);
		qlt_count(&s->histogram, took_ns);
		rt_record_add(s->record, took_ns, took_ns, mono_ns + now_ns, INT64_MAX);
		if (rt_unlikely(s->queue.length > mark_from)) {
			mark_block(s, arrived, took_ns);
			if (s->queue.length > limit) {
				mark_exceeded(s);
				return QLT_EXCEEDED;
			}
			zero += s->marker_fd >= 0 ? rt_cycles() - now : 0;
		}
		if (rt_unlikely(s->queue.length > limit))
			return QLT_EXCEEDED;
		if (rt_unlikely(now >= until))
			return QLT_TIME_OVER;
		if (rt_unlikely(now_ns >= look_ns)) {
			now = rt_cycles();
			if (is_stopped(s))
				return QLT_STOPPED;
			zero += rt_cycles() - now;
			look_ns = now_ns + LOOK_NS;
		}
	}
}
