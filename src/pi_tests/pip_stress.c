/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pip_stress - one priority inversion between processes, and whether priority
 * inheritance resolves it.
 *
 * The process that is started supervises: it is above the three that take part,
 * ends them when time is up, reaps them, and says what was seen. If it is
 * killed, the kernel kills the three.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "pimutex.h"
#include "pip_roles.h"
#include "rt/cpuset.h"
#include "rt/log.h"
#include "rt/options.h"
#include "rt/out.h"

#define MAX_HOLD_NS (10 * RT_NS_PER_S) /* medium may spin at real-time priority so long */
#define SPIN_MORE_NS RT_NS_PER_S       /* than low holds the resource: without inheritance */
#define TIME_MORE_NS (2 * RT_NS_PER_S) /* for all: somebody else has their CPU */
#define GRACE_NS (200 * RT_NS_PER_MS)
#define FIRST_PRIORITY 1

struct pip_opts {
	int64_t hold_ns;
	bool no_pi;
};

/** struct pip_session - one run, owned by the supervisor */
struct pip_session {
	const struct pip_opts *opts;
	struct rt_sched supervisor;
	int cpu;
	struct pip_page *page;
	struct rt_run *run;
	struct rt_crew *crew;
};

static const struct rt_opt rows[] = {
	RT_OPT_GROUP("Test"),
	{ RT_OPT_TIME, 'u', "usleep", "TIME", offsetof(struct pip_opts, hold_ns),
	  .unit_ns = RT_NS_PER_US, .min = 0, .max = MAX_HOLD_NS, .def = "500",
	  .help = "microseconds for which the low process sleeps with the resource held" },
	{ RT_OPT_FLAG, 0, "no-pi", .field = offsetof(struct pip_opts, no_pi), .is_ours = true,
	  .help = "without priority inheritance: show that the test fails" },
	RT_OPT_END
};

static const struct rt_opt_table table = {
	.tool = "pip_stress",
	.purpose = "show that priority inheritance works between processes",
	.rows = rows,
	.help_letter = 'h',
};

/* ---- plan ---------------------------------------------------------------------------------- */

static int plan(struct pip_session *s, const struct pip_opts *opts, struct rt_err *err)
{
	struct rt_cpuset usable = RT_CPUSET_INIT;
	int status = rt_cpuset_usable(&usable, err);

	s->opts = opts;
	s->cpu = rt_cpuset_nth(&usable, 0);
	s->supervisor = (struct rt_sched){ .policy = RT_POLICY_FIFO,
					   .priority = FIRST_PRIORITY + PIP_ROLES };
	rt_cpuset_done(&usable);
	if (status >= 0)
		status = pi_mutex_check(err);
	if (!status)
		status = rt_sched_check(&s->supervisor, err);
	return status;
}

/* ---- arm ----------------------------------------------------------------------------------- */

static int make_page(struct pip_session *s, struct rt_err *err)
{
	void *memory = mmap(NULL, sizeof(*s->page), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return rt_err_set(err, RT_EXIT_FAILED, errno, "no memory to share: %s",
				  strerror(errno));
	s->page = memory;
	s->page->hold_ns = s->opts->hold_ns;
	s->page->spin_ns = s->opts->hold_ns + SPIN_MORE_NS;
	return pi_mutex_init(&s->page->resource, !s->opts->no_pi, true, err);
}

static int make_crew(struct pip_session *s, struct rt_err *err)
{
	static const char *const names[PIP_ROLES] = { "pip_low", "pip_med", "pip_high" };
	const struct rt_crew_plan crew_plan = {
		.count = PIP_ROLES,
		.as_processes = true,
		.body = pip_role_run,
	};
	int status = rt_crew_new(&s->crew, &crew_plan, s->run, err);

	for (unsigned int i = 0; !status && i < PIP_ROLES; i++) {
		struct rt_member *m = rt_crew_member(s->crew, i);

		m->cpu = s->cpu;
		m->sched = (struct rt_sched){ .policy = RT_POLICY_FIFO,
					      .priority = FIRST_PRIORITY + (int)i };
		m->data = s->page;
		snprintf(m->name, sizeof(m->name), "%s", names[i]);
	}
	return status;
}

static int arm(struct pip_session *s, struct rt_err *err)
{
	struct rt_run_plan run_plan = { .duration_ns = s->opts->hold_ns + TIME_MORE_NS };
	int status = rt_run_new(&s->run, &run_plan, err);

	if (!status)
		status = make_page(s, err);
	if (!status)
		status = make_crew(s, err);
	return status;
}

/* ---- run ----------------------------------------------------------------------------------- */

static bool all_have_left(void *data)
{
	struct pip_session *s = data;

	return rt_crew_ended(s->crew) == PIP_ROLES;
}

static int run(struct pip_session *s, struct rt_err *err)
{
	int status = rt_crew_form(s->crew, 0, err);
	int joined;

	if (status)
		return status;
	status = rt_sched_apply(0, &s->supervisor, err);
	if (status)
		rt_run_end(s->run, RT_ENDED_ERROR); /* the gate opens on a run that is over */
	rt_crew_release(s->crew);
	rt_run_wait(s->run, all_have_left, s);
	pip_dismiss(s->page);
	joined = rt_crew_join(s->crew, GRACE_NS, err);
	return status ? status : joined;
}

/* ---- what was seen --------------------------------------------------------------------------- */

static int judge(struct pip_session *s, struct rt_err *err)
{
	struct pip_page *page = s->page;
	const char *ended_by = rt_run_ended_text(s->run);
	int64_t ms = page->blocked_ns / RT_NS_PER_MS;

	if (atomic_load(&s->run->ended_by) == RT_ENDED_SIGNAL)
		return rt_err_set(err, RT_EXIT_FAILED, EINTR,
				  "ended by %s before anything was seen", ended_by);
	if (atomic_load(&page->med_gave_up))
		return rt_err_set(err, RT_EXIT_FAILED, EDEADLK,
				  "the medium process ran for %lld ms on CPU %d while the high one "
				  "waited for the resource of the low one: no priority was "
				  "inherited", (long long)ms, s->cpu);
	if (atomic_load(&s->run->ended_by) == RT_ENDED_DURATION)
		return rt_err_set(err, RT_EXIT_FAILED, ETIMEDOUT,
				  "not done within %lld ms: something of higher priority keeps its "
				  "CPU %d",
				  (long long)(s->run->plan.duration_ns / RT_NS_PER_MS), s->cpu);
	if (atomic_load(&page->was_overtaken)) {
		fputs("Successfully used priority inheritance to handle an inversion\n", rt_out());
		return 0;
	}
	fputs("No inversion incurred\n", rt_out());
	if (!atomic_load(&page->was_taken))
		return rt_err_set(err, RT_EXIT_FAILED, ENODATA,
				  "the high process found the resource free");
	return rt_err_set(err, RT_EXIT_FAILED, ENODATA,
			  "the medium process did not come to run while the high one waited; give "
			  "--usleep a longer time");
}

static void disarm(struct pip_session *s)
{
	rt_crew_free(s->crew);
	if (s->page)
		munmap(s->page, sizeof(*s->page));
	rt_run_free(s->run);
}

int main(int argc, char **argv)
{
	struct pip_opts opts = { 0 };
	struct pip_session session = { 0 };
	struct rt_err err = { 0 };
	int status;

	rt_opts_parse(&table, &opts, argc, argv);

	status = plan(&session, &opts, &err);
	if (!status)
		status = arm(&session, &err);
	if (!status)
		status = run(&session, &err);
	if (!status)
		status = judge(&session, &err);

	disarm(&session);
	return rt_exit_status(status, &err);
}
