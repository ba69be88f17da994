/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why - see rt/why.h: walk through the events of one CPU and give each stretch
 * of the latency to what the CPU did then.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rt/compiler.h"
#include "why_internal.h"

/* Timestamps are rounded, and the trace's clock is a hair off where it is corrected. */
#define SLACK_NS 1000
#define FAIR_PRIO 100 /* from here on tasks share the CPU */
#define DEPTH_MAX 8 /* task, softirq, interrupt, NMI; the rest is for traces with holes */

const char *const rt_why_events_needed[] = { "sched:sched_switch", "sched:sched_waking", NULL };

const char *const rt_why_events_wanted[] = {
	"sched:sched_migrate_task",
	"irq:irq_handler_entry", "irq:irq_handler_exit", "irq:softirq_entry", "irq:softirq_exit",
	"irq_vectors:local_timer_entry", "irq_vectors:local_timer_exit",
	"irq_vectors:reschedule_entry", "irq_vectors:reschedule_exit",
	"irq_vectors:call_function_entry", "irq_vectors:call_function_exit",
	"irq_vectors:call_function_single_entry", "irq_vectors:call_function_single_exit",
	"irq_vectors:irq_work_entry", "irq_vectors:irq_work_exit",
	"irq_vectors:x86_platform_ipi_entry", "irq_vectors:x86_platform_ipi_exit",
	"irq_vectors:error_apic_entry", "irq_vectors:error_apic_exit",
	"irq_vectors:spurious_apic_entry", "irq_vectors:spurious_apic_exit",
	"irq_vectors:thermal_apic_entry", "irq_vectors:thermal_apic_exit",
	"irq_vectors:threshold_apic_entry", "irq_vectors:threshold_apic_exit",
	"irq_vectors:deferred_error_apic_entry", "irq_vectors:deferred_error_apic_exit",
	"ipi:ipi_entry", "ipi:ipi_exit", "nmi:nmi_handler", "power:cpu_idle", NULL
};

const char *const rt_why_events_for_period[] = { "timer:hrtimer_expire_entry", NULL };

/* Not yet woken; ready; on the CPU. */
enum waits { WAITS_EVENT, WAITS_CPU, WAITS_NOTHING };

/** struct events - those of one CPU, in order, and the wake-ups of the thread from all */
struct events {
	struct why_event *at;
	size_t count;
	size_t room;
	uint64_t overwritten;
};

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
	const struct events *events;
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

/* A task's priority, as any switch or wake-up tells; the last one before the end. */
static int prio_of(const struct events *events, int pid)
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

/* ---- causes ------------------------------------------------------------------------------ */

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

static void add_cause(struct rt_why *why, const struct rt_why_cause *cause, int64_t ns,
		      unsigned int times)
{
	struct rt_why_cause *place = place_for(why, cause);

	place->ns += ns;
	place->times += times;
}

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
	cause->prio = prio_of(w->events, cause->pid);
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
		add_cause(w->why, cause, to_ns - from_ns, 1);
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
	if (e->at_ns + SLACK_NS <= why->sample.wake_ns)
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
		w->current.prio = prio_of(w->events, w->current.pid);
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

/* ---- a trace --------------------------------------------------------------------------------- */

static int keep(struct events *events, const struct why_event *e)
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
static bool is_too_old(struct events *events, const struct rt_why_sample *s,
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
static int collect(struct events *events, const struct rt_why_sample *s, const char *trace)
{
	int status = 0;

	for (const char *line = trace; !status && line && *line;) {
		struct why_event e;

		events->overwritten += rt_trace_overwritten(line);
		if (rt_why_line(&e, line) && e.at_ns <= s->now_ns + SLACK_NS &&
		    !is_too_old(events, s, &e) && (e.cpu == s->cpu || is_about(&e, s->tid)))
			status = keep(events, &e);
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return status;
}

/* Where the thread was switched in last. */
static int find_cpu(const struct rt_why_sample *s, const char *trace)
{
	int cpu = -1;

	for (const char *line = trace; line && *line;) {
		struct why_event e;

		if (rt_why_line(&e, line) && e.type == WHY_SWITCH && e.other.pid == s->tid &&
		    e.at_ns <= s->now_ns + SLACK_NS)
			cpu = e.cpu;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return cpu;
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
static int64_t find_timer(const struct events *events, int tid)
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

static bool knows_timers(const struct events *events)
{
	for (size_t i = 0; i < events->count; i++)
		if (events->at[i].type == WHY_PERIOD)
			return true;
	return false;
}

/* A buffer that kept everything tells by its first event what was before it, too. */
static void begin(struct walk *w)
{
	const struct rt_why_sample *s = &w->why->sample;
	const struct why_event *first = NULL;

	w->at_ns = s->wake_ns;
	w->waits = s->waits_for == RT_WHY_FOR_CPU ? WAITS_NOTHING : WAITS_EVENT;
	w->idle_state = -1;
	if (s->waits_for == RT_WHY_FOR_PERIOD) {
		w->timer = find_timer(w->events, s->tid);
		if (!w->timer && knows_timers(w->events)) /* it expired before the trace began */
			w->waits = WAITS_CPU;
	}
	w->target_prio = prio_of(w->events, s->tid);
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

/* A part of a latency, with one CPU. */
static int explain_part(struct rt_why *part, const char *trace)
{
	const struct rt_why_sample *s = &part->sample;
	struct events events = { 0 };
	struct walk w = { .why = part, .events = &events };
	struct rt_why_cause cause;

	if (collect(&events, s, trace)) {
		free(events.at);
		return -ENOMEM;
	}
	begin(&w);
	for (size_t i = 0; i < events.count; i++) {
		w.next = i;
		step(&w, &events.at[i]);
	}
	w.next = events.count;
	cause = cause_now(&w);
	spend(&w, s->now_ns, &cause);
	free(events.at);
	return 0;
}

static void join(struct rt_why *whole, const struct rt_why *part)
{
	for (unsigned int i = 0; i < part->count; i++)
		add_cause(whole, &part->causes[i], part->causes[i].ns, part->causes[i].times);
	if (whole->timer_ns < 0)
		whole->timer_ns = part->timer_ns;
	if (whole->woken_ns < 0)
		whole->woken_ns = part->woken_ns;
	if (part->in_ns >= 0)
		whole->in_ns = part->in_ns;
	whole->lost += part->lost;
}

/* Where the thread goes next, if it does so after @from_ns and before the end; false: it stays. */
static bool find_move(const struct rt_why_sample *s, int64_t from_ns, const char *trace,
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

/*
 * A thread that is not pinned may wait in the queue of one CPU, and then be moved
 * to another one's: what counts is the CPU that it waited for.
 */
static int explain_parts(struct rt_why *whole, const char *trace)
{
	const struct rt_why_sample *s = &whole->sample;
	int64_t from_ns = s->wake_ns;
	struct why_event move;
	bool is_moved;
	int status;

	do {
		struct rt_why part = { .sample = *s, .timer_ns = -1, .woken_ns = -1,
				       .in_ns = -1 };

		is_moved = find_move(s, from_ns, trace, &move);
		part.sample.wake_ns = from_ns;
		if (is_moved) {
			part.sample.cpu = move.from_cpu;
			part.sample.now_ns = move.at_ns;
		}
		status = explain_part(&part, trace);
		join(whole, &part);
		from_ns = part.sample.now_ns;
	} while (!status && is_moved);
	return status;
}

int rt_why_explain(struct rt_why *ret, const struct rt_why_sample *sample, const char *trace,
		   struct rt_err *err)
{
	bool is_pinned = sample->cpu >= 0;

	*ret = (struct rt_why){ .sample = *sample, .timer_ns = -1, .woken_ns = -1, .in_ns = -1 };
	if (!is_pinned)
		ret->sample.cpu = find_cpu(sample, trace);
	if (is_pinned ? explain_part(ret, trace) : explain_parts(ret, trace))
		return rt_err_memory(err, "reading a trace");
	if (ret->in_ns < sample->wake_ns - SLACK_NS)
		ret->in_ns = -1;
	else if (ret->in_ns > sample->now_ns)
		ret->in_ns = sample->now_ns;
	return 0;
}

/* ---- several -------------------------------------------------------------------------- */

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
	add_cause(why, cause, cause->ns, cause->times);
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
