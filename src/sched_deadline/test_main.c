/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * deadline_test - let SCHED_DEADLINE threads work, and count the deadlines that they miss.
 */
#include <errno.h>
#include <inttypes.h>

#include "deadline_test.h"
#include "rt/log.h"

static int form(struct dlt_session *s, struct rt_err *err)
{
	const struct dl_request request = {
		.reserves = s->plan->reserves,
		.count = s->plan->threads,
		.cpus = &s->plan->places.cpus,
		.is_apart = s->partition != NULL,
		.change = "a smaller --percent or fewer --threads",
	};
	int status = rt_crew_form(s->rt.crew, 0, err);

	if (status)
		dl_explain(&request, err);
	return status;
}

/* Against a spinner main needs a higher priority, or it could not end the run. */
static int place_main(struct dlt_session *s, struct rt_err *err)
{
	const struct rt_sched above = rt_sched_of((int)s->opts->rt_priority + 1);
	const struct dl_places *places = &s->plan->places;
	int status = dl_places_main(places, s->partition, err);

	if (!status)
		status = rt_results_start_samples(
			&s->rt.results, places->moves_main ? &places->main_cpus : NULL, err);
	if (!status && s->opts->rt_priority)
		status = rt_sched_apply(0, &above, err);
	return status;
}

static void tell_threads(struct dlt_session *s)
{
	FILE *out = s->rt.results.out;

	for (unsigned int i = 0; i < s->plan->threads; i++)
		fprintf(out, "deadline thread %d\n", (int)s->threads[i]->tid);
	for (unsigned int i = 0; i < s->plan->threads; i++) {
		const struct dlt_thread *t = s->threads[i];

		fprintf(out, "thread[%d] runtime=%" PRId64 "us deadline=%" PRId64 "us "
			"loops=%" PRIu64 "\n", (int)t->tid, t->reserve.runtime_ns / RT_NS_PER_US,
			t->reserve.deadline_ns / RT_NS_PER_US, t->loops);
	}
	fflush(out);
}

static int run(struct dlt_session *s, struct rt_err *err)
{
	int status = form(s, err);

	if (!status)
		status = place_main(s, err);
	if (status)
		return status;
	tell_threads(s);
	rt_session_begin(&s->rt);
	rt_crew_release(s->rt.crew);
	rt_run_wait(s->rt.run, NULL, NULL);
	status = rt_crew_join(s->rt.crew, 0, err);
	if (!status && rt_err_is_set(&s->offline))
		status = rt_err_set(err, s->offline.exit, s->offline.code, "%s", s->offline.text);
	return status;
}

int main(int argc, char **argv)
{
	struct dlt_opts opts = { 0 };
	struct dlt_plan plan = { 0 };
	struct dlt_session session = { 0 };
	struct rt_err err = { 0 };
	int verdict = RT_EXIT_GOOD;
	int status;

	rt_opts_parse(&dlt_table, &opts, argc, argv);

	status = dlt_plan_make(&plan, &opts, argc, argv, &err);
	if (!status)
		status = dlt_arm(&session, &plan, &err);
	if (!status)
		status = run(&session, &err);
	if (session.rt.has_started)
		verdict = dlt_report(&session, status ? (int)err.exit : RT_EXIT_GOOD, &err);

	dlt_disarm(&session);
	rt_session_done(&session.rt);
	dlt_plan_done(&plan);
	status = rt_exit_status(status, &err);
	return status ? status : verdict;
}
