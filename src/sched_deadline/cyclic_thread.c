/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The measuring threads: their memory, their places, their life around the loop.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cyclicdeadline.h"
#include "rt/memory.h"

#define PHASE_NS (200 * RT_NS_PER_MS) /* so long the phase is looked for, at most */

/* ---- in the thread ----------------------------------------------------------------- */

static _Thread_local struct cdl_thread *self;

/*
 * The kernel sends it to the process and prefers the thread that overran;
 * two that come close together are one.
 */
static void count_overrun(int sig RT_UNUSED)
{
	if (self)
		RT_STATS_PUT(self->overruns, self->overruns + 1);
}

static void let_overruns_in(struct cdl_thread *t)
{
	sigset_t overrun;

	self = t;
	sigemptyset(&overrun);
	sigaddset(&overrun, SIGXCPU);
	pthread_sigmask(SIG_UNBLOCK, &overrun, NULL);
}

static int prepare(struct rt_member *m, struct rt_err *err)
{
	struct cdl_thread *t = m->data;
	int status;

	t->tid = atomic_load(&m->tid);
	if (t->with_overrun)
		let_overruns_in(t);
	status = dl_places_enter(&t->session->plan->places, t->session->partition, err);
	if (!status)
		dl_wait_for_bandwidth(&m->sched);
	return status;
}

static int body(struct rt_member *m, struct rt_err *err RT_UNUSED)
{
	struct cdl_thread *t = m->data;
	RT_STATS_PUT(t->overruns, 0);
	if (t->with_overrun)
		t->cpu_seen_ns = rt_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	cdl_measure(t);
	if (atomic_fetch_sub(&t->session->measuring, 1) == 1)
		rt_run_end(t->run, RT_ENDED_DURATION);
	return 0;
}

const struct rt_crew_plan cdl_crew_plan = { .prepare = prepare, .body = body };

/* ---- made by main, before ---------------------------------------------------------- */

static int no_memory(struct rt_err *err)
{
	return rt_err_memory(err, "the threads' results; use fewer threads or a smaller "
				  "--histogram");
}

static int give_memory(struct cdl_session *s, struct cdl_thread *t)
{
	void *memory;

	t->record = rt_status_record(s->rt.status, t->index, -1);
	if (s->plan->buckets) {
		t->linear_size = rt_linear_size(s->plan->buckets);
		memory = rt_node_alloc(t->linear_size, -1);
		if (!memory)
			return -ENOMEM;
		t->linear = rt_linear_place(memory, s->plan->buckets);
	}
	return rt_results_ring(&t->samples_ring, &s->rt.results, t->index, -1);
}

static void fill_thread(struct cdl_session *s, struct cdl_thread *t, unsigned int index)
{
	t->session = s;
	t->index = index;
	t->threshold = &s->threshold;
	t->run = s->rt.run;
	t->unit_ns = s->plan->unit_ns;
	t->reserve = s->plan->reserves[index];
	t->with_overrun = s->opts->overrun;
	t->until_ns = INT64_MAX; /* until the first period is known */
	t->phase_ns = PHASE_NS;
	if (s->opts->duration_ns && s->opts->duration_ns < PHASE_NS)
		t->phase_ns = s->opts->duration_ns;
}

static void fill_member(struct cdl_session *s, struct cdl_thread *t)
{
	struct rt_member *m = rt_crew_member(s->rt.crew, t->index);

	m->sched = dl_reserve_sched(&t->reserve, s->plan->flags);
	m->data = t;
	snprintf(m->name, sizeof(m->name), "deadline/%u", m->index);
	rt_session_series(&s->rt, m->index, m, "wakeup", "thread %u", m->index)->interval_ns =
		t->reserve.period_ns;
}

/* SIGXCPU kills where nobody expects it: the handler is there before the first thread. */
static void expect_overruns(void)
{
	struct sigaction action = { .sa_handler = count_overrun, .sa_flags = SA_RESTART };
	sigset_t overrun;

	sigemptyset(&action.sa_mask);
	sigaction(SIGXCPU, &action, NULL);
	sigemptyset(&overrun);
	sigaddset(&overrun, SIGXCPU);
	pthread_sigmask(SIG_BLOCK, &overrun, NULL);
}

int cdl_threads_make(struct cdl_session *s, struct rt_err *err)
{
	unsigned int count = s->plan->threads;

	if (s->opts->overrun)
		expect_overruns();
	atomic_store(&s->measuring, count);
	s->threads = calloc(count, sizeof(struct cdl_thread *));
	if (!s->threads)
		return no_memory(err);
	for (unsigned int i = 0; i < count; i++) {
		struct cdl_thread *t = rt_node_alloc(sizeof(struct cdl_thread), -1);

		if (!t)
			return no_memory(err);
		s->threads[i] = t;
		fill_thread(s, t, i);
		if (give_memory(s, t))
			return no_memory(err);
		fill_member(s, t);
	}
	return 0;
}

void cdl_threads_free(struct cdl_session *s)
{
	for (unsigned int i = 0; s->threads && i < s->plan->threads && s->threads[i]; i++) {
		struct cdl_thread *t = s->threads[i];

		rt_node_free(t->linear, t->linear_size);
		rt_node_free(t, sizeof(*t));
	}
	free(s->threads);
	s->threads = NULL;
}
