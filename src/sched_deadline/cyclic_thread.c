/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The measuring threads: their memory, their places, their loop.
 *
 * A thread that yields is put away until its next period begins; the kernel
 * calls that a replenishment. How much later it runs is the latency. When
 * periods begin is nowhere to be read, so it is derived from the first
 * replenishments behind the common release: a thread can't run before its
 * period has begun, so each return from sched_yield() is an upper bound, and
 * the lowest of a few is the phase. Then they become samples like all others.
 *
 * The phase is kept. Only after a period that was missed altogether it is
 * derived anew, since the kernel may have begun a new sequence of periods then
 * (kernel/sched/deadline.c: replenish_dl_entity(), "lagged too much"): a
 * backlog never gets into later samples.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cyclicdeadline.h"
#include "rt/memory.h"

#define PHASE_RETURNS 128 /* the phase is derived from so many of them, */
#define PHASE_NS (200 * RT_NS_PER_MS) /* or those within this time */
#define SAME_PHASE_NS (50 * RT_NS_PER_US) /* nearer than this, two phases may be the same */

/* ---- a sample --------------------------------------------------------------------------- */

/* What only some runs do with a sample; may cost a system call. */
static void extras(struct cdl_thread *t, int64_t wake_ns, int64_t lat_ns, uint64_t count)
{
	if (t->with_overrun) {
		int64_t cpu_ns = rt_clock_ns(CLOCK_THREAD_CPUTIME_ID);

		if (cpu_ns - t->cpu_seen_ns > t->reserve.runtime_ns)
			RT_STATS_PUT(t->cpu_overruns, t->cpu_overruns + 1);
		t->cpu_seen_ns = cpu_ns;
	}
	if (t->samples_ring) {
		const struct rt_sample sample = {
			.cycle = count - 1,
			.wake_ns = wake_ns,
			.lat_ns = lat_ns,
		};

		rt_ring_put(t->samples_ring, &sample);
	}
}

RT_INLINE void take_sample(struct cdl_thread *t, int64_t wake_ns, int64_t now_ns, bool is_plain)
{
	struct rt_record *record = t->record;
	int64_t lat_ns = now_ns - wake_ns;
	int64_t above_ns = lat_ns < 0 ? 0 : lat_ns; /* early is the phase's error: not shown */
	int64_t shown = is_plain ? above_ns / RT_NS_PER_US : above_ns / t->unit_ns;
	uint64_t count;

	rt_stats_begin(&record->stats);
	count = rt_stats_count(&record->stats, lat_ns, shown, now_ns);
	rt_stats_judge(&record->stats, lat_ns, t->reserve.period_ns);
	rt_buckets_add(&record->log, rt_log_index(lat_ns));
	if (!is_plain && t->linear)
		rt_linear_add(t->linear, shown, count - 1);
	rt_stats_end(&record->stats);

	if (rt_unlikely(lat_ns >= t->reserve.deadline_ns))
		RT_STATS_PUT(t->missed_deadlines, t->missed_deadlines + 1);
	if (rt_threshold_passed(t->threshold, lat_ns))
		rt_threshold_hit(t->threshold, t->run, t->index, t->tid, shown, now_ns);
	if (!is_plain)
		extras(t, wake_ns, lat_ns, count);
}

/* ---- the phase, and the loop --------------------------------------------------------------- */

/* One period further: the time at which the thread runs again. */
RT_INLINE int64_t next_return(void)
{
	sched_yield();
	return rt_clock_ns(CDL_CLOCK);
}

/** struct phase - what was seen of the first periods of a sequence */
struct phase {
	int64_t base_ns; /* when the first of them began, as well as it can be told */
	unsigned int count;
	int64_t seen_ns[PHASE_RETURNS];
};

/*
 * A missed period ends it: what follows may be another sequence. So does a
 * latency above the break limit, which is to be acted on at once.
 */
static void watch_phase(const struct cdl_thread *t, struct phase *p)
{
	const int64_t period_ns = t->reserve.period_ns;
	int64_t passed_ns, late_ns;

	p->base_ns = INT64_MAX;
	p->count = 0;
	do {
		int64_t now_ns = next_return();

		passed_ns = (int64_t)p->count * period_ns;
		p->seen_ns[p->count++] = now_ns;
		if (now_ns - passed_ns < p->base_ns)
			p->base_ns = now_ns - passed_ns;
		late_ns = now_ns - p->base_ns - passed_ns;
	} while (p->count < PHASE_RETURNS && passed_ns < t->phase_ns && late_ns < period_ns &&
		 !rt_threshold_passed(t->threshold, late_ns) && !rt_run_over(t->run));
}

/*
 * If the kernel began anew it did so just before the late return. If that is
 * far from the old phase while what was seen since is near it, nothing has
 * changed: the old phase was derived in quieter times, and is the better one.
 */
static bool is_same_phase(const struct cdl_thread *t, int64_t found_ns, int64_t kept_ns)
{
	int64_t anew_ns = (t->seen_ns - kept_ns) % t->reserve.period_ns;

	if (anew_ns < 0)
		anew_ns += t->reserve.period_ns;
	return anew_ns >= 2 * SAME_PHASE_NS && found_ns >= kept_ns &&
	       found_ns - kept_ns < SAME_PHASE_NS;
}

/* The periods from @wake_ns on that gave no sample, and which phase counts from now on */
static void count_missed(struct cdl_thread *t, struct phase *p, int64_t wake_ns)
{
	const int64_t period_ns = t->reserve.period_ns;
	int64_t missed = (p->base_ns - wake_ns + period_ns / 2) / period_ns;
	int64_t kept_ns = wake_ns + missed * period_ns;

	rt_stats_miss(&t->record->stats, (uint64_t)missed);
	if (is_same_phase(t, p->base_ns, kept_ns))
		p->base_ns = kept_ns;
	else
		RT_STATS_PUT(t->resets, t->resets + 1);
}

/*
 * @wake_ns: the period that would have come next, in a sequence that was lost; 0: the first one
 * Return: when the period behind the samples that were taken here begins.
 */
static int64_t find_phase(struct cdl_thread *t, int64_t wake_ns, bool is_plain)
{
	struct phase p;

	watch_phase(t, &p);
	if (wake_ns)
		count_missed(t, &p, wake_ns);
	else
		t->first_ns = p.base_ns;
	wake_ns = p.base_ns;
	for (unsigned int i = 0; i < p.count; i++) {
		take_sample(t, wake_ns, p.seen_ns[i], is_plain);
		wake_ns += t->reserve.period_ns;
	}
	t->seen_ns = p.seen_ns[p.count - 1];
	return wake_ns;
}

/* The duration counts from each thread's own first period on; the last thread ends the run. */
static int64_t end_of(const struct cdl_thread *t, int64_t first_ns)
{
	int64_t duration_ns = t->session->opts->duration_ns;

	return duration_ns > 0 && duration_ns < INT64_MAX - first_ns ? first_ns + duration_ns :
								       INT64_MAX;
}

RT_INLINE void measure(struct cdl_thread *t, bool is_plain)
{
	const int64_t period_ns = t->reserve.period_ns;
	int64_t wake_ns = find_phase(t, 0, is_plain);
	int64_t until_ns = end_of(t, t->first_ns);
	int64_t now_ns = t->seen_ns;

	while (now_ns < until_ns && !rt_run_over(t->run)) {
		if (rt_unlikely(now_ns >= wake_ns)) { /* a whole period is lost */
			t->seen_ns = now_ns;
			wake_ns = find_phase(t, wake_ns, is_plain);
			now_ns = t->seen_ns;
			continue;
		}
		now_ns = next_return();
		take_sample(t, wake_ns, now_ns, is_plain);
		wake_ns += period_ns;
	}
	if (now_ns >= until_ns && wake_ns < until_ns) /* the last one was so late */
		rt_stats_miss(&t->record->stats,
			      (uint64_t)((until_ns - wake_ns + period_ns - 1) / period_ns));
}

/* Microseconds, and nothing but the statistics: nearly every run. */
static void measure_plain(struct cdl_thread *t)
{
	measure(t, true);
}

static void measure_all(struct cdl_thread *t)
{
	measure(t, false);
}

/* ---- in the thread --------------------------------------------------------------------------- */

static _Thread_local struct cdl_thread *self;

/*
 * The kernel sends it to the process and prefers the thread that overran;
 * two that come close together are one.
 */
static void count_overrun(int sig RT_UNUSED)
{
	if (self)
		RT_STATS_PUT(self->overruns, self->overruns + 1);
}

static void let_overruns_in(struct cdl_thread *t)
{
	sigset_t overrun;

	self = t;
	sigemptyset(&overrun);
	sigaddset(&overrun, SIGXCPU);
	pthread_sigmask(SIG_UNBLOCK, &overrun, NULL);
}

static int prepare(struct rt_member *m, struct rt_err *err)
{
	struct cdl_thread *t = m->data;

	t->tid = atomic_load(&m->tid);
	if (t->with_overrun)
		let_overruns_in(t);
	return dl_places_enter(&t->session->plan->places, t->session->partition, err);
}

static int body(struct rt_member *m, struct rt_err *err RT_UNUSED)
{
	struct cdl_thread *t = m->data;
	bool is_plain = t->unit_ns == RT_NS_PER_US && !t->linear && !t->samples_ring &&
			!t->with_overrun;

	RT_STATS_PUT(t->overruns, 0);
	if (t->with_overrun)
		t->cpu_seen_ns = rt_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	if (is_plain)
		measure_plain(t);
	else
		measure_all(t);
	if (atomic_fetch_sub(&t->session->measuring, 1) == 1)
		rt_run_end(t->run, RT_ENDED_DURATION);
	return 0;
}

const struct rt_crew_plan cdl_crew_plan = { .prepare = prepare, .body = body };

/* ---- made by main, before ------------------------------------------------------------------------ */

static int no_memory(struct rt_err *err)
{
	return rt_err_set(err, RT_EXIT_FAILED, ENOMEM,
			  "no memory for the threads' results; use fewer threads or a smaller "
			  "--histogram");
}

static int give_memory(struct cdl_session *s, struct cdl_thread *t)
{
	void *memory;

	t->record = rt_status_record(s->status, t->index, -1);
	if (s->plan->buckets) {
		t->linear_size = rt_linear_size(s->plan->buckets);
		memory = rt_node_alloc(t->linear_size, -1);
		if (!memory)
			return -ENOMEM;
		t->linear = rt_linear_place(memory, s->plan->buckets);
	}
	if (s->opts->results.samples) {
		t->samples_size = rt_ring_size(RT_RING_SAMPLES);
		memory = rt_node_alloc(t->samples_size, -1);
		if (!memory)
			return -ENOMEM;
		t->samples_ring = rt_ring_place(memory, RT_RING_SAMPLES);
	}
	return 0;
}

static void fill_thread(struct cdl_session *s, struct cdl_thread *t, unsigned int index)
{
	t->session = s;
	t->index = index;
	t->threshold = &s->threshold;
	t->run = s->run;
	t->unit_ns = s->plan->unit_ns;
	t->reserve = s->plan->reserves[index];
	t->with_overrun = s->opts->overrun;
	t->phase_ns = PHASE_NS;
	if (s->opts->duration_ns && s->opts->duration_ns < PHASE_NS)
		t->phase_ns = s->opts->duration_ns;
}

static void describe(struct rt_series_info *info, const struct dl_reserve *r, unsigned int index)
{
	snprintf(info->name, sizeof(info->name), "thread %u", index);
	snprintf(info->kind, sizeof(info->kind), "wakeup");
	info->index = index;
	info->cpu = info->node = -1;
	info->policy = RT_POLICY_DEADLINE;
	info->interval_ns = r->period_ns;
	info->runtime_ns = r->runtime_ns;
	info->deadline_ns = r->deadline_ns;
	info->period_ns = r->period_ns;
}

static void fill_member(struct rt_member *m, const struct cdl_plan *plan, struct cdl_thread *t)
{
	m->sched = dl_reserve_sched(&t->reserve, plan->flags);
	m->data = t;
	snprintf(m->name, sizeof(m->name), "deadline/%u", m->index);
}

/* SIGXCPU kills where nobody expects it: the handler is there before the first thread. */
static void expect_overruns(void)
{
	struct sigaction action = { .sa_handler = count_overrun, .sa_flags = SA_RESTART };
	sigset_t overrun;

	sigemptyset(&action.sa_mask);
	sigaction(SIGXCPU, &action, NULL);
	sigemptyset(&overrun);
	sigaddset(&overrun, SIGXCPU);
	pthread_sigmask(SIG_BLOCK, &overrun, NULL);
}

int cdl_threads_make(struct cdl_session *s, struct rt_err *err)
{
	unsigned int count = s->plan->threads;

	if (s->opts->overrun)
		expect_overruns();
	atomic_store(&s->measuring, count);
	s->threads = calloc(count, sizeof(struct cdl_thread *));
	if (!s->threads)
		return no_memory(err);
	for (unsigned int i = 0; i < count; i++) {
		struct cdl_thread *t = rt_node_alloc(sizeof(struct cdl_thread), -1);

		if (!t)
			return no_memory(err);
		s->threads[i] = t;
		fill_thread(s, t, i);
		if (give_memory(s, t))
			return no_memory(err);
		describe(rt_status_info(s->status, i), &t->reserve, i);
		fill_member(rt_crew_member(s->crew, i), s->plan, t);
	}
	return 0;
}

void cdl_threads_free(struct cdl_session *s)
{
	for (unsigned int i = 0; s->threads && i < s->plan->threads && s->threads[i]; i++) {
		struct cdl_thread *t = s->threads[i];

		rt_node_free(t->linear, t->linear_size);
		rt_node_free(t->samples_ring, t->samples_size);
		rt_node_free(t, sizeof(*t));
	}
	free(s->threads);
	s->threads = NULL;
}
