/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpulist - the CPU lists that people write, in libnuma's syntax, understood
 * against a world: the machine's, or a test's.
 *
 *     list   := [ '!' ] [ '+' ] item { ',' item }
 *     item   := number [ '-' number ] | 'all' (the last item only)
 *
 * CPUs that were named by number are a wish that must be met whole. All other
 * forms speak of "those that there are", and are cut to what is usable.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "rt/cpuset.h"
#include "rt/sched.h"

/* A list while it is read. */
struct reading {
	const struct rt_cpuset_world *world;
	struct rt_err *err;
	const char *text; /* the whole list, for messages */
	bool is_complement;
	bool is_relative;
	bool has_all;
	struct rt_cpuset named; /* by number */
};

static int no_memory(struct rt_err *err)
{
	return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "out of memory for a set of CPUs");
}

static int malformed(const struct reading *r, const char *why)
{
	return rt_err_set(r->err, RT_EXIT_USAGE, EINVAL,
			  "'%s' is not a list of CPUs: %s; give a list such as 0-3,8, or all, or "
			  "!2 (all but 2), or +0 (the first of those allowed)", r->text, why);
}

/* What numbers count in: the machine's CPUs, or places in the inherited mask. */
static int no_such_cpu(const struct reading *r, const char *number, int len)
{
	rt_auto_free char *cpus = rt_cpuset_text(r->is_relative ? &r->world->affinity
								: &r->world->possible);

	if (r->is_relative)
		return rt_err_set(r->err, RT_EXIT_USAGE, ERANGE,
				  "there is no CPU +%.*s: counted from +0, the affinity mask (%s) ends "
				  "at +%d", len, number, cpus ? cpus : "?",
				  rt_cpuset_count(&r->world->affinity) - 1);
	return rt_err_set(r->err, RT_EXIT_USAGE, ERANGE,
			  "CPU %.*s does not exist; this machine has CPUs %s", len, number,
			  cpus ? cpus : "?");
}

/* A decimal, 0x or 0 number, which *at moves behind. INT_MAX also stands for all that is larger. */
static int read_number(const struct reading *r, const char **at, int *ret)
{
	unsigned long value;
	char *end;

	if (!isdigit((unsigned char)**at))
		return malformed(r, **at ? "a number is missing" : "it ends too early");
	errno = 0;
	value = strtoul(*at, &end, 0);
	*ret = errno || value > INT_MAX ? INT_MAX : (int)value;
	*at = end;
	return 0;
}

/* Number @n as a CPU; -1: there is none. */
static int cpu_of(const struct reading *r, int n)
{
	if (!r->is_relative)
		return rt_cpuset_has(&r->world->possible, n) ? n : -1;
	return n < rt_cpuset_count(&r->world->affinity)
		       ? rt_cpuset_nth(&r->world->affinity, (unsigned int)n) : -1;
}

/* Both ends have been looked at; possible CPUs may have holes between them. */
static int add_numbers(struct reading *r, int low, int high)
{
	for (int n = low; n <= high; n++) {
		int cpu = cpu_of(r, n);

		if (cpu >= 0 && rt_cpuset_add(&r->named, cpu) < 0)
			return no_memory(r->err);
	}
	return 0;
}

static int read_range(struct reading *r, const char **at)
{
	const char *first = *at, *last;
	int low, high, code;

	code = read_number(r, at, &low);
	if (code)
		return code;
	if (cpu_of(r, low) < 0)
		return no_such_cpu(r, first, (int)(*at - first));
	if (**at != '-')
		return add_numbers(r, low, low);

	last = ++*at;
	code = read_number(r, at, &high);
	if (code)
		return code;
	if (cpu_of(r, high) < 0)
		return no_such_cpu(r, last, (int)(*at - last));
	if (high < low)
		return malformed(r, "a range must rise");
	return add_numbers(r, low, high);
}

static const char *skip_blanks(const char *at)
{
	while (isblank((unsigned char)*at))
		at++;
	return at;
}

static int read_items(struct reading *r, const char *at)
{
	for (;; at++) {
		int code;

		at = skip_blanks(at);
		if (strcmp(at, "all") == 0) {
			r->has_all = true;
			return 0;
		}
		if (strncmp(at, "all,", 4) == 0)
			return malformed(r, "'all' must be its last item");
		code = read_range(r, &at);
		if (code)
			return code;
		if (!*at)
			return 0;
		if (*at != ',')
			return malformed(r, "something stands behind a number");
	}
}

static int read_list(struct reading *r)
{
	const char *at = skip_blanks(r->text);

	if (!*at)
		return malformed(r, "it is empty");
	if (*at == '!') {
		r->is_complement = true;
		at++;
	}
	if (*at == '+') {
		r->is_relative = true;
		at++;
	}
	return read_items(r, at);
}

/* ---- from what was written to what is meant ----------------------------------- */

static int put_all(struct rt_cpuset *set, const struct rt_cpuset *from)
{
	rt_cpuset_for_each(cpu, from)
		if (rt_cpuset_add(set, cpu) < 0)
			return -ENOMEM;
	return 0;
}

static bool may_use(const struct rt_cpuset_world *world, int cpu)
{
	return rt_cpuset_has(&world->online, cpu) &&
	       (!world->may_use || world->may_use(cpu, world->data));
}

static int not_usable(const struct reading *r, int cpu)
{
	struct rt_cpuset usable = RT_CPUSET_INIT;
	rt_auto_free char *text = NULL;

	rt_cpuset_for_each(other, &r->world->online)
		if (may_use(r->world, other) && rt_cpuset_add(&usable, other) < 0)
			break;
	text = rt_cpuset_text(&usable);
	rt_cpuset_done(&usable);
	return rt_err_set(r->err, RT_EXIT_MISSING, EPERM, "CPU %d %s; CPUs that may be used: %s", cpu,
			  rt_cpuset_has(&r->world->online, cpu)
				  ? "is not allowed by the cpuset (cgroup) of this process"
				  : "is offline",
			  text && *text ? text : "none");
}

/* Named by number: wins over the affinity mask, but each must really be had. */
static int check_named(const struct reading *r)
{
	rt_cpuset_for_each(cpu, &r->named)
		if (!may_use(r->world, cpu))
			return not_usable(r, cpu);
	return 0;
}

/* The usable ones of those that all, !LIST or +LIST speak of. */
static int select_usable(const struct reading *r, struct rt_cpuset *ret)
{
	const struct rt_cpuset_world *world = r->world;
	bool is_everything = r->is_complement || r->has_all;

	if (rt_cpuset_copy(ret, is_everything ? &world->affinity : &r->named) < 0)
		return -ENOMEM;
	rt_cpuset_and(ret, &world->affinity);
	rt_cpuset_and(ret, &world->online);
	if (r->is_complement && r->has_all)
		rt_cpuset_done(ret);
	else if (r->is_complement)
		rt_cpuset_andnot(ret, &r->named);
	return 0;
}

static int nothing_left(const struct reading *r)
{
	rt_auto_free char *mask = rt_cpuset_text(&r->world->affinity);
	rt_auto_free char *online = rt_cpuset_text(&r->world->online);

	if (r->is_complement && r->has_all)
		return malformed(r, "it leaves no CPU");
	return rt_err_set(r->err, RT_EXIT_MISSING, EPERM,
			  "'%s' leaves no CPU of those that are online (%s) and in the affinity "
			  "mask (%s)", r->text, online ? online : "?", mask ? mask : "?");
}

static int resolve(const struct reading *r, struct rt_cpuset *ret)
{
	bool is_exact = !r->is_complement && !r->is_relative;
	int code = is_exact ? check_named(r) : 0;

	if (code)
		return code;
	if (!is_exact || r->has_all)
		code = select_usable(r, ret);
	if (!code && is_exact)
		code = put_all(ret, &r->named);
	if (code)
		return no_memory(r->err);
	return rt_cpuset_count(ret) ? 0 : nothing_left(r);
}

int rt_cpuset_parse(struct rt_cpuset *ret, const char *text, const struct rt_cpuset_world *world,
		    struct rt_err *err)
{
	struct reading r = { .world = world, .err = err, .text = text };
	struct rt_cpuset set = RT_CPUSET_INIT;
	int code = read_list(&r);

	if (!code)
		code = resolve(&r, &set);
	rt_cpuset_done(&r.named);
	if (code) {
		rt_cpuset_done(&set);
		return code;
	}
	rt_cpuset_done(ret);
	*ret = set;
	return rt_cpuset_count(ret);
}

/* ---- against this machine ----------------------------------------------------- */

/* The kernel knows all of what may stand in the way: both kinds of cpuset, and hotplug. */
static bool try_cpu(int cpu, void *data RT_UNUSED)
{
	return rt_cpuset_pin_cpu(0, cpu) == 0;
}

struct choice {
	struct rt_cpuset *ret;
	const char *text;
	struct rt_cpuset_world world;
	struct rt_err *err;
	int result;
};

static void choose_aside(void *data)
{
	struct choice *c = data;

	c->result = rt_cpuset_parse(c->ret, c->text, &c->world, c->err);
}

int rt_cpuset_choose(struct rt_cpuset *ret, const char *text, struct rt_err *err)
{
	struct choice c = { .ret = ret, .text = text, .err = err, .world.may_use = try_cpu };
	int code = rt_cpuset_possible(&c.world.possible);

	if (!code)
		code = rt_cpuset_online(&c.world.online);
	if (!code)
		code = rt_cpuset_affinity(&c.world.affinity, 0);
	if (!code)
		code = rt_thread_aside(choose_aside, &c);
	if (code)
		c.result = rt_err_set(err, RT_EXIT_FAILED, code,
				      "cannot find out which CPUs there are: %s", strerror(-code));
	rt_cpuset_done(&c.world.possible);
	rt_cpuset_done(&c.world.online);
	rt_cpuset_done(&c.world.affinity);
	return c.result;
}
