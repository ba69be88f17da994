/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of rt-migrate-test.
 */
#include <errno.h>

#include "migrate.h"
#include "rt/sched.h"

#define AT(field) offsetof(struct mig_opts, field)

/* From priority 1 upwards, and main above all of them */
#define TASKS_MAX (RT_PRIORITY_MAX - 1)

static const struct rt_opt rows[] = {
	RT_OPT_GROUP("Tasks"),
	{ RT_OPT_INT, 'p', "prio", "PRIO", AT(priority), .min = 1, .max = RT_PRIORITY_MAX - 2,
	  .def = "2", .help = "SCHED_FIFO priority of the lowest task" },
	RT_OPT_ALIAS("priority", "prio"),
	{ RT_OPT_FLAG, 'e', "equal", .field = AT(equal),
	  .help = "the same priority for all tasks but the lowest and the highest" },

	RT_OPT_GROUP("Time"),
	{ RT_OPT_INT, 'l', "loops", "N", AT(loops), .min = 1, .max = 1000000, .def = "50",
	  .help = "number of iterations" },
	{ RT_OPT_TIME, 'D', "duration", "TIME", AT(duration_ns), .unit_ns = RT_NS_PER_S,
	  .units = RT_UNITS_DURATION, .min = 0, .max = INT64_MAX, .def = "0",
	  .help = "end after this time: seconds, or with m, h, d; 0: by --loops alone" },
	{ RT_OPT_TIME, 'r', "run-time", "MS", AT(run_ns), .unit_ns = RT_NS_PER_MS,
	  .min = RT_NS_PER_MS, .max = 500 * RT_NS_PER_MS, .def = "20",
	  .help = "how long each task is busy in an iteration" },
	{ RT_OPT_TIME, 's', "sleep-time", "MS", AT(sleep_ns), .unit_ns = RT_NS_PER_MS,
	  .min = RT_NS_PER_MS, .max = RT_NS_PER_S, .def = "100",
	  .help = "pause between two iterations" },

	RT_OPT_GROUP("Check"),
	{ RT_OPT_FLAG, 'c', "check", .field = AT(check),
	  .help = "end as failed at the first task that runs later than a lower one" },
	{ RT_OPT_TIME, 'm', "maxerr", "US", AT(maxerr_ns), .unit_ns = RT_NS_PER_US, .min = 0,
	  .max = RT_NS_PER_S, .def = "1000", .help = "how much later is no fault" },

	RT_OPT_GROUP("Output"),
	{ RT_OPT_FLAG, 'q', "quiet", .field = AT(quiet), .help = "no progress bar" },
	RT_OPT_INCLUDE(rt_rows_documents, AT(results)),
	RT_OPT_END
};

/* NR_TASKS */
static int take_word(void *opts, const char *text, struct rt_err *err)
{
	struct mig_opts *o = opts;

	if (o->tasks)
		return 1;
	if (rt_parse_int(&o->tasks, text, 2, TASKS_MAX))
		return rt_err_set(err, RT_EXIT_USAGE, EINVAL,
				  "'%s' is not a number of tasks; give 2 to %d", text, TASKS_MAX);
	return 0;
}

const struct rt_opt_table mig_table = {
	.tool = "rt-migrate-test",
	.purpose = "check that real-time tasks are moved to CPUs in the order of their priorities",
	.usage = "[options] [NR_TASKS]",
	.rows = rows,
	.help_letter = 'h',
	.word = take_word,
};
