/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * partition: reading groups, and which tasks of others stand in the way. Making
 * one is tested where a kernel can be had for it alone, in tests/vm.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../src/lib/partition_internal.h"

static void finds_words(void **state)
{
	static const struct {
		const char *text, *word;
		bool is_there;
	} rows[] = {
		{ "cpuset cpu io", "cpuset", true }, { "cpuset cpu io", "cpu", true },
		{ "cpuset cpu io", "io", true },     { "cpuset io", "cpu", false },
		{ "cpuset io", "set", false },       { "", "cpu", false },
		{ "12\n123\n", "123", true },	     { "12\n123\n", "1", false },
		{ "12", "12", true },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++)
		assert_int_equal(rt_group_has_word(rows[i].text, rows[i].word), rows[i].is_there);
}

static void make_file(const char *folder, const char *name, const char *text)
{
	char path[128];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	out = fopen(path, "we");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

static void remove_file(const char *folder, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	unlink(path);
}

static void reads_and_writes_groups(void **state)
{
	char folder[] = "/tmp/rtgauge-group-XXXXXX";
	struct rt_cpuset cpus = RT_CPUSET_INIT;
	char *text;

	(void)state;
	assert_non_null(mkdtemp(folder));
	make_file(folder, "cpuset.cpus", "8-15\n");
	make_file(folder, "empty", "\n");
	text = rt_group_read(folder, "cpuset.cpus");
	assert_string_equal(text, "8-15");
	free(text);
	assert_int_equal(rt_group_cpus(&cpus, folder, "cpuset.cpus"), 0);
	assert_int_equal(rt_cpuset_count(&cpus), 8);
	assert_int_equal(rt_group_cpus(&cpus, folder, "empty"), 0);
	assert_int_equal(rt_cpuset_count(&cpus), 0);
	assert_int_equal(rt_group_cpus(&cpus, folder, "missing"), -ENOENT);
	assert_null(rt_group_read(folder, "missing"));
	assert_int_equal(rt_group_write(folder, "missing", "x"), -ENOENT);
	assert_int_equal(rt_group_write(folder, "empty", "new"), 0);
	text = rt_group_read(folder, "empty");
	assert_string_equal(text, "new");
	free(text);
	rt_cpuset_done(&cpus);
	remove_file(folder, "cpuset.cpus");
	remove_file(folder, "empty");
	rmdir(folder);
}

static void refuses_what_is_no_group(void **state)
{
	struct rt_cpuset cpus = RT_CPUSET_INIT;
	struct rt_err err = { 0 };

	(void)state;
	assert_int_equal(rt_partition_given(&cpus, "/nowhere/at/all", &err), -ENOENT);
	assert_int_equal(err.exit, RT_EXIT_USAGE);
	assert_non_null(strstr(err.text, "/nowhere/at/all"));
	err = (struct rt_err){ 0 };
	assert_int_equal(rt_partition_given(&cpus, "nowhere", &err), -ENOENT);
	rt_cpuset_done(&cpus);
}

/* A child that is pinned to one CPU and sleeps. */
static pid_t pinned_child(int cpu)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		for (;;)
			pause();
	}
	assert_int_equal(rt_cpuset_pin_cpu(pid, cpu), 0);
	return pid;
}

static bool is_pinned_to(pid_t pid, int cpu)
{
	struct rt_cpuset mask = RT_CPUSET_INIT;
	bool is_so = rt_cpuset_affinity(&mask, pid) == 0 && rt_cpuset_count(&mask) == 1 &&
		     rt_cpuset_has(&mask, cpu);

	rt_cpuset_done(&mask);
	return is_so;
}

/* Pinned wholly inside: refused by name, or with force noted and put back. */
static void notes_tasks(void **state)
{
	struct rt_cpuset cpus = RT_CPUSET_INIT, usable = RT_CPUSET_INIT;
	struct rt_undo *undo = NULL;
	struct rt_err err = { 0 };
	pid_t child;
	int cpu;

	(void)state;
	assert_true(rt_cpuset_usable(&usable, &err) >= 0);
	if (geteuid() != 0 || rt_cpuset_count(&usable) < 2) {
		rt_cpuset_done(&usable);
		skip();
	}
	cpu = rt_cpuset_nth(&usable, (unsigned int)rt_cpuset_count(&usable) - 1);
	assert_int_equal(rt_cpuset_add(&cpus, cpu), 0);
	child = pinned_child(cpu);
	assert_int_equal(rt_undo_open(&undo, &err), 0);
	assert_int_equal(rt_partition_note_tasks(&cpus, false, undo, &err), -EBUSY);
	assert_int_equal(err.exit, RT_EXIT_MISSING);
	assert_non_null(strstr(err.text, "--force"));
	assert_non_null(strstr(err.text, "is pinned to CPUs"));

	err = (struct rt_err){ 0 };
	assert_int_equal(rt_partition_note_tasks(&cpus, true, undo, &err), 0);
	assert_int_equal(rt_cpuset_pin(child, &usable), 0); /* as the kernel would do */
	assert_false(is_pinned_to(child, cpu));
	rt_undo_all(undo);
	assert_true(is_pinned_to(child, cpu));

	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	rt_cpuset_done(&cpus);
	rt_cpuset_done(&usable);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_words),
		cmocka_unit_test(reads_and_writes_groups),
		cmocka_unit_test(refuses_what_is_no_group),
		cmocka_unit_test(notes_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
