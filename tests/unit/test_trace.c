/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace: where tracefs is found, what a hit writes; smi: that it answers at all. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "../../src/lib/trace_internal.h"
#include "../../src/lib/tracefs_internal.h"
#include "rt/compiler.h"
#include "rt/smi.h"

static int make_base(void **state RT_UNUSED)
{
	static const char *const folders[] = { "t", "d", "d/tracing", "one", "two", "my x\\" };

	if (folder_make("trace"))
		return -1;
	for (size_t i = 0; i < RT_ARRAY_SIZE(folders); i++)
		if (mkdir(in(folders[i]), 0755) < 0)
			return -1;
	return 0;
}

/* A table of mounts, with our folder for each % */
static void put_mounts(const char *text)
{
	FILE *f = fopen(in("mounts"), "w");

	assert_non_null(f);
	for (const char *c = text; *c; c++)
		if (*c == '%')
			fputs(base, f);
		else
			fputc(*c, f);
	assert_int_equal(fclose(f), 0);
}

static void test_find(void **state RT_UNUSED)
{
	static const struct {
		const char *mounts; /* %: our folder */
		bool usual, below_debugfs;
		const char *found; /* in our folder; NULL: none */
	} rows[] = {
		{ "", false, false, NULL },
		{ "", true, false, "t" },
		{ "tracefs %/one tracefs rw 0 0\n", true, true, "t" },
		{ "proc /proc proc rw 0 0\ntracefs %/my\\040x\\134 tracefs rw 0 0\n", false,
		  false, "my x\\" },
		{ "a %/one tracefs rw 0 0\nb %/two tracefs rw 0 0\n", false, false, "one" },
		{ "a %/one ext4 rw 0 0\n", false, false, NULL },
		{ "debugfs %/d debugfs rw 0 0\n", false, true, "d/tracing" },
		{ "debugfs %/d debugfs rw 0 0\n", false, false, NULL },
		{ "debugfs %/d debugfs rw 0 0\na %/one tracefs rw 0 0\n", false, true, "one" },
		/* hidden below another mount */
		{ "a %/gone tracefs rw 0 0\n", false, false, NULL },
		{ "a %/gone tracefs rw 0 0\nb %/two tracefs rw 0 0\n", false, false, "two" },
		{ "a %/gone tracefs rw 0 0\ndebugfs %/d debugfs rw 0 0\n", false, true, "d/tracing" },
		{ "torn", false, false, NULL },
		{ "torn line\n\n", false, false, NULL },
	};

	put("one/trace_marker", "");
	put("two/trace_marker", "");
	put("my x\\/trace_marker", "");
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		char *found = NULL;
		int status;

		put_mounts(rows[i].mounts);
		unlink(in("t/trace_marker"));
		unlink(in("d/tracing/trace_marker"));
		if (rows[i].usual)
			put("t/trace_marker", "");
		if (rows[i].below_debugfs)
			put("d/tracing/trace_marker", "");
		status = rt_tracefs_find(&found, in("t"), in("mounts"));
		if (!rows[i].found) {
			assert_int_equal(status, -ENOENT);
			assert_null(found);
			continue;
		}
		assert_int_equal(status, 0);
		assert_string_equal(found, in(rows[i].found));
		free(found);
	}
	put("t/x", "");
	unlink(in("t/trace_marker"));
	assert_int_equal(rt_tracefs_find(NULL, in("t"), in("none")), -ENOENT);
}

static void test_hit(void **state RT_UNUSED)
{
	struct rt_trace_mark mark;

	put("t/trace_marker", "");
	put("t/tracing_on", "1\n");
	assert_int_equal(rt_trace_mark_open_in(&mark, in("t"), NULL), 0);
	assert_int_equal(rt_trace_mark_hit(&mark, 66, 1), 0);
	assert_string_equal(get("t/trace_marker"), "hit latency threshold (66 > 1)");
	assert_string_equal(get("t/tracing_on"), "0\n");
	rt_trace_mark_close(&mark);
	assert_int_equal(mark.marker_fd, -1);
	assert_int_equal(mark.switch_fd, -1);
	rt_trace_mark_close(&mark);
	assert_int_equal(rt_trace_mark_hit(&mark, 1, 0), -EBADF);

	put("t/trace_marker", "");
	assert_int_equal(rt_trace_mark_open_in(&mark, in("t"), NULL), 1); /* it is off already */
	assert_int_equal(rt_trace_mark_hit(&mark, INT64_MAX, INT64_MIN), 0);
	assert_string_equal(get("t/trace_marker"), "hit latency threshold "
			    "(9223372036854775807 > -9223372036854775808)");
	rt_trace_mark_close(&mark);
}

/* The trace is stopped even when the mark can't be written. */
static void test_hit_without_mark(void **state RT_UNUSED)
{
	struct rt_trace_mark mark;

	put("t/tracing_on", "1\n");
	assert_int_equal(symlink("/dev/full", in("t/trace_marker")), 0);
	assert_int_equal(rt_trace_mark_open_in(&mark, in("t"), NULL), 0);
	assert_int_equal(rt_trace_mark_hit(&mark, 2, 1), -ENOSPC);
	assert_string_equal(get("t/tracing_on"), "0\n");
	rt_trace_mark_close(&mark);
}

static void test_open_refused(void **state RT_UNUSED)
{
	static const char *const missing[] = { "trace_marker", "tracing_on" };

	for (size_t i = 0; i < RT_ARRAY_SIZE(missing); i++) {
		struct rt_trace_mark mark = { 5, 6 };
		struct rt_err err = { 0 };
		char name[32];

		put("t/trace_marker", "");
		put("t/tracing_on", "1\n");
		snprintf(name, sizeof(name), "t/%s", missing[i]);
		unlink(in(name));
		assert_int_equal(rt_trace_mark_open_in(&mark, in("t"), &err), -ENOENT);
		assert_int_equal(err.exit, RT_EXIT_MISSING);
		assert_non_null(strstr(err.text, missing[i]));
		assert_int_equal(mark.marker_fd, -1);
		assert_int_equal(mark.switch_fd, -1);
	}
}

static void test_hints(void **state RT_UNUSED)
{
	assert_true(rt_tracefs_is_locked("none integrity [confidentiality]"));
	assert_false(rt_tracefs_is_locked("none [integrity] confidentiality"));
	assert_false(rt_tracefs_is_locked("[none] integrity confidentiality"));
	assert_false(rt_tracefs_is_locked(NULL));
	errno = ENOTEMPTY;
	assert_true(strncmp(rt_tracefs_hint(EPERM), "; ", 2) == 0);
	assert_ptr_equal(rt_tracefs_hint(EPERM), rt_tracefs_hint(-EPERM));
	assert_int_equal(errno, ENOTEMPTY);
}

static void test_smi(void **state RT_UNUSED)
{
	struct rt_err err = { 0 };
	uint32_t count;
	int status, fd;

	status = rt_smi_supported(&err);
	assert_true(status == 0 || status == -EOPNOTSUPP);
	assert_int_equal(rt_err_is_set(&err), status < 0);
	err = (struct rt_err){ 0 };
	fd = rt_smi_open(99999, &err);
	assert_true(fd < 0);
	assert_int_equal(err.exit, RT_EXIT_MISSING);
	assert_non_null(strstr(err.text, "/dev/cpu/99999/msr"));
	assert_int_equal(rt_smi_read(-1, &count), -EBADF);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_base, folder_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_find),
		TEST(test_hit),
		TEST(test_hit_without_mark),
		TEST(test_open_refused),
		TEST(test_hints),
		TEST(test_smi),
	};

	return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
