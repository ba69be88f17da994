/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan: how many workers, messages and descriptors that will be. Touches
 * nothing.
 */
#include <errno.h>

#include "hackbench.h"
#include "rt/sched.h"

/* PID_MAX_LIMIT of 64-bit kernels */
#define MAX_TASKS 4194304

/* Open at the start, in the library and in the C library: far fewer than this */
#define OTHER_FILES 32

static enum hb_channel_kind choose_kind(const struct hb_opts *o)
{
	if (o->pipe)
		return HB_PIPE;
	return o->inet ? HB_TCP : HB_SOCKETPAIR;
}

/* What was given as an option wins over the words of the old form. */
static void choose(struct hb_plan *plan)
{
	const struct hb_opts *o = plan->opts;

	plan->groups = (unsigned int)(o->has_groups || !o->word_groups ? o->groups
								       : o->word_groups);
	plan->loops = (uint64_t)(o->has_loops || !o->word_loops ? o->loops : o->word_loops);
	plan->fds = (unsigned int)o->fds;
	plan->datasize = (size_t)o->datasize;
	plan->kind = choose_kind(o);
	plan->mode = HB_PROCESSES;
	if (o->mode || o->word_mode)
		plan->mode = o->mode ? (enum hb_mode)o->mode : (enum hb_mode)o->word_mode;
}

static int count(struct hb_plan *plan, struct rt_err *err)
{
	uint64_t tasks = (uint64_t)plan->groups * plan->fds * 2; /* at most 2 * 10^12 */
	uint64_t a_loop = tasks / 2 * plan->fds;

	if (tasks > MAX_TASKS)
		return rt_opts_refuse(err, "groups",
				      "%u groups of %u senders and %u receivers are %llu tasks; "
				      "give fewer, %d in all at most", plan->groups, plan->fds,
				      plan->fds, (unsigned long long)tasks, MAX_TASKS);
	plan->tasks = (unsigned int)tasks;
	if (__builtin_mul_overflow(a_loop, plan->loops, &plan->messages) ||
	    __builtin_mul_overflow(plan->messages, plan->datasize, &plan->bytes) ||
	    plan->bytes > INT64_MAX)
		return rt_opts_refuse(err, "loops",
				      "'%llu' loops of %llu messages are more bytes than can be "
				      "counted; give fewer", (unsigned long long)plan->loops,
				      (unsigned long long)a_loop);
	/* Processes have their group's channels open, threads all of them. */
	plan->files = OTHER_FILES + (plan->mode == HB_THREADS ? tasks : plan->fds + 1);
	return 0;
}

static int check_rights(const struct hb_opts *o, struct rt_err *err)
{
	struct rt_sched fifo = { .policy = RT_POLICY_FIFO, .priority = 1 };

	return o->fifo ? rt_sched_check(&fifo, err) : 0;
}

int hb_plan_make(struct hb_plan *plan, const struct hb_opts *opts, int argc, char **argv,
		 struct rt_err *err)
{
	int status;

	plan->opts = opts;
	plan->argc = argc;
	plan->argv = argv;
	choose(plan);
	hb_report_plan(plan);
	status = count(plan, err);
	if (!status)
		status = rt_results_check(&plan->results, err);
	if (!status)
		status = check_rights(opts, err);
	return status;
}
