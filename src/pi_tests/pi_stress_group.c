/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state machine of a group. Low, medium and high stand for their
 * priorities; all are on one CPU, so the highest that can run does. A pass:
 *
 *   low     takes the mutex and gives high its turn. High is above low: it
 *           runs at once, and low does not run again before high blocks.
 *   high    gives medium its turn: from here on a thread between the two in
 *           priority wants the CPU. It does not get it yet, high is above it.
 *   high    sees that the mutex is taken, and asks for it: high blocks. This is
 *           the inversion: low has what high waits for, and medium is above low.
 *
 *   with priority inheritance                without
 *   low     has high's priority now: it      medium  is the highest that can run: it
 *           runs, not medium; unlocks,               spins, and low never gets to
 *           and is low again                         its unlock
 *   high    owns the mutex, unlocks it,      medium  spins until its deadline: the
 *           and is through                           pass has failed
 *   medium  finds that high has had the
 *           mutex, and is through
 *   low     begins the next pass
 *
 * Low runs last, so it finds the others through with the pass. Where high is a
 * deadline thread, the kernel may run it late or on another CPU: then low waits
 * for it with the mutex held, and for its end at the end of the pass.
 */
#include "pi_stress_group.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rt/clock.h"
#include "rt/units.h"

#define SPINS_BETWEEN_LOOKS 64 /* at the clock: a reading takes as long as some of these */

static const char *const role_names[PIS_ROLES] = { "low", "med", "high" };

/*
 * -d: one line a step, by one write(2): a FILE has a lock without priority
 * inheritance, which the threads would invert on.
 */
static void trace(const struct pis_group *g, enum pis_role role, uint32_t pass, const char *step)
{
	char line[96];
	int length = snprintf(line, sizeof(line), "DEBUG: %s_priority[%u]: %s (%" PRIu32 ")\n",
			      role_names[role], g->index, step, pass - 1);

	if (write(STDERR_FILENO, line, (size_t)length) < 0)
		return; /* nobody reads it: not the run's fault */
}

#define TRACE(role, step)                             \
	do {                                          \
		if (features & PIS_WITH_TRACE)        \
			trace(g, (role), pass, step); \
	} while (0)

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#else
	atomic_signal_fence(memory_order_seq_cst);
#endif
}

RT_INLINE bool is_pass(_Atomic uint32_t *word, uint32_t pass)
{
	return atomic_load_explicit(word, memory_order_acquire) == pass;
}

static bool is_set(_Atomic bool *flag)
{
	return atomic_load_explicit(flag, memory_order_acquire);
}

static int cannot(const struct pis_group *g, enum pis_role role, const char *what, int code,
		  struct rt_err *err)
{
	return rt_err_set(err, RT_EXIT_FAILED, code, "group %u: the %s thread cannot %s: %s",
			  g->index, role_names[role], what, strerror(code));
}

/* ---- low ----------------------------------------------------------------------- */

/* High had no chance to run yet although it is above us: see the head of this file. */
static void wait_until_asked(struct pis_group *g, struct rt_run *run, uint32_t pass)
{
	int64_t until_ns = rt_clock_ns(CLOCK_MONOTONIC) + g->patience_ns;

	while (!is_pass(&g->shared->asked, pass) && !rt_run_over(run) &&
	       rt_clock_ns(CLOCK_MONOTONIC) < until_ns)
		relax();
}

/* The critical section: low's own work while high waits. Return: when it was done. */
RT_INLINE int64_t work(const struct pis_group *g, int64_t begin_ns)
{
	int64_t now_ns;

	do {
		now_ns = rt_clock_ns(CLOCK_MONOTONIC);
	} while (rt_unlikely(now_ns < begin_ns + g->section_ns));
	return now_ns;
}

/* Behind the unlock, so that it is no part of what it tells about. */
RT_INLINE void note_section(struct pis_group *g, struct rt_run *run, int64_t begin_ns,
			    int64_t end_ns)
{
	int64_t section_ns = end_ns - begin_ns;
	int64_t shown = (int64_t)((uint64_t)section_ns / (uint64_t)g->unit_ns);

	rt_record_add(g->section, section_ns, shown, end_ns, INT64_MAX);
	if (rt_unlikely(end_ns >= run->until_ns))
		rt_run_end(run, RT_ENDED_DURATION);
}

static bool goes_on(struct pis_group *g, const struct rt_run *run)
{
	return !rt_run_over(run) && !is_set(&g->shared->has_enough) &&
	       !is_set(&g->shared->is_broken);
}

/* The last turns: both others wait for one, or have failed. */
static void dismiss(struct pis_shared *s, uint32_t pass)
{
	atomic_store_explicit(&s->is_over, true, memory_order_release);
	turn_give(&s->high_go, pass, RT_FUTEX_PRIVATE);
	turn_give(&s->med_go, pass, RT_FUTEX_PRIVATE);
}

RT_INLINE int run_low(struct pis_group *g, struct rt_run *run, struct rt_err *err,
		      unsigned int features)
{
	struct pis_shared *s = g->shared;
	uint32_t pass = turn_next(0);
	int64_t begin_ns, end_ns;
	int status = 0;

	for (; goes_on(g, run); pass = turn_next(pass)) {
		TRACE(PIS_LOW, "claiming mutex");
		status = pthread_mutex_lock(&s->mutex);
		if (rt_unlikely(status))
			break;
		TRACE(PIS_LOW, "mutex locked");
		turn_give(&s->high_go, pass, RT_FUTEX_PRIVATE);
		if (rt_unlikely(!is_pass(&s->asked, pass)))
			wait_until_asked(g, run, pass);
		TRACE(PIS_LOW, "entering elevated wait");
		begin_ns = rt_clock_ns(CLOCK_MONOTONIC);
		end_ns = work(g, begin_ns);
		TRACE(PIS_LOW, "unlocking mutex");
		pthread_mutex_unlock(&s->mutex);
		note_section(g, run, begin_ns, end_ns);
		turn_take(&s->med_done, pass, RT_FUTEX_PRIVATE);
		turn_take(&s->high_done, pass, RT_FUTEX_PRIVATE);
		TRACE(PIS_LOW, "finished");
	}
	dismiss(s, pass);
	return status ? cannot(g, PIS_LOW, "lock the mutex", status, err) : 0;
}

/* ---- medium ---------------------------------------------------------------------- */

static void note_spin(struct pis_group *g, int64_t spin_ns)
{
	RT_STATS_PUT(g->spun, g->spun + 1);
	if (spin_ns > g->longest_spin_ns)
		RT_STATS_PUT(g->longest_spin_ns, spin_ns);
}

static int give_up(struct pis_group *g, struct rt_err *err)
{
	atomic_store_explicit(&g->shared->is_broken, true, memory_order_release);
	return rt_err_set(err, RT_EXIT_FAILED, ETIMEDOUT,
			  "group %u: the medium thread ran for %lld ms on CPU %d while the high "
			  "thread waited for the mutex of the low one: no priority was inherited",
			  g->index, (long long)(g->spin_ns / RT_NS_PER_MS), g->cpu);
}

/*
 * Medium runs and high has not had the mutex: without inheritance low, which
 * holds it, does not run before this ends. With it, low or high take the CPU away.
 */
static __attribute__((noinline)) int spin(struct pis_group *g, struct rt_run *run, uint32_t pass,
					  struct rt_err *err)
{
	int64_t begin_ns = rt_clock_ns(CLOCK_MONOTONIC);
	int64_t spin_ns;
	bool is_owned;

	do {
		for (int i = 0; i < SPINS_BETWEEN_LOOKS && !is_pass(&g->shared->owned, pass); i++)
			relax();
		spin_ns = rt_clock_ns(CLOCK_MONOTONIC) - begin_ns;
		is_owned = is_pass(&g->shared->owned, pass); /* last: it may end a long stall */
	} while (!is_owned && spin_ns < g->spin_ns && !rt_run_over(run));

	note_spin(g, spin_ns);
	if (!is_owned && spin_ns >= g->starved_ns) {
		atomic_store_explicit(&g->shared->given_up, pass, memory_order_release);
		atomic_store_explicit(&g->has_starved, true, memory_order_release);
	}
	return !is_owned && spin_ns >= g->spin_ns ? give_up(g, err) : 0;
}

RT_INLINE int run_med(struct pis_group *g, struct rt_run *run, struct rt_err *err,
		      unsigned int features)
{
	struct pis_shared *s = g->shared;
	uint32_t pass = turn_next(0);
	int status = 0;

	for (; !status; pass = turn_next(pass)) {
		TRACE(PIS_MED, "entering elevate wait");
		turn_take(&s->med_go, pass, RT_FUTEX_PRIVATE);
		if (is_set(&s->is_over))
			return 0;
		if (rt_unlikely(!is_pass(&s->owned, pass)))
			status = spin(g, run, pass, err);
		TRACE(PIS_MED, "finished");
		turn_give(&s->med_done, pass, RT_FUTEX_PRIVATE);
	}
	return status;
}

/* ---- high ------------------------------------------------------------------------- */

static void keep_extras(struct pis_group *g, int64_t begin_ns, int64_t blocked_ns, int64_t shown)
{
	uint64_t cycle = g->blocking->stats.count - 1;
	struct rt_sample sample = { .cycle = cycle, .wake_ns = begin_ns, .lat_ns = blocked_ns };

	if (g->linear)
		rt_linear_add(g->linear, shown, cycle);
	if (g->samples)
		rt_ring_put(g->samples, &sample);
}

RT_INLINE void note_blocking(struct pis_group *g, int64_t begin_ns, int64_t end_ns,
			     unsigned int features)
{
	int64_t blocked_ns = end_ns - begin_ns;
	int64_t shown = (int64_t)((uint64_t)blocked_ns / (uint64_t)g->unit_ns);

	rt_record_add(g->blocking, blocked_ns, shown, end_ns, INT64_MAX);
	if (features & PIS_WITH_EXTRAS)
		keep_extras(g, begin_ns, blocked_ns, shown);
	if (rt_unlikely(g->blocking->stats.count >= g->inversions))
		atomic_store_explicit(&g->shared->has_enough, true, memory_order_release);
}

/* Nobody shall wait for a high thread that is gone. */
static void break_off(struct pis_shared *s, uint32_t pass)
{
	atomic_store_explicit(&s->is_broken, true, memory_order_release);
	atomic_store_explicit(&s->asked, pass, memory_order_release);
	atomic_store_explicit(&s->owned, pass, memory_order_release);
	turn_give(&s->high_done, pass, RT_FUTEX_PRIVATE);
}

RT_INLINE int run_high(struct pis_group *g, struct rt_run *run RT_UNUSED, struct rt_err *err,
		       unsigned int features)
{
	struct pis_shared *s = g->shared;

	for (uint32_t pass = turn_next(0);; pass = turn_next(pass)) {
		int64_t begin_ns, end_ns;
		int status;
		bool is_taken;

		TRACE(PIS_HIGH, "entering start state");
		turn_take(&s->high_go, pass, RT_FUTEX_PRIVATE);
		if (is_set(&s->is_over))
			return 0;
		turn_give(&s->med_go, pass, RT_FUTEX_PRIVATE);

		TRACE(PIS_HIGH, "locking mutex");
		status = pthread_mutex_trylock(&s->mutex);
		is_taken = status == EBUSY;
		atomic_store_explicit(&s->asked, pass, memory_order_release);
		begin_ns = rt_clock_ns(CLOCK_MONOTONIC);
		if (is_taken)
			status = pthread_mutex_lock(&s->mutex);
		end_ns = rt_clock_ns(CLOCK_MONOTONIC);
		if (rt_unlikely(status)) {
			break_off(s, pass);
			return cannot(g, PIS_HIGH, "lock the mutex", status, err);
		}
		atomic_store_explicit(&s->owned, pass, memory_order_release);
		TRACE(PIS_HIGH, "got mutex");
		pthread_mutex_unlock(&s->mutex);

		if (rt_unlikely(is_pass(&s->given_up, pass)))
			RT_STATS_PUT(g->failed, g->failed + 1);
		else if (rt_likely(is_taken))
			note_blocking(g, begin_ns, end_ns, features);
		else
			RT_STATS_PUT(g->not_inverted, g->not_inverted + 1);
		turn_give(&s->high_done, pass, RT_FUTEX_PRIVATE);
	}
}

/* ---- the loops that exist ------------------------------------------------------------ */

typedef int pis_loop(struct pis_group *g, struct rt_run *run, struct rt_err *err);

#define VARIANT(loop, n)                                                                 \
	static int loop##_##n(struct pis_group *g, struct rt_run *run, struct rt_err *e) \
	{                                                                                \
		return loop(g, run, e, n);                                               \
	}
#define VARIANTS(loop) VARIANT(loop, 0) VARIANT(loop, 1) VARIANT(loop, 2) VARIANT(loop, 3)
VARIANTS(run_low)
VARIANTS(run_med)
VARIANTS(run_high)

int pis_group_run(enum pis_role role, struct pis_group *group, struct rt_run *run,
		  struct rt_err *err)
{
	static pis_loop *const loops[PIS_ROLES][4] = {
		[PIS_LOW] = { run_low_0, run_low_1, run_low_2, run_low_3 },
		[PIS_MED] = { run_med_0, run_med_1, run_med_2, run_med_3 },
		[PIS_HIGH] = { run_high_0, run_high_1, run_high_2, run_high_3 },
	};

	return loops[role][group->features](group, run, err);
}
