/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of trace_pipe. Kernels differ in how many flags stand before the time and
 * in what follows the count, and other tracers may write between: fields are found
 * by their names.
 *
 *     <...>-146  [001] d......  25.229290: #1  inner/outer(us): 17626/13661 ts:1796060332.173091162 count:152
 *     <...>-158  2dnL.... 5660357us : #6  inner/outer(us): 37704/44075 ts:1796060346.521479440 count:198
 *     CPU:1 [LOST 3 EVENTS]
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hwlat.h"

/* The number behind a name; false when it is not there. */
static bool find_number(const char *line, const char *name, int64_t *ret)
{
	const char *at = strstr(line, name);

	return at && sscanf(at + strlen(name), " %" SCNd64, ret) == 1;
}

/* "ts:1796060332.173091162": nine digits behind the point, or fewer of a microsecond clock */
static bool find_stamp(const char *line, int64_t *ret_ns)
{
	const char *at = strstr(line, " ts:");
	int64_t seconds, part = 0, scale = RT_NS_PER_S;

	if (!at || sscanf(at + 4, "%" SCNd64, &seconds) != 1)
		return false;
	at = strchr(at, '.');
	for (at = at ? at + 1 : ""; isdigit((unsigned char)*at) && scale > 1; at++) {
		scale /= 10;
		part += (*at - '0') * scale;
	}
	*ret_ns = seconds * RT_NS_PER_S + part;
	return true;
}

/* "[001]", or, in the latency format, the digits before the flags of the second word */
static int find_cpu(const char *line, const char *end)
{
	const char *open = NULL;
	int cpu = -1;

	for (const char *at = line; at < end; at++)
		if (*at == '[' && isdigit((unsigned char)at[1]))
			open = at;
	if (open)
		return sscanf(open + 1, "%d", &cpu) == 1 ? cpu : -1;
	line += strspn(line, " \t");
	line += strcspn(line, " \t");
	line += strspn(line, " \t");
	if (line >= end)
		return -1;
	return sscanf(line, "%d", &cpu) == 1 ? cpu : -1;
}

static bool find_lost(const char *line, uint64_t *lost)
{
	const char *at = strstr(line, "[LOST ");

	return at && strncmp(line, "CPU:", 4) == 0 && sscanf(at + 6, "%" SCNu64, lost) == 1;
}

enum hwl_line hwl_line_parse(const char *line, struct hwl_sample *ret, uint64_t *lost)
{
	static const char gaps[] = "inner/outer(us):";
	const char *number = strchr(line, '#');
	const char *at = number ? strstr(number, gaps) : NULL;

	if (find_lost(line, lost))
		return HWL_LINE_LOST;
	*ret = (struct hwl_sample){ .count = -1, .nmi_total_us = -1, .nmi_count = -1 };
	if (!at || sscanf(at + sizeof(gaps) - 1, " %" SCNd64 "/%" SCNd64, &ret->inner_us,
			  &ret->outer_us) != 2)
		return HWL_LINE_OTHER;
	ret->cpu = find_cpu(line, number);
	if (ret->cpu < 0 || !find_stamp(at, &ret->at_ns))
		return HWL_LINE_OTHER;
	find_number(at, " count:", &ret->count);
	find_number(at, " nmi-total:", &ret->nmi_total_us);
	find_number(at, " nmi-count:", &ret->nmi_count);
	return HWL_LINE_SAMPLE;
}
