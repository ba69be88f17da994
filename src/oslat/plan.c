/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan of oslat: options resolved against the machine. Touches nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "oslat.h"
#include "rt/log.h"
#include "rt/memory.h"

#define BUCKETS_DEFAULT 32
#define FINE_RANGE_NS 32000 /* what the default buckets cover below one microsecond of width */

/* ---- CPUs ------------------------------------------------------------------ */

static int read_list(struct rt_cpuset *ret, const char *option, const char *text,
		     struct rt_err *err)
{
	struct rt_err why = { 0 };
	int status = rt_cpuset_choose(ret, text, &why);

	return status < 0 ? rt_err_set(err, why.exit, why.code, "--%s: %s", option, why.text) : 0;
}

static int choose_measured(struct osl_plan *plan, struct rt_err *err)
{
	int status = plan->opts->cpu_list ?
			     read_list(&plan->measured, "cpu-list", plan->opts->cpu_list, err) :
			     rt_cpuset_usable(&plan->measured, err);

	if (status < 0)
		return status;
	plan->threads = (unsigned int)rt_cpuset_count(&plan->measured);
	plan->preheats = plan->opts->single_preheat ? 1 : plan->threads;
	return 0;
}

static int choose_main(struct osl_plan *plan, struct rt_err *err)
{
	struct rt_cpuset cpus = RT_CPUSET_INIT;
	char text[24];
	int status;

	if (plan->opts->has_main_cpu) {
		snprintf(text, sizeof(text), "%lld", (long long)plan->opts->main_cpu);
		status = read_list(&cpus, "cpu-main-thread", text, err);
	} else {
		status = rt_cpuset_main(&cpus, &plan->measured);
	}
	if (status >= 0) {
		plan->main_cpu = rt_cpuset_next(&cpus, -1);
		plan->is_main_apart = !rt_cpuset_has(&plan->measured, plan->main_cpu);
	}
	rt_cpuset_done(&cpus);
	return status < 0 ? status : 0;
}

static int check_priority(const struct osl_plan *plan, struct rt_err *err)
{
	struct rt_sched sched = { .policy = RT_POLICY_FIFO,
				  .priority = (int)plan->opts->priority };

	if (!sched.priority)
		return 0;
	if (rt_cpuset_has(&plan->measured, 0))
		rt_warn("Running SCHED_FIFO workload on CPU 0 may hang the thread");
	if (!plan->is_main_apart)
		rt_warn("the main thread's CPU %d is tested at SCHED_FIFO, too; nothing else runs "
			"there until the run ends by itself", plan->main_cpu);
	return rt_sched_check(&sched, err);
}

/* ---- numbers ------------------------------------------------------------------ */

static void choose_buckets(struct osl_plan *plan)
{
	const struct osl_opts *o = plan->opts;

	plan->unit_ns = o->width_ns % RT_NS_PER_US ? 1 : RT_NS_PER_US;
	plan->buckets = BUCKETS_DEFAULT;
	if (o->has_buckets)
		plan->buckets = (uint32_t)o->buckets;
	else if (o->width_ns < RT_NS_PER_US)
		plan->buckets = (uint32_t)(FINE_RANGE_NS / o->width_ns);
}

/* A bare limit is in microseconds, whatever the width of the buckets. */
static int settle_limit(struct osl_plan *plan, struct rt_err *err)
{
	const struct rt_opts_results *r = &plan->opts->results;
	int64_t limit_ns = 0;

	if (!r->has_limit)
		return 0;
	if (rt_span_ns(&limit_ns, &r->limit, RT_NS_PER_US) || limit_ns < plan->unit_ns)
		return rt_opts_refuse(err, "limit", "is less than one %s; give 1 or more",
				      plan->unit_ns == 1 ? "nanosecond" : "microsecond");
	plan->results.limit = limit_ns / plan->unit_ns;
	return 0;
}

/* ---- tracing ------------------------------------------------------------------ */

static int cpu_of(void *data, unsigned int series)
{
	const struct osl_plan *plan = data;

	return rt_cpuset_nth(&plan->measured, series);
}

static int check_tracing(struct osl_plan *plan, struct rt_err *err)
{
	plan->tracing = (struct rt_tracing_plan){
		.opts = &plan->opts->tracing,
		.tool = "oslat",
		.has_break = plan->opts->threshold_us > 0,
		.break_option = "trace-threshold",
		.clock = CLOCK_MONOTONIC,
		.unit_ns = plan->unit_ns,
		.measured = &plan->measured,
		.waits_for = RT_WHY_FOR_CPU,
		.noun = "loop",
		.cpu_of = cpu_of,
		.data = plan,
	};
	return rt_tracing_check(&plan->tracing, err);
}

int osl_plan_make(struct osl_plan *plan, const struct osl_opts *opts, int argc, char **argv,
		  struct rt_err *err)
{
	int status;

	plan->opts = opts;
	plan->argc = argc;
	plan->argv = argv;
	choose_buckets(plan);
	osl_report_plan(plan);
	status = settle_limit(plan, err);
	if (!status)
		status = rt_results_check(&plan->results, err);
	if (!status)
		status = choose_measured(plan, err);
	if (!status)
		status = choose_main(plan, err);
	if (!status && opts->work == OSL_WORK_MEMMOVE)
		status = rt_memory_check((uint64_t)rt_cpuset_count(&plan->measured),
					 2 * (uint64_t)opts->work_bytes,
					 "fewer CPUs or a smaller --workload-mem", err);
	if (!status)
		status = check_tracing(plan, err);
	return status ? status : check_priority(plan, err);
}

void osl_plan_done(struct osl_plan *plan)
{
	rt_cpuset_done(&plan->measured);
}
