/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan: options resolved against the machine. Who runs where, with which
 * rights, and why not. Touches nothing.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cyclictest.h"
#include "rt/log.h"
#include "rt/memory.h"
#include "rt/power.h"
#include "rt/smi.h"
#include "rt/tasks.h"

/* ---- CPUs ------------------------------------------------------------------ */

/* A list that can't be is the option's fault; a CPU that may not be used is the system's. */
static int refuse_list(struct rt_err *err, const char *option, const struct rt_err *why)
{
	return rt_err_set(err, why->exit, why->code, "--%s: %s", option, why->text);
}

static int choose_measured(struct cyc_plan *plan, struct rt_err *err)
{
	const struct cyc_opts *o = plan->opts;
	struct rt_err why = { 0 };
	int status;

	status = rt_cpuset_usable(&plan->usable, err);
	if (status < 0)
		return status;
	plan->is_pinned = o->is_pinned || o->smp;
	if (!o->affinity)
		return rt_cpuset_copy(&plan->measured, &plan->usable);
	status = rt_cpuset_choose(&plan->measured, o->affinity, &why);
	return status < 0 ? refuse_list(err, "affinity", &why) : 0;
}

static int choose_main(struct cyc_plan *plan, struct rt_err *err)
{
	const char *text = plan->opts->main_affinity;
	struct rt_err why = { 0 };
	int status;

	if (text) {
		status = rt_cpuset_choose(&plan->main_cpus, text, &why);
		if (status < 0)
			return refuse_list(err, "mainaffinity", &why);
		plan->moves_main = true;
		return 0;
	}
	if (!plan->is_pinned)
		return 0;
	status = rt_cpuset_main(&plan->main_cpus, &plan->measured);
	plan->moves_main = status > 0;
	return status < 0 ? status : 0;
}

/* ---- policy and priority ----------------------------------------------------- */

static int default_priority(const struct cyc_plan *plan)
{
	unsigned int wanted = plan->threads + 1;

	return wanted > RT_PRIORITY_MAX ? RT_PRIORITY_MAX : (int)wanted;
}

static int choose_priority(struct cyc_plan *plan, int *ret, struct rt_err *err)
{
	const struct cyc_opts *o = plan->opts;
	int priority = (int)o->priority;

	plan->policy = o->policy;
	if (!rt_policy_is_rt(plan->policy) && (priority > 0 || o->priospread)) {
		if (o->has_policy)
			rt_warn("policy and priority don't match: setting policy to SCHED_FIFO");
		plan->policy = RT_POLICY_FIFO;
	}
	if (rt_policy_is_rt(plan->policy) && priority == 0) {
		priority = default_priority(plan);
		rt_warn("defaulting realtime priority to %d", priority);
	}
	if (o->priospread && (unsigned int)priority < plan->threads)
		return rt_opts_refuse(err, "priospread",
				      "%u threads from priority %d downwards would pass 1; give "
				      "--priority %u or more, or at most %d threads", plan->threads,
				      priority, plan->threads, priority);
	*ret = priority;
	return 0;
}

static int check_rights(const struct cyc_plan *plan, int priority, struct rt_err *err)
{
	struct rt_sched sched = { .policy = plan->policy, .priority = priority };

	if (plan->policy == RT_POLICY_OTHER)
		return 0;
	return rt_sched_check(&sched, err);
}

/* ---- seats ------------------------------------------------------------------- */

static void count_threads(struct cyc_plan *plan)
{
	const struct cyc_opts *o = plan->opts;

	if (o->smp && o->has_threads)
		rt_warn("--threads is ignored with --smp: one thread runs on each CPU");
	if (o->smp || (o->has_threads && o->threads == 0))
		plan->threads = (unsigned int)rt_cpuset_count(&plan->measured);
	else
		plan->threads = o->has_threads ? (unsigned int)o->threads : 1;
}

static int64_t distance_of(const struct cyc_plan *plan)
{
	const struct cyc_opts *o = plan->opts;

	if (o->has_histogram && o->has_distance && o->distance_ns)
		rt_warn("distance is ignored and set to 0, if histogram enabled");
	return o->has_histogram ? 0 : o->distance_ns;
}

static int fill_seats(struct cyc_plan *plan, int priority, struct rt_err *err)
{
	const struct cyc_opts *o = plan->opts;
	int64_t distance_ns = distance_of(plan);
	bool has_numa = rt_numa_available() && !o->smp;

	plan->seats = calloc(plan->threads, sizeof(*plan->seats));
	if (!plan->seats)
		return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "no memory for %u threads",
				  plan->threads);
	for (unsigned int i = 0; i < plan->threads; i++) {
		struct cyc_seat *seat = &plan->seats[i];
		int cpu = rt_cpuset_nth(&plan->measured, i);

		seat->cpu = plan->is_pinned ? cpu : -1;
		seat->node = has_numa ? rt_numa_node_of(cpu) : -1;
		seat->priority = o->priospread ? priority - (int)i : priority;
		seat->interval_ns = o->interval_ns + (int64_t)i * distance_ns;
		seat->offset_ns = o->is_aligned ? (int64_t)i * o->aligned_ns : o->secaligned_ns;
	}
	return 0;
}

/* ---- numbers whose unit -N decides --------------------------------------------- */

static int settle_units(struct cyc_plan *plan, struct rt_err *err)
{
	const struct cyc_opts *o = plan->opts;
	int64_t buckets = 0;
	int status;

	plan->unit_ns = o->nsecs ? 1 : RT_NS_PER_US;
	status = rt_opts_settle(&plan->breaktrace, "breaktrace", &o->breaktrace, o->has_breaktrace,
			plan->unit_ns, err);
	if (!status)
		status = rt_opts_settle(&plan->spike, "spike", &o->spike, o->has_spike, plan->unit_ns, err);
	if (!status)
		status = rt_opts_settle(&plan->limit, "limit", &o->results.limit, o->results.has_limit,
				plan->unit_ns, err);
	if (!status)
		status = rt_opts_settle(&buckets, "histogram", &o->histogram, o->has_histogram,
				plan->unit_ns, err);
	if (buckets > RT_LINEAR_MAX) {
		rt_warn("--histogram: %lld buckets are too many, keeping %d", (long long)buckets,
			RT_LINEAR_MAX);
		buckets = RT_LINEAR_MAX;
	}
	plan->buckets = (uint32_t)buckets;
	return status;
}

/* ---- what goes together ---------------------------------------------------------- */

static int check_combination(const struct cyc_opts *o, struct rt_err *err)
{
	if (o->oscope > 1 && !o->verbose)
		return rt_opts_refuse(err, "oscope", "only has a meaning with --verbose");
	if (o->smi && !o->is_pinned && !o->smp)
		return rt_opts_refuse(err, "smi",
				      "counts on the CPU of a thread; give --affinity or --smp too");
	if (o->tracemark && !o->has_breaktrace)
		rt_warn("--tracemark does nothing without --breaktrace");
	if (o->posix_timers && o->system)
		rt_warn("--posix_timers is ignored with --system");
	return 0;
}

static enum cyc_sleep choose_sleep(const struct cyc_opts *o)
{
	if (o->system)
		return CYC_SLEEP_SYSTEM;
	if (o->posix_timers)
		return CYC_SLEEP_TIMER;
	return o->relative ? CYC_SLEEP_RELATIVE : CYC_SLEEP_ABSOLUTE;
}

static int pinned_to(void *data, unsigned int series)
{
	const struct cyc_plan *plan = data;

	return plan->seats[series].cpu;
}

static int check_tracing(struct cyc_plan *plan, struct rt_err *err)
{
	plan->tracing = (struct rt_tracing_plan){
		.opts = &plan->opts->tracing,
		.tool = "cyclictest",
		.has_break = plan->breaktrace > 0,
		.clock = plan->opts->clock,
		.unit_ns = plan->unit_ns,
		.measured = &plan->measured,
		.cpu_of = pinned_to,
		.data = plan,
	};
	return rt_tracing_check(&plan->tracing, err);
}

/* Each thread opens the counter of its CPU again: here it is found out whether it can. */
static int check_smis(const struct cyc_plan *plan, struct rt_err *err)
{
	int fd, status = rt_smi_supported(err);

	if (status)
		return status;
	rt_cpuset_for_each(cpu, &plan->measured) {
		fd = rt_smi_open(cpu, err);
		if (fd < 0)
			return fd;
		close(fd);
	}
	return 0;
}

static int check_machine(struct cyc_plan *plan, int priority, struct rt_err *err)
{
	int status = rt_clock_probe(plan->opts->clock, err);

	if (!status)
		status = check_tracing(plan, err);
	if (!status && plan->opts->smi)
		status = check_smis(plan, err);
	if (!status)
		status = check_rights(plan, priority, err);
	return status;
}

int cyc_plan_make(struct cyc_plan *plan, const struct cyc_opts *opts, int argc, char **argv,
		  struct rt_err *err)
{
	int priority = 0;
	int status;

	plan->opts = opts;
	plan->argc = argc;
	plan->argv = argv;
	plan->sleep = choose_sleep(opts);
	status = check_combination(opts, err);
	if (!status)
		status = settle_units(plan, err);
	if (!status) {
		cyc_report_plan(plan);
		status = rt_results_check(&plan->results, err);
	}
	if (!status)
		status = choose_measured(plan, err);
	if (!status)
		status = choose_main(plan, err);
	if (status)
		return status;
	count_threads(plan);
	status = rt_tasks_check("threads", plan->threads, plan->threads, err);
	if (!status)
		status = rt_memory_check(plan->threads,
					 rt_linear_size(plan->buckets) + sizeof(struct rt_record),
					 "fewer threads or histogram buckets", err);
	if (!status)
		status = choose_priority(plan, &priority, err);
	if (!status)
		status = check_machine(plan, priority, err);
	if (!status)
		status = fill_seats(plan, priority, err);
	return status;
}

void cyc_plan_done(struct cyc_plan *plan)
{
	free(plan->seats);
	rt_cpuset_done(&plan->usable);
	rt_cpuset_done(&plan->measured);
	rt_cpuset_done(&plan->main_cpus);
}
