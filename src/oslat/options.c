/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of oslat.
 */
#include <errno.h>
#include <string.h>

#include "oslat.h"

#define AT(field) offsetof(struct osl_opts, field)
#define BYTES_MAX (INT64_C(1) << 40)
#define BUCKETS_MIN 4
#define BUCKETS_MAX 1024
#define WIDTH_MAX_NS RT_NS_PER_S
#define THRESHOLD_MAX_US INT64_C(1000000000)

static int take_work(void *opts, const struct rt_opt *row RT_UNUSED, const char *text,
		     struct rt_err *err)
{
	struct osl_opts *o = opts;

	if (strcmp(text, "no") == 0)
		o->work = OSL_WORK_NO;
	else if (strcmp(text, "memmove") == 0)
		o->work = OSL_WORK_MEMMOVE;
	else
		return rt_err_set(err, RT_EXIT_USAGE, EINVAL,
				  "'%s' is not a workload; give no or memmove", text);
	return 0;
}

static const struct rt_opt rows[] = {
	RT_OPT_GROUP("CPUs"),
	{ RT_OPT_TEXT, 'c', "cpu-list", "LIST", AT(cpu_list),
	  .help = "CPUs to test, such as 1-3,8; all usable ones if not given" },
	{ RT_OPT_INT, 'C', "cpu-main-thread", "CPU", AT(main_cpu), AT(has_main_cpu), .min = 0,
	  .max = INT32_MAX,
	  .help = "CPU of the main thread; the first usable one that is not tested" },
	{ RT_OPT_INT, 'f', "rtprio", "PRIO", AT(priority), .min = 1, .max = RT_PRIORITY_MAX,
	  .help = "test at this real-time priority, SCHED_FIFO" },

	RT_OPT_GROUP("Time"),
	{ RT_OPT_TIME, 'D', "duration", "TIME", AT(duration_ns), .unit_ns = RT_NS_PER_S,
	  .units = RT_UNITS_DURATION, .min = RT_NS_PER_MS, .max = INT64_C(100) * 365 * 86400 * RT_NS_PER_S,
	  .def = "1", .help = "length of the run: seconds, or with m, h, d" },
	{ RT_OPT_TIME, 0, "preheat", "TIME", AT(preheat_ns), .is_ours = true,
	  .unit_ns = RT_NS_PER_S, .units = RT_UNITS_DURATION, .min = 10 * RT_NS_PER_MS,
	  .max = 86400 * RT_NS_PER_S, .def = "1",
	  .help = "length of the run before it, which is thrown away" },
	{ RT_OPT_FLAG, 's', "single-preheat", .field = AT(single_preheat),
	  .help = "preheat only the first CPU" },

	RT_OPT_GROUP("Workload"),
	{ RT_OPT_CALL, 'w', "workload", "NAME", .call = take_work,
	  .help = "no (default) or memmove, done between two readings of the counter" },
	{ RT_OPT_SIZE, 'm', "workload-mem", "SIZE", AT(work_bytes), .min = 1, .max = BYTES_MAX,
	  .def = "16K", .help = "memory to move: bytes, or with k, m, g" },

	RT_OPT_GROUP("Buckets"),
	{ RT_OPT_INT, 'b', "bucket-size", "N", AT(buckets), AT(has_buckets), .min = BUCKETS_MIN,
	  .max = BUCKETS_MAX, .help = "number of buckets (32)" },
	{ RT_OPT_TIME, 'W', "bucket-width", "NS", AT(width_ns), .unit_ns = 1, .min = 1,
	  .max = WIDTH_MAX_NS, .def = "1000", .help = "width of a bucket, in nanoseconds" },
	{ RT_OPT_FLAG, 'B', "bias", .field = AT(bias),
	  .help = "count from the smallest gap of the preheat instead of from zero" },
	{ RT_OPT_FLAG, 'z', "zero-omit", .field = AT(zero_omit),
	  .help = "leave out rows of buckets that are empty on all CPUs" },

	RT_OPT_GROUP("Threshold"),
	{ RT_OPT_INT, 'T', "trace-threshold", "US", AT(threshold_us), .min = 1,
	  .max = THRESHOLD_MAX_US, .unit_text = "microseconds",
	  .help = "at the first gap of US or more: mark and stop the trace, end the run" },

	RT_OPT_INCLUDE(rt_rows_tracing_oslat, AT(tracing)),

	RT_OPT_GROUP("Output"),
	{ RT_OPT_FLAG, 'q', "quiet", .field = AT(quiet), .help = "print only the result" },
	{ RT_OPT_FLAG, 'v', .alias_of = "version", .is_hidden = true },
	RT_OPT_INCLUDE(rt_rows_results, AT(results)),
	RT_OPT_END
};

const struct rt_opt_table osl_table = {
	.tool = "oslat",
	.purpose = "find what interrupts a busy loop on each CPU",
	.rows = rows,
	.help_letter = 'h',
};
