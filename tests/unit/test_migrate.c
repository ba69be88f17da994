/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_migrate - the pass rule of rt-migrate-test, its priorities and its words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../src/rt-migrate-test/migrate.h"

#define MAXERR 1000

struct judgement {
	struct mig_lap lower, higher;
	enum mig_fault fault;
};

static const struct judgement judgements[] = {
	/* as it should be: the lower one waits */
	{ { 20000, 40000, 500 }, { 100, 20100, 500 }, MIG_FINE },
	/* both run at once, within the tolerance */
	{ { 100, 20100, 500 }, { 100, 20100, 400 }, MIG_FINE },
	{ { 100, 20100, 500 }, { 1100, 21100, 400 }, MIG_FINE },
	/* one more than the tolerance is suspicious; then the rest decides */
	{ { 100, 20100, 500 }, { 1101, 21100, 499 }, MIG_FEWER_LOOPS },
	{ { 100, 20100, 500 }, { 1101, 21100, 500 }, MIG_FINE },
	{ { 100, 20100, 500 }, { 1101, 21101, 500 }, MIG_ENDED_AFTER },
	{ { 100, 20100, 500 }, { 20100, 20200, 500 }, MIG_FINE },
	{ { 100, 20100, 500 }, { 20101, 20200, 500 }, MIG_STARTED_AFTER },
	{ { 100, 20100, 500 }, { 20101, 40100, 499 }, MIG_FEWER_LOOPS },
	/* far before the lower one is no fault, however little it did */
	{ { 20000, 40000, 500 }, { 0, 1, 1 }, MIG_FINE },
};

static void rule(void **state)
{
	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(judgements); i++)
		assert_int_equal(mig_judge(&judgements[i].lower, &judgements[i].higher, MAXERR),
				 judgements[i].fault);
}

static void first_fault_counts(void **state)
{
	struct mig_lap laps[] = { { 20000, 40000, 9 }, { 0, 20000, 9 }, { 30000, 50000, 9 },
				  { 60000, 80000, 9 } };
	enum mig_fault fault = MIG_FINE;

	(void)state;
	assert_int_equal(mig_find(laps, 4, MAXERR, &fault), 2);
	assert_int_equal(fault, MIG_STARTED_AFTER);
	assert_int_equal(mig_find(laps, 2, MAXERR, &fault), 0);
	assert_int_equal(mig_find(laps, 1, MAXERR, &fault), 0);
}

static void every_fault_has_words(void **state)
{
	(void)state;
	for (int fault = MIG_FINE; fault <= MIG_ENDED_AFTER; fault++)
		assert_true(strlen(mig_fault_text((enum mig_fault)fault)) > 5);
}

struct ladder {
	int base;
	bool equal;
	unsigned int tasks;
	const char *priorities;
};

static const struct ladder ladders[] = {
	{ 2, false, 3, "2 3 4" },
	{ 2, false, 2, "2 3" },
	{ 2, true, 5, "2 3 3 3 6" },
	{ 2, true, 2, "2 3" },
	{ 2, true, 3, "2 3 4" },
	{ 96, true, 5, "96 97 97 97 98" },
	{ 97, true, 3, "97 98 99" }, /* and main at 100: refused */
	{ 97, true, 4, "97 98 98 99" },
};

static void priorities(void **state)
{
	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(ladders); i++) {
		const struct ladder *l = &ladders[i];
		struct mig_opts opts = { .priority = l->base, .equal = l->equal };
		char text[64] = "";

		for (unsigned int t = 0; t < l->tasks; t++)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%d",
				 t ? " " : "", mig_priority(&opts, l->tasks, t));
		assert_string_equal(text, l->priorities);
	}
}

static void words(void **state)
{
	char *argv[] = { (char *)(uintptr_t) "rt-migrate-test", (char *)(uintptr_t) "-c",
			 (char *)(uintptr_t) "5", (char *)(uintptr_t) "-r",
			 (char *)(uintptr_t) "7", (char *)(uintptr_t) "6", NULL };
	struct mig_opts opts = { .tasks = 0 };
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(rt_opts_try(&mig_table, &opts, 6, argv, &err), 0);
	assert_int_equal(opts.tasks, 5);
	assert_true(opts.check);
	assert_int_equal(opts.run_ns, 7 * RT_NS_PER_MS);
	assert_int_equal(opts.sleep_ns, 100 * RT_NS_PER_MS);
	assert_int_equal(opts.maxerr_ns, 1000 * RT_NS_PER_US);
	assert_int_equal(opts.loops, 50);
	assert_int_equal(opts.priority, 2);
	argv[2] = (char *)(uintptr_t) "5x";
	opts.tasks = 0;
	assert_true(rt_opts_try(&mig_table, &opts, 6, argv, &err) < 0);
	assert_non_null(strstr(err.text, "'5x'"));
}

static void bar(void **state)
{
	char buf[MIG_BAR_MAX];

	(void)state;
	mig_bar(buf, 0, 50);
	assert_int_equal(strlen(buf), 1 + 1 + MIG_BAR_WIDTH + 1 + 1 + 1);
	assert_memory_equal(buf, "\r|    ", 6);
	assert_string_equal(buf + 2 + MIG_BAR_WIDTH, "|\r|");
	mig_bar(buf, 5, 50);
	assert_string_equal(buf + 2 + MIG_BAR_WIDTH, "|\r|-------");
	mig_bar(buf, 1000000, 1000000);
	assert_int_equal(strlen(buf), 5 + 2 * MIG_BAR_WIDTH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rule),       cmocka_unit_test(first_fault_counts),
		cmocka_unit_test(every_fault_has_words), cmocka_unit_test(priorities),
		cmocka_unit_test(words),      cmocka_unit_test(bar),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
