/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The watchdog: a group that makes no pass is stuck, for one of two reasons.
 *
 * Deadlocked: high waits for the mutex, low holds it, is ready to run and gets
 * no time, while medium has it. That is what priority inheritance prevents.
 * Slow: all else, such as somebody above all three on their CPU.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "pi_stress.h"
#include "rt/clock.h"
#include "rt/files.h"

#define TICKS_WITHOUT_PASS 5
#define NOTHING_NS RT_NS_PER_MS /* CPU time up to which a thread has not run */
#define UNKNOWN_NS INT64_C(-1)

/* ---- what the kernel says of a thread ------------------------------------------------- */

static pid_t tid_of(struct pis_session *s, unsigned int group, enum pis_role role)
{
	return atomic_load(&rt_crew_member(s->rt.crew, group * PIS_ROLES + (unsigned int)role)->tid);
}

static char *read_task(pid_t tid, const char *file)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/%s", (int)tid, file);
	return rt_read_line(path);
}

/* The first number is the time on a CPU (Documentation/scheduler/sched-stats.rst). */
static int64_t ran_ns(pid_t tid)
{
	rt_auto_free char *line = read_task(tid, "schedstat");
	int64_t ns;

	return line && sscanf(line, "%" SCNd64, &ns) == 1 ? ns : UNKNOWN_NS;
}

/* proc(5): the state stands behind the name, which may hold anything but ends at the last ')'. */
static bool is_runnable(pid_t tid)
{
	rt_auto_free char *line = read_task(tid, "stat");
	const char *behind_name = line ? strrchr(line, ')') : NULL;

	return behind_name && strncmp(behind_name, ") R", 3) == 0;
}

/* ---- what a group is at ------------------------------------------------------------------- */

/** struct wait - where a pass stands: which thread it is up to, and what that waits for */
struct wait {
	enum pis_role role;
	const char *what;
	bool is_for_mutex;
};

static struct wait look_at_pass(struct pis_shared *s)
{
	uint32_t pass = turn_number(&s->high_go);

	if (turn_number(&s->med_go) != pass)
		return (struct wait){ PIS_HIGH, "has its turn and does not run", false };
	if (atomic_load(&s->owned) != pass)
		return (struct wait){ PIS_HIGH, "waits for the mutex that the low thread holds",
				      true };
	if (turn_number(&s->high_done) != pass)
		return (struct wait){ PIS_HIGH, "has the mutex and does not go on", false };
	if (turn_number(&s->med_done) != pass)
		return (struct wait){ PIS_MED, "has its turn and does not run", false };
	return (struct wait){ PIS_LOW, "does not begin the next pass", false };
}

/* ---- barking -------------------------------------------------------------------------------- */

static int bark_deadlock(struct pis_session *s, unsigned int i, int64_t med_ran_ns)
{
	return rt_err_set(&s->watchdog, RT_EXIT_FAILED, EDEADLK,
			  "WATCHDOG triggered: group %u is deadlocked: its high thread (%d) waits "
			  "for the mutex that its low thread (%d) holds; low is ready to run on "
			  "CPU %d and got no time in the last %lld ms, of which its medium thread "
			  "(%d) had %lld: no priority was inherited", i,
			  (int)tid_of(s, i, PIS_HIGH),
			  (int)tid_of(s, i, PIS_LOW), s->groups[i].cpu,
			  (long long)((rt_clock_ns(CLOCK_MONOTONIC) - s->dogs[i].since_ns) /
				      RT_NS_PER_MS),
			  (int)tid_of(s, i, PIS_MED), (long long)(med_ran_ns / RT_NS_PER_MS));
}

static int bark_slow(struct pis_session *s, unsigned int i, const struct wait *wait,
		     int64_t low_ran_ns)
{
	static const char *const names[PIS_ROLES] = { "low", "medium", "high" };
	char ran[80] = "the kernel does not tell (CONFIG_SCHED_INFO) what its low thread got";

	if (low_ran_ns >= 0)
		snprintf(ran, sizeof(ran), "its low thread got %lld ms of CPU time",
			 (long long)(low_ran_ns / RT_NS_PER_MS));
	return rt_err_set(&s->watchdog, RT_EXIT_FAILED, ETIMEDOUT,
			  "WATCHDOG triggered: group %u made no pass in %lld ms: its %s thread "
			  "(%d) %s; %s. This is no deadlock: see what else runs on CPU %d, or give "
			  "--watchdog more time", i,
			  (long long)(s->opts->watchdog_ns / RT_NS_PER_MS),
			  names[wait->role], (int)tid_of(s, i, wait->role), wait->what, ran,
			  s->groups[i].cpu);
}

static void judge(struct pis_session *s, unsigned int i)
{
	struct pis_dog *dog = &s->dogs[i];
	struct wait wait = look_at_pass(s->groups[i].shared);
	int64_t low_ns = ran_ns(tid_of(s, i, PIS_LOW));
	int64_t med_ns = ran_ns(tid_of(s, i, PIS_MED)) - dog->med_ran_ns;

	low_ns = low_ns < 0 || dog->low_ran_ns < 0 ? UNKNOWN_NS : low_ns - dog->low_ran_ns;
	if (wait.is_for_mutex && is_runnable(tid_of(s, i, PIS_LOW)) && low_ns >= 0 &&
	    low_ns <= NOTHING_NS && med_ns > NOTHING_NS) {
		dog->state = PIS_DEADLOCKED;
		bark_deadlock(s, i, med_ns);
	} else {
		dog->state = PIS_SLOW;
		bark_slow(s, i, &wait, low_ns);
	}
	rt_run_end(s->rt.run, RT_ENDED_ERROR);
}

static bool has_left(struct pis_session *s, unsigned int i)
{
	return atomic_load(&rt_crew_member(s->rt.crew, i * PIS_ROLES + PIS_LOW)->has_ended);
}

static void look(struct pis_session *s, unsigned int i)
{
	struct pis_dog *dog = &s->dogs[i];
	uint64_t passes = pis_passes(&s->groups[i]);

	if (passes != dog->passes || has_left(s, i)) {
		dog->passes = passes;
		dog->still = 0;
		return;
	}
	if (++dog->still == 1) { /* it stood still before this tick: from here on nothing may run */
		dog->since_ns = rt_clock_ns(CLOCK_MONOTONIC);
		dog->low_ran_ns = ran_ns(tid_of(s, i, PIS_LOW));
		dog->med_ran_ns = ran_ns(tid_of(s, i, PIS_MED));
	}
	if (dog->still >= TICKS_WITHOUT_PASS && dog->state == PIS_GOOD)
		judge(s, i);
}

void pis_dog_look(struct pis_session *s)
{
	for (unsigned int i = 0; i < s->plan->groups; i++)
		look(s, i);
}
