/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why - see rt/why.h: which events are needed, and a latency taken apart.
 */
#include <errno.h>
#include <stdlib.h>

#include "why_internal.h"

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

/* A part of a latency, with one CPU. */
static int explain_part(struct rt_why *part, const char *trace)
{
	struct why_events events = { 0 };
	int status = rt_why_collect(&events, &part->sample, trace);

	if (!status)
		rt_why_walk(part, &events);
	free(events.at);
	return status;
}

static void join(struct rt_why *whole, const struct rt_why *part)
{
	for (unsigned int i = 0; i < part->count; i++)
		rt_why_add(whole, &part->causes[i], part->causes[i].ns, part->causes[i].times);
	if (whole->timer_ns < 0)
		whole->timer_ns = part->timer_ns;
	if (whole->woken_ns < 0)
		whole->woken_ns = part->woken_ns;
	if (part->in_ns >= 0)
		whole->in_ns = part->in_ns;
	whole->lost += part->lost;
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

		is_moved = rt_why_find_move(s, from_ns, trace, &move);
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
		ret->sample.cpu = rt_why_find_cpu(sample, trace);
	if (is_pinned ? explain_part(ret, trace) : explain_parts(ret, trace))
		return rt_err_memory(err, "reading a trace");
	if (ret->in_ns < sample->wake_ns - WHY_SLACK_NS)
		ret->in_ns = -1;
	else if (ret->in_ns > sample->now_ns)
		ret->in_ns = sample->now_ns;
	return 0;
}
