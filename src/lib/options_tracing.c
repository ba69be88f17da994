/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options_tracing - the rows of a trace beside the run, with the names that
 * cyclictest 0.42 had for them.
 */
#include <errno.h>
#include <string.h>

#include "rt/compiler.h"
#include "rt/tracing.h"

static int add_word(const char **list, unsigned int *count, const char *text, struct rt_err *err)
{
	if (*count == RT_TRACING_WORDS)
		return rt_err_set(err, RT_EXIT_USAGE, EINVAL, "at most %d", RT_TRACING_WORDS);
	list[(*count)++] = text;
	return 0;
}

/* Two tracers cannot run at once; the last one wins, as everywhere. */
static int take_tracer(void *opts, const struct rt_opt *row, const char *text,
		       struct rt_err *err RT_UNUSED)
{
	static const struct {
		int letter;
		const char *tracer;
	} letters[] = { { 'f', "function" },	   { 'I', "irqsoff" }, { 'P', "preemptoff" },
			{ 'B', "preemptirqsoff" }, { 'w', "wakeup" },  { 'W', "wakeup_rt" } };
	struct rt_opts_tracing *o = opts;

	o->tracer = text;
	for (size_t i = 0; i < RT_ARRAY_SIZE(letters); i++)
		if (row->letter == letters[i].letter)
			o->tracer = letters[i].tracer;
	return 0;
}

static int take_event(void *opts, const struct rt_opt *row RT_UNUSED, const char *text,
		      struct rt_err *err)
{
	struct rt_opts_tracing *o = opts;

	if (!text) {
		o->all_events = true;
		return 0;
	}
	if (!rt_event_is_name(text))
		return rt_err_set(err, RT_EXIT_USAGE, EINVAL,
				  "'%s' is no event; give SYSTEM:NAME, or 'SYSTEM:NAME FILTER'",
				  text);
	return add_word(o->event, &o->events, text, err);
}

static int take_context(void *opts, const struct rt_opt *row RT_UNUSED,
			const char *text RT_UNUSED, struct rt_err *err)
{
	struct rt_opts_tracing *o = opts;
	int status = add_word(o->event, &o->events, "sched:sched_switch", err);

	return status ? status : add_word(o->event, &o->events, "sched:sched_wakeup", err);
}

static int take_option(void *opts, const struct rt_opt *row RT_UNUSED, const char *text,
		       struct rt_err *err)
{
	struct rt_opts_tracing *o = opts;

	return add_word(o->option, &o->options, text, err);
}

static int take_action(void *opts, const struct rt_opt *row RT_UNUSED, const char *text,
		       struct rt_err *err)
{
	return rt_actions_add(&((struct rt_opts_tracing *)opts)->actions, text, err);
}

#define OLD_TRACER(letter_, name_, tracer_)                                  \
	{ RT_OPT_CALL, letter_, name_, .call = take_tracer, .is_ours = true, \
	  .is_hidden = true,                                                 \
	  .help = "-T " tracer_ }

/* @with: what the tool's break is asked for with; then its letters, 0: none */
#define ROWS(with, tracer_, event_, context_, option_)                                          \
	RT_OPT_GROUP("Tracing"),                                                                \
	{ RT_OPT_FLAG, .name = "why", .field = RT_FIELD(struct rt_opts_tracing, why, bool),     \
	  .is_ours = true,                                                                      \
	  .help = "tell what the latency was made of, at the break or of the worst samples" },  \
	{ RT_OPT_FLAG, .name = "keep-going",                                                    \
	  .field = RT_FIELD(struct rt_opts_tracing, keep_going, bool), .is_ours = true,         \
	  .help = with ": do not end at a latency above the limit" },                           \
	{ RT_OPT_CALL, .name = "on-threshold", .arg = "ACTION", .call = take_action,            \
	  .is_ours = true,                                                                      \
	  .help = with ": trace[,file=F], snapshot, signal,..., shell,..., continue, stop" },   \
	{ RT_OPT_CALL, tracer_, "tracer", "NAME", .call = take_tracer, .is_ours = true,         \
	  .help = with ": run this tracer and save its trace at the break" },                   \
	{ RT_OPT_CALL, event_, "event", "EVENT", .call = take_event, .is_optional = true,       \
	  .is_ours = true,                                                                      \
	  .help = with ": record SYSTEM:NAME[ FILTER], or all events, likewise" },              \
	{ RT_OPT_CALL, context_, "context", .call = take_context, .is_ours = true,              \
	  .help = with ": record context switches and wake-ups, likewise" },                    \
	{ RT_OPT_CALL, option_, "traceopt", "OPTION", .call = take_option, .is_ours = true,     \
	  .help = "with these: one word of the kernel's trace_options" }

const struct rt_opt rt_rows_tracing[] = {
	ROWS("with -b", 'T', 'E', 'C', 'O'),
	OLD_TRACER('f', "ftrace", "function"),
	OLD_TRACER('I', "irqsoff", "irqsoff"),
	OLD_TRACER('P', "preemptoff", "preemptoff"),
	OLD_TRACER('B', "preemptirqs", "preemptirqsoff"),
	OLD_TRACER('w', "wakeup", "wakeup"),
	OLD_TRACER('W', "wakeuprt", "wakeup_rt"),
	RT_OPT_END
};

const struct rt_opt rt_rows_tracing_long[] = {
	ROWS("with -b", 0, 0, 0, 0),
	RT_OPT_END
};

const struct rt_opt rt_rows_tracing_oslat[] = {
	ROWS("with -T", 0, 0, 0, 0),
	RT_OPT_END
};
