/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sigwaittest - measure how long a signal takes to wake a thread.
 */
#include "pairs.h"

static const struct rt_opt rows[] = {
	RT_OPT_INCLUDE(pair_rows, 0),
	RT_OPT_GROUP("Mechanism"),
	PAIR_FORK_ROW('f', false),
	PAIR_TRACING_ROWS,
	PAIR_RESULTS_ROWS,
	RT_OPT_END
};

static const struct rt_opt_table table = {
	.tool = "sigwaittest",
	.purpose = "measure how long a signal takes to wake a thread",
	.rows = rows,
	.help_letter = 'h',
};

int main(int argc, char **argv)
{
	const struct pair_tool tool = {
		.table = &table,
		.via = &pair_via_signal,
		.lowest_priority = 0,
	};

	return pair_main(&tool, argc, argv);
}
