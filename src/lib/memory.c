/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory - see rt/memory.h. libnuma is asked only for facts: its allocators
 * spend a page on each small block, and its calls print by themselves when
 * something is refused. What places memory here is mbind(2).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef HAVE_NUMA
#include <numa.h>
#include <numaif.h>
#endif

#include "rt/cgroup.h"
#include "rt/compiler.h"
#include "rt/memory.h"

#define SPARE_BYTES ((size_t)8 << 20) /* what reports and the C library may still map */
#define CAP_BIT_IPC_LOCK 14 /* linux/capability.h, which not every C library's headers have */
#define STACK_SIZE 65536L
#define LITTLE_KB (16 * 1024)
#define ROOM_NAME_MAX 512

size_t rt_page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

size_t rt_page_round(size_t size)
{
	size_t page = rt_page_size();

	return (size + page - 1) / page * page;
}

/* ---- locking --------------------------------------------------------------------- */

int rt_memory_lock(struct rt_err *err)
{
	struct rlimit limit = { 0 };
	int code;

#ifdef __GLIBC__
	/* Each arena reserves 64 MB (on 64 bit), and MCL_FUTURE would fault in what it opens. */
	mallopt(M_ARENA_MAX, 1);
#endif
	if (mlockall(MCL_CURRENT | MCL_FUTURE) == 0)
		return 0;

	code = errno;
	getrlimit(RLIMIT_MEMLOCK, &limit);
	return rt_err_set(err, RT_EXIT_MISSING, code,
			  "cannot lock memory: %s; run as root or with CAP_IPC_LOCK, or raise "
			  "RLIMIT_MEMLOCK, shown by 'ulimit -l' (now %ju KB)",
			  strerror(code), (uintmax_t)(limit.rlim_cur / 1024));
}

/* One line "NAME: value" of @path; untouched when it is not there. */
static void read_value(const char *path, const char *name, uint64_t *ret)
{
	FILE *f = fopen(path, "re");
	char *line = NULL, *end;
	size_t size = 0, length = strlen(name);
	int base = strcmp(name, "CapEff:") == 0 ? 16 : 10;

	if (!f)
		return;
	while (getline(&line, &size, f) > 0) {
		if (strncmp(line, name, length) != 0)
			continue;
		errno = 0;
		uint64_t value = strtoull(line + length, &end, base);

		if (errno == 0 && end != line + length)
			*ret = value;
	}
	free(line);
	fclose(f);
}

/* Whose limit a run would pass: its name, and what it leaves */
struct room {
	char name[ROOM_NAME_MAX];
	uint64_t free_kb;
};

/* What a group has of files that lie on a disk: the kernel gives it back when it must. */
static uint64_t file_bytes(const struct rt_cgroup *group)
{
	const bool is_v2 = group->version == 2;
	rt_auto_free char *stat = NULL;
	uint64_t files = 0, shared = 0;

	if (asprintf(&stat, "%s/memory.stat", group->folder) < 0) {
		stat = NULL;
		return 0;
	}
	read_value(stat, is_v2 ? "file " : "total_cache ", &files);
	read_value(stat, is_v2 ? "shmem " : "total_shmem ", &shared);
	return files > shared ? files - shared : 0;
}

static void look_at_group(struct room *room, const struct rt_cgroup *group)
{
	const bool is_v2 = group->version == 2;
	const char *limit_file = is_v2 ? "memory.max" : "memory.limit_in_bytes";
	int64_t max = rt_cgroup_number(group, limit_file);
	int64_t now = rt_cgroup_number(group, is_v2 ? "memory.current" : "memory.usage_in_bytes");
	uint64_t files, used;

	if (max == INT64_MAX || now == INT64_MAX || max < 0 || now < 0)
		return;
	files = file_bytes(group);
	used = files < (uint64_t)now ? (uint64_t)now - files : 0;
	used = used < (uint64_t)max ? used : (uint64_t)max;
	if (((uint64_t)max - used) / 1024 >= room->free_kb)
		return;
	room->free_kb = ((uint64_t)max - used) / 1024;
	snprintf(room->name, sizeof(room->name), "%s/%s leaves", group->folder, limit_file);
}

static void find_least_room(struct room *room)
{
	struct rt_cgroup group = { 0 };

	*room = (struct room){ "MemAvailable in /proc/meminfo is", UINT64_MAX };
	read_value("/proc/meminfo", "MemAvailable:", &room->free_kb);
	if (rt_cgroup_find(&group, "memory", RT_CGROUP_OWN) < 0)
		return;
	/* version 1 could bind each group by itself, before Linux 5.11 */
	do
		look_at_group(room, &group);
	while (rt_cgroup_up(&group) && rt_cgroup_number(&group, "memory.use_hierarchy") != 0);
	rt_cgroup_done(&group);
}

int rt_memory_check(uint64_t count, uint64_t each, const char *lower, struct rt_err *err)
{
	struct room room;
	uint64_t need_kb;

	if (each < 1024)
		each = 1024;
	need_kb = count > UINT64_MAX / (each / 1024 + 1) ? UINT64_MAX : count * (each / 1024);
	if (need_kb < LITTLE_KB)
		return 0;
	find_least_room(&room);
	if (need_kb <= room.free_kb)
		return 0;
	return rt_err_set(err, RT_EXIT_MISSING, ENOMEM,
			  "the run needs %" PRIu64 " MiB of memory, and %s %" PRIu64 " MiB; use %s",
			  need_kb / 1024, room.name, room.free_kb / 1024, lower);
}

bool rt_memory_lock_fits(void)
{
	return rt_memory_lock_fits_with(0);
}

bool rt_memory_lock_fits_with(size_t more)
{
	struct rlimit limit;
	uint64_t capabilities = 0, mapped_kb = UINT64_MAX;

	read_value("/proc/self/status", "CapEff:", &capabilities);
	if (capabilities & (UINT64_C(1) << CAP_BIT_IPC_LOCK))
		return true;
	if (getrlimit(RLIMIT_MEMLOCK, &limit) < 0)
		return false;
	if (limit.rlim_cur == RLIM_INFINITY)
		return true;
	/* mlockall(2) compares all that is mapped with the limit, not what is resident. */
	read_value("/proc/self/status", "VmSize:", &mapped_kb);
	return mapped_kb < UINT64_MAX && mapped_kb + more / 1024 <= limit.rlim_cur / 1024;
}

int rt_memory_try_lock(size_t more, struct rt_err *err)
{
	if (rt_memory_lock_fits_with(more + SPARE_BYTES))
		return rt_memory_lock(err);
	return rt_err_set(err, RT_EXIT_MISSING, ENOMEM,
			  "memory is not locked: RLIMIT_MEMLOCK ('ulimit -l') is too low for it");
}

/* ---- nodes ----------------------------------------------------------------------- */

#ifdef HAVE_NUMA
bool rt_numa_available(void)
{
	static int answer = -1; /* it stays for the life of a kernel; main thread only */

	if (answer < 0)
		answer = numa_available() >= 0;
	return answer;
}

int rt_numa_node_of(int cpu)
{
	return cpu >= 0 && rt_numa_available() ? numa_node_of_cpu(cpu) : -1;
}

void rt_node_bind(void *p, size_t size, int node)
{
	struct bitmask *mask;

	if (node < 0 || !rt_numa_available() || node > numa_max_possible_node())
		return;
	mask = numa_allocate_nodemask();
	if (!mask)
		return;
	numa_bitmask_setbit(mask, node);
	/*
	 * Preferred: a full node gives a remote page, not a dead run. Moved:
	 * after mlockall(MCL_FUTURE) mmap(2) has faulted the pages in already.
	 */
	mbind(p, rt_page_round(size), MPOL_PREFERRED, mask->maskp, mask->size + 1, MPOL_MF_MOVE);
	numa_free_nodemask(mask);
}
#else
bool rt_numa_available(void)
{
	return false;
}

int rt_numa_node_of(int cpu)
{
	(void)cpu;
	return -1;
}

void rt_node_bind(void *p, size_t size, int node)
{
	(void)p;
	(void)size;
	(void)node;
}
#endif

/* ---- memory that is there -------------------------------------------------------- */

/* A page that was only read is the shared page of zeros; it has to be written. */
static void touch(void *p, size_t size)
{
	size_t page = rt_page_size();

	for (size_t at = 0; at < size; at += page)
		((volatile char *)p)[at] = 0;
}

static void *map(size_t size, int protection, int sharing)
{
	void *p = mmap(NULL, size, protection, sharing | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Whole pages, with room for a guard in size_t; 0 for what can't be had. */
static size_t whole(size_t size)
{
	if (size == 0 || size > SIZE_MAX / 2) {
		errno = size ? ENOMEM : EINVAL;
		return 0;
	}
	return rt_page_round(size);
}

static void *alloc(size_t size, int node, int sharing)
{
	void *p;

	size = whole(size);
	p = size ? map(size, PROT_READ | PROT_WRITE, sharing) : NULL;
	if (!p)
		return NULL;
	rt_node_bind(p, size, node);
	touch(p, size);
	return p;
}

void *rt_node_alloc(size_t size, int node)
{
	return alloc(size, node, MAP_PRIVATE);
}

void *rt_shared_alloc(size_t size, int node)
{
	return alloc(size, node, MAP_SHARED);
}

void rt_node_free(void *p, size_t size)
{
	if (p)
		munmap(p, rt_page_round(size));
}

size_t rt_stack_size(void)
{
	long least = sysconf(_SC_THREAD_STACK_MIN);

	return rt_page_round((size_t)(least > STACK_SIZE ? least : STACK_SIZE));
}

void *rt_stack_alloc(size_t size, int node)
{
	size_t guard = rt_page_size();
	char *p;

	size = whole(size);
	p = size ? map(guard + size, PROT_NONE, MAP_PRIVATE) : NULL;
	if (!p)
		return NULL;
	if (mprotect(p + guard, size, PROT_READ | PROT_WRITE) < 0) {
		int code = errno;

		munmap(p, guard + size);
		errno = code;
		return NULL;
	}
	rt_node_bind(p + guard, size, node);
	touch(p + guard, size);
	return p + guard;
}

void rt_stack_free(void *stack, size_t size)
{
	size_t guard = rt_page_size();

	if (stack)
		munmap((char *)stack - guard, guard + rt_page_round(size));
}
