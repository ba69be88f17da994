/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pmqtest - measure how long a thread takes to get a message of a POSIX queue.
 */
#include "pairs.h"

#define MAX_NS (INT64_C(1000000) * RT_NS_PER_S)

static const struct rt_opt rows[] = {
	RT_OPT_INCLUDE(pair_rows, 0),
	RT_OPT_GROUP("Mechanism"),
	{ RT_OPT_TIME, 'T', "timeout", "SECONDS", PAIR_AT(timeout_ns), .unit_ns = RT_NS_PER_S,
	  .min = 0, .max = MAX_NS, .def = "0",
	  .help = "give up a wait after SECONDS, count that and wait again; 0: never" },
	{ RT_OPT_TIME, 'f', "forcetimeout", "SECONDS", PAIR_AT(forcetimeout_ns),
	  .unit_ns = RT_NS_PER_S, .min = 0, .max = MAX_NS, .def = "0",
	  .help = "with -T: send only after SECONDS, so that the wait is given up" },
	PAIR_FORK_ROW(0, true),
	PAIR_TRACING_ROWS,
	PAIR_RESULTS_ROWS,
	RT_OPT_END
};

static const struct rt_opt_table table = {
	.tool = "pmqtest",
	.purpose = "measure how long a thread takes to get a message of a POSIX queue",
	.rows = rows,
	.help_letter = 'h',
};

int main(int argc, char **argv)
{
	const struct pair_tool tool = {
		.table = &table,
		.via = &pair_via_mq,
		.lowest_priority = 1,
		.shows_timeouts = true,
	};

	return pair_main(&tool, argc, argv);
}
