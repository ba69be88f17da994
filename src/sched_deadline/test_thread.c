/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The working threads, and the spinner against them.
 *
 * A thread that yields runs again when its next period has begun, never
 * before. So the first return is taken as the phase, and each one that comes
 * earlier than expected moves it there: an adjustment. After a period that was
 * missed altogether the kernel may have begun anew, and so does the thread.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "deadline_test.h"
#include "rt/log.h"
#include "rt/memory.h"

/* ---- in the thread ----------------------------------------------------------------- */

static int64_t next_return(void)
{
	sched_yield();
	return rt_clock_ns(DLT_CLOCK);
}

static void add(struct rt_record *record, int64_t ns, int64_t at_ns, int64_t late_ns)
{
	rt_record_add(record, ns, ns / RT_NS_PER_US, at_ns, late_ns);
}

static void keep_sample(struct dlt_thread *t, int64_t wake_ns, int64_t lat_ns)
{
	const struct rt_sample sample = {
		.cycle = t->starts->stats.count - 1,
		.wake_ns = wake_ns,
		.lat_ns = lat_ns,
	};

	if (t->samples_ring)
		rt_ring_put(t->samples_ring, &sample);
}

/*
 * Where this period began, which was expected at @wake_ns.
 * Missed ones are counted; what was early moves the phase.
 */
static int64_t start_of_period(struct dlt_thread *t, int64_t wake_ns, int64_t now_ns)
{
	int64_t late_ns = now_ns - wake_ns;

	if (late_ns < 0) {
		RT_STATS_PUT(t->adjustments, t->adjustments + 1);
		RT_STATS_PUT(t->adjusted_ns, t->adjusted_ns - late_ns);
		return now_ns;
	}
	if (late_ns < t->reserve.period_ns)
		return wake_ns;
	rt_stats_miss(&t->starts->stats, (uint64_t)(late_ns / t->reserve.period_ns));
	return now_ns;
}

static void work(struct dlt_thread *t)
{
	int64_t now_ns = next_return();
	int64_t wake_ns = now_ns;

	while (!rt_run_over(t->run)) {
		int64_t begun_ns = start_of_period(t, wake_ns, now_ns);
		int64_t late_ns = now_ns > wake_ns ? now_ns - wake_ns : 0;
		int64_t end_ns;

		add(t->starts, late_ns, now_ns, t->reserve.period_ns);
		keep_sample(t, begun_ns, late_ns);
		t->prime = dlt_work_do(t->loops);
		end_ns = rt_clock_ns(DLT_CLOCK);
		add(t->runs, end_ns - now_ns, end_ns, t->reserve.deadline_ns);
		if (end_ns > begun_ns + t->reserve.deadline_ns)
			RT_STATS_PUT(t->missed_deadlines, t->missed_deadlines + 1);
		if (end_ns >= t->until_ns)
			rt_run_end(t->run, RT_ENDED_DURATION);
		wake_ns = begun_ns + t->reserve.period_ns;
		now_ns = next_return();
	}
}

/* A number behind a key in one of our files below /proc; -1: there is none. */
static int64_t read_count(const char *path, const char *key)
{
	FILE *in = fopen(path, "re");
	char *line = NULL;
	size_t size = 0, length = strlen(key);
	int64_t value = -1;

	while (in && value < 0 && getline(&line, &size, in) > 0) {
		char *number = strchr(line, ':');

		if (number && strncmp(line, key, length) == 0 && strchr(" :\t", line[length]))
			value = strtoll(number + 1, NULL, 10);
	}
	free(line);
	if (in)
		fclose(in);
	return value;
}

static void read_switches(struct dlt_thread *t)
{
	const char *status = "/proc/thread-self/status";
	const char *sched = "/proc/thread-self/sched";

	RT_STATS_PUT(t->voluntary, read_count(status, "voluntary_ctxt_switches"));
	RT_STATS_PUT(t->involuntary, read_count(status, "nonvoluntary_ctxt_switches"));
	RT_STATS_PUT(t->migrations, read_count(sched, "se.nr_migrations"));
}

/* The duration in the threads' clock: busy threads may starve main. */
static int64_t end_of(const struct rt_run *run)
{
	if (run->until_ns == INT64_MAX)
		return INT64_MAX;
	return rt_clock_ns(DLT_CLOCK) + run->until_ns - rt_clock_ns(CLOCK_MONOTONIC);
}

static void spin(const struct rt_run *run)
{
	while (!rt_run_over(run))
		dlt_work_do(1000);
}

static int prepare(struct rt_member *m, struct rt_err *err)
{
	struct dlt_session *s = m->data;
	int status = dl_places_enter(&s->plan->places, s->partition, err);

	if (status || m->index == s->plan->threads)
		return status;
	s->threads[m->index]->tid = atomic_load(&m->tid);
	dl_wait_for_bandwidth(&m->sched);
	return 0;
}

static int body(struct rt_member *m, struct rt_err *err RT_UNUSED)
{
	struct dlt_session *s = m->data;

	if (m->index == s->plan->threads) {
		spin(m->run);
		return 0;
	}
	s->threads[m->index]->until_ns = end_of(m->run);
	work(s->threads[m->index]);
	read_switches(s->threads[m->index]);
	return 0;
}

const struct rt_crew_plan dlt_crew_plan = { .prepare = prepare, .body = body };

/* ---- made by main, before ---------------------------------------------------------- */

/* How late its periods started, then how long its work took. */
static void describe(struct dlt_session *s, const struct rt_member *m)
{
	static const char *const kinds[] = { "wakeup", "runtime" };

	for (unsigned int i = 0; i < RT_ARRAY_SIZE(kinds); i++) {
		struct rt_series_info *info =
			rt_session_series(&s->rt, i * s->plan->threads + m->index, m, kinds[i],
					  "thread %u %s", m->index, kinds[i]);

		info->interval_ns = info->period_ns;
		info->is_reference = i;
	}
}

static int fill_thread(struct dlt_session *s, struct dlt_thread *t, unsigned int i)
{
	unsigned int count = s->plan->threads;

	t->session = s;
	t->index = i;
	t->run = s->rt.run;
	t->reserve = s->plan->reserves[i];
	t->loops = s->loops[i];
	t->voluntary = t->involuntary = t->migrations = -1;
	t->starts = rt_status_record(s->rt.status, i, -1);
	t->runs = rt_status_record(s->rt.status, count + i, -1);
	return rt_results_ring(&t->samples_ring, &s->rt.results, i, -1);
}

static void fill_members(struct dlt_session *s)
{
	for (unsigned int i = 0; i < s->plan->threads; i++) {
		struct rt_member *m = rt_crew_member(s->rt.crew, i);

		m->sched = dl_reserve_sched(&s->plan->reserves[i], 0);
		m->data = s;
		snprintf(m->name, sizeof(m->name), "deadline/%u", i % 1000000);
		describe(s, m);
	}
	if (s->opts->rt_priority) {
		struct rt_member *m = rt_crew_member(s->rt.crew, s->plan->threads);

		m->sched = rt_sched_of((int)s->opts->rt_priority);
		m->data = s;
		snprintf(m->name, sizeof(m->name), "rt spinner");
	}
}

int dlt_threads_make(struct dlt_session *s, struct rt_err *err)
{
	unsigned int count = s->plan->threads;
	int status = 0;

	s->threads = calloc(count, sizeof(struct dlt_thread *));
	for (unsigned int i = 0; s->threads && !status && i < count; i++) {
		s->threads[i] = rt_node_alloc(sizeof(struct dlt_thread), -1);
		status = s->threads[i] ? fill_thread(s, s->threads[i], i) : -ENOMEM;
	}
	if (!s->threads || status)
		return rt_err_set(err, RT_EXIT_FAILED, ENOMEM,
				  "no memory for %u threads; use fewer", count);
	fill_members(s);
	return 0;
}

void dlt_threads_free(struct dlt_session *s)
{
	for (unsigned int i = 0; s->threads && i < s->plan->threads && s->threads[i]; i++)
		rt_node_free(s->threads[i], sizeof(struct dlt_thread));
	free(s->threads);
	s->threads = NULL;
}
