/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why_say - an explanation for people and for programs.
 */
#include <inttypes.h>
#include <string.h>

#include "rt/clock.h"
#include "why_internal.h"

#define LABEL_MAX 96

static const char *const waits_for[] = {
	[RT_WHY_FOR_TIMER] = "timer", [RT_WHY_FOR_PERIOD] = "period",
	[RT_WHY_FOR_WAKER] = "waker", [RT_WHY_FOR_CPU] = "cpu",
};

/* What happened at the beginning of the latency. */
static const char *const begun[] = {
	[RT_WHY_FOR_TIMER] = "due", [RT_WHY_FOR_PERIOD] = "due",
	[RT_WHY_FOR_WAKER] = "posted", [RT_WHY_FOR_CPU] = "ran last",
};

static const char *const kinds[RT_WHY_KINDS] = {
	[RT_WHY_TIMER_LATE] = "timer_late", [RT_WHY_WAKER] = "waker",
	[RT_WHY_IRQ] = "irq",
	[RT_WHY_SOFTIRQ] = "softirq",	    [RT_WHY_NMI] = "nmi",
	[RT_WHY_THREAD] = "thread",	    [RT_WHY_HELD] = "held",
	[RT_WHY_GIVEN] = "given",	    [RT_WHY_IDLE_EXIT] = "idle_exit",
	[RT_WHY_SWITCH_IN] = "switch_in",   [RT_WHY_OTHERS] = "others",
	[RT_WHY_UNEXPLAINED] = "unexplained",
};

/* "real-time priority 99", "nice 0" */
static const char *prio_text(char *to, size_t size, int prio)
{
	if (prio < 0)
		snprintf(to, size, ", SCHED_DEADLINE");
	else if (prio < 100)
		snprintf(to, size, ", real-time priority %d", 99 - prio);
	else if (prio < 140)
		snprintf(to, size, ", nice %d", prio - 120);
	else
		to[0] = '\0';
	return to;
}

/* The few words of the sum. */
static void short_label(char *to, size_t size, const struct rt_why_cause *c)
{
	switch (c->kind) {
	case RT_WHY_TIMER_LATE:
		snprintf(to, size, "timer late (%s)", c->name);
		break;
	case RT_WHY_WAKER:
		snprintf(to, size, "wake-up by %s", c->name);
		break;
	case RT_WHY_SOFTIRQ:
		snprintf(to, size, "softirq %s", c->name);
		break;
	case RT_WHY_HELD:
		snprintf(to, size, "leaving %s", c->name);
		break;
	case RT_WHY_GIVEN:
		snprintf(to, size, "given to %s", c->name);
		break;
	case RT_WHY_IDLE_EXIT:
		snprintf(to, size, "idle exit");
		break;
	case RT_WHY_SWITCH_IN:
		snprintf(to, size, "switch-in");
		break;
	case RT_WHY_OTHERS:
		snprintf(to, size, "others");
		break;
	case RT_WHY_UNEXPLAINED:
		snprintf(to, size, "unexplained");
		break;
	default:
		snprintf(to, size, "%s", c->name);
	}
}

static void long_label(char *to, size_t size, const struct rt_why_cause *c)
{
	char prio[40], task[RT_WHY_NAME_MAX + 64];

	if (c->pid)
		snprintf(task, sizeof(task), "%s, pid %d%s", c->name, c->pid,
			 prio_text(prio, sizeof(prio), c->prio));
	else
		snprintf(task, sizeof(task), "%s%s", c->name,
			 prio_text(prio, sizeof(prio), c->prio));
	switch (c->kind) {
	case RT_WHY_TIMER_LATE:
		snprintf(to, size, "timer late, CPU in %s", task);
		break;
	case RT_WHY_WAKER:
		snprintf(to, size, "until it was woken by %s", task);
		break;
	case RT_WHY_IRQ:
		snprintf(to, size, "interrupt %s", task);
		break;
	case RT_WHY_THREAD:
		snprintf(to, size, "thread %s", task);
		break;
	case RT_WHY_HELD:
		snprintf(to, size, "leaving thread %s, which held the CPU", task);
		break;
	case RT_WHY_GIVEN:
		snprintf(to, size, "given to %s, by real-time throttling or the fair server", task);
		break;
	case RT_WHY_IDLE_EXIT:
		snprintf(to, size, "leaving %s", task);
		break;
	case RT_WHY_SWITCH_IN:
		snprintf(to, size, "switch-in, until it read the clock");
		break;
	default:
		short_label(to, size, c);
	}
}

/* ---- text --------------------------------------------------------------------------- */

static const char *unit_text(int64_t unit_ns)
{
	return unit_ns == 1 ? "ns" : "us";
}

/* Each number is the difference of two truncated sums, so that all add up to the last. */
static void say_sum(FILE *out, const struct rt_why *why, int64_t unit_ns)
{
	int64_t before_ns = 0;

	for (unsigned int i = 0; i < why->count; i++) {
		const struct rt_why_cause *c = &why->causes[i];
		int64_t after_ns = before_ns + c->ns;
		char label[LABEL_MAX];

		short_label(label, sizeof(label), c);
		fprintf(out, " %s %" PRId64 " %s", i ? "+" : "=",
			after_ns / unit_ns - before_ns / unit_ns, label);
		before_ns = after_ns;
	}
	fputc('\n', out);
}

static void say_step(FILE *out, const char *name, int64_t at_ns, const struct rt_why *why,
		     int64_t unit_ns)
{
	if (at_ns >= 0)
		fprintf(out, ", %s %+" PRId64, name, (at_ns - why->sample.wake_ns) / unit_ns);
}

static void say_steps(FILE *out, const struct rt_why *why, int64_t unit_ns)
{
	const struct rt_why_sample *s = &why->sample;

	fprintf(out, "#   %s at %" PRId64 ".%09" PRId64, begun[s->waits_for], s->wake_ns / RT_NS_PER_S,
		s->wake_ns % RT_NS_PER_S);
	say_step(out, "interrupt", why->timer_ns, why, unit_ns);
	say_step(out, "woken", why->woken_ns, why, unit_ns);
	say_step(out, "switched in", why->in_ns, why, unit_ns);
	say_step(out, "ran", s->now_ns, why, unit_ns);
	fprintf(out, " %s\n", unit_text(unit_ns));
}

static void say_causes(FILE *out, const struct rt_why *why, int64_t total_ns, int64_t unit_ns,
		       unsigned int samples)
{
	struct rt_why sorted = *why;

	rt_why_sort(&sorted);
	for (unsigned int i = 0; i < sorted.count; i++) {
		const struct rt_why_cause *c = &sorted.causes[i];
		char label[2 * LABEL_MAX];

		long_label(label, sizeof(label), c);
		fprintf(out, "#   %8" PRId64 " %s %5.1f %%  %s", c->ns / unit_ns,
			unit_text(unit_ns), total_ns ? 100.0 * (double)c->ns / (double)total_ns : 0,
			label);
		if (samples)
			fprintf(out, " (in %u of %u)", c->times, samples);
		fputc('\n', out);
	}
}

static void say_lost(FILE *out, const struct rt_why *why)
{
	if (why->lost)
		fprintf(out, "#   partial: the trace buffer lost %" PRIu64 " events\n", why->lost);
}

void rt_why_say(FILE *out, const struct rt_why *why, int64_t unit_ns)
{
	const struct rt_why_sample *s = &why->sample;
	int64_t total_ns = s->now_ns - s->wake_ns;

	fprintf(out, "# Why: %s %u on CPU %d: %" PRId64 " %s",
		s->noun ? s->noun : "thread", s->series, s->cpu, total_ns / unit_ns, unit_text(unit_ns));
	say_sum(out, why, unit_ns);
	say_steps(out, why, unit_ns);
	say_causes(out, why, total_ns, unit_ns, 0);
	say_lost(out, why);
}

void rt_why_say_ranking(FILE *out, const struct rt_why *ranking, unsigned int samples,
			int64_t unit_ns)
{
	fprintf(out, "# Causes of %u latencies above the limit:\n", samples);
	say_causes(out, ranking, ranking->sample.now_ns, unit_ns, samples);
	say_lost(out, ranking);
}

/* ---- JSON ---------------------------------------------------------------------------- */

static void add_time(struct json_object *to, const char *name, int64_t ns)
{
	json_object_object_add(to, name, ns < 0 ? NULL : json_object_new_int64(ns));
}

static struct json_object *cause_json(const struct rt_why_cause *c)
{
	struct json_object *cause = json_object_new_object();

	json_object_object_add(cause, "kind", json_object_new_string(kinds[c->kind]));
	json_object_object_add(cause, "name", c->name[0] ? json_object_new_string(c->name) : NULL);
	json_object_object_add(cause, "pid", c->pid ? json_object_new_int(c->pid) : NULL);
	json_object_object_add(cause, "kernel_priority", c->prio == RT_WHY_PRIO_UNKNOWN ?
					       NULL : json_object_new_int(c->prio));
	json_object_object_add(cause, "ns", json_object_new_int64(c->ns));
	json_object_object_add(cause, "times", json_object_new_int64(c->times));
	return cause;
}

struct json_object *rt_why_json_causes(const struct rt_why *why)
{
	struct json_object *causes = json_object_new_array();

	for (unsigned int i = 0; i < why->count; i++)
		json_object_array_add(causes, cause_json(&why->causes[i]));
	return causes;
}

struct json_object *rt_why_json(const struct rt_why *why)
{
	const struct rt_why_sample *s = &why->sample;
	struct json_object *to = json_object_new_object();

	json_object_object_add(to, "series", json_object_new_int64(s->series));
	json_object_object_add(to, "cpu", s->cpu < 0 ? NULL : json_object_new_int(s->cpu));
	json_object_object_add(to, "tid", json_object_new_int(s->tid));
	json_object_object_add(to, "waits_for", json_object_new_string(waits_for[s->waits_for]));
	json_object_object_add(to, "latency_ns", json_object_new_int64(s->now_ns - s->wake_ns));
	add_time(to, "due_ns", s->wake_ns);
	add_time(to, "interrupt_ns", why->timer_ns);
	add_time(to, "woken_ns", why->woken_ns);
	add_time(to, "switched_in_ns", why->in_ns);
	add_time(to, "ran_ns", s->now_ns);
	json_object_object_add(to, "lost_events", json_object_new_int64((int64_t)why->lost));
	json_object_object_add(to, "causes", rt_why_json_causes(why));
	return to;
}
