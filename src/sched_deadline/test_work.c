/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The work, and how long it takes: a search for primes by trial division, of
 * which every loop is one division.
 *
 * The speed is measured at real-time priority on one of the CPUs, in bursts so
 * short that nobody starves, and as the best of several: whatever disturbs can
 * only make a burst longer.
 */
#include <errno.h>
#include <inttypes.h>

#include "deadline_test.h"
#include "rt/log.h"

#define FIRST_LOOPS 100000
#define TRIES 5
#define OVERHEAD_US 50 /* of a period, at least; a tenth of short runtimes */
#define ROUNDS 10 /* all runtimes are tried again at most so often */
#define BURST_MAX_NS (100 * RT_NS_PER_MS) /* longer ones run without priority */

/* ---- the work ---------------------------------------------------------------------- */

/* Far from the optimizer's eyes: the work must be done although nobody needs it. */
__attribute__((noinline)) uint32_t dlt_work_do(uint64_t loops)
{
	uint32_t candidate = 3, divisor = 3, prime = 2;

	while (loops--) {
		if ((uint64_t)divisor * divisor > candidate) {
			prime = candidate;
			candidate += 2;
			divisor = 3;
		} else if (candidate % divisor == 0) {
			candidate += 2;
			divisor = 3;
		} else {
			divisor += 2;
		}
	}
	return prime;
}

uint64_t dlt_loops(const struct dlt_speed *speed, int64_t runtime_ns, int64_t run_percent)
{
	int64_t work_us = runtime_ns / RT_NS_PER_US - speed->overhead_us;

	if (work_us <= 0)
		return 0;
	return (uint64_t)(work_us * run_percent / 100 * speed->loops_per_ms / 1000);
}

/* ---- one burst --------------------------------------------------------------------- */

/** struct burst - the shortest of some */
struct burst {
	uint64_t loops;
	int64_t total_us;    /* with all that a period does around its work */
	int64_t internal_us; /* the work alone */
};

static void burst_once(uint64_t loops, struct burst *best)
{
	volatile uint32_t prime;
	int64_t outer_ns = rt_clock_ns(DLT_CLOCK);
	int64_t inner_ns = rt_clock_ns(DLT_CLOCK);
	int64_t done_ns, end_ns;

	prime = dlt_work_do(loops);
	(void)prime;
	done_ns = rt_clock_ns(DLT_CLOCK);
	end_ns = rt_clock_ns(DLT_CLOCK);
	if (best->loops && (end_ns - outer_ns) / RT_NS_PER_US >= best->total_us)
		return;
	best->loops = loops;
	best->total_us = (end_ns - outer_ns + RT_NS_PER_US - 1) / RT_NS_PER_US;
	best->internal_us = (done_ns - inner_ns) / RT_NS_PER_US;
}

static struct burst burst_best(uint64_t loops, int tries)
{
	struct burst best = { 0 };

	for (int i = 0; i < tries; i++)
		burst_once(loops, &best);
	return best;
}

/* ---- in a thread of its own, at real-time priority --------------------------------- */

struct calibration {
	struct dlt_speed *speed;
	uint64_t *loops;
	const struct dlt_plan *plan;
	FILE *out;
	struct rt_err *err;
	int status;
};

static void set_priority(int priority)
{
	const struct rt_sched sched = {
		.policy = priority ? RT_POLICY_FIFO : RT_POLICY_OTHER,
		.priority = priority,
	};

	/* Without it the best of several bursts is as good on a machine that is not full. */
	rt_sched_apply(0, &sched, NULL);
}

static void tell_burst(FILE *out, const struct burst *b)
{
	fprintf(out, "%" PRIu64 " test loops took %" PRId64 "us total (%" PRId64 " internal)\n",
		b->loops, b->total_us, b->internal_us);
}

static int64_t per_ms(const struct burst *b)
{
	return (int64_t)(b->loops * 1000 / (uint64_t)(b->internal_us > 0 ? b->internal_us : 1));
}

/*
 * What a period costs beside its work can't be seen in bursts that follow each
 * other: cold caches, the way into and out of the scheduler, a tick. So some of
 * each runtime is left for it.
 */
static int64_t least_overhead(const struct dlt_plan *plan)
{
	int64_t tenth_us = plan->reserves[0].runtime_ns / RT_NS_PER_US / 10;

	return tenth_us < OVERHEAD_US ? tenth_us : OVERHEAD_US;
}

static void measure_speed(struct calibration *c)
{
	int64_t least_us = least_overhead(c->plan);
	struct burst b = burst_best(FIRST_LOOPS, TRIES);
	int64_t first = per_ms(&b);

	tell_burst(c->out, &b);
	fprintf(c->out, "calculated loops for 1000us=%" PRId64 "\n", first);
	b = burst_best((uint64_t)first, TRIES);
	tell_burst(c->out, &b);
	c->speed->loops_per_ms = per_ms(&b);
	c->speed->overhead_us = b.total_us - b.internal_us;
	if (c->speed->overhead_us < least_us)
		c->speed->overhead_us = least_us;
	fprintf(c->out, "New calculated loops for 1000us=%" PRId64 "\n", c->speed->loops_per_ms);
	fprintf(c->out, "Diff from last calculation: %" PRId64 " loops\n",
		c->speed->loops_per_ms - first);
}

static void tell_setup(const struct calibration *c)
{
	const struct dlt_plan *plan = c->plan;

	fprintf(c->out, "Setup:\n percent per task:%d", plan->percent);
	if (plan->opts->run_percent < 100)
		fprintf(c->out, " run-percent:%d", (int)plan->opts->run_percent);
	fprintf(c->out, " nr_cpus:%d", rt_cpuset_count(&plan->places.cpus));
	if (plan->places_opts.list)
		fprintf(c->out, " (%s)", plan->places_opts.list);
	fprintf(c->out, " loops:%" PRId64 " overhead:%" PRId64 "us\n", c->speed->loops_per_ms,
		c->speed->overhead_us);
}

static int too_short(const struct calibration *c, unsigned int i)
{
	return rt_err_set(c->err, RT_EXIT_USAGE, EINVAL,
			  "thread %u: its runtime of %" PRId64 " us is not longer than what a "
			  "period costs beside its work, %" PRId64 " us; give a longer "
			  "--interval or a larger --percent", i, c->plan->reserves[i].runtime_ns / RT_NS_PER_US,
			  c->speed->overhead_us);
}

/* A miss by much is a disturbance, which another try may not meet; one by little is overhead. */
static void learn_from(struct calibration *c, int64_t missed_us, int64_t runtime_us)
{
	int64_t most_us = c->plan->reserves[0].runtime_ns / RT_NS_PER_US / 2;

	if (missed_us <= runtime_us / 4)
		c->speed->overhead_us += missed_us;
	if (c->speed->overhead_us > most_us)
		c->speed->overhead_us = most_us;
	fprintf(c->out, "Failed to perform task within runtime: Missed by %" PRId64 " us\n"
		"New overhead=%" PRId64 "us\n", missed_us, c->speed->overhead_us);
}

/* 0: all fit; 1: one did not, and the overhead was raised; or a negative errno */
static int try_runtimes(struct calibration *c)
{
	for (unsigned int i = 0; i < c->plan->threads; i++) {
		int64_t runtime_us = c->plan->reserves[i].runtime_ns / RT_NS_PER_US;
		bool is_long = c->plan->reserves[i].runtime_ns > BURST_MAX_NS;
		struct burst b;

		c->loops[i] = dlt_loops(c->speed, c->plan->reserves[i].runtime_ns,
					c->plan->opts->run_percent);
		if (!c->loops[i])
			return too_short(c, i);
		set_priority(is_long ? 0 : RT_PRIORITY_MAX);
		b = burst_best(c->loops[i], is_long ? 1 : TRIES);
		if (b.total_us > runtime_us) {
			learn_from(c, b.total_us - runtime_us, runtime_us);
			return 1;
		}
		fprintf(c->out, "  Tested at %" PRId64 "us of %" PRId64 "us\n", b.total_us,
			runtime_us);
	}
	return 0;
}

static void calibrate_aside(void *data)
{
	struct calibration *c = data;
	int cpu = -1;

	rt_cpuset_for_each(each, &c->plan->places.cpus)
		cpu = each;
	rt_cpuset_pin_cpu(0, cpu); /* refused inside of cpusets: then anywhere */
	set_priority(RT_PRIORITY_MAX);
	measure_speed(c);
	tell_setup(c);
	for (int round = 0; round < ROUNDS; round++) {
		c->status = try_runtimes(c);
		if (c->status <= 0)
			return;
	}
	c->status = rt_err_set(c->err, RT_EXIT_FAILED, EAGAIN,
			       "the work does not fit into its runtime in %d tries: something "
			       "takes the "
			       "CPU away; try again on a quieter machine, or with a longer "
			       "--interval",
			       ROUNDS);
}

int dlt_calibrate(struct dlt_speed *speed, uint64_t *loops, const struct dlt_plan *plan,
		  FILE *out, struct rt_err *err)
{
	struct calibration c = { speed, loops, plan, out, err, 0 };
	int status = rt_thread_aside(calibrate_aside, &c);

	if (status < 0)
		return rt_err_set(err, RT_EXIT_FAILED, status, "cannot start a thread");
	return c.status;
}
