/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One busy loop: preheat, meet the others, measure.
 *
 * The loop reads the counter, and counts how often each number of cycles lay
 * between two readings, in a cell of its own for each number. That is all that
 * nearly every round needs: minimum, mean, buckets and percentiles follow from
 * the cells afterwards, exactly. Only gaps that are longer, or the longest so
 * far, are looked at at once: one comparison tells both.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "oslat.h"
#include "rt/clock.h"
#include "rt/futex.h"

#define FIRST_LOOK_NS (2 * RT_NS_PER_MS)
#define MEET_TIMEOUT_NS (30 * RT_NS_PER_S)
#define MEET_LOOK_NS (20 * RT_NS_PER_MS)

static void count(uint64_t *p)
{
	RT_STATS_PUT(*p, *p + 1); /* only we write it */
}

/* ---- longer gaps -------------------------------------------------------------------- */

/* The trace first: each microsecond more, and what happened is further back in it. */
static void mark(struct osl_thread *t, uint64_t at, int64_t gap_ns)
{
	struct osl_meeting *meet = t->meeting;
	char text[128];
	int length;

	if (atomic_exchange(&meet->is_hit, true))
		return;
	length = snprintf(text, sizeof(text),
			  "oslat: Trace threshold (%lld us) triggered on cpu %d with %lld us!\n",
			  (long long)(t->threshold_ns / RT_NS_PER_US), t->cpu,
			  (long long)(gap_ns / RT_NS_PER_US));
	if (meet->mark.marker_fd >= 0 && write(meet->mark.marker_fd, text, (size_t)length) < 0)
		meet->mark_error = errno;
	if (meet->mark.switch_fd >= 0 && write(meet->mark.switch_fd, "0\n", 2) < 0)
		meet->mark_error = errno;
	meet->hit_index = t->index;
	meet->hit_ns = gap_ns;
	meet->hit_at = at;
	atomic_store(&meet->is_hit_told, true);
}

/*
 * A gap between the readings @before and @after that passes the threshold. When
 * that was in the clock of the trace is read off now, not reckoned from the start.
 */
static void hit(struct osl_thread *t, uint64_t before, uint64_t after, int64_t gap_ns)
{
	struct rt_threshold *threshold = t->threshold;
	struct rt_hit hit = { .series = t->index, .tid = t->tid, .lat_ns = gap_ns,
			      .value = gap_ns / RT_NS_PER_US };
	struct rt_cycles_stamp now;

	if (threshold->is_rising &&
	    gap_ns <= atomic_load_explicit(&threshold->worst_ns, memory_order_relaxed))
		return;
	if (t->threshold_ns != INT64_MAX)
		mark(t, before, gap_ns);
	rt_cycles_stamp(&now);
	hit.at_ns = now.mono_ns - rt_cycles_ns(&t->scale, now.cycles - after);
	rt_threshold_take(threshold, t->run, &hit);
	t->resumed = rt_cycles();
}

static void keep_sample(struct osl_thread *t, uint64_t before, int64_t gap_ns)
{
	struct rt_sample sample = {
		.cycle = t->counts.long_count - 1,
		.wake_ns = t->started.mono_ns +
			   rt_cycles_ns(&t->scale, before - t->started.cycles),
		.lat_ns = gap_ns,
	};

	rt_ring_put(t->ring, &sample);
}

static void look_at_long(struct osl_thread *t, uint64_t before, uint64_t cycles)
{
	struct osl_counts *c = &t->counts;
	bool is_early = (int64_t)cycles < 0; /* the counter went back */
	int64_t gap_ns = is_early ? -rt_cycles_ns(&t->scale, -cycles) :
				    rt_cycles_ns(&t->scale, cycles);
	uint32_t bucket = osl_bucket_of(t, gap_ns);

	count(&c->buckets[bucket]);
	count(&c->log[rt_log_index(gap_ns)]);
	count(&c->long_count);
	RT_STATS_PUT(c->long_cycles, c->long_cycles + cycles);
	if (rt_unlikely(is_early))
		count(&c->early);
	if (gap_ns < c->min_long_ns)
		RT_STATS_PUT(c->min_long_ns, gap_ns);
	if (t->ring && bucket > 0)
		keep_sample(t, before, gap_ns);
	if (t->threshold && rt_threshold_passed(t->threshold, gap_ns))
		hit(t, before, before + cycles, gap_ns);
}

/*
 * Out of line: a gap of @cycles behind the reading @before that is long, or the
 * longest so far. Returns from how many cycles on it wants to be called again.
 */
uint64_t __attribute__((noinline)) osl_gap(struct osl_thread *t, uint64_t before, uint64_t cycles)
{
	struct osl_counts *c = &t->counts;

	if ((int64_t)cycles > (int64_t)c->max_cycles) {
		RT_STATS_PUT(c->max_cycles, cycles);
		RT_STATS_PUT(c->max_at, before + cycles);
	}
	if (cycles < t->few_cycles)
		count(&c->cells[cycles]);
	else
		look_at_long(t, before, cycles);
	return c->max_cycles < t->few_cycles ? c->max_cycles + 1 : t->few_cycles;
}

/* ---- the loop ------------------------------------------------------------------------- */

RT_INLINE void loop(struct osl_thread *t, uint64_t until, enum osl_work work)
{
	uint64_t *cells = t->counts.cells;
	const struct rt_run *run = t->run;
	uint64_t look_from = 0; /* the first gap is the longest so far */
	uint64_t gap, now, last = rt_cycles();

	RT_STATS_PUT(t->first, last);
	do {

		if (work == OSL_WORK_MEMMOVE) {
			memmove(t->to, t->from, t->work_bytes);
			__asm__ volatile("" : : "r"(t->to) : "memory"); /* somebody looks at it */
		}
		now = rt_cycles();
		gap = now - last;
		if (rt_likely(gap < look_from)) {
			count(&cells[gap]);
		} else {
			look_from = osl_gap(t, last, gap);
			if (rt_unlikely(t->resumed)) {
				now = t->resumed;
				t->resumed = 0;
			}
		}
		last = now;
	} while (last < until && rt_likely(!rt_run_over(run)));
	RT_STATS_PUT(t->last, last);
	RT_STATS_PUT(t->last_gap, gap);
}

static void __attribute__((noinline)) loop_no(struct osl_thread *t, uint64_t until)
{
	loop(t, until, OSL_WORK_NO);
}

static void __attribute__((noinline)) loop_memmove(struct osl_thread *t, uint64_t until)
{
	loop(t, until, OSL_WORK_MEMMOVE);
}

/* A counter that goes round within a run is none that we know of. */
static void run_loop(struct osl_thread *t, int64_t time_ns)
{
	uint64_t until = rt_cycles() + rt_cycles_from(&t->scale, time_ns);

	if (t->from)
		loop_memmove(t, until);
	else
		loop_no(t, until);
}

/* ---- the meeting between preheat and run ------------------------------------------------ */

static void tell_smallest(struct osl_thread *t)
{
	int64_t mine_ns = osl_smallest_ns(&t->counts, &t->scale);
	int64_t seen_ns = atomic_load(&t->meeting->min_ns);

	while (mine_ns < seen_ns &&
	       !atomic_compare_exchange_weak(&t->meeting->min_ns, &seen_ns, mine_ns))
		;
}

static int missed_meeting(const struct osl_thread *t, struct rt_err *err)
{
	return rt_err_set(err, RT_EXIT_FAILED, ETIMEDOUT,
			  "CPU %d waited in vain for the others after the preheat; are their CPUs "
			  "kept busy by tasks of higher priority?", t->cpu);
}

/* Those who do not preheat sleep here, so that nothing disturbs the one who does. */
static int meet(struct osl_thread *t, struct rt_err *err)
{
	struct osl_meeting *meeting = t->meeting;
	struct timespec look = rt_ns_timespec(MEET_LOOK_NS);
	int64_t until_ns = rt_clock_ns(CLOCK_MONOTONIC) + t->plan->opts->preheat_ns +
			   MEET_TIMEOUT_NS;

	if (atomic_fetch_add(&meeting->arrived, 1) + 1 == t->plan->threads) {
		atomic_store(&meeting->word, 1);
		rt_futex_wake(&meeting->word, INT_MAX, RT_FUTEX_PRIVATE);
	}
	while (!atomic_load(&meeting->word) && !rt_run_over(t->run)) {
		if (rt_clock_ns(CLOCK_MONOTONIC) > until_ns)
			return missed_meeting(t, err);
		rt_futex_wait(&meeting->word, 0, &look, RT_FUTEX_PRIVATE);
	}
	return 0;
}

/* All spin here until the last one has come, so that all loops begin within a microsecond. */
static int line_up(struct osl_thread *t, struct rt_err *err)
{
	struct osl_meeting *meeting = t->meeting;
	int64_t until_ns = rt_clock_ns(CLOCK_MONOTONIC) + MEET_TIMEOUT_NS;

	atomic_fetch_add(&meeting->at_line, 1);
	while (atomic_load(&meeting->at_line) < t->plan->threads && !rt_run_over(t->run))
		if (rt_clock_ns(CLOCK_MONOTONIC) > until_ns)
			return missed_meeting(t, err);
	return 0;
}

/* ---- a thread's life ---------------------------------------------------------------------- */

static int no_frequency(struct rt_err *err)
{
	return rt_err_set(err, RT_EXIT_FAILED, EIO,
			  "the CPU's counter (%s) stands still; nothing can be measured with it",
			  rt_cycles_name());
}

int osl_thread_prepare(struct rt_member *m, struct rt_err *err)
{
	struct osl_thread *t = m->data;
	uint64_t hz = rt_cycles_measure_hz(FIRST_LOOK_NS);

	t->tid = atomic_load(&m->tid);
	if (hz < 1000)
		return no_frequency(err);
	t->scale = rt_cycles_scale(hz);
	return 0;
}

static void preheat(struct osl_thread *t)
{
	t->few_cycles = OSL_CELLS;
	rt_cycles_stamp(&t->born);
	if (t->index >= t->plan->preheats)
		return;
	run_loop(t, t->plan->opts->preheat_ns);
	tell_smallest(t);
}

/* What the real run looks at at once goes by its own rules, not into the cells. */
static uint64_t choose_few_cycles(const struct osl_thread *t)
{
	uint64_t few = OSL_CELLS, from;

	if (t->threshold_ns != INT64_MAX) {
		from = rt_cycles_from(&t->scale, t->threshold_ns);
		few = from < few ? from : few;
	}
	if (t->ring) {
		from = rt_cycles_from(&t->scale, t->bias_ns + t->width_ns);
		few = from < few ? from : few;
	}
	return few;
}

/* The preheat was long enough to know the frequency well. */
static void get_set(struct osl_thread *t)
{
	const struct osl_plan *plan = t->plan;

	rt_cycles_stamp(&t->started);
	t->scale = rt_cycles_scale(rt_cycles_hz(&t->born, &t->started));
	if (plan->opts->bias)
		t->bias_ns = atomic_load(&t->meeting->min_ns) / plan->unit_ns * plan->unit_ns;
	if (plan->opts->threshold_us)
		t->threshold_ns = plan->opts->threshold_us * RT_NS_PER_US;
	if (plan->opts->threshold_us || plan->opts->tracing.why)
		t->threshold = &t->session->threshold;
	t->ring = t->samples_ring;
	t->few_cycles = choose_few_cycles(t);
	osl_counts_clear(&t->counts, t->bucket_count);
}

int osl_thread_body(struct rt_member *m, struct rt_err *err)
{
	struct osl_thread *t = m->data;
	int status;

	preheat(t);
	status = meet(t, err);
	if (status || rt_run_over(t->run))
		return status;
	get_set(t);
	status = line_up(t, err);
	if (status)
		return status;
	if (t->index == 0)
		rt_run_wake(t->run); /* main says that the test starts */
	rt_cycles_stamp(&t->started);
	atomic_store_explicit(&t->is_measuring, true, memory_order_release);
	run_loop(t, t->plan->opts->duration_ns);
	rt_cycles_stamp(&t->ended);
	t->has_moved = rt_member_has_moved(m);
	return 0;
}
