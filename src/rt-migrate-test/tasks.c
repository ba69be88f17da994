/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tasks and their iterations.
 *
 * All wait at the gate. Main, above them all, opens it; each notes when it
 * runs, is busy for the run time, and comes back to the gate. The last one
 * there wakes main.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "migrate.h"
#include "rt/clock.h"
#include "rt/futex.h"
#include "rt/sched.h"

/* Somebody above us keeps the CPUs: then there is nothing to be learned. */
#define PATIENCE_NS (10 * RT_NS_PER_S)

/* ---- a task -------------------------------------------------------------------------- */

static void measure_lap(struct mig_lap *lap, int64_t from_ns, int64_t run_ns)
{
	int64_t start_ns = rt_clock_ns(CLOCK_MONOTONIC);
	int64_t now_ns;
	uint64_t loops = 0;

	do {
		loops++;
		now_ns = rt_clock_ns(CLOCK_MONOTONIC);
	} while (now_ns - start_ns < run_ns);
	lap->start_ns = start_ns - from_ns;
	lap->end_ns = now_ns - from_ns;
	lap->loops = loops;
}

/* Where another task runs soon: the scheduler has to move that one. */
static int move_on(const struct mig_task *t, uint32_t round, struct rt_err *err)
{
	int cpu = rt_cpuset_nth(&t->plan->usable, round);
	int status = rt_cpuset_pin_cpu(0, cpu);

	if (status < 0)
		return rt_err_set(err, RT_EXIT_FAILED, status,
				  "the highest task cannot move to CPU %d: %s", cpu,
				  strerror(-status));
	return 0;
}

static void arrive(struct mig_gate *gate, unsigned int tasks)
{
	if ((atomic_fetch_add(&gate->arrivals, 1) + 1) % tasks == 0)
		rt_futex_wake(&gate->arrivals, 1, RT_FUTEX_PRIVATE);
}

static int body(struct rt_member *m, struct rt_err *err)
{
	struct mig_task *t = m->data;
	struct mig_gate *gate = t->gate;

	for (uint32_t round = 0; !rt_run_over(m->run); round++) {
		int status = t->moves ? move_on(t, round, err) : 0;

		if (status < 0)
			return status;
		arrive(gate, t->plan->tasks);
		while (atomic_load(&gate->round) == round && !rt_run_over(m->run))
			rt_futex_wait(&gate->round, round, NULL, RT_FUTEX_PRIVATE);
		if (rt_run_over(m->run))
			break;
		measure_lap(&t->lap, gate->from_ns, t->plan->opts->run_ns);
	}
	return 0;
}

const struct rt_crew_plan mig_crew_plan = { .body = body };

/* ---- made by main -------------------------------------------------------------------- */

static void fill_task(struct mig_session *s, unsigned int i)
{
	const struct mig_plan *plan = s->plan;
	struct rt_member *m = rt_crew_member(s->rt.crew, i);

	s->tasks[i].gate = s->gate;
	s->tasks[i].plan = plan;
	s->tasks[i].moves = i == plan->tasks - 1;
	m->sched = rt_sched_of(mig_priority(plan->opts, plan->tasks, i));
	m->data = &s->tasks[i];
	snprintf(m->name, sizeof(m->name), "rt-migrate/%hhu", (unsigned char)i);
	rt_session_series(&s->rt, i, m, "start", "task %u", i);
	rt_status_record(s->rt.status, i, -1);
}

int mig_tasks_make(struct mig_session *s, struct rt_err *err)
{
	unsigned int count = s->plan->tasks;

	s->gate = aligned_alloc(RT_CACHE_LINE, sizeof(*s->gate));
	s->tasks = aligned_alloc(RT_CACHE_LINE, count * sizeof(*s->tasks));
	if (!s->gate || !s->tasks)
		return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "no memory for %u tasks", count);
	memset(s->gate, 0, sizeof(*s->gate));
	memset(s->tasks, 0, count * sizeof(*s->tasks));
	for (unsigned int i = 0; i < count; i++)
		fill_task(s, i);
	return 0;
}

void mig_tasks_free(struct mig_session *s)
{
	free(s->gate);
	free(s->tasks);
	free(s->laps);
}

/* ---- an iteration, as main sees it --------------------------------------------------- */

/* Are all at the gate for the @rounds-th time? */
static bool wait_for_all(struct mig_session *s, unsigned int rounds)
{
	_Atomic uint32_t *arrivals = &s->gate->arrivals;
	uint32_t wanted = s->plan->tasks * rounds;
	int64_t until_ns = rt_clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS +
			   s->plan->tasks * s->opts->run_ns;
	uint32_t seen;

	while ((seen = atomic_load(arrivals)) != wanted) {
		int64_t left_ns = until_ns - rt_clock_ns(CLOCK_MONOTONIC);
		struct timespec left;

		if (left_ns <= 0 || rt_crew_ended(s->rt.crew))
			return false;
		/* a task that gave up does not wake us */
		left = rt_ns_timespec(left_ns < RT_NS_PER_S ? left_ns : RT_NS_PER_S);
		rt_futex_wait(arrivals, seen, &left, RT_FUTEX_PRIVATE);
	}
	return true;
}

static int make_room(struct mig_session *s, struct rt_err *err)
{
	unsigned int room = s->room ? s->room * 2 : 64;
	struct mig_lap *laps;

	if (s->rounds < s->room)
		return 0;
	laps = reallocarray(s->laps, (size_t)room * s->plan->tasks, sizeof(*laps));
	if (!laps)
		return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "no memory for iteration %u",
				  s->rounds);
	s->laps = laps;
	s->room = room;
	return 0;
}

static void keep_laps(struct mig_session *s)
{
	struct mig_lap *laps = &s->laps[(size_t)s->rounds * s->plan->tasks];

	for (unsigned int i = 0; i < s->plan->tasks; i++) {
		laps[i] = s->tasks[i].lap;
		rt_record_add(rt_status_record(s->rt.status, i, -1), laps[i].start_ns,
			      laps[i].start_ns / RT_NS_PER_US, s->gate->from_ns + laps[i].start_ns,
			      INT64_MAX);
	}
	s->rounds++;
}

static void open_gate(struct mig_gate *gate)
{
	gate->from_ns = rt_clock_ns(CLOCK_MONOTONIC);
	atomic_fetch_add(&gate->round, 1);
	rt_futex_wake(&gate->round, INT_MAX, RT_FUTEX_PRIVATE);
}

int mig_round(struct mig_session *s, struct rt_err *err)
{
	int status = make_room(s, err);
	bool are_there;

	if (status < 0)
		return status;
	are_there = wait_for_all(s, s->rounds + 1);
	if (are_there) {
		open_gate(s->gate);
		are_there = wait_for_all(s, s->rounds + 2);
	}
	if (!are_there && rt_crew_ended(s->rt.crew))
		return -ECANCELED; /* the task's own reason comes with the join */
	if (!are_there)
		return rt_err_set(err, RT_EXIT_FAILED, ETIMEDOUT,
				  "iteration %u did not end in time: something of higher priority "
				  "keeps the CPUs", s->rounds);
	keep_laps(s);
	return 0;
}

void mig_rounds_end(struct mig_session *s)
{
	atomic_fetch_add(&s->gate->round, 1);
	rt_futex_wake(&s->gate->round, INT_MAX, RT_FUTEX_PRIVATE);
}
