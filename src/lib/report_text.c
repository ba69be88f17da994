/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text that tools share and that many programs parse: the percentile lines and
 * the histogram block. Widths and blanks are part of the interface.
 */
#include <inttypes.h>

#include "rt/report.h"

/* ---- percentiles ---------------------------------------------------------------- */

/* All series as one; NULL without memory or with nothing to sum up */
static struct rt_buckets *merge_all(const struct rt_snapshot *snap, struct rt_stats *stats)
{
	struct rt_buckets *all = snap->count > 1 ? rt_buckets_new(RT_LOG_BUCKETS) : NULL;

	rt_stats_init(stats);
	for (unsigned int i = 0; all && i < snap->count; i++) {
		rt_buckets_merge(all, snap->series[i].log);
		rt_stats_merge(stats, &snap->series[i].stats);
	}
	return all;
}

static void print_percentile(FILE *out, const struct rt_buckets *log, const struct rt_stats *stats,
			     double percent, int64_t unit_ns)
{
	int64_t ns = rt_log_percentile(log, percent, stats->min_ns, stats->max_ns);

	fprintf(out, " %05" PRId64, rt_shown(ns, unit_ns));
}

void rt_report_percentiles(FILE *out, const struct rt_snapshot *snap, int64_t unit_ns,
			   bool with_all)
{
	struct rt_stats stats_all;
	struct rt_buckets *all = with_all ? merge_all(snap, &stats_all) : NULL;

	for (unsigned int p = 0; p < RT_PERCENTILE_COUNT; p++) {
		double percent = rt_percentiles[p].percent;

		fprintf(out, "# P%s:", rt_percentiles[p].text);
		for (unsigned int i = 0; i < snap->count; i++)
			print_percentile(out, snap->series[i].log, &snap->series[i].stats, percent,
					 unit_ns);
		if (all)
			print_percentile(out, all, &stats_all, percent, unit_ns);
		putc('\n', out);
	}
	rt_buckets_free(all);
}

/* ---- histogram --------------------------------------------------------------------- */

/* A total behind the columns of the summary lines: only where there is something to sum up. */
static bool has_total(const struct rt_histogram_text *h)
{
	return h->with_sum && h->columns > 1;
}

static uint64_t row_sum(const struct rt_histogram_text *h, uint32_t row)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < h->columns; i++)
		sum += rt_buckets_get(&h->linear[i]->buckets, row);
	return sum;
}

static void print_row(FILE *out, const struct rt_histogram_text *h, uint32_t row, uint64_t sum)
{
	fprintf(out, "%06" PRIu32, row);
	for (unsigned int i = 0; i < h->columns; i++)
		fprintf(out, "%c%06" PRIu64, i ? '\t' : ' ',
			rt_buckets_get(&h->linear[i]->buckets, row));
	if (h->with_sum)
		fprintf(out, "\t%06" PRIu64, sum);
	putc('\n', out);
}

static void print_rows(FILE *out, const struct rt_histogram_text *h)
{
	uint32_t rows = h->columns ? h->linear[0]->buckets.count : 0;

	for (uint32_t row = 0; row < rows; row++) {
		uint64_t sum = row_sum(h, row);

		if (sum || h->zero_rows)
			print_row(out, h, row, sum);
	}
}

static void print_totals(FILE *out, const struct rt_histogram_text *h)
{
	uint64_t all = 0;

	fputs("# Total:", out);
	for (unsigned int i = 0; i < h->columns; i++) {
		uint64_t sum = rt_buckets_sum(&h->linear[i]->buckets);

		fprintf(out, " %09" PRIu64, sum);
		all += sum;
	}
	if (has_total(h))
		fprintf(out, " %09" PRIu64, all);
	putc('\n', out);
}

static void print_latencies(FILE *out, const struct rt_histogram_text *h)
{
	const struct rt_series *series = h->snap->series;
	int64_t max = INT64_MIN;

	fputs("# Min Latencies:", out);
	for (unsigned int i = 0; i < h->columns; i++)
		fprintf(out, " %05" PRId64, rt_shown_min(&series[i].stats, h->unit_ns));
	fputs("\n# Avg Latencies:", out);
	for (unsigned int i = 0; i < h->columns; i++)
		fprintf(out, " %05" PRId64, (int64_t)rt_shown_mean(&series[i].stats));
	fputs("\n# Max Latencies:", out);
	for (unsigned int i = 0; i < h->columns; i++) {
		int64_t shown = rt_shown_max(&series[i].stats, h->unit_ns);

		fprintf(out, " %05" PRId64, shown);
		if (series[i].stats.count && shown > max)
			max = shown;
	}
	if (has_total(h))
		fprintf(out, " %05" PRId64, max == INT64_MIN ? 0 : max);
	putc('\n', out);
}

static void print_cycles(FILE *out, const struct rt_linear *linear, unsigned int column)
{
	fprintf(out, "# Thread %u: ", column);
	for (uint32_t i = 0; i < linear->kept; i++)
		fprintf(out, "%s%05" PRIu64, i ? " " : "", linear->cycles[i]);
	if (linear->overflows > linear->kept)
		fprintf(out, " # %05" PRIu64 " others", linear->overflows - linear->kept);
	putc('\n', out);
}

static void print_overflows(FILE *out, const struct rt_histogram_text *h)
{
	uint64_t all = 0;

	fputs("# Histogram Overflows:", out);
	for (unsigned int i = 0; i < h->columns; i++) {
		fprintf(out, " %05" PRIu64, h->linear[i]->overflows);
		all += h->linear[i]->overflows;
	}
	if (has_total(h))
		fprintf(out, " %05" PRIu64, all);
	fputs("\n# Histogram Overflow at cycle number:\n", out);
	for (unsigned int i = 0; i < h->columns; i++)
		print_cycles(out, h->linear[i], i);
}

static void print_smis(FILE *out, const struct rt_histogram_text *h)
{
	fputs("# SMIs:", out);
	for (unsigned int i = 0; i < h->columns; i++)
		fprintf(out, " %05" PRIu64, h->smis[i]);
	putc('\n', out);
}

void rt_report_histogram(FILE *out, const struct rt_histogram_text *h)
{
	fputs("# Histogram\n", out);
	print_rows(out, h);
	print_totals(out, h);
	print_latencies(out, h);
	print_overflows(out, h);
	if (h->percentiles)
		rt_report_percentiles(out, h->snap, h->unit_ns, h->with_sum);
	if (h->smis)
		print_smis(out, h);
	putc('\n', out);
}

void rt_report_break(FILE *out, const struct rt_threshold *t)
{
	if (!atomic_load(&t->is_taken))
		return;
	fprintf(out, "# Break thread: %d\n# Break value: %" PRId64 "\n", (int)t->tid, t->value);
	rt_threshold_tell(t);
}
