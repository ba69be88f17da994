/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan: options resolved against the machine. Touches nothing.
 */
#include <errno.h>

#include "pi_stress.h"
#include "pimutex.h"
#include "rt/log.h"
#include "rt/memory.h"
#include "rt/tasks.h"

#define TICKS 5 /* without a pass, then the watchdog judges */

/*
 * A deadline thread may come to the mutex late and from another CPU. Low holds
 * it this long at least, so that medium, too, is there before it is free.
 */
#define APART_SECTION_NS (50 * RT_NS_PER_US)
#define PATIENCE_NS (20 * RT_NS_PER_MS)

static bool is_apart(const struct pis_plan *plan)
{
	return plan->seats[PIS_HIGH].sched.policy == RT_POLICY_DEADLINE;
}

/* ---- CPUs ---------------------------------------------------------------------------- */

int pis_group_cpu(const struct pis_plan *plan, unsigned int index)
{
	return plan->opts->uniprocessor ? plan->admin_cpu : rt_cpuset_nth(&plan->usable, index + 1);
}

static int choose_cpus(struct pis_plan *plan, struct rt_err *err)
{
	const struct pis_opts *o = plan->opts;
	int status = rt_cpuset_usable(&plan->usable, err);
	unsigned int cpus;

	if (status < 0)
		return status;
	cpus = (unsigned int)rt_cpuset_count(&plan->usable);
	plan->admin_cpu = rt_cpuset_nth(&plan->usable, 0);
	plan->groups = cpus > 1 && !o->uniprocessor && !o->no_pi ? cpus - 1 : 1;
	if (o->has_groups)
		plan->groups = (unsigned int)o->groups;
	if (o->no_pi && plan->groups > 1)
		return rt_opts_refuse(err, "no-pi", "runs one group only; leave out --groups");
	plan->is_shared = o->uniprocessor || plan->groups >= cpus;
	return 0;
}

/* ---- rights ---------------------------------------------------------------------------- */

static int check_tasks(const struct pis_plan *plan, struct rt_err *err)
{
	uint64_t threads = (uint64_t)plan->groups * PIS_ROLES;
	int status = rt_tasks_check("threads", threads, threads, err);

	return status ? status : rt_memory_check(plan->groups, rt_linear_size(plan->buckets) +
						 sizeof(struct rt_record),
						 "fewer groups or histogram buckets", err);
}

static int check_rights(const struct pis_plan *plan, struct rt_err *err)
{
	int status = rt_sched_check(&plan->admin, err);

	for (int role = PIS_LOW; !status && role < PIS_ROLES; role++)
		status = rt_sched_check(&plan->seats[role].sched, err);
	return status;
}

/* ---- numbers ----------------------------------------------------------------------------- */

static int settle_units(struct pis_plan *plan, struct rt_err *err)
{
	const struct pis_opts *o = plan->opts;
	int64_t buckets = 0;
	int status;

	plan->unit_ns = o->nsecs ? 1 : RT_NS_PER_US;
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

static void settle_times(struct pis_plan *plan)
{
	plan->tick_ns = plan->opts->watchdog_ns / TICKS;
	plan->section_ns = plan->opts->section_ns;
	if (!is_apart(plan))
		return;
	plan->patience_ns = PATIENCE_NS;
	if (plan->section_ns < APART_SECTION_NS)
		plan->section_ns = APART_SECTION_NS;
}

int pis_plan_make(struct pis_plan *plan, const struct pis_opts *opts, int argc, char **argv,
		  struct rt_err *err)
{
	int status;

	plan->opts = opts;
	status = settle_units(plan, err);
	if (!status)
		status = pis_roles_resolve(plan, opts, err);
	if (status)
		return status;
	settle_times(plan);
	pis_report_plan(plan);
	plan->results.argc = argc;
	plan->results.argv = argv;
	status = rt_results_check(&plan->results, err);
	if (!status)
		status = choose_cpus(plan, err);
	if (!status)
		status = check_tasks(plan, err);
	if (!status)
		status = pi_mutex_check(err);
	if (!status)
		status = check_rights(plan, err);
	return status;
}

void pis_plan_done(struct pis_plan *plan)
{
	rt_cpuset_done(&plan->usable);
}
