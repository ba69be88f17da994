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
#include "rt/load.h"
#include "rt/memory.h"

/* A guess at the time of a pass, for the writer of --samples: how often it looks. */
#define PASS_NS (2 * RT_NS_PER_US)

static int no_memory(struct rt_err *err)
{
	return rt_err_set(err, RT_EXIT_FAILED, ENOMEM,
			  "no memory for the groups; use fewer, or a smaller --histogram");
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

static struct rt_ring *make_ring(size_t *size)
{
	void *memory;

	*size = rt_ring_size(RT_RING_SAMPLES);
	memory = rt_node_alloc(*size, -1);
	return memory ? rt_ring_place(memory, RT_RING_SAMPLES) : NULL;
}

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
	if (s->opts->results.samples) {
		g->samples = make_ring(&g->samples_size);
		if (!g->samples)
			return -ENOMEM;
	}
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
	g->blocking = rt_status_record(s->status, index, -1);
	g->section = rt_status_record(s->status, plan->groups + index, -1);
}

/* A series is what @role has measured: high the blocking, low its section. */
static void describe(struct rt_series_info *info, const struct pis_group *g, enum pis_role role,
		     const struct rt_sched *sched)
{
	bool is_blocking = role == PIS_HIGH;

	snprintf(info->name, sizeof(info->name), "group %u%s", g->index,
		 is_blocking ? "" : " section");
	snprintf(info->kind, sizeof(info->kind), "%s", is_blocking ? "blocking" : "section");
	info->index = g->index;
	info->cpu = sched->policy == RT_POLICY_DEADLINE ? -1 : g->cpu;
	info->node = -1;
	info->policy = (int32_t)sched->policy;
	info->priority = sched->priority;
	info->runtime_ns = (int64_t)sched->runtime_ns;
	info->deadline_ns = (int64_t)sched->deadline_ns;
	info->period_ns = (int64_t)sched->period_ns;
	info->is_reference = !is_blocking;
}

static void fill_members(struct pis_session *s, const struct pis_group *g)
{
	static const char *const names[PIS_ROLES] = { "low", "med", "high" };

	for (unsigned int role = 0; role < PIS_ROLES; role++) {
		struct rt_member *m = rt_crew_member(s->crew, g->index * PIS_ROLES + role);

		m->sched = s->plan->seats[role].sched;
		/* the kernel takes deadline threads only where they may run everywhere */
		m->cpu = m->sched.policy == RT_POLICY_DEADLINE ? -1 : g->cpu;
		m->data = s;
		snprintf(m->name, sizeof(m->name), "pi_%s/%u", names[role], g->index);
	}
}

static int make_group(struct pis_session *s, unsigned int index, struct rt_err *err)
{
	const struct pis_seat *seats = s->plan->seats;
	struct pis_group *g = &s->groups[index];

	fill_group(s, g, index);
	describe(rt_status_info(s->status, index), g, PIS_HIGH, &seats[PIS_HIGH].sched);
	describe(rt_status_info(s->status, s->plan->groups + index), g, PIS_LOW,
		 &seats[PIS_LOW].sched);
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

static int make_crew(struct pis_session *s, struct rt_err *err)
{
	const struct rt_results_plan *about = &s->plan->results;
	struct rt_crew_plan crew_plan = {
		.count = s->plan->groups * PIS_ROLES,
		.undo = s->undo,
		.prepare = prepare,
		.body = body,
	};
	int status = rt_status_new(&s->status, about->tool, about->argc, about->argv,
				   2 * s->plan->groups, (uint32_t)s->plan->unit_ns, err);

	if (!status)
		status = rt_crew_new(&s->crew, &crew_plan, s->run, err);
	if (!status)
		status = make_groups(s, err);
	if (!status)
		status = rt_results_attach(&s->results, s->run, s->status, err);
	return status;
}

static struct rt_ring *samples_ring(void *data, unsigned int series)
{
	const struct pis_session *s = data;

	return series < s->plan->groups ? s->groups[series].samples : NULL;
}

/* ---- all of it ---------------------------------------------------------------------------- */

static int begin_run(struct pis_session *s, struct rt_err *err)
{
	struct rt_run_plan run_plan = { .data = s };
	struct rt_results_plan results = s->plan->results;
	int status;

	results.data = s;
	pis_watch_plan(s->plan, &run_plan);
	status = rt_run_new(&s->run, &run_plan, err);
	if (!status)
		status = rt_undo_open(&s->undo, err);
	if (!status)
		status = rt_results_open(&s->results, &results, s->undo, err);
	return status;
}

static int lock_memory(struct pis_session *s, struct rt_err *err)
{
	int status = s->opts->mlockall ? rt_memory_lock(err) : 0;

	if (!status && s->opts->mlockall)
		rt_asked_add(&s->results.about, "mlock", "all", "all", NULL);
	return status;
}

int pis_arm(struct pis_session *s, const struct pis_plan *plan, struct rt_err *err)
{
	int status;

	s->plan = plan;
	s->opts = plan->opts;
	status = begin_run(s, err);
	if (!status)
		status = lock_memory(s, err);
	if (!status)
		status = make_crew(s, err);
	if (!status)
		status = rt_results_open_samples(&s->results, samples_ring, err);
	if (!status && s->opts->results.load)
		status = rt_load_start(s->opts->results.load, s->run, s->undo, err);
	return status;
}

void pis_disarm(struct pis_session *s)
{
	unsigned int count = s->plan ? s->plan->groups : 0;

	rt_results_done(&s->results);
	for (unsigned int i = 0; s->groups && i < count; i++) {
		rt_node_free(s->groups[i].linear, s->groups[i].linear_size);
		rt_node_free(s->groups[i].samples, s->groups[i].samples_size);
	}
	rt_crew_free(s->crew);
	rt_status_free(s->status);
	rt_node_free(s->groups, count * sizeof(*s->groups));
	rt_node_free(s->shared, count * sizeof(*s->shared));
	free(s->dogs);
	rt_run_free(s->run);
}
