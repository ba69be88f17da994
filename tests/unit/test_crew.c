/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crew: whatever happens to a member, everybody comes home and the reason is told.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "rt/clock.h"
#include "rt/crew.h"

#define COUNT 5u
#define NOBODY UINT32_MAX

/* Shared, since members may be processes. */
struct scene {
	_Atomic unsigned int prepared;
	_Atomic unsigned int measured;
	unsigned int fail_prepare; /* index that fails; NOBODY: none */
	unsigned int fail_body;
	unsigned int die; /* index of a process that kills itself */
	bool sleeps_long;
};

static struct scene *scene;
static struct rt_run *run;
static struct rt_crew *crew;

static int setup(void **state)
{
	(void)state;
	scene = mmap(NULL, sizeof(*scene), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (scene == MAP_FAILED)
		return -1;
	scene->fail_prepare = scene->fail_body = scene->die = NOBODY;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	munmap(scene, sizeof(*scene));
	return 0;
}

static int prepare(struct rt_member *m, struct rt_err *err)
{
	scene->prepared++;
	if (m->index == scene->fail_prepare)
		return rt_err_set(err, RT_EXIT_MISSING, EPERM, "member %u may not", m->index);
	return 0;
}

static int body(struct rt_member *m, struct rt_err *err)
{
	scene->measured++;
	if (m->index == scene->die)
		raise(SIGKILL);
	if (m->index == scene->fail_body)
		return rt_err_set(err, RT_EXIT_FAILED, EIO, "member %u broke", m->index);
	while (!rt_run_over(m->run)) {
		struct timespec nap = { .tv_sec = scene->sleeps_long ? 3600 : 0,
					.tv_nsec = 1000000 };

		nanosleep(&nap, NULL);
	}
	return 0;
}

static void make_crew(unsigned int count, bool as_processes, int64_t duration_ns)
{
	struct rt_run_plan run_plan = { .duration_ns = duration_ns };
	struct rt_crew_plan plan = { .count = count,
				     .as_processes = as_processes,
				     .prepare = prepare,
				     .body = body };

	assert_int_equal(rt_run_new(&run, &run_plan, NULL), 0);
	assert_int_equal(rt_crew_new(&crew, &plan, run, NULL), 0);
	for (unsigned int i = 0; i < count; i++)
		snprintf(rt_crew_member(crew, i)->name, sizeof(rt_crew_member(crew, i)->name),
			 "member/%u", i % 1000);
}

static void drop_crew(void)
{
	rt_crew_free(crew);
	rt_run_free(run);
}

static void no_child_left(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void measure(unsigned int count, bool as_processes)
{
	struct rt_err err = { 0 };

	make_crew(count, as_processes, 20 * RT_NS_PER_MS);
	assert_int_equal(rt_crew_form(crew, 0, &err), 0);
	assert_int_equal(scene->prepared, count);
	assert_int_equal(scene->measured, 0); /* nobody before the release */
	rt_crew_release(crew);
	rt_run_wait(run, NULL, NULL);
	assert_int_equal(rt_crew_join(crew, 0, &err), 0);
	assert_int_equal(scene->measured, count);
	assert_int_equal(rt_crew_ended(crew), count);
	assert_string_equal(rt_run_ended_text(run), "duration");
	assert_false(rt_err_is_set(&err));
	drop_crew();
}

static void threads_measure_together(void **state)
{
	(void)state;
	measure(COUNT, false);
}

static void processes_measure_together(void **state)
{
	(void)state;
	measure(COUNT, true);
	no_child_left();
}

static unsigned int count_threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	unsigned int count = 0;

	assert_non_null(dir);
	for (struct dirent *e; (e = readdir(dir));)
		count += e->d_name[0] != '.';
	closedir(dir);
	return count;
}

/* Main could not do its part: those who wait at the gate go home. */
static void never_released(bool as_processes)
{
	make_crew(COUNT, as_processes, 0);
	assert_int_equal(rt_crew_form(crew, 0, NULL), 0);
	assert_int_equal(scene->prepared, COUNT);
	drop_crew();
	assert_int_equal(scene->measured, 0);
}

static void threads_that_are_never_released(void **state)
{
	unsigned int before = count_threads();

	(void)state;
	never_released(false);
	/* a joined thread may stand in /proc a moment longer */
	for (int i = 0; i < 100 && count_threads() > before; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	assert_int_equal(count_threads(), before);
}

static void processes_that_are_never_released(void **state)
{
	(void)state;
	never_released(true);
	no_child_left();
}

static void many_threads(void **state)
{
	(void)state;
	measure(300, false);
}

/* Every member in turn, as thread and as process, again and again: none may hang. */
static void a_failed_preparation_sends_all_home(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 40 * COUNT; i++) {
		struct rt_err err = { 0 };
		char want[32];

		scene->fail_prepare = i % COUNT;
		make_crew(COUNT, i % 4 == 0, 0);
		assert_int_equal(rt_crew_form(crew, 0, &err), -EPERM);
		snprintf(want, sizeof(want), "member %u may not", i % COUNT);
		assert_string_equal(err.text, want);
		assert_int_equal(err.exit, RT_EXIT_MISSING);
		assert_int_equal(scene->measured, 0);
		drop_crew();
	}
	no_child_left();
}

static void a_failed_body_ends_the_run(bool as_processes)
{
	struct rt_err err = { 0 };

	scene->fail_body = 3;
	make_crew(COUNT, as_processes, 0);
	assert_int_equal(rt_crew_form(crew, 0, &err), 0);
	rt_crew_release(crew);
	rt_run_wait(run, NULL, NULL); /* endless but for the failure */
	assert_int_equal(rt_crew_join(crew, 0, &err), -EIO);
	assert_string_equal(err.text, "member 3 broke");
	assert_string_equal(rt_run_ended_text(run), "error");
	drop_crew();
}

static void a_failed_thread_ends_the_run(void **state)
{
	(void)state;
	a_failed_body_ends_the_run(false);
}

static void a_failed_process_ends_the_run(void **state)
{
	(void)state;
	a_failed_body_ends_the_run(true);
	no_child_left();
}

static void a_killed_process_is_named(void **state)
{
	struct rt_err err = { 0 };

	(void)state;
	scene->die = 2;
	make_crew(COUNT, true, 0);
	assert_int_equal(rt_crew_form(crew, 0, &err), 0);
	rt_crew_release(crew);
	rt_run_wait(run, NULL, NULL);
	while (!rt_err_is_set(&err) && rt_crew_join(crew, 0, &err) == 0)
		;
	assert_non_null(strstr(err.text, "member/2"));
	assert_non_null(strstr(err.text, "killed by signal 9"));
	drop_crew();
	no_child_left();
}

/* One that sleeps for an hour is woken; the grace is far longer than that takes. */
static void sleepers_are_woken(void **state)
{
	(void)state;
	scene->sleeps_long = true;
	measure(COUNT, false);
	scene->prepared = scene->measured = 0;
	measure(COUNT, true);
	no_child_left();
}

static int never_ready(struct rt_member *m, struct rt_err *err)
{
	(void)err;
	while (m->index == 1 && !rt_run_over(m->run)) {
		struct timespec nap = { .tv_nsec = 1000000 };

		nanosleep(&nap, NULL);
	}
	return 0;
}

static void who_never_gets_ready_is_not_waited_for(void **state)
{
	struct rt_run_plan run_plan = { 0 };
	struct rt_crew_plan plan = { .count = 3, .prepare = never_ready, .body = body };
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(rt_run_new(&run, &run_plan, NULL), 0);
	assert_int_equal(rt_crew_new(&crew, &plan, run, NULL), 0);
	assert_int_equal(rt_crew_form(crew, 200 * RT_NS_PER_MS, &err), -ETIMEDOUT);
	assert_non_null(strstr(err.text, "only 2 of 3"));
	rt_run_end(run, RT_ENDED_ERROR); /* lets the one that was left behind go */
}

static int use_up(struct rt_member *m, struct rt_err *err)
{
	(void)err;
	scene->measured++;
	while (!rt_run_over(m->run))
		continue;
	return 0;
}

/*
 * The kernel looks each tick only, by which time its runtime is used up a thousand times. The
 * first replenishment still comes with the next period, but with a deadline that far ahead, and
 * behind that the second one.
 */
static void a_deadline_thread_that_is_put_away_comes_back(void **state)
{
	const struct rt_sched deadline = {
		.policy = RT_POLICY_DEADLINE,
		.runtime_ns = 2 * RT_NS_PER_US,
		.deadline_ns = 20 * RT_NS_PER_MS,
		.period_ns = 20 * RT_NS_PER_MS,
	};
	struct rt_run_plan run_plan = { .duration_ns = 200 * RT_NS_PER_MS };
	struct rt_crew_plan plan = { .count = 1, .body = use_up };
	struct rt_err err = { 0 };

	(void)state;
	if (rt_sched_check(&deadline, NULL)) {
		print_message("# skipped: needs the right to SCHED_DEADLINE\n");
		return;
	}
	assert_int_equal(rt_run_new(&run, &run_plan, NULL), 0);
	assert_int_equal(rt_crew_new(&crew, &plan, run, NULL), 0);
	rt_crew_member(crew, 0)->sched = deadline;
	assert_int_equal(rt_crew_form(crew, 0, &err), 0);
	rt_crew_release(crew);
	rt_run_wait(run, NULL, NULL);
	assert_int_equal(rt_crew_join(crew, 4 * RT_NS_PER_S, &err), 0);
	assert_int_equal(scene->measured, 1);
	drop_crew();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(threads_measure_together, setup, teardown),
		cmocka_unit_test_setup_teardown(processes_measure_together, setup, teardown),
		cmocka_unit_test_setup_teardown(threads_that_are_never_released, setup, teardown),
		cmocka_unit_test_setup_teardown(processes_that_are_never_released, setup, teardown),
		cmocka_unit_test_setup_teardown(many_threads, setup, teardown),
		cmocka_unit_test_setup_teardown(a_failed_preparation_sends_all_home, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_failed_thread_ends_the_run, setup, teardown),
		cmocka_unit_test_setup_teardown(a_failed_process_ends_the_run, setup, teardown),
		cmocka_unit_test_setup_teardown(a_killed_process_is_named, setup, teardown),
		cmocka_unit_test_setup_teardown(sleepers_are_woken, setup, teardown),
		cmocka_unit_test_setup_teardown(a_deadline_thread_that_is_put_away_comes_back,
						setup, teardown),
		cmocka_unit_test_setup_teardown(who_never_gets_ready_is_not_waited_for, setup,
						NULL),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
