/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options_help - a table as text: for people (--help), and for the completions
 * and the tests (--help=table).
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "options_internal.h"
#include "rt/out.h"

#define LINE_WIDTH 100
#define LABEL_MAX 128
#define LABEL_WIDTH_MAX 36 /* a longer label has its line alone */
#define GAP 2

char *rt_opts_version_text(char *buf, size_t size, const struct rt_opt_table *table)
{
	if (table->version_text)
		snprintf(buf, size, "%s", table->version_text);
	else
		snprintf(buf, size, "%s V %s", table->tool, RT_VERSION);
	return buf;
}

static int letter_of(const struct rt_opt_table *table, const struct rt_opt *row)
{
	if (row == rt_opt_help_row && table->help_letter)
		return table->help_letter;
	return row->letter;
}

/* ---- for people ------------------------------------------------------------------------- */

/* "  -t, --threads[=N]", "  -c CLOCK", "      --json=FILE" */
static int label_of(char *buf, size_t size, const struct rt_opt_table *table,
		    const struct rt_opt *shown, const struct rt_opt *row)
{
	int letter = letter_of(table, shown);
	const char *arg = rt_opt_takes_value(row) ? row->arg : NULL;
	const char *before = shown->name ? "=" : " ";
	char value[LABEL_MAX / 2] = "";

	if (arg && row->is_optional)
		snprintf(value, sizeof(value), "[%s%s]", shown->name ? "=" : "", arg);
	else if (arg)
		snprintf(value, sizeof(value), "%s%s", before, arg);
	if (letter && shown->name)
		return snprintf(buf, size, "  -%c, --%s%s", letter, shown->name, value);
	if (letter)
		return snprintf(buf, size, "  -%c%s", letter, value);
	return snprintf(buf, size, "      --%s%s", shown->name, value);
}

/* The column where all help begins. */
static int help_column(const struct rt_opt_table *table)
{
	struct rt_opt_walk walk = rt_opt_walk_start(table);
	struct rt_opt_at at;
	int widest = 0;

	while (rt_opt_walk_next(&walk, &at)) {
		const struct rt_opt *shown = at.row;
		char label[LABEL_MAX];
		int width;

		if (!rt_opt_is_shown(shown) || !rt_opt_follow(table, &at))
			continue;
		width = label_of(label, sizeof(label), table, shown, at.row);
		if (width > widest && width <= LABEL_WIDTH_MAX)
			widest = width;
	}
	return widest + GAP;
}

/* Characters, not bytes. */
static int width_of(const char *text, size_t len)
{
	int width = 0;

	for (size_t i = 0; i < len; i++)
		width += ((unsigned char)text[i] & 0xc0) != 0x80;
	return width;
}

/* Words, broken before LINE_WIDTH; all lines but the first are indented by @left. */
static void print_wrapped(const char *text, int left)
{
	int column = left;

	while (*text) {
		size_t len = strcspn(text, " ");
		int width = width_of(text, len);

		if (column > left && column + 1 + width > LINE_WIDTH) {
			fprintf(rt_out(), "\n%*s", left, "");
			column = left;
		} else if (column > left) {
			fputc(' ', rt_out());
			column++;
		}
		fprintf(rt_out(), "%.*s", (int)len, text);
		column += width;
		text += len;
		text += strspn(text, " ");
	}
	fputc('\n', rt_out());
}

static void print_option(const struct rt_opt_table *table, const struct rt_opt *shown,
			 const struct rt_opt *row, int left)
{
	char label[LABEL_MAX], text[RT_ERR_TEXT_MAX];
	int width = label_of(label, sizeof(label), table, shown, row);

	if (width + GAP > left)
		fprintf(rt_out(), "%s\n%*s", label, left, "");
	else
		fprintf(rt_out(), "%-*s", left, label);
	snprintf(text, sizeof(text), "%s%s%s%s", row->help, row->def ? " (default: " : "",
		 row->def ? row->def : "", row->def ? ")" : "");
	print_wrapped(text, left);
}

void rt_opts_print_help(const struct rt_opt_table *table)
{
	struct rt_opt_walk walk = rt_opt_walk_start(table);
	const struct rt_opt *heading = NULL;
	int left = help_column(table);
	char version[RT_OPT_WANT_MAX];
	struct rt_opt_at at;

	fprintf(rt_out(), "%s\nUsage: %s %s\n", rt_opts_version_text(version, sizeof(version), table),
	       table->tool, table->usage ? table->usage : "[options]");
	if (table->purpose)
		print_wrapped(table->purpose, 0);
	while (rt_opt_walk_next(&walk, &at)) {
		const struct rt_opt *shown = at.row;

		if (shown->kind == RT_OPT_KIND_GROUP)
			heading = shown; /* printed when something is shown below it */
		if (!rt_opt_is_shown(shown) || !rt_opt_follow(table, &at))
			continue;
		if (heading)
			fprintf(rt_out(), "\n%s:\n", heading->help);
		heading = NULL;
		print_option(table, shown, at.row, left);
	}
}

/* ---- for programs ----------------------------------------------------------------------- */

static const char *kind_word(const struct rt_opt *row)
{
	switch (row->kind) {
	case RT_OPT_FLAG:
		return "flag";
	case RT_OPT_INT:
		return "int";
	case RT_OPT_TIME:
		return "time";
	case RT_OPT_SPAN:
		return "span";
	case RT_OPT_SIZE:
		return "size";
	case RT_OPT_TEXT:
		return "text";
	case RT_OPT_CALL:
		return "call";
	case RT_OPT_IGNORED:
		return "ignored";
	case RT_OPT_GONE:
		return "gone";
	default:
		return "-";
	}
}

static const char *visibility(const struct rt_opt *shown, const struct rt_opt *row)
{
	if (row->kind == RT_OPT_IGNORED)
		return "ignored";
	if (row->kind == RT_OPT_GONE)
		return "gone";
	return shown->is_hidden ? "hidden" : "visible";
}

static void print_dump_row(const struct rt_opt_table *table, const struct rt_opt *shown,
			   const struct rt_opt *row)
{
	bool takes_value = rt_opt_takes_value(row);
	int letter = letter_of(table, shown);
	int64_t min, max;

	fprintf(rt_out(), "%c\t%s\t%s\t%s\t%s\t", letter ? letter : '-', shown->name ? shown->name : "-",
	       kind_word(row), takes_value && row->arg ? row->arg : "-",
	       takes_value && row->is_optional ? "yes" : "no");
	rt_opt_range(row, &min, &max);
	if (rt_opt_is_number(row))
		fprintf(rt_out(), "%" PRId64 "\t%" PRId64 "\t", min, max);
	else
		fprintf(rt_out(), "-\t-\t");
	fprintf(rt_out(), "%s\t%s\t%s\n", row->def ? row->def : "-", visibility(shown, row),
	       row->help ? row->help : "-");
}

/*
 * One row an option, tab-separated: letter, name, kind, argument, is it
 * optional (yes, no), min, max (times in nanoseconds, spans as bare numbers),
 * default, visible | hidden | ignored | gone, help. "-" where there is none.
 */
void rt_opts_print_dump(const struct rt_opt_table *table)
{
	struct rt_opt_walk walk = rt_opt_walk_start(table);
	struct rt_opt_at at;

	while (rt_opt_walk_next(&walk, &at)) {
		const struct rt_opt *shown = at.row;

		if (rt_opt_is_option(shown) && rt_opt_follow(table, &at))
			print_dump_row(table, shown, at.row);
	}
}
