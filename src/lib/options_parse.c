/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options_parse - read the words of a command line by a table.
 *
 * Options may stand anywhere among other words, up to "--". Letters may be
 * bundled, the last of them with its value attached or in the next word. Names
 * may be cut short. Nothing is printed before all words are understood.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options_internal.h"
#include "rt/log.h"
#include "rt/out.h"

/**
 * struct scan - one pass over the words
 * @next:  index of the first word that was not looked at
 * @seen:  by a row's index: was it given?
 * @stray: words that nobody wanted, to be warned about if all goes well; NULL: not kept
 */
struct scan {
	const struct rt_opt_table *table;
	void *opts;
	char **words;
	int count;
	int next;
	bool seen[RT_OPTS_MAX];
	const char **stray;
	int strays;
	struct rt_err *err;
};

static int refuse(struct scan *scan, const char *fmt, ...) RT_PRINTF(2, 3);

static int refuse(struct scan *scan, const char *fmt, ...)
{
	char text[RT_ERR_TEXT_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return rt_err_set(scan->err, RT_EXIT_USAGE, EINVAL, "%s", text);
}

int rt_opts_refuse(struct rt_err *err, const char *name, const char *fmt, ...)
{
	const char *dashes = strlen(name) > 1 ? "--" : "-";
	char text[RT_ERR_TEXT_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return rt_err_set(err, RT_EXIT_USAGE, EINVAL, "%s%s: %s", dashes, name, text);
}

/* ---- values ----------------------------------------------------------------------------- */

/*
 * The value of an option that has none attached. An optional one is not looked
 * for behind a dash, so that "-t -a" are two options; a wanted one is whatever
 * comes, so that "-i -5" is a bad interval and not the option -5.
 */
static int next_value(struct scan *scan, const struct rt_opt *row, const char **ret_text)
{
	const char *word = scan->next < scan->count ? scan->words[scan->next] : NULL;
	char label[RT_OPT_LABEL_MAX], want[RT_OPT_WANT_MAX];

	if (row->is_optional && (!word || word[0] == '\0' || word[0] == '-'))
		return 0;
	if (!word)
		return refuse(scan, "%s: its value is missing; give %s",
			      rt_opt_label(label, sizeof(label), row),
			      rt_opt_want(want, sizeof(want), row));
	*ret_text = word;
	scan->next++;
	return 0;
}

static int take_help(struct scan *scan, const char *attached)
{
	if (!attached)
		return RT_OPTS_HELP;
	if (!strcmp(attached, "table"))
		return RT_OPTS_DUMP;
	return refuse(scan, "--help: '%s' is no form of help; give nothing, or 'table'", attached);
}

/* An option was met; @attached is the value that hangs on it, or NULL. */
static int take(struct scan *scan, const struct rt_opt_at *at, const char *attached)
{
	const struct rt_opt *row = at->row;
	char label[RT_OPT_LABEL_MAX];
	int status;

	rt_opt_label(label, sizeof(label), row);
	if (row == rt_opt_help_row)
		return take_help(scan, attached);
	if (row->kind == RT_OPT_GONE)
		return refuse(scan, "%s: %s", label, row->help);
	if (!rt_opt_takes_value(row)) {
		if (attached)
			return refuse(scan, "%s: '%s' is too much; it takes no value", label,
				      attached);
		if (row == rt_opt_version_row)
			return RT_OPTS_VERSION;
	} else if (!attached) {
		status = next_value(scan, row, &attached);
		if (status)
			return status;
	}
	if (at->index < RT_OPTS_MAX)
		scan->seen[at->index] = true;
	return rt_opt_store(at, scan->opts, attached, scan->err);
}

/* ---- letters ---------------------------------------------------------------------------- */

static int refuse_letter(struct scan *scan, const char *word, char letter)
{
	/* A part of a multibyte character alone would be no text. */
	if (word[2] == '\0' || letter < '!' || letter > '~')
		return refuse(scan, "'%s' is not an option", word);
	return refuse(scan, "'-%c' in '%s' is not an option", letter, word);
}

/* "-q", "-qmu", "-Sp90" */
static int scan_letters(struct scan *scan, const char *word)
{
	for (const char *letter = word + 1; *letter; letter++) {
		struct rt_opt_at at;
		int status;

		if (!rt_opt_find_letter(scan->table, *letter, &at) ||
		    !rt_opt_follow(scan->table, &at))
			return refuse_letter(scan, word, *letter);
		if (rt_opt_takes_value(at.row))
			return take(scan, &at, letter[1] ? letter + 1 : NULL);
		status = take(scan, &at, NULL);
		if (status)
			return status;
	}
	return 0;
}

/* ---- names ------------------------------------------------------------------------------ */

static bool begins_with(const struct rt_opt *row, const char *name, size_t len)
{
	return row->name && !strncmp(row->name, name, len);
}

/*
 * A name of ours, or of an option that no longer does anything, never takes an
 * abbreviation away from a name of today that the peer has too.
 */
static bool is_weak(const struct rt_opt *row)
{
	return row->is_ours || row->kind == RT_OPT_IGNORED || row->kind == RT_OPT_GONE;
}

/**
 * struct match - the rows that begin with what was typed
 * @found: how many different options they are; two names of one are no conflict
 * @at:    the first of them
 */
struct match {
	int found;
	struct rt_opt_at at;
};

static int refuse_ambiguous(struct scan *scan, const char *name, size_t len, bool weak)
{
	struct rt_opt_walk walk = rt_opt_walk_start(scan->table);
	char names[RT_ERR_TEXT_MAX / 2];
	struct rt_opt_at at;
	size_t used = 0;

	names[0] = '\0';
	while (rt_opt_walk_next(&walk, &at)) {
		if (!begins_with(at.row, name, len) || is_weak(at.row) != weak)
			continue;
		if (used + strlen(at.row->name) + sizeof(", --") > sizeof(names))
			break;
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s--%s",
					 used ? ", " : "", at.row->name);
	}
	return refuse(scan, "'--%.*s' is ambiguous; give one of %s", (int)len, name, names);
}

/* Return: 1 if one option was found, in @ret; 0 if none; a negative errno if several. */
static int find_name(struct scan *scan, const char *name, size_t len, struct rt_opt_at *ret)
{
	struct rt_opt_walk walk = rt_opt_walk_start(scan->table);
	struct match matches[2] = { { 0 }, { 0 } }; /* of the peer's names, of the weak ones */
	struct rt_opt_at at;
	bool weak;

	while (len > 0 && rt_opt_walk_next(&walk, &at)) {
		bool is_whole = begins_with(at.row, name, len) && at.row->name[len] == '\0';
		struct match *match = &matches[is_weak(at.row)];

		if (!begins_with(at.row, name, len) || !rt_opt_follow(scan->table, &at))
			continue;
		if (is_whole) {
			*ret = at;
			return 1;
		}
		if (!match->found)
			match->at = at;
		if (!match->found || match->at.row != at.row)
			match->found++;
	}
	weak = !matches[false].found;
	if (matches[weak].found > 1)
		return refuse_ambiguous(scan, name, len, weak);
	*ret = matches[weak].at;
	return matches[weak].found;
}

/* "--interval=5", "--interval", "--int" */
static int scan_name(struct scan *scan, const char *word)
{
	const char *name = word + 2;
	size_t len = strcspn(name, "=");
	struct rt_opt_at at;
	int status = find_name(scan, name, len, &at);

	if (status < 0)
		return status;
	if (!status)
		return refuse(scan, "'--%.*s' is not an option", (int)len, name);
	return take(scan, &at, name[len] ? name + len + 1 : NULL);
}

/* ---- words ------------------------------------------------------------------------------ */

static int scan_stray(struct scan *scan, const char *word)
{
	int status = 1;

	if (word[0] == '\0')
		return 0;
	if (scan->table->word)
		status = scan->table->word(scan->opts, word, scan->err);
	if (status < 0 && !rt_err_is_set(scan->err))
		return refuse(scan, "'%s' is refused", word);
	if (status > 0 && scan->stray)
		scan->stray[scan->strays++] = word;
	return status < 0 ? status : 0;
}

static bool was_given(const struct scan *scan, const char *name, size_t len)
{
	struct rt_opt_walk walk = rt_opt_walk_start(scan->table);
	struct rt_opt_at at;

	while (rt_opt_walk_next(&walk, &at)) {
		bool is_it = begins_with(at.row, name, len) && at.row->name[len] == '\0';

		if (len == 1 && at.row->letter == name[0])
			is_it = true;
		if (is_it && rt_opt_follow(scan->table, &at) && at.index < RT_OPTS_MAX &&
		    scan->seen[at.index])
			return true;
	}
	return false;
}

static int check_exclusions(struct scan *scan)
{
	const char *const *pair = scan->table->exclusive;

	for (; pair && *pair; pair++) {
		size_t len = strcspn(*pair, " ");
		const char *other = *pair + len + strspn(*pair + len, " ");

		if (was_given(scan, *pair, len) && was_given(scan, other, strlen(other)))
			return refuse(scan, "%s%.*s and %s%s exclude each other; give one of them",
				      len > 1 ? "--" : "-", (int)len, *pair,
				      strlen(other) > 1 ? "--" : "-", other);
	}
	return 0;
}

static int scan_words(struct scan *scan)
{
	bool is_over = false; /* "--" was met */

	rt_opt_defaults(scan->table, scan->opts);
	while (scan->next < scan->count) {
		const char *word = scan->words[scan->next++];
		int status;

		if (is_over || word[0] != '-' || word[1] == '\0')
			status = scan_stray(scan, word);
		else if (word[1] != '-')
			status = scan_letters(scan, word);
		else if (word[2] != '\0')
			status = scan_name(scan, word);
		else
			status = 0, is_over = true;
		if (status)
			return status;
	}
	return check_exclusions(scan);
}

/* The caller's error may be NULL, but what a row or word said is looked at on the way. */
static int scan_all(struct scan *scan)
{
	struct rt_err *callers = scan->err;
	struct rt_err err = { 0 };
	int status;

	scan->err = &err;
	status = scan_words(scan);
	scan->err = callers;
	if (status >= 0)
		return status;
	return rt_err_set(callers, err.exit, status, "%s", err.text);
}

int rt_opts_try(const struct rt_opt_table *table, void *opts, int argc, char **argv,
		struct rt_err *err)
{
	struct scan scan = {
		.table = table, .opts = opts, .words = argv, .count = argc, .next = 1, .err = err
	};

	return scan_all(&scan);
}

/* ---- the end of the process ----------------------------------------------------------- */

static void answer_and_exit(const struct rt_opt_table *table, int question)
{
	char version[RT_OPT_WANT_MAX];
	struct rt_err err = { 0 };
	int status = 0;

	if (question == RT_OPTS_HELP) {
		rt_opts_print_help(table);
	} else if (question == RT_OPTS_VERSION) {
		fprintf(rt_out(), "%s\n", rt_opts_version_text(version, sizeof(version), table));
	} else {
		/* Asked by tests and builds only, which a mistake in the table must stop. */
		status = rt_opts_check_table(table, &err);
		rt_opts_print_dump(table);
	}
	exit(rt_exit_status(status, &err)); /* looks whether stdout took it, too */
}

static void refuse_and_exit(const struct rt_opt_table *table, const struct rt_err *err)
{
	rt_error("%s", err->text);
	if (err->exit == RT_EXIT_USAGE)
		fprintf(rt_out_err(), "Try '%s --help'\n", table->tool);
	exit(err->exit);
}

void rt_opts_parse(const struct rt_opt_table *table, void *opts, int argc, char **argv)
{
	rt_auto_free const char **stray = calloc((size_t)argc + 1, sizeof(*stray));
	struct rt_err err = { 0 };
	struct scan scan = {
		.table = table, .opts = opts, .words = argv, .count = argc, .next = 1,
		.stray = stray, .err = &err
	};
	int status;

	rt_log_init(table->tool);
	status = scan_all(&scan);
	if (status > 0)
		answer_and_exit(table, status);
	if (status < 0)
		refuse_and_exit(table, &err);
	for (int i = 0; i < scan.strays; i++)
		rt_warn("'%s' is not an option, ignored", stray[i]);
}
