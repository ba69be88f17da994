/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracing - see rt/tracing.h.
 */
#include "rt/tracing.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rt/clock.h"
#include "rt/compiler.h"
#include "rt/log.h"
#include "rt/trace.h"

/* Some thousand events a CPU: a few milliseconds of a busy one, read in a few more. */
#define WHY_BUFFER_KB 1024

/*
 * To empty a buffer the kernel waits until nobody can be writing, some ten milliseconds, in
 * which no sample is explained: up to so many bytes of text are read again instead.
 */
#define CLEAR_FROM 65536

/* ---- plan -------------------------------------------------------------------------- */

/* The clocks of the kernel's traces that are clocks of ours; NULL: it has none for it. */
static const char *trace_clock(clockid_t clock)
{
	switch (clock) {
	case CLOCK_MONOTONIC:
		return "mono";
	case CLOCK_MONOTONIC_RAW:
		return "mono_raw";
	case CLOCK_BOOTTIME:
		return "boot";
	case CLOCK_TAI:
		return "tai";
	default:
		return NULL;
	}
}

static bool records_for_break(const struct rt_opts_tracing *o)
{
	return o->tracer || o->events || o->all_events ||
	       rt_actions_find(&o->actions, RT_ACTION_TRACE);
}

static bool needs_instance(const struct rt_tracing_plan *plan)
{
	return plan->opts->why || (plan->has_break && records_for_break(plan->opts));
}

static void warn_without_break(const struct rt_tracing_plan *plan)
{
	const struct rt_opts_tracing *o = plan->opts;
	const struct { const char *name; bool is_given; } options[] = {
		{ "tracer", o->tracer != NULL },
		{ "event", o->events || o->all_events },
		{ "keep-going", o->keep_going },
		{ "on-threshold", o->actions.count > 0 },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(options); i++)
		if (options[i].is_given)
			rt_warn("--%s does nothing without --%s", options[i].name,
				plan->break_option ? plan->break_option : "breaktrace");
}

/* Put the option's name before a sentence about its value. */
static int name_option(const char *option, int status, const struct rt_err *why,
		       struct rt_err *err)
{
	return status ? rt_err_set(err, why->exit, status, "--%s: %s", option, why->text) : 0;
}

static int check_events(const struct rt_opts_tracing *o, struct rt_err *err)
{
	int status = 0;

	for (unsigned int i = 0; !status && i < o->events; i++) {
		struct rt_err why = { 0 };

		status = name_option("event", rt_event_check(o->event[i], &why), &why, err);
	}
	return status;
}

static int check_why(const struct rt_tracing_plan *plan, struct rt_err *err)
{
	int status = 0;

	if (!trace_clock(plan->clock))
		return rt_opts_refuse(err, "why", "the kernel's traces have no such clock as this "
						  "--clock; give monotonic, boottime or tai");
	for (const char *const *event = rt_why_events_needed; !status && *event; event++) {
		struct rt_err why = { 0 };

		status = name_option("why", rt_event_check(*event, &why), &why, err);
	}
	return status;
}

static int check_break(const struct rt_opts_tracing *o, struct rt_err *err)
{
	struct rt_err why = { 0 };
	int status = 0;

	if (o->keep_going && rt_actions_find(&o->actions, RT_ACTION_STOP))
		return rt_opts_refuse(err, "on-threshold", "'stop' excludes --keep-going");
	if (o->tracer)
		status = name_option("tracer", rt_tracer_check(o->tracer, &why), &why, err);
	if (!status)
		status = check_events(o, err);
	if (!status && !o->tracer && !o->events && !o->all_events &&
	    rt_actions_find(&o->actions, RT_ACTION_TRACE))
		status = name_option("on-threshold", rt_event_check(rt_why_events_needed[0], &why),
				     &why, err);
	if (!status)
		status = name_option("on-threshold", rt_actions_check(&o->actions, &why), &why,
				     err);
	return status;
}

int rt_tracing_check(const struct rt_tracing_plan *plan, struct rt_err *err)
{
	const struct rt_opts_tracing *o = plan->opts;
	int status = o->why ? check_why(plan, err) : 0;

	if (!status && plan->has_break)
		status = check_break(o, err);
	if (!status && !plan->has_break)
		warn_without_break(plan);
	if (!status && o->options && !needs_instance(plan))
		rt_warn("--traceopt does nothing without a trace of our own");
	return status;
}

/* ---- arm --------------------------------------------------------------------------- */

static int enable_wanted(struct rt_tracing *t, const char *const *events, struct rt_err *err)
{
	int status = 0;

	for (const char *const *event = events; !status && *event; event++)
		if (rt_event_check(*event, NULL) == 0)
			status = rt_instance_event(t->instance, *event, err);
	return status;
}

/* Whose trace is saved. */
static struct rt_instance *saved(const struct rt_tracing *t)
{
	return t->top ? t->top : t->instance;
}

/* What explains: the needed ones must be there, of the wanted ones those that are. */
static int enable_why(struct rt_tracing *t, struct rt_err *err)
{
	int status = 0;

	for (const char *const *event = rt_why_events_needed; !status && *event; event++)
		status = rt_instance_event(t->instance, *event, err);
	if (!status)
		status = enable_wanted(t, rt_why_events_wanted, err);
	if (!status && t->plan.waits_for == RT_WHY_FOR_PERIOD)
		status = enable_wanted(t, rt_why_events_for_period, err);
	return status;
}

/* The hit stops the top level, too, until its trace has been read. */
static int start_at_top(struct rt_tracing *t, struct rt_undo *undo, struct rt_err *err)
{
	const struct rt_opts_tracing *o = t->plan.opts;
	struct rt_trace_mark mark = RT_TRACE_MARK_CLOSED;
	int status;

	if (o->events || o->all_events)
		return rt_err_set(err, RT_EXIT_MISSING, EOPNOTSUPP,
				  "'%s' runs at the top level of tracefs only, where events are "
				  "everybody's; leave out --event", o->tracer);
	status = rt_instance_top(&t->top, o->tracer, undo, err);
	/* the greatest so far is a record of the kernel's, not a setting */
	if (!status && rt_instance_has(t->top, "tracing_max_latency"))
		status = rt_instance_set(t->top, "tracing_max_latency", "0", err);
	if (!status && t->threshold->mark.switch_fd < 0) {
		status = rt_trace_switch_open(&mark, err);
		t->threshold->mark.switch_fd = mark.switch_fd;
	}
	return status;
}

/* Which tracers run in an instance is for the kernel to say. */
static int start_tracer(struct rt_tracing *t, struct rt_undo *undo, struct rt_err *err)
{
	struct rt_err why = { 0 };
	int status = rt_instance_tracer(t->instance, t->plan.opts->tracer, &why);

	if (status == -EOPNOTSUPP) {
		why = (struct rt_err){ 0 };
		status = start_at_top(t, undo, &why);
	}
	return name_option("tracer", status, &why, err);
}

static int enable_asked(struct rt_tracing *t, struct rt_undo *undo, struct rt_err *err)
{
	const struct rt_opts_tracing *o = t->plan.opts;
	int status = 0;

	if (o->tracer)
		status = start_tracer(t, undo, err);
	for (unsigned int i = 0; !status && i < o->events; i++)
		status = rt_instance_event(t->instance, o->event[i], err);
	if (!status && o->all_events)
		status = rt_instance_events_all(t->instance, err);
	return status;
}

static int enable_options(struct rt_tracing *t, struct rt_err *err)
{
	const struct rt_opts_tracing *o = t->plan.opts;
	int status = 0;

	for (unsigned int i = 0; !status && i < o->options; i++) {
		struct rt_err why = { 0 };

		status = name_option("traceopt", rt_instance_option(saved(t), o->option[i], &why),
				     &why, err);
	}
	return status;
}

/* The size first: else the first event makes room for all CPUs. */
static int make_instance(struct rt_tracing *t, struct rt_undo *undo, struct rt_err *err)
{
	const struct rt_tracing_plan *plan = &t->plan;
	const char *clock = trace_clock(plan->clock);
	bool is_asked = plan->has_break && (plan->opts->tracer || plan->opts->events ||
					    plan->opts->all_events);
	int status = rt_instance_new(&t->instance, undo, err);

	if (!status)
		status = rt_instance_clock(t->instance, clock ? clock : "mono", err);
	if (!status)
		status = rt_instance_cpus(t->instance, plan->measured, err);
	if (!status)
		status = rt_instance_buffer(t->instance, plan->measured, WHY_BUFFER_KB, err);
	if (!status && is_asked)
		status = enable_asked(t, undo, err);
	if (!status && (plan->opts->why || !is_asked))
		status = enable_why(t, err);
	if (!status)
		status = enable_options(t, err);
	if (!status && t->top && !plan->opts->why) {
		rt_instance_free(t->instance); /* has nothing to record */
		t->instance = NULL;
	}
	return status;
}

static int open_file(struct rt_tracing *t, struct rt_undo *undo, struct rt_err *err)
{
	const struct rt_action *action = rt_actions_find(&t->plan.opts->actions, RT_ACTION_TRACE);

	if (!t->plan.has_break || !records_for_break(t->plan.opts))
		return 0;
	if (asprintf(&t->own_name, "%s-trace.txt", t->plan.tool) < 0) {
		t->own_name = NULL;
		return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "no memory for a name");
	}
	t->file_name = action && action->text ? action->text : t->own_name;
	return rt_outfile_open(&t->file, t->file_name, undo, err);
}

int rt_tracing_arm(struct rt_tracing *t, const struct rt_tracing_plan *plan,
		   struct rt_threshold *threshold, struct rt_undo *undo, struct rt_err *err)
{
	const struct rt_opts_tracing *o = plan->opts;
	int status = 0;

	t->plan = *plan;
	t->threshold = threshold;
	if (plan->has_break && (o->keep_going || rt_actions_find(&o->actions, RT_ACTION_CONTINUE))) {
		threshold->keeps_going = true;
		rt_close_fd(&threshold->mark.switch_fd); /* marks only: the trace goes on, too */
		threshold->mark.switch_fd = -1;
	}
	if (!plan->has_break && o->why)
		rt_threshold_rise(threshold);
	if (needs_instance(plan))
		status = make_instance(t, undo, err);
	if (o->why)
		rt_steal_begin(&t->steal);
	if (!status && t->instance)
		threshold->instance_fd = t->instance->switch_fd;
	return status ? status : open_file(t, undo, err);
}

/* ---- run ---------------------------------------------------------------------------- */

static void warn_of(struct rt_err *err)
{
	if (rt_err_is_set(err))
		rt_warn("%s", err->text);
	*err = (struct rt_err){ 0 };
}

void rt_tracing_begin(struct rt_tracing *t)
{
	int status = t->instance ? rt_instance_switch(t->instance, true) : 0;

	if (status)
		rt_warn("cannot start the trace: %s", strerror(-status));
	t->on_ns = rt_clock_ns(t->plan.clock);
}

static void save(struct rt_tracing *t, const char *trace, size_t length)
{
	if (t->file && rt_outfile_write(t->file, trace, length, &t->unsaved) == 0)
		t->is_saved = true;
}

/* Keep the largest, largest first. */
static void keep_why(struct rt_tracing *t, const struct rt_why *why)
{
	int64_t lat_ns = why->sample.now_ns - why->sample.wake_ns;
	unsigned int at = t->why_count;

	while (at > 0 && t->whys[at - 1].sample.now_ns - t->whys[at - 1].sample.wake_ns < lat_ns)
		at--;
	if (at == RT_TRACING_WHYS)
		return;
	if (t->why_count < RT_TRACING_WHYS)
		t->why_count++;
	memmove(&t->whys[at + 1], &t->whys[at], (t->why_count - at - 1) * sizeof(*why));
	t->whys[at] = *why;
}

static void explain(struct rt_tracing *t, const struct rt_hit *hit, const char *trace)
{
	struct rt_why_sample sample = {
		.waits_for = t->plan.waits_for,
		.noun = t->plan.noun,
		.series = hit->series,
		.cpu = t->plan.cpu_of(t->plan.data, hit->series),
		.tid = hit->tid,
		.wake_ns = hit->at_ns - hit->lat_ns,
		.now_ns = hit->at_ns,
		.since_ns = t->on_ns,
	};
	struct rt_err err = { 0 };
	struct rt_why why;

	if (sample.wake_ns < t->on_ns) { /* what it waited for lies before the trace */
		rt_threshold_miss(t->threshold, hit->lat_ns);
		return;
	}
	if (rt_why_explain(&why, &sample, trace, &err) == 0) {
		keep_why(t, &why);
		rt_why_rank(&t->ranking, &why);
		t->explained++;
	}
	warn_of(&err);
}

static void use_trace(struct rt_tracing *t, const struct rt_hit *hit,
		      const struct rt_instance *from)
{
	rt_auto_free char *trace = NULL;
	struct rt_err err = { 0 };
	size_t length;

	if (from && rt_instance_read(from, &trace, &length, &err) == 0) {
		if (from == t->instance)
			t->length = length;
		if (from == saved(t))
			save(t, trace, length);
		if (from == t->instance && t->plan.opts->why) {
			rt_instance_refine(from, &trace);
			explain(t, hit, trace);
		}
	}
	warn_of(&err);
}

static void clear(const struct rt_instance *in)
{
	struct rt_err err = { 0 };

	if (in)
		rt_instance_clear(in, &err);
	warn_of(&err);
}

static void go_on(struct rt_tracing *t)
{
	if (!t->threshold->keeps_going)
		return;
	if (t->file || t->length > CLEAR_FROM)
		clear(t->instance);
	clear(t->top);
	if (t->top)
		rt_instance_switch(t->top, true);
	if (t->instance)
		rt_tracing_begin(t);
	rt_threshold_release(t->threshold);
}

void rt_tracing_look(struct rt_tracing *t)
{
	struct rt_hit hit;
	struct rt_err err = { 0 };

	if (!t->threshold || !rt_threshold_next(t->threshold, &hit))
		return;
	t->handled++;
	use_trace(t, &hit, t->instance);
	use_trace(t, &hit, t->top);
	for (unsigned int i = 0; t->plan.has_break && i < t->plan.opts->actions.count; i++) {
		rt_action_do(&t->plan.opts->actions.action[i], &err);
		warn_of(&err);
	}
	go_on(t);
}

bool rt_tracing_watch(void *tracing)
{
	rt_tracing_look(tracing);
	return false;
}

int rt_tracing_end(struct rt_tracing *t, struct rt_err *err)
{
	rt_tracing_look(t);
	rt_steal_end(&t->steal);
	if (t->top) {
		/* that it is off is put back with the rest, and no news */
		rt_close_fd(&t->threshold->mark.switch_fd);
		t->threshold->mark.switch_fd = -1;
	}
	if (!rt_err_is_set(&t->unsaved))
		return 0;
	return rt_err_set(err, t->unsaved.exit, t->unsaved.code, "%s", t->unsaved.text);
}

/* ---- report --------------------------------------------------------------------------- */

static void say_count(const struct rt_tracing *t, FILE *out)
{
	fprintf(out, "# Samples above the limit: %lu", atomic_load(&t->threshold->passed));
	if (t->plan.opts->why)
		fprintf(out, ", explained: %u", t->explained);
	fputc('\n', out);
}

/* The largest of those that --why looks for and that were not explained; 0: none was larger */
static int64_t missed_ns(const struct rt_tracing *t)
{
	int64_t ns = atomic_load(&t->threshold->missed_ns);
	const struct rt_why_sample *largest = t->why_count ? &t->whys[0].sample : NULL;

	return largest && ns <= largest->now_ns - largest->wake_ns ? 0 : ns;
}

static void say_missed(const struct rt_tracing *t, FILE *out)
{
	int64_t ns = missed_ns(t);

	if (ns)
		fprintf(out, "# Not explained: a larger one, %" PRId64 " %s, which came while one "
			"before it was read\n", ns / t->plan.unit_ns,
			t->plan.unit_ns == 1 ? "ns" : "us");
}

void rt_tracing_say(const struct rt_tracing *t, FILE *out)
{
	if (!t->threshold)
		return;
	if (t->is_saved)
		fprintf(out, "# Trace: %s\n", t->file_name);
	if (t->plan.has_break && t->threshold->keeps_going)
		say_count(t, out);
	if (t->why_count)
		rt_why_say(out, &t->whys[0], t->plan.unit_ns);
	say_missed(t, out);
	if (t->plan.has_break && t->explained > 1)
		rt_why_say_ranking(out, &t->ranking, t->explained, t->plan.unit_ns);
	rt_steal_say(&t->steal, t->plan.measured, out);
}

void rt_tracing_json(const struct rt_tracing *t, struct json_object *own)
{
	struct json_object *whys;

	if (!t->threshold)
		return;
	if (t->plan.has_break && t->threshold->keeps_going)
		json_object_object_add(own, "above_limit", json_object_new_int64(
				(int64_t)atomic_load(&t->threshold->passed)));
	if (!t->plan.opts->why)
		return;
	whys = json_object_new_array();
	for (unsigned int i = 0; i < t->why_count; i++)
		json_object_array_add(whys, rt_why_json(&t->whys[i]));
	json_object_object_add(own, "why", whys);
	json_object_object_add(own, "stolen", rt_steal_json(&t->steal, t->plan.measured));
	json_object_object_add(own, "explained", json_object_new_int64(t->explained));
	json_object_object_add(own, "larger_unexplained_ns", json_object_new_int64(missed_ns(t)));
	if (t->plan.has_break)
		json_object_object_add(own, "causes", rt_why_json_causes(&t->ranking));
}

void rt_tracing_done(struct rt_tracing *t)
{
	if (t->threshold)
		t->threshold->instance_fd = -1;
	rt_outfile_close(t->file);
	rt_instance_free(t->instance);
	rt_instance_free(t->top);
	rt_steal_done(&t->steal);
	free(t->own_name);
	*t = (struct rt_tracing){ 0 };
}
