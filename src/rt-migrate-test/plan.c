/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan: how many tasks, at which priorities, and whether they may have
 * them. Touches nothing.
 */
#include <errno.h>

#include "migrate.h"
#include "rt/sched.h"
#include "rt/tasks.h"

int mig_priority(const struct mig_opts *opts, unsigned int tasks, unsigned int task)
{
	int base = (int)opts->priority;
	int highest = base + (int)tasks - 1;

	if (!opts->equal || task == 0)
		return base + (int)task;
	if (task < tasks - 1)
		return base + 1;
	/* More tasks than priorities do no harm here: what counts is to be above the others. */
	if (highest >= RT_PRIORITY_MAX)
		highest = RT_PRIORITY_MAX - 1;
	return tasks > 2 && highest < base + 2 ? base + 2 : highest;
}

/* One more than can run at the same time, so that the lowest must wait. */
static int choose_tasks(struct mig_plan *plan, struct rt_err *err)
{
	const struct mig_opts *o = plan->opts;
	int status = rt_cpuset_usable(&plan->usable, err);

	if (status < 0)
		return status;
	plan->tasks = o->tasks ? (unsigned int)o->tasks
			       : (unsigned int)rt_cpuset_count(&plan->usable) + 1;
	plan->main_priority = mig_priority(o, plan->tasks, plan->tasks - 1) + 1;
	if (plan->main_priority > RT_PRIORITY_MAX)
		return rt_opts_refuse(err, "prio",
				      "%u tasks from priority %d upwards and the main thread above "
				      "them would pass %d; give fewer tasks, a lower --prio, or "
				      "--equal", plan->tasks, (int)o->priority, RT_PRIORITY_MAX);
	return 0;
}

static int check_rights(const struct mig_plan *plan, struct rt_err *err)
{
	struct rt_sched sched = { .policy = RT_POLICY_FIFO, .priority = plan->main_priority };

	return rt_sched_check(&sched, err);
}

int mig_plan_make(struct mig_plan *plan, const struct mig_opts *opts, int argc, char **argv,
		  struct rt_err *err)
{
	int status;

	plan->opts = opts;
	plan->argc = argc;
	plan->argv = argv;
	mig_report_plan(plan);
	status = rt_results_check(&plan->results, err);
	if (!status)
		status = choose_tasks(plan, err);
	if (!status)
		status = rt_tasks_check("threads", plan->tasks, plan->tasks, err);
	if (!status)
		status = check_rights(plan, err);
	return status;
}

void mig_plan_done(struct mig_plan *plan)
{
	rt_cpuset_done(&plan->usable);
}
