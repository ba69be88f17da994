/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * steal - how long the host of a virtual machine kept its CPUs from running, by /proc/stat.
 *
 * That is all that can be known of it: so much in all the time between two looks, in steps
 * of the kernel's USER_HZ (10 ms as a rule), and nothing where the host does not tell. When
 * it was, and so which latency it belongs to, no file says. And it is not all: a virtual
 * CPU that stands still while its host handles an exit, or is throttled there, is not
 * counted as waiting.
 *
 * (The event sched_stat_runtime has the time that a task was charged for, without what was
 * stolen. It lacks the same; and it is recorded where the charging is done, which may be
 * another CPU, so that what is missing on one is no proof. A thread that read the clock all
 * the time saw gaps of 0.3 to 3 ms on a busy host, for which it was charged in full.)
 */
#ifndef RT_STEAL_H
#define RT_STEAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "rt/cpuset.h"
#include "rt/json.h"

/**
 * struct rt_steal - two looks; zero is: none yet
 * @step_ns: in which it is told
 * @before_ns, @after_ns: since boot, by CPU number; -1: not told
 */
struct rt_steal {
	bool is_virtual;
	int64_t step_ns;
	unsigned int count;
	int64_t *before_ns;
	int64_t *after_ns;
};

/** rt_steal_begin(), rt_steal_end() - look; on a real machine there is nothing to see */
void rt_steal_begin(struct rt_steal *steal);
void rt_steal_end(struct rt_steal *steal);
void rt_steal_done(struct rt_steal *steal);

/** rt_steal_of() - between the two looks, ns; -1: not told */
int64_t rt_steal_of(const struct rt_steal *steal, int cpu);

/** rt_steal_say() - one line that begins with '#'; nothing on a real machine */
void rt_steal_say(const struct rt_steal *steal, const struct rt_cpuset *cpus, FILE *out);

/** rt_steal_json() - [ { "cpu", "ns" }, ... ]; NULL on a real machine */
struct json_object *rt_steal_json(const struct rt_steal *steal, const struct rt_cpuset *cpus);

/** rt_steal_parse() - the column of one CPU in the text of /proc/stat, in steps; -1: it has none */
int64_t rt_steal_parse(const char *text, int cpu);

#endif
