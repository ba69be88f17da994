/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * out: writing to a pipe that others write to, and that nobody may be reading.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>

#include "folder.h"
#include "rt/out.h"

static int ends[2];

static int setup(void **state RT_UNUSED)
{
	return pipe2(ends, O_CLOEXEC);
}

static int teardown(void **state RT_UNUSED)
{
	close(ends[0]);
	close(ends[1]);
	return 0;
}

static bool never_sleeps(int fd)
{
	return fcntl(fd, F_GETFL) & O_NONBLOCK;
}

static void a_way_of_our_own(void **state RT_UNUSED)
{
	char got[4] = "";
	int own = rt_out_own(ends[1]);

	assert_true(own >= 0);
	assert_true(never_sleeps(own));
	assert_false(never_sleeps(ends[1])); /* others may have it, too */
	assert_int_equal(fcntl(own, F_GETFD), FD_CLOEXEC);
	assert_int_equal(rt_out_write(own, "abc", 3), 0);
	assert_int_equal(read(ends[0], got, sizeof(got)), 3);
	assert_string_equal(got, "abc");
	close(own);
}

static void not_to_files(void **state RT_UNUSED)
{
	int fd;

	assert_int_equal(folder_make("out"), 0);
	fd = open(in("file"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(rt_out_own(fd), -1); /* it would begin at the file's start */
	close(fd);
	assert_int_equal(folder_remove(NULL), 0);
	assert_int_equal(rt_out_own(-1), -1);
}

/* As long as there is room all is written; then a signal that waits ends it. */
static void a_full_pipe_and_a_signal(void **state RT_UNUSED)
{
	static char block[4096];
	sigset_t interrupt;
	int own = rt_out_own(ends[1]), status = 0;
	size_t blocks = 0;

	assert_true(own >= 0);
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	sigprocmask(SIG_BLOCK, &interrupt, NULL);
	raise(SIGINT);
	while (!(status = rt_out_write(own, block, sizeof(block))))
		blocks++;
	assert_int_equal(status, -EINTR);
	assert_true(blocks > 0);
	sigwaitinfo(&interrupt, NULL);
	sigprocmask(SIG_UNBLOCK, &interrupt, NULL);
	close(own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_way_of_our_own, setup, teardown),
		cmocka_unit_test_setup_teardown(not_to_files, setup, teardown),
		cmocka_unit_test_setup_teardown(a_full_pipe_and_a_signal, setup, teardown),
	};

	return cmocka_run_group_tests_name("out", tests, NULL, NULL);
}
