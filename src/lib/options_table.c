/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options_table - walk through a table and find rows in it.
 */
#include <stdio.h>
#include <string.h>

#include "options_internal.h"

/*
 * The rows that every tool has. The peer's tools have no --version beside
 * --verbose, so that its name counts as ours and leaves --ver to --verbose.
 */
static const struct rt_opt added_rows[] = {
	RT_OPT_GROUP("Help"),
	{ RT_OPT_FLAG, '?', "help", .help = "print this help and exit" },
	{ RT_OPT_FLAG, .name = "version", .is_ours = true, .help = "print the version and exit" },
	RT_OPT_END
};

const struct rt_opt *const rt_opt_help_row = &added_rows[1];
const struct rt_opt *const rt_opt_version_row = &added_rows[2];

static void enter(struct rt_opt_walk *walk, const struct rt_opt *rows, size_t base)
{
	if (walk->depth == RT_OPTS_DEPTH)
		return;
	walk->level[walk->depth].row = rows;
	walk->level[walk->depth].base = base;
	walk->depth++;
}

struct rt_opt_walk rt_opt_walk_start(const struct rt_opt_table *table)
{
	struct rt_opt_walk walk = { .depth = 0 };

	enter(&walk, added_rows, 0); /* below, so that they come last */
	enter(&walk, table->rows, 0);
	return walk;
}

bool rt_opt_walk_next(struct rt_opt_walk *walk, struct rt_opt_at *ret)
{
	while (walk->depth > 0) {
		int top = walk->depth - 1;
		size_t base = walk->level[top].base;
		const struct rt_opt *row = walk->level[top].row;

		if (row->kind == RT_OPT_KIND_END) {
			walk->depth--;
			continue;
		}
		walk->level[top].row++;
		if (row->kind == RT_OPT_KIND_INCLUDE) {
			enter(walk, row->rows, base + row->field);
			continue;
		}
		*ret = (struct rt_opt_at){ row, base, walk->index++ };
		return true;
	}
	return false;
}

bool rt_opt_is_option(const struct rt_opt *row)
{
	return row->kind >= RT_OPT_FLAG;
}

bool rt_opt_is_number(const struct rt_opt *row)
{
	return row->kind == RT_OPT_INT || row->kind == RT_OPT_TIME || row->kind == RT_OPT_SPAN ||
	       row->kind == RT_OPT_SIZE;
}

bool rt_opt_takes_value(const struct rt_opt *row)
{
	return rt_opt_is_number(row) || row->kind == RT_OPT_TEXT ||
	       (row->kind != RT_OPT_FLAG && row->arg);
}

bool rt_opt_is_shown(const struct rt_opt *row)
{
	return rt_opt_is_option(row) && !row->is_hidden && row->kind != RT_OPT_IGNORED &&
	       row->kind != RT_OPT_GONE;
}

bool rt_opt_find_name(const struct rt_opt_table *table, const char *name, struct rt_opt_at *ret)
{
	struct rt_opt_walk walk = rt_opt_walk_start(table);
	struct rt_opt_at at;

	while (rt_opt_walk_next(&walk, &at)) {
		if (at.row->name && !strcmp(at.row->name, name)) {
			*ret = at;
			return true;
		}
	}
	return false;
}

bool rt_opt_find_letter(const struct rt_opt_table *table, int letter, struct rt_opt_at *ret)
{
	struct rt_opt_walk walk = rt_opt_walk_start(table);
	struct rt_opt_at at;

	while (rt_opt_walk_next(&walk, &at)) {
		bool is_help = at.row == rt_opt_help_row && letter == table->help_letter;

		if (at.row->letter == letter || is_help) {
			*ret = at;
			return true;
		}
	}
	return false;
}

bool rt_opt_follow(const struct rt_opt_table *table, struct rt_opt_at *at)
{
	if (!at->row->alias_of)
		return true;
	return rt_opt_find_name(table, at->row->alias_of, at);
}

char *rt_opt_label(char *buf, size_t size, const struct rt_opt *row)
{
	if (row->name)
		snprintf(buf, size, "--%s", row->name);
	else
		snprintf(buf, size, "-%c", row->letter);
	return buf;
}
