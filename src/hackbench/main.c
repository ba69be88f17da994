/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hackbench - time groups of senders and receivers that pass messages.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "hackbench.h"
#include "rt/log.h"
#include "rt/sched.h"
#include "rt/tasks.h"

/* The soft limit is ours to raise up to the hard one, which root may raise too. */
static int allow_files(uint64_t needed, struct rt_err *err)
{
	struct rlimit limit, wanted;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= needed)
		return 0;
	wanted.rlim_cur = (rlim_t)needed;
	wanted.rlim_max = limit.rlim_max < needed ? (rlim_t)needed : limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &wanted) == 0)
		return 0;
	return rt_err_set(err, RT_EXIT_MISSING, errno,
			  "%llu open files are needed, and %llu is the limit; raise 'ulimit -Hn' "
			  "(and fs.nr_open), or give fewer --groups or --fds",
			  (unsigned long long)needed, (unsigned long long)limit.rlim_max);
}

static int check_tasks(const struct hb_plan *plan, struct rt_err *err)
{
	return plan->mode == HB_THREADS ? rt_tasks_check("threads", plan->tasks, plan->tasks, err) :
					  rt_tasks_check("processes", plan->tasks, 0, err);
}

static int arm(struct hb_session *s, struct rt_err *err)
{
	const struct rt_run_plan run_plan = { .data = s };
	const struct hb_plan *plan = s->plan;
	int status = check_tasks(plan, err);

	if (!status)
		status = rt_session_open(&s->rt, &run_plan, &plan->results, err);
	if (!status)
		status = rt_session_records(&s->rt, 0, err);
	if (!status)
		status = allow_files(plan->files, err);
	if (!status)
		status = hb_team_init(&s->team, plan, s->rt.run, s->rt.undo, err);
	return status;
}

/* Only now, so that no worker has inherited it. */
static int raise_main(const struct hb_opts *opts, struct rt_err *err)
{
	struct rt_sched fifo = rt_sched_of(1);

	return opts->fifo ? rt_sched_apply(0, &fifo, err) : 0;
}

static int interrupted(const struct hb_session *s, struct rt_err *err)
{
	return rt_err_set(err, RT_EXIT_FAILED, EINTR,
			  "ended by SIG%s before all messages were through; there is no time to "
			  "tell", strchr(rt_run_ended_text(s->rt.run), ':') + 1);
}

static int run(struct hb_session *s, struct rt_err *err)
{
	int status, ended;

	rt_session_begin(&s->rt);
	hb_report_header(s);
	status = hb_team_make(&s->team, err);
	if (!status)
		status = raise_main(s->plan->opts, err);
	if (!status)
		hb_team_run(&s->team);
	else
		rt_run_end(s->rt.run, RT_ENDED_ERROR);
	ended = hb_team_end(&s->team, err);
	status = status ? status : ended;
	if (!status && atomic_load(&s->rt.run->ended_by) == RT_ENDED_SIGNAL)
		return interrupted(s, err);
	if (!status)
		s->time_ns = s->team.ended_ns - s->rt.run->started_ns;
	return status;
}

/* argv, or its one word cut into many. */
static void parse(struct hb_opts *opts, int argc, char **argv, char ***ret_words)
{
	int count = hb_split(argc, argv, ret_words);

	if (count <= 0) {
		rt_opts_parse(&hb_table, opts, argc, argv);
		return;
	}
	rt_opts_parse(&hb_table, opts, count, *ret_words);
	rt_warn("'%s' is one word; it was cut at its blanks", argv[1]);
}

int main(int argc, char **argv)
{
	rt_auto_free char **words = NULL; /* texts of the options point into it */
	struct hb_opts opts = { .mode = HB_MODE_DEFAULT };
	struct hb_plan plan = { 0 };
	struct hb_session session = { .plan = &plan };
	struct rt_err err = { 0 };
	int verdict = RT_EXIT_GOOD;
	int status;

	parse(&opts, argc, argv, &words);

	status = hb_plan_make(&plan, &opts, argc, argv, &err);
	if (!status)
		status = arm(&session, &err);
	if (!status)
		status = run(&session, &err);
	if (session.rt.has_started)
		verdict = hb_report(&session, status ? (int)err.exit : RT_EXIT_GOOD, &err);

	hb_team_done(&session.team);
	rt_session_done(&session.rt);
	status = rt_exit_status(status, &err);
	return status ? status : verdict;
}
