/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cyclicdeadline - measure how late SCHED_DEADLINE threads get their periods.
 */
#include "cyclicdeadline.h"
#include "rt/log.h"

static int form(struct cdl_session *s, struct rt_err *err)
{
	const struct dl_request request = {
		.reserves = s->plan->reserves,
		.count = s->plan->threads,
		.cpus = &s->plan->places.cpus,
		.is_apart = s->partition != NULL,
		.change = "a smaller --runtime, fewer --threads or a longer --interval",
	};
	int status = rt_crew_form(s->rt.crew, 0, err);

	if (status)
		dl_explain(&request, err);
	return status;
}

static int run(struct cdl_session *s, struct rt_err *err)
{
	const struct dl_places *places = &s->plan->places;
	int lost, status = form(s, err);

	if (!status)
		status = dl_places_main(places, s->partition, err);
	if (!status)
		status = rt_results_start_samples(
			&s->rt.results, places->moves_main ? &places->main_cpus : NULL, err);
	if (status)
		return status;
	rt_session_begin(&s->rt);
	cdl_watch_begin(s);
	rt_tracing_begin(&s->tracing);
	rt_crew_release(s->rt.crew);
	rt_run_wait(s->rt.run, rt_tracing_watch, &s->tracing);
	status = rt_crew_join(s->rt.crew, 0, err);
	if (!status && rt_err_is_set(&s->offline))
		status = rt_err_set(err, s->offline.exit, s->offline.code, "%s", s->offline.text);
	lost = rt_tracing_end(&s->tracing, err);
	return status ? status : lost;
}

int main(int argc, char **argv)
{
	struct cdl_opts opts = { 0 };
	struct cdl_plan plan = { 0 };
	struct cdl_session session = { .threshold = { .mark = RT_TRACE_MARK_CLOSED } };
	struct rt_err err = { 0 };
	int verdict = RT_EXIT_GOOD;
	int status;

	rt_opts_parse(&cdl_table, &opts, argc, argv);

	status = cdl_plan_make(&plan, &opts, argc, argv, &err);
	if (!status)
		status = cdl_arm(&session, &plan, &err);
	if (!status)
		status = run(&session, &err);
	if (session.rt.has_started)
		verdict = cdl_report(&session, status ? (int)err.exit : RT_EXIT_GOOD, &err);

	cdl_disarm(&session);
	rt_session_done(&session.rt);
	cdl_plan_done(&plan);
	status = rt_exit_status(status, &err);
	return status ? status : verdict;
}
