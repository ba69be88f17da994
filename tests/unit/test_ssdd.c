/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_ssdd - what wait statuses mean to it, on statuses of real children.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../src/ssdd/ssdd.h"

/* A child that ends with @code, by @signal, or is stopped by SIGSTOP; its wait status */
static int status_of(int code, int signal)
{
	int wait_status = 0;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		if (signal)
			raise(signal);
		_exit(code);
	}
	assert_int_equal(waitpid(pid, &wait_status, WUNTRACED), pid);
	if (signal == SIGSTOP) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return wait_status;
}

static void states(void **state)
{
	int signal = -1;

	(void)state;
	assert_int_equal(ssdd_state(status_of(0, 0), &signal), SSDD_EXITED);
	assert_int_equal(signal, 0);
	assert_int_equal(ssdd_state(status_of(3, 0), &signal), SSDD_EXITED_ERRSTAT);
	assert_int_equal(signal, 0);
	assert_int_equal(ssdd_state(status_of(0, SIGKILL), &signal), SSDD_SIGNALED);
	assert_int_equal(signal, SIGKILL);
	assert_int_equal(ssdd_state(status_of(0, SIGSTOP), &signal), SSDD_STOPPED);
	assert_int_equal(signal, SIGSTOP);
	assert_int_equal(ssdd_state(0xffff, &signal), SSDD_UNKNOWN); /* continued */
}

static void names(void **state)
{
	(void)state;
	assert_string_equal(ssdd_state_name(SSDD_EXITED), "STATE_EXITED");
	assert_string_equal(ssdd_state_name(SSDD_EXITED_ERRSTAT), "STATE_EXITED_ERRSTAT");
	assert_string_equal(ssdd_state_name(SSDD_STOPPED), "STATE_STOPPED");
	assert_string_equal(ssdd_state_name(SSDD_SIGNALED), "STATE_SIGNALED");
	assert_string_equal(ssdd_state_name(SSDD_UNKNOWN), "STATE_UNKNOWN");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(states), cmocka_unit_test(names) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
