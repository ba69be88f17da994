/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan of signaltest: options resolved against the machine.
 */
#include <errno.h>
#include <string.h>

#include "rt/log.h"
#include "rt/sched.h"
#include "rt/tasks.h"
#include "signaltest.h"

#define RING_MIN 2u

static int choose_cpus(struct sig_plan *plan, struct rt_err *err)
{
	const char *text = plan->opts->affinity;
	struct rt_err why = { 0 };
	int status;

	if (!text) {
		status = rt_cpuset_usable(&plan->cpus, err);
		return status < 0 ? status : 0;
	}
	status = rt_cpuset_choose(&plan->cpus, text, &why);
	return status < 0 ? rt_err_set(err, why.exit, why.code, "--affinity: %s", why.text) : 0;
}

static int choose_main(struct sig_plan *plan, struct rt_err *err)
{
	int status = rt_cpuset_main(&plan->main_cpus, &plan->cpus);

	plan->moves_main = status > 0;
	return status < 0 ? rt_err_set(err, RT_EXIT_FAILED, status,
				       "cannot choose CPUs for the main thread") : 0;
}

static int count_threads(struct sig_plan *plan, struct rt_err *err)
{
	const struct sig_opts *o = plan->opts;

	if (o->smp && o->has_threads)
		rt_warn("--threads is ignored with --smp: one thread runs on each CPU");
	if (!o->smp && o->threads == 1)
		return rt_opts_refuse(err, "threads", "1 is no ring; give 2 or more, or 0 for one "
						      "thread per usable CPU");
	plan->threads = o->smp || !o->threads ? (unsigned int)rt_cpuset_count(&plan->cpus) :
						(unsigned int)o->threads;
	if (plan->threads < RING_MIN) {
		rt_warn("only CPU %d may be used: the ring is two threads on it",
			rt_cpuset_nth(&plan->cpus, 0));
		plan->threads = RING_MIN;
	}
	return 0;
}

static int settle_limits(struct sig_plan *plan, struct rt_err *err)
{
	const struct sig_opts *o = plan->opts;
	int status = rt_opts_settle(&plan->breaktrace, "breaktrace", &o->breaktrace,
				    o->breaktrace.value != 0, RT_NS_PER_US, err);

	if (!status)
		status = rt_opts_settle(&plan->results.limit, "limit", &o->results.limit,
					o->results.has_limit, RT_NS_PER_US, err);
	return status;
}

static int check_rights(const struct sig_plan *plan, struct rt_err *err)
{
	struct rt_sched sched = { .policy = RT_POLICY_FIFO,
				  .priority = (int)plan->opts->priority };

	return sched.priority ? rt_sched_check(&sched, err) : 0;
}

int sig_plan_make(struct sig_plan *plan, const struct sig_opts *opts, int argc, char **argv,
		  struct rt_err *err)
{
	int status;

	plan->opts = opts;
	plan->results = (struct rt_results_plan){
		.opts = &opts->results,
		.tool = sig_table.tool,
		.argc = argc,
		.argv = argv,
		.unit_ns = RT_NS_PER_US,
		.clock = CLOCK_MONOTONIC,
		.before = sig_note,
		.fill_json = sig_fill_json,
		.fill_result = sig_fill_result,
	};
	if (opts->tracemark && !opts->breaktrace.value)
		rt_warn("--tracemark does nothing without --breaktrace");
	status = rt_results_check(&plan->results, err);
	if (!status)
		status = settle_limits(plan, err);
	if (!status)
		status = choose_cpus(plan, err);
	if (!status)
		status = count_threads(plan, err);
	if (!status)
		status = rt_tasks_check("threads", plan->threads, plan->threads, err);
	if (!status)
		status = choose_main(plan, err);
	return status ? status : check_rights(plan, err);
}

void sig_plan_done(struct sig_plan *plan)
{
	rt_cpuset_done(&plan->cpus);
	rt_cpuset_done(&plan->main_cpus);
}
