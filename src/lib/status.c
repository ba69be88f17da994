/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rt/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rt/clock.h"
#include "rt/memory.h"

/* Names that older C libraries lack; numbers from the kernel's linux/memfd.h, linux/fcntl.h. */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif
#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

#define INFO_STRIDE ((sizeof(struct rt_series_info) + 63) & ~(size_t)63)

/**
 * struct rt_status - this process's view
 * @base, @size: the mapping
 * @fd:          -1 when it is anonymous
 * @is_placed:   a byte a series, behind the infos: shared, so that main sees
 *               what a member that is a process has placed
 */
struct rt_status {
	char *base;
	size_t size;
	int fd;
	struct rt_status_head *head;
	_Atomic uint8_t *is_placed;
};

/* A memfd that can't be executed (asked for since 6.3), or as older kernels have it. */
static int make_memfd(size_t size)
{
	int fd = memfd_create(RT_STATUS_MEMFD, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create(RT_STATUS_MEMFD, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd >= 0 && ftruncate(fd, (off_t)size) < 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Watchers can rely on its size and can't write; our mapping, made before, goes on writing. */
static void seal(int fd)
{
	fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE); /* since 5.1; without it only the owner could */
	fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}

static int map(struct rt_status *st)
{
	void *base = MAP_FAILED;

	st->fd = make_memfd(st->size);
	if (st->fd >= 0)
		base = mmap(NULL, st->size, PROT_READ | PROT_WRITE, MAP_SHARED, st->fd, 0);
	if (base == MAP_FAILED) {
		if (st->fd >= 0)
			close(st->fd);
		st->fd = -1;
		base = mmap(NULL, st->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			    0);
	}
	if (base == MAP_FAILED)
		return -ENOMEM;
	if (st->fd >= 0)
		seal(st->fd);
	st->base = base;
	return 0;
}

/* argv joined with blanks, cut to what fits */
static void join(char *buf, size_t size, int argc, char **argv)
{
	size_t at = 0;

	for (int i = 0; i < argc; i++) {
		size_t length = strlen(argv[i]);

		if (i && at + 1 < size)
			buf[at++] = ' ';
		if (length > size - 1 - at)
			length = size - 1 - at;
		memcpy(buf + at, argv[i], length);
		at += length;
	}
	buf[at] = '\0';
}

static void fill_head(struct rt_status_head *head, const char *tool, int argc, char **argv,
		      uint32_t unit_ns)
{
	head->version = RT_STATUS_VERSION;
	head->cells_at = offsetof(struct rt_record, log_cells);
	head->log_buckets = RT_LOG_BUCKETS;
	head->main_pid = (uint32_t)getpid();
	head->shown_unit_ns = unit_ns;
	head->started_ns = rt_clock_ns(CLOCK_REALTIME);
	join(head->tool, sizeof(head->tool), 1, (char *[]){ (char *)(uintptr_t)tool });
	join(head->cmdline, sizeof(head->cmdline), argc, argv);
}

static void fill_infos(struct rt_status *st)
{
	for (unsigned int i = 0; i < st->head->series; i++) {
		struct rt_series_info *info = rt_status_info(st, i);

		info->index = i;
		info->cpu = -1;
		info->node = -1;
	}
}

int rt_status_new(struct rt_status **ret, const char *tool, int argc, char **argv,
		  unsigned int series, uint32_t unit_ns, struct rt_err *err)
{
	size_t infos_at = rt_page_round(sizeof(struct rt_status_head));
	size_t placed_at = infos_at + (size_t)series * INFO_STRIDE;
	size_t records_at = rt_page_round(placed_at + series);
	size_t stride = rt_page_round(sizeof(struct rt_record));
	struct rt_status *st = calloc(1, sizeof(*st));

	if (st)
		st->size = records_at + (size_t)series * stride;
	if (!st || map(st) < 0) {
		free(st);
		return rt_err_set(err, RT_EXIT_FAILED, ENOMEM,
				  "no memory for the records of %u series", series);
	}
	st->head = (struct rt_status_head *)st->base;
	st->is_placed = (_Atomic uint8_t *)(st->base + placed_at);
	st->head->series = series;
	st->head->infos_at = infos_at;
	st->head->info_stride = INFO_STRIDE;
	st->head->records_at = records_at;
	st->head->record_stride = stride;
	fill_head(st->head, tool, argc, argv, unit_ns);
	fill_infos(st);
	/* last, and behind the rest: whoever sees it sees a complete head */
	atomic_thread_fence(memory_order_release);
	*(volatile uint64_t *)&st->head->magic = RT_STATUS_MAGIC;
	*ret = st;
	return 0;
}

void rt_status_free(struct rt_status *st)
{
	if (!st)
		return;
	munmap(st->base, st->size);
	if (st->fd >= 0)
		close(st->fd);
	free(st);
}

struct rt_series_info *rt_status_info(struct rt_status *st, unsigned int series)
{
	return (struct rt_series_info *)(st->base + st->head->infos_at + series * INFO_STRIDE);
}

static struct rt_record *record_at(const struct rt_status *st, unsigned int series)
{
	return (struct rt_record *)(st->base + st->head->records_at +
				    series * st->head->record_stride);
}

const struct rt_record *rt_status_peek(const struct rt_status *st, unsigned int series)
{
	if (!atomic_load_explicit(&st->is_placed[series], memory_order_acquire))
		return NULL;
	return record_at(st, series);
}

struct rt_record *rt_status_record(struct rt_status *st, unsigned int series, int node)
{
	struct rt_record *r = record_at(st, series);
	size_t stride = (size_t)st->head->record_stride;

	if (atomic_load_explicit(&st->is_placed[series], memory_order_acquire))
		return r;
	if (node >= 0)
		rt_node_bind(r, stride, node);
	memset(r, 0, stride); /* touches every page */
	rt_stats_init(&r->stats);
	r->log.cells = r->log_cells;
	r->log.count = RT_LOG_BUCKETS;
	atomic_store_explicit(&st->is_placed[series], 1, memory_order_release);
	return r;
}

unsigned int rt_status_count(const struct rt_status *st)
{
	return st->head->series;
}
