/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpuset - sets of CPUs and the machine's own sets. The lists that people write
 * are read in cpulist.c.
 *
 * Masks are sized by what they hold. CPU_ALLOC_SIZE() gives whole longs, so
 * bytes of two masks stand for the same CPUs whatever the byte order, and sets
 * of different sizes can be compared bytewise.
 */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rt/cpuset.h"
#include "rt/files.h"

/* Far above NR_CPUS of any kernel; a bound for what a broken text may make us allocate. */
#define CPUS_MAX (1 << 20)

#define CPU_FOLDER "/sys/devices/system/cpu/"

void rt_cpuset_done(struct rt_cpuset *set)
{
	free(set->bits);
	*set = (struct rt_cpuset)RT_CPUSET_INIT;
}

/* Give @ret the content of @from, which is empty afterwards. */
static void move(struct rt_cpuset *ret, struct rt_cpuset *from)
{
	rt_cpuset_done(ret);
	*ret = *from;
	*from = (struct rt_cpuset)RT_CPUSET_INIT;
}

static int grow(struct rt_cpuset *set, size_t size)
{
	cpu_set_t *bits;

	if (size <= set->size)
		return 0;
	bits = realloc(set->bits, size);
	if (!bits)
		return -ENOMEM;
	memset((char *)bits + set->size, 0, size - set->size);
	set->bits = bits;
	set->size = size;
	return 0;
}

int rt_cpuset_copy(struct rt_cpuset *ret, const struct rt_cpuset *from)
{
	struct rt_cpuset copy = RT_CPUSET_INIT;

	if (grow(&copy, from->size) < 0)
		return -ENOMEM;
	if (from->size)
		memcpy(copy.bits, from->bits, from->size);
	move(ret, &copy);
	return 0;
}

int rt_cpuset_add(struct rt_cpuset *set, int cpu)
{
	if (cpu < 0 || cpu >= CPUS_MAX)
		return -EINVAL;
	if (grow(set, CPU_ALLOC_SIZE(cpu + 1)) < 0)
		return -ENOMEM;
	CPU_SET_S((size_t)cpu, set->size, set->bits);
	return 0;
}

void rt_cpuset_remove(struct rt_cpuset *set, int cpu)
{
	if (rt_cpuset_has(set, cpu))
		CPU_CLR_S((size_t)cpu, set->size, set->bits);
}

bool rt_cpuset_has(const struct rt_cpuset *set, int cpu)
{
	return cpu >= 0 && (size_t)cpu / CHAR_BIT < set->size &&
	       CPU_ISSET_S((size_t)cpu, set->size, set->bits);
}

int rt_cpuset_count(const struct rt_cpuset *set)
{
	return set->size ? CPU_COUNT_S(set->size, set->bits) : 0;
}

/* A byte of a mask; beyond its end there are no CPUs. */
static unsigned char byte_at(const struct rt_cpuset *set, size_t at)
{
	return at < set->size ? ((const unsigned char *)set->bits)[at] : 0;
}

bool rt_cpuset_equal(const struct rt_cpuset *a, const struct rt_cpuset *b)
{
	size_t size = a->size > b->size ? a->size : b->size;

	for (size_t i = 0; i < size; i++)
		if (byte_at(a, i) != byte_at(b, i))
			return false;
	return true;
}

void rt_cpuset_and(struct rt_cpuset *set, const struct rt_cpuset *other)
{
	for (size_t i = 0; i < set->size; i++)
		((unsigned char *)set->bits)[i] &= byte_at(other, i);
}

void rt_cpuset_andnot(struct rt_cpuset *set, const struct rt_cpuset *other)
{
	for (size_t i = 0; i < set->size; i++)
		((unsigned char *)set->bits)[i] &= (unsigned char)~byte_at(other, i);
}

int rt_cpuset_next(const struct rt_cpuset *set, int cpu)
{
	int end = (int)(set->size * CHAR_BIT);

	for (cpu = cpu < 0 ? 0 : cpu + 1; cpu < end; cpu++)
		if (CPU_ISSET_S((size_t)cpu, set->size, set->bits))
			return cpu;
	return -1;
}

int rt_cpuset_nth(const struct rt_cpuset *set, unsigned int n)
{
	int count = rt_cpuset_count(set);

	if (!count)
		return -1;
	n %= (unsigned int)count;
	rt_cpuset_for_each(cpu, set)
		if (n-- == 0)
			return cpu;
	return -1;
}

/* The last CPU of the run of neighbours that begins at @cpu. */
static int run_end(const struct rt_cpuset *set, int cpu)
{
	while (rt_cpuset_has(set, cpu + 1))
		cpu++;
	return cpu;
}

char *rt_cpuset_text(const struct rt_cpuset *set)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	const char *comma = "";
	int last;

	if (!out)
		return NULL;
	for (int cpu = rt_cpuset_next(set, -1); cpu >= 0; cpu = rt_cpuset_next(set, last)) {
		last = run_end(set, cpu);
		fprintf(out, last > cpu ? "%s%d-%d" : "%s%d", comma, cpu, last);
		comma = ",";
	}
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

/* Digits only, below CPUS_MAX; *text moves behind them. -1: no such number. */
static int kernel_number(const char **text)
{
	int n = -1;

	for (; **text >= '0' && **text <= '9'; (*text)++) {
		n = (n < 0 ? 0 : n) * 10 + (**text - '0');
		if (n >= CPUS_MAX)
			return -1;
	}
	return n;
}

static int add_range(struct rt_cpuset *set, int low, int high)
{
	int code = 0;

	for (int cpu = low; !code && cpu <= high; cpu++)
		code = rt_cpuset_add(set, cpu);
	return code;
}

/* "0-3" or "8": one item, which *text moves behind. */
static int kernel_item(struct rt_cpuset *set, const char **text)
{
	int low = kernel_number(text), high = low;

	if (low >= 0 && **text == '-') {
		(*text)++;
		high = kernel_number(text);
	}
	return low < 0 || high < low ? -EINVAL : add_range(set, low, high);
}

int rt_cpuset_kernel_list(struct rt_cpuset *ret, const char *text)
{
	struct rt_cpuset set = RT_CPUSET_INIT;
	bool is_first = true;
	int code = 0;

	for (; !code && *text && *text != '\n'; is_first = false) {
		if (!is_first && *text++ != ',')
			code = -EINVAL;
		else
			code = kernel_item(&set, &text);
	}
	if (!code && *text == '\n' && text[1])
		code = -EINVAL;
	if (code) {
		rt_cpuset_done(&set);
		return code;
	}
	move(ret, &set);
	return 0;
}

/* ---- the machine's sets ------------------------------------------------------ */

/* @count_name: what sysconf(3) counts where the file can't be read; -1: then the set is empty. */
static int machine_set(struct rt_cpuset *ret, const char *path, int count_name)
{
	rt_auto_free char *line = rt_read_line(path);
	struct rt_cpuset set = RT_CPUSET_INIT;
	int code;

	if (line && strcmp(line, "(null)") == 0) /* nohz_full of older kernels without any */
		return rt_cpuset_kernel_list(ret, "");
	if (line)
		return rt_cpuset_kernel_list(ret, line);
	if (errno == ENOMEM)
		return -ENOMEM;
	code = count_name < 0 ? 0 : add_range(&set, 0, (int)sysconf(count_name) - 1);
	if (code)
		rt_cpuset_done(&set);
	else
		move(ret, &set);
	return code;
}

int rt_cpuset_possible(struct rt_cpuset *ret)
{
	return machine_set(ret, CPU_FOLDER "possible", _SC_NPROCESSORS_CONF);
}

int rt_cpuset_online(struct rt_cpuset *ret)
{
	return machine_set(ret, CPU_FOLDER "online", _SC_NPROCESSORS_ONLN);
}

int rt_cpuset_isolated(struct rt_cpuset *ret)
{
	return machine_set(ret, CPU_FOLDER "isolated", -1);
}

int rt_cpuset_nohz_full(struct rt_cpuset *ret)
{
	return machine_set(ret, CPU_FOLDER "nohz_full", -1);
}

int rt_cpuset_affinity(struct rt_cpuset *ret, pid_t tid)
{
	struct rt_cpuset set = RT_CPUSET_INIT;
	int code = -EINVAL;

	/* EINVAL: the kernel's masks are larger than this one. */
	for (size_t cpus = CPU_SETSIZE; code == -EINVAL && cpus <= CPUS_MAX; cpus *= 2) {
		code = grow(&set, CPU_ALLOC_SIZE(cpus));
		if (!code && sched_getaffinity(tid, set.size, set.bits) < 0)
			code = -errno;
	}
	if (code)
		rt_cpuset_done(&set);
	else
		move(ret, &set);
	return code;
}

int rt_cpuset_usable(struct rt_cpuset *ret, struct rt_err *err)
{
	struct rt_cpuset online = RT_CPUSET_INIT, usable = RT_CPUSET_INIT;
	int code = rt_cpuset_affinity(&usable, 0);

	if (!code)
		code = rt_cpuset_online(&online);
	if (code)
		rt_err_set(err, RT_EXIT_FAILED, code, "cannot find out which CPUs may be used: %s",
			   strerror(-code));
	rt_cpuset_and(&usable, &online);
	if (!code && !rt_cpuset_count(&usable))
		code = rt_err_set(err, RT_EXIT_MISSING, EPERM,
				  "no CPU of this process's affinity mask is online");
	if (!code)
		move(ret, &usable);
	rt_cpuset_done(&usable);
	rt_cpuset_done(&online);
	return code;
}

int rt_cpuset_pin(pid_t tid, const struct rt_cpuset *set)
{
	if (!rt_cpuset_count(set))
		return -EINVAL;
	return sched_setaffinity(tid, set->size, set->bits) < 0 ? -errno : 0;
}

int rt_cpuset_pin_cpu(pid_t tid, int cpu)
{
	struct rt_cpuset set = RT_CPUSET_INIT;
	int code = rt_cpuset_add(&set, cpu);

	if (!code)
		code = rt_cpuset_pin(tid, &set);
	rt_cpuset_done(&set);
	return code;
}

int rt_cpuset_main(struct rt_cpuset *ret, const struct rt_cpuset *measured)
{
	struct rt_cpuset usable = RT_CPUSET_INIT, apart = RT_CPUSET_INIT;
	bool is_apart;
	int code = rt_cpuset_usable(&usable, NULL);

	if (!code)
		code = rt_cpuset_copy(&apart, &usable);
	if (code) {
		rt_cpuset_done(&usable);
		return code;
	}
	rt_cpuset_andnot(&apart, measured);
	is_apart = rt_cpuset_count(&apart) > 0;
	move(ret, is_apart ? &apart : &usable);
	rt_cpuset_done(&usable);
	rt_cpuset_done(&apart);
	return is_apart;
}
