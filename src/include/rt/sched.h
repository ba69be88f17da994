/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched - scheduling policies: their names, how a thread gets one, and why it
 * does not.
 */
#ifndef RT_SCHED_H
#define RT_SCHED_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "rt/err.h"

/* The kernel's numbers (include/uapi/linux/sched.h); not every C library has all names. */
enum rt_policy {
	RT_POLICY_OTHER = 0,
	RT_POLICY_FIFO = 1,
	RT_POLICY_RR = 2,
	RT_POLICY_BATCH = 3,
	RT_POLICY_IDLE = 5,
	RT_POLICY_DEADLINE = 6,
};

#define RT_SCHED_RESET_ON_FORK UINT64_C(0x01)
#define RT_SCHED_RECLAIM UINT64_C(0x02)
#define RT_SCHED_DL_OVERRUN UINT64_C(0x04)

#define RT_PRIORITY_MAX 99

/**
 * struct rt_sched - what a thread is to run as; all zero is SCHED_OTHER
 * @priority: 1..99 for FIFO and RR, else 0
 * @runtime_ns, @deadline_ns, @period_ns: SCHED_DEADLINE only; 1024 ns or more, in rising order
 */
struct rt_sched {
	enum rt_policy policy;
	int priority;
	uint64_t flags;
	uint64_t runtime_ns;
	uint64_t deadline_ns;
	uint64_t period_ns;
};

/** rt_sched_of() - what -p means in most tools: SCHED_FIFO at this priority, 0 is SCHED_OTHER */
static inline struct rt_sched rt_sched_of(int priority)
{
	return (struct rt_sched){ .policy = priority ? RT_POLICY_FIFO : RT_POLICY_OTHER,
				  .priority = priority };
}

/** rt_policy_is_rt() - FIFO or RR: it has a priority */
static inline bool rt_policy_is_rt(enum rt_policy policy)
{
	return policy == RT_POLICY_FIFO || policy == RT_POLICY_RR;
}

/**
 * rt_policy_parse() - other, normal, batch, idle, fifo, rr, deadline; any case, unique prefixes
 * "SCHED_FIFO" and the like are taken too.
 * Return: 0; -EINVAL with a sentence.
 */
int rt_policy_parse(enum rt_policy *ret, const char *text, struct rt_err *err);

/** rt_policy_name() - "other", "fifo", ...; "unknown" otherwise */
const char *rt_policy_name(enum rt_policy policy);

/**
 * rt_sched_apply() - give a thread its policy
 * @tid: 0 is the caller
 *
 * On EPERM the soft RLIMIT_RTPRIO is raised when the hard one allows it, and
 * the call is made again.
 *
 * Return: 0; a negative errno with a sentence that names what is missing:
 * CAP_SYS_NICE, the limit of 'ulimit -r' (soft and hard), a cgroup without
 * cpu.rt_runtime_us, the deadline bandwidth, the affinity of a deadline thread
 * (RT_EXIT_MISSING for rights and bandwidth, RT_EXIT_FAILED otherwise).
 */
int rt_sched_apply(pid_t tid, const struct rt_sched *sched, struct rt_err *err);

/** rt_sched_get() - what a thread (0: the caller) really runs as; 0 or a negative errno */
int rt_sched_get(pid_t tid, struct rt_sched *ret);

/**
 * rt_sched_check() - may this process have this policy? Asked before anything
 * starts, of a thread of its own that sleeps and ends.
 * Return: as rt_sched_apply().
 */
int rt_sched_check(const struct rt_sched *sched, struct rt_err *err);

/**
 * rt_thread_aside() - make a call in a thread of its own and wait for it: for
 * trying what would change the caller's policy or affinity. Takes no signals.
 * Return: 0; a negative errno when there is no thread to be had, then nothing was called.
 */
int rt_thread_aside(void (*call)(void *data), void *data);

/** rt_has_capability() - has the caller this one of capabilities(7)? @bit: its number */
bool rt_has_capability(unsigned int bit);

/** rt_gettid() - the kernel's id of the calling thread */
pid_t rt_gettid(void);

/** rt_sched_setattr() - the bare call, with our own ABI struct; keeps the nice value; 0 or -errno */
int rt_sched_setattr(pid_t tid, const struct rt_sched *sched);

#endif
