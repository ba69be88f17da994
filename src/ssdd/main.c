/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ssdd - check that processes can be single-stepped without losing a step.
 */
#include <errno.h>
#include <string.h>

#include "rt/log.h"
#include "rt/status.h"
#include "ssdd.h"

static int arm(struct ssdd_session *s, struct rt_err *err)
{
	struct rt_run_plan run_plan = {
		.tick_ns = RT_NS_PER_S, .tick = ssdd_pairs_watch, .data = s
	};
	int status = rt_run_new(&s->run, &run_plan, err);

	if (!status)
		status = rt_undo_open(&s->undo, err);
	if (!status)
		status = rt_results_open(&s->results, &s->results_plan, s->undo, err);
	if (!status)
		status = rt_status_new(&s->status, "ssdd", s->argc, s->argv, 0, RT_NS_PER_US, err);
	if (!status)
		status = rt_results_attach(&s->results, s->run, s->status, err);
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

	s->has_started = true;
	rt_results_begin(&s->results);
	ssdd_report_header(s);
	status = ssdd_pairs_start(s, err);
	if (!status)
		rt_run_wait(s->run, ssdd_pairs_ended, s);
	rt_run_end(s->run, RT_ENDED_ERROR); /* unless it has ended already */
	ssdd_pairs_end(s);
	if (!status && s->failed)
		return say_failed(s, err);
	if (!status && atomic_load(&s->run->ended_by) == RT_ENDED_SIGNAL)
		return rt_err_set(err, RT_EXIT_FAILED, EINTR,
				  "ended by SIG%s before all pairs were through",
				  strchr(rt_run_ended_text(s->run), ':') + 1);
	return status;
}

static void disarm(struct ssdd_session *s)
{
	ssdd_pairs_done(s);
	rt_results_done(&s->results);
	rt_status_free(s->status);
	rt_run_free(s->run);
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
		status = ssdd_probe(&err);
	if (!status)
		status = arm(&session, &err);
	if (!status)
		status = run(&session, &err);
	if (session.has_started)
		verdict = ssdd_report(&session, status ? (int)err.exit : RT_EXIT_GOOD, &err);

	disarm(&session);
	rt_undo_all(session.undo);
	status = rt_exit_status(status, &err);
	return status ? status : verdict;
}
