/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of cyclicdeadline.
 */
#include "cyclicdeadline.h"

#define AT(field) offsetof(struct cdl_opts, field)
#define MAX_NS (INT64_C(1000000000) * RT_NS_PER_US)

static const struct rt_opt rows[] = {
	RT_OPT_GROUP("Threads and CPUs"),
	{ RT_OPT_TEXT, 'a', "affinity", "CPUSET", AT(places.list), AT(places.is_given),
	  .is_optional = true,
	  .help = "run on CPUSET, set apart if it is a part of the CPUs; one thread a CPU" },
	{ RT_OPT_FLAG, 'c', .alias_of = "affinity", .is_hidden = true },
	{ RT_OPT_INT, 't', "threads", "N", AT(threads), AT(has_threads), .is_optional = true,
	  .min = 0, .max = 100000,
	  .help = "N threads (1, with -a one per CPU); one per CPU without N" },
	RT_OPT_ALIAS("thread", "threads"),
	RT_OPT_INCLUDE(dl_rows_partition, AT(places)),

	RT_OPT_GROUP("Reservation"),
	{ RT_OPT_TIME, 'i', "interval", "US", AT(interval_ns), AT(has_interval),
	  .unit_ns = RT_NS_PER_US, .min = RT_NS_PER_US, .max = MAX_NS, .def = "1000",
	  .help = "period and deadline of thread 0" },
	{ RT_OPT_TIME, 's', "step", "US", AT(step_ns), AT(has_step), .unit_ns = RT_NS_PER_US,
	  .min = 0, .max = MAX_NS, .def = "500",
	  .help = "each thread's period is this longer than the one before" },
	{ RT_OPT_TEXT, 0, "period", "US[,US...]", AT(periods), .is_ours = true,
	  .help = "periods: one for all threads, or one for each" },
	{ RT_OPT_TEXT, 0, "deadline", "US[,US...]", AT(deadlines), .is_ours = true,
	  .help = "deadlines, the same way; the period if not given" },
	{ RT_OPT_TEXT, 0, "runtime", "US[,US...]", AT(runtimes), .is_ours = true,
	  .help = "runtimes, the same way; 60 % of the deadline, less on few CPUs, if not given" },
	{ RT_OPT_FLAG, 0, "reclaim", .field = AT(reclaim), .is_ours = true,
	  .help = "let threads use bandwidth that others leave (SCHED_FLAG_RECLAIM)" },
	{ RT_OPT_FLAG, 0, "overrun", .field = AT(overrun), .is_ours = true,
	  .help = "count runtimes that were overrun (SCHED_FLAG_DL_OVERRUN)" },
	{ RT_OPT_FLAG, 0, "hrtick", .field = AT(hrtick), .is_ours = true,
	  .help = "end runtimes by a timer, not by the tick: HRTICK on during the run" },

	RT_OPT_GROUP("Time"),
	{ RT_OPT_TIME, 'D', "duration", "TIME", AT(duration_ns), .unit_ns = RT_NS_PER_S,
	  .units = RT_UNITS_DURATION, .min = 0, .max = INT64_MAX, .def = "0",
	  .help = "length of the run: seconds, or with m, h, d; 0: endless" },

	RT_OPT_GROUP("Histogram"),
	{ RT_OPT_SPAN, 0, "histogram", "US", AT(histogram), AT(has_histogram), .min = 1,
	  .max = RT_LINEAR_MAX, .help = "print a histogram of US one-unit buckets at the end" },
	{ RT_OPT_TEXT, 0, "histfile", "FILE", AT(histfile),
	  .help = "write the histogram to FILE instead of stdout" },
	{ RT_OPT_FLAG, 0, "zero-rows", .field = AT(zero_rows), .is_ours = true,
	  .help = "print rows in which no thread has a sample, too" },

	RT_OPT_GROUP("Threshold"),
	{ RT_OPT_SPAN, 'b', "breaktrace", "US", AT(breaktrace), AT(has_breaktrace), .min = 1,
	  .max = MAX_NS, .help = "end the run at the first latency above US" },
	{ RT_OPT_FLAG, 0, "tracemark", .field = AT(tracemark),
	  .help = "with -b: write a trace marker and leave tracing switched off" },
	{ RT_OPT_INT, 0, "limit-missed", "N", AT(limit_missed), AT(has_limit_missed),
	  .is_ours = true, .min = 0, .max = INT64_MAX,
	  .help = "end with status 3 if deadlines and periods missed are more than N" },

	RT_OPT_INCLUDE(rt_rows_tracing_long, AT(tracing)),

	RT_OPT_GROUP("Output"),
	{ RT_OPT_FLAG, 'N', "nsecs", .field = AT(nsecs), .is_ours = true,
	  .help = "show nanoseconds; bare -b, --histogram, --limit are in ns too" },
	{ RT_OPT_FLAG, 'q', "quiet", .field = AT(quiet), .help = "print only the result" },
	{ RT_OPT_FLAG, 0, "verbose", .field = AT(verbose),
	  .help = "say on stderr what is reserved and where" },
	{ RT_OPT_FLAG, 0, "debug", .field = AT(debug), .help = "say even more" },
	RT_OPT_INCLUDE(rt_rows_results, AT(results)),
	RT_OPT_END
};

static const char *const exclusive[] = { "interval period", "step period", NULL };

const struct rt_opt_table cdl_table = {
	.tool = "cyclicdeadline",
	.purpose = "measure how late SCHED_DEADLINE threads get their periods",
	.rows = rows,
	.exclusive = exclusive,
	.help_letter = 'h',
};
