/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The results of cyclictest: text, the peer's JSON, our own document.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cyclictest.h"
#include "measure.h"
#include "rt/json.h"
#include "rt/log.h"

/* ---- --json: the peer's members ---------------------------------------------------- */

static struct json_object *thread_json(struct cyc_session *s, unsigned int i)
{
	const struct rt_series *series = &s->rt.results.snap->series[i];
	const struct rt_stats *stats = &series->stats;
	struct json_object *thread = json_object_new_object();

	if (s->plan->buckets)
		json_object_object_add(thread, "histogram",
				       rt_json_histogram(s->threads[i]->linear,
							 &s->threads[i]->record->stats));
	json_object_object_add(thread, "cycles", json_object_new_int64((int64_t)stats->count));
	json_object_object_add(thread, "min",
			       json_object_new_int64(rt_shown_min(stats, s->plan->unit_ns)));
	json_object_object_add(thread, "max",
			       json_object_new_int64(rt_shown_max(stats, s->plan->unit_ns)));
	json_object_object_add(thread, "avg", rt_json_avg(rt_shown_mean(stats)));
	json_object_object_add(thread, "cpu", json_object_new_int(series->info->cpu));
	json_object_object_add(thread, "node", json_object_new_int(series->info->node));
	return thread;
}

static void fill_json(struct json_object *document, void *data)
{
	struct cyc_session *s = data;
	struct json_object *threads = json_object_new_object();

	json_object_object_add(document, "num_threads",
			       json_object_new_int64(s->plan->threads));
	json_object_object_add(document, "resolution_in_ns",
			       json_object_new_int(s->plan->unit_ns == 1));
	for (unsigned int i = 0; i < s->plan->threads; i++) {
		char key[16];

		snprintf(key, sizeof(key), "%u", i);
		json_object_object_add(threads, key, thread_json(s, i));
	}
	json_object_object_add(document, "thread", threads);
}

/* ---- --result: what only cyclictest has ----------------------------------------------- */

static const char *sleep_text(enum cyc_sleep sleep)
{
	static const char *const texts[] = {
		[CYC_SLEEP_ABSOLUTE] = "clock_nanosleep absolute",
		[CYC_SLEEP_RELATIVE] = "clock_nanosleep relative",
		[CYC_SLEEP_SYSTEM] = "nanosleep",
		[CYC_SLEEP_TIMER] = "posix timer",
	};

	return texts[sleep];
}

static struct json_object *smis_json(const struct cyc_session *s)
{
	struct json_object *smis = json_object_new_array();

	for (unsigned int i = 0; i < s->plan->threads; i++)
		json_object_array_add(smis, json_object_new_int64((int64_t)RT_STATS_GET(
						    s->threads[i]->smi_count)));
	return smis;
}

static void fill_result(struct json_object *own, void *data)
{
	struct cyc_session *s = data;

	json_object_object_add(own, "sleep", json_object_new_string(sleep_text(s->plan->sleep)));
	if (s->plan->breaktrace)
		json_object_object_add(own, "break",
				       rt_json_break(&s->threshold, s->plan->unit_ns));
	if (s->spikes) {
		json_object_object_add(own, "spikes_seen",
				       json_object_new_int64((int64_t)cyc_spikes_seen(s->spikes)));
		json_object_object_add(own, "spikes",
				       cyc_spikes_json(s->spikes, s->plan->unit_ns));
	}
	if (s->opts->smi)
		json_object_object_add(own, "smis", smis_json(s));
	rt_tracing_json(&s->tracing, own);
}

static void no_memory(struct rt_err *err)
{
	rt_err_memory(err, "the results");
}

/* ---- both documents ---------------------------------------------------------------------- */

static void note_tids(void *data)
{
	struct cyc_session *s = data;

	for (unsigned int i = 0; i < s->plan->threads; i++)
		rt_status_info(s->rt.status, i)->tid =
			atomic_load(&rt_crew_member(s->rt.crew, i)->tid);
}

void cyc_report_plan(struct cyc_plan *plan)
{
	plan->results = (struct rt_results_plan){
		.opts = &plan->opts->results,
		.tool = "cyclictest",
		.argc = plan->argc,
		.argv = plan->argv,
		.clock = plan->opts->clock,
		.unit_ns = plan->unit_ns,
		.limit = plan->limit,
		.histfile = plan->buckets ? plan->opts->histfile : NULL,
		.before = note_tids,
		.fill_json = fill_json,
		.fill_result = fill_result,
	};
}

/* ---- text ---------------------------------------------------------------------------------- */

static void write_histogram(struct cyc_session *s, struct rt_err *err)
{
	unsigned int count = s->plan->threads;
	rt_auto_free const struct rt_linear **linear = calloc(count, sizeof(*linear));
	rt_auto_free uint64_t *smis = calloc(count, sizeof(*smis));
	struct rt_histogram_text text = {
		.columns = count,
		.snap = s->rt.results.snap,
		.unit_ns = s->plan->unit_ns,
		.with_sum = s->opts->histofall,
		.zero_rows = s->opts->zero_rows,
		.percentiles = s->opts->results.percentiles,
	};

	if (!linear || !smis) {
		no_memory(err);
		return;
	}
	for (unsigned int i = 0; i < count; i++) {
		linear[i] = s->threads[i]->linear;
		smis[i] = s->threads[i]->smi_count;
	}
	text.linear = linear;
	text.smis = s->opts->smi ? smis : NULL;
	rt_results_histogram(&s->rt.results, s->histfile, &text, err);
}

static void write_break(struct cyc_session *s)
{
	const struct rt_threshold *t = &s->threshold;

	if (!s->plan->breaktrace)
		return;
	fprintf(s->rt.results.out, "# Thread Ids:");
	for (unsigned int i = 0; i < s->plan->threads; i++)
		fprintf(s->rt.results.out, " %05d",
			(int)atomic_load(&rt_crew_member(s->rt.crew, i)->tid));
	fputc('\n', s->rt.results.out);
	rt_report_break(s->rt.results.out, t);
}

/*
 * On a terminal the live block's last state is the summary. In a quiet run the
 * histogram stands for it; with -v only -q asks for it.
 */
static bool has_summary(const struct cyc_session *s)
{
	if (s->opts->quiet)
		return !s->plan->buckets;
	return !s->opts->verbose && !s->rt.live.lines;
}

static void write_text(struct cyc_session *s, struct rt_err *err)
{
	if (has_summary(s))
		cyc_status_lines(s, s->rt.results.out);
	if (s->opts->results.percentiles && !s->plan->buckets)
		rt_report_percentiles(s->rt.results.out, s->rt.results.snap, s->plan->unit_ns,
				      false);
	if (s->spikes)
		cyc_spikes_print(s->spikes, s->rt.results.out);
	if (s->plan->buckets && !s->histfile)
		write_histogram(s, err);
	write_break(s);
	rt_tracing_say(&s->tracing, s->rt.results.out);
	fflush(s->rt.results.out);
}

/* ---- honesty: what the numbers do not say ----------------------------------------------------- */

static void tell_unprinted(struct cyc_session *s)
{
	for (unsigned int i = 0; s->opts->verbose && i < s->plan->threads; i++) {
		uint32_t lost = rt_ring_lost(s->threads[i]->verbose_ring);

		if (lost)
			rt_warn("thread %u: %u values were lost before they could be printed; the "
				"cycle numbers show the gaps", i, lost);
		s->rt.results.snap->series[i].lost += lost;
	}
}

int cyc_report(struct cyc_session *s, int exit_status, struct rt_err *err)
{
	rt_results_take(&s->rt.results);
	rt_results_end_samples(&s->rt.results, err);
	tell_unprinted(s);
	cyc_watch_end(s);
	if (s->histfile)
		write_histogram(s, err);
	exit_status = rt_results_write(&s->rt.results, exit_status, err);
	write_text(s, err);
	rt_results_say(&s->rt.results);
	return exit_status;
}
