/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cyclictest - measure how late threads wake up.
 */
#include "cyclictest.h"
#include "measure.h"
#include "rt/log.h"

static int place_main(struct cyc_session *s, struct rt_err *err)
{
	const struct cyc_plan *plan = s->plan;

	return rt_results_place_main(&s->rt.results, plan->moves_main ? &plan->main_cpus : NULL,
				     plan->is_pinned, err);
}

/* A thread that was pushed off its CPU is never reported as pinned there. */
static int check_places(struct cyc_session *s, struct rt_err *err)
{
	int status = 0;

	for (unsigned int i = 0; s->plan->is_pinned && i < s->plan->threads; i++)
		if (s->threads[i]->has_moved)
			status = rt_session_lost_cpu(&s->rt, i, NULL, err);
	return status;
}

static int run(struct cyc_session *s, struct rt_err *err)
{
	int lost, status = rt_crew_form(s->rt.crew, 0, err);

	if (!status)
		status = place_main(s, err);
	if (status)
		return status;
	rt_session_begin(&s->rt);
	cyc_watch_begin(s);
	cyc_threads_align(s);
	rt_tracing_begin(&s->tracing);
	rt_crew_release(s->rt.crew);
	rt_run_wait(s->rt.run, rt_tracing_watch, &s->tracing);
	status = rt_crew_join(s->rt.crew, 0, err);
	if (!status)
		status = check_places(s, err);
	lost = rt_tracing_end(&s->tracing, err);
	return status ? status : lost;
}

int main(int argc, char **argv)
{
	struct cyc_opts opts = { .clock = CLOCK_MONOTONIC };
	struct cyc_plan plan = { 0 };
	struct cyc_session session = { .threshold = { .mark = RT_TRACE_MARK_CLOSED } };
	struct rt_err err = { 0 };
	int verdict = RT_EXIT_GOOD;
	int status;

	rt_opts_parse(&cyc_table, &opts, argc, argv);

	status = cyc_plan_make(&plan, &opts, argc, argv, &err);
	if (!status && opts.resolution)
		cyc_check_resolution(opts.clock, opts.verbose, opts.debug);
	if (!status)
		status = cyc_arm(&session, &plan, &err);
	if (!status)
		status = run(&session, &err);
	if (session.rt.has_started)
		verdict = cyc_report(&session, status ? (int)err.exit : RT_EXIT_GOOD, &err);

	cyc_disarm(&session);
	rt_session_done(&session.rt);
	cyc_plan_done(&plan);
	status = rt_exit_status(status, &err);
	return status ? status : verdict;
}
