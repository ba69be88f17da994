/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pi_stress: what --sched and --rr make of the threads, and that a group does
 * its passes, fails without inheritance, and ends whatever happens to one of it.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "../../src/pi_tests/pi_stress.h"
#include "../../src/pi_tests/pimutex.h"
#include "rt/clock.h"

/* ---- turns ------------------------------------------------------------------------ */

static void turns_are_counted(void **state)
{
	struct turn t = { 0 };

	(void)state;
	assert_int_equal(turn_number(&t), 0);
	turn_give(&t, turn_next(0), RT_FUTEX_PRIVATE);
	assert_int_equal(turn_number(&t), 1);
	turn_take(&t, 1, RT_FUTEX_PRIVATE); /* there already: returns at once */
	assert_int_equal(turn_next(TURN_NUMBERS), 0); /* goes round */
	turn_give(&t, TURN_NUMBERS, RT_FUTEX_PRIVATE);
	turn_take(&t, TURN_NUMBERS, RT_FUTEX_PRIVATE);
	turn_give(&t, turn_next(TURN_NUMBERS), RT_FUTEX_PRIVATE);
	turn_take(&t, 0, RT_FUTEX_PRIVATE);
}

/* ---- --sched ------------------------------------------------------------------------- */

static void sched_is_read(void **state)
{
	static const struct {
		const char *text;
		int status;
	} rows[] = {
		{ "id=high", 0 },
		{ "id=high,policy=fifo,priority=5", 0 },
		{ "policy=rr,id=med", 0 },
		{ "id=low,policy=other,nice=-20", 0 },
		{ "id=high,policy=deadline,runtime=200us,deadline=1ms,period=1000000", 0 },
		{ "", -EINVAL },
		{ "id", -EINVAL },
		{ "id=", -EINVAL },
		{ "id=High", -EINVAL },
		{ "id=high,", -EINVAL },
		{ ",id=high", -EINVAL },
		{ "policy=fifo,priority=5", -EINVAL },
		{ "id=high,priority=", -EINVAL },
		{ "id=high,priority=5x", -EINVAL },
		{ "id=high,priority=-1", -EINVAL },
		{ "id=high,priority=100", -EINVAL },
		{ "id=low,nice=-21", -EINVAL },
		{ "id=high,runtime=0", -EINVAL },
		{ "id=high,period=99999999999999999999", -EINVAL },
		{ "id=high,prio=5", -EINVAL },
		{ "id=high policy=fifo", -EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct pis_sched_opts sched[PIS_ROLES] = { 0 };
		struct rt_err err = { 0 };

		assert_int_equal(pis_sched_parse(sched, rows[i].text, &err), rows[i].status);
		assert_int_equal(rt_err_is_set(&err), rows[i].status != 0);
		if (rows[i].status)
			assert_int_equal(err.exit, RT_EXIT_USAGE);
	}
}

static void sched_fills_the_row_of_its_id(void **state)
{
	struct pis_sched_opts sched[PIS_ROLES] = { 0 };

	(void)state;
	assert_int_equal(pis_sched_parse(sched, "id=high,policy=deadline,runtime=200us,deadline=1ms",
					 NULL), 0);
	assert_true(sched[PIS_HIGH].is_given);
	assert_false(sched[PIS_LOW].is_given);
	assert_int_equal(sched[PIS_HIGH].policy, RT_POLICY_DEADLINE);
	assert_int_equal(sched[PIS_HIGH].runtime_ns, 200000);
	assert_int_equal(sched[PIS_HIGH].deadline_ns, 1000000);
	/* given again: nothing of the first is left */
	assert_int_equal(pis_sched_parse(sched, "id=high,priority=9", NULL), 0);
	assert_int_equal(sched[PIS_HIGH].runtime_ns, 0);
	assert_int_equal(sched[PIS_HIGH].priority, 9);
}

static void resolve(struct pis_plan *plan, bool rr, const char *const *texts, int wanted)
{
	struct pis_opts opts = { .rr = rr };

	*plan = (struct pis_plan){ 0 };
	for (; *texts; texts++)
		assert_int_equal(pis_sched_parse(opts.sched, *texts, NULL), 0);
	assert_int_equal(pis_roles_resolve(plan, &opts, NULL), wanted);
}

static void roles_rise(void **state)
{
	static const char *const none[] = { NULL };
	static const char *const high[] = { "id=high,priority=98", NULL };
	static const char *const top[] = { "id=high,priority=99", NULL };
	static const char *const low[] = { "id=low,policy=other,nice=3", NULL };
	static const char *const dl[] = { "id=high,policy=deadline,runtime=200us,period=1ms",
					  "id=med,priority=50", NULL };
	struct pis_plan p;

	(void)state;
	resolve(&p, false, none, 0);
	for (int role = PIS_LOW; role < PIS_ROLES; role++) {
		assert_int_equal(p.seats[role].sched.policy, RT_POLICY_FIFO);
		assert_int_equal(p.seats[role].sched.priority, role + 1);
	}
	assert_int_equal(p.admin.priority, 4);
	resolve(&p, true, high, 0);
	assert_int_equal(p.seats[PIS_LOW].sched.policy, RT_POLICY_RR);
	assert_int_equal(p.seats[PIS_HIGH].sched.policy, RT_POLICY_FIFO); /* -s wins over -r */
	assert_int_equal(p.admin.policy, RT_POLICY_RR);
	assert_int_equal(p.admin.priority, 99);
	resolve(&p, false, top, 0);
	assert_int_equal(p.admin.priority, 99);
	resolve(&p, false, low, 0);
	assert_int_equal(p.seats[PIS_LOW].sched.priority, 0);
	assert_int_equal(p.seats[PIS_LOW].nice, 3);
	resolve(&p, false, dl, 0);
	assert_int_equal(p.seats[PIS_HIGH].sched.deadline_ns, 1000000); /* the period's */
	assert_int_equal(p.admin.priority, 51);
}

static void roles_that_would_not_rise_are_refused(void **state)
{
	static const char *const rows[][4] = {
		{ "id=low,priority=2", NULL },
		{ "id=low,priority=3", NULL },
		{ "id=med,priority=3", NULL },
		{ "id=high,priority=2", NULL },
		{ "id=high,policy=other", NULL },
		{ "id=med,policy=other", "id=low,policy=idle", NULL },
		{ "id=low,priority=0", NULL },
		{ "id=low,policy=other,priority=1", NULL },
		{ "id=low,policy=deadline,runtime=200us,period=1ms", NULL },
		{ "id=med,policy=deadline,runtime=200us,period=1ms", NULL },
		{ "id=high,policy=deadline", NULL },
		{ "id=high,policy=deadline,runtime=1023,period=1ms", NULL },
		{ "id=high,policy=deadline,runtime=2ms,period=1ms", NULL },
		{ "id=high,policy=deadline,runtime=1ms,deadline=3ms,period=2ms", NULL },
		{ "id=high,runtime=200us", NULL },
	};
	struct pis_plan p;

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++)
		resolve(&p, false, rows[i], -EINVAL);
}

/* ---- a kernel without priority inheritance ------------------------------------------- */

/* From here on this process gets ENOSYS for FUTEX_UNLOCK_PI, as CONFIG_FUTEX_PI=n has it. */
static int forbid_pi_futexes(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#ifdef SYS_futex_time64 /* what 32-bit machines with 64-bit time call */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex_time64, 1, 0),
#endif
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 4),
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
#else
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1]) + 4),
#endif
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, FUTEX_CMD_MASK),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FUTEX_UNLOCK_PI, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program_code = { .len = RT_ARRAY_SIZE(code), .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program_code) ? -errno : 0;
}

#define NO_FILTERS 77

static int check_without_pi_futexes(void)
{
	struct rt_err err = { 0 };

	if (forbid_pi_futexes())
		return NO_FILTERS;
	if (pi_mutex_check(&err) != -ENOSYS || err.exit != RT_EXIT_MISSING)
		return 1;
	return strstr(err.text, "CONFIG_FUTEX_PI") ? 0 : 2;
}

static void missing_pi_futexes_are_told(void **state)
{
	pid_t pid;
	int status = 0;

	(void)state;
	assert_int_equal(pi_mutex_check(NULL), 0);
	pid = fork();
	if (pid == 0)
		_exit(check_without_pi_futexes());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_FILTERS) {
		print_message("# SKIP this kernel has no seccomp filters\n");
		skip();
	}
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- a group ------------------------------------------------------------------------- */

struct scene {
	struct pis_group *group;
	struct pis_shared *shared;
	struct rt_status *status;
	struct rt_run *run;
	struct rt_crew *crew;
};

static int body(struct rt_member *m, struct rt_err *err)
{
	return pis_group_run((enum pis_role)m->index, m->data, m->run, err);
}

static char program[] = "test";
static char *args[] = { program, NULL };

/* Three threads on the last CPU that we may use. */
static void scene_new(struct scene *s, bool inherits, uint64_t inversions)
{
	static const struct rt_run_plan run_plan = { .duration_ns = 5 * RT_NS_PER_S };
	static const struct rt_crew_plan crew_plan = { .count = PIS_ROLES, .body = body };
	struct rt_cpuset usable = RT_CPUSET_INIT;

	assert_true(rt_cpuset_usable(&usable, NULL) >= 0);
	s->group = aligned_alloc(RT_CACHE_LINE, sizeof(*s->group));
	s->shared = aligned_alloc(RT_CACHE_LINE, sizeof(*s->shared));
	memset(s->group, 0, sizeof(*s->group));
	memset(s->shared, 0, sizeof(*s->shared));
	assert_int_equal(pi_mutex_init(&s->shared->mutex, inherits, false, NULL), 0);
	assert_int_equal(rt_status_new(&s->status, "test", 1, args, 2, 1, NULL), 0);
	assert_int_equal(rt_run_new(&s->run, &run_plan, NULL), 0);
	assert_int_equal(rt_crew_new(&s->crew, &crew_plan, s->run, NULL), 0);
	s->group->shared = s->shared;
	s->group->blocking = rt_status_record(s->status, 0, -1);
	s->group->section = rt_status_record(s->status, 1, -1);
	s->group->cpu = rt_cpuset_nth(&usable, (unsigned int)rt_cpuset_count(&usable) - 1);
	s->group->inversions = inversions;
	s->group->spin_ns = 200 * RT_NS_PER_MS;
	s->group->starved_ns = 100 * RT_NS_PER_MS;
	s->group->unit_ns = 1;
	for (unsigned int i = 0; i < PIS_ROLES; i++) {
		struct rt_member *m = rt_crew_member(s->crew, i);

		m->cpu = s->group->cpu;
		m->sched = (struct rt_sched){ .policy = RT_POLICY_FIFO, .priority = 1 + (int)i };
		m->data = s->group;
	}
	rt_cpuset_done(&usable);
}

static bool all_have_left(void *data)
{
	struct scene *s = data;

	return rt_crew_ended(s->crew) == PIS_ROLES;
}

static int scene_run(struct scene *s, struct rt_err *err)
{
	int status = rt_crew_form(s->crew, 0, err);

	if (status)
		return status;
	rt_crew_release(s->crew);
	rt_run_wait(s->run, all_have_left, s);
	return rt_crew_join(s->crew, 0, err);
}

static void scene_done(struct scene *s)
{
	rt_crew_free(s->crew);
	rt_run_free(s->run);
	rt_status_free(s->status);
	free(s->group);
	free(s->shared);
}

static void skip_without_rights(void)
{
	const struct rt_sched high = { .policy = RT_POLICY_FIFO, .priority = 3 };

	if (rt_sched_check(&high, NULL)) {
		print_message("# SKIP no right to real-time priority\n");
		skip();
	}
}

static void a_group_does_as_many_as_wanted(void **state)
{
	struct scene s;

	(void)state;
	skip_without_rights();
	scene_new(&s, true, 100);
	assert_int_equal(scene_run(&s, NULL), 0);
	assert_int_equal(s.group->blocking->stats.count, 100);
	assert_int_equal(s.group->section->stats.count, 100 + s.group->not_inverted);
	assert_int_equal(s.group->failed, 0);
	assert_false(s.group->has_starved);
	assert_true(s.group->blocking->stats.min_ns > 0);
	scene_done(&s);
}

/* Nobody ends this run: medium's own deadline does. */
static void without_inheritance_medium_gives_up(void **state)
{
	struct rt_err err = { 0 };
	struct scene s;

	(void)state;
	skip_without_rights();
	scene_new(&s, false, 100);
	assert_int_equal(scene_run(&s, &err), -ETIMEDOUT);
	assert_non_null(strstr(err.text, "no priority was inherited"));
	assert_int_equal(s.group->blocking->stats.count, 0);
	assert_int_equal(s.group->failed, 1);
	assert_true(s.group->has_starved);
	assert_true(s.group->longest_spin_ns >= s.group->spin_ns);
	assert_true(rt_clock_ns(CLOCK_MONOTONIC) < s.run->until_ns);
	scene_done(&s);
}

static void a_run_that_is_over_ends_at_once(void **state)
{
	struct scene s;

	(void)state;
	skip_without_rights();
	scene_new(&s, true, UINT64_MAX);
	rt_run_end(s.run, RT_ENDED_SIGNAL);
	assert_int_equal(scene_run(&s, NULL), 0);
	assert_int_equal(s.group->section->stats.count, 0);
	scene_done(&s);
}

#pragma weak pthread_mutexattr_setprioceiling /* musl declares it and has none */

/* A mutex that can't be locked ends all three, with the reason. */
static void a_thread_that_fails_takes_the_others_along(void **state)
{
	pthread_mutexattr_t attr;
	struct rt_err err = { 0 };
	struct scene s;

	(void)state;
	skip_without_rights();
	scene_new(&s, true, 100);
	pthread_mutexattr_init(&attr);
	if (pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_PROTECT) ||
	    !pthread_mutexattr_setprioceiling) {
		scene_done(&s);
		print_message("# SKIP this C library has no priority ceilings\n");
		skip();
	}
	pthread_mutexattr_setprioceiling(&attr, 1); /* low may, high is above it: EINVAL */
	pthread_mutex_init(&s.shared->mutex, &attr);
	assert_int_equal(scene_run(&s, &err), -EINVAL);
	assert_non_null(strstr(err.text, "the high thread cannot lock the mutex"));
	scene_done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(turns_are_counted),
		cmocka_unit_test(sched_is_read),
		cmocka_unit_test(sched_fills_the_row_of_its_id),
		cmocka_unit_test(roles_rise),
		cmocka_unit_test(roles_that_would_not_rise_are_refused),
		cmocka_unit_test(missing_pi_futexes_are_told),
		cmocka_unit_test(a_group_does_as_many_as_wanted),
		cmocka_unit_test(without_inheritance_medium_gives_up),
		cmocka_unit_test(a_run_that_is_over_ends_at_once),
		cmocka_unit_test(a_thread_that_fails_takes_the_others_along),
	};

	return cmocka_run_group_tests_name("pi_stress", tests, NULL, NULL);
}
