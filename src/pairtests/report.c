/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The results of a hand-over test: its lines, live and at the end, and its
 * parts of both documents.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "pairs.h"
#include "rt/json.h"
#include "rt/log.h"

/* ---- before records are copied --------------------------------------------------- */

static pid_t tid_of(const struct pair_session *s, unsigned int index)
{
	return atomic_load(&rt_crew_member(s->rt.crew, index)->tid);
}

static int cpu_of(const struct pair_end *e)
{
	return atomic_load_explicit(&e->seen_cpu, memory_order_relaxed);
}

void pair_note(void *session)
{
	struct pair_session *s = session;
	unsigned int pairs = s->plan->pairs;

	for (unsigned int i = 0; i < pairs; i++) {
		rt_status_info(s->rt.status, i)->tid = tid_of(s, 2 * i);
		rt_status_info(s->rt.status, pairs + i)->tid = tid_of(s, 2 * i + 1);
	}
}

/* ---- the lines --------------------------------------------------------------------- */

static void print_ends(const struct pair_session *s, unsigned int i)
{
	const struct pair *p = &s->shared->pairs[i];
	const struct pair_seat *seats = &s->plan->seats[2 * i];
	FILE *out = s->rt.results.out;

	fprintf(out, "#%1u: ID%d, P%d, CPU%d, I%" PRId64 "; ", 2 * i, (int)tid_of(s, 2 * i),
		seats[0].priority, cpu_of(&p->receiver), p->receiver.interval_ns / RT_NS_PER_US);
	fprintf(out, "#%1u: ID%d, P%d, CPU%d, ", 2 * i + 1, (int)tid_of(s, 2 * i + 1),
		seats[1].priority, cpu_of(&p->sender));
	if (s->plan->tool->shows_timeouts)
		fprintf(out, "TO %" PRIu64 ", ", RT_STATS_GET(p->forth.timeouts));
	fprintf(out, "Cycles %" PRIu64 "\n", s->rt.results.snap->series[i].stats.count);
}

static int64_t rounded(double value)
{
	return (int64_t)(value + 0.5);
}

static void print_result(const struct pair_session *s, unsigned int i)
{
	const struct rt_stats *stats = &s->rt.results.snap->series[i].stats;
	FILE *out = s->rt.results.out;

	if (!stats->count) {
		fprintf(out, "#%u -> #%u (not yet ready)\n", 2 * i + 1, 2 * i);
		return;
	}
	fprintf(out, "#%u -> #%u, Min %4" PRId64 ", Cur %4" PRId64 ", Avg %4" PRId64
		     ", Max %4" PRId64 "\n", 2 * i + 1, 2 * i,
		rt_shown_min(stats, RT_NS_PER_US), rt_shown(stats->last_ns, RT_NS_PER_US),
		rounded(rt_shown_mean(stats)), rt_shown_max(stats, RT_NS_PER_US));
}

static void print_block(const struct pair_session *s)
{
	for (unsigned int i = 0; i < s->plan->pairs; i++)
		print_ends(s, i);
	for (unsigned int i = 0; i < s->plan->pairs; i++)
		print_result(s, i);
}

/* Only the numbers are copied: a picture needs no histograms. */
static void look(struct pair_session *s)
{
	for (unsigned int i = 0; i < s->plan->pairs; i++)
		rt_stats_read(&rt_status_peek(s->rt.status, i)->stats,
			      &s->rt.results.snap->series[i].stats);
}

void pair_draw(struct pair_session *s)
{
	look(s);
	if (s->rt.results.snap->series[0].stats.count < 2 && !s->shared->pairs[0].forth.timeouts)
		return;
	if (!rt_live_begin(&s->rt.live, 2 * s->plan->pairs))
		return;
	print_block(s);
	rt_live_end(&s->rt.live);
}

/* ---- --json ---------------------------------------------------------------------------- */

static void add_int(struct json_object *o, const char *key, int64_t value)
{
	json_object_object_add(o, key, json_object_new_int64(value));
}

static struct json_object *pair_json(const struct pair_session *s, unsigned int i)
{
	const struct rt_stats *stats = &s->rt.results.snap->series[i].stats;
	const struct pair *p = &s->shared->pairs[i];
	struct json_object *pair = json_object_new_object();
	struct json_object *sender = json_object_new_object();
	struct json_object *receiver = json_object_new_object();

	add_int(sender, "cpu", cpu_of(&p->sender));
	add_int(sender, "priority", s->plan->seats[2 * i + 1].priority);
	add_int(sender, "samples", (int64_t)stats->count);
	add_int(sender, "interval", p->receiver.interval_ns / RT_NS_PER_US);
	add_int(receiver, "cpu", cpu_of(&p->receiver));
	add_int(receiver, "priority", s->plan->seats[2 * i].priority);
	if (s->plan->tool->shows_timeouts)
		add_int(receiver, "timeoutcount", (int64_t)RT_STATS_GET(p->forth.timeouts));
	add_int(receiver, "min", rt_shown_min(stats, RT_NS_PER_US));
	json_object_object_add(receiver, "avg", rt_json_avg(rt_shown_mean(stats)));
	add_int(receiver, "max", rt_shown_max(stats, RT_NS_PER_US));
	json_object_object_add(pair, "sender", sender);
	json_object_object_add(pair, "receiver", receiver);
	return pair;
}

void pair_fill_json(struct json_object *document, void *session)
{
	struct pair_session *s = session;
	struct json_object *pairs = json_object_new_object();

	add_int(document, "num_threads", s->plan->pairs);
	for (unsigned int i = 0; i < s->plan->pairs; i++) {
		char key[16];

		snprintf(key, sizeof(key), "%u", i);
		json_object_object_add(pairs, key, pair_json(s, i));
	}
	json_object_object_add(document, "thread", pairs);
}

/* ---- --result ------------------------------------------------------------------------------ */

static struct json_object *way_json(const struct pair_way *way)
{
	struct json_object *o = json_object_new_object();

	add_int(o, "timeouts", (int64_t)RT_STATS_GET(way->timeouts));
	add_int(o, "disturbed", (int64_t)RT_STATS_GET(way->disturbed));
	return o;
}

void pair_fill_result(struct json_object *own, void *session)
{
	struct pair_session *s = session;
	struct json_object *ways = json_object_new_array();
	unsigned int pairs = s->plan->pairs;

	json_object_object_add(own, "via", json_object_new_string(s->plan->via->name));
	json_object_object_add(own, "clock",
			       json_object_new_string(rt_clock_name(CLOCK_MONOTONIC)));
	json_object_object_add(own, "processes", json_object_new_boolean(s->opts->fork));
	if (s->plan->breaktrace)
		json_object_object_add(own, "break",
				       rt_json_break(&s->shared->threshold, RT_NS_PER_US));
	for (unsigned int i = 0; i < 2 * pairs; i++) {
		const struct pair *p = &s->shared->pairs[i % pairs];

		json_object_array_add(ways, way_json(i < pairs ? &p->forth : &p->back));
	}
	json_object_object_add(own, "ways", ways);
	rt_tracing_json(&s->tracing, own);
}

/* ---- at the end ------------------------------------------------------------------- */

static void tell_break(const struct pair_session *s)
{
	const struct rt_threshold *t = &s->shared->threshold;

	if (!atomic_load(&t->is_taken))
		return;
	rt_error("pair %u had a latency of %" PRId64 " us, above --breaktrace %" PRId64, t->series,
		 t->value, t->limit);
	rt_threshold_tell(t);
}

/* Also where there is nothing to report: a signal at the start leaves no pair a sample. */
static void tell_silent_pairs(const struct pair_session *s, struct rt_err *err)
{
	for (unsigned int i = 0; i < s->plan->pairs; i++) {
		if (s->rt.results.snap->series[i].stats.count ||
		    !s->shared->pairs[i].forth.timeouts)
			continue;
		rt_err_set(err, RT_EXIT_FAILED, ETIMEDOUT,
			   "pair %u got no sample: all its waits timed out (--timeout)", i);
	}
}

/* Posts that gave no sample belong to the record of their way. */
static void count_lost(struct pair_session *s)
{
	unsigned int pairs = s->plan->pairs;

	for (unsigned int i = 0; i < pairs; i++) {
		const struct pair *p = &s->shared->pairs[i];
		struct rt_series *series = s->rt.results.snap->series;

		series[i].lost += p->forth.disturbed;
		series[pairs + i].lost = p->back.disturbed;
		if (p->forth.disturbed + p->back.disturbed)
			rt_warn("pair %u: %" PRIu64 " hand-overs were disturbed by signals from "
				"outside and are no samples", i,
				p->forth.disturbed + p->back.disturbed);
	}
}

int pair_report(struct pair_session *s, int exit_status, struct rt_err *err)
{
	const struct rt_snapshot forth = { s->plan->pairs, s->rt.results.snap->series };
	bool is_good = exit_status == RT_EXIT_GOOD;

	rt_results_take(&s->rt.results);
	rt_results_end_samples(&s->rt.results, err);
	count_lost(s);
	tell_silent_pairs(s, err);
	if (is_good && rt_err_is_set(err))
		exit_status = (int)err->exit;
	if (s->rt.live.lines)
		rt_live_begin(&s->rt.live, 2 * s->plan->pairs);
	print_block(s);
	if (s->opts->results.percentiles)
		rt_report_percentiles(s->rt.results.out, &forth, RT_NS_PER_US, false);
	rt_tracing_say(&s->tracing, s->rt.results.out);
	fflush(s->rt.results.out);
	exit_status = rt_results_write(&s->rt.results, exit_status, err);
	tell_break(s);
	rt_results_say(&s->rt.results);
	return exit_status;
}
