/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which cells there are, where they run, and what can't be.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hrtimer.h"
#include "rt/cpuset.h"
#include "rt/sched.h"

bool hrt_cell_is_possible(const struct hrt_way *way, unsigned int clock, int64_t period_ns)
{
	return way->clocks & 1u << clock && period_ns >= way->min_ns &&
	       period_ns % way->unit_ns == 0;
}

uint64_t hrt_samples(int64_t period_ns, int64_t cell_time_ns, int64_t loops)
{
	int64_t fit = cell_time_ns / period_ns;

	if (fit < 1)
		fit = 1;
	return (uint64_t)(fit < loops ? fit : loops);
}

static void add_cell(struct hrt_session *s, unsigned int clock, unsigned int way, int64_t period_ns)
{
	const struct hrt_opts *o = s->opts;
	struct hrt_cell *c = &s->cells[s->cell_count++];

	c->clock = clock;
	c->way = &hrt_ways[way];
	c->period_ns = period_ns;
	c->samples = hrt_samples(period_ns, o->cell_time_ns, o->loops);
	if (!hrt_cell_is_possible(c->way, clock, period_ns))
		c->state = HRT_IMPOSSIBLE;
}

static int make_cells(struct hrt_session *s, struct rt_err *err)
{
	const struct hrt_opts *o = s->opts;

	s->cells = calloc(HRT_CLOCKS * HRT_WAYS * HRT_PERIODS_MAX, sizeof(*s->cells));
	if (!s->cells)
		return rt_err_memory(err, "the run");
	for (unsigned int clock = 0; clock < HRT_CLOCKS; clock++)
		for (unsigned int way = 0; way < HRT_WAYS; way++)
			for (unsigned int i = 0; i < o->period_count; i++)
				if (o->clocks & 1u << clock && o->ways & 1u << way)
					add_cell(s, clock, way, o->periods[i]);
	return 0;
}

static int choose_cpu(struct hrt_session *s, struct rt_err *err)
{
	struct rt_cpuset cpus = RT_CPUSET_INIT;
	struct rt_err why = { 0 };
	int status;

	s->cpu = -1;
	if (!s->opts->affinity)
		return 0;
	status = rt_cpuset_choose(&cpus, s->opts->affinity, &why);
	if (status < 0)
		return rt_err_set(err, why.exit, why.code, "--affinity: %s", why.text);
	s->cpu = rt_cpuset_next(&cpus, -1);
	rt_cpuset_done(&cpus);
	if (status > 1)
		return rt_opts_refuse(err, "affinity", "'%s' is more than one CPU",
				      s->opts->affinity);
	return 0;
}

int hrt_plan(struct hrt_session *s, struct rt_err *err)
{
	struct rt_sched sched = { .policy = RT_POLICY_FIFO, .priority = (int)s->opts->priority };
	int status;

	hrt_report_plan(s);
	status = rt_results_check(&s->results_plan, err);
	if (!status)
		status = choose_cpu(s, err);
	if (!status && sched.priority)
		status = rt_sched_check(&sched, err);
	return status ? status : make_cells(s, err);
}
