/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pi_stress - force priority inversions, over and over, and see that priority
 * inheritance resolves each of them.
 */
#include <string.h>

#include "pi_stress.h"
#include "rt/log.h"

/*
 * Main goes above the threads of all groups, behind which it could not end the
 * run, and off their CPUs where there is another.
 */
static int place_main(struct pis_session *s, struct rt_err *err)
{
	const struct pis_plan *plan = s->plan;
	struct rt_cpuset apart = RT_CPUSET_INIT;
	int status = rt_cpuset_add(&apart, plan->admin_cpu);

	if (!status)
		status = rt_cpuset_pin(0, &apart);
	if (status)
		rt_err_set(err, RT_EXIT_FAILED, status, "cannot move the main thread to CPU %d: %s",
			   plan->admin_cpu, strerror(-status));
	if (plan->is_shared)
		rt_asked_add(&s->rt.results.about, "main_thread", "a CPU without a group", NULL,
			     "there is none");
	if (!status) /* before main is above all: the writer inherits its policy */
		status = rt_results_start_samples(&s->rt.results, &apart, err);
	if (!status)
		status = rt_sched_apply(0, &plan->admin, err);
	rt_cpuset_done(&apart);
	return status;
}

static bool all_have_left(void *data)
{
	struct pis_session *s = data;

	return rt_crew_ended(s->rt.crew) == rt_crew_count(s->rt.crew);
}

static int run(struct pis_session *s, struct rt_err *err)
{
	struct rt_err failed = { 0 };
	int status = rt_crew_form(s->rt.crew, 0, err);

	if (status)
		return status;
	pis_watch_prompt(s);
	status = place_main(s, err);
	if (status)
		return status;
	pis_watch_intro(s);
	rt_session_begin(&s->rt);
	rt_crew_release(s->rt.crew);
	rt_run_wait(s->rt.run, all_have_left, s);
	pis_info(s, "ended by %s", rt_run_ended_text(s->rt.run));
	pis_info(s, "waiting for all threads to complete");
	status = rt_crew_join(s->rt.crew, 0, &failed);
	pis_info(s, "All threads terminated!");
	if (pis_check(s, err))
		return err->code;
	if (status)
		*err = failed;
	return status;
}

int main(int argc, char **argv)
{
	struct pis_opts opts = { 0 };
	struct pis_plan plan = { 0 };
	struct pis_session session = { 0 };
	struct rt_err err = { 0 };
	int verdict = RT_EXIT_GOOD;
	int status;

	rt_opts_parse(&pis_table, &opts, argc, argv);

	status = pis_plan_make(&plan, &opts, argc, argv, &err);
	if (!status)
		status = pis_arm(&session, &plan, &err);
	if (!status)
		status = run(&session, &err);
	if (session.rt.has_started)
		verdict = pis_report(&session, status ? (int)err.exit : RT_EXIT_GOOD, &err);

	pis_disarm(&session);
	rt_session_done(&session.rt);
	pis_plan_done(&plan);
	status = rt_exit_status(status, &err);
	return status ? status : verdict;
}
