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
#include <sys/eventfd.h>

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

static void not_where_nobody_may_write(void **state RT_UNUSED)
{
	assert_int_equal(rt_out_own(ends[0]), -1); /* the reader's end would make a writer, too */
}

static void not_to_a_terminals_master(void **state RT_UNUSED)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	int own;

	if (master < 0 || unlockpt(master) < 0) {
		print_message("# skipped: no terminals to be had here\n");
		return;
	}
	assert_int_equal(rt_out_own(master), -1); /* it would be another terminal's */
	own = open(ptsname(master), O_WRONLY | O_NOCTTY | O_CLOEXEC);
	assert_true(own >= 0);
	close(own);
	close(master);
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

/* A counter that is nearly full may be written, but not so much: a signal ends that, too. */
static void room_that_is_too_small(void **state RT_UNUSED)
{
	const uint64_t nearly = UINT64_MAX - 2, more = 5;
	int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	sigset_t interrupt;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, &nearly, sizeof(nearly)), sizeof(nearly));
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	sigprocmask(SIG_BLOCK, &interrupt, NULL);
	raise(SIGINT);
	assert_int_equal(rt_out_write(fd, &more, sizeof(more)), -EINTR);
	sigwaitinfo(&interrupt, NULL);
	sigprocmask(SIG_UNBLOCK, &interrupt, NULL);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_way_of_our_own, setup, teardown),
		cmocka_unit_test_setup_teardown(not_to_files, setup, teardown),
		cmocka_unit_test_setup_teardown(not_where_nobody_may_write, setup, teardown),
		cmocka_unit_test(not_to_a_terminals_master),
		cmocka_unit_test_setup_teardown(a_full_pipe_and_a_signal, setup, teardown),
		cmocka_unit_test(room_that_is_too_small),
	};

	return cmocka_run_group_tests_name("out", tests, NULL, NULL);
}
