/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * units - numbers, times and sizes as people write them. The only place where
 * text becomes a number: the whole word counts, with its range, in 64 bits.
 *
 * All parsers skip leading blanks (scripts pass '-h 3500'), refuse everything
 * behind the number, and leave their result untouched when they fail.
 * They return 0, -EINVAL (not a number of this kind) or -ERANGE (a number,
 * but outside the range); the caller, who knows the option's name, words it.
 */
#ifndef RT_UNITS_H
#define RT_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RT_NS_PER_US INT64_C(1000)
#define RT_NS_PER_MS INT64_C(1000000)
#define RT_NS_PER_S INT64_C(1000000000)
#define RT_US_PER_S INT64_C(1000000)

/**
 * rt_parse_int() - a decimal integer
 *
 * "600.00" is taken as 600 (schedulers of tests write it so); any other
 * fraction, an exponent, a hexadecimal prefix or a unit is -EINVAL. A leading
 * '-' is part of a number: "-5" gives -ERANGE when @min is above it.
 */
int rt_parse_int(int64_t *ret, const char *text, int64_t min, int64_t max);

/** rt_parse_double() - a plain decimal fraction such as "1.5"; no exponent, no nan, no inf */
int rt_parse_double(double *ret, const char *text, double min, double max);

/**
 * rt_parse_size() - bytes: "4096", "64k", "1M", "2G" (powers of 1024, either case, 'b' for bytes)
 */
int rt_parse_size(int64_t *ret, const char *text, int64_t min, int64_t max);

/** enum rt_time_units - which unit words a time may carry */
enum rt_time_units {
	RT_UNITS_FINE = 0,     /* ns us ms s: intervals and latencies */
	RT_UNITS_DURATION = 1, /* those and m h d; either case of m, h, d */
	RT_UNITS_WEEKS = 2,    /* those and w */
};

/**
 * rt_parse_time() - a time in nanoseconds
 * @ret_ns:  the result
 * @text:    "90", "20us", "1m0s", "1h30m", "1.5s": one or more numbers with a
 *           unit, largest first is not required; or one bare number. A
 *           fraction needs a unit, unless it is zero.
 * @unit_ns: the unit of a bare number
 * @units:   the unit words that are understood
 * @min_ns:  smallest and
 * @max_ns:  largest value
 *
 * Return: 0; -EINVAL; -ERANGE (also for what does not fit 64 bits, and for negative values).
 */
int rt_parse_time(int64_t *ret_ns, const char *text, int64_t unit_ns, enum rt_time_units units,
		  int64_t min_ns, int64_t max_ns);

/**
 * struct rt_span - a latency whose bare number waits for its unit
 * @value: nanoseconds if a unit was written, else the bare number
 * @is_bare: no unit was written: --nsecs decides, wherever it stands on the line
 */
struct rt_span {
	int64_t value;
	bool is_bare;
};

/** rt_parse_span() - a time as rt_parse_time() with RT_UNITS_FINE, its unit left open if bare */
int rt_parse_span(struct rt_span *ret, const char *text);

/**
 * rt_span_ns() - settle the unit
 * Return: 0; -ERANGE if value times @bare_unit_ns does not fit.
 */
int rt_span_ns(int64_t *ret_ns, const struct rt_span *span, int64_t bare_unit_ns);

#define RT_TIME_TEXT_MAX 32

/**
 * rt_format_time() - a time in the largest unit that shows it exactly: "5m", "1500us", "20ns"
 * @buf: at least RT_TIME_TEXT_MAX bytes
 * Return: @buf.
 */
char *rt_format_time(char *buf, size_t size, int64_t ns);

#endif
