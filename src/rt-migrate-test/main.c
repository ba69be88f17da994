/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rt-migrate-test - check that real-time tasks are moved to CPUs in the order
 * of their priorities.
 */
#include <errno.h>
#include <string.h>

#include "migrate.h"
#include "rt/clock.h"
#include "rt/log.h"
#include "rt/sched.h"

static int arm(struct mig_session *s, struct rt_err *err)
{
	const struct rt_run_plan run_plan = { .duration_ns = s->opts->duration_ns, .data = s };
	const struct mig_plan *plan = s->plan;
	int status = rt_session_open(&s->rt, &run_plan, &plan->results, err);

	if (!status)
		status = rt_session_records(&s->rt, plan->tasks, err);
	if (!status)
		status = rt_session_crew(&s->rt, &mig_crew_plan, plan->tasks, err);
	if (!status)
		status = mig_tasks_make(s, err);
	return status;
}

/* Above all tasks while they run; with everybody else before and after. */
static int set_main(int priority, struct rt_err *err)
{
	struct rt_sched sched = rt_sched_of(priority);

	return rt_sched_apply(0, &sched, err);
}

static void pause_for(int64_t ns)
{
	struct timespec pause = rt_ns_timespec(ns);

	clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
}

static int fail(const struct mig_session *s, struct rt_err *err)
{
	unsigned int i = s->culprit;
	const struct mig_lap *laps = &s->laps[(size_t)(s->rounds - 1) * s->plan->tasks];
	const struct mig_lap *higher = &laps[i], *lower = &laps[i - 1];

	return rt_err_set(err, RT_EXIT_FAILED, EPROTO,
			  "iteration %u: task %u (prio %d, %lld to %lld us, %llu loops) started "
			  "later than task %u (prio %d, %lld to %lld us, %llu loops) and %s",
			  s->rounds - 1, i, mig_priority(s->opts, s->plan->tasks, i),
			  (long long)(higher->start_ns / RT_NS_PER_US),
			  (long long)(higher->end_ns / RT_NS_PER_US),
			  (unsigned long long)higher->loops, i - 1,
			  mig_priority(s->opts, s->plan->tasks, i - 1),
			  (long long)(lower->start_ns / RT_NS_PER_US),
			  (long long)(lower->end_ns / RT_NS_PER_US),
			  (unsigned long long)lower->loops, mig_fault_text(s->fault));
}

static int check(struct mig_session *s, struct rt_err *err)
{
	const struct mig_lap *laps = &s->laps[(size_t)(s->rounds - 1) * s->plan->tasks];

	if (!s->opts->check)
		return 0;
	s->culprit = mig_find(laps, s->plan->tasks, s->opts->maxerr_ns, &s->fault);
	return s->culprit ? fail(s, err) : 0;
}

static void look_around(struct mig_session *s)
{
	rt_run_take_signals(s->rt.run);
	if (rt_clock_ns(CLOCK_MONOTONIC) >= s->rt.run->until_ns)
		rt_run_end(s->rt.run, RT_ENDED_DURATION);
}

static int iterate(struct mig_session *s, struct rt_err *err)
{
	int status = 0;

	mig_report_progress(s);
	while (!status && !rt_run_over(s->rt.run)) {
		pause_for(s->opts->sleep_ns);
		status = mig_round(s, err);
		if (!status)
			status = check(s, err);
		mig_report_progress(s);
		if (s->rounds == s->opts->loops)
			rt_run_end(s->rt.run, RT_ENDED_LOOPS);
		look_around(s);
	}
	rt_run_end(s->rt.run, RT_ENDED_ERROR); /* unless it has ended already */
	return status;
}

static int run(struct mig_session *s, struct rt_err *err)
{
	int status = rt_crew_form(s->rt.crew, 0, err);
	int joined;

	if (status)
		return status;
	rt_session_begin(&s->rt);
	rt_crew_release(s->rt.crew);
	status = set_main(s->plan->main_priority, err);
	if (!status)
		status = iterate(s, err);
	rt_run_end(s->rt.run, RT_ENDED_ERROR);
	mig_rounds_end(s);
	set_main(0, NULL);
	joined = rt_crew_join(s->rt.crew, 0, err);
	return status ? status : joined;
}

int main(int argc, char **argv)
{
	struct mig_opts opts = { .tasks = 0 };
	struct mig_plan plan = { 0 };
	struct mig_session session = { .plan = &plan, .opts = &opts };
	struct rt_err err = { 0 };
	int verdict = RT_EXIT_GOOD;
	int status;

	rt_opts_parse(&mig_table, &opts, argc, argv);

	status = mig_plan_make(&plan, &opts, argc, argv, &err);
	if (!status)
		status = arm(&session, &err);
	if (!status)
		status = run(&session, &err);
	if (session.rt.has_started)
		verdict = mig_report(&session, status ? RT_EXIT_FAILED : RT_EXIT_GOOD, &err);

	mig_tasks_free(&session);
	rt_session_done(&session.rt);
	mig_plan_done(&plan);
	status = rt_exit_status(status, &err);
	return status ? status : verdict;
}
