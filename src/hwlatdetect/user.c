/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The same in user space, for kernels without the tracer: for the width of each
 * window a thread reads the counter in a loop, under SCHED_FIFO, and looks for gaps
 * within and between its rounds. Unlike the tracer it can't keep interrupts off, so
 * these, and a hypervisor's pauses, count as well.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hwlat.h"
#include "rt/clock.h"
#include "rt/crew.h"
#include "rt/cycles.h"
#include "rt/log.h"

#define PRIORITY 90        /* above all but the kernel's own urgent work */
#define FIRST_LOOK_NS (10 * RT_NS_PER_MS)
#define RING 1024u

/** struct poller - one thread: goes round its CPUs, or stays on its one */
struct poller {
	struct rt_cpuset cpus;
	int cpu; /* where it looks now */
	bool goes_round;
	int64_t window_ns;
	int64_t width_ns;
	struct rt_cycles_scale scale;
	int64_t above_ns;      /* a gap of so much, */
	uint64_t above_cycles; /* which is so many cycles, is a sample */
	struct rt_run *run;
	struct rt_ring *ring;
};

struct polling {
	struct poller *pollers;
	unsigned int count;
	bool is_formed; /* and not yet joined */
};

static int settings(struct hwl_plan *plan, struct rt_err *err)
{
	struct rt_sched sched = { .policy = RT_POLICY_FIFO, .priority = PRIORITY };

	plan->window_us = 1000000;
	plan->width_us = 500000;
	plan->threshold_us = 10;
	plan->mode = plan->opts->has_mode ? plan->opts->mode : HWL_MODE_ROUND_ROBIN;
	return rt_sched_check(&sched, err);
}

/* ---- in the thread --------------------------------------------------------------- */

/* As the kernel's loop: the gap within a round, and that from the round before. */
static void look(struct poller *p, struct hwl_sample *ret)
{
	uint64_t inner = 0, outer = 0, last, until;
	int64_t count = 0;

	last = rt_cycles();
	until = last + rt_cycles_from(&p->scale, p->width_ns);
	do {
		uint64_t begin = rt_cycles(), end = rt_cycles();
		uint64_t within = end - begin, between = begin - last;

		last = end;
		if (within > inner)
			inner = within;
		if (between > outer)
			outer = between;
		if (within >= p->above_cycles || between >= p->above_cycles) {
			if (count++ == 0)
				ret->at_ns = rt_clock_ns(CLOCK_REALTIME);
		}
	} while (last < until && !rt_run_over(p->run));
	ret->inner_us = rt_cycles_ns(&p->scale, inner) / RT_NS_PER_US;
	ret->outer_us = rt_cycles_ns(&p->scale, outer) / RT_NS_PER_US;
	ret->count = count;
}

/* A sample on its way to main: the ring's fields are wide enough for ours. */
static void send(struct poller *p, const struct hwl_sample *sample)
{
	struct rt_sample packed = {
		.cycle = (uint64_t)sample->count,
		.wake_ns = sample->at_ns,
		.lat_ns = sample->inner_us,
		.extra = (uint64_t)sample->outer_us << 24 | (uint64_t)sample->cpu,
	};

	rt_ring_put(p->ring, &packed);
}

static struct hwl_sample unpack(const struct rt_sample *packed)
{
	return (struct hwl_sample){
		.at_ns = packed->wake_ns,
		.inner_us = packed->lat_ns,
		.outer_us = (int64_t)(packed->extra >> 24),
		.count = (int64_t)packed->cycle,
		.nmi_total_us = -1,
		.nmi_count = -1,
		.cpu = (int)(packed->extra & 0xffffff),
	};
}

/* The next CPU that lets us in; one that has gone offline is passed over. */
static void move_on(struct poller *p)
{
	for (int tries = rt_cpuset_count(&p->cpus); p->goes_round && tries > 0; tries--) {
		p->cpu = rt_cpuset_next(&p->cpus, p->cpu);
		if (p->cpu < 0)
			p->cpu = rt_cpuset_next(&p->cpus, -1);
		if (rt_cpuset_pin_cpu(0, p->cpu) == 0)
			return;
	}
}

static int prepare(struct rt_member *m, struct rt_err *err)
{
	struct poller *p = m->data;
	uint64_t hz = rt_cycles_measure_hz(FIRST_LOOK_NS);

	if (hz < 1000)
		return rt_err_set(err, RT_EXIT_FAILED, EIO, "the CPU's counter (%s) stands still",
				  rt_cycles_name());
	p->scale = rt_cycles_scale(hz);
	p->above_cycles = rt_cycles_from(&p->scale, p->above_ns);
	if (m->cpu < 0 && !p->goes_round)
		return rt_cpuset_pin(0, &p->cpus);
	return 0;
}

static int body(struct rt_member *m, struct rt_err *err RT_UNUSED)
{
	struct poller *p = m->data;
	int64_t window_ns = rt_clock_ns(CLOCK_MONOTONIC);

	while (!rt_run_over(p->run)) {
		struct hwl_sample sample = { 0 };
		struct timespec next;

		move_on(p);
		look(p, &sample);
		sample.cpu = m->cpu < 0 && !p->goes_round ? sched_getcpu() : p->cpu;
		if (sample.count)
			send(p, &sample);
		window_ns += p->window_ns;
		next = rt_ns_timespec(window_ns);
		while (!rt_run_over(p->run) &&
		       rt_clock_sleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next) == EINTR)
			;
	}
	return 0;
}

/* ---- made by main ------------------------------------------------------------------- */

static int no_memory(struct rt_err *err)
{
	return rt_err_memory(err, "the detector");
}

static int make_poller(struct hwl_session *s, struct polling *all, unsigned int i)
{
	const struct hwl_plan *plan = s->plan;
	struct poller *p = &all->pollers[i];
	struct rt_member *m = rt_crew_member(s->rt.crew, i);
	bool is_alone = plan->mode == HWL_MODE_PER_CPU;

	p->run = s->rt.run;
	p->window_ns = plan->window_us * RT_NS_PER_US;
	p->width_ns = plan->width_us * RT_NS_PER_US;
	p->above_ns = (plan->threshold_us + 1) * RT_NS_PER_US; /* above it, as printed */
	p->goes_round = plan->mode == HWL_MODE_ROUND_ROBIN;
	p->cpu = is_alone ? rt_cpuset_nth(&plan->cpus, i) : -1;
	p->ring = rt_ring_new(RING, -1);
	if (!p->ring)
		return -ENOMEM;
	m->cpu = p->cpu;
	m->sched = rt_sched_of(PRIORITY);
	m->data = p;
	snprintf(m->name, sizeof(m->name), "hwlat/%u", i % 1000000);
	return rt_cpuset_copy(&p->cpus, &plan->cpus);
}

static int arm(struct hwl_session *s, struct rt_err *err)
{
	bool is_one_each = s->plan->mode == HWL_MODE_PER_CPU;
	const struct rt_crew_plan crew_plan = { .prepare = prepare, .body = body };
	struct polling *all = s->detector = calloc(1, sizeof(*all));
	int status;

	if (!all)
		return no_memory(err);
	rt_warn("--user polls in user space: interrupts and a hypervisor's pauses count as well");
	all->count = is_one_each ? (unsigned int)rt_cpuset_count(&s->plan->cpus) : 1;
	all->pollers = calloc(all->count, sizeof(*all->pollers));
	if (!all->pollers)
		return no_memory(err);
	status = rt_session_crew(&s->rt, &crew_plan, all->count, err);
	for (unsigned int i = 0; !status && i < all->count; i++)
		if (make_poller(s, all, i))
			status = no_memory(err);
	if (!status)
		status = rt_crew_form(s->rt.crew, 0, err);
	all->is_formed = !status;
	return status;
}

static int start(struct hwl_session *s, struct rt_err *err RT_UNUSED)
{
	rt_crew_release(s->rt.crew);
	return 0;
}

static void collect(struct hwl_session *s)
{
	struct polling *all = s->detector;
	struct rt_sample packed;

	for (unsigned int i = 0; i < all->count; i++)
		while (rt_ring_get(all->pollers[i].ring, &packed, 1)) {
			struct hwl_sample sample = unpack(&packed);

			hwl_found(s, &sample);
		}
}

static int stop(struct hwl_session *s, struct rt_err *err)
{
	struct polling *all = s->detector;
	int status = rt_crew_join(s->rt.crew, 0, err);

	all->is_formed = false;
	collect(s);
	for (unsigned int i = 0; i < all->count; i++)
		s->log.lost += rt_ring_lost(all->pollers[i].ring);
	return status;
}

static void done(struct hwl_session *s)
{
	struct polling *all = s->detector;

	if (!all)
		return;
	if (all->is_formed)
		rt_crew_join(s->rt.crew, 0, NULL);
	for (unsigned int i = 0; all->pollers && i < all->count; i++) {
		rt_cpuset_done(&all->pollers[i].cpus);
		rt_ring_free(all->pollers[i].ring);
	}
	free(all->pollers);
	free(all);
	s->detector = NULL;
}

const struct hwl_detector hwl_user = {
	.name = "user",
	.settings = settings,
	.arm = arm,
	.start = start,
	.collect = collect,
	.stop = stop,
	.done = done,
};
