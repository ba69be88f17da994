/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rt/session.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "rt/load.h"
#include "rt/log.h"
#include "rt/memory.h"

/* ---- made ------------------------------------------------------------------------ */

static void checkpoint(void *results)
{
	rt_results_checkpoint(results);
}

int rt_session_open(struct rt_session *s, const struct rt_run_plan *run,
		    const struct rt_results_plan *results, struct rt_err *err)
{
	struct rt_results_plan results_plan = *results;
	struct rt_run_plan run_plan = *run;
	int status;

	results_plan.data = run->data;
	run_plan.checkpoint_ns = results->opts->checkpoint_ns;
	run_plan.checkpoint = checkpoint;
	run_plan.checkpoint_data = &s->results;
	status = rt_run_new(&s->run, &run_plan, err);
	if (!status)
		status = rt_undo_open(&s->undo, err);
	if (!status)
		status = rt_results_open(&s->results, &results_plan, s->undo, err);
	if (!status)
		rt_live_init(&s->live, s->results.out);
	return status;
}

int rt_session_lock(struct rt_session *s, bool is_asked, struct rt_err *err)
{
	int status = is_asked ? rt_memory_lock(err) : 0;

	if (is_asked && !status)
		rt_asked_add(&s->results.about, "mlock", "all", "all", NULL);
	return status;
}

bool rt_session_try_lock(struct rt_session *s, size_t more)
{
	struct rt_err refused = { 0 };
	bool is_locked = rt_memory_try_lock(more, &refused) == 0;

	rt_asked_add(&s->results.about, "mlock", "all", is_locked ? "all" : NULL,
		     is_locked ? NULL : refused.text);
	rt_warn_err(&refused);
	return is_locked;
}

int rt_session_mark(struct rt_session *s, struct rt_threshold *t, bool with_mark,
		    struct rt_err *err)
{
	int status = rt_threshold_trace(t, with_mark, err);

	if (!status && with_mark && t->limit)
		rt_asked_add(&s->results.about, "tracemark", "on", "on", NULL);
	return status;
}

int rt_session_records(struct rt_session *s, unsigned int series, struct rt_err *err)
{
	const struct rt_results_plan *plan = &s->results.plan;
	int status = rt_status_new(&s->status, plan->tool, plan->argc, plan->argv, series,
				   (uint32_t)plan->unit_ns, err);

	return status ? status : rt_results_attach(&s->results, s->run, s->status, err);
}

int rt_session_crew(struct rt_session *s, const struct rt_crew_plan *plan, unsigned int count,
		    struct rt_err *err)
{
	struct rt_crew_plan crew_plan = *plan;

	crew_plan.count = count;
	crew_plan.undo = s->undo;
	return rt_crew_new(&s->crew, &crew_plan, s->run, err);
}

struct rt_series_info *rt_session_series(struct rt_session *s, unsigned int series,
					 const struct rt_member *m, const char *kind,
					 const char *name, ...)
{
	struct rt_series_info *info = rt_status_info(s->status, series);
	va_list values;

	va_start(values, name);
	vsnprintf(info->name, sizeof(info->name), name, values);
	va_end(values);
	snprintf(info->kind, sizeof(info->kind), "%s", kind);
	info->index = m->index;
	info->cpu = m->cpu;
	info->node = m->node;
	info->policy = (int32_t)m->sched.policy;
	info->priority = m->sched.priority;
	info->runtime_ns = (int64_t)m->sched.runtime_ns;
	info->deadline_ns = (int64_t)m->sched.deadline_ns;
	info->period_ns = (int64_t)m->sched.period_ns;
	return info;
}

int rt_session_extras(struct rt_session *s, struct rt_err *err)
{
	const char *load = s->results.plan.opts->load;
	int status = rt_results_open_samples(&s->results, err);

	return status || !load ? status : rt_load_start(load, s->run, s->undo, err);
}

/* ---- run ------------------------------------------------------------------------- */

void rt_session_begin(struct rt_session *s)
{
	s->has_started = true;
	rt_results_begin(&s->results);
}

int rt_session_lost_cpu(struct rt_session *s, unsigned int series, const char *who,
			struct rt_err *err)
{
	struct rt_series_info *info = rt_status_info(s->status, series);
	int cpu = info->cpu;

	info->cpu = -1;
	return rt_err_set(err, RT_EXIT_FAILED, ENODEV,
			  "%s lost CPU %d during the run (was it taken offline?); its numbers are "
			  "not that CPU's alone", who ? who : info->name, cpu);
}

/* ---- ended ------------------------------------------------------------------------ */

void rt_session_undo(struct rt_session *s)
{
	rt_undo_all(s->undo);
	s->undo = NULL;
}

/* The documents first: the writer of --samples reads what the others own. */
void rt_session_done(struct rt_session *s)
{
	rt_results_done(&s->results);
	rt_crew_free(s->crew);
	rt_status_free(s->status);
	rt_run_free(s->run);
	rt_session_undo(s);
	s->crew = NULL;
	s->status = NULL;
	s->run = NULL;
}
