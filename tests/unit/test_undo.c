/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * undo: what is put back at a normal end, after a kill, and by whom when
 * several runs hold the same knob. Ordinary files in a folder of our own are
 * the knobs; the runs are child processes.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "folder.h"
#include "../../src/lib/undo_internal.h"
#include "rt/clock.h"
#include "rt/compiler.h"

/* One line. */
static const char *line_of(const char *name)
{
	char *text = (char *)get(name);

	text[strcspn(text, "\n")] = '\0';
	return text;
}

static int count_journals(void)
{
	DIR *dir = opendir(in("rtgauge"));
	struct dirent *item;
	int count = 0;

	while (dir && (item = readdir(dir)))
		count += strstr(item->d_name, ".journal") != NULL;
	if (dir)
		closedir(dir);
	return count;
}

static int make_base(void **state RT_UNUSED)
{
	if (folder_make("undo"))
		return -1;
	rt_undo_folder_for_tests(base);
	return 0;
}

static struct rt_undo *begin(void)
{
	struct rt_undo *undo = NULL;

	assert_int_equal(rt_undo_open(&undo, NULL), 0);
	assert_non_null(undo);
	return undo;
}

/* ---- runs in processes of their own ---------------------------------------------- */

struct other {
	pid_t pid;
	int to, from;
};

/* Starts one, which does @prepare, says so, and then waits to be told to end or to be killed. */
static struct other start(void (*prepare)(struct rt_undo *undo, const void *data), const void *data)
{
	int down[2], up[2];
	struct other o;
	char byte = 0;

	assert_int_equal(pipe2(down, O_CLOEXEC), 0);
	assert_int_equal(pipe2(up, O_CLOEXEC), 0);
	o.pid = fork();
	assert_true(o.pid >= 0);
	if (o.pid == 0) {
		struct rt_undo *undo;

		close(down[1]);
		if (rt_undo_open(&undo, NULL) < 0)
			_exit(1);
		prepare(undo, data);
		if (write(up[1], "r", 1) != 1 || read(down[0], &byte, 1) != 1)
			_exit(2);
		_exit(rt_undo_all(undo) < 0 ? 3 : 0);
	}
	close(down[0]);
	close(up[1]);
	o.to = down[1];
	o.from = up[0];
	if (read(o.from, &byte, 1) != 1)
		fail_msg("the other run could not prepare");
	return o;
}

static void reap(struct other *o, bool is_killed)
{
	int status;

	assert_int_equal(waitpid(o->pid, &status, 0), o->pid);
	close(o->to);
	close(o->from);
	assert_int_equal(WIFSIGNALED(status), is_killed);
	if (!is_killed)
		assert_int_equal(WEXITSTATUS(status), 0);
}

static void end(struct other o)
{
	assert_int_equal(write(o.to, "e", 1), 1);
	reap(&o, false);
}

static void murder(struct other o)
{
	assert_int_equal(kill(o.pid, SIGKILL), 0);
	reap(&o, true);
}

static void set_knob(struct rt_undo *undo, const void *value)
{
	if (rt_undo_knob(undo, in("knob"), value, NULL) < 0)
		_exit(9);
}

/* The next start of any tool. */
static void next_start(void)
{
	rt_undo_all(begin());
}

/* ---- knobs: one run -------------------------------------------------------------- */

static void test_knob(void **state RT_UNUSED)
{
	struct rt_undo *undo = begin();

	put("knob", "5\n");
	assert_int_equal(rt_undo_knob(undo, in("knob"), "77", NULL), 0);
	assert_string_equal(line_of("knob"), "77");
	assert_int_equal(count_journals(), 1);
	assert_int_equal(rt_undo_all(undo), 0);
	assert_string_equal(line_of("knob"), "5");
	assert_int_equal(count_journals(), 0);
}

static void test_knob_has_value(void **state RT_UNUSED)
{
	struct rt_undo *undo = begin();
	struct stat before, after;

	put("knob", "5\n");
	assert_int_equal(stat(in("knob"), &before), 0);
	assert_int_equal(rt_undo_knob(undo, in("knob"), "5", NULL), 0);
	assert_int_equal(stat(in("knob"), &after), 0);
	assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
	assert_null(undo->newest);
	/* So a later change by somebody else is not ours to take back. */
	put("knob", "6\n");
	assert_int_equal(rt_undo_all(undo), 0);
	assert_string_equal(line_of("knob"), "6");
}

static void test_knob_twice(void **state RT_UNUSED)
{
	struct rt_undo *undo = begin();

	put("knob", "0\n");
	assert_int_equal(rt_undo_knob(undo, in("knob"), "1", NULL), 0);
	assert_int_equal(rt_undo_knob(undo, in("knob"), "2", NULL), 0);
	assert_string_equal(line_of("knob"), "2");
	assert_int_equal(rt_undo_all(undo), 0);
	assert_string_equal(line_of("knob"), "0");
}

static void test_knob_foreign_value(void **state RT_UNUSED)
{
	struct rt_undo *undo = begin();

	put("knob", "0\n");
	assert_int_equal(rt_undo_knob(undo, in("knob"), "1", NULL), 0);
	put("knob", "8\n"); /* the administrator */
	assert_int_equal(rt_undo_all(undo), 0);
	assert_string_equal(line_of("knob"), "8");
}

static void test_knob_gone(void **state RT_UNUSED)
{
	struct rt_undo *undo = begin();

	put("knob", "0\n");
	assert_int_equal(rt_undo_knob(undo, in("knob"), "1", NULL), 0);
	unlink(in("knob"));
	assert_int_equal(rt_undo_all(undo), 0);
	assert_int_equal(access(in("knob"), F_OK), -1);
}

static void test_knob_refused(void **state RT_UNUSED)
{
	struct rt_undo *undo = begin();
	struct rt_err err = { 0 };

	assert_int_equal(rt_undo_knob(undo, in("none"), "1", &err), -ENOENT);
	assert_int_equal(err.exit, RT_EXIT_MISSING);
	assert_non_null(strstr(err.text, "none"));
	assert_null(undo->newest);
	assert_int_equal(rt_undo_all(undo), 0);
}

/* A refused write is no change: nothing is left to undo, nor in the journal. */
static void test_knob_write_fails(void **state RT_UNUSED)
{
	struct rt_undo *undo = begin();
	struct rt_err err = { 0 };

	if (access("/proc/sys/kernel/pid_max", W_OK) < 0) {
		rt_undo_all(undo);
		print_message("# SKIP needs root to be refused by a value and not by a right\n");
		skip();
	}
	assert_true(rt_undo_knob(undo, "/proc/sys/kernel/pid_max", "-7", &err) < 0);
	assert_non_null(strstr(err.text, "'-7'"));
	assert_null(undo->newest);
	assert_int_equal(rt_undo_all(undo), 0);
	assert_int_equal(count_journals(), 0);
}

/* What a file shows, what is written, what is written at the end. */
static void test_knob_forms(void **state RT_UNUSED)
{
	static const struct {
		const char *shown, *value, *after_write, *after_undo;
	} rows[] = {
		{ "nop", "function", "function", "nop" },
		{ "always [madvise] never", "never", "never", "madvise" },
		{ "always [madvise] never", "madvise", "always [madvise] never",
		  "always [madvise] never" },
		{ "FOO NO_BAR BAZ", "BAR", "BAR", "NO_BAR" },
		{ "FOO NO_BAR BAZ", "NO_FOO", "NO_FOO", "FOO" },
		{ "FOO NO_BAR BAZ", "FOO", "FOO NO_BAR BAZ", "FOO NO_BAR BAZ" },
		{ "print-parent nosym-offset", "sym-offset", "sym-offset", "nosym-offset" },
		{ "print-parent nosym-offset", "noprint-parent", "noprint-parent", "print-parent" },
		{ "4 4 1 7", "1 4 1 7", "1 4 1 7", "4 4 1 7" },
		{ "4 4 1 7", "1", "1", "4 4 1 7" },
		{ "", "0-1", "0-1", "" },
		{ "0-1", "", "", "0-1" },
		{ "cpu memory", "+cpu", "cpu memory", "cpu memory" },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct rt_undo *undo = begin();

		put("knob", rows[i].shown);
		assert_int_equal(rt_undo_knob(undo, in("knob"), rows[i].value, NULL), 0);
		if (strcmp(line_of("knob"), rows[i].after_write) != 0)
			fail_msg("'%s' := '%s' made '%s'", rows[i].shown, rows[i].value, line_of("knob"));
		assert_int_equal(rt_undo_all(undo), 0);
		if (strcmp(line_of("knob"), rows[i].after_undo) != 0)
			fail_msg("'%s' := '%s' left '%s'", rows[i].shown, rows[i].value, line_of("knob"));
	}
}

/* A file of the kernel that shows another form than what was written: a name, cut to 15 bytes. */
static void test_knob_kernel_form(void **state RT_UNUSED)
{
	const char *path = "/proc/self/comm";
	rt_auto_free char *before = NULL;
	struct rt_undo *undo;

	if (access(path, W_OK) < 0) {
		print_message("# SKIP no /proc\n");
		skip();
	}
	undo = begin();
	assert_int_equal(rt_undo_knob(undo, path, "0123456789abcdefghi", NULL), 0);
	assert_string_equal(undo->newest->field[KNOB_OURS], "=0123456789abcde");
	before = strdup(undo->newest->field[KNOB_ORIGINAL]);
	assert_int_equal(rt_undo_all(undo), 0);
	undo = begin();
	assert_int_equal(rt_undo_knob(undo, path, "other", NULL), 0);
	assert_string_equal(undo->newest->field[KNOB_ORIGINAL], before);
	assert_int_equal(rt_undo_all(undo), 0);
}

/* ---- knobs: several runs --------------------------------------------------------- */

static void test_shared_first_leaves_first(void **state RT_UNUSED)
{
	struct other a, b;

	put("knob", "0\n");
	a = start(set_knob, "1");
	b = start(set_knob, "1");
	end(a);
	assert_string_equal(line_of("knob"), "1");
	end(b);
	assert_string_equal(line_of("knob"), "0");
	assert_int_equal(count_journals(), 0);
}

static void test_shared_other_values(void **state RT_UNUSED)
{
	struct other a, b;

	put("knob", "0\n");
	a = start(set_knob, "1");
	b = start(set_knob, "2");
	end(b);
	/* Who stays gets what he asked for. */
	assert_string_equal(line_of("knob"), "1");
	end(a);
	assert_string_equal(line_of("knob"), "0");

	a = start(set_knob, "1");
	b = start(set_knob, "2");
	end(a);
	assert_string_equal(line_of("knob"), "2");
	end(b);
	assert_string_equal(line_of("knob"), "0");
}

static void test_shared_three(void **state RT_UNUSED)
{
	struct other a, b, c;

	put("knob", "0\n");
	a = start(set_knob, "1");
	b = start(set_knob, "2");
	c = start(set_knob, "3");
	end(b);
	assert_string_equal(line_of("knob"), "3");
	end(c);
	assert_string_equal(line_of("knob"), "1");
	end(a);
	assert_string_equal(line_of("knob"), "0");
}

static void test_killed_alone(void **state RT_UNUSED)
{
	put("knob", "0\n");
	murder(start(set_knob, "1"));
	assert_string_equal(line_of("knob"), "1");
	assert_int_equal(count_journals(), 1);
	next_start();
	assert_string_equal(line_of("knob"), "0");
	assert_int_equal(count_journals(), 0);
}

static void test_killed_then_changed(void **state RT_UNUSED)
{
	put("knob", "0\n");
	murder(start(set_knob, "1"));
	put("knob", "4\n");
	next_start();
	assert_string_equal(line_of("knob"), "4");
	assert_int_equal(count_journals(), 0);
}

/* The dead one counts no more: the one that lives is the last. */
static void test_killed_beside_a_live_one(void **state RT_UNUSED)
{
	static const struct {
		const char *victim, *other;
		bool victim_first, replay;
	} rows[] = {
		{ "1", "1", true, false },  { "1", "1", false, false }, { "1", "1", true, true },
		{ "1", "1", false, true },  { "1", "2", true, false },  { "1", "2", false, false },
		{ "1", "2", true, true },   { "1", "2", false, true },
	};

	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct other victim, other;

		put("knob", "0\n");
		if (rows[i].victim_first)
			victim = start(set_knob, rows[i].victim);
		other = start(set_knob, rows[i].other);
		if (!rows[i].victim_first)
			victim = start(set_knob, rows[i].victim);
		murder(victim);
		if (rows[i].replay) {
			next_start();
			if (strcmp(line_of("knob"), rows[i].other) != 0)
				fail_msg("row %zu: the live run lost its value", i);
		}
		end(other);
		if (strcmp(line_of("knob"), "0") != 0)
			fail_msg("row %zu: %s is left", i, line_of("knob"));
		next_start();
		assert_string_equal(line_of("knob"), "0");
		assert_int_equal(count_journals(), 0);
	}
}

static void test_all_killed(void **state RT_UNUSED)
{
	struct other a, b;

	put("knob", "0\n");
	a = start(set_knob, "1");
	b = start(set_knob, "2");
	murder(a);
	murder(b);
	assert_int_equal(count_journals(), 2);
	next_start();
	assert_string_equal(line_of("knob"), "0");
	assert_int_equal(count_journals(), 0);
}

/* Killed between its write and its look at the result. */
static void write_without_look(struct rt_undo *undo, const void *data RT_UNUSED)
{
	const char *const fields[] = { in("knob"), "", "0", "?0x10", "1" };

	rt_undo_push(undo, UNDO_KNOB, fields, NULL);
	put("knob", "16\n");
}

static void test_killed_while_writing(void **state RT_UNUSED)
{
	put("knob", "0\n");
	murder(start(write_without_look, NULL));
	next_start();
	assert_string_equal(line_of("knob"), "0");
}

/* ---- journals -------------------------------------------------------------------- */

static void plant(const char *name, const char *text)
{
	char path[300];

	mkdir(in("rtgauge"), 0755);
	snprintf(path, sizeof(path), "rtgauge/%s", name);
	put(path, text);
}

static void test_torn_and_strange_lines(void **state RT_UNUSED)
{
	char text[1024];

	put("a", "");
	put("b", "");
	put("c", "");
	put("d", "");
	snprintf(text, sizeof(text),
		 UNDO_JOURNAL_HEAD "+unlink %s/a\n-unlink %s/b\n+conjure %s/b\n+unlink b\n"
				   "+unlink %s/b extra\n+unlink\n+inode %s/b x y\n+unlink %s/d\n+unlink %s/c",
		 base, base, base, base, base, base, base);
	plant("tool-1-x.journal", text);
	next_start();
	assert_int_equal(access(in("a"), F_OK), -1);
	assert_int_equal(access(in("b"), F_OK), 0); /* done before, or not understood */
	assert_int_equal(access(in("c"), F_OK), 0); /* torn */
	assert_int_equal(access(in("d"), F_OK), -1);
	assert_int_equal(count_journals(), 0);
}

#define PAUSE_NS (30 * RT_NS_PER_MS)

/* What a killed run wants to have waited for is waited for, and before the rest is undone. */
static void test_pause(void **state RT_UNUSED)
{
	struct rt_undo *undo = begin();
	int64_t began = rt_clock_ns(CLOCK_MONOTONIC);
	char text[256];

	assert_int_equal(rt_undo_pause(undo, PAUSE_NS, NULL), 0);
	assert_int_equal(rt_undo_all(undo), 0);
	assert_true(rt_clock_ns(CLOCK_MONOTONIC) - began >= PAUSE_NS);

	put("a", "");
	snprintf(text, sizeof(text), UNDO_JOURNAL_HEAD "+unlink %s/a\n+pause %d\n+pause -5\n", base,
		 (int)PAUSE_NS);
	plant("tool-1-x.journal", text);
	began = rt_clock_ns(CLOCK_MONOTONIC);
	next_start();
	assert_true(rt_clock_ns(CLOCK_MONOTONIC) - began >= PAUSE_NS);
	assert_int_equal(access(in("a"), F_OK), -1);
	assert_int_equal(count_journals(), 0);
}

static void test_not_ours(void **state RT_UNUSED)
{
	char text[256], name[256];

	put("a", "");
	snprintf(text, sizeof(text), UNDO_JOURNAL_HEAD "+unlink %s/a\n", base);
	/* Another format, a link to a journal, files of other names. */
	plant("tool-1-x.journal", "rtgauge-journal 2\n+unlink /tmp\n");
	put("journal", text);
	assert_int_equal(symlink(in("journal"), in("rtgauge/tool-2-x.journal")), 0);
	plant("journal", text);
	snprintf(name, sizeof(name), "tool-%0200d-x.journal", 4);
	plant(name, text);
	/* Another uid's: only root can have such a thing in its folder. */
	if (geteuid() == 0) {
		plant("tool-3-x.journal", text);
		assert_int_equal(chown(in("rtgauge/tool-3-x.journal"), 12345, 12345), 0);
	}
	next_start();
	assert_int_equal(access(in("a"), F_OK), 0);
	assert_int_equal(count_journals(), geteuid() == 0 ? 4 : 3);
}

static void test_open_folder(void **state RT_UNUSED)
{
	char text[256];
	struct rt_undo *undo;

	/* Anybody could have planted this. */
	put("a", "");
	put("knob", "0\n");
	snprintf(text, sizeof(text), UNDO_JOURNAL_HEAD "+unlink %s/a\n", base);
	plant("tool-1-x.journal", text);
	assert_int_equal(chmod(in("rtgauge"), 0777), 0);
	undo = begin();
	assert_int_equal(access(in("a"), F_OK), 0);
	assert_int_equal(rt_undo_knob(undo, in("knob"), "1", NULL), 0);
	assert_int_equal(count_journals(), 1); /* no new one */
	assert_int_equal(rt_undo_all(undo), 0);
	assert_string_equal(line_of("knob"), "0");
}

static void test_linked_folder(void **state RT_UNUSED)
{
	struct rt_undo *undo;

	assert_int_equal(mkdir(in("elsewhere"), 0755), 0);
	assert_int_equal(symlink(in("elsewhere"), in("rtgauge")), 0);
	undo = begin();
	put("knob", "0\n");
	assert_int_equal(rt_undo_knob(undo, in("knob"), "1", NULL), 0);
	assert_int_equal(count_journals(), 0);
	assert_int_equal(rt_undo_all(undo), 0);
}

static void test_no_folder(void **state RT_UNUSED)
{
	struct rt_undo *undo;

	rt_undo_folder_for_tests("/proc/self/none");
	undo = begin();
	put("knob", "0\n");
	assert_int_equal(rt_undo_knob(undo, in("knob"), "1", NULL), 0);
	assert_string_equal(line_of("knob"), "1");
	assert_int_equal(rt_undo_all(undo), 0);
	assert_string_equal(line_of("knob"), "0");
}

static void test_modes(void **state RT_UNUSED)
{
	struct rt_undo *undo;
	struct stat st;
	char path[256];
	mode_t mask = umask(0);

	undo = begin();
	assert_int_equal(rt_undo_unlink(undo, in("x"), NULL), 0);
	umask(mask);
	assert_int_equal(stat(in("rtgauge"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
	snprintf(path, sizeof(path), "rtgauge/%s", undo->journal.name);
	assert_int_equal(stat(in(path), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(stat(in("rtgauge/lock"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(rt_undo_all(undo), 0);
}

/* What can't be put back stays in the journal for the next start. */
static void test_failure_is_kept(void **state RT_UNUSED)
{
	struct rt_undo *undo = begin();

	put("a", "");
	assert_int_equal(mkdir(in("full"), 0755), 0);
	put("full/x", "");
	assert_int_equal(rt_undo_unlink(undo, in("a"), NULL), 0);
	assert_int_equal(rt_undo_rmdir(undo, in("full"), NULL), 0);
	assert_int_equal(rt_undo_all(undo), -ENOTEMPTY);
	assert_int_equal(access(in("a"), F_OK), -1); /* the rest was tried */
	assert_int_equal(count_journals(), 1);
	put("a", ""); /* marked as done: not removed again */
	unlink(in("full/x"));
	next_start();
	assert_int_equal(access(in("full"), F_OK), -1);
	assert_int_equal(access(in("a"), F_OK), 0);
	assert_int_equal(count_journals(), 0);
}

static void leave_in_mount(struct rt_undo *undo, const void *data RT_UNUSED)
{
	rt_undo_rmdir(undo, in("mount/folder"), NULL);
	mkdir(in("mount/folder"), 0700);
	rt_undo_knob(undo, in("mount/knob"), "1", NULL);
}

/* A start that does not see the mount leaves it to one that does. */
static void test_out_of_sight(void **state RT_UNUSED)
{
	assert_int_equal(mkdir(in("mount"), 0755), 0);
	put("mount/knob", "0\n");
	murder(start(leave_in_mount, NULL));
	assert_int_equal(rename(in("mount"), in("elsewhere")), 0);
	next_start();
	assert_int_equal(count_journals(), 1);
	assert_int_equal(rename(in("elsewhere"), in("mount")), 0);
	next_start();
	assert_int_equal(count_journals(), 0);
	assert_string_equal(line_of("mount/knob"), "0");
	assert_int_equal(access(in("mount/folder"), F_OK), -1);
}

/* ---- objects --------------------------------------------------------------------- */

#define ODD_NAME "od d%41\n\x7f\xc3\xa4"
#define SEM_KEY 0x52544755

static char shm_name[RT_UNDO_NAME_MAX], mq_name[RT_UNDO_NAME_MAX];

static void make_objects(struct rt_undo *undo, const void *data RT_UNUSED)
{
	struct stat st;
	int fd;

	rt_undo_unlink(undo, in(ODD_NAME), NULL);
	put(ODD_NAME, "");
	mkfifo(in("fifo"), 0600);
	stat(in("fifo"), &st);
	rt_undo_unlink_inode(undo, in("fifo"), st.st_dev, st.st_ino, NULL);
	put("kept", "");
	rt_undo_unlink_inode(undo, in("kept"), st.st_dev, st.st_ino, NULL);
	rt_undo_rmdir(undo, in("folder"), NULL);
	mkdir(in("folder"), 0700);
	rt_undo_shm(undo, shm_name, NULL);
	fd = shm_open(shm_name, O_CREAT | O_EXCL | O_RDWR, 0600);
	if (fd >= 0)
		close(fd);
	rt_undo_mq(undo, mq_name, NULL);
	mq_close(mq_open(mq_name, O_CREAT | O_EXCL | O_RDWR, 0600, NULL));
	rt_undo_sem(undo, SEM_KEY, NULL);
	semget(SEM_KEY, 1, IPC_CREAT | IPC_EXCL | 0600);
	/* Never made: no fault. */
	rt_undo_unlink(undo, in("never"), NULL);
	rt_undo_rmdir(undo, in("never"), NULL);
	rt_undo_shm(undo, "/rtgauge-never", NULL);
	rt_undo_mq(undo, "/rtgauge-never", NULL);
	rt_undo_sem(undo, SEM_KEY + 1, NULL);
}

static void expect_objects(bool there)
{
	int fd = shm_open(shm_name, O_RDWR, 0);
	mqd_t mq = mq_open(mq_name, O_RDWR);

	assert_int_equal(access(in(ODD_NAME), F_OK) == 0, there);
	assert_int_equal(access(in("fifo"), F_OK) == 0, there);
	assert_int_equal(access(in("folder"), F_OK) == 0, there);
	assert_int_equal(fd >= 0, there);
	assert_int_equal(mq != (mqd_t)-1, there);
	assert_int_equal(semget(SEM_KEY, 0, 0) >= 0, there);
	assert_int_equal(access(in("kept"), F_OK), 0); /* another inode */
	if (fd >= 0)
		close(fd);
	if (mq != (mqd_t)-1)
		mq_close(mq);
}

static void test_objects(void **state RT_UNUSED)
{
	struct other o;

	assert_int_equal(rt_undo_random_name(shm_name), 0);
	assert_int_equal(rt_undo_random_name(mq_name), 0);
	o = start(make_objects, NULL);
	expect_objects(true);
	end(o);
	expect_objects(false);
	o = start(make_objects, NULL);
	murder(o);
	expect_objects(true);
	next_start();
	expect_objects(false);
	assert_int_equal(count_journals(), 0);
}

static void confine(struct rt_undo *undo, const void *data)
{
	const pid_t *tid = data;
	struct rt_cpuset mask = RT_CPUSET_INIT;

	if (rt_cpuset_affinity(&mask, *tid) < 0 || rt_undo_affinity(undo, *tid, &mask, NULL) < 0)
		_exit(9);
	for (int cpu = rt_cpuset_next(&mask, -1); rt_cpuset_count(&mask) > 1;
	     cpu = rt_cpuset_next(&mask, cpu))
		rt_cpuset_remove(&mask, cpu);
	if (rt_cpuset_pin(*tid, &mask) < 0)
		_exit(9);
	rt_cpuset_done(&mask);
}

/* QEMU's emulator for programs makes up what a process reads of itself in /proc. */
static bool own_start_is_made_up(void)
{
	int64_t start = rt_undo_start_time(getpid());
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(rt_undo_start_time(getppid()) != start);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status != 0;
}

static void test_affinity(void **state RT_UNUSED)
{
	struct rt_cpuset before = RT_CPUSET_INIT, now = RT_CPUSET_INIT;
	pid_t self = getpid();
	struct rt_err err = { 0 };
	struct rt_undo *undo;

	if (own_start_is_made_up()) {
		print_message("# SKIP an emulator tells its process another start than others see\n");
		skip();
	}
	assert_int_equal(rt_cpuset_affinity(&before, 0), 0);
	murder(start(confine, &self));
	assert_int_equal(rt_cpuset_affinity(&now, 0), 0);
	if (rt_cpuset_count(&before) > 1)
		assert_int_equal(rt_cpuset_count(&now), 1);
	next_start();
	assert_int_equal(rt_cpuset_affinity(&now, 0), 0);
	assert_true(rt_cpuset_equal(&before, &now));

	/* The same number, but another thread by its start time. */
	undo = begin();
	assert_int_equal(rt_undo_affinity(undo, self, &before, NULL), 0);
	free(undo->newest->field[1]);
	undo->newest->field[1] = strdup("1");
	assert_int_equal(rt_cpuset_pin_cpu(0, rt_cpuset_next(&before, -1)), 0);
	assert_int_equal(rt_undo_affinity(undo, 0x3fffffff, &before, &err), -ESRCH);
	assert_int_equal(rt_undo_all(undo), 0);
	assert_int_equal(rt_cpuset_affinity(&now, 0), 0);
	assert_int_equal(rt_cpuset_count(&now), 1);
	rt_cpuset_pin(0, &before);
	rt_cpuset_done(&before);
	rt_cpuset_done(&now);
}

static char called[8];

static void call(void *data)
{
	strncat(called, data, sizeof(called) - strlen(called) - 1);
}

static void test_order_and_forget(void **state RT_UNUSED)
{
	struct rt_undo *undo = begin();
	struct rt_err err = { 0 };
	char one[] = "1", two[] = "2";

	called[0] = '\0';
	put("a", "");
	assert_int_equal(rt_undo_call(undo, call, one), 0);
	assert_int_equal(rt_undo_unlink(undo, in("a"), NULL), 0);
	rt_undo_forget(undo);
	assert_int_equal(rt_undo_call(undo, call, two), 0);
	assert_int_equal(rt_undo_unlink(undo, "a", &err), -EINVAL);
	assert_int_equal(rt_undo_all(undo), 0);
	assert_string_equal(called, "21");
	assert_int_equal(access(in("a"), F_OK), 0);
	assert_int_equal(rt_undo_all(NULL), 0);
	rt_undo_disown(NULL);
}

static void test_forked_child(void **state RT_UNUSED)
{
	struct rt_undo *undo = begin();
	int status;
	pid_t pid;

	put("knob", "0\n");
	assert_int_equal(rt_undo_knob(undo, in("knob"), "1", NULL), 0);
	for (int i = 0; i < 2; i++) {
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			if (i == 0)
				rt_undo_disown(undo);
			else
				rt_undo_all(undo); /* forgot to */
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
		next_start(); /* our journal is still locked */
		assert_string_equal(line_of("knob"), "1");
		assert_int_equal(count_journals(), 1);
	}
	assert_int_equal(rt_undo_all(undo), 0);
	assert_string_equal(line_of("knob"), "0");
}

static void test_random_name(void **state RT_UNUSED)
{
	char a[RT_UNDO_NAME_MAX], b[RT_UNDO_NAME_MAX];

	assert_int_equal(rt_undo_random_name(a), 0);
	assert_int_equal(rt_undo_random_name(b), 0);
	assert_int_equal(strncmp(a, "/rtgauge-", 9), 0);
	assert_null(strchr(a + 1, '/'));
	assert_int_equal(strlen(strrchr(a, '-') + 1), 16);
	assert_string_not_equal(a, b);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_base, folder_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_knob),
		TEST(test_knob_has_value),
		TEST(test_knob_twice),
		TEST(test_knob_foreign_value),
		TEST(test_knob_gone),
		TEST(test_knob_refused),
		TEST(test_knob_write_fails),
		TEST(test_knob_forms),
		TEST(test_knob_kernel_form),
		TEST(test_shared_first_leaves_first),
		TEST(test_shared_other_values),
		TEST(test_shared_three),
		TEST(test_killed_alone),
		TEST(test_killed_then_changed),
		TEST(test_killed_beside_a_live_one),
		TEST(test_all_killed),
		TEST(test_killed_while_writing),
		TEST(test_torn_and_strange_lines),
		TEST(test_pause),
		TEST(test_not_ours),
		TEST(test_open_folder),
		TEST(test_linked_folder),
		TEST(test_no_folder),
		TEST(test_modes),
		TEST(test_failure_is_kept), TEST(test_out_of_sight),
		TEST(test_objects),
		TEST(test_affinity),
		TEST(test_order_and_forget),
		TEST(test_forked_child),
		TEST(test_random_name),
	};

	return cmocka_run_group_tests_name("undo", tests, NULL, NULL);
}
