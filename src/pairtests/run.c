/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The life of a hand-over test.
 */
#include <errno.h>

#include "pairs.h"
#include "rt/log.h"

/* After the crew was formed: forked ends need main to have no other thread. */
static int place_main(struct pair_session *s, struct rt_err *err)
{
	const struct pair_plan *plan = s->plan;

	return rt_results_place_main(&s->rt.results, plan->moves_main ? &plan->main_cpus : NULL,
				     plan->is_pinned, err);
}

/* Who waits without being interruptible is let go by hand. */
static void wake_ends(struct pair_session *s)
{
	for (unsigned int i = 0; s->plan->via->wake && i < s->plan->pairs; i++) {
		s->plan->via->wake(&s->shared->pairs[i].forth);
		s->plan->via->wake(&s->shared->pairs[i].back);
	}
}

/* Who was pushed off its CPU is not reported as having been there. */
static int check_place(struct pair_session *s, struct pair_end *e, struct rt_err *err)
{
	unsigned int series = e->is_sender ? s->plan->pairs + e->pair : e->pair;

	if (!e->has_moved)
		return 0;
	e->seen_cpu = -1;
	return rt_session_lost_cpu(&s->rt, series, rt_status_info(s->rt.status, e->pair)->name,
				   err);
}

static int check_places(struct pair_session *s, struct rt_err *err)
{
	int status = 0;

	for (unsigned int i = 0; i < s->plan->pairs; i++) {
		struct pair *p = &s->shared->pairs[i];

		if (check_place(s, &p->receiver, err) | check_place(s, &p->sender, err))
			status = -ENODEV;
	}
	return status;
}

static int measure(struct pair_session *s, struct rt_err *err)
{
	int lost, status = rt_crew_form(s->rt.crew, 0, err);

	if (!status)
		status = place_main(s, err);
	if (status)
		return status;
	rt_session_begin(&s->rt);
	rt_tracing_begin(&s->tracing);
	rt_crew_release(s->rt.crew);
	rt_run_wait(s->rt.run, rt_tracing_watch, &s->tracing);
	wake_ends(s);
	status = rt_crew_join(s->rt.crew, 0, err);
	if (check_places(s, err))
		status = -ENODEV;
	lost = rt_tracing_end(&s->tracing, err);
	return status ? status : lost;
}

int pair_main(const struct pair_tool *tool, int argc, char **argv)
{
	struct pair_opts opts = { 0 };
	struct pair_plan plan = { 0 };
	struct pair_session session = { 0 };
	struct rt_err err = { 0 };
	int verdict = RT_EXIT_GOOD;
	int status;

	rt_opts_parse(tool->table, &opts, argc, argv);

	status = pair_plan_make(&plan, tool, &opts, argc, argv, &err);
	if (!status)
		status = pair_arm(&session, &plan, &err);
	if (!status)
		status = measure(&session, &err);
	if (session.rt.has_started)
		verdict = pair_report(&session, status ? (int)err.exit : RT_EXIT_GOOD, &err);

	pair_disarm(&session);
	rt_session_done(&session.rt);
	pair_plan_done(&plan);
	status = rt_exit_status(status, &err);
	return status ? status : verdict;
}
