/* SPDX-License-Identifier: GPL-2.0-or-later */
/* status: the sealed object as a watcher finds it. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rt/memory.h"
#include "rt/status.h"

static char *args[] = { (char[]){ "mytool" }, (char[]){ "-q" }, NULL };

static struct rt_status *new_status(unsigned int series)
{
	struct rt_status *st = NULL;
	struct rt_err err = { 0 };

	assert_int_equal(rt_status_new(&st, "mytool", 2, args, series, 1000, &err), 0);
	assert_non_null(st);
	return st;
}

/* As a watcher does: look through /proc/PID/fd. -1 if it is not there. */
static int find_memfd(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *e;
	int fd = -1;

	assert_non_null(dir);
	while (fd < 0 && (e = readdir(dir))) {
		char link[300], target[64] = "";

		snprintf(link, sizeof(link), "/proc/self/fd/%s", e->d_name);
		if (readlink(link, target, sizeof(target) - 1) > 0 &&
		    strstr(target, "memfd:" RT_STATUS_MEMFD))
			fd = open(link, O_RDONLY | O_CLOEXEC);
	}
	closedir(dir);
	return fd;
}

static void watcher_reads_all_from_the_head(void **state)
{
	struct rt_status *st = new_status(2);
	struct rt_record *r = rt_status_record(st, 1, -1);
	const struct rt_status_head *head;
	const struct rt_series_info *info;
	const uint32_t *cells;
	struct rt_stats copy;
	struct stat file;
	const char *base;
	int fd;

	(void)state;
	strcpy(rt_status_info(st, 1)->name, "thread 1");
	rt_record_add(r, 12345, 12, 99, INT64_MAX);
	rt_record_add(r, -7, 0, 100, INT64_MAX);
	fd = find_memfd();
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &file), 0);
	base = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(base, MAP_FAILED);
	head = (const struct rt_status_head *)base;
	assert_true(head->magic == RT_STATUS_MAGIC);
	assert_int_equal(head->version, 1);
	assert_int_equal(head->series, 2);
	assert_int_equal(head->main_pid, getpid());
	assert_int_equal(head->shown_unit_ns, 1000);
	assert_string_equal(head->tool, "mytool");
	assert_string_equal(head->cmdline, "mytool -q");
	assert_int_equal(head->infos_at % rt_page_size(), 0);
	assert_int_equal(head->records_at % rt_page_size(), 0);
	assert_int_equal(head->record_stride % rt_page_size(), 0);
	assert_true(head->records_at + 2 * head->record_stride <= (uint64_t)file.st_size);
	info = (const void *)(base + head->infos_at + head->info_stride);
	assert_string_equal(info->name, "thread 1");
	assert_int_equal(info->index, 1);
	assert_int_equal(info->cpu, -1);
	assert_true(rt_stats_read((const void *)(base + head->records_at + head->record_stride),
				  &copy));
	assert_int_equal(copy.count, 2);
	assert_int_equal(copy.max_ns, 12345);
	cells = (const void *)(base + head->records_at + head->record_stride + head->cells_at);
	assert_int_equal(head->log_buckets, RT_LOG_BUCKETS);
	assert_int_equal(cells[rt_log_index(12345)], 1);
	assert_int_equal(cells[RT_LOG_EARLY], 1);
	munmap((void *)(uintptr_t)base, (size_t)file.st_size);
	close(fd);
	rt_status_free(st);
	assert_int_equal(find_memfd(), -1); /* nothing stays behind */
}

static void sealed_against_all_others(void **state)
{
	struct rt_status *st = new_status(1);
	int fd = find_memfd();
	char name[64];
	int writable;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GET_SEALS) & (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL),
			 F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	writable = open(name, O_RDWR | O_CLOEXEC);
	if (writable >= 0) {
		assert_int_equal(ftruncate(writable, 0), -1);
		assert_int_equal(errno, EPERM);
#ifdef F_SEAL_FUTURE_WRITE
		if (fcntl(fd, F_GET_SEALS) & F_SEAL_FUTURE_WRITE) {
			assert_ptr_equal(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
					      writable, 0), MAP_FAILED);
			assert_int_equal(write(writable, "x", 1), -1);
		}
#endif
		close(writable);
	}
	/* our own mapping is older than the seals */
	rt_record_add(rt_status_record(st, 0, -1), 5, 0, 1, INT64_MAX);
	close(fd);
	rt_status_free(st);
}

static void records_are_placed_once(void **state)
{
	struct rt_status *st = new_status(3);
	struct rt_record *r;

	(void)state;
	assert_int_equal(rt_status_count(st), 3);
	assert_null(rt_status_peek(st, 2));
	r = rt_status_record(st, 2, 0);
	assert_int_equal((uintptr_t)r % rt_page_size(), 0);
	assert_ptr_equal(r->log.cells, r->log_cells);
	assert_int_equal(r->log.count, RT_LOG_BUCKETS);
	assert_int_equal(r->stats.min_ns, INT64_MAX);
	rt_record_add(r, 5, 0, 1, INT64_MAX);
	assert_ptr_equal(rt_status_record(st, 2, 0), r);
	assert_int_equal(r->stats.count, 1); /* the second call leaves it as it is */
	assert_ptr_equal(rt_status_peek(st, 2), r);
	assert_null(rt_status_peek(st, 0));
	rt_status_free(st);
	rt_status_free(NULL);
}

static void a_forked_member_writes_for_its_parent(void **state)
{
	struct rt_status *st = new_status(1);
	const struct rt_record *r;
	int status;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		rt_record_add(rt_status_record(st, 0, -1), 4321, 4, 1, INT64_MAX);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	r = rt_status_peek(st, 0);
	assert_non_null(r);
	assert_int_equal(r->stats.count, 1);
	assert_int_equal(rt_buckets_get(&r->log, rt_log_index(4321)), 1);
	rt_status_free(st);
}

static void long_command_lines_are_cut(void **state)
{
	char *word = malloc(2001);
	char *argv[] = { args[0], word, word, NULL };
	struct rt_status *st = NULL;
	char text[sizeof(((struct rt_status_head *)0)->cmdline) + 1] = "";
	int fd;

	(void)state;
	memset(word, 'x', 2000);
	word[2000] = '\0';
	assert_int_equal(rt_status_new(&st, "a name longer than its thirty-two bytes", 3, argv, 1, 1,
				       NULL), 0);
	fd = find_memfd();
	assert_int_equal(pread(fd, text, sizeof(text) - 1,
			       offsetof(struct rt_status_head, cmdline)), sizeof(text) - 1);
	assert_int_equal(strlen(text), sizeof(text) - 2);
	assert_memory_equal(text, "mytool xxx", 10);
	close(fd);
	rt_status_free(st);
	free(word);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(watcher_reads_all_from_the_head),
		cmocka_unit_test(sealed_against_all_others),
		cmocka_unit_test(records_are_placed_once),
		cmocka_unit_test(a_forked_member_writes_for_its_parent),
		cmocka_unit_test(long_command_lines_are_cut),
	};

	return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
