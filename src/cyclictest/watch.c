/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the main thread does while the others measure: next to nothing in a
 * quiet run; else the live block, the values of -v, the pipe, the status.
 */
#include <stdio.h>
#include <string.h>

#include "cyclictest.h"
#include "measure.h"
#include "rt/log.h"
#include "rt/out.h"

#define VERBOSE_TICK_NS (10 * RT_NS_PER_MS)
#define FIFO_TICK_NS (500 * RT_NS_PER_MS)

/* ---- one line a thread --------------------------------------------------------- */

/* The newest consistent copy; the one before when the writer is in the middle. */
static const struct rt_stats *look(struct cyc_session *s, unsigned int i)
{
	rt_stats_read(&s->threads[i]->record->stats, &s->seen[i]);
	return &s->seen[i];
}

void cyc_status_lines(struct cyc_session *s, FILE *out)
{
	for (unsigned int i = 0; i < s->plan->threads; i++) {
		const struct cyc_thread *t = s->threads[i];
		const struct rt_series_info *info = rt_status_info(s->rt.status, i);
		uint64_t smis = RT_STATS_GET(t->smi_count);
		struct rt_thread_line line = {
			.index = i,
			.tid = atomic_load(&rt_crew_member(s->rt.crew, i)->tid),
			.priority = info->priority,
			.interval_us = t->interval_ns / RT_NS_PER_US,
			.stats = look(s, i),
			.unit_ns = s->plan->unit_ns,
			.smis = s->opts->smi ? &smis : NULL,
			.no_min = 1000000,
		};

		rt_report_thread_line(out, &line);
	}
}

static void write_status(struct cyc_session *s, FILE *out)
{
	fprintf(out, "#---------------------------\n# cyclictest current status:\n");
	cyc_status_lines(s, out);
	fprintf(out, "#---------------------------\n");
}

static void status_to_stderr(void *data)
{
	write_status(data, rt_out_err());
}

static void status_to_file(void *data)
{
	struct cyc_session *s = data;
	rt_auto_free char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return;
	write_status(s, out);
	fclose(out);
	if (s->status_file)
		cyc_status_file_write(s->status_file, text, length);
	else
		rt_warn("SIGUSR2: there is no status object to write to");
}

/* For a reader of the pipe. */
static char *lines_text(void *data, size_t *length)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, length);

	if (!out)
		return NULL;
	cyc_status_lines(data, out);
	fclose(out);
	return text;
}

/* ---- the live block -------------------------------------------------------------- */

static bool has_new_max(struct cyc_session *s)
{
	bool is_new = false;

	for (unsigned int i = 0; i < s->plan->threads; i++) {
		const struct rt_stats *stats = look(s, i);

		if (stats->count && stats->max_ns > s->shown_max_ns[i]) {
			s->shown_max_ns[i] = stats->max_ns;
			is_new = true;
		}
	}
	return is_new;
}

/* Behind the blanks that end the line, where no parser looks. */
static void draw_progress(struct cyc_session *s)
{
	double progress = rt_run_progress(s->rt.run);

	if (progress >= 0)
		fprintf(s->rt.results.out, "%3d%%", (int)(progress * 100));
}

static void draw(struct cyc_session *s)
{
	enum rt_policy policy = s->plan->policy;
	rt_auto_free char *load = NULL;

	if (!rt_live_begin(&s->rt.live, s->plan->threads + 2))
		return;
	load = rt_loadavg();
	fprintf(s->rt.results.out, "policy: %s%s: loadavg: %s          ", rt_policy_name(policy),
		policy == RT_POLICY_OTHER ? "/other" : "", load ? load : "");
	draw_progress(s);
	fprintf(s->rt.results.out, "\n\n");
	cyc_status_lines(s, s->rt.results.out);
	rt_live_end(&s->rt.live);
}

/* Do the status lines show while the run lasts? Without a terminal only -M's do, one by one. */
static bool is_shown(const struct cyc_opts *o, bool is_terminal)
{
	return !o->quiet && !o->verbose && (is_terminal || o->refresh_on_max);
}

static bool is_live(const struct cyc_session *s)
{
	return s->rt.live.is_terminal && is_shown(s->opts, true);
}

static void show(struct cyc_session *s)
{
	if (!is_shown(s->opts, s->rt.live.is_terminal) ||
	    (s->opts->refresh_on_max && !has_new_max(s)))
		return;
	if (is_live(s)) {
		draw(s);
	} else {
		cyc_status_lines(s, s->rt.results.out);
		fflush(s->rt.results.out);
	}
}

/* ---- ticks --------------------------------------------------------------------------- */

static void tick(void *data)
{
	struct cyc_session *s = data;

	if (s->opts->verbose)
		cyc_values_print(s);
	show(s);
	if (s->fifo)
		cyc_fifo_offer(s->fifo, lines_text, s);
}

static int64_t choose_tick(const struct cyc_opts *o, bool is_terminal)
{
	if (o->verbose)
		return VERBOSE_TICK_NS;
	if (is_shown(o, is_terminal))
		return RT_LIVE_TICK_NS;
	return o->fifo ? FIFO_TICK_NS : 0;
}

void cyc_watch_plan(const struct cyc_plan *plan, struct rt_run_plan *run_plan)
{
	run_plan->duration_ns = plan->opts->duration_ns;
	run_plan->tick_ns = choose_tick(plan->opts, rt_out_is_terminal(rt_results_out(&plan->results)));
	run_plan->tick = tick;
	run_plan->usr1 = status_to_stderr;
	run_plan->usr2 = status_to_file;
}

void cyc_watch_header(struct cyc_session *s)
{
	if (!s->opts->verbose)
		return;
	fprintf(s->rt.results.out, "Max CPUs = %ld\nOnline CPUs = %ld\n",
		sysconf(_SC_NPROCESSORS_CONF), sysconf(_SC_NPROCESSORS_ONLN));
	if (s->opts->affinity)
		fprintf(s->rt.results.out, "Using %d cpus.\n", rt_cpuset_count(&s->plan->measured));
}

void cyc_watch_begin(struct cyc_session *s)
{
	for (unsigned int i = 0; s->opts->verbose && i < s->plan->threads; i++) {
		const struct cyc_seat *seat = &s->plan->seats[i];

		if (s->opts->affinity)
			fprintf(s->rt.results.out, "Thread %u using cpu %d.\n", i, seat->cpu);
		fprintf(s->rt.results.out, "Thread %u Interval: %lld\n", i,
			(long long)(seat->interval_ns / RT_NS_PER_US));
	}
	if (is_live(s))
		draw(s);
	fflush(s->rt.results.out);
}

/* After the join: the last state, and what was still in the rings. */
void cyc_watch_end(struct cyc_session *s)
{
	if (s->opts->verbose)
		cyc_values_print(s);
	if (is_live(s))
		draw(s);
}
