/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_hackbench - its command lines, in all their forms, and the plan that
 * comes of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../src/hackbench/hackbench.h"

#define WORDS_MAX 16

/* The documents are not looked at here. */
void hb_report_plan(struct hb_plan *plan)
{
	plan->results.opts = &plan->opts->results;
}

/* "a|b" into { "hackbench", "a", "b" } */
static int cut(char *line, char **argv)
{
	int argc = 1;
	char *rest;

	argv[0] = (char *)(uintptr_t) "hackbench";
	for (char *word = strtok_r(line, "|", &rest); word; word = strtok_r(NULL, "|", &rest))
		argv[argc++] = word;
	return argc;
}

struct line {
	const char *words;
	const char *plan;    /* groups fds loops datasize mode kind */
	const char *refused; /* or a part of the sentence */
};

static const struct line lines[] = {
	{ "", "10 20 100 100 process socketpair", NULL },
	{ "-g|3|-f|4|-l|5|-s|6|-p", "3 4 5 6 process pipe", NULL },
	{ "--groups=3|--datasize=4k|--inet|--threads", "3 20 100 4096 thread inet", NULL },
	{ "-T|-P", "10 20 100 100 process socketpair", NULL },
	{ "--proc|--thr", "10 20 100 100 thread socketpair", NULL },
	{ "5", "5 20 100 100 process socketpair", NULL },
	{ "5|thread", "5 20 100 100 thread socketpair", NULL },
	{ "5|process|7", "5 20 7 100 process socketpair", NULL },
	{ "5|-f|2|threads|-p|7", "5 2 7 100 thread pipe", NULL },
	{ "-g|2|5|thread|7|-P|-l|9", "2 20 9 100 process socketpair", NULL },
	{ "5|many", "5 20 100 100 process socketpair", NULL },
	{ "5|many|thread", "5 20 100 100 thread socketpair", NULL },
	{ "thread", "10 20 100 100 process socketpair", NULL },
	{ "5|t", "5 20 100 100 process socketpair", NULL },
	{ "0", "10 20 100 100 process socketpair", NULL },
	{ "-g|0", NULL, "--groups: '0'" },
	{ "-f|1000001", NULL, "--fds: '1000001'" },
	{ "-g|1000|-f|1000", "1000 1000 100 100 process socketpair", NULL },
	{ "-g|1000|-f|10000", NULL, "20000000 tasks" },
	{ "-g|1|-f|1|-s|1|-l|9223372036854775807", "1 1 9223372036854775807 1 process socketpair",
	  NULL },
	{ "-g|1|-f|1|-s|2|-l|9223372036854775807", NULL, "--loops: '9223372036854775807'" },
	{ "-p|-i", NULL, "--pipe and --inet" },
};

static int make(struct hb_plan *plan, struct hb_opts *opts, const char *words, struct rt_err *err)
{
	char line[256], *argv[WORDS_MAX];
	int argc, status;

	snprintf(line, sizeof(line), "%s", words);
	argc = cut(line, argv);
	status = rt_opts_try(&hb_table, opts, argc, argv, err);
	return status ? status : hb_plan_make(plan, opts, argc, argv, err);
}

static void plans(void **state)
{
	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(lines); i++) {
		struct hb_opts opts = { .mode = HB_MODE_DEFAULT };
		struct hb_plan plan = { 0 };
		struct rt_err err = { 0 };
		char text[128];
		int status = make(&plan, &opts, lines[i].words, &err);

		if (lines[i].refused) {
			assert_true(status < 0);
			assert_int_equal(err.exit, RT_EXIT_USAGE);
			assert_non_null(strstr(err.text, lines[i].refused));
			continue;
		}
		assert_int_equal(status, 0);
		snprintf(text, sizeof(text), "%u %u %llu %zu %s %s", plan.groups, plan.fds,
			 (unsigned long long)plan.loops, plan.datasize,
			 plan.mode == HB_THREADS ? "thread" : "process",
			 plan.kind == HB_PIPE ? "pipe" : plan.kind == HB_TCP ? "inet" : "socketpair");
		assert_string_equal(text, lines[i].plan);
	}
}

static void counts(void **state)
{
	struct hb_opts opts = { .mode = HB_MODE_DEFAULT };
	struct hb_plan plan = { 0 };

	(void)state;
	assert_int_equal(make(&plan, &opts, "-g|3|-f|4|-l|5|-s|6", NULL), 0);
	assert_int_equal(plan.tasks, 24);
	assert_int_equal(plan.messages, 3 * 4 * 4 * 5);
	assert_int_equal(plan.bytes, 3 * 4 * 4 * 5 * 6);
	assert_true(plan.files >= 4 + 1 && plan.files < 64); /* of one group */
	assert_int_equal(make(&plan, &opts, "-g|300|-f|4|-T", NULL), 0);
	assert_true(plan.files >= 2400); /* of all */
}

struct splitting {
	const char *word;
	const char *words; /* NULL: not to be cut */
};

static const struct splitting splittings[] = {
	{ "-g 2 -l 10", "-g|2|-l|10" },
	{ "  -g\t2  ", "-g|2" },
	{ "a b", "a|b" },
	{ "-g2", NULL },
	{ "", NULL },
	{ "   ", NULL },
	{ " -g2", NULL },
	{ "-g2 ", "-g2" },
	{ "1 2 3 4 5 6 7 8", "1|2|3|4|5|6|7|8" },
};

static void splits(void **state)
{
	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(splittings); i++) {
		char word[64], text[64] = "", *argv[] = { word, word, NULL };
		char **words = NULL;
		int count;

		snprintf(word, sizeof(word), "%s", splittings[i].word);
		count = hb_split(2, argv, &words);
		for (int w = 1; w < count; w++)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
				 w > 1 ? "|" : "", words[w]);
		if (splittings[i].words)
			assert_string_equal(text, splittings[i].words);
		else
			assert_int_equal(count, 0);
		assert_string_equal(word, splittings[i].word); /* argv stays as it was */
		free(words);
	}
}

static void many_words_are_not_cut(void **state)
{
	char *argv[] = { (char *)(uintptr_t) "hackbench", (char *)(uintptr_t) "-g 2",
			 (char *)(uintptr_t) "-l 3", NULL };
	char **words = NULL;

	(void)state;
	assert_int_equal(hb_split(3, argv, &words), 0);
	assert_int_equal(hb_split(1, argv, &words), 0);
	assert_null(words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plans),
		cmocka_unit_test(counts),
		cmocka_unit_test(splits),
		cmocka_unit_test(many_words_are_not_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
