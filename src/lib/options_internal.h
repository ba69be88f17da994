/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options_internal - what the files of the options room tell each other:
 * options_table.c walks and searches a table, options_value.c turns a word into
 * a field, options_parse.c reads the words, options_help.c prints the table,
 * options_check.c looks for mistakes in it.
 */
#ifndef RT_OPTIONS_INTERNAL_H
#define RT_OPTIONS_INTERNAL_H

#include "rt/options.h"

/* More rows than that are refused by the check; the largest tool has some sixty. */
#define RT_OPTS_MAX 256

/* How deep groups may include groups, the tool's own rows and the added ones counted. */
#define RT_OPTS_DEPTH 4

/* Results of a scan that are no failure. */
enum { RT_OPTS_HELP = 1, RT_OPTS_VERSION = 2, RT_OPTS_DUMP = 3 };

/**
 * struct rt_opt_at - a row where it stands
 * @row:   itself
 * @base:  offset of the struct that its fields are in
 * @index: below RT_OPTS_MAX in a good table; the same on each walk
 */
struct rt_opt_at {
	const struct rt_opt *row;
	size_t base;
	unsigned int index;
};

/** struct rt_opt_walk - the rows of a table in order, groups unfolded, --help and --version last */
struct rt_opt_walk {
	struct {
		const struct rt_opt *row;
		size_t base;
	} level[RT_OPTS_DEPTH];
	int depth;
	unsigned int index;
};

struct rt_opt_walk rt_opt_walk_start(const struct rt_opt_table *table);
bool rt_opt_walk_next(struct rt_opt_walk *walk, struct rt_opt_at *ret);

extern const struct rt_opt *const rt_opt_help_row;
extern const struct rt_opt *const rt_opt_version_row;

/** rt_opt_is_option() - no heading */
bool rt_opt_is_option(const struct rt_opt *row);

/** rt_opt_takes_value() - does a value belong to it, wanted or optional? */
bool rt_opt_takes_value(const struct rt_opt *row);

/** rt_opt_is_number() - one of the kinds with a range */
bool rt_opt_is_number(const struct rt_opt *row);

/** rt_opt_is_shown() - in --help and in the man page */
bool rt_opt_is_shown(const struct rt_opt *row);

/** rt_opt_find_name() - the row of exactly this name; an alias is not followed */
bool rt_opt_find_name(const struct rt_opt_table *table, const char *name, struct rt_opt_at *ret);

/** rt_opt_find_letter() - the row of this letter; an alias is not followed */
bool rt_opt_find_letter(const struct rt_opt_table *table, int letter, struct rt_opt_at *ret);

/** rt_opt_follow() - replace an alias by its row. Return: false if that does not exist. */
bool rt_opt_follow(const struct rt_opt_table *table, struct rt_opt_at *at);

#define RT_OPT_LABEL_MAX 64

/** rt_opt_label() - "--interval", or "-c" where there is no name. Return: @buf. */
char *rt_opt_label(char *buf, size_t size, const struct rt_opt *row);

/** struct rt_opt_number - the value of a number, time, size (@value) or span */
struct rt_opt_number {
	int64_t value;
	struct rt_span span;
};

/** rt_opt_range() - min..max of a row; both zero mean from 0 up */
void rt_opt_range(const struct rt_opt *row, int64_t *ret_min, int64_t *ret_max);

/** rt_opt_parse_number() - Return: 0; -EINVAL no number of the row's kind; -ERANGE */
int rt_opt_parse_number(const struct rt_opt *row, const char *text, struct rt_opt_number *ret);

/** rt_opt_defaults() - put the numeric defaults of the table into their fields */
void rt_opt_defaults(const struct rt_opt_table *table, void *opts);

/**
 * rt_opt_store() - an option was given
 * @text: its value; NULL: it has none, or it was left out
 * Return: 0; a negative errno with a sentence.
 */
int rt_opt_store(const struct rt_opt_at *at, void *opts, const char *text, struct rt_err *err);

#define RT_OPT_WANT_MAX 256

/** rt_opt_want() - what would be right: "microseconds from 1 to 1000, or a unit as in 5ms" */
char *rt_opt_want(char *buf, size_t size, const struct rt_opt *row);

/** rt_opts_version_text() - "cyclictest V 3.00". Return: @buf. */
char *rt_opts_version_text(char *buf, size_t size, const struct rt_opt_table *table);

/* Print to stdout. */
void rt_opts_print_help(const struct rt_opt_table *table);
void rt_opts_print_dump(const struct rt_opt_table *table);

#endif
