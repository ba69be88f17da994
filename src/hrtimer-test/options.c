/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of hrtimer-test.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "hrtimer.h"
#include "rt/clock.h"

#define AT(field) offsetof(struct hrt_opts, field)
#define PERIOD_MIN_NS RT_NS_PER_US
#define PERIOD_MAX_NS (60 * RT_NS_PER_S)
#define WORD_MAX 64

/* Cuts the next word off a list with commas; false at its end or if the word is too long. */
static bool next_word(const char **list, char word[WORD_MAX])
{
	size_t length = strcspn(*list, ",");

	if (length >= WORD_MAX)
		length = WORD_MAX - 1;
	memcpy(word, *list, length);
	word[length] = '\0';
	*list += length;
	if (**list != ',')
		return false;
	(*list)++;
	return true;
}

static int find_clock(const char *word)
{
	for (int i = 0; i < HRT_CLOCKS; i++)
		if (strcmp(word, rt_clock_name(hrt_clock_ids[i])) == 0)
			return i;
	return -1;
}

static int find_way(const char *word)
{
	for (int i = 0; i < HRT_WAYS; i++)
		if (strcmp(word, hrt_ways[i].name) == 0)
			return i;
	return -1;
}

static int take_words(unsigned int *ret, const char *list, int (*find)(const char *word),
		      const char *what, struct rt_err *err)
{
	char word[WORD_MAX];
	bool more;

	*ret = 0;
	do {
		int found;

		more = next_word(&list, word);
		found = find(word);
		if (found < 0)
			return rt_err_set(err, RT_EXIT_USAGE, EINVAL, "'%s' is not %s", word, what);
		*ret |= 1u << found;
	} while (more);
	return 0;
}

static int take_clocks(void *opts, const struct rt_opt *row RT_UNUSED, const char *text,
		       struct rt_err *err)
{
	return take_words(&((struct hrt_opts *)opts)->clocks, text, find_clock,
			  "a clock; give some of monotonic,realtime,boottime,tai", err);
}

static int take_ways(void *opts, const struct rt_opt *row RT_UNUSED, const char *text,
		     struct rt_err *err)
{
	return take_words(&((struct hrt_opts *)opts)->ways, text, find_way,
			  "a way to sleep; give some of nanosleep,nanosleep-abs,timerfd,posix,"
			  "setitimer,poll,epoll,futex,deadline", err);
}

static int take_periods(void *opts, const struct rt_opt *row RT_UNUSED, const char *text,
			struct rt_err *err)
{
	struct hrt_opts *o = opts;
	char word[WORD_MAX];
	bool more;

	o->period_count = 0;
	do {
		int64_t ns;

		more = next_word(&text, word);
		if (rt_parse_time(&ns, word, RT_NS_PER_US, RT_UNITS_FINE, PERIOD_MIN_NS,
				  PERIOD_MAX_NS))
			return rt_err_set(err, RT_EXIT_USAGE, EINVAL,
					  "'%s' is not a period; give microseconds from 1 to "
					  "60000000, or a unit as in 5ms, with commas between", word);
		if (o->period_count == HRT_PERIODS_MAX)
			return rt_err_set(err, RT_EXIT_USAGE, E2BIG, "more than %d periods",
					  HRT_PERIODS_MAX);
		o->periods[o->period_count++] = ns;
	} while (more);
	return 0;
}

static const struct rt_opt rows[] = {
	RT_OPT_GROUP("What"),
	{ RT_OPT_CALL, 'c', "clocks", "LIST", .call = take_clocks,
	  .help = "some of monotonic,realtime,boottime,tai; all if not given" },
	{ RT_OPT_CALL, 'w', "ways", "LIST", .call = take_ways,
	  .help = "ways to sleep, see the manual; all if not given" },
	{ RT_OPT_CALL, 'i', "periods", "LIST", .call = take_periods,
	  .help = "periods in microseconds, or with a unit (10us,100us,1ms,10ms,100ms,1s)" },
	{ RT_OPT_INT, 'l', "loops", "N", AT(loops), .min = 1, .max = 1000000, .def = "100",
	  .help = "at most N expiries of each" },
	{ RT_OPT_TIME, 0, "cell-time", "TIME", AT(cell_time_ns), .unit_ns = RT_NS_PER_S,
	  .units = RT_UNITS_DURATION, .min = RT_NS_PER_MS, .max = 3600 * RT_NS_PER_S, .def = "100ms",
	  .help = "at most this long for each, but one expiry" },
	{ RT_OPT_TIME, 0, "slack", "NS", AT(slack_ns), AT(has_slack), .unit_ns = 1, .min = 1,
	  .max = RT_NS_PER_S, .help = "timer slack of the thread, in nanoseconds; left as it is" },

	RT_OPT_GROUP("Thread"),
	{ RT_OPT_INT, 'p', "priority", "PRIO", AT(priority), .min = 1, .max = RT_PRIORITY_MAX,
	  .help = "real-time priority, SCHED_FIFO" },
	RT_OPT_ALIAS("prio", "priority"),
	{ RT_OPT_TEXT, 'a', "affinity", "CPU", AT(affinity), .help = "run on this CPU" },

	RT_OPT_GROUP("Output"),
	{ RT_OPT_FLAG, 0, "check", .field = AT(check),
	  .help = "judge, and end with status 1 if timers are not what they should be" },
	{ RT_OPT_FLAG, 'q', "quiet", .field = AT(quiet), .help = "print no table" },
	RT_OPT_INCLUDE(rt_rows_documents, AT(results)),
	RT_OPT_END
};

const struct rt_opt_table hrt_table = {
	.tool = "hrtimer-test",
	.purpose = "how exact the kernel's timers are",
	.rows = rows,
	.help_letter = 'h',
};
