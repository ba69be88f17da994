/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The samples that were found: kept, summed up, and as text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hwlat.h"

#define FIRST_ROOM 256
#define STAMP_MAX 512

/* A sample that can't be kept is counted all the same. */
static bool make_room(struct hwl_log *log)
{
	size_t room = log->room ? 2 * log->room : FIRST_ROOM;
	struct hwl_sample *more;

	if (log->kept < log->room)
		return true;
	if (log->kept >= HWL_KEEP_MAX)
		return false;
	more = realloc(log->samples, room * sizeof(*more));
	if (!more)
		return false;
	log->samples = more;
	log->room = room;
	return true;
}

void hwl_log_add(struct hwl_log *log, const struct hwl_sample *sample)
{
	int64_t larger = sample->inner_us > sample->outer_us ? sample->inner_us : sample->outer_us;

	if (!log->count)
		log->first_ns = sample->at_ns;
	log->last_ns = sample->at_ns;
	log->count++;
	log->exceeding += sample->count >= 0 ? (uint64_t)sample->count : 1;
	if (larger > log->max_us)
		log->max_us = larger;
	if (make_room(log))
		log->samples[log->kept++] = *sample;
}

void hwl_log_done(struct hwl_log *log)
{
	free(log->samples);
	*log = (struct hwl_log){ 0 };
}

double hwl_mtbf_s(const struct hwl_log *log, int64_t window_us, int64_t width_us)
{
	double span_s = (double)(log->last_ns - log->first_ns) / RT_NS_PER_S;

	if (log->count < 2 || width_us < 1)
		return -1;
	return span_s * (double)window_us / ((double)(log->count - 1) * (double)width_us);
}

/* ---- text ------------------------------------------------------------------------ */

/* strftime(3) knows %n as a newline; here it is the nine digits of the nanoseconds. */
static char *with_nanoseconds(const char *format, int64_t ns)
{
	char *out = calloc(1, strlen(format) * 5 + 1), *to = out;

	for (const char *at = format; out && *at; at++) {
		if (at[0] == '%' && at[1] == 'n') {
			to += sprintf(to, "%09lld", (long long)ns);
			at++;
		} else {
			*to++ = *at;
			if (at[0] == '%') /* also "%%" stays together; one at the end is meant */
				*to++ = at[1] ? *++at : '%';
		}
	}
	return out;
}

/* False for what the C library knows no conversion for, what is too long, and what is empty. */
static bool format_time(char stamp[STAMP_MAX], int64_t at_ns, const char *time_format)
{
	time_t seconds = (time_t)(at_ns / RT_NS_PER_S);
	rt_auto_free char *format = with_nanoseconds(time_format, at_ns % RT_NS_PER_S);
	struct tm tm;

	localtime_r(&seconds, &tm);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	return format && strftime(stamp, STAMP_MAX, format, &tm);
#pragma GCC diagnostic pop
}

static void format_stamp(char stamp[STAMP_MAX], int64_t at_ns, const char *time_format)
{
	if (!time_format || !format_time(stamp, at_ns, time_format))
		snprintf(stamp, STAMP_MAX, "%lld.%09lld", (long long)(at_ns / RT_NS_PER_S),
			 (long long)(at_ns % RT_NS_PER_S));
}

char *hwl_sample_text(const struct hwl_sample *sample, const struct hwl_sample *before,
		      const char *time_format)
{
	char stamp[STAMP_MAX], delta[32] = "nan", count[32] = "";
	char *text;

	format_stamp(stamp, sample->at_ns, time_format);
	if (before)
		snprintf(delta, sizeof(delta), "%.6f",
			 (double)(sample->at_ns - before->at_ns) / RT_NS_PER_S);
	if (sample->count >= 0)
		snprintf(count, sizeof(count), ", count:%lld", (long long)sample->count);
	if (asprintf(&text, "ts: %s, delta:%s, inner:%lld, outer:%lld, cpu:%d%s\n", stamp, delta,
		     (long long)sample->inner_us, (long long)sample->outer_us, sample->cpu,
		     count) < 0)
		return NULL;
	return text;
}

char *hwl_mask_text(const struct rt_cpuset *set)
{
	int top = 0;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	rt_cpuset_for_each(cpu, set)
		top = cpu;
	for (int group = top / 32; group >= 0; group--) {
		unsigned int bits = 0;

		for (int bit = 0; bit < 32; bit++)
			if (rt_cpuset_has(set, 32 * group + bit))
				bits |= 1u << bit;
		fprintf(out, group == top / 32 ? "%x" : ",%08x", bits);
	}
	fclose(out);
	return text;
}
