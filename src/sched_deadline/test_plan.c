/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan: options resolved against the machine. Touches nothing.
 */
#include <errno.h>
#include <stdlib.h>

#include "deadline_test.h"
#include "rt/tasks.h"

#define PERCENT_MAX 90 /* of a CPU for one thread */

int dlt_percent(int64_t percent, int cpus, unsigned int threads)
{
	int64_t each = percent * cpus / (int64_t)threads;

	if (each < 1)
		return 1;
	return each > PERCENT_MAX ? PERCENT_MAX : (int)each;
}

/* -b: the highest CPU that may be used */
static int choose_places(struct dlt_plan *plan, struct rt_err *err)
{
	struct rt_cpuset usable = RT_CPUSET_INIT;
	int last = -1, status;

	plan->places_opts = plan->opts->places;
	if (!plan->opts->last_cpu)
		return dl_places_choose(&plan->places, &plan->places_opts, "--affinity", err);
	status = rt_cpuset_usable(&usable, err);
	if (status < 0)
		return status;
	rt_cpuset_for_each(cpu, &usable)
		last = cpu;
	rt_cpuset_done(&usable);
	snprintf(plan->last_cpu, sizeof(plan->last_cpu), "%d", last);
	plan->places_opts.list = plan->last_cpu;
	return dl_places_choose(&plan->places, &plan->places_opts, "--last-cpu", err);
}

static int make_reserves(struct dlt_plan *plan, struct rt_err *err)
{
	const struct dlt_opts *o = plan->opts;
	struct dl_limits limits;
	int status = 0;

	dl_limits_read(&limits);
	plan->reserves = calloc(plan->threads, sizeof(*plan->reserves));
	if (!plan->reserves)
		return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "no memory for %u threads",
				  plan->threads);
	for (unsigned int i = 0; !status && i < plan->threads; i++) {
		struct dl_reserve *r = &plan->reserves[i];

		r->period_ns = r->deadline_ns = o->interval_ns + (int64_t)i * o->step_ns;
		r->runtime_ns = r->period_ns / 100 * plan->percent;
		plan->places.linger_ns = r->period_ns; /* they rise */
		status = dl_reserve_check(r, i, &limits, err);
	}
	return status;
}

static int check_rights(const struct dlt_plan *plan, struct rt_err *err)
{
	const struct dl_request request = {
		.reserves = plan->reserves,
		.count = plan->threads,
		.cpus = &plan->places.cpus,
		.change = "--percent or --threads",
	};
	int status = 0;

	if (!plan->places.is_apart && !plan->places.is_list)
		status = dl_rights_check(err);
	if (status)
		dl_explain(&request, err);
	return status;
}

int dlt_plan_make(struct dlt_plan *plan, const struct dlt_opts *opts, int argc, char **argv,
		  struct rt_err *err)
{
	int status;

	plan->opts = opts;
	plan->argc = argc;
	plan->argv = argv;
	plan->threads = (unsigned int)opts->threads;
	status = rt_opts_settle(&plan->limit, "limit", &opts->results.limit,
				opts->results.has_limit, RT_NS_PER_US, err);
	if (!status) {
		dlt_report_plan(plan);
		status = rt_results_check(&plan->results, err);
	}
	if (!status)
		status = rt_tasks_check("threads", plan->threads, plan->threads, err);
	if (!status)
		status = choose_places(plan, err);
	if (status)
		return status;
	plan->percent = dlt_percent(opts->percent, rt_cpuset_count(&plan->places.cpus),
				    plan->threads);
	status = make_reserves(plan, err);
	return status ? status : check_rights(plan, err);
}

void dlt_plan_done(struct dlt_plan *plan)
{
	free(plan->reserves);
	dl_places_done(&plan->places);
}
