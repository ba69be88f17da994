/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of signaltest.
 */
#include "signaltest.h"

#define AT(field) offsetof(struct sig_opts, field)
#define MAX_US INT64_C(1000000000)

static const struct rt_opt rows[] = {
	RT_OPT_GROUP("Threads and CPUs"),
	{ RT_OPT_TEXT, 'a', "affinity", "CPUSET", AT(affinity), AT(is_pinned), .is_optional = true,
	  .help = "run thread n on the n-th CPU of CPUSET; of all usable ones without" },
	{ RT_OPT_INT, 't', "threads", "N", AT(threads), AT(has_threads), .min = 0, .max = 100000,
	  .def = "2", .help = "N threads, 2 or more; 0: one per usable CPU" },
	{ RT_OPT_FLAG, 'S', "smp", .field = AT(smp), .help = "one thread on each CPU" },

	RT_OPT_GROUP("Time"),
	{ RT_OPT_INT, 'l', "loops", "N", AT(loops), .min = 0, .max = INT64_MAX, .def = "0",
	  .help = "end when the signal has been around N times; 0: endless" },
	{ RT_OPT_TIME, 'D', "duration", "TIME", AT(duration_ns), .unit_ns = RT_NS_PER_S,
	  .units = RT_UNITS_DURATION, .min = 0, .max = INT64_MAX, .def = "0",
	  .help = "length of the run: seconds, or with m, h, d; 0: endless" },

	RT_OPT_GROUP("Scheduling"),
	{ RT_OPT_INT, 'p', "priority", "PRIO", AT(priority), .min = 0, .max = RT_PRIORITY_MAX,
	  .def = "0", .help = "SCHED_FIFO priority of all threads; 0: SCHED_OTHER" },
	{ RT_OPT_FLAG, 'm', "mlockall", .field = AT(mlockall),
	  .help = "lock current and future memory" },

	RT_OPT_GROUP("Threshold"),
	{ RT_OPT_SPAN, 'b', "breaktrace", "US", AT(breaktrace),
	  .unit_ns = RT_NS_PER_US, .min = 0, .max = MAX_US,
	  .help = "stop tracing and the run at the first value above US; 0: never" },
	{ RT_OPT_FLAG, 0, "tracemark", .field = AT(tracemark), .is_ours = true,
	  .help = "with -b: write a trace marker, too" },

	RT_OPT_GROUP("Output"),
	{ RT_OPT_FLAG, 'q', "quiet", .field = AT(quiet), .help = "print only the result" },
	{ RT_OPT_FLAG, 'v', "verbose", .field = AT(verbose), .help = "print every value" },
	RT_OPT_INCLUDE(rt_rows_results, AT(results)),
	RT_OPT_END
};

const struct rt_opt_table sig_table = {
	.tool = "signaltest",
	.purpose = "measure how long a signal takes once around a ring of threads",
	.rows = rows,
	.help_letter = 'h',
};
