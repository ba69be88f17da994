/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What hrtimer-test says: tables, verdict, documents.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "hrtimer.h"
#include "rt/clock.h"
#include "rt/json.h"
#include "rt/log.h"

static double us(double ns)
{
	return ns / RT_NS_PER_US;
}

static bool has_numbers(const struct hrt_cell *c)
{
	return c->state == HRT_DONE;
}

/* ---- tables ------------------------------------------------------------------------------- */

static void print_clock(FILE *out, const struct hrt_clock *clock)
{
	fprintf(out, "# %s: ", rt_clock_name(clock->id));
	if (!clock->resolution_ns) {
		fprintf(out, "this kernel has no such clock\n");
		return;
	}
	fprintf(out, "resolution %lld ns, step %lld ns, ", (long long)clock->resolution_ns,
		(long long)clock->step_ns);
	if (clock->was_set)
		fprintf(out, "was set during the run\n");
	else if (clock->has_drift)
		fprintf(out, "drift %+.3f ppm\n", clock->drift_ppm);
	else
		fprintf(out, "drift -\n");
}

static void print_cell(FILE *out, const struct hrt_cell *c)
{
	const struct rt_stats *s = c->record ? &c->record->stats : NULL;
	char period[RT_TIME_TEXT_MAX];

	fprintf(out, "%-10s %-14s %8s", rt_clock_name(hrt_clock_ids[c->clock]), c->way->name,
		rt_format_time(period, sizeof(period), c->period_ns));
	if (!has_numbers(c))
		fprintf(out, " %7s %10s %10s %10s %5s %5s\n", "-", "-", "-", "-", "-", "-");
	else
		fprintf(out, " %7llu %10.3f %10.3f %10.3f %5llu %5llu\n",
			(unsigned long long)s->count, us((double)s->min_ns),
			us(rt_stats_mean_ns(s)), us((double)s->max_ns),
			(unsigned long long)(c->way->is_relative_only ? 0 : s->early),
			(unsigned long long)s->missed);
}

static void print_cells(FILE *out, const struct hrt_session *s)
{
	fprintf(out, "\n# late by, in us\n%-10s %-14s %8s %7s %10s %10s %10s %5s %5s\n", "# clock",
		"way", "period", "samples", "earliest", "mean", "latest", "early", "over");
	for (unsigned int i = 0; i < s->cells_begun; i++)
		print_cell(out, &s->cells[i]);
	if (s->cells_begun < s->cell_count)
		fprintf(out, "# ended early: %u of %u not measured\n",
			s->cell_count - s->cells_begun, s->cell_count);
}

static void print_shortest(FILE *out, const struct hrt_session *s)
{
	fprintf(out, "\n# shortest sleep, in us\n%-10s %-14s %10s\n", "# clock", "way", "shortest");
	for (unsigned int c = 0; c < HRT_CLOCKS; c++)
		for (unsigned int w = 0; w < HRT_WAYS; w++)
			if (s->shortest.ns[w][c])
				fprintf(out, "%-10s %-14s %10.3f\n", rt_clock_name(hrt_clock_ids[c]),
					hrt_ways[w].name, us((double)s->shortest.ns[w][c]));
}

static void print_slacks(FILE *out, const struct hrt_session *s)
{
	fprintf(out, "\n# timer slack (here %lld ns), 1ms by nanosleep-abs, late by, in us\n%-10s "
		"%10s %10s %10s\n", (long long)s->slack_found_ns, "# slack", "earliest", "mean",
		"latest");
	for (unsigned int i = 0; i < HRT_SLACKS; i++) {
		const struct rt_stats *stats = &s->slacks[i].stats;
		char slack[RT_TIME_TEXT_MAX];

		rt_format_time(slack, sizeof(slack), s->slacks[i].slack_ns);
		if (s->slacks[i].is_done)
			fprintf(out, "%-10s %10.3f %10.3f %10.3f\n", slack,
				us((double)stats->min_ns), us(rt_stats_mean_ns(stats)),
				us((double)stats->max_ns));
		else
			fprintf(out, "%-10s %10s %10s %10s\n", slack, "-", "-", "-");
	}
}

static void print_line(FILE *out, bool is_good, const char *what)
{
	fprintf(out, "%-6s %s\n", is_good ? "ok" : "FAILED", what);
}

static void print_verdict(FILE *out, const struct hrt_session *s)
{
	const struct hrt_verdict *v = &s->verdict;
	char text[128];

	fprintf(out, "\n");
	print_line(out, v->hres_active != 0,
		   v->hres_active == 1 ? "high-resolution timers are active on all CPUs" :
		   v->hres_active == 0 ? "high-resolution timers are not active on all CPUs" :
					 "/proc/timer_list does not say whether timers are "
					 "high-resolution ones");
	print_line(out, v->is_fine_reported, "resolutions reported are those of such timers");
	snprintf(text, sizeof(text), "expired early: %llu", (unsigned long long)v->early);
	print_line(out, !v->early, text);
	if (v->shortest_ns)
		snprintf(text, sizeof(text), "sleeps are as fine as reported: the shortest took %.3f us",
			 us((double)v->shortest_ns));
	else
		snprintf(text, sizeof(text), "sleeps are as fine as reported: not measured");
	print_line(out, v->is_granularity_kept, text);
}

static void print_all(const struct hrt_session *s)
{
	FILE *out = s->rt.results.out;

	for (unsigned int i = 0; i < HRT_CLOCKS && !s->opts->quiet; i++)
		if (s->opts->clocks & 1u << i)
			print_clock(out, &s->clocks[i]);
	if (!s->opts->quiet) {
		print_cells(out, s);
		print_shortest(out, s);
		print_slacks(out, s);
	}
	if (s->opts->check)
		print_verdict(out, s);
	fflush(out);
}

/* ---- documents ----------------------------------------------------------------------------- */

static void add_int(struct json_object *o, const char *name, int64_t value)
{
	json_object_object_add(o, name, json_object_new_int64(value));
}

static void add_text(struct json_object *o, const char *name, const char *text)
{
	json_object_object_add(o, name, json_object_new_string(text));
}

static void add_decimal(struct json_object *o, const char *name, double value, bool is_there)
{
	char text[64];

	snprintf(text, sizeof(text), "%.3f", value);
	json_object_object_add(o, name, is_there ? json_object_new_double_s(value, text) : NULL);
}

static struct json_object *clocks_json(const struct hrt_session *s)
{
	struct json_object *list = json_object_new_array();

	for (unsigned int i = 0; i < HRT_CLOCKS; i++) {
		const struct hrt_clock *c = &s->clocks[i];
		struct json_object *o;

		if (!(s->opts->clocks & 1u << i))
			continue;
		o = json_object_new_object();
		add_text(o, "clock", rt_clock_name(hrt_clock_ids[i]));
		add_int(o, "resolution", c->resolution_ns);
		add_int(o, "step", c->step_ns);
		add_decimal(o, "drift_ppm", c->drift_ppm, c->has_drift);
		json_object_object_add(o, "was_set", json_object_new_boolean(c->was_set));
		json_object_array_add(list, o);
	}
	return list;
}

static const char *state_text(enum hrt_state state)
{
	static const char *const texts[] = {
		[HRT_NOT_YET] = "not done",
		[HRT_IMPOSSIBLE] = "impossible",
		[HRT_DONE] = "done",
		[HRT_STEPPED] = "clock was set",
	};

	return texts[state];
}

static struct json_object *cell_json(const struct hrt_cell *c)
{
	struct json_object *o = json_object_new_object();
	const struct rt_stats *s = &c->record->stats;

	add_text(o, "clock", rt_clock_name(hrt_clock_ids[c->clock]));
	add_text(o, "way", c->way->name);
	add_int(o, "period", c->period_ns);
	add_text(o, "state", state_text(c->state));
	if (c->state == HRT_IMPOSSIBLE && c->reason)
		add_text(o, "reason", strerror(-c->reason));
	if (!has_numbers(c))
		return o;
	add_int(o, "samples", (int64_t)s->count);
	add_int(o, "earliest", s->min_ns);
	add_decimal(o, "mean", rt_stats_mean_ns(s), true);
	add_int(o, "latest", s->max_ns);
	add_int(o, "early", c->way->is_relative_only ? 0 : (int64_t)s->early);
	add_int(o, "overruns", (int64_t)s->missed);
	return o;
}

static struct json_object *cells_json(const struct hrt_session *s)
{
	struct json_object *list = json_object_new_array();

	for (unsigned int i = 0; i < s->cell_count; i++)
		json_object_array_add(list, cell_json(&s->cells[i]));
	return list;
}

static struct json_object *shortest_json(const struct hrt_session *s)
{
	struct json_object *list = json_object_new_array();

	for (unsigned int c = 0; c < HRT_CLOCKS; c++)
		for (unsigned int w = 0; w < HRT_WAYS; w++) {
			struct json_object *o;

			if (!s->shortest.ns[w][c])
				continue;
			o = json_object_new_object();
			add_text(o, "clock", rt_clock_name(hrt_clock_ids[c]));
			add_text(o, "way", hrt_ways[w].name);
			add_int(o, "shortest", s->shortest.ns[w][c]);
			json_object_array_add(list, o);
		}
	return list;
}

static struct json_object *slacks_json(const struct hrt_session *s)
{
	struct json_object *list = json_object_new_array();

	for (unsigned int i = 0; i < HRT_SLACKS; i++) {
		struct json_object *o;

		if (!s->slacks[i].is_done)
			continue;
		o = json_object_new_object();
		add_int(o, "slack", s->slacks[i].slack_ns);
		add_int(o, "earliest", s->slacks[i].stats.min_ns);
		add_decimal(o, "mean", rt_stats_mean_ns(&s->slacks[i].stats), true);
		add_int(o, "latest", s->slacks[i].stats.max_ns);
		json_object_array_add(list, o);
	}
	return list;
}

static struct json_object *verdict_json(const struct hrt_verdict *v)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "hres_active", v->hres_active < 0 ? NULL :
			       json_object_new_boolean(v->hres_active));
	json_object_object_add(o, "fine_reported", json_object_new_boolean(v->is_fine_reported));
	add_int(o, "early", (int64_t)v->early);
	json_object_object_add(o, "shortest", v->shortest_ns ?
			       json_object_new_int64(v->shortest_ns) : NULL);
	json_object_object_add(o, "granularity_kept",
			       json_object_new_boolean(v->is_granularity_kept));
	json_object_object_add(o, "passed", json_object_new_boolean(v->passed));
	return o;
}

static void fill(struct json_object *o, void *data)
{
	const struct hrt_session *s = data;

	json_object_object_add(o, "clocks", clocks_json(s));
	json_object_object_add(o, "cells", cells_json(s));
	json_object_object_add(o, "shortest", shortest_json(s));
	add_int(o, "slack", s->slack_found_ns);
	json_object_object_add(o, "slacks", slacks_json(s));
	json_object_object_add(o, "check", verdict_json(&s->verdict));
}

static void note_tid(void *data)
{
	struct hrt_session *s = data;

	for (unsigned int i = 0; i < s->cell_count; i++)
		rt_status_info(s->rt.status, i)->tid = atomic_load(&rt_crew_member(s->rt.crew, 0)->tid);
}

void hrt_report_plan(struct hrt_session *s)
{
	s->results_plan = (struct rt_results_plan){
		.opts = &s->opts->results,
		.tool = "hrtimer-test",
		.argc = s->argc,
		.argv = s->argv,
		.clock = CLOCK_MONOTONIC,
		.unit_ns = 1,
		.before = note_tid,
		.fill_json = fill,
		.fill_result = fill,
		.data = s,
	};
}

int hrt_report(struct hrt_session *s, int exit_status, struct rt_err *err)
{
	hrt_judge(s);
	rt_results_take(&s->rt.results);
	if (s->opts->check && !s->verdict.passed)
		rt_err_set(err, RT_EXIT_FAILED, EIO, "the check failed");
	else if (s->verdict.early)
		rt_warn("%llu sleeps ended early", (unsigned long long)s->verdict.early);
	if (exit_status == RT_EXIT_GOOD && rt_err_is_set(err))
		exit_status = err->exit;
	exit_status = rt_results_write(&s->rt.results, exit_status, err);
	print_all(s);
	return exit_status;
}
