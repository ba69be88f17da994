/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run: what ends it, and what main does meanwhile.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "rt/clock.h"
#include "rt/run.h"

struct seen {
	unsigned int ticks, checkpoints, usr1, usr2;
};

static void on_tick(void *data)
{
	((struct seen *)data)->ticks++;
}

static void on_checkpoint(void *data)
{
	((struct seen *)data)->checkpoints++;
}

static void on_usr1(void *data)
{
	((struct seen *)data)->usr1++;
}

static void on_usr2(void *data)
{
	((struct seen *)data)->usr2++;
}

static struct rt_run *begin(const struct rt_run_plan *plan)
{
	struct rt_run *run = NULL;

	assert_int_equal(rt_run_new(&run, plan, NULL), 0);
	rt_run_begin(run);
	return run;
}

static void the_duration_ends_it(void **state)
{
	struct rt_run_plan plan = { .duration_ns = 30 * RT_NS_PER_MS };
	struct rt_run *run = begin(&plan);

	(void)state;
	rt_run_wait(run, NULL, NULL);
	assert_true(rt_run_over(run));
	assert_true(rt_clock_ns(CLOCK_MONOTONIC) >= run->until_ns); /* never before it */
	assert_int_equal(run->until_ns - run->started_ns, plan.duration_ns);
	assert_string_equal(rt_run_ended_text(run), "duration");
	assert_true(rt_run_progress(run) == 1);
	rt_run_free(run);
}

static void ticks_come_and_checkpoints(void **state)
{
	struct seen seen = { 0 };
	struct rt_run_plan plan = { .duration_ns = 60 * RT_NS_PER_MS,
				    .tick_ns = 5 * RT_NS_PER_MS,
				    .tick = on_tick,
				    .checkpoint_ns = 20 * RT_NS_PER_MS,
				    .checkpoint = on_checkpoint,
				    .checkpoint_data = &seen,
				    .data = &seen };
	struct rt_run *run = begin(&plan);

	(void)state;
	rt_run_wait(run, NULL, NULL);
	assert_in_range(seen.ticks, 1, 12);
	assert_in_range(seen.checkpoints, 1, 3);
	rt_run_free(run);
}

static void signals(int sig, const char *text)
{
	struct rt_run_plan plan = { 0 };
	struct rt_run *run = begin(&plan);

	kill(getpid(), sig);
	rt_run_wait(run, NULL, NULL);
	assert_string_equal(rt_run_ended_text(run), text);
	rt_run_free(run);
}

static void signals_end_it(void **state)
{
	(void)state;
	signals(SIGINT, "signal:INT");
	signals(SIGTERM, "signal:TERM");
	signals(SIGHUP, "signal:HUP");
}

/* As a shell starts "tool &": SIGINT is ignored then, and must end it all the same. */
static void an_inherited_ignored_sigint_ends_it(void **state)
{
	(void)state;
	signal(SIGINT, SIG_IGN);
	signals(SIGINT, "signal:INT");
}

/* As nohup does. The mask is put back by hand, since signals() blocked SIGHUP. */
static void an_inherited_ignored_sighup_does_not(void **state)
{
	struct rt_run_plan plan = { .duration_ns = 30 * RT_NS_PER_MS };
	struct rt_run *run;
	sigset_t hup;

	(void)state;
	sigemptyset(&hup);
	sigaddset(&hup, SIGHUP);
	pthread_sigmask(SIG_UNBLOCK, &hup, NULL);
	signal(SIGHUP, SIG_IGN);
	run = begin(&plan);
	kill(getpid(), SIGHUP);
	rt_run_wait(run, NULL, NULL);
	assert_string_equal(rt_run_ended_text(run), "duration");
	rt_run_free(run);
	signal(SIGHUP, SIG_DFL);
}

static void status_signals_do_not_end_it(void **state)
{
	struct seen seen = { 0 };
	struct rt_run_plan plan = { .duration_ns = 30 * RT_NS_PER_MS,
				    .usr1 = on_usr1,
				    .usr2 = on_usr2,
				    .data = &seen };
	struct rt_run *run = begin(&plan);

	(void)state;
	kill(getpid(), SIGUSR1);
	kill(getpid(), SIGUSR2);
	rt_run_wait(run, NULL, NULL);
	assert_int_equal(seen.usr1, 1);
	assert_int_equal(seen.usr2, 1);
	assert_string_equal(rt_run_ended_text(run), "duration");
	rt_run_free(run);
}

static void *end_it(void *data)
{
	usleep(20000);
	rt_run_end(data, RT_ENDED_THRESHOLD);
	return NULL;
}

static void a_member_ends_it_and_the_first_reason_stays(void **state)
{
	struct rt_run_plan plan = { 0 };
	struct rt_run *run = begin(&plan);
	pthread_t thread;

	(void)state;
	assert_true(rt_run_progress(run) < 0); /* endless */
	assert_int_equal(pthread_create(&thread, NULL, end_it, run), 0);
	rt_run_wait(run, NULL, NULL);
	rt_run_end(run, RT_ENDED_ERROR);
	assert_string_equal(rt_run_ended_text(run), "threshold");
	pthread_join(thread, NULL);
	rt_run_free(run);
}

static bool is_enough(void *data)
{
	return ++*(unsigned int *)data == 3;
}

static void it_ends_when_all_is_done(void **state)
{
	struct rt_run_plan plan = { .tick_ns = RT_NS_PER_MS, .tick = on_tick };
	struct seen seen = { 0 };
	unsigned int looks = 0;
	struct rt_run *run;

	(void)state;
	plan.data = &seen;
	run = begin(&plan);
	rt_run_wait(run, is_enough, &looks);
	assert_int_equal(looks, 3);
	assert_string_equal(rt_run_ended_text(run), "loops");
	rt_run_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_duration_ends_it),
		cmocka_unit_test(ticks_come_and_checkpoints),
		cmocka_unit_test(signals_end_it),
		cmocka_unit_test(an_inherited_ignored_sigint_ends_it),
		cmocka_unit_test(an_inherited_ignored_sighup_does_not),
		cmocka_unit_test(status_signals_do_not_end_it),
		cmocka_unit_test(a_member_ends_it_and_the_first_reason_stays),
		cmocka_unit_test(it_ends_when_all_is_done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
