/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pairs: who runs where, and what each mechanism does with a post, a foreign
 * wake-up, a time-out and the end of the run.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/sem.h>
#include <sys/syscall.h>

#include "../../src/pairtests/pairs.h"
#include "rt/log.h"
#include "rt/sched.h"

static const struct pair_via *const all[] = {
	&pair_via_futex, &pair_via_eventfd, &pair_via_pipe,  &pair_via_unix,  &pair_via_cond,
	&pair_via_signal, &pair_via_mq,     &pair_via_ptsem, &pair_via_svsem,
};

/* ---- mechanisms ---------------------------------------------------------------- */

static struct pair_way way;
static struct rt_undo *undo;
static const struct pair_via *via;
static _Atomic pid_t waiter;
static _Atomic int waited;

static void nothing(int sig)
{
	(void)sig;
}

static void open_way(const struct pair_via *which, bool is_shared)
{
	struct sigaction action = { .sa_handler = nothing };
	struct rt_err err = { 0 };

	sigaction(SIGALRM, &action, NULL);
	memset(&way, 0, sizeof(way));
	way.fd[0] = way.fd[1] = -1;
	way.is_shared = is_shared;
	via = which;
	assert_int_equal(rt_undo_open(&undo, &err), 0);
	assert_int_equal(via->open(&way, undo, &err), 0);
	if (via->enter) {
		via->enter(&way, true);
		via->enter(&way, false);
	}
}

static void close_way(void)
{
	via->close(&way);
	assert_int_equal(rt_undo_all(undo), 0);
}

static void a_post_that_came_first_is_not_lost(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 2 * RT_ARRAY_SIZE(all); i++) {
		open_way(all[i / 2], i % 2);
		for (int round = 0; round < 3; round++) {
			assert_int_equal(via->post(&way), 0);
			assert_int_equal(via->wait(&way), 0);
		}
		close_way();
	}
}

static void *wait_once(void *data)
{
	(void)data;
	if (via->enter)
		via->enter(&way, true);
	atomic_store(&waiter, rt_gettid());
	atomic_store(&waited, via->wait(&way));
	return NULL;
}

static void begin_waiting(pthread_t *thread)
{
	struct timespec moment = rt_ns_timespec(20 * RT_NS_PER_MS);

	atomic_store(&waiter, 0);
	atomic_store(&waited, 1);
	assert_int_equal(pthread_create(thread, NULL, wait_once, NULL), 0);
	while (!atomic_load(&waiter))
		sched_yield();
	nanosleep(&moment, NULL);
	assert_int_equal(atomic_load(&waited), 1); /* it really waits */
}

static void a_post_wakes_who_waits(void **state)
{
	pthread_t thread;

	(void)state;
	for (unsigned int i = 0; i < RT_ARRAY_SIZE(all); i++) {
		open_way(all[i], false);
		begin_waiting(&thread);
		assert_int_equal(via->post(&way), 0);
		pthread_join(thread, NULL);
		assert_int_equal(atomic_load(&waited), 0);
		close_way();
	}
}

/* As the crew does it at the end, or by hand where that does not help. */
static void the_end_interrupts_a_wait(void **state)
{
	pthread_t thread;

	(void)state;
	for (unsigned int i = 0; i < RT_ARRAY_SIZE(all); i++) {
		open_way(all[i], false);
		begin_waiting(&thread);
		if (via->wake)
			via->wake(&way);
		else
			pthread_kill(thread, SIGALRM);
		pthread_join(thread, NULL);
		assert_int_equal(atomic_load(&waited), -EINTR);
		close_way();
	}
}

static void a_closed_way_is_not_waited_for(void **state)
{
	(void)state;
	open_way(&pair_via_cond, false);
	via->wake(&way);
	assert_int_equal(via->wait(&way), -EINTR);
	assert_int_equal(via->post(&way), 0);
	assert_int_equal(via->wait(&way), -EINTR);
	close_way();
}

static void a_foreign_signal_is_told_apart(void **state)
{
	(void)state;
	open_way(&pair_via_signal, false);
	way.poster_pid = getpid() + 1; /* whoever it is, we are not */
	assert_int_equal(syscall(SYS_tgkill, getpid(), rt_gettid(), SIGUSR2), 0);
	assert_int_equal(via->wait(&way), -EAGAIN);
	close_way();
}

static void a_queue_gives_up_after_its_time(void **state)
{
	int64_t begin_ns;

	(void)state;
	open_way(&pair_via_mq, false);
	way.timeout_ns = 20 * RT_NS_PER_MS;
	begin_ns = rt_clock_ns(CLOCK_MONOTONIC);
	assert_int_equal(via->wait(&way), -ETIMEDOUT);
	assert_true(rt_clock_ns(CLOCK_MONOTONIC) - begin_ns >= 15 * RT_NS_PER_MS);
	assert_int_equal(via->post(&way), 0);
	assert_int_equal(via->wait(&way), 0);
	close_way();
}

static void semaphores_go_with_the_undo_list(void **state)
{
	(void)state;
	open_way(&pair_via_svsem, false);
	assert_int_equal(semctl(way.id, 0, GETVAL), 0);
	close_way();
	assert_int_equal(semctl(way.id, 0, GETVAL), -1);
}

/* ---- the plan -------------------------------------------------------------------- */

static const struct rt_opt rows[] = { RT_OPT_INCLUDE(pair_rows, 0), PAIR_RESULTS_ROWS, RT_OPT_END };
static const struct rt_opt_table table = { .tool = "pairs", .purpose = "test", .rows = rows };

struct plan_case {
	const char *words[8];
	int lowest;
	unsigned int pairs;
	const char *priorities; /* of the receivers; all at the senders' as well */
	const char *intervals;
};

static const struct plan_case plans[] = {
	{ { "-l1" }, 1, 1, "0", "1000" },
	{ { "-t", "3", "-i", "100" }, 1, 3, "0 0 0", "100 600 1100" },
	{ { "-t3", "-p2", "-d0" }, 1, 3, "2 1 1", "1000 1000 1000" },
	{ { "-t4", "-p2", "-i2ms", "-d1ms" }, 0, 4, "2 1 0 0", "2000 3000 4000 5000" },
	{ { "-t2", "-p1" }, 1, 2, "1 1", "1000 1500" },
	{ { "-t3", "-p0" }, 0, 3, "0 0 0", "1000 1500 2000" },
	{ { "--threads=2", "--prio", "99" }, 1, 2, "99 98", "1000 1500" },
};

static int make_plan(struct pair_plan *plan, struct pair_opts *opts, const struct pair_tool *tool,
		     const char *const words[8], struct rt_err *err)
{
	char *argv[10] = { (char *)"pairs" };
	int argc = 1, status;

	for (; argc < 9 && words[argc - 1]; argc++)
		argv[argc] = (char *)(uintptr_t)words[argc - 1];
	memset(opts, 0, sizeof(*opts));
	memset(plan, 0, sizeof(*plan));
	status = rt_opts_try(&table, opts, argc, argv, err);
	return status ? status : pair_plan_make(plan, tool, opts, argc, argv, err);
}

static void append(char *text, size_t size, long long number)
{
	size_t at = strlen(text);

	snprintf(text + at, size - at, "%s%lld", at ? " " : "", number);
}

static bool lacks_rights(const struct pair_plan *plan)
{
	struct rt_sched sched = { .policy = RT_POLICY_FIFO,
				  .priority = (int)plan->opts->priority };

	return sched.priority && rt_sched_check(&sched, NULL);
}

static void each_pair_has_its_priority_and_interval(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < RT_ARRAY_SIZE(plans); i++) {
		const struct plan_case *c = &plans[i];
		const struct pair_tool tool = { &table, &pair_via_futex, c->lowest, false };
		char priorities[64] = "", intervals[64] = "";
		struct pair_opts opts;
		struct pair_plan plan;
		struct rt_err err = { 0 };
		int status = make_plan(&plan, &opts, &tool, c->words, &err);

		if (status && lacks_rights(&plan)) {
			pair_plan_done(&plan);
			continue;
		}
		assert_int_equal(status, 0);
		assert_int_equal(plan.pairs, c->pairs);
		for (unsigned int p = 0; p < plan.pairs; p++) {
			append(priorities, sizeof(priorities), plan.seats[2 * p].priority);
			assert_int_equal(plan.seats[2 * p].priority, plan.seats[2 * p + 1].priority);
			assert_int_equal(plan.seats[2 * p].cpu, -1);
			append(intervals, sizeof(intervals), pair_interval_ns(&opts, p) / 1000);
		}
		assert_string_equal(priorities, c->priorities);
		assert_string_equal(intervals, c->intervals);
		pair_plan_done(&plan);
	}
}

static void both_ends_of_a_pair_share_a_cpu(void **state)
{
	const struct pair_tool tool = { &table, &pair_via_futex, 1, false };
	const char *const words[8] = { "-a", "-t", "5" };
	struct pair_opts opts;
	struct pair_plan plan;
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(make_plan(&plan, &opts, &tool, words, &err), 0);
	for (unsigned int p = 0; p < plan.pairs; p++) {
		assert_int_equal(plan.seats[2 * p].cpu, rt_cpuset_nth(&plan.measured, p));
		assert_int_equal(plan.seats[2 * p + 1].cpu, plan.seats[2 * p].cpu);
	}
	pair_plan_done(&plan);
}

static void what_has_no_meaning_is_refused(void **state)
{
	static const char *const bad[][8] = {
		{ "-b", "500ns" }, { "--limit=500ns" }, { "--limit=0" }, { "--samples=-" },
		{ "--checkpoint=1" }, { "--json=-", "--result=-" }, { "-a", "99999" },
	};
	const struct pair_tool tool = { &table, &pair_via_futex, 1, false };
	struct pair_opts opts;
	struct pair_plan plan;

	(void)state;
	for (unsigned int i = 0; i < RT_ARRAY_SIZE(bad); i++) {
		struct rt_err err = { 0 };

		assert_true(make_plan(&plan, &opts, &tool, bad[i], &err) < 0);
		assert_int_equal(err.exit, RT_EXIT_USAGE);
		assert_true(rt_err_is_set(&err));
		pair_plan_done(&plan);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_post_that_came_first_is_not_lost),
		cmocka_unit_test(a_post_wakes_who_waits),
		cmocka_unit_test(the_end_interrupts_a_wait),
		cmocka_unit_test(a_closed_way_is_not_waited_for),
		cmocka_unit_test(a_foreign_signal_is_told_apart),
		cmocka_unit_test(a_queue_gives_up_after_its_time),
		cmocka_unit_test(semaphores_go_with_the_undo_list),
		cmocka_unit_test(each_pair_has_its_priority_and_interval),
		cmocka_unit_test(both_ends_of_a_pair_share_a_cpu),
		cmocka_unit_test(what_has_no_meaning_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
