/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oslat - find what interrupts a busy loop on each CPU.
 */
#include <errno.h>
#include <string.h>

#include "oslat.h"
#include "rt/log.h"

static int move_main(struct osl_session *s, struct rt_err *err)
{
	int status = rt_cpuset_pin_cpu(0, s->plan->main_cpu);

	if (status)
		return rt_err_set(err, RT_EXIT_FAILED, status,
				  "cannot move the main thread to CPU %d: %s", s->plan->main_cpu,
				  strerror(-status));
	if (!s->plan->is_main_apart)
		rt_asked_add(&s->rt.results.about, "main_thread", "a CPU that is not tested", NULL,
			     "its CPU is tested, too");
	return 0;
}

/*
 * On a CPU that is tested at real-time priority, main could not end the run when
 * a signal asks for it. One priority higher it can, and it sleeps otherwise.
 */
static void raise_main(struct osl_session *s)
{
	struct rt_sched above = { .policy = RT_POLICY_FIFO,
				  .priority = (int)s->opts->priority + 1 };
	struct rt_err refused = { 0 };

	if (!s->opts->priority || s->plan->is_main_apart)
		return;
	if (above.priority > RT_PRIORITY_MAX || rt_sched_apply(0, &above, &refused))
		rt_warn("the main thread has no higher priority than the loops; no signal can end "
			"the run before its time");
}

static void lower_main(void)
{
	struct rt_sched other = { .policy = RT_POLICY_OTHER };

	rt_sched_setattr(0, &other);
}

static int place_main(struct osl_session *s, struct rt_err *err)
{
	struct rt_cpuset cpus = RT_CPUSET_INIT;
	int status = move_main(s, err);

	if (!status)
		status = rt_cpuset_add(&cpus, s->plan->main_cpu);
	if (!status)
		status = rt_results_start_samples(&s->rt.results,
						  s->plan->is_main_apart ? &cpus : NULL, err);
	rt_cpuset_done(&cpus);
	raise_main(s);
	return status;
}

/* The preheat is over: what counts begins now. */
static void begin_measuring(struct osl_session *s)
{
	s->is_measuring = true;
	rt_run_begin(s->rt.run);
	rt_results_begin(&s->rt.results);
	osl_say_bias(s);
}

/* Looked at by main whenever something has woken it. */
static bool look(void *data)
{
	struct osl_session *s = data;

	if (!s->is_measuring && atomic_load(&s->meeting.at_line) == s->plan->threads)
		begin_measuring(s);
	rt_tracing_look(&s->tracing);
	if (rt_crew_ended(s->rt.crew) < s->plan->threads)
		return false;
	rt_run_end(s->rt.run, RT_ENDED_DURATION); /* the loops kept the time */
	return true;
}

static int run(struct osl_session *s, struct rt_err *err)
{
	int lost, status = rt_crew_form(s->rt.crew, 0, err);

	if (!status)
		status = place_main(s, err);
	if (status)
		return status;
	osl_say_plan(s);
	rt_session_begin(&s->rt);
	rt_tracing_begin(&s->tracing);
	rt_crew_release(s->rt.crew);
	rt_run_wait(s->rt.run, look, s);
	status = rt_crew_join(s->rt.crew, 0, err);
	lower_main();
	lost = rt_tracing_end(&s->tracing, err);
	return status ? status : lost;
}

int main(int argc, char **argv)
{
	struct osl_opts opts = { 0 };
	struct osl_plan plan = { 0 };
	struct osl_session session = { .meeting = { .mark = RT_TRACE_MARK_CLOSED } };
	struct rt_err err = { 0 };
	int verdict = RT_EXIT_GOOD;
	int status;

	rt_opts_parse(&osl_table, &opts, argc, argv);

	status = osl_plan_make(&plan, &opts, argc, argv, &err);
	if (!status)
		status = osl_arm(&session, &plan, &err);
	if (!status)
		status = run(&session, &err);
	if (session.rt.has_started)
		verdict = osl_report(&session, status ? (int)err.exit : RT_EXIT_GOOD, &err);

	osl_disarm(&session);
	rt_session_done(&session.rt);
	osl_plan_done(&plan);
	status = rt_exit_status(status, &err);
	return status ? status : verdict;
}
