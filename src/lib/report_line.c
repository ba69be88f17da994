/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The status line of one thread. Its fields, order and widths are what some
 * thirty programs match.
 */
#include "rt/report.h"

void rt_report_thread_line(FILE *out, const struct rt_thread_line *line)
{
	const struct rt_stats *s = line->stats;
	int width = line->unit_ns == 1 ? 8 : 5;
	long long min = s->count ? rt_shown(s->min_ns, line->unit_ns) : line->no_min;
	long long avg = s->count ? s->sum_shown / (int64_t)s->count : 0;
	long long last = s->count ? rt_shown(s->last_ns, line->unit_ns) : 0;

	fprintf(out, "T:%2u (%5d)", line->index, (int)line->tid);
	if (line->priority >= 0)
		fprintf(out, " P:%2d", line->priority);
	if (line->interval_us)
		fprintf(out, " I:%lld", (long long)line->interval_us);
	fprintf(out, " C:%7llu Min:%7lld Act:%*lld Avg:%*lld Max:%8lld",
		(unsigned long long)s->count, min, width, last, width, avg,
		(long long)rt_shown_max(s, line->unit_ns));
	if (line->smis)
		fprintf(out, " SMI:%8llu", (unsigned long long)*line->smis);
	fputc('\n', out);
}
