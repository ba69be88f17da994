/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The document that --result writes: one schema for all tools, complete, in
 * nanoseconds. man/rtgauge-result.5 describes each member.
 */
#include "report_internal.h"
#include "rt/options.h"
#include "rt/report.h"
#include "rt/sched.h"

#define SCHEMA "rtgauge-result/1"

/* The document's own members and those of the objects in it stand on lines; a series on one. */
#define PRETTY_LEVELS 2

static void add_int(struct json_object *o, const char *key, int64_t value)
{
	json_object_object_add(o, key, json_object_new_int64(value));
}

/* null where there is none */
static void add_int_if(struct json_object *o, const char *key, int64_t value, bool is_there)
{
	json_object_object_add(o, key, is_there ? json_object_new_int64(value) : NULL);
}

static void add_text(struct json_object *o, const char *key, const char *text)
{
	json_object_object_add(o, key, rt_json_string(text));
}

static void add_time(struct json_object *o, const char *key, int64_t real_ns)
{
	char text[RT_RFC3339_MAX];

	add_text(o, key, rt_rfc3339(text, real_ns));
}

/* A moment in the tool's clock: as it is, and as civil time if the tool told the difference. */
static void add_moment(struct json_object *o, const char *key_ns, const char *key_time,
		       const struct rt_result *result, int64_t at_ns, bool is_there)
{
	add_int_if(o, key_ns, at_ns, is_there);
	if (is_there && result->clock)
		add_time(o, key_time, at_ns + result->clock_offset_ns);
	else
		json_object_object_add(o, key_time, NULL);
}

static struct json_object *words(int argc, char **argv)
{
	struct json_object *list = json_object_new_array();

	for (int i = 0; i < argc; i++)
		json_object_array_add(list, rt_json_string(argv[i]));
	return list;
}

static struct json_object *verdict(const struct rt_result *result)
{
	int series = rt_verdict_find(result);
	const struct rt_series *s = series < 0 ? NULL : &result->snap->series[series];
	struct json_object *o;

	if (result->limit_ns <= 0)
		return NULL;
	o = json_object_new_object();
	add_int(o, "limit_ns", result->limit_ns);
	add_int(o, "unit_ns", result->unit_ns);
	json_object_object_add(o, "passed", json_object_new_boolean(s != NULL));
	add_text(o, "series", s ? s->info->name : NULL);
	add_int_if(o, "value_ns", s ? s->stats.max_ns : 0, s != NULL);
	add_moment(o, "at_ns", "at", result, s ? s->stats.max_at_ns : 0, s != NULL);
	return o;
}

static struct json_object *cpus(const struct rt_sysinfo *system)
{
	struct json_object *o = json_object_new_object();

	add_text(o, "online", system->online);
	add_text(o, "isolated", system->isolated);
	add_text(o, "nohz_full", system->nohz_full);
	return o;
}

static struct json_object *system_of(const struct rt_sysinfo *system)
{
	struct json_object *o = json_object_new_object();

	add_text(o, "kernel", system->uts.release);
	add_text(o, "kernel_version", system->uts.version);
	add_text(o, "hostname", system->uts.nodename);
	add_text(o, "architecture", system->uts.machine);
	add_text(o, "preempt", system->preempt);
	json_object_object_add(o, "realtime", json_object_new_boolean(system->realtime));
	add_text(o, "cmdline", system->cmdline);
	add_text(o, "machine", system->machine);
	json_object_object_add(o, "cpus", cpus(system));
	add_text(o, "clocksource", system->clocksource);
	add_text(o, "governor", system->governor);
	add_text(o, "idle_driver", system->idle_driver);
	add_text(o, "smt", system->smt);
	add_text(o, "hypervisor", system->hypervisor);
	add_text(o, "rt_runtime", system->rt_runtime);
	return o;
}

static struct json_object *asked(const struct rt_result *result)
{
	struct json_object *list = json_object_new_array();

	for (unsigned int i = 0; i < result->asked_count; i++) {
		const struct rt_asked *a = &result->asked[i];
		struct json_object *o = json_object_new_object();

		add_text(o, "name", a->name);
		add_text(o, "asked", a->asked);
		add_text(o, "got", a->got);
		add_text(o, "reason", a->reason);
		json_object_array_add(list, o);
	}
	return list;
}

static void add_info(struct json_object *o, const struct rt_series_info *info)
{
	add_text(o, "name", info->name);
	add_text(o, "kind", info->kind);
	add_int_if(o, "cpu", info->cpu, info->cpu >= 0);
	add_int_if(o, "node", info->node, info->node >= 0);
	add_int_if(o, "tid", info->tid, info->tid > 0);
	add_text(o, "policy", rt_policy_name((enum rt_policy)info->policy));
	if (info->policy == RT_POLICY_DEADLINE) {
		add_int(o, "runtime_ns", info->runtime_ns);
		add_int(o, "deadline_ns", info->deadline_ns);
		add_int(o, "period_ns", info->period_ns);
	} else {
		add_int(o, "priority", info->priority);
	}
	add_int_if(o, "interval_ns", info->interval_ns, info->interval_ns > 0);
}

/* Of a checkpoint the buckets count: the rest of the record may be some samples newer. */
static uint64_t samples_of(const struct rt_result *result, const struct rt_series *s)
{
	return result->is_checkpoint ? rt_buckets_sum(s->log) : s->stats.count;
}

static struct json_object *counts(const struct rt_result *result, const struct rt_series *s)
{
	struct json_object *o = json_object_new_object();

	add_int(o, "samples", (int64_t)samples_of(result, s));
	add_int(o, "early", (int64_t)s->stats.early);
	add_int(o, "late", (int64_t)s->stats.late);
	add_int(o, "missed", (int64_t)s->stats.missed);
	add_int(o, "lost", (int64_t)s->lost);
	return o;
}

static void add_percentiles(struct json_object *o, const struct rt_series *s)
{
	/* a series without a histogram has none */
	bool is_there = s->stats.count && rt_buckets_sum(s->log);

	for (unsigned int i = 0; i < RT_PERCENTILE_COUNT; i++)
		add_int_if(o, rt_percentiles[i].key,
			   rt_log_percentile(s->log, rt_percentiles[i].percent, s->stats.min_ns,
					     s->stats.max_ns),
			   is_there);
}

static struct json_object *latency(const struct rt_result *result, const struct rt_series *s)
{
	struct json_object *o = json_object_new_object();
	const struct rt_stats *stats = &s->stats;
	bool is_there = stats->count > 0;

	add_int_if(o, "min", stats->min_ns, is_there);
	add_int_if(o, "max", stats->max_ns, is_there);
	json_object_object_add(o, "mean",
			       is_there ? rt_json_decimal(rt_stats_mean_ns(stats), 3) : NULL);
	add_int_if(o, "last", stats->last_ns, is_there);
	add_percentiles(o, s);
	add_moment(o, "max_at_ns", "max_at", result, stats->max_at_ns, is_there);
	return o;
}

/* [low, high, count]; no bound below zero and above the top */
static struct json_object *bucket(const struct rt_buckets *b, uint32_t i)
{
	struct json_object *row = json_object_new_array();
	int64_t low_ns, high_ns;

	rt_log_bounds(i, &low_ns, &high_ns);
	json_object_array_add(row, i == RT_LOG_EARLY ? NULL : json_object_new_int64(low_ns));
	json_object_array_add(row, i == RT_LOG_ABOVE ? NULL : json_object_new_int64(high_ns));
	json_object_array_add(row, json_object_new_int64((int64_t)rt_buckets_get(b, i)));
	return row;
}

static struct json_object *histogram(const struct rt_buckets *b)
{
	struct json_object *o = json_object_new_object();
	struct json_object *rows = json_object_new_array();

	if (rt_buckets_get(b, RT_LOG_EARLY))
		json_object_array_add(rows, bucket(b, RT_LOG_EARLY));
	for (uint32_t i = 0; i < RT_LOG_REGULAR; i++)
		if (rt_buckets_get(b, i))
			json_object_array_add(rows, bucket(b, i));
	if (rt_buckets_get(b, RT_LOG_ABOVE))
		json_object_array_add(rows, bucket(b, RT_LOG_ABOVE));
	add_text(o, "unit", "ns");
	if (b->unkept)
		add_int(o, "unkept", (int64_t)b->unkept);
	json_object_object_add(o, "buckets", rows);
	return o;
}

static struct json_object *series(const struct rt_result *result)
{
	struct json_object *list = json_object_new_array();

	for (unsigned int i = 0; i < result->snap->count; i++) {
		const struct rt_series *s = &result->snap->series[i];
		struct json_object *o = json_object_new_object();

		add_info(o, s->info);
		json_object_object_add(o, "counts", counts(result, s));
		json_object_object_add(o, "latency_ns", latency(result, s));
		json_object_object_add(o, "histogram", histogram(s->log));
		json_object_array_add(list, o);
	}
	return list;
}

static void add_run(struct json_object *o, const struct rt_result *result)
{
	add_text(o, "schema", SCHEMA);
	add_text(o, "tool", result->tool);
	add_text(o, "version", RT_VERSION);
	json_object_object_add(o, "argv", words(result->argc, result->argv));
	add_time(o, "started", result->started_ns);
	add_time(o, "ended", result->ended_ns);
	add_int(o, "duration_ns", result->duration_ns);
	add_text(o, "ended_by", result->is_checkpoint ? "checkpoint" : result->ended_by);
	add_int_if(o, "exit_status", result->exit_status, !result->is_checkpoint);
	add_text(o, "clock", result->clock);
	json_object_object_add(o, "verdict", verdict(result));
}

char *rt_report_result(const struct rt_result *result,
		       void (*fill)(struct json_object *own, void *data), void *data)
{
	struct json_object *o = json_object_new_object();
	struct json_object *own;
	char *text;

	add_run(o, result);
	json_object_object_add(o, "system", system_of(result->system));
	json_object_object_add(o, "asked", asked(result));
	json_object_object_add(o, "series", series(result));
	if (fill) {
		own = json_object_new_object();
		json_object_object_add(o, result->tool, own);
		fill(own, data);
	}
	text = rt_json_text(o, PRETTY_LEVELS);
	json_object_put(o);
	return text;
}

struct json_object *rt_json_break(const struct rt_threshold *t, int64_t unit_ns)
{
	struct json_object *hit = json_object_new_object();

	json_object_object_add(hit, "limit_ns", json_object_new_int64(t->limit * unit_ns));
	if (!atomic_load(&t->is_taken))
		return hit;
	json_object_object_add(hit, "series", json_object_new_int64(t->series));
	json_object_object_add(hit, "value_ns", json_object_new_int64(t->value * unit_ns));
	json_object_object_add(hit, "at_ns", json_object_new_int64(t->at_ns));
	return hit;
}
