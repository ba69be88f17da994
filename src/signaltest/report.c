/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What signaltest shows: the live block, the values of -v, its lines at the
 * end and its parts of both documents.
 */
#include <inttypes.h>
#include <stdio.h>

#include "rt/json.h"
#include "rt/log.h"
#include "signaltest.h"

#define BATCH 256u /* values taken from a ring at a time */

/* ---- the lines -------------------------------------------------------------------- */

void sig_note(void *session)
{
	struct sig_session *s = session;

	for (unsigned int i = 0; i < s->plan->threads; i++)
		rt_status_info(s->rt.status, i)->tid =
			atomic_load(&rt_crew_member(s->rt.crew, i)->tid);
}

static void print_line(const struct sig_session *s, unsigned int i)
{
	struct rt_thread_line line = {
		.index = i,
		.tid = atomic_load(&rt_crew_member(s->rt.crew, i)->tid),
		.priority = (int)s->opts->priority,
		.stats = &s->rt.results.snap->series[i].stats,
		.unit_ns = RT_NS_PER_US,
		.no_min = 1000000,
	};

	rt_report_thread_line(s->rt.results.out, &line);
}

/* ---- live --------------------------------------------------------------------------- */

static void draw(struct sig_session *s)
{
	rt_auto_free char *load = NULL;

	if (!rt_live_begin(&s->rt.live, s->plan->threads + 2))
		return;
	load = rt_loadavg();
	fprintf(s->rt.results.out, "%s          \n\n", load ? load : "");
	for (unsigned int i = 0; i < s->plan->threads; i++) {
		rt_stats_read(&s->threads[i].record->stats, &s->rt.results.snap->series[i].stats);
		print_line(s, i);
	}
	rt_live_end(&s->rt.live);
}

static void print_values(struct sig_session *s)
{
	struct rt_sample batch[BATCH];
	uint32_t got;

	for (unsigned int i = 0; i < s->plan->threads; i++)
		while ((got = rt_ring_get(s->threads[i].values, batch, BATCH)) > 0)
			for (uint32_t k = 0; k < got; k++)
				fprintf(s->rt.results.out, "%8u:%8" PRIu64 ":%8" PRId64 "\n", i,
					batch[k].cycle, rt_shown(batch[k].lat_ns, RT_NS_PER_US));
	fflush(s->rt.results.out);
}

void sig_tick(void *session)
{
	struct sig_session *s = session;

	if (s->opts->verbose)
		print_values(s);
	else
		draw(s);
}

void sig_header(struct sig_session *s)
{
	if (!s->opts->verbose || !(s->opts->is_pinned || s->opts->smp))
		return;
	fprintf(s->rt.results.out, "Using %d cpus.\n", rt_cpuset_count(&s->plan->cpus));
	for (unsigned int i = 0; i < s->plan->threads; i++)
		fprintf(s->rt.results.out, "Thread %u using cpu %d.\n", i,
			rt_status_info(s->rt.status, i)->cpu);
}

/* ---- documents --------------------------------------------------------------------------- */

static void add_int(struct json_object *o, const char *key, int64_t value)
{
	json_object_object_add(o, key, json_object_new_int64(value));
}

static struct json_object *thread_json(const struct sig_session *s, unsigned int i)
{
	const struct rt_series *series = &s->rt.results.snap->series[i];
	struct json_object *thread = json_object_new_object();

	add_int(thread, "cycles", (int64_t)series->stats.count);
	add_int(thread, "min", rt_shown_min(&series->stats, RT_NS_PER_US));
	add_int(thread, "max", rt_shown_max(&series->stats, RT_NS_PER_US));
	json_object_object_add(thread, "avg", rt_json_avg(rt_shown_mean(&series->stats)));
	add_int(thread, "cpu", series->info->cpu);
	return thread;
}

void sig_fill_json(struct json_object *document, void *session)
{
	struct sig_session *s = session;
	struct json_object *threads = json_object_new_object();

	add_int(document, "num_threads", s->plan->threads);
	for (unsigned int i = 0; i < s->plan->threads; i++) {
		char key[16];

		snprintf(key, sizeof(key), "%u", i);
		json_object_object_add(threads, key, thread_json(s, i));
	}
	json_object_object_add(document, "thread", threads);
}

void sig_fill_result(struct json_object *own, void *session)
{
	struct sig_session *s = session;
	struct json_object *disturbed = json_object_new_array();

	if (s->plan->breaktrace)
		json_object_object_add(own, "break", rt_json_break(&s->threshold, RT_NS_PER_US));
	for (unsigned int i = 0; i < s->plan->threads; i++)
		json_object_array_add(disturbed, json_object_new_int64((int64_t)RT_STATS_GET(
							 s->threads[i].disturbed)));
	json_object_object_add(own, "disturbed", disturbed);
}

/* ---- at the end ------------------------------------------------------------------------------ */

static void count_lost(struct sig_session *s)
{
	for (unsigned int i = 0; i < s->plan->threads; i++) {
		struct sig_thread *t = &s->threads[i];
		uint64_t unprinted = t->values ? rt_ring_lost(t->values) : 0;

		if (unprinted)
			rt_warn("thread %u: %" PRIu64 " values were lost before they could be "
				"printed; the cycle numbers show the gaps", i, unprinted);
		if (t->disturbed)
			rt_warn("thread %u: %" PRIu64 " turns were disturbed by signals from "
				"outside and are no values", i, t->disturbed);
		s->rt.results.snap->series[i].lost += unprinted + t->disturbed;
	}
}

static void print_result(struct sig_session *s)
{
	const struct rt_threshold *t = &s->threshold;

	if (s->opts->verbose)
		print_values(s);
	if (s->rt.live.lines)
		draw(s);
	for (unsigned int i = 0; i < s->plan->threads; i++) {
		if (atomic_load(&t->is_taken) && t->series == i)
			fprintf(s->rt.results.out, "Thread %u exceeded trace limit.\n", i);
		if (!s->rt.live.lines)
			print_line(s, i);
	}
	if (s->opts->results.percentiles)
		rt_report_percentiles(s->rt.results.out, s->rt.results.snap, RT_NS_PER_US, false);
	fflush(s->rt.results.out);
}

static void tell_break(const struct sig_session *s)
{
	const struct rt_threshold *t = &s->threshold;

	if (!atomic_load(&t->is_taken))
		return;
	rt_error("thread %u had a value of %" PRId64 " us, above --breaktrace %" PRId64, t->series,
		 t->value, t->limit);
	rt_threshold_tell(t);
}

int sig_report(struct sig_session *s, int exit_status, struct rt_err *err)
{
	bool was_good = !rt_err_is_set(err);

	rt_results_take(&s->rt.results);
	rt_results_end_samples(&s->rt.results, err);
	count_lost(s);
	if (was_good && rt_err_is_set(err))
		exit_status = (int)err->exit;
	print_result(s);
	exit_status = rt_results_write(&s->rt.results, exit_status, err);
	tell_break(s);
	rt_results_say(&s->rt.results);
	return exit_status;
}
