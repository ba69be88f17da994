/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crew - N measuring threads (or processes) from one plan, prepared apart,
 * released together, and brought home whatever happens.
 *
 *     rt_crew_new()      plan -> crew; nothing runs yet
 *     rt_crew_form()     each member starts, is placed, and prepares; returns when
 *                        all are ready, or with the first one's reason when one
 *                        could not be: then all have left again
 *     rt_crew_release()  all go
 *     rt_run_wait()      main sleeps
 *     rt_crew_join()     asks all to end, wakes sleepers until each has, joins
 *     rt_crew_free()
 *
 * It can't hang: the gate at which prepared members wait can be broken, and
 * members never wait for each other anywhere else.
 *
 * Members take no signal but one private, handler-less wake-up
 * (rt_crew_wake_signal()), which interrupts their sleeps at the end.
 */
#ifndef RT_CREW_H
#define RT_CREW_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "rt/err.h"
#include "rt/run.h"
#include "rt/sched.h"
#include "rt/undo.h"

struct rt_crew;

/**
 * struct rt_member - one of the crew, as its own code sees it
 * @index: 0..count-1
 * @cpu:   it is pinned here; -1: not pinned
 * @node:  NUMA node of its stack and data; -1: none
 * @sched: what it runs as from the end of its preparation on
 * @name:  shown by ps(1), 15 characters at most
 * @data:  the tool's block for it
 * @tid:   its kernel id, 0 before it runs; read by others
 * @run:   where it looks whether to go on
 * @has_ended: it has left its body; read by others
 */
struct rt_member {
	unsigned int index;
	int cpu;
	int node;
	struct rt_sched sched;
	char name[16];
	void *data;
	struct rt_run *run;
	_Atomic pid_t tid;
	_Atomic bool has_ended;
};

/**
 * struct rt_crew_plan - how all of them are
 * @count:      1 or more
 * @as_processes: fork()ed by the main thread before any other thread exists;
 *              what they write must lie in shared mappings made before.
 *              Parent-death signal, @undo disowned, memory locked again if
 *              @lock_memory, ended by _exit
 * @prepare:    in the member, already placed on its CPU but still SCHED_OTHER,
 *              before its policy is set; NULL: nothing to prepare. A failure
 *              ends the whole crew's forming
 * @prepared:   in the member, after its policy was set; NULL: nothing
 * @body:       in the member, after the release: measure until the run is over.
 *              A negative errno with a sentence ends the run as failed
 */
struct rt_crew_plan {
	unsigned int count;
	bool as_processes;
	bool lock_memory;
	struct rt_undo *undo;
	int (*prepare)(struct rt_member *m, struct rt_err *err);
	int (*prepared)(struct rt_member *m, struct rt_err *err);
	int (*body)(struct rt_member *m, struct rt_err *err);
};

/**
 * rt_crew_new() - allocate members; the caller then fills cpu, node, sched, name, data of each
 * Return: 0; -ENOMEM.
 */
int rt_crew_new(struct rt_crew **ret, const struct rt_crew_plan *plan, struct rt_run *run,
		struct rt_err *err);
struct rt_member *rt_crew_member(struct rt_crew *crew, unsigned int index);
unsigned int rt_crew_count(const struct rt_crew *crew);

/** rt_member_has_moved() - asked by the member itself: is it no longer pinned to its CPU? */
bool rt_member_has_moved(const struct rt_member *m);

/**
 * rt_crew_form() - start all and wait until all are ready
 * @timeout_ns: for a member that neither gets ready nor fails (its CPU is
 *              starved by somebody else); 0: 30 seconds
 * Return: 0; the reason of the first member that failed; -ETIMEDOUT; -EAGAIN
 * when no more threads can be made. On failure all have been joined.
 */
int rt_crew_form(struct rt_crew *crew, int64_t timeout_ns, struct rt_err *err);

/** rt_crew_release() - open the gate */
void rt_crew_release(struct rt_crew *crew);

/** rt_crew_ended() - how many have left their body */
unsigned int rt_crew_ended(const struct rt_crew *crew);

/**
 * rt_crew_join() - end the run for all and wait for them
 * @grace_ns: then a member that does not end is told by name and left behind
 *            (thread) or killed (process); 0: 10 seconds
 *            At half of it deadline threads lose their policy, so that those
 *            which the kernel has put away come back
 * Return: 0; the error of the first member that failed in its body; -ETIMEDOUT.
 */
int rt_crew_join(struct rt_crew *crew, int64_t grace_ns, struct rt_err *err);

/**
 * rt_crew_free() - after join, or whatever went wrong before the release: then all
 * leave without having measured. NULL is fine
 */
void rt_crew_free(struct rt_crew *crew);

/** rt_crew_wake_signal() - the private signal that interrupts members' sleeps */
static inline int rt_crew_wake_signal(void)
{
	return rt_run_wake_signal();
}

#endif
