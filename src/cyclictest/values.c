/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The values of -v: one line a sample, out of the threads' rings.
 *
 * At 100 us on 16 CPUs these are 160 000 lines a second. printf(3) would cost
 * ten times what the measurement does, so the lines are written by hand.
 */
#include <stdio.h>

#include "measure.h"

#define BATCH 256u  /* values taken from a ring at a time */
#define COLUMN 8    /* least width of a number */
#define NUMBER_MAX 20 /* a sign and 19 digits */
#define LINE_MAX_BYTES (4 * NUMBER_MAX + 3)

/** struct text - lines on their way out */
struct text {
	char *end;
	char bytes[BATCH * LINE_MAX_BYTES];
};

/* As "%8lld": right-aligned, wider if it must be. */
static void put_number(struct text *text, int64_t value)
{
	uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	char digits[NUMBER_MAX];
	unsigned int length = 0;

	do {
		digits[length++] = (char)('0' + left % 10);
		left /= 10;
	} while (left);
	if (value < 0)
		digits[length++] = '-';
	for (unsigned int width = length; width < COLUMN; width++)
		*text->end++ = ' ';
	while (length)
		*text->end++ = digits[--length];
}

static void put_value(struct text *text, const struct cyc_session *s, unsigned int thread,
		      const struct rt_sample *v)
{
	put_number(text, thread);
	*text->end++ = ':';
	put_number(text, (int64_t)v->cycle);
	*text->end++ = ':';
	put_number(text, rt_shown(v->lat_ns, s->plan->unit_ns));
	if (s->opts->smi)
		put_number(text, (int64_t)v->extra);
	*text->end++ = '\n';
}

/* -o: only the largest of each RED values. */
static void reduce(struct text *text, struct cyc_session *s, unsigned int thread,
		   const struct rt_sample *v)
{
	struct cyc_reduction *r = &s->threads[thread]->reduction;

	if (r->count == 0 || v->lat_ns > r->largest.lat_ns)
		r->largest = *v;
	if (++r->count < s->opts->oscope)
		return;
	r->count = 0;
	put_value(text, s, thread, &r->largest);
}

/* One ring's worth at most, so that a fast thread does not keep main from its signals. */
static void drain(struct cyc_session *s, unsigned int thread)
{
	struct rt_sample batch[BATCH];
	struct text text;
	uint32_t got;

	for (uint32_t taken = 0; taken < RT_RING_SAMPLES; taken += got) {
		got = rt_ring_get(s->threads[thread]->verbose_ring, batch, BATCH);
		if (!got)
			return;
		text.end = text.bytes;
		for (uint32_t i = 0; i < got; i++)
			reduce(&text, s, thread, &batch[i]);
		fwrite(text.bytes, 1, (size_t)(text.end - text.bytes), s->rt.results.out);
	}
}

void cyc_values_print(struct cyc_session *s)
{
	for (unsigned int i = 0; i < s->plan->threads; i++)
		drain(s, i);
	fflush(s->rt.results.out);
}
