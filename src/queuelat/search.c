/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The greatest rate that holds, in six rounds as people know them: great steps up,
 * whole millions down, 0.3 up, 0.1 down, then ten runs in a row and a long one,
 * each failure of which takes 0.1 off. Rates are in tenths of a million a second.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "queuelat.h"

#define FIRST 30
#define FIRST_STEP 30
#define LINEAR_TO 480 /* beyond it doubling is fast enough */
#define RUNS 10

static void say(const struct qlt_search *search, const char *fmt, ...) RT_PRINTF(2, 3);

static void say(const struct qlt_search *search, const char *fmt, ...)
{
	char line[160];
	va_list values;

	if (!search->say)
		return;
	va_start(values, fmt);
	vsnprintf(line, sizeof(line), fmt, values);
	va_end(values);
	search->say(search->data, line);
}

static const char *shown(int64_t tenths, char text[24])
{
	if (tenths % 10)
		snprintf(text, 24, "%.1f", (double)tenths / 10);
	else
		snprintf(text, 24, "%lld", (long long)(tenths / 10));
	return text;
}

/* @held, @broke: what to say of it; with the rate behind if they end with a blank */
static int ask(const struct qlt_search *search, int64_t tenths, const char *held,
	       const char *broke)
{
	char text[24];
	const char *verdict;
	int good;

	say(search, "testing %s Mpps", shown(tenths, text));
	good = search->is_good(search->data, tenths, search->run_ns);
	verdict = good ? held : broke;
	if (good >= 0)
		say(search, "%s%s", verdict, verdict[strlen(verdict) - 1] == ' ' ? text : "");
	return good;
}

/* Up from @from until one fails: that one; above QLT_TENTHS_MAX if none does; negative: stopped. */
static int64_t climb(const struct qlt_search *search, int64_t from, int64_t step,
		     const char *broke)
{
	for (int64_t tenths = from;;) {
		int good = ask(search, tenths, "success", broke);

		if (good <= 0)
			return good < 0 ? good : tenths;
		if (tenths >= QLT_TENTHS_MAX)
			return QLT_TENTHS_MAX + 1;
		tenths += step == FIRST_STEP && tenths >= LINEAR_TO ? tenths : step;
		if (tenths > QLT_TENTHS_MAX)
			tenths = QLT_TENTHS_MAX;
	}
}

/* Down from below @from until one holds: that one; 0: none does; negative: stopped. */
static int64_t descend(const struct qlt_search *search, int64_t from, int64_t step)
{
	for (int64_t tenths = from - step; tenths > 0; tenths -= step) {
		int good = ask(search, tenths, "mpps success ", "failure");

		if (good)
			return good < 0 ? good : tenths;
	}
	return 0;
}

static const char *time_text(int64_t ns, char text[48])
{
	const int64_t minute_ns = 60 * RT_NS_PER_S;

	if (ns > minute_ns && ns % minute_ns == 0)
		snprintf(text, 48, "%lld minutes", (long long)(ns / minute_ns));
	else
		snprintf(text, 48, "%.10g seconds", (double)ns / RT_NS_PER_S);
	return text;
}

/* 1: it holds ten times and for long; 0: not; negative: stopped */
static int confirm(const struct qlt_search *search, int64_t tenths)
{
	char text[24], time[48];
	int good = 1;

	shown(tenths, text);
	say(search, "Starting %d runs of %s with %s Mpps", RUNS, time_text(search->run_ns, time),
	    text);
	for (int i = 1; good == 1 && i <= RUNS; i++) {
		good = search->is_good(search->data, tenths, search->run_ns);
		if (good == 1)
			say(search, "run %d success", i);
		else if (good == 0)
			say(search, "mpps failure (run %d) %s", i, text);
	}
	if (good != 1)
		return good;
	say(search, "Starting %s run with %s Mpps", time_text(search->confirm_ns, time), text);
	good = search->is_good(search->data, tenths, search->confirm_ns);
	if (good == 0)
		say(search, "mpps failure (long run) %s", text);
	return good;
}

/* The first rounds: a rate that held once, while 0.1 more did not; 0, negative as below. */
static int64_t narrow(const struct qlt_search *search)
{
	int64_t tenths = climb(search, FIRST, FIRST_STEP, "mpps failed: ");
	char text[24];

	if (tenths < 0 || tenths > QLT_TENTHS_MAX)
		return tenths < 0 ? tenths : QLT_TENTHS_MAX;
	say(search, "first loop mpps: %s", shown(tenths, text));
	tenths = descend(search, tenths, 10);
	if (tenths < 0)
		return tenths;
	say(search, "second loop mpps: %s", shown(tenths, text));
	tenths = climb(search, tenths + 3, 3, "mpps failure ");
	if (tenths < 0 || tenths > QLT_TENTHS_MAX)
		return tenths < 0 ? tenths : QLT_TENTHS_MAX;
	say(search, "third loop mpps: %s", shown(tenths, text));
	return descend(search, tenths, 1);
}

int64_t qlt_search(const struct qlt_search *search)
{
	int64_t tenths = narrow(search);

	while (tenths > 0) {
		int good = confirm(search, tenths);

		if (good)
			return good < 0 ? good : tenths;
		tenths--;
	}
	return tenths;
}
