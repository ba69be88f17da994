/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pairtest - measure how long a hand-over takes by any of the mechanisms.
 */
#include <errno.h>
#include <string.h>

#include "pairs.h"

static const struct pair_via *const mechanisms[] = {
	&pair_via_futex, &pair_via_eventfd, &pair_via_pipe,  &pair_via_unix,  &pair_via_cond,
	&pair_via_signal, &pair_via_mq,     &pair_via_ptsem, &pair_via_svsem,
};

static int take_via(void *opts, const struct rt_opt *row RT_UNUSED, const char *text,
		    struct rt_err *err)
{
	struct pair_opts *o = opts;

	for (unsigned int i = 0; i < RT_ARRAY_SIZE(mechanisms); i++) {
		if (strcmp(text, mechanisms[i]->name))
			continue;
		o->via = mechanisms[i];
		return 0;
	}
	return rt_err_set(err, RT_EXIT_USAGE, EINVAL,
			  "'%s' is no mechanism; give " PAIR_MECHANISMS, text);
}

static const struct rt_opt rows[] = {
	RT_OPT_INCLUDE(pair_rows, 0),
	RT_OPT_GROUP("Mechanism"),
	{ RT_OPT_CALL, 0, "via", "MECHANISM", .call = take_via,
	  .help = PAIR_MECHANISMS },
	PAIR_FORK_ROW('f', false),
	PAIR_TRACING_ROWS,
	PAIR_RESULTS_ROWS,
	RT_OPT_END
};

static const struct rt_opt_table table = {
	.tool = "pairtest",
	.purpose = "measure how long a hand-over between threads or processes takes",
	.usage = "--via=MECHANISM [options]",
	.rows = rows,
	.help_letter = 'h',
};

int main(int argc, char **argv)
{
	const struct pair_tool tool = { .table = &table, .lowest_priority = 1 };

	return pair_main(&tool, argc, argv);
}
