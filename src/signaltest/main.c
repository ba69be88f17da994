/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signaltest - measure how long a signal takes once around a ring of threads.
 */
#include <errno.h>

#include "rt/log.h"
#include "signaltest.h"

static int place_main(struct sig_session *s, struct rt_err *err)
{
	const struct sig_plan *plan = s->plan;

	return rt_results_place_main(&s->results, plan->moves_main ? &plan->main_cpus : NULL, true,
				     err);
}

/* Who was pushed off its CPU is not reported as having been there. */
static int check_places(struct sig_session *s, struct rt_err *err)
{
	int status = 0;

	for (unsigned int i = 0; i < s->plan->threads; i++) {
		struct rt_series_info *info = rt_status_info(s->status, i);

		if (!s->threads[i].has_moved)
			continue;
		status = rt_err_set(err, RT_EXIT_FAILED, ENODEV,
				    "thread %u lost CPU %d during the run (was it taken offline?); "
				    "its numbers are not that CPU's alone", i, info->cpu);
		info->cpu = -1;
	}
	return status;
}

static int run(struct sig_session *s, struct rt_err *err)
{
	int status = rt_crew_form(s->crew, 0, err);

	if (!status)
		status = place_main(s, err);
	if (status)
		return status;
	s->has_started = true;
	rt_results_begin(&s->results);
	rt_crew_release(s->crew);
	rt_run_wait(s->run, NULL, NULL);
	status = rt_crew_join(s->crew, 0, err);
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
	if (session.has_started)
		verdict = sig_report(&session, status ? (int)err.exit : RT_EXIT_GOOD, &err);

	sig_disarm(&session);
	rt_undo_all(session.undo);
	sig_plan_done(&plan);
	status = rt_exit_status(status, &err);
	return status ? status : verdict;
}
