/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpuset - sets of CPUs of any size, the lists that people write for them, and
 * the sets that the machine is made of. Works without libnuma.
 */
#ifndef RT_CPUSET_H
#define RT_CPUSET_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#include "rt/err.h"

/**
 * struct rt_cpuset - a set of CPU numbers; grows as needed
 * Zero it, or RT_CPUSET_INIT, before the first use; end with rt_cpuset_done().
 */
struct rt_cpuset {
	cpu_set_t *bits; /* dynamically sized, see CPU_SET_S(3); NULL while empty */
	size_t size;     /* bytes behind bits */
};
#define RT_CPUSET_INIT { NULL, 0 }

void rt_cpuset_done(struct rt_cpuset *set);
int rt_cpuset_copy(struct rt_cpuset *ret, const struct rt_cpuset *from); /* 0, -ENOMEM */
int rt_cpuset_add(struct rt_cpuset *set, int cpu);                      /* 0, -ENOMEM, -EINVAL */
void rt_cpuset_remove(struct rt_cpuset *set, int cpu);
bool rt_cpuset_has(const struct rt_cpuset *set, int cpu);
int rt_cpuset_count(const struct rt_cpuset *set);
bool rt_cpuset_equal(const struct rt_cpuset *a, const struct rt_cpuset *b);
void rt_cpuset_and(struct rt_cpuset *set, const struct rt_cpuset *other);    /* set &= other */
void rt_cpuset_andnot(struct rt_cpuset *set, const struct rt_cpuset *other); /* set &= ~other */

/** rt_cpuset_next() - the lowest CPU above @cpu (start with -1); -1 when there is none */
int rt_cpuset_next(const struct rt_cpuset *set, int cpu);
#define rt_cpuset_for_each(cpu, set) \
	for (int cpu = rt_cpuset_next(set, -1); cpu >= 0; cpu = rt_cpuset_next(set, cpu))

/** rt_cpuset_nth() - the n-th lowest CPU, counted from 0 and wrapping; -1 for an empty set */
int rt_cpuset_nth(const struct rt_cpuset *set, unsigned int n);

/**
 * rt_cpuset_text() - the set as the kernel writes it: "0-3,8", "" when empty
 * Return: heap memory of the caller's, NULL when there is none left.
 */
char *rt_cpuset_text(const struct rt_cpuset *set);

/**
 * rt_cpuset_kernel_list() - read "0-3,8\n" as the kernel's files have it
 * Return: 0 (also for an empty list); -EINVAL; -ENOMEM. @ret is replaced.
 */
int rt_cpuset_kernel_list(struct rt_cpuset *ret, const char *text);

/*
 * The machine's sets. Return 0 or a negative errno; @ret is replaced.
 * A file that is not there gives the kernel's meaning of that: no isolated or
 * nohz_full CPUs; online and possible fall back to sysconf(3).
 */
int rt_cpuset_possible(struct rt_cpuset *ret);
int rt_cpuset_online(struct rt_cpuset *ret);
int rt_cpuset_isolated(struct rt_cpuset *ret);
int rt_cpuset_nohz_full(struct rt_cpuset *ret);

/** rt_cpuset_affinity() - the mask of a thread (0: the caller), however many CPUs there are */
int rt_cpuset_affinity(struct rt_cpuset *ret, pid_t tid);

/** rt_cpuset_usable() - online CPUs of the calling thread's mask: what a list-less run may use */
int rt_cpuset_usable(struct rt_cpuset *ret, struct rt_err *err);

/** rt_cpuset_pin() - sched_setaffinity(2) for a thread (0: the caller); 0 or a negative errno */
int rt_cpuset_pin(pid_t tid, const struct rt_cpuset *set);
int rt_cpuset_pin_cpu(pid_t tid, int cpu);

/**
 * struct rt_cpuset_world - what a list is understood against; made from the
 * machine by rt_cpuset_choose(), by hand in tests
 */
struct rt_cpuset_world {
	struct rt_cpuset possible;
	struct rt_cpuset online;
	struct rt_cpuset affinity;            /* the inherited mask */
	bool (*may_use)(int cpu, void *data); /* does the cpuset allow it? */
	void *data;
};

/**
 * rt_cpuset_parse() - a CPU list in libnuma's syntax, against a world
 * @ret:  never empty on success; untouched on error
 * @text: [!][+]item{,item}; item: number, number-number, all (last item only).
 *        Numbers may be written as 0x1 or 01. '!' is the complement within the
 *        possible CPUs, '+' counts within the inherited mask (+0 is its first).
 *        A descending range, an empty text, an empty item and anything behind
 *        an item are refused.
 *
 * Numbers win over the inherited mask but must exist (else exit status 2), be
 * online and be allowed by the cpuset (else 4, with the list that may be used).
 * "all", "!LIST" and "+LIST" give only CPUs that are online and in the mask.
 *
 * Return: number of CPUs; -EINVAL, -ERANGE, -EPERM, -ENOMEM with a sentence
 * that does not name the option; the caller does.
 */
int rt_cpuset_parse(struct rt_cpuset *ret, const char *text, const struct rt_cpuset_world *world,
		    struct rt_err *err);

/**
 * rt_cpuset_choose() - rt_cpuset_parse() against this machine
 * What the cpuset allows is found by trying, in a thread of its own, so that
 * the caller's mask stays as it is.
 */
int rt_cpuset_choose(struct rt_cpuset *ret, const char *text, struct rt_err *err);

/**
 * rt_cpuset_main() - where the main thread may live without disturbing anybody
 * @ret:      usable CPUs that are not in @measured; all usable ones if none is left
 * Return: 1 if it is apart from the measured CPUs, 0 if not, negative errno.
 */
int rt_cpuset_main(struct rt_cpuset *ret, const struct rt_cpuset *measured);

#endif
