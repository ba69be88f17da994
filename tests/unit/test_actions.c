/* SPDX-License-Identifier: GPL-2.0-or-later */
/* actions: words of --on-threshold, and that signals and commands happen. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rt/actions.h"
#include "rt/compiler.h"

static void test_words(void **state RT_UNUSED)
{
	static const struct {
		const char *text;
		int status;
		enum rt_action_kind kind;
		const char *rest;
		int signal;
		pid_t pid;
	} rows[] = {
		{ "trace", 0, RT_ACTION_TRACE },
		{ "trace,file=a,b", 0, RT_ACTION_TRACE, "a,b" },
		{ "trace,file=", -EINVAL }, { "trace,x=1", -EINVAL }, { "trace,", -EINVAL },
		{ "traces", -EINVAL }, { "", -EINVAL }, { "TRACE", -EINVAL },
		{ "snapshot", 0, RT_ACTION_SNAPSHOT }, { "snapshot,x", -EINVAL },
		{ "signal,num=15,pid=77", 0, RT_ACTION_SIGNAL, NULL, 15, 77 },
		{ "signal,pid=parent,num=1", 0, RT_ACTION_SIGNAL, NULL, 1, 0 },
		{ "signal", -EINVAL }, { "signal,num=15", -EINVAL }, { "signal,pid=1", -EINVAL },
		{ "signal,num=0,pid=1", -EINVAL }, { "signal,num=999,pid=1", -EINVAL },
		{ "signal,num=9,pid=0", -EINVAL }, { "signal,num=9,pid=-1", -EINVAL },
		{ "signal,num=9,pid=x", -EINVAL }, { "signal,num=9,pid=1,x", -EINVAL },
		{ "shell,command=echo a, b=c", 0, RT_ACTION_SHELL, "echo a, b=c" },
		{ "shell", -EINVAL }, { "shell,command=", -EINVAL }, { "shell,cmd=x", -EINVAL },
		{ "continue", 0, RT_ACTION_CONTINUE }, { "continue,", -EINVAL },
		{ "stop", 0, RT_ACTION_STOP },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct rt_actions actions = { 0 };
		struct rt_err err = { 0 };

		if (rt_actions_add(&actions, rows[i].text, &err) != rows[i].status)
			fail_msg("'%s': %s", rows[i].text, err.text);
		assert_int_equal(actions.count, rows[i].status ? 0 : 1);
		assert_int_equal(err.exit, rows[i].status ? RT_EXIT_USAGE : RT_EXIT_GOOD);
		if (rows[i].status)
			continue;
		assert_int_equal(actions.action[0].kind, rows[i].kind);
		assert_int_equal(actions.action[0].signal, rows[i].signal);
		assert_int_equal(actions.action[0].pid, rows[i].pid);
		if (rows[i].rest)
			assert_string_equal(actions.action[0].text, rows[i].rest);
		else
			assert_null(actions.action[0].text);
	}
}

static void test_together(void **state RT_UNUSED)
{
	struct rt_actions actions = { 0 };

	assert_null(rt_actions_find(&actions, RT_ACTION_STOP));
	assert_int_equal(rt_actions_add(&actions, "stop", NULL), 0);
	assert_int_equal(rt_actions_add(&actions, "continue", NULL), -EINVAL);
	assert_int_equal(rt_actions_add(&actions, "trace", NULL), 0);
	assert_int_equal(rt_actions_add(&actions, "trace,file=x", NULL), -EINVAL);
	while (actions.count < RT_ACTIONS_MAX)
		assert_int_equal(rt_actions_add(&actions, "shell,command=:", NULL), 0);
	assert_int_equal(rt_actions_add(&actions, "shell,command=:", NULL), -EINVAL);
	assert_ptr_equal(rt_actions_find(&actions, RT_ACTION_TRACE), &actions.action[1]);
	assert_int_equal(rt_actions_check(&actions, NULL), 0);
}

static void test_deeds(void **state RT_UNUSED)
{
	struct rt_actions actions = { 0 };
	struct rt_err err = { 0 };
	pid_t child = fork();
	int status;

	if (child == 0) {
		pause();
		_exit(0);
	}
	assert_int_equal(rt_actions_add(&actions, "signal,num=9,pid=1", NULL), 0);
	actions.action[0].pid = child;
	assert_int_equal(rt_action_do(&actions.action[0], NULL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == 9);
	assert_int_equal(rt_action_do(&actions.action[0], &err), -ESRCH);
	assert_non_null(strstr(err.text, "signal 9"));

	err = (struct rt_err){ 0 };
	assert_int_equal(rt_actions_add(&actions, "shell,command=true", NULL), 0);
	assert_int_equal(rt_actions_add(&actions, "shell,command=exit 3", NULL), 0);
	assert_int_equal(rt_action_do(&actions.action[1], &err), 0);
	assert_int_equal(rt_action_do(&actions.action[2], &err), -ECHILD);
	assert_non_null(strstr(err.text, "'exit 3' ended with status 3"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_deeds),
	};

	return cmocka_run_group_tests_name("actions", tests, NULL, NULL);
}
