/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The deadline tools: what the words of the command line reserve, what is
 * refused and why, and how much work fits into a runtime.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "../../src/sched_deadline/cyclicdeadline.h"
#include "../../src/sched_deadline/deadline_test.h"

#define US RT_NS_PER_US

static const struct dl_limits limits = {
	.period_min_us = 100,
	.period_max_us = 4194304,
	.rt_runtime_us = 950000,
	.rt_period_us = 1000000,
};

/* ---- what can be reserved ---------------------------------------------------------- */

static void test_reserve_check(void **state)
{
	static const struct {
		struct dl_reserve r;
		const char *refusal; /* NULL: fine */
	} rows[] = {
		{ { 600 * US, 1000 * US, 1000 * US }, NULL },
		{ { 1024, 100 * US, 100 * US }, NULL },
		{ { 1023, 100 * US, 100 * US }, "1024ns" },
		{ { 0, 100 * US, 100 * US }, "1024ns" },
		{ { 100 * US, 100 * US, 100 * US }, NULL },
		{ { 100 * US + 1, 100 * US, 100 * US }, "longer than its deadline of 100us" },
		{ { 10 * US, 101 * US, 100 * US }, "longer than its period of 100us" },
		{ { 10 * US, 99999, 99999 }, "100 to 4194304 us" },
		{ { 10 * US, 4194304 * US, 4194304 * US }, NULL },
		{ { 10 * US, 4194305 * US, 4194305 * US }, "sched_deadline_period_min_us" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct rt_err err = { 0 };
		int status = dl_reserve_check(&rows[i].r, 7, &limits, &err);

		if (!rows[i].refusal) {
			assert_int_equal(status, 0);
			continue;
		}
		assert_int_equal(status, -EINVAL);
		assert_int_equal(err.exit, RT_EXIT_USAGE);
		assert_non_null(strstr(err.text, rows[i].refusal));
		assert_non_null(strstr(err.text, "thread 7"));
	}
}

static void test_reserve_sched(void **state)
{
	const struct dl_reserve r = { 1, 2, 3 };
	struct rt_sched sched = dl_reserve_sched(&r, RT_SCHED_RECLAIM);

	(void)state;
	assert_int_equal(sched.policy, RT_POLICY_DEADLINE);
	assert_int_equal(sched.flags, RT_SCHED_RECLAIM);
	assert_int_equal(sched.runtime_ns, 1);
	assert_int_equal(sched.deadline_ns, 2);
	assert_int_equal(sched.period_ns, 3);
}

static void test_explain(void **state)
{
	const struct dl_reserve reserves[] = { { 600 * US, 1000 * US, 1000 * US },
					       { 800 * US, 1000 * US, 1000 * US } };
	struct rt_cpuset cpus = RT_CPUSET_INIT;
	const struct dl_request request = { reserves, 2, &cpus, false, "--this or --that" };
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(rt_cpuset_kernel_list(&cpus, "0-2,5"), 0);
	rt_err_set(&err, RT_EXIT_MISSING, EBUSY, "cannot get SCHED_DEADLINE runtime: busy");
	dl_explain(&request, &err);
	assert_int_equal(err.exit, RT_EXIT_MISSING);
	assert_int_equal(err.code, -EBUSY);
	assert_non_null(strstr(err.text, "60.0 to 80.0 % each, 140.0 % in sum"));
	assert_non_null(strstr(err.text, "on the 4 CPUs 0-2,5"));
	assert_non_null(strstr(err.text, "--this or --that"));
	assert_non_null(strstr(err.text, "fair server"));

	err = (struct rt_err){ 0 };
	rt_err_set(&err, RT_EXIT_FAILED, EBUSY, "something else is busy");
	dl_explain(&request, &err);
	assert_string_equal(err.text, "something else is busy");
	rt_cpuset_done(&cpus);
}

/* ---- from words to reservations ---------------------------------------------------- */

#define WORDS_MAX 12

struct words {
	int argc;
	char *argv[WORDS_MAX + 1];
	char text[256];
};

static void split(struct words *w, const char *line)
{
	char *rest = NULL;

	snprintf(w->text, sizeof(w->text), "tool %s", line);
	w->argc = 0;
	for (char *word = strtok_r(w->text, " ", &rest); word && w->argc < WORDS_MAX;
	     word = strtok_r(NULL, " ", &rest))
		w->argv[w->argc++] = word;
	w->argv[w->argc] = NULL;
}

static int plan_cyclic(struct cdl_plan *plan, struct cdl_opts *opts, struct words *w,
		       struct rt_err *err)
{
	int status = rt_opts_try(&cdl_table, opts, w->argc, w->argv, err);

	return status ? status : cdl_plan_make(plan, opts, w->argc, w->argv, err);
}

static bool has_rights(void)
{
	struct rt_err err = { 0 };

	return dl_rights_check(&err) == 0;
}

/* Threads 0 and 1 of "-t2" on two CPUs or more, else of what is said. */
static void test_cyclic_plan(void **state)
{
	static const struct {
		const char *line;
		struct dl_reserve first, second; /* in us */
	} rows[] = {
		{ "-t2", { 600, 1000, 1000 }, { 900, 1500, 1500 } },
		{ "-t2 -i 4000 -s 0", { 2400, 4000, 4000 }, { 2400, 4000, 4000 } },
		{ "-t2 -i 2ms -s 1ms", { 1200, 2000, 2000 }, { 1800, 3000, 3000 } },
		{ "-t2 --period 5000", { 3000, 5000, 5000 }, { 3000, 5000, 5000 } },
		{ "-t2 --period 5000,10ms", { 3000, 5000, 5000 }, { 6000, 10000, 10000 } },
		{ "-t2 --runtime 10,20", { 10, 1000, 1000 }, { 20, 1500, 1500 } },
		{ "-t2 --runtime 10 --deadline 500", { 10, 500, 1000 }, { 10, 500, 1500 } },
		{ "-t2 --deadline 500", { 300, 500, 1000 }, { 300, 500, 1500 } },
	};

	(void)state;
	if (!has_rights() || sysconf(_SC_NPROCESSORS_ONLN) < 2)
		skip();
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct cdl_plan plan = { 0 };
		struct cdl_opts opts = { 0 };
		struct rt_err err = { 0 };
		struct words w;

		split(&w, rows[i].line);
		assert_int_equal(plan_cyclic(&plan, &opts, &w, &err), 0);
		assert_int_equal(plan.threads, 2);
		for (int k = 0; k < 2; k++) {
			const struct dl_reserve *r = &plan.reserves[k];
			const struct dl_reserve *want = k ? &rows[i].second : &rows[i].first;

			assert_int_equal(r->runtime_ns, want->runtime_ns * US);
			assert_int_equal(r->deadline_ns, want->deadline_ns * US);
			assert_int_equal(r->period_ns, want->period_ns * US);
		}
		cdl_plan_done(&plan);
	}
}

static void test_cyclic_refusals(void **state)
{
	static const struct {
		const char *line, *word;
	} rows[] = {
		{ "-t2 --runtime 1,2,3", "more values than the 2 threads" },
		{ "-t3 --runtime 1,2", "2 values for 3 threads" },
		{ "--runtime 1,2", "several values for one thread" },
		{ "--runtime 5x", "--runtime: '5x'" },
		{ "-t2 --runtime 5,", "--runtime: ''" },
		{ "-t2 --runtime ,", "--runtime: ''" },
		{ "--runtime 0", "--runtime: '0'" },
		{ "--runtime -5", "-5" },
		{ "--runtime 1", "1024ns" },
		{ "--runtime 1001", "longer than its deadline" },
		{ "--deadline 1001", "longer than its period" },
		{ "--period 99", "100 to" },
		{ "-i 99", "100 to" },
		{ "-i 5s", "4194304" },
		{ "-i 0", "--interval" },
		{ "-i abc", "--interval" },
		{ "-i 5m", "--interval" },
		{ "-s -1", "--step" },
		{ "-i 5 --period 5", "exclude" },
		{ "-s 5 --period 5", "exclude" },
		{ "-t-1", "--threads" },
		{ "-t -1", "-1" },
		{ "-D 5x", "--duration" },
		{ "-b 0", "--breaktrace" },
		{ "--histogram 0", "--histogram" },
		{ "--histogram 1000001", "--histogram" },
		{ "-a 0-", "--affinity" },
		{ "-a 5-2", "--affinity" },
		{ "--isolated", "--isolated" },
		{ "--force", "--force" },
		{ "--cgroup /nowhere", "/nowhere" },
		{ "--limit-missed x", "--limit-missed" },
		{ "--checkpoint 5", "--checkpoint" },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct cdl_plan plan = { 0 };
		struct cdl_opts opts = { 0 };
		struct rt_err err = { 0 };
		struct words w;

		split(&w, rows[i].line);
		if (plan_cyclic(&plan, &opts, &w, &err) >= 0)
			fail_msg("'%s' was not refused", rows[i].line);
		if (err.exit != RT_EXIT_USAGE || !strstr(err.text, rows[i].word))
			fail_msg("'%s': status %d, %s", rows[i].line, (int)err.exit, err.text);
		cdl_plan_done(&plan);
	}
}

/* With more threads than CPUs they share 80 % of all. */
static void test_cyclic_many(void **state)
{
	struct cdl_plan plan = { 0 };
	struct cdl_opts opts = { 0 };
	struct rt_err err = { 0 };
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	char line[64];
	struct words w;

	(void)state;
	if (!has_rights())
		skip();
	snprintf(line, sizeof(line), "-a -t%ld -i 10000", 2 * cpus);
	split(&w, line);
	assert_int_equal(plan_cyclic(&plan, &opts, &w, &err), 0);
	assert_int_equal(plan.reserves[0].runtime_ns, 4000 * US);
	cdl_plan_done(&plan);

	plan = (struct cdl_plan){ 0 };
	opts = (struct cdl_opts){ 0 };
	split(&w, "-a");
	assert_int_equal(plan_cyclic(&plan, &opts, &w, &err), 0);
	assert_int_equal(plan.threads, rt_cpuset_count(&plan.places.cpus));
	assert_false(plan.places.is_apart);
	cdl_plan_done(&plan);
}

/* ---- deadline_test ----------------------------------------------------------------- */

static void test_percent(void **state)
{
	static const struct {
		int64_t percent;
		int cpus;
		unsigned int threads;
		int each;
	} rows[] = {
		{ 80, 2, 2, 80 },	{ 80, 2, 4, 40 },  { 80, 2, 1, 90 }, { 100, 1, 1, 90 },
		{ 90, 1, 1, 90 },	{ 1, 1, 100, 1 },  { 1, 1, 1, 1 },   { 80, 16, 100000, 1 },
		{ 100, 1024, 1, 90 },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++)
		assert_int_equal(dlt_percent(rows[i].percent, rows[i].cpus, rows[i].threads),
				 rows[i].each);
}

static void test_loops(void **state)
{
	static const struct dlt_speed speed = { .loops_per_ms = 500000, .overhead_us = 50 };

	(void)state;
	assert_int_equal(dlt_loops(&speed, 1050 * US, 100), 500000);
	assert_int_equal(dlt_loops(&speed, 1050 * US, 50), 250000);
	assert_int_equal(dlt_loops(&speed, 50 * US, 100), 0);
	assert_int_equal(dlt_loops(&speed, 20 * US, 100), 0);
	assert_int_equal(dlt_loops(&speed, 51 * US, 100), 500);
	/* four seconds: no overflow */
	assert_int_equal(dlt_loops(&speed, 4000050 * US, 100), 2000000000);
}

/* Worked out by hand: 5 needs one loop (3 * 3 > 5), 9 one division. */
static void test_work(void **state)
{
	(void)state;
	assert_int_equal(dlt_work_do(0), 2);
	assert_int_equal(dlt_work_do(1), 3);
	assert_int_equal(dlt_work_do(2), 5);
	assert_int_equal(dlt_work_do(3), 7);
	assert_int_equal(dlt_work_do(4), 7);  /* 9 = 3 * 3 */
	assert_int_equal(dlt_work_do(6), 11); /* by 3, then 5 * 5 > 11 */
	assert_true(dlt_work_do(100000) > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reserve_check),	cmocka_unit_test(test_reserve_sched),
		cmocka_unit_test(test_explain),		cmocka_unit_test(test_cyclic_plan),
		cmocka_unit_test(test_cyclic_refusals), cmocka_unit_test(test_cyclic_many),
		cmocka_unit_test(test_percent),		cmocka_unit_test(test_loops),
		cmocka_unit_test(test_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
