/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the three threads of a group run, from --rr and --sched. In each pass one
 * of them must be above the other: without that nothing is inverted.
 */
#include <errno.h>

#include "pi_stress.h"

#define FIRST_PRIORITY 1
#define ADMIN_PRIORITY (FIRST_PRIORITY + PIS_ROLES)
#define MIN_RUNTIME_NS 1024 /* what the kernel takes as a SCHED_DEADLINE runtime at least */

static const char *const names[PIS_ROLES] = { "low", "med", "high" };

/* Above all real-time priorities: deadline. Below them: all else, in which nothing is certain. */
static int rank_of(const struct rt_sched *s)
{
	if (s->policy == RT_POLICY_DEADLINE)
		return RT_PRIORITY_MAX + 1;
	return rt_policy_is_rt(s->policy) ? s->priority : 0;
}

static int take_deadline(struct rt_sched *s, const struct pis_sched_opts *o, enum pis_role role,
			 struct rt_err *err)
{
	if (role != PIS_HIGH)
		return rt_opts_refuse(err, "sched",
				      "id=%s can't have policy=deadline: it would be above the "
				      "high thread; give fifo or rr", names[role]);
	s->runtime_ns = (uint64_t)o->runtime_ns;
	s->period_ns = (uint64_t)(o->period_ns ? o->period_ns : o->deadline_ns);
	s->deadline_ns = (uint64_t)(o->deadline_ns ? o->deadline_ns : o->period_ns);
	if (s->runtime_ns < MIN_RUNTIME_NS || s->runtime_ns > s->deadline_ns ||
	    s->deadline_ns > s->period_ns)
		return rt_opts_refuse(err, "sched",
				      "policy=deadline needs runtime, deadline and period in "
				      "nanoseconds, in rising order and %d or more; these are "
				      "%lld, %lld and %lld", MIN_RUNTIME_NS,
				      (long long)o->runtime_ns,
				      (long long)s->deadline_ns, (long long)s->period_ns);
	return 0;
}

static int take_priority(struct rt_sched *s, const struct pis_sched_opts *o, enum pis_role role,
			 struct rt_err *err)
{
	s->priority = o->has_priority ? (int)o->priority : FIRST_PRIORITY + (int)role;
	if (s->priority < 1)
		return rt_opts_refuse(err, "sched",
				      "id=%s: policy %s needs a priority from 1 to %d",
				      names[role], rt_policy_name(s->policy), RT_PRIORITY_MAX);
	return 0;
}

static int resolve(struct pis_seat *seat, const struct pis_opts *opts, enum pis_role role,
		   struct rt_err *err)
{
	const struct pis_sched_opts *o = &opts->sched[role];
	struct rt_sched *s = &seat->sched;
	bool takes_rr = opts->rr && !o->is_given;

	s->policy = o->has_policy ? o->policy : takes_rr ? RT_POLICY_RR : RT_POLICY_FIFO;
	if (s->policy != RT_POLICY_DEADLINE && (o->runtime_ns || o->deadline_ns || o->period_ns))
		return rt_opts_refuse(err, "sched",
				      "id=%s: runtime, deadline and period belong to "
				      "policy=deadline", names[role]);
	if (s->policy == RT_POLICY_DEADLINE)
		return take_deadline(s, o, role, err);
	if (rt_policy_is_rt(s->policy))
		return take_priority(s, o, role, err);
	if (o->has_priority && o->priority > 0)
		return rt_opts_refuse(err, "sched", "id=%s: policy %s has no priority; give nice",
				      names[role], rt_policy_name(s->policy));
	seat->nice = (int)o->nice;
	seat->has_nice = o->has_nice;
	return 0;
}

static int check_order(const struct pis_plan *plan, struct rt_err *err)
{
	for (int role = PIS_MED; role < PIS_ROLES; role++) {
		const struct rt_sched *below = &plan->seats[role - 1].sched;
		const struct rt_sched *s = &plan->seats[role].sched;

		if (rank_of(s) > rank_of(below))
			continue;
		return rt_opts_refuse(err, "sched",
				      "the %s thread (%s, priority %d) would not be above the %s "
				      "one (%s, priority %d): nothing would be inverted; give "
				      "priorities that rise from low to high", names[role],
				      rt_policy_name(s->policy), s->priority, names[role - 1],
				      rt_policy_name(below->policy), below->priority);
	}
	return 0;
}

/* Main must get through to end a run whose threads are busy on its own CPU. */
static void choose_admin(struct pis_plan *plan, bool rr)
{
	int above = rank_of(&plan->seats[PIS_MED].sched) + 1;

	if (plan->seats[PIS_HIGH].sched.policy != RT_POLICY_DEADLINE)
		above = rank_of(&plan->seats[PIS_HIGH].sched) + 1;
	if (above < ADMIN_PRIORITY)
		above = ADMIN_PRIORITY;
	plan->admin.policy = rr ? RT_POLICY_RR : RT_POLICY_FIFO;
	plan->admin.priority = above > RT_PRIORITY_MAX ? RT_PRIORITY_MAX : above;
}

int pis_roles_resolve(struct pis_plan *plan, const struct pis_opts *opts, struct rt_err *err)
{
	int status = 0;

	for (int role = PIS_LOW; !status && role < PIS_ROLES; role++)
		status = resolve(&plan->seats[role], opts, (enum pis_role)role, err);
	if (!status)
		status = check_order(plan, err);
	if (!status)
		choose_admin(plan, opts->rr);
	return status;
}
