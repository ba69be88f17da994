/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outfile: which targets are replaced and which are written straight, and that
 * a failure leaves the old content and nothing else.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "folder.h"
#include "../../src/lib/undo_internal.h"
#include "rt/compiler.h"
#include "rt/outfile.h"

/* How many names the folder holds. */
static int count(const char *name)
{
	DIR *dir = opendir(in(name));
	struct dirent *item;
	int n = 0;

	assert_non_null(dir);
	while ((item = readdir(dir)))
		n += strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0;
	closedir(dir);
	return n;
}

static bool is_link(const char *name)
{
	struct stat st;

	return lstat(in(name), &st) == 0 && S_ISLNK(st.st_mode);
}

static int make_base(void **state RT_UNUSED)
{
	if (folder_make("outfile"))
		return -1;
	rt_undo_folder_for_tests(base);
	return mkdir(in("d"), 0755);
}

static struct rt_outfile *begin(const char *path)
{
	struct rt_outfile *f = NULL;
	struct rt_err err = { 0 };

	if (rt_outfile_open(&f, path, NULL, &err) < 0)
		fail_msg("%s", err.text);
	return f;
}

static void write_text(struct rt_outfile *f, const char *text)
{
	struct rt_err err = { 0 };

	if (rt_outfile_write(f, text, strlen(text), &err) < 0)
		fail_msg("%s", err.text);
}

/* ---- replaced -------------------------------------------------------------------- */

static void test_absent(void **state RT_UNUSED)
{
	struct rt_outfile *f = begin(in("d/new"));
	struct stat st;
	mode_t mask = umask(027);

	assert_int_equal(count("d"), 0); /* proved, and nothing to be seen */
	assert_true(rt_outfile_is_replaced(f));
	assert_false(rt_outfile_is_stdout(f));
	write_text(f, "one\n");
	umask(mask);
	assert_string_equal(get("d/new"), "one\n");
	assert_int_equal(stat(in("d/new"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	rt_outfile_close(f);
	assert_int_equal(count("d"), 1);
}

static void test_again_and_again(void **state RT_UNUSED)
{
	struct rt_outfile *f;
	struct stat first, second;
	int reader;

	put("d/old", "old, and much longer than what follows\n");
	assert_int_equal(chmod(in("d/old"), 0604), 0);
	f = begin(in("d/old"));
	reader = open(in("d/old"), O_RDONLY | O_CLOEXEC);
	write_text(f, "one\n");
	assert_int_equal(stat(in("d/old"), &first), 0);
	write_text(f, "two\n");
	assert_int_equal(stat(in("d/old"), &second), 0);
	assert_int_equal(second.st_mode & 07777, 0604);
	assert_string_equal(get("d/old"), "two\n");
	/* Each is a file of its own: who has the old one open reads on undisturbed. */
	assert_int_equal(lseek(reader, 0, SEEK_END), 39);
	close(reader);
	write_text(f, "");
	assert_string_equal(get("d/old"), "");
	rt_outfile_close(f);
	assert_int_equal(count("d"), 1);
}

static void test_unwritten(void **state RT_UNUSED)
{
	struct rt_outfile *f;

	put("d/old", "old\n");
	f = begin(in("d/old"));
	assert_string_equal(get("d/old"), "old\n");
	rt_outfile_close(f);
	assert_string_equal(get("d/old"), "old\n");
	assert_int_equal(count("d"), 1);
	rt_outfile_close(NULL);
}

static void test_links(void **state RT_UNUSED)
{
	static const char *const names[] = { "to-file", "to-link", "to-nothing" };

	put("d/file", "old\n");
	assert_int_equal(symlink("d/file", in("to-file")), 0);
	assert_int_equal(symlink("to-file", in("to-link")), 0);
	assert_int_equal(symlink("d/nothing", in("to-nothing")), 0);
	for (size_t i = 0; i < RT_ARRAY_SIZE(names); i++) {
		struct rt_outfile *f = begin(in(names[i]));

		assert_true(rt_outfile_is_replaced(f));
		write_text(f, names[i]);
		rt_outfile_close(f);
		assert_true(is_link(names[i]));
		assert_string_equal(get(names[i]), names[i]);
	}
	assert_string_equal(get("d/nothing"), "to-nothing");
	assert_int_equal(count("d"), 2);
}

static void test_relative(void **state RT_UNUSED)
{
	char before[PATH_MAX];
	struct rt_outfile *f;

	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(in("d")), 0);
	f = begin("new");
	/* The folder is meant as it was on the command line. */
	assert_int_equal(chdir("/"), 0);
	write_text(f, "x");
	assert_int_equal(chdir(before), 0);
	rt_outfile_close(f);
	assert_string_equal(get("d/new"), "x");
}

static void test_longest_name(void **state RT_UNUSED)
{
	char name[260] = "d/";
	struct rt_outfile *f;
	struct rt_err err = { 0 };

	memset(name + 2, 'n', 255);
	f = begin(in(name));
	write_text(f, "x");
	rt_outfile_close(f);
	assert_string_equal(get(name), "x");
	name[257] = 'n';
	assert_int_equal(rt_outfile_open(&f, in(name), NULL, &err), -ENAMETOOLONG);
}

static void test_undo_entry(void **state RT_UNUSED)
{
	struct rt_undo *undo;
	struct rt_outfile *f;

	assert_int_equal(rt_undo_open(&undo, NULL), 0);
	assert_int_equal(rt_outfile_open(&f, in("d/new"), undo, NULL), 0);
	for (int i = 0; i < 10; i++)
		write_text(f, "checkpoint");
	assert_non_null(undo->newest);
	assert_null(undo->newest->older); /* one entry, however many files */
	/* What a kill in the middle of writing leaves. */
	put(undo->newest->field[0] + strlen(base) + 1, "half");
	rt_undo_all(undo);
	assert_int_equal(count("d"), 1);
	rt_outfile_close(f);
}

/* ---- refused --------------------------------------------------------------------- */

static void test_refused(void **state RT_UNUSED)
{
	static const struct {
		const char *name;
		int code;
	} rows[] = {
		{ "none/new", -ENOENT },     { "d", -EISDIR },    { "d/", -EISDIR },
		{ "d/new/", -ENOENT },       { "d/.", -EISDIR },  { "file/new", -ENOTDIR },
		{ "loop", -ELOOP },          { "to-d", -EISDIR }, { "to-none", -ENOENT },
	};
	struct rt_outfile *f = NULL;

	put("file", "");
	assert_int_equal(symlink("loop", in("loop")), 0);
	assert_int_equal(symlink("d", in("to-d")), 0);
	assert_int_equal(symlink("none/x", in("to-none")), 0);
	for (size_t i = 0; i < RT_ARRAY_SIZE(rows); i++) {
		struct rt_err err = { 0 };
		int code = rt_outfile_open(&f, in(rows[i].name), NULL, &err);

		if (code != rows[i].code)
			fail_msg("%s: %s", rows[i].name, code ? strerror(-code) : "accepted");
		assert_int_equal(err.exit, RT_EXIT_FAILED);
		assert_non_null(strstr(err.text, rows[i].name));
		assert_null(f);
	}
	assert_int_equal(rt_outfile_open(&f, "", NULL, NULL), -ENOENT);
	assert_int_equal(count("d"), 0);
}

/* As an ordinary user; the answer of the child is an errno. */
static int open_as_nobody(const char *path)
{
	struct rt_outfile *f;
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		if (geteuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
			_exit(255);
		status = rt_outfile_open(&f, path, NULL, NULL);
		if (!status)
			status = rt_outfile_write(f, "new", 3, NULL);
		_exit(-status);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return -WEXITSTATUS(status);
}

static void test_rights(void **state RT_UNUSED)
{
	if (geteuid() != 0) {
		print_message("# SKIP needs root to become somebody else\n");
		skip();
	}
	assert_int_equal(chmod(base, 0755), 0);
	assert_int_equal(open_as_nobody(in("d/new")), -EACCES);
	/* The folder takes nothing, but the file does: rewritten in place. */
	put("d/mine", "a longer content");
	assert_int_equal(chmod(in("d/mine"), 0666), 0);
	assert_int_equal(open_as_nobody(in("d/mine")), 0);
	assert_string_equal(get("d/mine"), "new");
	/* Likewise somebody else's file in a sticky folder, which rename(2) refuses. */
	assert_int_equal(chmod(in("d"), 01777), 0);
	put("d/mine", "a longer content");
	assert_int_equal(open_as_nobody(in("d/mine")), 0);
	assert_string_equal(get("d/mine"), "new");
	assert_int_equal(count("d"), 1);
	/* A file that may not be written is not replaced behind its owner's back. */
	assert_int_equal(chmod(in("d"), 0777), 0);
	assert_int_equal(chmod(in("d/mine"), 0444), 0);
	assert_int_equal(open_as_nobody(in("d/mine")), -EACCES);
	assert_string_equal(get("d/mine"), "new");
}

static void test_owner_is_kept(void **state RT_UNUSED)
{
	struct rt_outfile *f;
	struct stat st;

	if (geteuid() != 0) {
		print_message("# SKIP needs root to own a file as somebody else\n");
		skip();
	}
	put("d/theirs", "old");
	assert_int_equal(chown(in("d/theirs"), 12345, 54321), 0);
	f = begin(in("d/theirs"));
	write_text(f, "new");
	rt_outfile_close(f);
	assert_int_equal(stat(in("d/theirs"), &st), 0);
	assert_int_equal(st.st_uid, 12345);
	assert_int_equal(st.st_gid, 54321);
}

static void test_vanished_folder(void **state RT_UNUSED)
{
	struct rt_outfile *f = begin(in("d/new"));
	struct rt_err err = { 0 };

	assert_int_equal(rmdir(in("d")), 0);
	assert_int_equal(rt_outfile_write(f, "x", 1, &err), -ENOENT);
	assert_int_equal(err.exit, RT_EXIT_FAILED);
	assert_non_null(strstr(err.text, "d/new"));
	rt_outfile_close(f);
}

/* In a child with mounts of its own: a file system of 64 KB, and a mounted single file. */
static int try_mounts(void)
{
	static char big[256 * 1024];
	struct rt_outfile *f;
	struct rt_err err = { 0 };

	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("none", in("d"), "tmpfs", 0, "size=64k") < 0)
		return 77;
	put("d/old", "old\n");
	memset(big, 'x', sizeof(big));
	if (rt_outfile_open(&f, in("d/old"), NULL, NULL) < 0)
		return 1;
	if (rt_outfile_write(f, big, sizeof(big), &err) != -ENOSPC || !rt_err_is_set(&err))
		return 2;
	if (strcmp(get("d/old"), "old\n") != 0 || count("d") != 1)
		return 3;
	/* And it goes on when there is room again. */
	if (rt_outfile_write(f, "new", 3, NULL) < 0 || strcmp(get("d/old"), "new") != 0)
		return 4;
	rt_outfile_close(f);

	put("single", "old\n");
	put("behind", "old\n");
	if (mount(in("behind"), in("single"), NULL, MS_BIND, NULL) < 0)
		return 77;
	if (rt_outfile_open(&f, in("single"), NULL, NULL) < 0)
		return 5;
	if (!rt_outfile_is_replaced(f) || rt_outfile_write(f, "n", 1, NULL) < 0 ||
	    strcmp(get("single"), "n") != 0)
		return 6;
	rt_outfile_close(f);
	return 0;
}

static void test_mounts(void **state RT_UNUSED)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(try_mounts());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		print_message("# SKIP a mount namespace needs root\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- straight -------------------------------------------------------------------- */

static void test_devices(void **state RT_UNUSED)
{
	struct rt_outfile *f = begin("/dev/null");
	struct rt_err err = { 0 };

	assert_false(rt_outfile_is_replaced(f));
	write_text(f, "x");
	rt_outfile_close(f);
	f = begin("/dev/full");
	assert_int_equal(rt_outfile_write(f, "x", 1, &err), -ENOSPC);
	rt_outfile_close(f);
}

static void test_descriptors(void **state RT_UNUSED)
{
	static const char *const folders[] = { "/dev/fd", "/proc/self/fd" };
	struct rt_outfile *f;
	char path[64];
	int fd;

	for (size_t i = 0; i < RT_ARRAY_SIZE(folders); i++) {
		fd = open(in("file"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		assert_int_equal(write(fd, "before ", 7), 7);
		snprintf(path, sizeof(path), "%s/%d", folders[i], fd);
		f = begin(path);
		assert_false(rt_outfile_is_replaced(f));
		write_text(f, "after");
		rt_outfile_close(f);
		assert_string_equal(get("file"), "before after");
		assert_int_equal(write(fd, "!", 1), 1); /* still open for its owner */
		close(fd);
		assert_int_equal(rt_outfile_open(&f, path, NULL, NULL), -EBADF);
	}
	fd = open(in("file"), O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	assert_int_equal(rt_outfile_open(&f, path, NULL, NULL), -EBADF);
	close(fd);
}

static void test_stdout(void **state RT_UNUSED)
{
	static const char *const names[] = { "-", "/dev/stdout" };

	for (size_t i = 0; i < RT_ARRAY_SIZE(names); i++) {
		int status;
		pid_t pid;

		fflush(stdout);
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			struct rt_outfile *f;
			int fd = open(in("file"), O_WRONLY | O_CREAT | O_TRUNC, 0600);

			dup2(fd, STDOUT_FILENO);
			printf("first "); /* buffered: has to come out before */
			if (rt_outfile_open(&f, names[i], NULL, NULL) < 0)
				_exit(1);
			if (rt_outfile_is_stdout(f) != (i == 0) || rt_outfile_is_replaced(f))
				_exit(2);
			fflush(stdout);
			if (rt_outfile_write(f, "second", 6, NULL) < 0)
				_exit(3);
			rt_outfile_close(f);
			_exit(fcntl(STDOUT_FILENO, F_GETFD) < 0 ? 4 : 0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
		assert_string_equal(get("file"), "first second");
	}
}

static void test_fifo(void **state RT_UNUSED)
{
	struct rt_outfile *f;
	struct rt_err err = { 0 };
	char text[16];
	int reader;

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(mkfifo(in("fifo"), 0600), 0);
	reader = open(in("fifo"), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	f = begin(in("fifo"));
	assert_false(rt_outfile_is_replaced(f));
	write_text(f, "through");
	assert_int_equal(read(reader, text, sizeof(text)), 7);
	close(reader);
	assert_int_equal(rt_outfile_write(f, "x", 1, &err), -EPIPE);
	rt_outfile_close(f);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_base, folder_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_absent),
		TEST(test_again_and_again),
		TEST(test_unwritten),
		TEST(test_links),
		TEST(test_relative),
		TEST(test_longest_name),
		TEST(test_undo_entry),
		TEST(test_refused),
		TEST(test_rights),
		TEST(test_owner_is_kept),
		TEST(test_vanished_folder),
		TEST(test_mounts),
		TEST(test_devices),
		TEST(test_descriptors),
		TEST(test_stdout),
		TEST(test_fifo),
	};

	return cmocka_run_group_tests_name("outfile", tests, NULL, NULL);
}
