/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run of irqsoff or preemptoff: start the tracer, wait, tell.
 */
#include <errno.h>
#include <stdlib.h>

#include "irqsoff.h"
#include "rt/compiler.h"
#include "rt/log.h"
#include "rt/tracefs.h"

/* ---- before anything is touched --------------------------------------------------- */

static int choose_cpus(struct irq_session *s, struct rt_err *err)
{
	struct rt_err why = { 0 };
	int status;

	if (!s->opts->affinity)
		return rt_cpuset_online(&s->cpus);
	status = rt_cpuset_choose(&s->cpus, s->opts->affinity, &why);
	return status < 0 ? rt_err_set(err, why.exit, status, "--affinity: %s", why.text) : 0;
}

/* Its tracer, else its events; what would bring either is said. */
static int choose_way(struct irq_session *s, struct rt_err *err)
{
	struct rt_err why = { 0 };
	int status = rt_tracer_check(s->kind->tracer, &why);

	if (status != -ENOENT || !rt_tracefs_path(NULL))
		return status ? rt_err_set(err, why.exit, status, "%s", why.text) : 0;
	if (irq_pipe_check(s->kind) == 0) {
		s->uses_events = true;
		return 0;
	}
	return rt_err_set(err, why.exit, status,
			  "%s; nor the events preemptirq:%s and %s to do without (%s)", why.text,
			  s->kind->off_event, s->kind->on_event, s->kind->events_config);
}

static int check(struct irq_session *s, const struct rt_results_plan *plan, struct rt_err *err)
{
	int status = rt_results_check(plan, err);

	if (!status)
		status = choose_cpus(s, err);
	return status < 0 ? status : choose_way(s, err);
}

/* ---- the run ------------------------------------------------------------------------ */

static int arm(struct irq_session *s, const struct rt_results_plan *plan, struct rt_err *err)
{
	const struct rt_run_plan run_plan = {
		.duration_ns = s->opts->duration_ns,
		.tick_ns = s->uses_events ? IRQ_PIPE_TICK_NS : 0, .tick = irq_pipe_tick,
		.data = s,
	};
	int status = rt_session_open(&s->rt, &run_plan, plan, err);

	if (!status && s->opts->trace)
		status = rt_outfile_open(&s->file, s->opts->trace, s->rt.undo, err);
	return status ? status : rt_session_records(&s->rt, 0, err);
}

static int run(struct irq_session *s, struct rt_err *err)
{
	int status = s->uses_events ? irq_pipe_start(s, err) : irq_start(s, err);

	if (status)
		return status;
	rt_run_begin(s->rt.run);
	rt_session_begin(&s->rt);
	rt_run_wait(s->rt.run, NULL, NULL);
	return s->uses_events ? irq_pipe_stop(s, err) : irq_stop(s, err);
}

static int report(struct irq_session *s, int exit_status, struct rt_err *err)
{
	bool is_above = s->opts->limit_ns && s->section.us * RT_NS_PER_US > s->opts->limit_ns;

	if (is_above && exit_status == RT_EXIT_GOOD)
		exit_status = RT_EXIT_LIMIT;
	rt_results_take(&s->rt.results);
	exit_status = rt_results_write(&s->rt.results, exit_status, err);
	irq_say(s);
	if (is_above)
		rt_error("--limit: a section of %lld us was above %lld us",
			 (long long)s->section.us, (long long)(s->opts->limit_ns / RT_NS_PER_US));
	return exit_status;
}

static void disarm(struct irq_session *s)
{
	rt_outfile_close(s->file);
	rt_close_fd(&s->pipe_fd);
	irq_events_done(&s->events);
	rt_instance_free(s->instance);
	rt_session_done(&s->rt);
	rt_cpuset_done(&s->cpus);
	free(s->trace);
}

int irq_main(const struct irq_kind *kind, int argc, char **argv)
{
	struct irq_opts opts = { 0 };
	struct irq_session session = { .kind = kind, .opts = &opts, .cpus = RT_CPUSET_INIT,
				       .pipe_fd = -1 };
	struct rt_results_plan plan = {
		.opts = &opts.results, .tool = kind->tracer, .argc = argc, .argv = argv,
		.clock = CLOCK_MONOTONIC, .unit_ns = RT_NS_PER_US,
		.fill_json = irq_fill, .fill_result = irq_fill, .data = &session,
	};
	struct rt_err err = { 0 };
	int verdict = RT_EXIT_GOOD;
	int status;

	rt_opts_parse(kind->table, &opts, argc, argv);

	status = check(&session, &plan, &err);
	if (!status)
		status = arm(&session, &plan, &err);
	if (!status)
		status = run(&session, &err);
	if (session.rt.has_started)
		verdict = report(&session, status ? (int)err.exit : RT_EXIT_GOOD, &err);

	disarm(&session);
	status = rt_exit_status(status, &err);
	return status ? status : verdict;
}
