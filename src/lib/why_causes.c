/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why_causes - the list of causes of one latency, or of many.
 */
#include <stdlib.h>
#include <string.h>

#include "why_internal.h"

static bool is_same(const struct rt_why_cause *a, const struct rt_why_cause *b)
{
	return a->kind == b->kind && a->pid == b->pid && strcmp(a->name, b->name) == 0;
}

/* The last place is kept for what finds none. */
static struct rt_why_cause *place_for(struct rt_why *why, const struct rt_why_cause *cause)
{
	struct rt_why_cause rest = { .kind = RT_WHY_OTHERS, .prio = RT_WHY_PRIO_UNKNOWN };
	bool has_room = why->count < RT_WHY_CAUSES_MAX - 1 || cause->kind == RT_WHY_OTHERS;

	for (unsigned int i = 0; i < why->count; i++)
		if (is_same(&why->causes[i], cause))
			return &why->causes[i];
	if (!has_room)
		return place_for(why, &rest);
	why->causes[why->count] = *cause;
	why->causes[why->count].ns = 0;
	why->causes[why->count].times = 0;
	return &why->causes[why->count++];
}

void rt_why_add(struct rt_why *why, const struct rt_why_cause *cause, int64_t ns,
		unsigned int times)
{
	struct rt_why_cause *place = place_for(why, cause);

	place->ns += ns;
	place->times += times;
}

const struct rt_why_cause *rt_why_largest(const struct rt_why *why)
{
	const struct rt_why_cause *largest = NULL;

	for (unsigned int i = 0; i < why->count; i++)
		if (!largest || why->causes[i].ns > largest->ns)
			largest = &why->causes[i];
	return largest;
}

static int by_ns(const void *a, const void *b)
{
	const struct rt_why_cause *x = a, *y = b;

	return (x->ns < y->ns) - (x->ns > y->ns);
}

void rt_why_sort(struct rt_why *why)
{
	qsort(why->causes, why->count, sizeof(why->causes[0]), by_ns);
}

/* Short-lived tasks of one name come under many ids; each counts, none alone tells anything. */
static void merge(struct rt_why *why, const struct rt_why_cause *cause)
{
	for (unsigned int i = 0; i < why->count; i++) {
		struct rt_why_cause *at = &why->causes[i];

		if (at->kind != cause->kind || at->prio != cause->prio ||
		    strcmp(at->name, cause->name) != 0)
			continue;
		if (at->pid != cause->pid)
			at->pid = 0;
		at->ns += cause->ns;
		at->times += cause->times;
		return;
	}
	rt_why_add(why, cause, cause->ns, cause->times);
}

void rt_why_rank(struct rt_why *ranking, const struct rt_why *one)
{
	struct rt_why merged = { 0 };

	for (unsigned int i = 0; i < one->count; i++)
		merge(&merged, &one->causes[i]);
	for (unsigned int i = 0; i < merged.count; i++) {
		merged.causes[i].times = 1; /* one sample, however many stretches */
		merge(ranking, &merged.causes[i]);
	}
	ranking->lost += one->lost;
	ranking->sample.now_ns += one->sample.now_ns - one->sample.wake_ns;
	rt_why_sort(ranking);
}
