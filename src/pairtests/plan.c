/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan of a hand-over test: options resolved against the machine.
 */
#include <errno.h>
#include <string.h>

#include "pairs.h"
#include "rt/log.h"
#include "rt/memory.h"
#include "rt/sched.h"
#include "rt/tasks.h"

int64_t pair_interval_ns(const struct pair_opts *opts, unsigned int pair)
{
	return opts->interval_ns + (int64_t)pair * opts->distance_ns;
}

/* ---- CPUs ------------------------------------------------------------------ */

static int read_list(struct rt_cpuset *ret, const char *option, const char *text,
		     struct rt_err *err)
{
	struct rt_err why = { 0 };
	int status = rt_cpuset_choose(ret, text, &why);

	return status < 0 ? rt_err_set(err, why.exit, why.code, "--%s: %s", option, why.text) : 0;
}

static int choose_cpus(struct pair_plan *plan, struct rt_err *err)
{
	const struct pair_opts *o = plan->opts;
	int status;

	plan->is_pinned = o->is_pinned || o->smp;
	if (o->affinity)
		status = read_list(&plan->measured, "affinity", o->affinity, err);
	else
		status = rt_cpuset_usable(&plan->measured, err);
	if (status < 0)
		return status;
	if (o->sender_affinity)
		return read_list(&plan->senders, "sender-affinity", o->sender_affinity, err);
	return rt_cpuset_copy(&plan->senders, &plan->measured);
}

/* Main keeps off the CPUs that ends are pinned to, when others are left. */
static int choose_main(struct pair_plan *plan, struct rt_err *err)
{
	struct rt_cpuset taken = RT_CPUSET_INIT;
	int status = 0;

	for (unsigned int i = 0; !status && i < 2 * plan->pairs; i++)
		if (plan->seats[i].cpu >= 0)
			status = rt_cpuset_add(&taken, plan->seats[i].cpu);
	if (!status && rt_cpuset_count(&taken)) {
		status = rt_cpuset_main(&plan->main_cpus, &taken);
		plan->moves_main = status > 0;
	}
	rt_cpuset_done(&taken);
	return status < 0 ? rt_err_set(err, RT_EXIT_FAILED, status,
				       "cannot choose CPUs for the main thread") : 0;
}

/* ---- pairs ------------------------------------------------------------------- */

static int check_tasks(const struct pair_plan *plan, struct rt_err *err)
{
	uint64_t ends = 2 * (uint64_t)plan->pairs;

	return plan->opts->fork ? rt_tasks_check("processes", ends, 0, err) :
				  rt_tasks_check("threads", ends, ends, err);
}

static void count_pairs(struct pair_plan *plan)
{
	const struct pair_opts *o = plan->opts;

	if (o->smp && o->has_threads)
		rt_warn("--threads is ignored with --smp: one pair runs on each CPU");
	if (o->smp || (o->has_threads && o->threads == 0))
		plan->pairs = (unsigned int)rt_cpuset_count(&plan->measured);
	else
		plan->pairs = o->has_threads ? (unsigned int)o->threads : 1;
}

static int priority_of(const struct pair_plan *plan, unsigned int pair)
{
	int first = (int)plan->opts->priority;
	int lowest = plan->tool->lowest_priority;

	if (plan->opts->smp || first <= lowest)
		return first;
	return (int64_t)first - pair < lowest ? lowest : first - (int)pair;
}

static void fill_seat(struct pair_plan *plan, unsigned int pair, bool is_sender)
{
	const struct rt_cpuset *cpus = is_sender ? &plan->senders : &plan->measured;
	struct pair_seat *seat = &plan->seats[2 * pair + is_sender];
	bool is_pinned = plan->is_pinned || (is_sender && plan->opts->sender_affinity);

	seat->cpu = is_pinned ? rt_cpuset_nth(cpus, pair) : -1;
	seat->node = is_pinned && rt_numa_available() ? rt_numa_node_of(seat->cpu) : -1;
	seat->priority = priority_of(plan, pair);
}

static int fill_seats(struct pair_plan *plan, struct rt_err *err)
{
	plan->seats = calloc(2 * (size_t)plan->pairs, sizeof(*plan->seats));
	if (!plan->seats)
		return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "no memory for %u pairs",
				  plan->pairs);
	for (unsigned int i = 0; i < plan->pairs; i++) {
		fill_seat(plan, i, false);
		fill_seat(plan, i, true);
	}
	if (plan->opts->priority && plan->seats[2 * plan->pairs - 1].priority == 0)
		rt_warn("pairs from number %d on have no priority left and run as SCHED_OTHER",
			(int)plan->opts->priority);
	return 0;
}

static int check_rights(const struct pair_plan *plan, struct rt_err *err)
{
	struct rt_sched sched = { .policy = RT_POLICY_FIFO,
				  .priority = (int)plan->opts->priority };

	return sched.priority ? rt_sched_check(&sched, err) : 0;
}

/* ---- numbers and what goes together ----------------------------------------------- */

static int settle_limits(struct pair_plan *plan, struct rt_err *err)
{
	const struct pair_opts *o = plan->opts;
	int status = rt_opts_settle(&plan->breaktrace, "breaktrace", &o->breaktrace,
				    o->breaktrace.value != 0, RT_NS_PER_US, err);

	if (!status)
		status = rt_opts_settle(&plan->results.limit, "limit", &o->results.limit,
					o->results.has_limit, RT_NS_PER_US, err);
	return status;
}

static int check_combination(const struct pair_plan *plan, struct rt_err *err)
{
	const struct pair_opts *o = plan->opts;

	if (!plan->via)
		return rt_err_set(err, RT_EXIT_USAGE, EINVAL,
				  "give --via=MECHANISM: " PAIR_MECHANISMS);
	if (o->forcetimeout_ns && !o->timeout_ns)
		return rt_opts_refuse(err, "forcetimeout",
				      "has no wait to pass without --timeout; give that, too");
	if (o->tracemark && !o->breaktrace.value)
		rt_warn("--tracemark does nothing without --breaktrace");
	return rt_results_check(&plan->results, err);
}

static void describe(struct pair_plan *plan, int argc, char **argv)
{
	plan->via = plan->tool->via ? plan->tool->via : plan->opts->via;
	plan->results = (struct rt_results_plan){
		.opts = &plan->opts->results,
		.tool = plan->tool->table->tool,
		.argc = argc,
		.argv = argv,
		.unit_ns = RT_NS_PER_US,
		.clock = CLOCK_MONOTONIC,
		.before = pair_note,
		.fill_json = pair_fill_json,
		.fill_result = pair_fill_result,
	};
}

/* ---- tracing ------------------------------------------------------------------------ */

/* Series are ways: the way forth of pair n is what its receiver waits on. */
static int receiver_cpu(void *data, unsigned int series)
{
	const struct pair_plan *plan = data;

	return plan->seats[2 * series].cpu;
}

/* Who wakes the receivers is part of the explanation, so their CPUs are traced, too. */
static int check_tracing(struct pair_plan *plan, struct rt_err *err)
{
	int status = rt_cpuset_copy(&plan->traced, &plan->measured);

	for (int cpu = -1; !status && (cpu = rt_cpuset_next(&plan->senders, cpu)) >= 0;)
		status = rt_cpuset_add(&plan->traced, cpu);
	if (status)
		return rt_err_memory(err, "a set of CPUs");
	plan->tracing = (struct rt_tracing_plan){
		.opts = &plan->opts->tracing,
		.tool = plan->results.tool,
		.has_break = plan->breaktrace > 0,
		.clock = CLOCK_MONOTONIC,
		.unit_ns = RT_NS_PER_US,
		.measured = &plan->traced,
		.waits_for = RT_WHY_FOR_WAKER,
		.noun = "pair",
		.cpu_of = receiver_cpu,
		.data = plan,
	};
	return rt_tracing_check(&plan->tracing, err);
}

int pair_plan_make(struct pair_plan *plan, const struct pair_tool *tool,
		   const struct pair_opts *opts, int argc, char **argv, struct rt_err *err)
{
	int status;

	plan->tool = tool;
	plan->opts = opts;
	describe(plan, argc, argv);
	status = check_combination(plan, err);
	if (!status)
		status = settle_limits(plan, err);
	if (!status)
		status = choose_cpus(plan, err);
	if (status)
		return status;
	count_pairs(plan);
	status = check_tasks(plan, err);
	if (!status)
		status = check_tracing(plan, err);
	if (!status)
		status = check_rights(plan, err);
	if (!status)
		status = fill_seats(plan, err);
	return status ? status : choose_main(plan, err);
}

void pair_plan_done(struct pair_plan *plan)
{
	free(plan->seats);
	rt_cpuset_done(&plan->measured);
	rt_cpuset_done(&plan->senders);
	rt_cpuset_done(&plan->traced);
	rt_cpuset_done(&plan->main_cpus);
}
