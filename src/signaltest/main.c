/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signaltest - measure how long a signal takes once around a ring of threads.
 */
#include <errno.h>

#include "rt/log.h"
#include "signaltest.h"

static int place_main(struct sig_session *s, struct rt_err *err)
{
	const struct rt_cpuset *cpus = s->plan->moves_main ? &s->plan->main_cpus : NULL;

	return rt_results_place_main(&s->rt.results, cpus, true, err);
}

/* Who was pushed off its CPU is not reported as having been there. */
static int check_places(struct sig_session *s, struct rt_err *err)
{
	int status = 0;

	for (unsigned int i = 0; i < s->plan->threads; i++)
		if (s->threads[i].has_moved)
			status = rt_session_lost_cpu(&s->rt, i, NULL, err);
	return status;
}

static int run(struct sig_session *s, struct rt_err *err)
{
	int status = rt_crew_form(s->rt.crew, 0, err);

	if (!status)
		status = place_main(s, err);
	if (status)
		return status;
	rt_session_begin(&s->rt);
	rt_crew_release(s->rt.crew);
	rt_run_wait(s->rt.run, NULL, NULL);
	status = rt_crew_join(s->rt.crew, 0, err);
	return check_places(s, err) ? -ENODEV : status;
}

int main(int argc, char **argv)
{
	struct sig_opts opts = { 0 };
	struct sig_plan plan = { 0 };
	struct sig_session session = { .threshold = { .mark = RT_TRACE_MARK_CLOSED } };
	struct rt_err err = { 0 };
	int verdict = RT_EXIT_GOOD;
	int status;

	rt_opts_parse(&sig_table, &opts, argc, argv);

	status = sig_plan_make(&plan, &opts, argc, argv, &err);
	if (!status)
		status = sig_arm(&session, &plan, &err);
	if (!status)
		status = run(&session, &err);
	if (session.rt.has_started)
		verdict = sig_report(&session, status ? (int)err.exit : RT_EXIT_GOOD, &err);

	sig_disarm(&session);
	rt_session_done(&session.rt);
	sig_plan_done(&plan);
	status = rt_exit_status(status, &err);
	return status ? status : verdict;
}
