/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The longest section, as text and in the documents.
 */
#include <inttypes.h>

#include "irqsoff.h"

static void add_text(struct json_object *to, const char *name, const char *text)
{
	json_object_object_add(to, name, text[0] ? json_object_new_string(text) : NULL);
}

/* Each CPU's own; a tracer keeps the one that was longest of all. */
static struct json_object *cpus_json(const struct irq_events *events)
{
	struct json_object *cpus = json_object_new_array();

	for (unsigned int i = 0; i < events->count; i++) {
		struct json_object *cpu = json_object_new_object();

		if (events->cpus[i].longest_ns < 0) {
			json_object_put(cpu);
			continue;
		}
		json_object_object_add(cpu, "cpu", json_object_new_int((int)i));
		json_object_object_add(cpu, "max_ns",
				       json_object_new_int64(events->cpus[i].longest_ns));
		json_object_array_add(cpus, cpu);
	}
	return cpus;
}

void irq_fill(struct json_object *to, void *data)
{
	const struct irq_session *s = data;
	const struct irq_section *section = &s->section;
	struct json_object *chain = json_object_new_array();

	json_object_object_add(to, "max_ns", json_object_new_int64(section->us * RT_NS_PER_US));
	json_object_object_add(to, "cpu", section->cpu < 0 ? NULL :
							     json_object_new_int(section->cpu));
	add_text(to, "task", section->task);
	add_text(to, "started_at", section->started);
	add_text(to, "ended_at", section->ended);
	for (unsigned int i = 0; i < section->depth; i++)
		json_object_array_add(chain, json_object_new_string(section->chain[i]));
	json_object_object_add(to, "call_chain", chain);
	add_text(to, "source", s->uses_events ? "events" : "tracer");
	if (!s->uses_events)
		return;
	json_object_object_add(to, "per_cpu", cpus_json(&s->events));
	json_object_object_add(to, "lost_events", json_object_new_int64((int64_t)s->events.lost));
}

static void say_section(const struct irq_section *section, FILE *out)
{
	if (section->cpu >= 0)
		fprintf(out, "CPU:        %d\n", section->cpu);
	if (section->task[0])
		fprintf(out, "task:       %s\n", section->task);
	if (section->started[0])
		fprintf(out, "started at: %s\n", section->started);
	if (section->ended[0])
		fprintf(out, "ended at:   %s\n", section->ended);
	for (unsigned int i = 0; i < section->depth; i++)
		fprintf(out, "%s %s\n", i ? "         <-" : "call chain:", section->chain[i]);
}

static void say_events(const struct irq_events *events, FILE *out)
{
	for (unsigned int i = 0; i < events->count; i++)
		if (events->cpus[i].longest_ns >= 0)
			fprintf(out, "on CPU %-4u %" PRId64 " us\n", i,
				events->cpus[i].longest_ns / RT_NS_PER_US);
	fprintf(out, "from events, to a microsecond; lost: %" PRIu64 "%s\n", events->lost,
		events->lost ? "; there may have been longer ones" : "");
}

void irq_say(const struct irq_session *s)
{
	const struct irq_section *section = &s->section;
	FILE *out = s->rt.results.out;

	if (section->us) {
		fprintf(out, "longest section with %s off: %" PRId64 " us\n", s->kind->what,
			section->us);
		say_section(section, out);
	} else {
		fprintf(out, "no section with %s off of a microsecond or more\n", s->kind->what);
	}
	if (s->uses_events)
		say_events(&s->events, out);
}
