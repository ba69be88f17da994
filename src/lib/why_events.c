/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why_events - the events of a trace that matter to one latency, and what they tell
 * as a whole: priorities, timers, moves.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "why_internal.h"

static int keep(struct why_events *events, const struct why_event *e)
{
	if (events->count == events->room) {
		size_t room = events->room ? 2 * events->room : 1024;
		struct why_event *more = realloc(events->at, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		events->at = more;
		events->room = room;
	}
	events->at[events->count++] = *e;
	return 0;
}

/* What tells of the thread wherever it happens. */
static bool is_about(const struct why_event *e, int tid)
{
	switch (e->type) {
	case WHY_SWITCH:
		return e->current.pid == tid || e->other.pid == tid;
	case WHY_WAKING:
		return e->other.pid == tid;
	default:
		return e->type == WHY_PERIOD;
	}
}

/* An event that is too old shows that none since then was overwritten, and holes before are old. */
static bool is_too_old(struct why_events *events, const struct rt_why_sample *s,
		       const struct why_event *e)
{
	if (e->type == WHY_LOST || e->at_ns >= s->since_ns)
		return false;
	if (e->cpu == s->cpu) {
		events->overwritten = 0;
		events->count = 0;
	}
	return true;
}

/* Nothing that comes after the thread has run belongs to its latency. */
int rt_why_collect(struct why_events *events, const struct rt_why_sample *s, const char *trace)
{
	int status = 0;

	for (const char *line = trace; !status && line && *line;) {
		struct why_event e;

		events->overwritten += rt_trace_overwritten(line);
		if (rt_why_line(&e, line) && e.at_ns <= s->now_ns + WHY_SLACK_NS &&
		    !is_too_old(events, s, &e) && (e.cpu == s->cpu || is_about(&e, s->tid)))
			status = keep(events, &e);
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return status;
}

/* ---- asked of a trace ---------------------------------------------------------------- */

/* Where the thread was switched in last. */
int rt_why_find_cpu(const struct rt_why_sample *s, const char *trace)
{
	int cpu = -1;

	for (const char *line = trace; line && *line;) {
		struct why_event e;

		if (rt_why_line(&e, line) && e.type == WHY_SWITCH && e.other.pid == s->tid &&
		    e.at_ns <= s->now_ns + WHY_SLACK_NS)
			cpu = e.cpu;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return cpu;
}

/* Where the thread goes next, if it does so after @from_ns and before the end; false: it stays. */
bool rt_why_find_move(const struct rt_why_sample *s, int64_t from_ns, const char *trace,
		      struct why_event *ret)
{
	for (const char *line = trace; line && *line;) {
		if (rt_why_line(ret, line) && ret->type == WHY_MOVED && ret->other.pid == s->tid &&
		    ret->at_ns > from_ns && ret->at_ns < s->now_ns)
			return true;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return false;
}

/* ---- asked of the events ------------------------------------------------------------- */

/* A task's priority, as any switch or wake-up tells; the last one before the end. */
int rt_why_prio_of(const struct why_events *events, int pid)
{
	int prio = RT_WHY_PRIO_UNKNOWN;

	for (size_t i = 0; i < events->count; i++) {
		const struct why_event *e = &events->at[i];

		if (e->type == WHY_SWITCH && e->current.pid == pid)
			prio = e->current.prio;
		if ((e->type == WHY_SWITCH || e->type == WHY_WAKING) && e->other.pid == pid)
			prio = e->other.prio;
	}
	return prio;
}

#define TIMERS_MAX 64 /* deadline threads that are told apart */

/** struct timer - one of those that begin periods */
struct timer {
	int64_t id;
	int hits;     /* the CPU switched to the thread, and it was the last to expire before */
	int expiries;
};

static struct timer *timer_of(struct timer *timers, unsigned int *count, int64_t id)
{
	for (unsigned int i = 0; i < *count; i++)
		if (timers[i].id == id)
			return &timers[i];
	if (*count == TIMERS_MAX)
		return NULL;
	timers[*count] = (struct timer){ .id = id };
	return &timers[(*count)++];
}

/*
 * Which timer begins the thread's periods? The one whose expiries are followed by
 * a switch to it, and only those. (The kernel's fair servers have such timers, too.)
 */
int64_t rt_why_find_timer(const struct why_events *events, int tid)
{
	struct timer timers[TIMERS_MAX], *last = NULL, *best = NULL;
	unsigned int count = 0;

	for (size_t i = 0; i < events->count; i++) {
		const struct why_event *e = &events->at[i];

		if (e->type == WHY_PERIOD) {
			last = timer_of(timers, &count, e->value);
			if (last)
				last->expiries++;
		} else if (e->type == WHY_SWITCH && e->other.pid == tid && last) {
			last->hits++;
			last = NULL;
		}
	}
	for (unsigned int i = 0; i < count; i++)
		if (timers[i].hits && (!best || 2 * timers[i].hits - timers[i].expiries >
						2 * best->hits - best->expiries))
			best = &timers[i];
	return best ? best->id : 0;
}

bool rt_why_knows_timers(const struct why_events *events)
{
	for (size_t i = 0; i < events->count; i++)
		if (events->at[i].type == WHY_PERIOD)
			return true;
	return false;
}
