/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan: options resolved against the machine. Touches nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cyclicdeadline.h"
#include "rt/log.h"
#include "rt/memory.h"
#include "rt/tasks.h"

#define PERCENT_EACH 60 /* runtime of a deadline, as long as there is a CPU for each thread */
#define PERCENT_ALL 80  /* of all CPUs together, when there are more threads */

/* ---- reservations ------------------------------------------------------------------ */

static void count_threads(struct cdl_plan *plan)
{
	const struct cdl_opts *o = plan->opts;
	unsigned int cpus = (unsigned int)rt_cpuset_count(&plan->places.cpus);

	if (o->has_threads)
		plan->threads = o->threads ? (unsigned int)o->threads : cpus;
	else
		plan->threads = o->places.is_given || o->places.cgroup ? cpus : 1;
}

static int read_time(int64_t *ret, const char *name, const char *list, const char *at,
		     struct rt_err *err)
{
	rt_auto_free char *word = strndup(at, strcspn(at, ","));

	if (!word)
		return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "no memory for --%s", name);
	if (rt_parse_time(ret, word, RT_NS_PER_US, RT_UNITS_FINE, 1, INT64_MAX))
		return rt_opts_refuse(err, name,
				      "'%s' in '%s' is not a time; give microseconds above 0, or "
				      "a unit as in 5ms; several with a comma between two", word,
				      list);
	return 0;
}

/* One time for all threads, or as many as there are threads. */
static int read_times(int64_t *times, unsigned int threads, const char *name, const char *list,
		      struct rt_err *err)
{
	const char *at = list;
	unsigned int count = 0;

	for (;;) {
		size_t length = strcspn(at, ",");
		int status;

		if (count == threads && count > 1)
			return rt_opts_refuse(err, name, "'%s' has more values than the %u threads",
					      list, threads);
		if (count == threads)
			return rt_opts_refuse(err, name, "'%s' has several values for one thread",
					      list);
		status = read_time(&times[count++], name, list, at, err);
		if (status)
			return status;
		if (!at[length])
			break;
		at += length + 1;
	}
	if (count > 1 && count < threads)
		return rt_opts_refuse(err, name, "'%s' has %u values for %u threads; give one, or "
				      "one for each", list, count, threads);
	for (unsigned int i = count; i < threads; i++)
		times[i] = times[0];
	return 0;
}

static void fill_periods(int64_t *periods, const struct cdl_plan *plan)
{
	for (unsigned int i = 0; i < plan->threads; i++)
		periods[i] = plan->opts->interval_ns + (int64_t)i * plan->opts->step_ns;
}

/* Whole percents, as people know them, as long as there is one for each thread. */
static int64_t default_runtime(int64_t deadline_ns, int64_t cpus, int64_t threads)
{
	int64_t percent = threads > cpus ? cpus * PERCENT_ALL / threads : PERCENT_EACH;

	if (percent < 1)
		return deadline_ns / 100 * PERCENT_ALL * cpus / threads;
	return deadline_ns / 100 * percent + deadline_ns % 100 * percent / 100;
}

static void fill_runtimes(int64_t *runtimes, const int64_t *deadlines, const struct cdl_plan *plan)
{
	int cpus = rt_cpuset_count(&plan->places.cpus);

	for (unsigned int i = 0; i < plan->threads; i++)
		runtimes[i] = default_runtime(deadlines[i], cpus, plan->threads);
}

static int read_reserves(struct cdl_plan *plan, int64_t *periods, int64_t *deadlines,
			 int64_t *runtimes, struct rt_err *err)
{
	const struct cdl_opts *o = plan->opts;
	unsigned int n = plan->threads;
	int status = 0;

	fill_periods(periods, plan);
	if (o->periods)
		status = read_times(periods, n, "period", o->periods, err);
	memcpy(deadlines, periods, n * sizeof(*periods));
	if (!status && o->deadlines)
		status = read_times(deadlines, n, "deadline", o->deadlines, err);
	fill_runtimes(runtimes, deadlines, plan);
	if (!status && o->runtimes)
		status = read_times(runtimes, n, "runtime", o->runtimes, err);
	return status;
}

static int check_reserves(struct cdl_plan *plan, struct rt_err *err)
{
	struct dl_limits limits;

	dl_limits_read(&limits);
	plan->shortest_runtime_ns = INT64_MAX;
	for (unsigned int i = 0; i < plan->threads; i++) {
		const struct dl_reserve *r = &plan->reserves[i];
		int status = dl_reserve_check(r, i, &limits, err);

		if (status)
			return status;
		if (r->runtime_ns < plan->shortest_runtime_ns)
			plan->shortest_runtime_ns = r->runtime_ns;
		if (r->period_ns > plan->longest_period_ns)
			plan->longest_period_ns = r->period_ns;
	}
	plan->places.linger_ns = plan->longest_period_ns;
	return 0;
}

static int make_reserves(struct cdl_plan *plan, struct rt_err *err)
{
	unsigned int n = plan->threads;
	rt_auto_free int64_t *times = calloc(n, 3 * sizeof(*times));
	int status;

	plan->reserves = calloc(n, sizeof(*plan->reserves));
	if (!times || !plan->reserves)
		return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "no memory for %u threads", n);
	status = read_reserves(plan, times, times + n, times + 2 * n, err);
	if (status)
		return status;
	for (unsigned int i = 0; i < n; i++)
		plan->reserves[i] = (struct dl_reserve){
			.period_ns = times[i],
			.deadline_ns = times[n + i],
			.runtime_ns = times[2 * n + i],
		};
	return check_reserves(plan, err);
}

/* ---- numbers whose unit -N decides, and the rest ----------------------------------- */

static int settle_units(struct cdl_plan *plan, struct rt_err *err)
{
	const struct cdl_opts *o = plan->opts;
	int64_t buckets = 0;
	int status;

	plan->unit_ns = o->nsecs ? 1 : RT_NS_PER_US;
	status = rt_opts_settle(&plan->breaktrace, "breaktrace", &o->breaktrace,
				o->has_breaktrace, plan->unit_ns, err);
	if (!status)
		status = rt_opts_settle(&plan->limit, "limit", &o->results.limit,
					o->results.has_limit, plan->unit_ns, err);
	if (!status)
		status = rt_opts_settle(&buckets, "histogram", &o->histogram, o->has_histogram,
					plan->unit_ns, err);
	if (!status && buckets > RT_LINEAR_MAX)
		status = rt_opts_refuse(err, "histogram", "%lld buckets are too many; give 1 to %d",
					(long long)buckets, RT_LINEAR_MAX);
	plan->buckets = (uint32_t)buckets;
	return status;
}

static int check_rights(const struct cdl_plan *plan, struct rt_err *err)
{
	int status;

	if (plan->places.is_apart || plan->places.is_list)
		return 0; /* what counts is the place where they will be */
	status = dl_rights_check(err);
	if (status) {
		const struct dl_request request = {
			.reserves = plan->reserves,
			.count = plan->threads,
			.cpus = &plan->places.cpus,
			.change = "--runtime, --threads or --interval",
		};
		dl_explain(&request, err);
	}
	return status;
}

/* A thread runs on any of its CPUs; where, the trace tells. */
static int cpu_of(void *data, unsigned int series RT_UNUSED)
{
	const struct cdl_plan *plan = data;
	const struct rt_cpuset *cpus = &plan->places.cpus;

	return rt_cpuset_count(cpus) == 1 ? rt_cpuset_next(cpus, -1) : -1;
}

static int check_tracing(struct cdl_plan *plan, struct rt_err *err)
{
	plan->tracing = (struct rt_tracing_plan){
		.opts = &plan->opts->tracing,
		.tool = "cyclicdeadline",
		.has_break = plan->breaktrace > 0,
		.clock = CDL_CLOCK,
		.unit_ns = plan->unit_ns,
		.measured = &plan->places.cpus,
		.waits_for = RT_WHY_FOR_PERIOD,
		.cpu_of = cpu_of,
		.data = plan,
	};
	return rt_tracing_check(&plan->tracing, err);
}

int cdl_plan_make(struct cdl_plan *plan, const struct cdl_opts *opts, int argc, char **argv,
		  struct rt_err *err)
{
	int status;

	plan->opts = opts;
	plan->argc = argc;
	plan->argv = argv;
	plan->flags = (opts->reclaim ? RT_SCHED_RECLAIM : 0) |
		      (opts->overrun ? RT_SCHED_DL_OVERRUN : 0);
	if (opts->tracemark && !opts->has_breaktrace)
		rt_warn("--tracemark does nothing without --breaktrace");
	status = settle_units(plan, err);
	if (!status) {
		cdl_report_plan(plan);
		status = rt_results_check(&plan->results, err);
	}
	if (!status)
		status = dl_places_choose(&plan->places, &opts->places, "--affinity", err);
	if (!status)
		status = check_tracing(plan, err);
	if (status)
		return status;
	count_threads(plan);
	status = rt_tasks_check("threads", plan->threads, plan->threads, err);
	if (!status)
		status = rt_memory_check(plan->threads,
					 rt_linear_size(plan->buckets) + sizeof(struct rt_record),
					 "fewer threads or histogram buckets", err);
	if (!status)
		status = make_reserves(plan, err);
	return status ? status : check_rights(plan, err);
}

void cdl_plan_done(struct cdl_plan *plan)
{
	free(plan->reserves);
	dl_places_done(&plan->places);
}
