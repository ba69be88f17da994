/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpuset: sets of any size, and lists against worlds that no machine here has. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt/compiler.h"
#include "rt/cpuset.h"

static struct rt_cpuset make(const char *list)
{
	struct rt_cpuset set = RT_CPUSET_INIT;

	assert_int_equal(rt_cpuset_kernel_list(&set, list), 0);
	return set;
}

static void assert_text(const struct rt_cpuset *set, const char *want)
{
	char *text = rt_cpuset_text(set);

	assert_non_null(text);
	assert_string_equal(text, want);
	free(text);
}

/* ---- sets ---------------------------------------------------------------------- */

static void test_empty(void **state RT_UNUSED)
{
	struct rt_cpuset set = RT_CPUSET_INIT, other = RT_CPUSET_INIT;

	assert_int_equal(rt_cpuset_count(&set), 0);
	assert_false(rt_cpuset_has(&set, 0));
	assert_false(rt_cpuset_has(&set, -1));
	assert_int_equal(rt_cpuset_next(&set, -1), -1);
	assert_int_equal(rt_cpuset_nth(&set, 0), -1);
	assert_text(&set, "");
	assert_true(rt_cpuset_equal(&set, &other));
	rt_cpuset_and(&set, &other);
	rt_cpuset_andnot(&set, &other);
	rt_cpuset_remove(&set, 3);
	assert_int_equal(rt_cpuset_copy(&other, &set), 0);
	assert_int_equal(rt_cpuset_pin(0, &set), -EINVAL);
	rt_cpuset_done(&set);
	rt_cpuset_done(&set);
}

static void test_add_remove(void **state RT_UNUSED)
{
	struct rt_cpuset set = RT_CPUSET_INIT;

	assert_int_equal(rt_cpuset_add(&set, -1), -EINVAL);
	assert_int_equal(rt_cpuset_add(&set, 1 << 30), -EINVAL);
	assert_int_equal(rt_cpuset_add(&set, 3), 0);
	assert_int_equal(rt_cpuset_add(&set, 3), 0);
	assert_int_equal(rt_cpuset_add(&set, 5000), 0);
	assert_int_equal(rt_cpuset_add(&set, 1023), 0);
	assert_int_equal(rt_cpuset_add(&set, 1024), 0);
	assert_int_equal(rt_cpuset_count(&set), 4);
	assert_text(&set, "3,1023-1024,5000");
	assert_true(rt_cpuset_has(&set, 5000));
	assert_false(rt_cpuset_has(&set, 5001));
	assert_false(rt_cpuset_has(&set, 1 << 29));
	assert_int_equal(rt_cpuset_next(&set, 3), 1023);
	assert_int_equal(rt_cpuset_next(&set, 5000), -1);
	assert_int_equal(rt_cpuset_nth(&set, 3), 5000);
	assert_int_equal(rt_cpuset_nth(&set, 4), 3);
	assert_int_equal(rt_cpuset_nth(&set, 0xffffffffu), 5000);
	rt_cpuset_remove(&set, 1024);
	rt_cpuset_remove(&set, 1 << 29);
	assert_text(&set, "3,1023,5000");
	rt_cpuset_done(&set);
	assert_int_equal(rt_cpuset_count(&set), 0);
}

/* Sets of different sizes in memory with the same CPUs are the same. */
static void test_unequal_sizes(void **state RT_UNUSED)
{
	struct rt_cpuset small = make("1,3,5"), large = make("1-3,2000");

	assert_false(rt_cpuset_equal(&small, &large));
	rt_cpuset_and(&large, &small);
	assert_text(&large, "1,3");
	assert_true(large.size > small.size);
	rt_cpuset_remove(&small, 5);
	assert_true(rt_cpuset_equal(&small, &large));
	assert_true(rt_cpuset_equal(&large, &small));

	assert_int_equal(rt_cpuset_add(&large, 2000), 0);
	rt_cpuset_andnot(&large, &small);
	assert_text(&large, "2000");
	rt_cpuset_andnot(&small, &large);
	assert_text(&small, "1,3");
	rt_cpuset_and(&small, &large);
	assert_text(&small, "");
	rt_cpuset_done(&small);
	rt_cpuset_done(&large);
}

static void test_copy(void **state RT_UNUSED)
{
	struct rt_cpuset set = make("0-7"), copy = make("100");

	assert_int_equal(rt_cpuset_copy(&copy, &set), 0);
	rt_cpuset_remove(&set, 0);
	assert_text(&copy, "0-7");
	assert_int_equal(rt_cpuset_copy(&copy, &copy), 0);
	assert_text(&copy, "0-7");
	rt_cpuset_done(&set);
	rt_cpuset_done(&copy);
}

static void test_kernel_list(void **state RT_UNUSED)
{
	static const struct {
		const char *text, *want; /* NULL: refused */
	} rows[] = {
		{ "", "" },		      { "\n", "" },
		{ "0\n", "0" },		      { "0-3,8\n", "0-3,8" },
		{ "0-3,8", "0-3,8" },	      { "8,0-3,2", "0-3,8" },
		{ "8000-8191", "8000-8191" }, { "3-0", NULL },
		{ "0,", NULL },		      { ",0", NULL },
		{ "0,,1", NULL },	      { "0-", NULL },
		{ "-1", NULL },		      { "0 1", NULL },
		{ " 0", NULL },		      { "x", NULL },
		{ "0x1", NULL },	      { "0\n1", NULL },
		{ "0-6:2/3", NULL },	      { "99999999999999999999", NULL },
		{ "0-4294967296", NULL },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct rt_cpuset set = make("77");
		int code = rt_cpuset_kernel_list(&set, rows[i].text);

		if (code != (rows[i].want ? 0 : -EINVAL))
			fail_msg("'%s': %d", rows[i].text, code);
		assert_text(&set, rows[i].want ? rows[i].want : "77");
		rt_cpuset_done(&set);
	}
}

/* ---- lists --------------------------------------------------------------------- */

/* Here a world's cpuset is given as a set as well. */
static bool is_allowed(int cpu, void *data)
{
	return rt_cpuset_has(data, cpu);
}

/* @want: the result; NULL: refused with @code and @exit, and @word stands in the sentence */
struct row {
	const char *text;
	const char *want;
	int code;
	enum rt_exit exit;
	const char *word;
};

#define GOOD(text, want) { text, want, 0, RT_EXIT_GOOD, NULL }
#define BAD(text, word) { text, NULL, -EINVAL, RT_EXIT_USAGE, word }
#define ABSENT(text, word) { text, NULL, -ERANGE, RT_EXIT_USAGE, word }
#define BARRED(text, word) { text, NULL, -EPERM, RT_EXIT_MISSING, word }

static void check_row(const struct rt_cpuset_world *world, const struct row *row)
{
	struct rt_cpuset set = make("4242"), want = make(row->want ? row->want : "4242");
	struct rt_err err = { 0 };
	int code = rt_cpuset_parse(&set, row->text, world, &err);
	char *got = rt_cpuset_text(&set);

	if (code != (row->want ? rt_cpuset_count(&want) : row->code) ||
	    !rt_cpuset_equal(&set, &want) || err.exit != row->exit ||
	    (row->word && !strstr(err.text, row->word)))
		fail_msg("'%s': got %d, '%s', exit %d, \"%s\"", row->text, code, got, err.exit,
			 err.text);
	assert_int_equal(rt_err_is_set(&err), !row->want);
	assert_int_equal(rt_cpuset_parse(&set, row->text, world, NULL), code);
	free(got);
	rt_cpuset_done(&set);
	rt_cpuset_done(&want);
}

static void check_world(const char *possible, const char *online, const char *affinity,
			const char *allowed, const struct row *rows, size_t count)
{
	struct rt_cpuset cpuset = make(allowed);
	struct rt_cpuset_world world = {
		.possible = make(possible),
		.online = make(online),
		.affinity = make(affinity),
		.may_use = is_allowed,
		.data = &cpuset,
	};

	for (size_t i = 0; i < count; i++)
		check_row(&world, &rows[i]);
	rt_cpuset_done(&world.possible);
	rt_cpuset_done(&world.online);
	rt_cpuset_done(&world.affinity);
	rt_cpuset_done(&cpuset);
}

static void test_syntax(void **state RT_UNUSED)
{
	static const struct row rows[] = {
		GOOD("0", "0"),
		GOOD("15", "15"),
		GOOD("0-3", "0-3"),
		GOOD("0-3,8", "0-3,8"),
		GOOD("8,0-3", "0-3,8"),
		GOOD("0,0", "0"),
		GOOD("1,0", "0-1"),
		GOOD("3-3", "3"),
		GOOD("0x1", "1"),
		GOOD("0xF", "15"),
		GOOD("01", "1"),
		GOOD("017", "15"),
		GOOD("0x1-0x3", "1-3"),
		GOOD(" 1", "1"),
		GOOD("0, 1", "0-1"),
		GOOD("all", "0-15"),
		GOOD("0,all", "0-15"),
		GOOD("!0", "1-15"),
		GOOD("!0-3,5", "4,6-15"),
		GOOD("+0", "0"),
		GOOD("+1,3-4", "1,3-4"),
		GOOD("+all", "0-15"),
		GOOD("!+0", "1-15"),
		GOOD("!0-14", "15"),
		BAD("", "empty"),
		BAD(" ", "empty"),
		BAD("!", "ends too early"),
		BAD("+", "ends too early"),
		BAD("!+", "ends too early"),
		BAD("+!0", "number is missing"),
		BAD("!!0", "number is missing"),
		BAD("0-1,!0", "number is missing"),
		BAD("0,+1", "number is missing"),
		BAD("0,", "ends too early"),
		BAD(",0", "number is missing"),
		BAD("0,,1", "number is missing"),
		BAD("0-", "ends too early"),
		BAD("-1", "number is missing"),
		BAD("0--1", "number is missing"),
		BAD("0- 1", "number is missing"),
		BAD("0 ,1", "behind"),
		BAD("0 ", "behind"),
		BAD("0-1x", "behind"),
		BAD("0-1:1", "behind"),
		BAD("0-1:2", "behind"),
		BAD("0-1-2", "behind"),
		BAD("08", "behind"),
		BAD("0x", "behind"),
		BAD("1.5", "behind"),
		BAD("0;1", "behind"),
		BAD("5-2", "must rise"),
		BAD("x", "number is missing"),
		BAD("same", "number is missing"),
		BAD("even", "number is missing"),
		BAD("ALL", "number is missing"),
		BAD("allx", "number is missing"),
		BAD("all,0", "last item"),
		BAD("all,all", "last item"),
		BAD("0-all", "number is missing"),
		BAD("!all", "leaves no CPU"),
		BAD("!+all", "leaves no CPU"),
		BAD("!0,all", "leaves no CPU"),
		BARRED("!0-15", "leaves no CPU"),
		ABSENT("16", "CPU 16 does not exist; this machine has CPUs 0-15"),
		ABSENT("0-16", "CPU 16"),
		ABSENT("16-0", "CPU 16"),
		ABSENT("!16", "CPU 16"),
		ABSENT("0x10", "CPU 0x10"),
		ABSENT("8000-8191", "CPU 8000"),
		ABSENT("0-4294967296", "CPU 4294967296"),
		ABSENT("18446744073709551616", "CPU 18446744073709551616"),
		ABSENT("2147483647", "CPU 2147483647"),
		ABSENT("0-2147483648", "CPU 2147483648"),
		ABSENT("+16", "+16"),
	};

	check_world("0-15", "0-15", "0-15", "0-15", rows, RT_ARRAY_SIZE(rows));
}

/* As with taskset: numbers win over the mask, all other forms keep to it. */
static void test_restricted_mask(void **state RT_UNUSED)
{
	static const struct row rows[] = {
		GOOD("0", "0"),
		GOOD("0-15", "0-15"),
		GOOD("all", "4,6,8-9"),
		GOOD("0,all", "0,4,6,8-9"),
		GOOD("!0", "4,6,8-9"),
		GOOD("!4", "6,8-9"),
		GOOD("+0", "4"),
		GOOD("+3", "9"),
		GOOD("+1-2", "6,8"),
		GOOD("!+0", "6,8-9"),
		GOOD("+0,all", "4,6,8-9"),
		ABSENT("+4", "mask (4,6,8-9) ends at +3"),
		ABSENT("+0-4", "no CPU +4"),
		BARRED("!4-9", "leaves no CPU"),
		BARRED("!+0-3", "affinity mask (4,6,8-9)"),
	};
	static const struct row single[] = {
		GOOD("+0", "1"),
		GOOD("!0", "1"),
		GOOD("0", "0"),
		GOOD("all", "1"),
		ABSENT("+1", "mask (1) ends at +0"),
	};

	check_world("0-15", "0-15", "4,6,8-9", "0-15", rows, RT_ARRAY_SIZE(rows));
	check_world("0-1", "0-1", "1", "0-1", single, RT_ARRAY_SIZE(single));
}

static void test_offline_and_barred(void **state RT_UNUSED)
{
	static const struct row rows[] = {
		GOOD("0-2", "0-2"),
		GOOD("all", "0-2,4-7"),
		GOOD("!0", "1-2,4-7"),
		GOOD("!3", "0-2,4-7"),
		GOOD("0,all", "0-2,4-7"),
		BARRED("3", "CPU 3 is offline; CPUs that may be used: 0-2,4-7"),
		BARRED("0-7", "CPU 3 is offline"),
		BARRED("3,all", "CPU 3 is offline"),
		BARRED("12", "CPU 12 is not allowed by the cpuset"),
		BARRED("0,8-9", "CPU 8 is not allowed"),
		ABSENT("16", "this machine has CPUs 0-15"),
	};
	static const struct row nothing[] = {
		BARRED("0", "may be used: none"),
		BARRED("all", "leaves no CPU"),
	};

	check_world("0-15", "0-2,4-15", "0-7", "0-7", rows, RT_ARRAY_SIZE(rows));
	check_world("0-1", "", "0-1", "", nothing, RT_ARRAY_SIZE(nothing));
}

/* A hotplug machine has holes; what is asked for exists at both ends. */
static void test_holes(void **state RT_UNUSED)
{
	static const struct row rows[] = {
		GOOD("0-17", "0-1,16-17"),
		GOOD("!0", "1,16-17"),
		GOOD("+2", "16"),
		ABSENT("2", "CPU 2 does not exist; this machine has CPUs 0-1,16-17"),
		ABSENT("0-2", "CPU 2"),
	};

	check_world("0-1,16-17", "0-1,16-17", "0-1,16-17", "0-1,16-17", rows, RT_ARRAY_SIZE(rows));
}

static void test_large_machine(void **state RT_UNUSED)
{
	static const struct row rows[] = {
		GOOD("8000-8191", "8000-8191"),
		GOOD("1023-1025", "1023-1025"),
		GOOD("all", "0-8191"),
		GOOD("!0-8190", "8191"),
		GOOD("+8191", "8191"),
		ABSENT("8192", "CPUs 0-8191"),
	};

	check_world("0-8191", "0-8191", "0-8191", "0-8191", rows, RT_ARRAY_SIZE(rows));
}

static void test_no_cpuset_question(void **state RT_UNUSED)
{
	struct rt_cpuset_world world = {
		.possible = make("0-3"), .online = make("0-3"), .affinity = make("0"),
	};
	struct rt_cpuset set = RT_CPUSET_INIT;

	assert_int_equal(rt_cpuset_parse(&set, "2-3", &world, NULL), 2);
	assert_text(&set, "2-3");
	rt_cpuset_done(&set);
	rt_cpuset_done(&world.possible);
	rt_cpuset_done(&world.online);
	rt_cpuset_done(&world.affinity);
}

/* ---- this machine: only what holds on every one ----------------------------------- */

static void test_machine_sets(void **state RT_UNUSED)
{
	struct rt_cpuset possible = RT_CPUSET_INIT, online = RT_CPUSET_INIT;
	struct rt_cpuset usable = RT_CPUSET_INIT, other = RT_CPUSET_INIT;

	assert_int_equal(rt_cpuset_possible(&possible), 0);
	assert_int_equal(rt_cpuset_online(&online), 0);
	assert_int_equal(rt_cpuset_usable(&usable, NULL), 0);
	assert_int_equal(rt_cpuset_isolated(&other), 0);
	assert_int_equal(rt_cpuset_nohz_full(&other), 0);
	assert_true(rt_cpuset_count(&usable) >= 1);
	assert_int_equal(rt_cpuset_copy(&other, &online), 0);
	rt_cpuset_andnot(&other, &possible);
	assert_int_equal(rt_cpuset_count(&other), 0);
	assert_int_equal(rt_cpuset_copy(&other, &usable), 0);
	rt_cpuset_andnot(&other, &online);
	assert_int_equal(rt_cpuset_count(&other), 0);
	assert_int_equal(rt_cpuset_affinity(&other, 0x7ffffff0), -ESRCH);
	rt_cpuset_done(&possible);
	rt_cpuset_done(&online);
	rt_cpuset_done(&usable);
	rt_cpuset_done(&other);
}

/* Trying CPUs must leave the caller's own mask alone. */
static void test_choose(void **state RT_UNUSED)
{
	struct rt_cpuset before = RT_CPUSET_INIT, after = RT_CPUSET_INIT;
	struct rt_cpuset set = RT_CPUSET_INIT, usable = RT_CPUSET_INIT;
	struct rt_err err = { 0 };
	char text[16];
	int last;

	assert_int_equal(rt_cpuset_affinity(&before, 0), 0);
	assert_int_equal(rt_cpuset_usable(&usable, NULL), 0);
	last = rt_cpuset_nth(&usable, (unsigned int)rt_cpuset_count(&usable) - 1);

	assert_int_equal(rt_cpuset_choose(&set, "all", &err), rt_cpuset_count(&usable));
	assert_true(rt_cpuset_equal(&set, &usable));
	snprintf(text, sizeof(text), "%d", last);
	assert_int_equal(rt_cpuset_choose(&set, text, &err), 1);
	assert_text(&set, text);
	assert_int_equal(rt_cpuset_choose(&set, "1000000", &err), -ERANGE);
	assert_int_equal(err.exit, RT_EXIT_USAGE);
	assert_text(&set, text);

	assert_int_equal(rt_cpuset_affinity(&after, 0), 0);
	assert_true(rt_cpuset_equal(&before, &after));
	rt_cpuset_done(&before);
	rt_cpuset_done(&after);
	rt_cpuset_done(&set);
	rt_cpuset_done(&usable);
}

static void test_pin(void **state RT_UNUSED)
{
	struct rt_cpuset before = RT_CPUSET_INIT, now = RT_CPUSET_INIT, rest = RT_CPUSET_INIT;
	int first;

	assert_int_equal(rt_cpuset_affinity(&before, 0), 0);
	first = rt_cpuset_next(&before, -1);
	assert_int_equal(rt_cpuset_pin_cpu(0, first), 0);
	assert_int_equal(rt_cpuset_affinity(&now, 0), 0);
	assert_int_equal(rt_cpuset_count(&now), 1);
	assert_true(rt_cpuset_has(&now, first));

	/* With one usable CPU, which is measured, main stays on it. */
	assert_int_equal(rt_cpuset_main(&rest, &now), 0);
	assert_true(rt_cpuset_equal(&rest, &now));

	assert_int_equal(rt_cpuset_pin(0, &before), 0);
	if (rt_cpuset_count(&before) > 1) {
		assert_int_equal(rt_cpuset_main(&rest, &now), 1);
		assert_false(rt_cpuset_has(&rest, first));
		assert_int_equal(rt_cpuset_count(&rest), rt_cpuset_count(&before) - 1);
	}
	assert_int_equal(rt_cpuset_pin_cpu(0, -1), -EINVAL);
	assert_int_equal(rt_cpuset_pin_cpu(0, 100000), -EINVAL);
	rt_cpuset_done(&before);
	rt_cpuset_done(&now);
	rt_cpuset_done(&rest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_add_remove),
		cmocka_unit_test(test_unequal_sizes),
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_kernel_list),
		cmocka_unit_test(test_syntax),
		cmocka_unit_test(test_restricted_mask),
		cmocka_unit_test(test_offline_and_barred),
		cmocka_unit_test(test_holes),
		cmocka_unit_test(test_large_machine),
		cmocka_unit_test(test_no_cpuset_question),
		cmocka_unit_test(test_machine_sets),
		cmocka_unit_test(test_choose),
		cmocka_unit_test(test_pin),
	};

	return cmocka_run_group_tests_name("cpuset", tests, NULL, NULL);
}
