/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hwlatdetect - find gaps that the hardware or the firmware makes.
 */
#include "hwlat.h"
#include "rt/log.h"

static int run(struct hwl_session *s, struct rt_err *err)
{
	const struct hwl_detector *detector = s->plan->detector;
	int status;

	hwl_say_banner(s);
	status = detector->start(s, err);
	if (status)
		return status;
	rt_run_begin(s->rt.run);
	rt_session_begin(&s->rt);
	rt_run_wait(s->rt.run, NULL, NULL);
	status = detector->stop(s, err);
	hwl_smis_end(&s->smis);
	return status;
}

int main(int argc, char **argv)
{
	struct hwl_opts opts = { 0 };
	struct hwl_plan plan = { 0 };
	struct hwl_session session = { 0 };
	struct rt_err err = { 0 };
	int verdict = RT_EXIT_GOOD;
	int status;

	rt_opts_parse(&hwl_table, &opts, argc, argv);

	status = hwl_plan_make(&plan, &opts, argc, argv, &err);
	if (!status)
		status = hwl_arm(&session, &plan, &err);
	if (!status)
		status = run(&session, &err);
	if (session.rt.has_started)
		verdict = hwl_report(&session, status ? (int)err.exit : RT_EXIT_GOOD, &err);

	hwl_disarm(&session);
	rt_session_done(&session.rt);
	hwl_plan_done(&plan);
	status = rt_exit_status(status, &err);
	return status ? status : verdict;
}
