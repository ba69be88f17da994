/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options_value - a word becomes a field, or a sentence that says what would
 * have been right. The row has all that is needed for both.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "options_internal.h"

void rt_opt_range(const struct rt_opt *row, int64_t *ret_min, int64_t *ret_max)
{
	*ret_min = row->min;
	*ret_max = !row->min && !row->max ? INT64_MAX : row->max;
}

static int64_t unit_of(const struct rt_opt *row)
{
	if (row->unit_ns)
		return row->unit_ns;
	return row->kind == RT_OPT_SPAN ? RT_NS_PER_US : 1;
}

static int parse_span(struct rt_span *ret, const char *text, int64_t min, int64_t max)
{
	struct rt_span span;
	int status = rt_parse_span(&span, text);

	if (status)
		return status;
	if (span.is_bare ? span.value < min || span.value > max : span.value < 0)
		return -ERANGE;
	*ret = span;
	return 0;
}

int rt_opt_parse_number(const struct rt_opt *row, const char *text, struct rt_opt_number *ret)
{
	int64_t min, max;

	rt_opt_range(row, &min, &max);
	switch (row->kind) {
	case RT_OPT_INT:
		return rt_parse_int(&ret->value, text, min, max);
	case RT_OPT_TIME:
		return rt_parse_time(&ret->value, text, unit_of(row), row->units, min, max);
	case RT_OPT_SIZE:
		return rt_parse_size(&ret->value, text, min, max);
	case RT_OPT_SPAN:
		return parse_span(&ret->span, text, min, max);
	default:
		return -EINVAL;
	}
}

static void put_number(const struct rt_opt_at *at, void *opts, const struct rt_opt_number *number)
{
	void *field = (char *)opts + at->base + at->row->field;

	if (at->row->kind == RT_OPT_SPAN)
		*(struct rt_span *)field = number->span;
	else
		*(int64_t *)field = number->value;
}

void rt_opt_defaults(const struct rt_opt_table *table, void *opts)
{
	struct rt_opt_walk walk = rt_opt_walk_start(table);
	struct rt_opt_number number;
	struct rt_opt_at at;

	/* A default that is none is for rt_opts_check_table() to find. */
	while (rt_opt_walk_next(&walk, &at)) {
		if (rt_opt_is_number(at.row) && at.row->def &&
		    !rt_opt_parse_number(at.row, at.row->def, &number))
			put_number(&at, opts, &number);
	}
}

/* ---- what would be right ------------------------------------------------------------ */

static const char *unit_name(const struct rt_opt *row)
{
	static const struct {
		int64_t ns;
		const char *name;
	} units[] = {
		{ 1, "nanoseconds" },		 { RT_NS_PER_US, "microseconds" },
		{ RT_NS_PER_MS, "milliseconds" }, { RT_NS_PER_S, "seconds" },
		{ 60 * RT_NS_PER_S, "minutes" },  { 3600 * RT_NS_PER_S, "hours" },
	};

	if (row->unit_text)
		return row->unit_text;
	for (size_t i = 0; i < RT_ARRAY_SIZE(units); i++) {
		if (units[i].ns == unit_of(row))
			return units[i].name;
	}
	return "a number";
}

/* The first of some usual values that this row takes; NULL if there is none. */
static const char *example(const struct rt_opt *row)
{
	static const char *const fine[] = { "5ms", "20us", "500ns", "2s", "100ms", NULL };
	static const char *const durations[] = { "5m", "30s", "500ms", "2h", "20us", NULL };
	static const char *const sizes[] = { "64k", "4k", "1M", "1G", NULL };
	const char *const *tried = row->units == RT_UNITS_FINE ? fine : durations;
	struct rt_opt_number number;

	if (row->kind == RT_OPT_SIZE)
		tried = sizes;
	while (*tried && rt_opt_parse_number(row, *tried, &number))
		tried++;
	return *tried;
}

/* The largest unit that divides it, as rt_parse_size() takes it back. */
static void format_size(char *buf, size_t size, int64_t bytes)
{
	static const char letters[] = "kMG";
	int power = -1;

	while (bytes && bytes % 1024 == 0 && power < 2) {
		bytes /= 1024;
		power++;
	}
	if (power < 0)
		snprintf(buf, size, "%" PRId64, bytes);
	else
		snprintf(buf, size, "%" PRId64 "%c", bytes, letters[power]);
}

#define BORDER_MAX 24

/* Both borders of a bare number as they are typed; the upper one empty when there is none. */
static void borders(const struct rt_opt *row, char low[BORDER_MAX], char high[BORDER_MAX])
{
	int64_t min, max, unit = row->kind == RT_OPT_TIME ? unit_of(row) : 1;
	bool is_open;

	rt_opt_range(row, &min, &max);
	is_open = max > INT64_MAX - unit;
	if (row->kind == RT_OPT_SIZE) {
		format_size(low, BORDER_MAX, min);
		format_size(high, BORDER_MAX, max);
	} else {
		snprintf(low, BORDER_MAX, "%" PRId64, min / unit + (min % unit > 0));
		snprintf(high, BORDER_MAX, "%" PRId64, max / unit);
	}
	if (is_open)
		high[0] = '\0';
}

static char *want_number(char *buf, size_t size, const struct rt_opt *row)
{
	const char *what = row->unit_text ? row->unit_text : "a number";
	const char *as_in = row->kind == RT_OPT_INT ? NULL : example(row);
	char low[BORDER_MAX], high[BORDER_MAX], least[RT_TIME_TEXT_MAX];
	bool is_less = row->kind == RT_OPT_TIME && row->min % unit_of(row) > 0;

	if (row->kind == RT_OPT_SIZE && !row->unit_text)
		what = "bytes";
	else if (row->kind == RT_OPT_TIME || row->kind == RT_OPT_SPAN)
		what = unit_name(row);
	borders(row, low, high);
	/* a bare number can't say the smallest value: it is less than one unit */
	rt_format_time(least, sizeof(least), row->min);
	snprintf(buf, size, "%s from %s%s%s%s%s%s%s", what, low, high[0] ? " to " : " up", high,
		 as_in ? ", or a unit as in " : "", as_in ? as_in : "",
		 is_less ? ", not below " : "", is_less ? least : "");
	return buf;
}

char *rt_opt_want(char *buf, size_t size, const struct rt_opt *row)
{
	if (rt_opt_is_number(row))
		return want_number(buf, size, row);
	if (row->unit_text)
		snprintf(buf, size, "%s", row->unit_text);
	else
		snprintf(buf, size, "%s", row->arg ? row->arg : "a value");
	return buf;
}

/* ---- one option ---------------------------------------------------------------------- */

static int store_number(const struct rt_opt_at *at, void *opts, const char *text,
			struct rt_err *err)
{
	const char *noun = at->row->kind == RT_OPT_INT	? "a number" :
			   at->row->kind == RT_OPT_SIZE ? "a size" :
							  "a time";
	char label[RT_OPT_LABEL_MAX], want[RT_OPT_WANT_MAX];
	struct rt_opt_number number;
	int status = rt_opt_parse_number(at->row, text, &number);

	if (!status) {
		put_number(at, opts, &number);
		return 0;
	}
	rt_opt_label(label, sizeof(label), at->row);
	rt_opt_want(want, sizeof(want), at->row);
	if (status == -ERANGE)
		return rt_err_set(err, RT_EXIT_USAGE, status, "%s: '%s' is out of range; give %s",
				  label, text, want);
	return rt_err_set(err, RT_EXIT_USAGE, status, "%s: '%s' is not %s; give %s", label, text,
			  noun, want);
}

static int store_text(const struct rt_opt_at *at, void *opts, const char *text,
		      struct rt_err *err)
{
	char label[RT_OPT_LABEL_MAX], want[RT_OPT_WANT_MAX];

	if (!text[0] && !at->row->may_be_empty)
		return rt_err_set(err, RT_EXIT_USAGE, EINVAL, "%s: '' is empty; give %s",
				  rt_opt_label(label, sizeof(label), at->row),
				  rt_opt_want(want, sizeof(want), at->row));
	*(const char **)((char *)opts + at->base + at->row->field) = text[0] ? text : NULL;
	return 0;
}

/*
 * The rooms that a call asks (cpuset, clock, ...) do not know the option's
 * name; their sentences get it here. One that starts with a dash has it already.
 */
static int store_by_call(const struct rt_opt_at *at, void *opts, const char *text,
			 struct rt_err *err)
{
	char label[RT_OPT_LABEL_MAX], want[RT_OPT_WANT_MAX];
	struct rt_err said = { 0 };
	int status = at->row->call((char *)opts + at->base, at->row, text, &said);

	if (status >= 0)
		return 0;
	rt_opt_label(label, sizeof(label), at->row);
	if (!rt_err_is_set(&said))
		return rt_err_set(err, RT_EXIT_USAGE, status, "%s: '%s' is refused; give %s", label,
				  text ? text : "", rt_opt_want(want, sizeof(want), at->row));
	if (said.text[0] == '-')
		return rt_err_set(err, said.exit, status, "%s", said.text);
	return rt_err_set(err, said.exit, status, "%s: %s", label, said.text);
}

static void store_flag(const struct rt_opt_at *at, void *opts)
{
	void *field = (char *)opts + at->base + at->row->field;

	if (at->row->value)
		*(int *)field = at->row->value;
	else
		*(bool *)field = true;
}

int rt_opt_store(const struct rt_opt_at *at, void *opts, const char *text, struct rt_err *err)
{
	const struct rt_opt *row = at->row;
	int status = 0;

	if (row->kind == RT_OPT_FLAG)
		store_flag(at, opts);
	else if (row->kind == RT_OPT_CALL)
		status = store_by_call(at, opts, text, err);
	else if (row->kind == RT_OPT_TEXT && text)
		status = store_text(at, opts, text, err);
	else if (rt_opt_is_number(row) && text)
		status = store_number(at, opts, text, err);
	if (!status && row->given && row->given != RT_NO_FIELD)
		*(bool *)((char *)opts + at->base + row->given) = true;
	return status;
}
