/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sigwait: what is awaited is taken, and whatever else comes ends the wait. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <sys/time.h>

#include "rt/sigwait.h"

static sigset_t awaited; /* SIGUSR1, blocked */

static void nothing(int sig)
{
	(void)sig;
}

static int block(void **state)
{
	(void)state;
	sigemptyset(&awaited);
	sigaddset(&awaited, SIGUSR1);
	return sigprocmask(SIG_BLOCK, &awaited, NULL);
}

static void takes_what_is_pending(void **state)
{
	siginfo_t info = { 0 };

	(void)state;
	kill(getpid(), SIGUSR1);
	assert_int_equal(rt_sigwait(&awaited, &info, NULL), SIGUSR1);
	assert_int_equal(info.si_signo, SIGUSR1);
	assert_int_equal(info.si_pid, getpid());
	kill(getpid(), SIGUSR1);
	assert_int_equal(rt_sigwait(&awaited, NULL, NULL), SIGUSR1);
}

static void ends_at_the_timeout(void **state)
{
	const struct timespec soon = { .tv_nsec = 1000000 };

	(void)state;
	errno = 0;
	assert_int_equal(rt_sigwait(&awaited, NULL, &soon), -1);
	assert_int_equal(errno, EAGAIN);
}

static void ends_by_any_other_signal(void **state)
{
	const struct itimerval often = { { 0, 10000 }, { 0, 10000 } }, never = { { 0, 0 }, { 0, 0 } };
	const struct sigaction act = { .sa_handler = nothing };

	(void)state;
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	errno = 0;
	assert_int_equal(rt_sigwait(&awaited, NULL, NULL), -1);
	assert_int_equal(errno, EINTR);
	setitimer(ITIMER_REAL, &never, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_what_is_pending),
		cmocka_unit_test(ends_at_the_timeout),
		cmocka_unit_test(ends_by_any_other_signal),
	};

	return cmocka_run_group_tests_name("sigwait", tests, block, NULL);
}
