/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why_walk - from event to event of one CPU: each stretch of the latency is given to
 * what the CPU did then.
 */
#include <stdio.h>
#include <string.h>

#include "why_internal.h"

#define FAIR_PRIO 100 /* from here on tasks share the CPU */
#define DEPTH_MAX 8 /* task, softirq, interrupt, NMI; the rest is for traces with holes */

/* Not yet woken; ready; on the CPU. */
enum waits { WAITS_EVENT, WAITS_CPU, WAITS_NOTHING };

/**
 * struct walk - where we are on the way through the events
 * @at_ns:    all before it has its cause
 * @is_known: false: events were lost; nobody knows what ran
 * @current:  the task whose context this is
 * @idle_state: of the idle loop; -1: it is in none
 * @next:     the event that is looked at: all before it is past
 * @timer:    of the thread's periods; 0: not known
 * @nested:   interrupts and softirqs on top of it
 */
struct walk {
	struct rt_why *why;
	const struct why_events *events;
	int target_prio;
	int64_t at_ns;
	bool is_known;
	struct why_task current;
	int64_t idle_state;
	enum waits waits;
	size_t next;
	int64_t timer;
	bool is_given; /* the task was chosen while the thread waited for the CPU */
	unsigned int depth;
	struct nested {
		enum rt_why_kind kind;
		char name[RT_WHY_NAME_MAX];
		int64_t since_ns;
	} nested[DEPTH_MAX];
};

/* ---- what is the cause now? ----------------------------------------------------------- */

static void name_task(struct rt_why_cause *cause, const struct walk *w)
{
	if (w->current.pid == 0) {
		if (w->idle_state < 0 || cause->kind == RT_WHY_IDLE_EXIT)
			snprintf(cause->name, sizeof(cause->name), "idle");
		else
			snprintf(cause->name, sizeof(cause->name), "idle state %d",
				 (int)w->idle_state);
		return;
	}
	snprintf(cause->name, sizeof(cause->name), "%s", w->current.comm);
	cause->pid = w->current.pid;
	cause->prio = w->current.prio;
}

static bool sleeps_until_a_time(const struct walk *w)
{
	enum rt_why_for what = w->why->sample.waits_for;

	return what == RT_WHY_FOR_TIMER || what == RT_WHY_FOR_PERIOD;
}

/* While a task's context is what the CPU is in. */
static enum rt_why_kind kind_of_task(const struct walk *w)
{
	bool never_slept = w->why->sample.waits_for == RT_WHY_FOR_CPU;
	bool knows_its_timer = w->why->sample.waits_for != RT_WHY_FOR_PERIOD || w->timer;
	/* Among those that share the CPU priorities are weights: each has a right to run. */
	bool is_given = w->is_given && w->target_prio < FAIR_PRIO;

	if (w->waits == WAITS_NOTHING)
		return never_slept ? RT_WHY_UNEXPLAINED : RT_WHY_SWITCH_IN;
	if (w->waits == WAITS_EVENT)
		return knows_its_timer ? RT_WHY_TIMER_LATE : RT_WHY_UNEXPLAINED;
	if (w->current.pid == 0)
		return is_given ? RT_WHY_GIVEN : RT_WHY_IDLE_EXIT;
	if (w->current.prio == RT_WHY_PRIO_UNKNOWN || w->current.prio <= w->target_prio)
		return RT_WHY_THREAD;
	if (is_given)
		return RT_WHY_GIVEN;
	return never_slept ? RT_WHY_THREAD : RT_WHY_HELD; /* it was chosen among its equals */
}

/* Who will wake the thread next; NULL: the trace does not tell. */
static const struct why_event *find_waker(const struct walk *w)
{
	const struct why_event *now = &w->events->at[w->next];

	if (w->next < w->events->count && now->at_ns < w->why->sample.wake_ns)
		return NULL; /* nobody asks about the time before */
	for (size_t i = w->next; i < w->events->count; i++) {
		const struct why_event *e = &w->events->at[i];

		if (e->type == WHY_LOST)
			return NULL;
		if (e->type == WHY_WAKING && e->other.pid == w->why->sample.tid)
			return e;
	}
	return NULL;
}

/*
 * Somebody is about to wake the thread. On another CPU that is all that matters;
 * on this one it may be kept from it, by what would keep the thread itself.
 */
static bool is_for_waker(const struct walk *w, struct rt_why_cause *cause)
{
	const struct why_event *waker;

	if (w->waits != WAITS_EVENT || sleeps_until_a_time(w))
		return false;
	waker = find_waker(w);
	if (!waker)
		return true;
	if (waker->cpu == w->why->sample.cpu && w->depth)
		return false;
	cause->kind = RT_WHY_WAKER;
	if (waker->cpu == w->why->sample.cpu && w->current.pid != waker->current.pid) {
		cause->kind = RT_WHY_THREAD;
		name_task(cause, w);
		return true;
	}
	memcpy(cause->name, waker->current.comm, sizeof(waker->current.comm));
	cause->pid = waker->current.pid;
	cause->prio = rt_why_prio_of(w->events, cause->pid);
	return true;
}

static struct rt_why_cause cause_now(const struct walk *w)
{
	struct rt_why_cause cause = { .kind = RT_WHY_UNEXPLAINED, .prio = RT_WHY_PRIO_UNKNOWN };

	if (!w->is_known || is_for_waker(w, &cause))
		return cause;
	if (w->depth) {
		const struct nested *top = &w->nested[w->depth - 1];

		cause.kind = top->kind;
		memcpy(cause.name, top->name, sizeof(cause.name));
		return cause;
	}
	cause.kind = kind_of_task(w);
	if (cause.kind != RT_WHY_SWITCH_IN && cause.kind != RT_WHY_UNEXPLAINED)
		name_task(&cause, w);
	return cause;
}

/* Give the time up to @until_ns to @cause, as far as it belongs to the latency. */
static void spend(struct walk *w, int64_t until_ns, const struct rt_why_cause *cause)
{
	const struct rt_why_sample *s = &w->why->sample;
	int64_t from_ns = w->at_ns > s->wake_ns ? w->at_ns : s->wake_ns;
	int64_t to_ns = until_ns < s->now_ns ? until_ns : s->now_ns;

	if (to_ns > from_ns)
		rt_why_add(w->why, cause, to_ns - from_ns, 1);
	if (until_ns > w->at_ns)
		w->at_ns = until_ns;
}

/* ---- events -------------------------------------------------------------------------------- */

static void enter(struct walk *w, const struct why_event *e)
{
	struct nested *place;

	if (w->depth == DEPTH_MAX)
		return;
	place = &w->nested[w->depth++];
	place->kind = e->kind;
	place->since_ns = e->at_ns;
	memcpy(place->name, e->name, sizeof(place->name));
}

/* An exit whose entry was not seen ends nothing. */
static void leave(struct walk *w, const struct why_event *e)
{
	for (unsigned int i = w->depth; i-- > 0;) {
		bool is_it = w->nested[i].kind == e->kind &&
			     (strncmp(e->name, "irq/", 4) == 0 ?
				      strncmp(w->nested[i].name, e->name, strlen(e->name)) == 0 :
				      strcmp(w->nested[i].name, e->name) == 0);

		if (is_it) {
			w->depth = i;
			return;
		}
	}
}

/* What a switch, on whichever CPU, means for the thread. */
static void follow(struct walk *w, const struct why_event *e)
{
	struct rt_why *why = w->why;

	if (e->current.pid == why->sample.tid) {
		bool has_yielded = why->sample.waits_for == RT_WHY_FOR_PERIOD &&
				   e->at_ns <= why->sample.wake_ns;

		w->waits = e->stays_ready && !has_yielded ? WAITS_CPU : WAITS_EVENT;
	}
	if (e->other.pid == why->sample.tid) {
		w->waits = WAITS_NOTHING;
		why->in_ns = e->at_ns;
	}
}

static void switched(struct walk *w, const struct why_event *e)
{
	w->depth = 0; /* the scheduler is never called in an interrupt */
	follow(w, e);
	w->current = e->other;
	w->is_given = w->waits == WAITS_CPU && e->at_ns >= w->why->sample.wake_ns;
}

/* By a wake-up, or by the beginning of its period. */
static void woken(struct walk *w, const struct why_event *e)
{
	struct rt_why *why = w->why;
	bool is_it = e->type == WHY_PERIOD ? w->timer && e->value == w->timer :
					     e->other.pid == why->sample.tid;

	if (!is_it || w->waits == WAITS_NOTHING)
		return;
	if (w->waits == WAITS_EVENT)
		w->is_given = false; /* what runs was chosen before */
	w->waits = WAITS_CPU;
	if (e->at_ns + WHY_SLACK_NS <= why->sample.wake_ns)
		return;
	why->woken_ns = e->at_ns;
	for (unsigned int i = 0; e->cpu == why->sample.cpu && i < w->depth; i++)
		if (w->nested[i].kind == RT_WHY_IRQ) {
			why->timer_ns = w->nested[i].since_ns;
			return;
		}
}

static void apply(struct walk *w, const struct why_event *e)
{
	switch (e->type) {
	case WHY_SWITCH:
		switched(w, e);
		break;
	case WHY_WAKING:
	case WHY_PERIOD:
		woken(w, e);
		break;
	case WHY_ENTRY:
		enter(w, e);
		break;
	case WHY_EXIT:
		leave(w, e);
		break;
	case WHY_IDLE:
		w->idle_state = e->value;
		break;
	default:
		break;
	}
}

/* What the first event after a hole tells of the time before it. */
static void look_around(struct walk *w, const struct why_event *e)
{
	w->current = e->current;
	if (w->current.prio == RT_WHY_PRIO_UNKNOWN)
		w->current.prio = rt_why_prio_of(w->events, w->current.pid);
	w->depth = 0;
	w->idle_state = -1;
	if (e->current.pid == w->why->sample.tid)
		w->waits = WAITS_NOTHING;
	else if (w->waits == WAITS_NOTHING)
		w->waits = w->why->sample.waits_for == RT_WHY_FOR_CPU ? WAITS_CPU : WAITS_EVENT;
	if (e->type == WHY_EXIT)
		enter(w, e);
	w->is_known = true;
}

/*
 * Each line names the task that was running. Some kernels record no switch that
 * leaves idle: when another task is there than the switches told, one is missing,
 * and what has passed since the last line is the other's.
 */
static void notice_missing_switch(struct walk *w, const struct why_event *e)
{
	bool is_ready = w->waits == WAITS_CPU;

	if (!w->is_known || e->type == WHY_LOST || e->cpu != w->why->sample.cpu ||
	    e->current.pid == w->current.pid)
		return;
	look_around(w, e);
	if (e->type == WHY_EXIT)
		w->depth = 0; /* its entry was seen, or it was another task's */
	if (w->waits == WAITS_NOTHING)
		w->why->in_ns = w->at_ns;
	else if (is_ready)
		w->waits = WAITS_CPU;
	w->is_given = is_ready;
}

static void step(struct walk *w, const struct why_event *e)
{
	struct rt_why_cause cause, nmi = { .kind = RT_WHY_NMI, .name = "NMI",
					   .prio = RT_WHY_PRIO_UNKNOWN };

	notice_missing_switch(w, e);
	cause = cause_now(w);
	if (e->type == WHY_LOST) {
		w->is_known = false;
		if (w->at_ns < w->why->sample.now_ns)
			w->why->lost += (uint64_t)e->value;
		return;
	}
	if (e->type != WHY_LOST && e->cpu != w->why->sample.cpu) {
		spend(w, e->at_ns, &cause);
		if (e->type == WHY_SWITCH)
			follow(w, e);
		else
			woken(w, e);
		return;
	}
	if (e->type == WHY_NMI) {
		spend(w, e->at_ns - e->value, &cause);
		spend(w, e->at_ns, &nmi);
	} else {
		spend(w, e->at_ns, &cause);
	}
	if (!w->is_known)
		look_around(w, e);
	apply(w, e);
}

/* ---- from the first to the last ---------------------------------------------------------- */

/* A buffer that kept everything tells by its first event what was before it, too. */
static void begin(struct walk *w)
{
	const struct rt_why_sample *s = &w->why->sample;
	const struct why_event *first = NULL;

	w->at_ns = s->wake_ns;
	w->waits = s->waits_for == RT_WHY_FOR_CPU ? WAITS_NOTHING : WAITS_EVENT;
	w->idle_state = -1;
	if (s->waits_for == RT_WHY_FOR_PERIOD) {
		w->timer = rt_why_find_timer(w->events, s->tid);
		if (!w->timer && rt_why_knows_timers(w->events)) /* it expired before the trace began */
			w->waits = WAITS_CPU;
	}
	w->target_prio = rt_why_prio_of(w->events, s->tid);
	for (size_t i = 0; !first && i < w->events->count; i++)
		if (w->events->at[i].cpu == s->cpu)
			first = &w->events->at[i];
	if (!first || first->type == WHY_LOST)
		return;
	if (first->at_ns <= w->at_ns)
		w->at_ns = first->at_ns;
	else if (w->events->overwritten)
		w->why->lost = w->events->overwritten;
	if (!w->why->lost)
		look_around(w, first);
}

void rt_why_walk(struct rt_why *part, const struct why_events *events)
{
	struct walk w = { .why = part, .events = events };
	struct rt_why_cause cause;

	begin(&w);
	for (size_t i = 0; i < events->count; i++) {
		w.next = i;
		step(&w, &events->at[i]);
	}
	w.next = events->count;
	cause = cause_now(&w);
	spend(&w, part->sample.now_ns, &cause);
}
