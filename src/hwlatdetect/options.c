/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of hwlatdetect.
 */
#include <errno.h>
#include <string.h>

#include "hwlat.h"

#define AT(field) offsetof(struct hwl_opts, field)
#define HOUR_NS (3600 * RT_NS_PER_S)
#define YEARS_NS (100 * 366 * 24 * HOUR_NS)

static const char *const modes[] = {
	[HWL_MODE_NONE] = "none",
	[HWL_MODE_ROUND_ROBIN] = "round-robin",
	[HWL_MODE_PER_CPU] = "per-cpu",
};

const char *hwl_mode_name(enum hwl_mode mode)
{
	return modes[mode];
}

static int take_mode(void *opts, const struct rt_opt *row RT_UNUSED, const char *text,
		     struct rt_err *err)
{
	struct hwl_opts *o = opts;

	for (size_t i = 0; i < RT_ARRAY_SIZE(modes); i++) {
		if (strcmp(text, modes[i]) != 0)
			continue;
		o->mode = (enum hwl_mode)i;
		o->has_mode = true;
		return 0;
	}
	return rt_err_set(err, RT_EXIT_USAGE, EINVAL,
			  "'%s' is not a mode; give round-robin, per-cpu or none", text);
}

static const struct rt_opt rows[] = {
	RT_OPT_GROUP("Detection"),
	{ RT_OPT_TIME, 0, "duration", "TIME", AT(duration_ns), .unit_ns = RT_NS_PER_S,
	  .units = RT_UNITS_WEEKS, .min = RT_NS_PER_MS, .max = YEARS_NS, .def = "120",
	  .help = "length of the run: seconds, or with m, h, d, w" },
	{ RT_OPT_TIME, 0, "threshold", "US", AT(threshold_ns), AT(has_threshold),
	  .unit_ns = RT_NS_PER_US, .min = RT_NS_PER_US, .max = HOUR_NS,
	  .help = "gaps above this are samples; the kernel's setting if not given" },
	{ RT_OPT_TIME, 0, "hardlimit", "US", AT(hardlimit_ns), AT(has_hardlimit),
	  .unit_ns = RT_NS_PER_US, .min = 0, .max = HOUR_NS,
	  .help = "end with status 1 if the largest is above this; the threshold if not given" },
	{ RT_OPT_TIME, 0, "window", "US", AT(window_ns), AT(has_window), .unit_ns = RT_NS_PER_US,
	  .min = 2 * RT_NS_PER_US, .max = HOUR_NS, .help = "how often the detector looks" },
	{ RT_OPT_TIME, 0, "width", "US", AT(width_ns), AT(has_width), .unit_ns = RT_NS_PER_US,
	  .min = RT_NS_PER_US, .max = HOUR_NS,
	  .help = "how long of each window it looks; less than the window" },
	{ RT_OPT_TEXT, 0, "cpu-list", "LIST", AT(cpu_list), .help = "look on these CPUs, such as 1-3,8" },
	{ RT_OPT_CALL, 0, "mode", "MODE", .call = take_mode, .is_ours = true,
	  .help = "round-robin: one CPU after the other; per-cpu: all at once; none: as it falls" },
	{ RT_OPT_FLAG, 0, "user", .field = AT(user), .is_ours = true,
	  .help = "without the kernel's tracer: poll in user space, which sees interrupts, too" },

	RT_OPT_GROUP("Output"),
	{ RT_OPT_TEXT, 0, "report", "FILE", AT(report), .help = "write the samples to FILE, too" },
	{ RT_OPT_FLAG, 0, "watch", .field = AT(watch), .help = "print samples as they come" },
	{ RT_OPT_TEXT, 0, "time-format", "FORMAT", AT(time_format),
	  .help = "print times by strftime(3); %n is the nanoseconds" },
	{ RT_OPT_FLAG, 0, "quiet", .field = AT(quiet), .help = "print nothing but errors" },
	{ RT_OPT_FLAG, 0, "debug", .field = AT(debug), .help = "print what is done" },
	RT_OPT_INCLUDE(rt_rows_results, AT(results)),
	RT_OPT_END
};

const struct rt_opt_table hwl_table = {
	.tool = "hwlatdetect",
	.purpose = "find gaps that the hardware or the firmware makes",
	.rows = rows,
	.help_letter = 'h',
};
