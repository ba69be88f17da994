/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arming: everything that the run needs, made before it begins. What changes
 * the system goes through the undo list; what is ours alone is freed in
 * pis_disarm(), which is fine with a half-armed session.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "pi_stress.h"
#include "pimutex.h"
#include "rt/clock.h"
#include "rt/memory.h"

/* A guess at the time of a pass, for the writer of --samples: how often it looks. */
#define PASS_NS (2 * RT_NS_PER_US)

static int no_memory(struct rt_err *err)
{
	return rt_err_memory(err, "the groups; use fewer, or a smaller --histogram");
}

/* ---- in the threads ---------------------------------------------------------------------- */

static enum pis_role role_of(const struct rt_member *m)
{
	return (enum pis_role)(m->index % PIS_ROLES);
}

static int prepare(struct rt_member *m, struct rt_err *err)
{
	const struct pis_session *s = m->data;
	const struct pis_seat *seat = &s->plan->seats[role_of(m)];

	if (!seat->has_nice || setpriority(PRIO_PROCESS, (id_t)rt_gettid(), seat->nice) == 0)
		return 0;
	return rt_err_set(err, RT_EXIT_MISSING, errno, "cannot set the nice value %d: %s; run as "
			  "root or with CAP_SYS_NICE, or give 0 or more", seat->nice,
			  strerror(errno));
}

static int body(struct rt_member *m, struct rt_err *err)
{
	struct pis_session *s = m->data;
	struct pis_group *g = &s->groups[m->index / PIS_ROLES];
	int status = pis_group_run(role_of(m), g, m->run, err);

	if (rt_member_has_moved(m))
		atomic_store(&g->has_moved, true);
	return status;
}

/* ---- the groups ------------------------------------------------------------------------------ */

static int make_extras(struct pis_session *s, struct pis_group *g)
{
	const struct pis_plan *plan = s->plan;

	if (plan->buckets) {
		void *memory;

		g->linear_size = rt_linear_size(plan->buckets);
		memory = rt_node_alloc(g->linear_size, -1);
		if (!memory)
			return -ENOMEM;
		g->linear = rt_linear_place(memory, plan->buckets);
	}
	if (rt_results_ring(&g->samples, &s->rt.results, g->index, -1))
		return -ENOMEM;
	if (g->linear || g->samples)
		g->features |= PIS_WITH_EXTRAS;
	return 0;
}

static void fill_group(struct pis_session *s, struct pis_group *g, unsigned int index)
{
	const struct pis_plan *plan = s->plan;
	int64_t inversions = s->opts->inversions;

	g->index = index;
	g->shared = &s->shared[index];
	g->cpu = pis_group_cpu(plan, index);
	g->inversions = inversions > 0 ? (uint64_t)inversions : UINT64_MAX;
	g->section_ns = plan->section_ns;
	g->patience_ns = plan->patience_ns;
	/* Longer than the watchdog, which tells more; shorter, should main not get through. */
	g->spin_ns = s->opts->watchdog_ns + plan->tick_ns + RT_NS_PER_MS;
	g->starved_ns = plan->tick_ns;
	g->unit_ns = plan->unit_ns;
	g->features = s->opts->debug ? PIS_WITH_TRACE : 0;
	/* blocking times first: --limit and --percentiles are about those alone */
	g->blocking = rt_status_record(s->rt.status, index, -1);
	g->section = rt_status_record(s->rt.status, plan->groups + index, -1);
}

/* A series is what @role has measured: high the blocking, low its section. */
static void describe(struct pis_session *s, const struct pis_group *g, enum pis_role role)
{
	bool is_blocking = role == PIS_HIGH;
	struct rt_series_info *info =
		rt_session_series(&s->rt, is_blocking ? g->index : s->plan->groups + g->index,
				  rt_crew_member(s->rt.crew, g->index * PIS_ROLES + role),
				  is_blocking ? "blocking" : "section", "group %u%s", g->index,
				  is_blocking ? "" : " section");

	info->index = g->index;
	info->is_reference = !is_blocking;
}

static void fill_members(struct pis_session *s, const struct pis_group *g)
{
	static const char *const names[PIS_ROLES] = { "low", "med", "high" };

	for (unsigned int role = 0; role < PIS_ROLES; role++) {
		struct rt_member *m = rt_crew_member(s->rt.crew, g->index * PIS_ROLES + role);

		m->sched = s->plan->seats[role].sched;
		/* the kernel takes deadline threads only where they may run everywhere */
		m->cpu = m->sched.policy == RT_POLICY_DEADLINE ? -1 : g->cpu;
		m->data = s;
		snprintf(m->name, sizeof(m->name), "pi_%s/%u", names[role], g->index);
	}
	describe(s, g, PIS_HIGH);
	describe(s, g, PIS_LOW);
}

static int make_group(struct pis_session *s, unsigned int index, struct rt_err *err)
{
	struct pis_group *g = &s->groups[index];

	fill_group(s, g, index);
	fill_members(s, g);
	if (make_extras(s, g))
		return no_memory(err);
	return pi_mutex_init(&g->shared->mutex, !s->opts->no_pi, false, err);
}

static int make_groups(struct pis_session *s, struct rt_err *err)
{
	unsigned int count = s->plan->groups;
	int status = 0;

	s->groups = rt_node_alloc(count * sizeof(*s->groups), -1);
	s->shared = rt_node_alloc(count * sizeof(*s->shared), -1);
	s->dogs = calloc(count, sizeof(*s->dogs));
	if (!s->groups || !s->shared || !s->dogs)
		return no_memory(err);
	for (unsigned int i = 0; !status && i < count; i++) {
		pis_info(s, "group %u on CPU %d", i, pis_group_cpu(s->plan, i));
		status = make_group(s, i, err);
	}
	return status;
}

/* ---- all of it ---------------------------------------------------------------------------- */

int pis_arm(struct pis_session *s, const struct pis_plan *plan, struct rt_err *err)
{
	const struct rt_crew_plan crew_plan = { .prepare = prepare, .body = body };
	struct rt_run_plan run_plan = { .data = s };
	int status;

	s->plan = plan;
	s->opts = plan->opts;
	pis_watch_plan(plan, &run_plan);
	status = rt_session_open(&s->rt, &run_plan, &plan->results, err);
	if (!status)
		status = rt_session_lock(&s->rt, s->opts->mlockall, err);
	if (!status)
		status = rt_session_records(&s->rt, 2 * plan->groups, err);
	if (!status)
		status = rt_session_crew(&s->rt, &crew_plan, plan->groups * PIS_ROLES, err);
	if (!status)
		status = make_groups(s, err);
	if (!status)
		status = rt_session_extras(&s->rt, err);
	return status;
}

void pis_disarm(struct pis_session *s)
{
	unsigned int count = s->plan ? s->plan->groups : 0;

	for (unsigned int i = 0; s->groups && i < count; i++)
		rt_node_free(s->groups[i].linear, s->groups[i].linear_size);
	rt_node_free(s->groups, count * sizeof(*s->groups));
	rt_node_free(s->shared, count * sizeof(*s->shared));
	free(s->dogs);
}
