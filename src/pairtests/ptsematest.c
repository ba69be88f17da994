/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptsematest - measure how long a thread takes to get a POSIX semaphore that another posts.
 */
#include "pairs.h"

static const struct rt_opt rows[] = {
	RT_OPT_INCLUDE(pair_rows, 0),
	RT_OPT_GROUP("Mechanism"),
	PAIR_FORK_ROW(0, true),
	PAIR_TRACING_ROWS,
	PAIR_RESULTS_ROWS,
	RT_OPT_END
};

static const struct rt_opt_table table = {
	.tool = "ptsematest",
	.purpose = "measure how long a thread takes to get a POSIX semaphore that another posts",
	.rows = rows,
	.help_letter = 'h',
};

int main(int argc, char **argv)
{
	const struct pair_tool tool = {
		.table = &table,
		.via = &pair_via_ptsem,
		.lowest_priority = 1,
	};

	return pair_main(&tool, argc, argv);
}
