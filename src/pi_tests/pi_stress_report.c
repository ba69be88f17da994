/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The results of pi_stress: text, the peer's JSON, our own document.
 */
#include <errno.h>
#include <stdio.h>

#include "pi_stress.h"
#include "rt/json.h"
#include "rt/log.h"

uint64_t pis_passes(const struct pis_group *g)
{
	return RT_STATS_GET(g->section->stats.count);
}

uint64_t pis_inversions(const struct pis_group *g)
{
	return RT_STATS_GET(g->blocking->stats.count);
}

uint64_t pis_total(const struct pis_session *s)
{
	uint64_t total = 0;

	for (unsigned int i = 0; i < s->plan->groups; i++)
		total += pis_inversions(&s->groups[i]);
	return total;
}

/* ---- was it good? ------------------------------------------------------------------------ */

static int check_group(const struct pis_group *g, struct rt_err *err)
{
	if (atomic_load(&g->has_moved))
		return rt_err_set(err, RT_EXIT_FAILED, ENODEV,
				  "group %u lost CPU %d during the run (was it taken offline?): "
				  "its threads did not share a CPU to the end", g->index, g->cpu);
	if (atomic_load(&g->has_starved))
		return rt_err_set(err, RT_EXIT_FAILED, EDEADLK,
				  "group %u: when the run ended, the medium thread had been "
				  "running for %lld ms on CPU %d while the high thread waited for "
				  "the mutex of the low one: no priority was inherited", g->index,
				  (long long)(g->longest_spin_ns / RT_NS_PER_MS), g->cpu);
	if (pis_passes(g) && !pis_inversions(g))
		return rt_err_set(err, RT_EXIT_FAILED, ENODATA,
				  "group %u: in none of %llu passes did the high thread find the "
				  "mutex taken: nothing was inverted, nothing is shown", g->index,
				  (unsigned long long)pis_passes(g));
	return 0;
}

/* What the watchdog has seen explains the rest, so it is told first. */
int pis_check(struct pis_session *s, struct rt_err *err)
{
	int status = 0;

	if (rt_err_is_set(&s->watchdog)) {
		*err = s->watchdog;
		status = err->code;
	}
	for (unsigned int i = 0; i < s->plan->groups; i++) {
		if (atomic_load(&s->groups[i].has_moved))
			rt_status_info(s->rt.status, i)->cpu = -1; /* not reported as pinned */
		if (!status)
			status = check_group(&s->groups[i], err);
	}
	return status;
}

/* ---- documents ---------------------------------------------------------------------------- */

static void add_int(struct json_object *o, const char *key, uint64_t value)
{
	json_object_object_add(o, key, json_object_new_int64((int64_t)value));
}

static void fill_json(struct json_object *document, void *data)
{
	add_int(document, "inversion", pis_total(data));
}

static struct json_object *group_json(const struct pis_session *s, unsigned int i)
{
	static const char *const states[] = {
		[PIS_GOOD] = "good", [PIS_SLOW] = "slow", [PIS_DEADLOCKED] = "deadlocked",
	};
	const struct pis_group *g = &s->groups[i];
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "cpu", json_object_new_int(g->cpu));
	add_int(o, "passes", pis_passes(g));
	add_int(o, "inversions", pis_inversions(g));
	add_int(o, "not_inverted", RT_STATS_GET(g->not_inverted));
	add_int(o, "failed", RT_STATS_GET(g->failed));
	add_int(o, "medium_spins", RT_STATS_GET(g->spun));
	add_int(o, "longest_spin_ns", (uint64_t)RT_STATS_GET(g->longest_spin_ns));
	json_object_object_add(o, "watchdog", json_object_new_string(states[s->dogs[i].state]));
	return o;
}

static void fill_result(struct json_object *own, void *data)
{
	struct pis_session *s = data;
	struct json_object *groups = json_object_new_array();

	json_object_object_add(own, "protocol",
			       json_object_new_string(s->opts->no_pi ? "none" : "inherit"));
	add_int(own, "inversions", pis_total(s));
	add_int(own, "section_ns", (uint64_t)s->plan->section_ns);
	add_int(own, "watchdog_ns", (uint64_t)s->opts->watchdog_ns);
	for (unsigned int i = 0; i < s->plan->groups; i++)
		json_object_array_add(groups, group_json(s, i));
	json_object_object_add(own, "groups", groups);
}

static void note_tids(void *data)
{
	struct pis_session *s = data;

	for (unsigned int i = 0; i < s->plan->groups; i++) {
		rt_status_info(s->rt.status, i)->tid =
			atomic_load(&rt_crew_member(s->rt.crew, i * PIS_ROLES + PIS_HIGH)->tid);
		rt_status_info(s->rt.status, s->plan->groups + i)->tid =
			atomic_load(&rt_crew_member(s->rt.crew, i * PIS_ROLES + PIS_LOW)->tid);
	}
}

void pis_report_plan(struct pis_plan *plan)
{
	plan->results = (struct rt_results_plan){
		.opts = &plan->opts->results,
		.tool = "pi_stress",
		.unit_ns = plan->unit_ns,
		.clock = CLOCK_MONOTONIC,
		.limit = plan->limit,
		.before = note_tids,
		.fill_json = fill_json,
		.fill_result = fill_result,
	};
}

/* ---- text ------------------------------------------------------------------------------------ */

static void write_summary(const struct pis_session *s)
{
	long long seconds = s->rt.results.about.duration_ns / RT_NS_PER_S;
	FILE *out = s->rt.results.out;

	if (s->is_live)
		fputs("\033[1BStopping test\n", out);
	fprintf(out, "Total inversion performed: %llu\n", (unsigned long long)pis_total(s));
	fprintf(out, "Test Duration: %lld days, %lld hours, %lld minutes, %lld seconds\n",
		seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
}

static void write_times(FILE *out, const char *what, const struct rt_stats *stats)
{
	if (!stats->count)
		return;
	fprintf(out, "%s min %.1f avg %.1f max %.1f us", what, (double)stats->min_ns / 1000,
		rt_stats_mean_ns(stats) / 1000, (double)stats->max_ns / 1000);
}

static void write_group(const struct pis_session *s, unsigned int i)
{
	const struct rt_series *series = s->rt.results.snap->series;
	const struct pis_group *g = &s->groups[i];
	FILE *out = s->rt.results.out;

	fprintf(out, "# Group %u on CPU %d: %llu inversions, %llu not inverted", i, g->cpu,
		(unsigned long long)pis_inversions(g),
		(unsigned long long)RT_STATS_GET(g->not_inverted));
	write_times(out, "; blocking", &series[i].stats);
	write_times(out, "; bare section", &series[s->plan->groups + i].stats);
	fputc('\n', out);
}

/* The series of blocking times come first; those of the sections are left out. */
static struct rt_snapshot blocking_of(const struct pis_session *s)
{
	return (struct rt_snapshot){ .count = s->plan->groups,
				     .series = s->rt.results.snap->series };
}

static void write_histogram(struct pis_session *s, struct rt_err *err)
{
	unsigned int count = s->plan->groups;
	rt_auto_free const struct rt_linear **linear = calloc(count, sizeof(*linear));
	struct rt_snapshot blocking = blocking_of(s);
	struct rt_histogram_text text = {
		.columns = count,
		.snap = &blocking,
		.unit_ns = s->plan->unit_ns,
		.percentiles = s->opts->results.percentiles,
	};

	if (!linear) {
		rt_err_memory(err, "the results");
		return;
	}
	for (unsigned int i = 0; i < count; i++)
		linear[i] = s->groups[i].linear;
	text.linear = linear;
	rt_results_histogram(&s->rt.results, NULL, &text, err);
}

static void write_text(struct pis_session *s, struct rt_err *err)
{
	struct rt_snapshot blocking = blocking_of(s);

	write_summary(s);
	for (unsigned int i = 0; s->opts->noise != PIS_QUIET && i < s->plan->groups; i++)
		write_group(s, i);
	if (s->plan->buckets)
		write_histogram(s, err);
	else if (s->opts->results.percentiles)
		rt_report_percentiles(s->rt.results.out, &blocking, s->plan->unit_ns, false);
	fflush(s->rt.results.out);
}

int pis_report(struct pis_session *s, int exit_status, struct rt_err *err)
{
	rt_results_take(&s->rt.results);
	rt_results_end_samples(&s->rt.results, err);
	exit_status = rt_results_write(&s->rt.results, exit_status, err);
	write_text(s, err);
	rt_results_say(&s->rt.results);
	return exit_status;
}
