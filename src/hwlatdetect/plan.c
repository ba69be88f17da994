/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan of hwlatdetect: options resolved against what is in force. Touches nothing.
 */
#include <errno.h>
#include <string.h>

#include "hwlat.h"

static int whole_us(int64_t *ret_us, const char *name, int64_t ns, bool is_given,
		    struct rt_err *err)
{
	if (!is_given)
		return 0;
	if (ns % RT_NS_PER_US)
		return rt_opts_refuse(err, name, "is no whole number of microseconds");
	*ret_us = ns / RT_NS_PER_US;
	return 0;
}

int hwl_settle_window(struct hwl_plan *plan, struct rt_err *err)
{
	const struct hwl_opts *o = plan->opts;
	int status = whole_us(&plan->window_us, "window", o->window_ns, o->has_window, err);

	if (!status)
		status = whole_us(&plan->width_us, "width", o->width_ns, o->has_width, err);
	if (status || plan->width_us < plan->window_us)
		return status;
	if (o->has_window && o->has_width)
		return rt_opts_refuse(err, "width",
				      "%lldus leave no rest of a window of %lldus; give a smaller "
				      "width or a larger window", (long long)plan->width_us,
				      (long long)plan->window_us);
	if (o->has_width)
		plan->window_us = 2 * plan->width_us;
	else
		plan->width_us = plan->window_us / 2;
	return 0;
}

static int settle_limits(struct hwl_plan *plan, struct rt_err *err)
{
	const struct hwl_opts *o = plan->opts;
	int64_t limit_ns = 0;
	int status = whole_us(&plan->threshold_us, "threshold", o->threshold_ns, o->has_threshold,
			      err);

	plan->hardlimit_us = plan->threshold_us;
	if (!status)
		status = whole_us(&plan->hardlimit_us, "hardlimit", o->hardlimit_ns,
				  o->has_hardlimit, err);
	if (status || !o->results.has_limit)
		return status;
	if (rt_span_ns(&limit_ns, &o->results.limit, RT_NS_PER_US) || limit_ns < RT_NS_PER_US)
		return rt_opts_refuse(err, "limit", "is less than one microsecond; give 1 or more");
	plan->results.limit = limit_ns / RT_NS_PER_US;
	return 0;
}

static int choose_cpus(struct hwl_plan *plan, struct rt_err *err)
{
	const char *list = plan->opts->cpu_list;
	struct rt_err why = { 0 };
	int status;

	if (list) {
		status = rt_cpuset_choose(&plan->cpus, list, &why);
		return status < 0 ? rt_err_set(err, why.exit, why.code, "--cpu-list: %s", why.text) : 0;
	}
	/* The tracer's thread of the kernel goes everywhere; ours where this process may. */
	if (plan->opts->user)
		status = rt_cpuset_usable(&plan->cpus, err);
	else
		status = rt_cpuset_online(&plan->cpus);
	return status < 0 ? status : 0;
}

/* What can be refused without a look at the machine is refused first. */
static int check_both_given(const struct hwl_opts *o, struct rt_err *err)
{
	struct hwl_plan wanted = { .opts = o, .window_us = 1000000, .width_us = 500000 };

	return hwl_settle_window(&wanted, err);
}

int hwl_plan_make(struct hwl_plan *plan, const struct hwl_opts *opts, int argc, char **argv,
		  struct rt_err *err)
{
	int status = check_both_given(opts, err);

	plan->opts = opts;
	plan->argc = argc;
	plan->argv = argv;
	plan->detector = opts->user ? &hwl_user : &hwl_tracer;
	hwl_report_plan(plan);
	if (!status)
		status = settle_limits(plan, err);
	if (!status)
		status = rt_results_check(&plan->results, err);
	if (!status)
		status = choose_cpus(plan, err);
	if (!status)
		status = plan->detector->settings(plan, err);
	if (!status)
		status = settle_limits(plan, err); /* again: now with what is in force */
	return status ? status : hwl_settle_window(plan, err);
}

void hwl_plan_done(struct hwl_plan *plan)
{
	rt_cpuset_done(&plan->cpus);
}
