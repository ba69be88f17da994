/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The results of hackbench: the lines that benchmark farms read, and documents.
 */
#include <stdio.h>

#include "hackbench.h"
#include "rt/json.h"

static const char *mode_name(const struct hb_plan *plan)
{
	return plan->mode == HB_THREADS ? "threads" : "processes";
}

static void add_number(struct json_object *o, const char *name, uint64_t value)
{
	json_object_object_add(o, name, json_object_new_int64((int64_t)value));
}

/* What both documents say of the work, whatever became of it. */
static void add_work(struct json_object *o, const struct hb_plan *plan)
{
	json_object_object_add(o, "mode", json_object_new_string(mode_name(plan)));
	json_object_object_add(o, "channel", json_object_new_string(hb_channel_name(plan->kind)));
	add_number(o, "groups", plan->groups);
	add_number(o, "fds", plan->fds);
	add_number(o, "tasks", plan->tasks);
	add_number(o, "loops", plan->loops);
	add_number(o, "datasize", plan->datasize);
	add_number(o, "messages", plan->messages);
	add_number(o, "bytes", plan->bytes);
}

/* Whole milliseconds, cut: --json and the text tell the same. */
static void format_time(char *buf, size_t size, int64_t ns)
{
	int64_t ms = ns / RT_NS_PER_MS;

	snprintf(buf, size, "%lld.%03lld", (long long)(ms / 1000), (long long)(ms % 1000));
}

static void fill_json(struct json_object *document, void *data)
{
	struct hb_session *s = data;
	struct json_object *time = NULL;
	char text[32];

	if (s->time_ns) {
		format_time(text, sizeof(text), s->time_ns);
		time = json_object_new_double_s((double)s->time_ns / RT_NS_PER_S, text);
	}
	add_work(document, s->plan);
	json_object_object_add(document, "time", time);
}

static void fill_result(struct json_object *own, void *data)
{
	struct hb_session *s = data;

	add_work(own, s->plan);
	json_object_object_add(own, "time_ns",
			       s->time_ns ? json_object_new_int64(s->time_ns) : NULL);
	json_object_object_add(own, "messages_per_second", s->time_ns ?
			       json_object_new_int64((int64_t)((double)s->plan->messages *
							       RT_NS_PER_S / (double)s->time_ns)) :
			       NULL);
}

void hb_report_plan(struct hb_plan *plan)
{
	plan->results = (struct rt_results_plan){
		.opts = &plan->opts->results,
		.tool = "hackbench",
		.argc = plan->argc,
		.argv = plan->argv,
		.clock = CLOCK_MONOTONIC,
		.unit_ns = RT_NS_PER_US,
		.fill_json = fill_json,
		.fill_result = fill_result,
	};
}

void hb_report_header(struct hb_session *s)
{
	const struct hb_plan *plan = s->plan;

	fprintf(s->rt.results.out,
		"Running in %s mode with %u groups using %u file descriptors each (== %u tasks)\n"
		"Each sender will pass %llu messages of %zu bytes\n",
		plan->mode == HB_THREADS ? "threaded" : "process", plan->groups, 2 * plan->fds,
		plan->tasks, (unsigned long long)plan->loops, plan->datasize);
	fflush(s->rt.results.out); /* or each worker would have a copy to write */
}

int hb_report(struct hb_session *s, int exit_status, struct rt_err *err)
{
	char text[32];

	rt_results_take(&s->rt.results);
	exit_status = rt_results_write(&s->rt.results, exit_status, err);
	if (s->time_ns) {
		format_time(text, sizeof(text), s->time_ns);
		fprintf(s->rt.results.out, "Time: %s\n", text);
	}
	fflush(s->rt.results.out);
	rt_results_say(&s->rt.results);
	return exit_status;
}
