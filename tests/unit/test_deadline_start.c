/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * 500 starts of deadline threads in which every step is made to fail in turn,
 * in every thread: none hangs, all leave, and the reason is the one that was
 * made up.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "rt/clock.h"
#include "rt/crew.h"
#include "rt/run.h"
#include "rt/sched.h"

#define STARTS 500
#define THREADS 4
#define ROUND_NS (20 * RT_NS_PER_S) /* far below a gate that hangs for ever */
#define BUSY_TRIES 400
#define BUSY_PAUSE_NS (50 * RT_NS_PER_MS)

enum step { NONE, PREPARE, POLICY, PREPARED, BODY, STEPS };

/** struct trial - one start */
struct trial {
	enum step step;
	unsigned int who;
	_Atomic unsigned int measured; /* threads that came through the gate */
};

static bool is_mine(const struct rt_member *m, enum step step)
{
	const struct trial *t = m->data;

	return t->step == step && t->who == m->index;
}

static int fail_at(const struct rt_member *m, enum step step, struct rt_err *err)
{
	if (!is_mine(m, step))
		return 0;
	return rt_err_set(err, RT_EXIT_FAILED, EIO, "step %d of thread %u", (int)step, m->index);
}

static int prepare(struct rt_member *m, struct rt_err *err)
{
	return fail_at(m, PREPARE, err);
}

static int prepared(struct rt_member *m, struct rt_err *err)
{
	return fail_at(m, PREPARED, err);
}

static int body(struct rt_member *m, struct rt_err *err)
{
	struct trial *t = m->data;
	int status = fail_at(m, BODY, err);

	atomic_fetch_add(&t->measured, 1);
	for (int i = 0; !status && i < 2 && !rt_run_over(m->run); i++)
		sched_yield(); /* until the next period */
	return status;
}

static void fill(struct rt_crew *crew, struct trial *trial)
{
	for (unsigned int i = 0; i < THREADS; i++) {
		struct rt_member *m = rt_crew_member(crew, i);

		m->data = trial;
		m->sched = (struct rt_sched){
			.policy = RT_POLICY_DEADLINE,
			.runtime_ns = 20 * RT_NS_PER_US,
			.deadline_ns = RT_NS_PER_MS,
			.period_ns = RT_NS_PER_MS,
		};
		if (trial->step == POLICY && trial->who == i)
			m->sched.runtime_ns = 2 * RT_NS_PER_MS; /* longer than its deadline */
		snprintf(m->name, sizeof(m->name), "start/%u", i);
	}
}

static bool all_have_ended(void *crew)
{
	return rt_crew_ended(crew) == THREADS;
}

/* Forms, releases, waits, joins; what the user would be told is in @err. */
static int start(struct trial *trial, struct rt_run *run, struct rt_err *err)
{
	const struct rt_crew_plan plan = {
		.count = THREADS, .prepare = prepare, .prepared = prepared, .body = body,
	};
	struct rt_crew *crew;
	int status;

	assert_int_equal(rt_crew_new(&crew, &plan, run, err), 0);
	fill(crew, trial);
	status = rt_crew_form(crew, 0, err);
	if (!status) {
		rt_crew_release(crew);
		rt_run_wait(run, all_have_ended, crew);
		status = rt_crew_join(crew, 0, err);
	}
	for (unsigned int i = 0; i < THREADS; i++) /* never started, or gone */
		assert_true(!atomic_load(&rt_crew_member(crew, i)->tid) ||
			    atomic_load(&rt_crew_member(crew, i)->has_ended));
	rt_crew_free(crew);
	return status;
}

static void check(const struct trial *t, int status, const struct rt_err *err)
{
	char made_up[64];

	if (t->step == NONE) {
		assert_int_equal(status, 0);
		assert_int_equal(t->measured, THREADS);
		return;
	}
	assert_true(status < 0);
	if (t->step != BODY)
		assert_int_equal(t->measured, 0);
	snprintf(made_up, sizeof(made_up), "step %d of thread %u", (int)t->step, t->who);
	if (t->step == POLICY)
		assert_non_null(strstr(err->text, "runtime 2ms"));
	else
		assert_string_equal(err->text, made_up);
}

/*
 * Deadline threads of others on this machine may hold the bandwidth for a while. A
 * start that is refused for them is made again; when it is in vain, the rest is skipped.
 */
static void wait_for_others(void)
{
	static unsigned int tries;
	const struct timespec pause = rt_ns_timespec(BUSY_PAUSE_NS);

	if (++tries > BUSY_TRIES)
		skip();
	nanosleep(&pause, NULL);
}

static bool has_deadline(void)
{
	const struct rt_sched tiny = {
		.policy = RT_POLICY_DEADLINE,
		.runtime_ns = 20 * RT_NS_PER_US,
		.deadline_ns = RT_NS_PER_MS,
		.period_ns = RT_NS_PER_MS,
	};
	int status;

	while ((status = rt_sched_check(&tiny, NULL)) == -EBUSY)
		wait_for_others();
	return status == 0;
}

/* One start with its own run */
static int start_once(struct trial *trial, struct rt_err *err)
{
	const struct rt_run_plan plan = { 0 };
	struct rt_run *run;
	int status;

	assert_int_equal(rt_run_new(&run, &plan, err), 0);
	status = start(trial, run, err);
	rt_run_free(run);
	return status;
}

static void test_starts(void **state)
{
	(void)state;
	if (!has_deadline())
		skip();
	for (unsigned int i = 0; i < STARTS; i++) {
		struct trial trial = { .step = i % STEPS, .who = i / STEPS % THREADS };
		struct rt_err err = { 0 };
		int64_t began_ns;
		int status;

		for (;;) {
			began_ns = rt_clock_ns(CLOCK_MONOTONIC);
			status = start_once(&trial, &err);
			assert_true(rt_clock_ns(CLOCK_MONOTONIC) - began_ns < ROUND_NS);
			if (status != -EBUSY)
				break;
			wait_for_others();
			atomic_store(&trial.measured, 0);
			err = (struct rt_err){ 0 };
		}
		check(&trial, status, &err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_starts) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
