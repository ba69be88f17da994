/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * units - text to numbers and back, without atoi, strtol's leniency or floating
 * point where a number must be exact.
 *
 * All parsers stand on one scanner, which reads digits with an optional fraction
 * and says where it stopped. What is no number at all is -EINVAL before a range
 * is looked at, so "99999999999999999999x" is not called too large.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "rt/compiler.h"
#include "rt/units.h"

/* Digits of one number: "12.50" is whole 12 with fraction "50", of two digits. */
struct digits {
	int64_t whole;
	bool is_too_large;
	const char *fraction;
	size_t fraction_len;
	const char *end;
};

static const char *skip_blanks(const char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

/* A sign before the first digit; returns what stands behind it. */
static const char *scan_sign(const char *text, bool *ret_negative)
{
	text = skip_blanks(text);
	*ret_negative = *text == '-';
	return *text == '-' || *text == '+' ? text + 1 : text;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int scan_digits(struct digits *ret, const char *text)
{
	const char *start = text;

	*ret = (struct digits){ 0 };
	for (; is_digit(*text); text++)
		if (__builtin_mul_overflow(ret->whole, 10, &ret->whole) ||
		    __builtin_add_overflow(ret->whole, *text - '0', &ret->whole))
			ret->is_too_large = true;
	ret->end = text;
	if (*text == '.') {
		ret->fraction = ++text;
		while (is_digit(*text))
			text++;
		ret->fraction_len = (size_t)(text - ret->fraction);
		if (!ret->fraction_len)
			return -EINVAL;
		ret->end = text;
	}
	return ret->end > start ? 0 : -EINVAL;
}

static bool has_fraction(const struct digits *d)
{
	for (size_t i = 0; i < d->fraction_len; i++)
		if (d->fraction[i] != '0')
			return true;
	return false;
}

/* Store a number of which the text was all right, if it is within the range. */
static int put_int(int64_t *ret, int64_t value, bool is_too_large, int64_t min, int64_t max)
{
	if (is_too_large || value < min || value > max)
		return -ERANGE;
	*ret = value;
	return 0;
}

int rt_parse_int(int64_t *ret, const char *text, int64_t min, int64_t max)
{
	struct digits d;
	bool is_negative;

	if (scan_digits(&d, scan_sign(text, &is_negative)) < 0 || *d.end || has_fraction(&d))
		return -EINVAL;
	return put_int(ret, is_negative ? -d.whole : d.whole, d.is_too_large, min, max);
}

int rt_parse_double(double *ret, const char *text, double min, double max)
{
	struct digits d;
	bool is_negative;
	double value;
	char *end;

	text = scan_sign(text, &is_negative);
	if (scan_digits(&d, text) < 0 || *d.end)
		return -EINVAL;
	value = strtod(text, &end);
	if (*end)
		return -EINVAL; /* a locale with another decimal sign */
	if (is_negative)
		value = -value;
	if (!isfinite(value) || value < min || value > max)
		return -ERANGE;
	*ret = value;
	return 0;
}

/* How far to shift for a size's suffix; negative: no such suffix. */
static int size_shift(const char *suffix)
{
	static const char letters[] = "bkmg";
	const char *found;

	if (!*suffix)
		return 0;
	found = strchr(letters, tolower((unsigned char)*suffix));
	if (!found || suffix[1])
		return -1;
	return 10 * (int)(found - letters);
}

int rt_parse_size(int64_t *ret, const char *text, int64_t min, int64_t max)
{
	struct digits d;
	bool is_negative, is_too_large;
	int64_t value;
	int shift;

	if (scan_digits(&d, scan_sign(text, &is_negative)) < 0 || d.fraction)
		return -EINVAL;
	shift = size_shift(d.end);
	if (shift < 0)
		return -EINVAL;
	is_too_large = __builtin_mul_overflow(d.whole, INT64_C(1) << shift, &value);
	return put_int(ret, is_negative ? -value : value, is_too_large || d.is_too_large, min, max);
}

static const struct time_unit {
	const char *name;
	int64_t ns;
	enum rt_time_units from;
	bool any_case;
} time_units[] = {
	{ "ns", 1, RT_UNITS_FINE, false },
	{ "us", RT_NS_PER_US, RT_UNITS_FINE, false },
	{ "ms", RT_NS_PER_MS, RT_UNITS_FINE, false },
	{ "s", RT_NS_PER_S, RT_UNITS_FINE, false },
	{ "m", 60 * RT_NS_PER_S, RT_UNITS_DURATION, true },
	{ "h", 3600 * RT_NS_PER_S, RT_UNITS_DURATION, true },
	{ "d", 86400 * RT_NS_PER_S, RT_UNITS_DURATION, true },
	{ "w", 7 * 86400 * RT_NS_PER_S, RT_UNITS_WEEKS, true },
};

/* The unit word at @text, which ends where no letter follows; NULL: none is known. */
static const struct time_unit *find_unit(const char *text, size_t len, enum rt_time_units units)
{
	for (size_t i = 0; i < RT_ARRAY_SIZE(time_units); i++) {
		const struct time_unit *u = &time_units[i];

		if (u->from > units || strlen(u->name) != len)
			continue;
		if ((u->any_case ? strncasecmp : strncmp)(u->name, text, len) == 0)
			return u;
	}
	return NULL;
}

/*
 * A fraction of a unit, cut to whole nanoseconds. From the last digit to the
 * first, the nested floors give exactly the floor of the whole.
 */
static int64_t fraction_ns(const struct digits *d, int64_t unit_ns)
{
	int64_t ns = 0;

	for (size_t i = d->fraction_len; i-- > 0;)
		ns = ((d->fraction[i] - '0') * unit_ns + ns) / 10;
	return ns;
}

/* Add one number with its unit to *sum; false: it does not fit. */
static bool add_time(int64_t *sum, const struct digits *d, int64_t unit_ns)
{
	int64_t ns;

	return !d->is_too_large && !__builtin_mul_overflow(d->whole, unit_ns, &ns) &&
	       !__builtin_add_overflow(*sum, ns, sum) &&
	       !__builtin_add_overflow(*sum, fraction_ns(d, unit_ns), sum);
}

/* What a time's text says: its sum, or a bare number whose unit is still open. */
struct time_text {
	int64_t value;
	bool is_bare;
	bool is_out_of_range; /* too large, or below zero */
};

/* One or more numbers with a unit behind each; @d is the first number. */
static int scan_time_units(struct time_text *ret, struct digits *d, enum rt_time_units units)
{
	for (;;) {
		const struct time_unit *u;
		size_t len = 0;

		while (isalpha((unsigned char)d->end[len]))
			len++;
		u = find_unit(d->end, len, units);
		if (!u)
			return -EINVAL;
		if (!add_time(&ret->value, d, u->ns))
			ret->is_out_of_range = true;
		if (!d->end[len])
			return 0;
		if (scan_digits(d, d->end + len) < 0)
			return -EINVAL;
	}
}

static int scan_time(struct time_text *ret, const char *text, enum rt_time_units units)
{
	struct digits d;
	bool is_negative;

	*ret = (struct time_text){ 0 };
	if (scan_digits(&d, scan_sign(text, &is_negative)) < 0)
		return -EINVAL;
	if (*d.end) {
		if (scan_time_units(ret, &d, units) < 0)
			return -EINVAL;
	} else {
		if (has_fraction(&d))
			return -EINVAL;
		ret->is_bare = true;
		ret->value = d.whole;
		ret->is_out_of_range = d.is_too_large;
	}
	if (is_negative && ret->value)
		ret->is_out_of_range = true;
	return 0;
}

int rt_parse_time(int64_t *ret_ns, const char *text, int64_t unit_ns, enum rt_time_units units,
		  int64_t min_ns, int64_t max_ns)
{
	struct time_text t;

	if (scan_time(&t, text, units) < 0)
		return -EINVAL;
	if (t.is_bare && __builtin_mul_overflow(t.value, unit_ns, &t.value))
		t.is_out_of_range = true;
	return put_int(ret_ns, t.value, t.is_out_of_range, min_ns, max_ns);
}

int rt_parse_span(struct rt_span *ret, const char *text)
{
	struct time_text t;

	if (scan_time(&t, text, RT_UNITS_FINE) < 0)
		return -EINVAL;
	if (t.is_out_of_range)
		return -ERANGE;
	*ret = (struct rt_span){ .value = t.value, .is_bare = t.is_bare };
	return 0;
}

int rt_span_ns(int64_t *ret_ns, const struct rt_span *span, int64_t bare_unit_ns)
{
	int64_t ns;

	if (__builtin_mul_overflow(span->value, span->is_bare ? bare_unit_ns : 1, &ns))
		return -ERANGE;
	*ret_ns = ns;
	return 0;
}

char *rt_format_time(char *buf, size_t size, int64_t ns)
{
	/* Weeks are left out: most options don't understand them. */
	static const char *const names[] = { "d", "h", "m", "s", "ms", "us", "ns" };
	uint64_t value = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

	for (size_t i = 0; i < RT_ARRAY_SIZE(names); i++) {
		const struct time_unit *u = find_unit(names[i], strlen(names[i]), RT_UNITS_WEEKS);

		if (value % (uint64_t)u->ns || (!value && u->ns != RT_NS_PER_S))
			continue;
		snprintf(buf, size, "%s%" PRIu64 "%s", ns < 0 ? "-" : "", value / (uint64_t)u->ns,
			 names[i]);
		break;
	}
	return buf;
}
