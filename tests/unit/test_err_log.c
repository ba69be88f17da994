/* SPDX-License-Identifier: GPL-2.0-or-later */
/* err and log: one line, the first failure decides, the exit status follows. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rt/err.h"
#include "rt/log.h"

static void test_set_returns_code(void **state RT_UNUSED)
{
	struct rt_err err = { 0 };

	assert_int_equal(rt_err_set(NULL, RT_EXIT_FAILED, EPERM, "x"), -EPERM);
	assert_int_equal(rt_err_set(NULL, RT_EXIT_FAILED, -EPERM, "x"), -EPERM);
	assert_int_equal(rt_err_set(NULL, RT_EXIT_FAILED, 0, "x"), -EINVAL);
	assert_false(rt_err_is_set(NULL));
	assert_false(rt_err_is_set(&err));
	assert_int_equal(rt_err_set(&err, RT_EXIT_MISSING, ENODEV, "no %s %d", "CPU", 9), -ENODEV);
	assert_true(rt_err_is_set(&err));
	assert_int_equal(err.exit, RT_EXIT_MISSING);
	assert_int_equal(err.code, -ENODEV);
	assert_string_equal(err.text, "no CPU 9");
}

static void test_first_one_stays(void **state RT_UNUSED)
{
	struct rt_err err = { 0 };

	rt_err_set(&err, RT_EXIT_LIMIT, EIO, "first");
	assert_int_equal(rt_err_set(&err, RT_EXIT_USAGE, ENOENT, "second"), -ENOENT);
	assert_string_equal(err.text, "first");
	assert_int_equal(err.exit, RT_EXIT_LIMIT);
	assert_int_equal(err.code, -EIO);
}

static void test_text_is_one_printable_line(void **state RT_UNUSED)
{
	char huge[3 * RT_ERR_TEXT_MAX];
	struct rt_err err = { 0 };

	rt_err_set(&err, RT_EXIT_USAGE, EINVAL, "'%s'", "a\nb\x1b[1m\x7f\xc3\xa4");
	assert_string_equal(err.text, "'a?b?[1m?\xc3\xa4'");

	memset(huge, 'x', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = '\0';
	err = (struct rt_err){ 0 };
	rt_err_set(&err, RT_EXIT_USAGE, EINVAL, "%s", huge);
	assert_int_equal(strlen(err.text), RT_ERR_TEXT_MAX - 1);
	assert_string_equal(err.text + RT_ERR_TEXT_MAX - 5, "x...");

	err = (struct rt_err){ 0 };
	rt_err_set(&err, RT_EXIT_USAGE, EINVAL, "%s", "");
	assert_true(rt_err_is_set(&err));
}

static void test_errno_is_kept(void **state RT_UNUSED)
{
	struct rt_err err = { 0 };

	errno = ENOTDIR;
	rt_err_set(&err, RT_EXIT_FAILED, EIO, "%s", "text");
	assert_int_equal(errno, ENOTDIR);
}

/* What a call prints on stderr. */
static char printed[4096];
static int saved_stderr;
static FILE *catcher;

static void catch_begin(void)
{
	catcher = tmpfile();
	assert_non_null(catcher);
	saved_stderr = dup(STDERR_FILENO);
	dup2(fileno(catcher), STDERR_FILENO);
}

static void catch_end(void)
{
	ssize_t len;

	dup2(saved_stderr, STDERR_FILENO);
	close(saved_stderr);
	len = pread(fileno(catcher), printed, sizeof(printed) - 1, 0);
	printed[len > 0 ? len : 0] = '\0';
	fclose(catcher);
}

static void test_program_name(void **state RT_UNUSED)
{
	assert_string_equal(rt_program(), "rtgauge");
	rt_log_init(NULL);
	rt_log_init("");
	assert_string_equal(rt_program(), "rtgauge");
	rt_log_init("/usr/bin/cyclictest");
	assert_string_equal(rt_program(), "cyclictest");
	rt_log_init("./a/");
	assert_string_equal(rt_program(), "./a/");
	rt_log_init("tool");
	assert_string_equal(rt_program(), "tool");
}

static void test_lines_and_levels(void **state RT_UNUSED)
{
	rt_log_init("tool");
	catch_begin();
	rt_error("e %d", 1);
	rt_warn("w");
	rt_info("i");
	rt_debug("d");
	catch_end();
	assert_string_equal(printed, "tool: e 1\ntool: warning: w\n");

	rt_log_set_level(RT_LOG_INFO);
	catch_begin();
	rt_info("i");
	rt_debug("d");
	catch_end();
	assert_string_equal(printed, "tool: i\n");

	rt_log_set_level(RT_LOG_DEBUG);
	catch_begin();
	rt_debug("d");
	catch_end();
	assert_string_equal(printed, "tool: d\n");

	rt_log_set_level(RT_LOG_ERROR); /* warnings are always printed */
	catch_begin();
	rt_warn("w");
	rt_info("i");
	catch_end();
	assert_string_equal(printed, "tool: warning: w\n");
}

static void test_log_keeps_errno(void **state RT_UNUSED)
{
	rt_log_init("tool");
	catch_begin();
	errno = EXDEV;
	rt_error("%s", "x");
	assert_int_equal(errno, EXDEV);
	catch_end();
}

static void test_warn_err(void **state RT_UNUSED)
{
	struct rt_err err = { 0 };

	rt_log_init("tool");
	catch_begin();
	rt_warn_err(NULL);
	rt_warn_err(&err);
	rt_err_set(&err, RT_EXIT_MISSING, EACCES, "cannot open x");
	rt_warn_err(&err);
	rt_warn_err(&err);
	catch_end();
	assert_string_equal(printed, "tool: warning: cannot open x, continuing without it\n");
	assert_false(rt_err_is_set(&err));
	assert_int_equal(err.exit, RT_EXIT_GOOD);
}

static void test_exit_status(void **state RT_UNUSED)
{
	struct rt_err err = { 0 };

	rt_log_init("tool");
	catch_begin();
	assert_int_equal(rt_exit_status(0, NULL), 0);
	assert_int_equal(rt_exit_status(0, &err), 0);
	catch_end();
	assert_string_equal(printed, "");

	catch_begin();
	assert_int_equal(rt_exit_status(-EIO, &err), RT_EXIT_FAILED);
	catch_end();
	assert_non_null(strstr(printed, strerror(EIO)));

	rt_err_set(&err, RT_EXIT_LIMIT, ERANGE, "too late");
	catch_begin();
	assert_int_equal(rt_exit_status(-ERANGE, &err), RT_EXIT_LIMIT);
	catch_end();
	assert_string_equal(printed, "tool: too late\n");
}

static void test_full_stdout_fails(void **state RT_UNUSED)
{
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	int saved, status;

	if (full < 0) {
		print_message("# skipped: there is no /dev/full\n");
		return;
	}
	fflush(stdout);
	saved = dup(STDOUT_FILENO);
	dup2(full, STDOUT_FILENO);
	catch_begin();
	printf("a result");
	status = rt_exit_status(0, NULL);
	catch_end();
	dup2(saved, STDOUT_FILENO);
	clearerr(stdout);
	close(saved);
	close(full);
	assert_int_equal(status, RT_EXIT_FAILED);
	assert_non_null(strstr(printed, strerror(ENOSPC)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set_returns_code),
		cmocka_unit_test(test_first_one_stays),
		cmocka_unit_test(test_text_is_one_printable_line),
		cmocka_unit_test(test_errno_is_kept),
		cmocka_unit_test(test_program_name),
		cmocka_unit_test(test_lines_and_levels),
		cmocka_unit_test(test_log_keeps_errno),
		cmocka_unit_test(test_warn_err),
		cmocka_unit_test(test_exit_status),
		cmocka_unit_test(test_full_stdout_fails),
	};

	return cmocka_run_group_tests_name("err_log", tests, NULL, NULL);
}
