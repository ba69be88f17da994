/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all documents need: copies of the records, what was asked for, the
 * verdict, and values as people see them.
 */
#include "rt/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report_internal.h"
#include "rt/clock.h"
#include "rt/err.h"
#include "rt/log.h"

/* ---- copies ------------------------------------------------------------------ */

int rt_snapshot_new(struct rt_snapshot **ret, struct rt_status *status)
{
	unsigned int count = rt_status_count(status);
	struct rt_snapshot *snap = calloc(1, sizeof(*snap));

	if (!snap)
		return -ENOMEM;
	/* struct rt_stats is aligned to cache lines, which calloc() does not know */
	if (posix_memalign((void **)&snap->series, RT_CACHE_LINE,
			   (count + !count) * sizeof(*snap->series))) {
		free(snap);
		return -ENOMEM;
	}
	snap->count = count;
	memset(snap->series, 0, count * sizeof(*snap->series));
	for (unsigned int i = 0; i < count; i++) {
		struct rt_series *s = &snap->series[i];

		s->info = rt_status_info(status, i);
		rt_stats_init(&s->stats);
		s->log = rt_buckets_new(RT_LOG_BUCKETS);
		if (!s->log) {
			rt_snapshot_free(snap);
			return -ENOMEM;
		}
	}
	rt_snapshot_take(snap, status);
	*ret = snap;
	return 0;
}

void rt_snapshot_take(struct rt_snapshot *snap, struct rt_status *status)
{
	for (unsigned int i = 0; i < snap->count; i++) {
		const struct rt_record *r = rt_status_peek(status, i);

		if (!r)
			continue;
		/* buckets first: a maximum may be newer than they are, never older */
		rt_buckets_copy(snap->series[i].log, &r->log, &r->stats);
		rt_stats_read(&r->stats, &snap->series[i].stats);
	}
}

void rt_snapshot_free(struct rt_snapshot *snap)
{
	if (!snap)
		return;
	for (unsigned int i = 0; i < snap->count; i++)
		rt_buckets_free(snap->series[i].log);
	free(snap->series);
	free(snap);
}

/* ---- what was asked for ------------------------------------------------------- */

static char *copy_of(const char *text)
{
	return text ? strdup(text) : NULL;
}

void rt_asked_add(struct rt_result *result, const char *name, const char *asked, const char *got,
		  const char *reason)
{
	if (result->asked_count == RT_ASKED_MAX)
		return;
	result->asked[result->asked_count++] = (struct rt_asked){
		.name = name,
		.asked = copy_of(asked),
		.got = copy_of(got),
		.reason = copy_of(reason),
	};
}

void rt_asked_done(struct rt_result *result)
{
	for (unsigned int i = 0; i < result->asked_count; i++) {
		free(result->asked[i].asked);
		free(result->asked[i].got);
		free(result->asked[i].reason);
	}
	result->asked_count = 0;
}

/* ---- values as shown ----------------------------------------------------------- */

int64_t rt_shown(int64_t ns, int64_t unit_ns)
{
	return ns / unit_ns;
}

int64_t rt_shown_min(const struct rt_stats *s, int64_t unit_ns)
{
	return s->count ? rt_shown(s->min_ns, unit_ns) : 0;
}

int64_t rt_shown_max(const struct rt_stats *s, int64_t unit_ns)
{
	return s->count ? rt_shown(s->max_ns, unit_ns) : 0;
}

double rt_shown_mean(const struct rt_stats *s)
{
	return s->count ? (double)s->sum_shown / (double)s->count : 0.0;
}

/* ---- the verdict ---------------------------------------------------------------- */

int rt_verdict_find(const struct rt_result *result)
{
	const struct rt_snapshot *snap = result->snap;
	int worst = -1;

	if (result->limit_ns <= 0)
		return -1;
	for (unsigned int i = 0; i < snap->count; i++) {
		const struct rt_stats *s = &snap->series[i].stats;

		if (snap->series[i].info->is_reference)
			continue;
		if (rt_shown_max(s, result->unit_ns) * result->unit_ns <= result->limit_ns)
			continue;
		if (worst < 0 || s->max_ns > snap->series[worst].stats.max_ns)
			worst = (int)i;
	}
	return worst;
}

void rt_verdict_say(const struct rt_result *result, int series)
{
	const struct rt_series *s = &result->snap->series[series];
	const char *unit = result->unit_ns == 1 ? "ns" : "us";
	char limit[RT_TIME_TEXT_MAX];
	char at[RT_RFC3339_MAX + 4] = "";
	char cpu[32] = "";

	if (s->info->cpu >= 0)
		snprintf(cpu, sizeof(cpu), " on CPU %d", (int)s->info->cpu);
	if (result->clock) {
		memcpy(at, " at ", 4);
		rt_rfc3339(at + 4, s->stats.max_at_ns + result->clock_offset_ns);
	}
	rt_error("limit passed: %s%s had a latency of %lld %s%s, above --limit %s", s->info->name,
		 cpu, (long long)rt_shown_max(&s->stats, result->unit_ns), unit, at,
		 rt_format_time(limit, sizeof(limit), result->limit_ns));
}

/* ---- text ------------------------------------------------------------------------ */

char *rt_rfc3339(char *buf, int64_t real_ns)
{
	int64_t ns = real_ns % RT_NS_PER_S;
	time_t seconds = (time_t)(real_ns / RT_NS_PER_S);
	struct tm tm;
	size_t length;

	if (ns < 0) {
		ns += RT_NS_PER_S;
		seconds--;
	}
	gmtime_r(&seconds, &tm);
	length = strftime(buf, RT_RFC3339_MAX, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(buf + length, RT_RFC3339_MAX - length, ".%09dZ", (int)ns);
	return buf;
}

/*
 * Length of the valid sequence at @s, 0 if there is none. The first
 * continuation byte excludes overlong forms, surrogates and what is above
 * U+10FFFF (Unicode, table 3-7).
 */
static size_t utf8_length(const unsigned char *s)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t length;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (s[0] == 0xe0)
		low = 0xa0;
	else if (s[0] == 0xed)
		high = 0x9f;
	else if (s[0] == 0xf0)
		low = 0x90;
	else if (s[0] == 0xf4)
		high = 0x8f;
	if (s[1] < low || s[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

char *rt_utf8_clean(const char *text)
{
	static const char replacement[] = "\xef\xbf\xbd";
	const unsigned char *from = (const unsigned char *)text;
	char *clean = malloc(strlen(text) * (sizeof(replacement) - 1) + 1);
	char *to = clean;

	if (!clean)
		return NULL;
	while (*from) {
		size_t length = utf8_length(from);

		if (length) {
			memcpy(to, from, length);
			to += length;
			from += length;
		} else {
			memcpy(to, replacement, sizeof(replacement) - 1);
			to += sizeof(replacement) - 1;
			from++;
		}
	}
	*to = '\0';
	return clean;
}

/* ---- JSON -------------------------------------------------------------------------- */

struct json_object *rt_json_string(const char *text)
{
	rt_auto_free char *clean = text ? rt_utf8_clean(text) : NULL;

	return clean ? json_object_new_string(clean) : NULL;
}

struct json_object *rt_json_decimal(double value, int digits)
{
	char text[400]; /* the largest double has 309 digits */

	if (value != value || value - value != 0) /* nan, inf */
		value = 0;
	snprintf(text, sizeof(text), "%.*f", digits, value);
	return json_object_new_double_s(value, text);
}

struct json_object *rt_json_avg(double value)
{
	return rt_json_decimal(value, 2);
}

static void write_value(FILE *out, struct json_object *value, unsigned int level,
			unsigned int pretty);

static void write_on_one_line(FILE *out, struct json_object *value)
{
	const char *text = json_object_to_json_string_ext(
		value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);

	fputs(text ? text : "null", out);
}

static void write_key(FILE *out, const char *key)
{
	struct json_object *name = json_object_new_string(key);

	write_on_one_line(out, name);
	fputs(": ", out);
	json_object_put(name);
}

static void new_line(FILE *out, unsigned int level)
{
	fprintf(out, "\n%*s", (int)level * 2, "");
}

static void write_object(FILE *out, struct json_object *object, unsigned int level,
			 unsigned int pretty)
{
	struct json_object_iterator at = json_object_iter_begin(object);
	struct json_object_iterator end = json_object_iter_end(object);
	const char *comma = "";

	putc('{', out);
	for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
		fputs(comma, out);
		new_line(out, level + 1);
		write_key(out, json_object_iter_peek_name(&at));
		write_value(out, json_object_iter_peek_value(&at), level + 1, pretty);
		comma = ",";
	}
	new_line(out, level);
	putc('}', out);
}

static void write_array(FILE *out, struct json_object *array, unsigned int level,
			unsigned int pretty)
{
	size_t length = json_object_array_length(array);

	putc('[', out);
	for (size_t i = 0; i < length; i++) {
		if (i)
			putc(',', out);
		new_line(out, level + 1);
		write_value(out, json_object_array_get_idx(array, i), level + 1, pretty);
	}
	new_line(out, level);
	putc(']', out);
}

static void write_value(FILE *out, struct json_object *value, unsigned int level,
			unsigned int pretty)
{
	if (level < pretty && json_object_is_type(value, json_type_object))
		write_object(out, value, level, pretty);
	else if (level < pretty && json_object_is_type(value, json_type_array))
		write_array(out, value, level, pretty);
	else
		write_on_one_line(out, value);
}

char *rt_json_text(struct json_object *document, unsigned int pretty)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int failed;

	if (!out)
		return NULL;
	write_value(out, document, 0, pretty);
	putc('\n', out);
	failed = ferror(out);
	if (fclose(out) || failed) {
		free(text);
		return NULL;
	}
	return text;
}
