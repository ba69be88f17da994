/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The document that --json writes, for readers that have been there for years:
 * its members, their order and their layout stay as they are, also the two keys
 * that end in a colon.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report_internal.h"
#include "rt/options.h"
#include "rt/report.h"

/* The words as typed, a blank between two; NULL without memory */
static char *join_words(int argc, char **argv)
{
	size_t size = 1;
	char *line, *at;

	for (int i = 0; i < argc; i++)
		size += strlen(argv[i]) + 1;
	line = at = malloc(size);
	if (!line)
		return NULL;
	for (int i = 0; i < argc; i++) {
		if (i)
			*at++ = ' ';
		at = stpcpy(at, argv[i]);
	}
	*at = '\0';
	return line;
}

/* Local time as in mails: RFC 2822 */
static struct json_object *mail_time(int64_t real_ns)
{
	time_t seconds = (time_t)(real_ns / RT_NS_PER_S);
	char text[64];
	struct tm tm;

	localtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S %z", &tm);
	return json_object_new_string(text);
}

static struct json_object *sysinfo(const struct rt_sysinfo *system)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "sysname", rt_json_string(system->uts.sysname));
	json_object_object_add(o, "nodename", rt_json_string(system->uts.nodename));
	json_object_object_add(o, "release", rt_json_string(system->uts.release));
	json_object_object_add(o, "version", rt_json_string(system->uts.version));
	json_object_object_add(o, "machine", rt_json_string(system->uts.machine));
	json_object_object_add(o, "realtime", json_object_new_int(system->realtime));
	return o;
}

static struct json_object *envelope(const struct rt_result *result)
{
	rt_auto_free char *cmdline = join_words(result->argc, result->argv);
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "file_version", json_object_new_int(1));
	json_object_object_add(o, "cmdline:", rt_json_string(cmdline));
	json_object_object_add(o, "rt_test_version:", json_object_new_string(RT_VERSION));
	json_object_object_add(o, "start_time", mail_time(result->started_ns));
	json_object_object_add(o, "end_time", mail_time(result->ended_ns));
	json_object_object_add(o, "return_code", json_object_new_int(result->exit_status));
	json_object_object_add(o, "sysinfo", sysinfo(result->system));
	return o;
}

char *rt_report_json(const struct rt_result *result,
		     void (*fill)(struct json_object *document, void *data), void *data)
{
	struct json_object *document = envelope(result);
	char *text;

	if (fill)
		fill(document, data);
	text = rt_json_text(document, RT_JSON_PRETTY_ALL);
	json_object_put(document);
	return text;
}

struct json_object *rt_json_histogram(const struct rt_linear *linear, const struct rt_stats *stats)
{
	struct json_object *histogram = json_object_new_object();
	struct rt_buckets *copy = rt_buckets_new(linear->buckets.count);

	if (!copy)
		return histogram;
	rt_buckets_copy(copy, &linear->buckets, stats);
	for (uint32_t b = 0; b < copy->count; b++) {
		uint64_t count = rt_buckets_get(copy, b);
		char key[16];

		if (!count)
			continue;
		snprintf(key, sizeof(key), "%u", b);
		json_object_object_add(histogram, key, json_object_new_int64((int64_t)count));
	}
	rt_buckets_free(copy);
	return histogram;
}
