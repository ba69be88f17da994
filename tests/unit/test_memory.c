/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory: what was asked for is there, zeroed, guarded and, where asked, on its node. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rt/compiler.h"
#include "rt/memory.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif

/* How many of the pages are in memory now. */
static size_t resident(void *p, size_t size)
{
	size_t pages = rt_page_round(size) / rt_page_size(), count = 0;
	unsigned char map[64];

	assert_true(pages <= sizeof(map));
	assert_int_equal(mincore(p, size, map), 0);
	for (size_t i = 0; i < pages; i++)
		count += map[i] & 1;
	return count;
}

static void test_pages(void **state RT_UNUSED)
{
	size_t page = rt_page_size();

	assert_true(page >= 4096 && (page & (page - 1)) == 0);
	assert_int_equal(rt_page_round(0), 0);
	assert_int_equal(rt_page_round(1), page);
	assert_int_equal(rt_page_round(page), page);
	assert_int_equal(rt_page_round(page + 1), 2 * page);
}

static void test_alloc(void **state RT_UNUSED)
{
	const size_t sizes[] = { 1, 100, 4096, 5 * rt_page_size() + 1 };
	const int nodes[] = { -1, 0, 100000 };

	for (size_t i = 0; i < RT_ARRAY_SIZE(sizes); i++) {
		for (size_t k = 0; k < RT_ARRAY_SIZE(nodes); k++) {
			char *p = rt_node_alloc(sizes[i], nodes[k]);

			assert_non_null(p);
			assert_int_equal((uintptr_t)p % rt_page_size(), 0);
			for (size_t at = 0; at < sizes[i]; at++)
				assert_int_equal(p[at], 0);
			assert_int_equal(resident(p, sizes[i]),
					 rt_page_round(sizes[i]) / rt_page_size());
			rt_node_free(p, sizes[i]);
		}
	}
	rt_node_free(NULL, 1);
}

static void test_impossible(void **state RT_UNUSED)
{
	errno = 0;
	assert_null(rt_node_alloc(0, -1));
	assert_int_equal(errno, EINVAL);
	errno = 0;
	assert_null(rt_node_alloc(SIZE_MAX, -1));
	assert_int_equal(errno, ENOMEM);
	errno = 0;
	assert_null(rt_stack_alloc(SIZE_MAX - 5, -1));
	assert_int_equal(errno, ENOMEM);
	assert_null(rt_stack_alloc(0, -1));
}

static void test_stack(void **state RT_UNUSED)
{
	size_t size = rt_stack_size();
	char *stack = rt_stack_alloc(size, 0);
	pthread_attr_t attr;
	pid_t pid;
	int status;

	assert_non_null(stack);
	assert_true(size >= 65536);
	assert_int_equal(pthread_attr_init(&attr), 0);
	assert_int_equal(pthread_attr_setstack(&attr, stack, size), 0);
	pthread_attr_destroy(&attr);
	assert_int_equal(resident(stack, size), size / rt_page_size());
	stack[0] = 1;
	stack[size - 1] = 1;
	/* One byte below, a thread that overflows its stack ends there and not in another's data. */
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		signal(SIGSEGV, SIG_DFL);
		((volatile char *)stack)[-1] = 1;
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSEGV);
	rt_stack_free(stack, size);
	rt_stack_free(NULL, size);
}

static void test_numa(void **state RT_UNUSED)
{
	int node = rt_numa_node_of(0);

	assert_int_equal(rt_numa_node_of(-1), -1);
	if (rt_numa_available())
		assert_true(node >= 0);
	else
		assert_int_equal(node, -1);
}

/* Locked at once also what is mapped later, on whichever node. */
static int lock_in_child(void)
{
	struct rt_err err = { 0 };
	void *p;

	if (!rt_memory_lock_fits())
		return 77;
	if (rt_memory_lock(&err) < 0)
		return 1;
	p = rt_node_alloc(3 * rt_page_size(), 0);
	if (!p || resident(p, 3 * rt_page_size()) != 3)
		return 2;
	rt_node_free(p, 3 * rt_page_size());
	return 0;
}

static int RT_UNUSED refuse_in_child(void)
{
	const struct rlimit none = { 0, 0 };
	struct rt_err err = { 0 };
	int status;

	if (setrlimit(RLIMIT_MEMLOCK, &none) < 0)
		return 77;
	if (geteuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
		return 77;
	if (rt_memory_lock_fits())
		return 1;
	status = rt_memory_lock(&err);
	if (status != -EPERM && status != -ENOMEM)
		return 2;
	if (err.exit != RT_EXIT_MISSING || err.code != status)
		return 3;
	if (!strstr(err.text, "CAP_IPC_LOCK") || !strstr(err.text, "RLIMIT_MEMLOCK"))
		return 4;
	return 0;
}

/* Without any right: a limit above what is mapped holds it, one below does not. */
static int RT_UNUSED fit_in_child(void)
{
	struct rlimit limit;
	unsigned long pages = 0;
	rlim_t mapped;
	FILE *f = fopen("/proc/self/statm", "re");

	if (!f || fscanf(f, "%lu", &pages) != 1 || getrlimit(RLIMIT_MEMLOCK, &limit) < 0)
		return 77;
	fclose(f);
	mapped = (rlim_t)pages * rt_page_size();
	if (limit.rlim_max < mapped + 1024 * 1024)
		return 77;
	if (geteuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
		return 77;
	limit.rlim_cur = mapped + 1024 * 1024;
	if (setrlimit(RLIMIT_MEMLOCK, &limit) < 0)
		return 77;
	if (!rt_memory_lock_fits())
		return 1;
	limit.rlim_cur = mapped / 2;
	setrlimit(RLIMIT_MEMLOCK, &limit);
	return rt_memory_lock_fits() ? 2 : 0;
}

static void in_child(int (*function)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(function());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		print_message("# SKIP limits and rights can't be set here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_lock(void **state RT_UNUSED)
{
	in_child(lock_in_child);
}

static void test_lock_refused(void **state RT_UNUSED)
{
#ifdef SANITIZED
	print_message("# SKIP sanitizers make mlockall() do nothing\n");
	skip();
#else
	in_child(refuse_in_child);
#endif
}

static void test_lock_fits(void **state RT_UNUSED)
{
#ifdef SANITIZED
	print_message("# SKIP a sanitizer maps terabytes\n");
	skip();
#else
	in_child(fit_in_child);
#endif
}

static void test_check(void **state RT_UNUSED)
{
	struct rt_err err = { 0 };

	assert_int_equal(rt_memory_check(0, 0, "less", &err), 0);
	assert_int_equal(rt_memory_check(1, 4096, "less", &err), 0);
	assert_int_equal(rt_memory_check(UINT64_C(1) << 20, UINT64_C(1) << 40, "less", &err), -ENOMEM);
	assert_int_equal(err.exit, RT_EXIT_MISSING);
	assert_non_null(strstr(err.text, "needs 1099511627776 MiB of memory"));
	assert_non_null(strstr(err.text, "; use less"));
	assert_int_equal(rt_memory_check(UINT64_MAX, UINT64_MAX, "less", NULL), -ENOMEM);
	assert_int_equal(rt_memory_check(UINT64_MAX, 1, "less", NULL), -ENOMEM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_alloc),
		cmocka_unit_test(test_impossible),
		cmocka_unit_test(test_stack),
		cmocka_unit_test(test_numa),
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_lock),
		cmocka_unit_test(test_lock_refused),
		cmocka_unit_test(test_lock_fits),
	};

	return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
