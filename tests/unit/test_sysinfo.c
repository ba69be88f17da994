/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysinfo: what is told on every machine, and the preemption model from made-up ones. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <unistd.h>

#include "../../src/lib/sysinfo.c"

static void test_preempt_model(void **state RT_UNUSED)
{
	static const struct {
		bool is_realtime;
		const char *version, *choices, *cmdline, *want;
	} rows[] = {
		{ true, "#1 SMP PREEMPT_RT Debian", NULL, "quiet", "rt" },
		{ false, "#1 SMP PREEMPT_RT Debian", NULL, NULL, "rt" },
		{ false, "#1 SMP PREEMPT RT Tue", NULL, NULL, "rt" },
		{ false, "#1 SMP PREEMPT_DYNAMIC x", "none voluntary (full) lazy", "", "full" },
		{ false, "#1 SMP PREEMPT_DYNAMIC x", "(none) voluntary full", "preempt=full", "none" },
		{ false, "#1 SMP PREEMPT_DYNAMIC x", "full (lazy)", NULL, "lazy" },
		{ false, "#1 SMP PREEMPT_DYNAMIC x", NULL, "ro preempt=voluntary quiet", "voluntary" },
		{ false, "#1 SMP PREEMPT_DYNAMIC x", NULL, "preempt=full preempt=none", "none" },
		{ false, "#1 SMP PREEMPT_DYNAMIC x", NULL, "nopreempt=full", NULL },
		{ false, "#1 SMP PREEMPT_DYNAMIC x", NULL, NULL, NULL },
		{ false, "#1 SMP PREEMPT_DYNAMIC x", "(broken", "", NULL },
		{ false, "#1 SMP PREEMPT Debian", NULL, NULL, "full" },
		{ false, "#1 SMP PREEMPT_LAZY x", NULL, NULL, "lazy" },
		{ false, "#1 SMP Debian 6.1.0", NULL, "", NULL },
		{ false, "", NULL, "", NULL },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		char *got = preempt_model(rows[i].is_realtime, rows[i].version, rows[i].choices,
					  rows[i].cmdline);

		if (!got != !rows[i].want || (got && strcmp(got, rows[i].want) != 0))
			fail_msg("row %zu: got '%s'", i, got ? got : "(null)");
		free(got);
	}
}

static void check_line(const char *content, size_t len, const char *want)
{
	char path[] = "/tmp/test_sysinfo.XXXXXX";
	int fd = mkstemp(path);
	char *line;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, content, len), (ssize_t)len);
	close(fd);
	line = rt_read_line(path);
	unlink(path);
	assert_non_null(line);
	assert_string_equal(line, want);
	free(line);
}

static void test_read_line(void **state RT_UNUSED)
{
	char longer[20000], want[sizeof(longer)];

	check_line("", 0, "");
	check_line("\n", 1, "");
	check_line("one\n", 4, "one");
	check_line("one", 3, "one");
	check_line("one\ntwo\n", 8, "one");
	check_line("model\0", 6, "model"); /* as device trees end */
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\n';
	memcpy(want, longer, sizeof(want));
	want[sizeof(want) - 1] = '\0';
	check_line(longer, sizeof(longer), want);

	errno = 0;
	assert_null(rt_read_line("/nonexistent/file"));
	assert_int_equal(errno, ENOENT);
	assert_null(rt_read_line("/tmp"));
	assert_int_equal(errno, EISDIR);
}

static void test_has_word(void **state RT_UNUSED)
{
	assert_true(has_word("performance", "performance"));
	assert_true(has_word("a,performance", "performance"));
	assert_false(has_word("performancex", "performance"));
	assert_false(has_word("", "performance"));
	assert_false(has_word("a,b", "a,b"));
}

static void test_loadavg(void **state RT_UNUSED)
{
	char *text = rt_loadavg();
	double one, five, fifteen;

	assert_non_null(text);
	assert_null(strchr(text, '\n'));
	if (*text)
		assert_int_equal(sscanf(text, "%lf %lf %lf", &one, &five, &fifteen), 3);
	free(text);
}

static void test_this_system(void **state RT_UNUSED)
{
	struct rt_sysinfo info;
	struct utsname uts;

	assert_int_equal(uname(&uts), 0);
	rt_sysinfo_get(&info);
	assert_string_equal(info.uts.release, uts.release);
	assert_non_null(info.online);
	assert_true(*info.online >= '0' && *info.online <= '9');
	assert_non_null(info.isolated);
	assert_non_null(info.nohz_full);
	assert_null(strchr(info.nohz_full, '('));
	if (info.realtime)
		assert_string_equal(info.preempt, "rt");
	if (info.rt_runtime)
		assert_non_null(strchr(info.rt_runtime, '/'));
	rt_sysinfo_done(&info);
	assert_null(info.online);
	rt_sysinfo_done(&info);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_preempt_model), cmocka_unit_test(test_read_line),
		cmocka_unit_test(test_has_word),      cmocka_unit_test(test_loadavg),
		cmocka_unit_test(test_this_system),
	};

	return cmocka_run_group_tests_name("sysinfo", tests, NULL, NULL);
}
