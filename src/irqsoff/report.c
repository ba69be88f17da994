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
}

void irq_say(const struct irq_session *s)
{
	const struct irq_section *section = &s->section;
	FILE *out = s->rt.results.out;

	if (!section->us) {
		fprintf(out, "no section with %s off of a microsecond or more\n", s->kind->what);
		return;
	}
	fprintf(out, "longest section with %s off: %" PRId64 " us\n", s->kind->what, section->us);
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
