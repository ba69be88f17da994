/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ssdd - check that processes can be single-stepped without losing a step.
 */
#include <errno.h>
#include <string.h>

#include "rt/log.h"
#include "rt/tasks.h"
#include "ssdd.h"

static int arm(struct ssdd_session *s, struct rt_err *err)
{
	const struct rt_run_plan run_plan = { .tick_ns = RT_NS_PER_S, .tick = ssdd_pairs_watch,
					      .data = s };
	int status = rt_session_open(&s->rt, &run_plan, &s->results_plan, err);

	if (!status)
		status = rt_session_records(&s->rt, 0, err);
	if (!status)
		status = ssdd_pairs_init(s, err);
	return status;
}

static int say_failed(const struct ssdd_session *s, struct rt_err *err)
{
	unsigned int i = 0;

	while (!atomic_load(&s->pairs[i].has_failed))
		i++;
	return rt_err_set(err, RT_EXIT_FAILED, EPROTO, "%u of %u pairs failed, pair %u first: %s",
			  s->failed, s->made, i, s->pairs[i].text);
}

static int run(struct ssdd_session *s, struct rt_err *err)
{
	int status;

	rt_session_begin(&s->rt);
	ssdd_report_header(s);
	status = ssdd_pairs_start(s, err);
	if (!status)
		rt_run_wait(s->rt.run, ssdd_pairs_ended, s);
	rt_run_end(s->rt.run, RT_ENDED_ERROR); /* unless it has ended already */
	ssdd_pairs_end(s);
	if (!status && s->failed)
		return say_failed(s, err);
	if (!status && atomic_load(&s->rt.run->ended_by) == RT_ENDED_SIGNAL)
		return rt_err_set(err, RT_EXIT_FAILED, EINTR,
				  "ended by SIG%s before all pairs were through",
				  strchr(rt_run_ended_text(s->rt.run), ':') + 1);
	return status;
}

int main(int argc, char **argv)
{
	struct ssdd_opts opts = { .forks = 0 };
	struct ssdd_session session = { .opts = &opts, .argc = argc, .argv = argv };
	struct rt_err err = { 0 };
	int verdict = RT_EXIT_GOOD;
	int status;

	rt_opts_parse(&ssdd_table, &opts, argc, argv);

	ssdd_report_plan(&session);
	status = rt_results_check(&session.results_plan, &err);
	if (!status)
		status = rt_tasks_check("processes", 2 * (uint64_t)opts.forks, 0, &err);
	if (!status)
		status = ssdd_probe(&err);
	if (!status)
		status = arm(&session, &err);
	if (!status)
		status = run(&session, &err);
	if (session.rt.has_started)
		verdict = ssdd_report(&session, status ? (int)err.exit : RT_EXIT_GOOD, &err);

	ssdd_pairs_done(&session);
	rt_session_done(&session.rt);
	status = rt_exit_status(status, &err);
	return status ? status : verdict;
}
