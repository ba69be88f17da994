/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options_check - look for mistakes in a table, so that a unit test can ask it
 * of every tool.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "options_internal.h"

static int complain(struct rt_err *err, const struct rt_opt *row, const char *about,
		    const char *what)
{
	char label[RT_OPT_LABEL_MAX];

	return rt_err_set(err, RT_EXIT_USAGE, EINVAL, "%s: %s%s%s",
			  rt_opt_label(label, sizeof(label), row), about ? about : "",
			  about ? ": " : "", what);
}

/* ---- one row by itself ------------------------------------------------------------------ */

static int check_names(const struct rt_opt *row, struct rt_err *err)
{
	if (!row->name && !row->letter)
		return rt_err_set(err, RT_EXIT_USAGE, EINVAL,
				  "a row has neither letter nor name; its help is '%s'",
				  row->help ? row->help : "");
	if (row->letter && !isalnum(row->letter) && row->letter != '?')
		return complain(err, row, NULL, "its letter is neither letter nor digit");
	if (row->name && (strlen(row->name) < 2 || row->name[0] == '-' ||
			  row->name[strspn(row->name, "abcdefghijklmnopqrstuvwxyz0123456789-_")]))
		return complain(err, row, NULL, "its name is none that can be typed");
	return 0;
}

static int check_help(const struct rt_opt *row, struct rt_err *err)
{
	size_t len = row->help ? strlen(row->help) : 0;

	if (!len && (rt_opt_is_shown(row) || row->kind == RT_OPT_GONE))
		return complain(err, row, NULL, "it has no help");
	if (len && (strpbrk(row->help, "\t\n") || row->help[len - 1] == '.'))
		return complain(err, row, row->help, "help is one line without a full stop");
	return 0;
}

static int check_value(const struct rt_opt *row, struct rt_err *err)
{
	bool needs_arg = rt_opt_is_number(row) || row->kind == RT_OPT_TEXT;

	if (needs_arg && !row->arg)
		return complain(err, row, NULL, "its value has no name (.arg)");
	if (row->kind == RT_OPT_FLAG && row->arg)
		return complain(err, row, row->arg, "a flag takes no value");
	if (row->is_optional && !rt_opt_takes_value(row))
		return complain(err, row, NULL, "an optional value needs a name (.arg)");
	if (row->kind == RT_OPT_CALL && !row->call)
		return complain(err, row, NULL, "there is nothing to call");
	if (row->may_be_empty && row->kind != RT_OPT_TEXT)
		return complain(err, row, NULL, "only texts may be empty");
	return 0;
}

static int check_range(const struct rt_opt *row, struct rt_err *err)
{
	struct rt_opt_number number;
	int64_t min, max;

	if (!rt_opt_is_number(row))
		return 0;
	rt_opt_range(row, &min, &max);
	if (min > max)
		return complain(err, row, NULL, "its smallest value is above its largest");
	if (min < 0 && row->kind != RT_OPT_INT)
		return complain(err, row, NULL, "its smallest value is below zero");
	if (row->kind == RT_OPT_TIME && row->unit_ns <= 0)
		return complain(err, row, NULL, "a bare number has no unit (.unit_ns)");
	if (row->def && rt_opt_parse_number(row, row->def, &number))
		return complain(err, row, row->def, "its default would be refused");
	return 0;
}

/* ---- a row among the others ------------------------------------------------------------- */

static int check_alias(const struct rt_opt_table *table, const struct rt_opt_at *at,
		       struct rt_err *err)
{
	struct rt_opt_at target = *at;

	if (!at->row->alias_of)
		return 0;
	if (!rt_opt_follow(table, &target))
		return complain(err, at->row, at->row->alias_of, "no such row to be an alias of");
	if (target.row->alias_of)
		return complain(err, at->row, at->row->alias_of, "an alias of an alias");
	return 0;
}

static int check_doubles(const struct rt_opt_table *table, const struct rt_opt_at *at,
			 struct rt_err *err)
{
	struct rt_opt_at first;

	if (at->row->name && rt_opt_find_name(table, at->row->name, &first) &&
	    first.index != at->index)
		return complain(err, at->row, NULL, "another row has this name");
	if (at->row->letter && rt_opt_find_letter(table, at->row->letter, &first) &&
	    first.index != at->index)
		return complain(err, at->row, NULL, "another row has its letter");
	if (at->row->letter && at->row->letter == table->help_letter)
		return complain(err, at->row, NULL, "its letter is that of --help");
	return 0;
}

/* Bytes that a row fills; 0 for those that fill none or leave it to a call. */
static size_t field_size(const struct rt_opt *row)
{
	if (row->alias_of || row == rt_opt_help_row || row == rt_opt_version_row)
		return 0;
	switch (row->kind) {
	case RT_OPT_FLAG:
		return row->value ? sizeof(int) : sizeof(bool);
	case RT_OPT_INT:
	case RT_OPT_TIME:
	case RT_OPT_SIZE:
		return sizeof(int64_t);
	case RT_OPT_SPAN:
		return sizeof(struct rt_span);
	case RT_OPT_TEXT:
		return sizeof(const char *);
	default:
		return 0;
	}
}

/* Flags with different values may choose what one int becomes. */
static bool is_choice(const struct rt_opt_at *a, const struct rt_opt_at *b)
{
	return a->row->kind == RT_OPT_FLAG && b->row->kind == RT_OPT_FLAG &&
	       a->base + a->row->field == b->base + b->row->field &&
	       a->row->value && b->row->value && a->row->value != b->row->value;
}

static bool overlap(size_t a, size_t a_size, size_t b, size_t b_size)
{
	return a_size && b_size && a < b + b_size && b < a + a_size;
}

/* Of two rows: do their fields, or the field of one and the .given of the other, share bytes? */
static bool share_bytes(const struct rt_opt_at *a, const struct rt_opt_at *b)
{
	size_t a_field = a->base + a->row->field, b_field = b->base + b->row->field;
	bool b_has_given = b->row->given && b->row->given != RT_NO_FIELD;

	if (b_has_given && overlap(a_field, field_size(a->row), b->base + b->row->given, 1))
		return true;
	return a->index != b->index && !is_choice(a, b) &&
	       overlap(a_field, field_size(a->row), b_field, field_size(b->row));
}

static int check_fields(const struct rt_opt_table *table, const struct rt_opt_at *at,
			struct rt_err *err)
{
	struct rt_opt_walk walk = rt_opt_walk_start(table);
	struct rt_opt_at other;
	char label[RT_OPT_LABEL_MAX];

	while (rt_opt_walk_next(&walk, &other)) {
		if (rt_opt_is_option(other.row) && share_bytes(at, &other))
			return complain(err, at->row,
					rt_opt_label(label, sizeof(label), other.row),
					"both rows fill the same bytes");
	}
	return 0;
}

static int check_row(const struct rt_opt_table *table, const struct rt_opt_at *at,
		     struct rt_err *err)
{
	int status = check_names(at->row, err);

	if (!status)
		status = check_doubles(table, at, err);
	if (!status)
		status = check_alias(table, at, err);
	if (status || at->row->alias_of)
		return status;
	status = check_help(at->row, err);
	if (!status)
		status = check_value(at->row, err);
	if (!status)
		status = check_range(at->row, err);
	if (!status)
		status = check_fields(table, at, err);
	return status;
}

/* ---- the table -------------------------------------------------------------------------- */

static bool exists(const struct rt_opt_table *table, const char *name)
{
	struct rt_opt_at at;

	if (name[0] && name[1] == '\0')
		return rt_opt_find_letter(table, name[0], &at);
	return rt_opt_find_name(table, name, &at);
}

static int check_exclusions(const struct rt_opt_table *table, struct rt_err *err)
{
	const char *const *pair = table->exclusive;

	for (; pair && *pair; pair++) {
		char first[RT_OPT_LABEL_MAX] = "";
		size_t len = strcspn(*pair, " ");

		if (len < sizeof(first))
			memcpy(first, *pair, len);
		if ((*pair)[len] != ' ' || !exists(table, first) ||
		    !exists(table, *pair + len + 1))
			return rt_err_set(err, RT_EXIT_USAGE, EINVAL,
					  "exclusion '%s': these are not two options", *pair);
	}
	return 0;
}

/* Groups that are nested too deep would be left out without a word. */
static bool is_too_deep(const struct rt_opt *rows, int depth)
{
	if (depth > RT_OPTS_DEPTH)
		return true;
	for (; rows->kind != RT_OPT_KIND_END; rows++) {
		if (rows->kind == RT_OPT_KIND_INCLUDE && is_too_deep(rows->rows, depth + 1))
			return true;
	}
	return false;
}

int rt_opts_check_table(const struct rt_opt_table *table, struct rt_err *err)
{
	struct rt_opt_walk walk = rt_opt_walk_start(table);
	struct rt_opt_at at;
	int status;

	if (!table->tool || !table->purpose)
		return rt_err_set(err, RT_EXIT_USAGE, EINVAL, "the table lacks tool or purpose");
	if (is_too_deep(table->rows, 2))
		return rt_err_set(err, RT_EXIT_USAGE, EINVAL, "groups are nested too deep");
	while (rt_opt_walk_next(&walk, &at)) {
		if (at.index >= RT_OPTS_MAX)
			return rt_err_set(err, RT_EXIT_USAGE, EINVAL, "there are too many rows");
		status = rt_opt_is_option(at.row) ? check_row(table, &at, err) : 0;
		if (status)
			return status;
	}
	return check_exclusions(table, err);
}
