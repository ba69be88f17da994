/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options - one table per tool, of its own rows and of groups that tools share.
 * From it come parsing, --help, --version, the completions, and what the tests
 * hold the man pages against (--help=table).
 *
 *     static const struct rt_opt rows[] = {
 *             RT_OPT_GROUP("Time"),
 *             { RT_OPT_TIME, 'i', "interval", "US", .field = offsetof(struct cyc_opts, interval_ns),
 *               .unit_ns = RT_NS_PER_US, .min = 1000, .max = ..., .def = "1000",
 *               .help = "base interval of the threads" },
 *             RT_OPT_INCLUDE(rt_rows_results, offsetof(struct cyc_opts, results)),
 *             RT_OPT_END
 *     };
 *
 * This room and main are the only ones that may end the process; it does so
 * before anything is touched. It scans the words itself and not with
 * getopt_long(3), because what users of this family type is wider than that
 * takes: optional values in the next word, empty and stray words, and
 * abbreviations that must stay unique when names are added.
 */
#ifndef RT_OPTIONS_H
#define RT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rt/err.h"
#include "rt/units.h"

#define RT_VERSION "3.00"
#define RT_NO_FIELD ((size_t)-1)

/** enum rt_opt_kind - what a row fills and with what */
enum rt_opt_kind {
	RT_OPT_KIND_END = 0,
	RT_OPT_KIND_GROUP,   /* a heading in --help */
	RT_OPT_KIND_INCLUDE, /* a shared group of rows, its fields at @field */
	RT_OPT_FLAG,         /* bool: true; with .value, int: that value */
	RT_OPT_INT,          /* int64_t within min..max */
	RT_OPT_TIME,         /* int64_t nanoseconds; bare numbers in unit_ns; min..max in ns */
	RT_OPT_SPAN,         /* struct rt_span; min..max of the bare number */
	RT_OPT_SIZE,         /* int64_t bytes */
	RT_OPT_TEXT,         /* const char *: the word itself; empty: see .may_be_empty */
	RT_OPT_CALL,         /* .call does it */
	RT_OPT_IGNORED,      /* an option of old, taken in silence */
	RT_OPT_GONE,         /* an option of old, refused with .help as the sentence */
};

/**
 * struct rt_opt - one option, completely
 * @letter:   0: none
 * @name:     without dashes; NULL: none
 * @arg:      name of its value in --help; NULL: takes none
 * @field:    offset in the tool's options (or in the group's struct)
 * @given:    offset of a bool that says that it was given; RT_NO_FIELD (set by 0): none.
 *            (offset 0 is never a bool of this kind: put another member first)
 * @is_optional: the value may be left out; then .call gets NULL, other kinds are untouched
 * @is_ours:  the peer has no such name: abbreviations prefer the peer's
 * @is_hidden: not in --help
 * @alias_of: a second name or letter: parses as the row with that name ("help" and
 *            "version" too); only letter, name, is_ours and is_hidden count besides
 * @may_be_empty: texts only: an empty one is as none, NULL; without this it is refused
 * @unit_ns, @units, @min, @max: of numbers and times; min and max both 0: from 0 up
 * @unit_text: how the unit is called in messages: "microseconds"; NULL: from unit_ns
 *            of texts and calls: what to give, "a list such as 0-3"; NULL: @arg
 * @def:      the default as text, shown in --help; those of numbers, times and sizes
 *            are also parsed into the field before the words
 * @value:    for flags that fill an int; several flags may choose the value of one
 * @help:     one line, no full stop
 * @call:     gets the tool's options, or the struct of the group that the row is in;
 *            0, or a negative errno with a sentence, to which "--NAME: " is added
 *            unless it starts with '-'
 *
 * An option may be given again: a call is made each time, elsewhere the last one wins.
 */
struct rt_opt {
	enum rt_opt_kind kind;
	int letter;
	const char *name;
	const char *arg;
	size_t field;
	size_t given;
	bool is_optional;
	bool is_ours;
	bool is_hidden;
	bool may_be_empty;
	const char *alias_of;
	int64_t unit_ns;
	enum rt_time_units units;
	int64_t min;
	int64_t max;
	const char *unit_text;
	const char *def;
	int value;
	const char *help;
	int (*call)(void *opts, const struct rt_opt *row, const char *text, struct rt_err *err);
	const struct rt_opt *rows;
};

#define RT_OPT_GROUP(title) { .kind = RT_OPT_KIND_GROUP, .help = (title) }
#define RT_OPT_INCLUDE(group, at) { .kind = RT_OPT_KIND_INCLUDE, .rows = (group), .field = (at) }
#define RT_OPT_ALIAS(old, of) { .kind = RT_OPT_FLAG, .name = (old), .alias_of = (of), .is_hidden = true }
#define RT_OPT_END { .kind = RT_OPT_KIND_END }

/** RT_FIELD() - offset of a field that must have this type, or the compiler complains */
#define RT_FIELD(T, f, ctype) (offsetof(T, f) + 0 * sizeof((ctype *)0 == &((T *)0)->f))

/**
 * struct rt_opt_table - a tool's command line
 * @tool:      its name
 * @purpose:   one line for --help
 * @usage:     behind the name in the usage line; NULL: "[options]"
 * @rows:      end with RT_OPT_END; --help, -? and --version are added
 * @exclusive: pairs of names (or letters) that exclude each other, "aligned secaligned";
 *             NULL-terminated; may be NULL
 * @help_letter: also means --help ('h' in tools that have no -h of their own); 0: none
 * @version_text: what --version prints; NULL: "TOOL V 3.00"
 * @word:      takes a word that is no option (hackbench's group count); returns
 *             0, 1 when it does not want it (a warning is given), or a negative
 *             errno with a sentence; NULL: warn about all
 */
struct rt_opt_table {
	const char *tool;
	const char *purpose;
	const char *usage;
	const struct rt_opt *rows;
	const char *const *exclusive;
	int help_letter;
	const char *version_text;
	int (*word)(void *opts, const char *text, struct rt_err *err);
};

/**
 * rt_opts_parse() - fill @opts; or print help and exit 0; or refuse and exit 2
 * Calls rt_log_init() with the table's name. Texts are kept by reference into @argv.
 */
void rt_opts_parse(const struct rt_opt_table *table, void *opts, int argc, char **argv);

/**
 * rt_opts_try() - the same without printing and exiting: for tests
 * Return: 0; 1 for --help, 2 for --version, 3 for --help=table; a negative
 * errno with the sentence that would be printed, RT_EXIT_USAGE.
 */
int rt_opts_try(const struct rt_opt_table *table, void *opts, int argc, char **argv,
		struct rt_err *err);

/**
 * rt_opts_refuse() - "--NAME: sentence": an option whose value is refused after parsing, by a plan
 * Return: -EINVAL; the exit status is RT_EXIT_USAGE.
 */
int rt_opts_refuse(struct rt_err *err, const char *name, const char *fmt, ...) RT_PRINTF(3, 4);

/**
 * rt_opts_settle() - a span whose unit is now known, in whole units of display
 * @ret:      untouched if the option was not given
 * @is_given: was it?
 * @unit_ns:  unit of display: 1000, or 1 with --nsecs
 * Return: 0; -EINVAL with a sentence when it is less than one unit.
 */
int rt_opts_settle(int64_t *ret, const char *name, const struct rt_span *span, bool is_given,
		   int64_t unit_ns, struct rt_err *err);

/**
 * rt_opts_check_table() - asked of every table, by --help=table: no doubled
 * letter or name, a help line for all that is shown, defaults within their
 * ranges, aliases and exclusions that exist, no field filled by two rows
 * Return: 0; -EINVAL with a sentence.
 */
int rt_opts_check_table(const struct rt_opt_table *table, struct rt_err *err);

/*
 * Groups of rows that tools share, with the structs that they fill.
 */

/** struct rt_opts_results - where results go; zero is: nowhere but stdout */
struct rt_opts_results {
	const char *json;        /* --json=FILE; "-": stdout */
	const char *result;      /* --result=FILE */
	int64_t checkpoint_ns;   /* --checkpoint=SECONDS; 0: none */
	const char *samples;     /* --samples=FILE */
	struct rt_span limit;    /* --limit=US */
	bool has_limit;
	bool percentiles;        /* --percentiles */
	const char *load;        /* --load=COMMAND */
};
extern const struct rt_opt rt_rows_results[];

/* of these --json and --result alone, for tools that have no series of latencies */
extern const struct rt_opt rt_rows_documents[];

#endif
