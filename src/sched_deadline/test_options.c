/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of deadline_test. The letters are old, the names are ours.
 */
#include "deadline_test.h"

#define AT(field) offsetof(struct dlt_opts, field)
#define MAX_NS (INT64_C(1000000000) * RT_NS_PER_US)

static const struct rt_opt rows[] = {
	RT_OPT_GROUP("Threads and CPUs"),
	{ RT_OPT_INT, 't', "threads", "N", AT(threads), .is_ours = true, .min = 1, .max = 100000,
	  .def = "2", .help = "number of deadline threads" },
	{ RT_OPT_TEXT, 'c', "affinity", "CPUSET", AT(places.list), .is_ours = true,
	  .help = "run on CPUSET, set apart if it is a part of the CPUs" },
	{ RT_OPT_FLAG, 'b', "last-cpu", .field = AT(last_cpu), .is_ours = true,
	  .help = "run on the last CPU only" },
	RT_OPT_INCLUDE(dl_rows_partition, AT(places)),

	RT_OPT_GROUP("Reservation and work"),
	{ RT_OPT_TIME, 'i', "interval", "US", AT(interval_ns), .is_ours = true,
	  .unit_ns = RT_NS_PER_US, .min = RT_NS_PER_US, .max = MAX_NS, .def = "1000",
	  .help = "the shortest deadline, and period" },
	{ RT_OPT_TIME, 's', "step", "US", AT(step_ns), .is_ours = true, .unit_ns = RT_NS_PER_US,
	  .min = 0, .max = MAX_NS, .def = "500",
	  .help = "each thread's period is this longer than the one before" },
	{ RT_OPT_INT, 'p', "percent", "PERCENT", AT(percent), .is_ours = true, .min = 1,
	  .max = 100, .def = "80",
	  .help = "bandwidth of all CPUs to reserve; at most 90 for a thread" },
	{ RT_OPT_INT, 'P', "run-percent", "PERCENT", AT(run_percent), .is_ours = true, .min = 1,
	  .max = 100, .def = "100", .help = "share of the runtime that is really worked" },
	{ RT_OPT_INT, 'r', "rt-prio", "PRIO", AT(rt_priority), .is_ours = true, .min = 0,
	  .max = RT_PRIORITY_MAX - 1, .def = "0",
	  .help = "a SCHED_FIFO thread that spins at PRIO against them; 0: none" },
	{ RT_OPT_FLAG, 0, "hrtick", .field = AT(hrtick), .is_ours = true,
	  .help = "end runtimes by a timer, not by the tick: HRTICK on during the run" },

	RT_OPT_GROUP("Run and verdict"),
	{ RT_OPT_TIME, 'D', "duration", "TIME", AT(duration_ns), .is_ours = true,
	  .unit_ns = RT_NS_PER_S, .units = RT_UNITS_DURATION, .min = 1, .max = INT64_MAX,
	  .def = "10", .help = "length of the run: seconds, or with m, h, d" },
	{ RT_OPT_INT, 0, "limit-missed", "N", AT(limit_missed), AT(has_limit_missed),
	  .is_ours = true, .min = 0, .max = INT64_MAX,
	  .help = "end with status 3 if deadlines and periods missed are more than N" },
	{ RT_OPT_FLAG, 'v', "verbose", .field = AT(verbose), .is_ours = true,
	  .help = "say on stderr where the threads run" },
	RT_OPT_INCLUDE(rt_rows_results, AT(results)),
	RT_OPT_END
};

static const char *const exclusive[] = { "affinity last-cpu", "cgroup last-cpu", NULL };

const struct rt_opt_table dlt_table = {
	.tool = "deadline_test",
	.purpose = "let SCHED_DEADLINE threads work, and count the deadlines that they miss",
	.rows = rows,
	.exclusive = exclusive,
	.help_letter = 'h',
};
