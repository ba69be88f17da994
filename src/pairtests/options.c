/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options that all hand-over tests have.
 */
#include "pairs.h"

#define MAX_US INT64_C(1000000000)
#define MAX_NS (MAX_US * RT_NS_PER_US)

const struct rt_opt pair_rows[] = {
	RT_OPT_GROUP("Pairs and CPUs"),
	{ RT_OPT_TEXT, 'a', "affinity", "CPUSET", PAIR_AT(affinity), PAIR_AT(is_pinned),
	  .is_optional = true,
	  .help = "pin pair n to the n-th CPU of CPUSET, or of all usable ones" },
	{ RT_OPT_TEXT, 0, "sender-affinity", "CPUSET", PAIR_AT(sender_affinity), .is_ours = true,
	  .help = "pin the sender of pair n to the n-th CPU of CPUSET instead" },
	{ RT_OPT_INT, 't', "threads", "N", PAIR_AT(threads), PAIR_AT(has_threads),
	  .is_optional = true, .min = 0, .max = 50000,
	  .help = "N pairs (1 if not given); one per usable CPU without N" },
	{ RT_OPT_FLAG, 'S', "smp", .field = PAIR_AT(smp),
	  .help = "one pair on each CPU, all at the same priority" },

	RT_OPT_GROUP("Time"),
	{ RT_OPT_TIME, 'i', "interval", "US", PAIR_AT(interval_ns), .unit_ns = RT_NS_PER_US,
	  .min = RT_NS_PER_US, .max = MAX_NS, .def = "1000",
	  .help = "pause of the first pair between two hand-overs" },
	{ RT_OPT_TIME, 'd', "distance", "US", PAIR_AT(distance_ns), .unit_ns = RT_NS_PER_US,
	  .min = 0, .max = MAX_NS, .def = "500", .help = "pair n's pause is n times this longer" },
	{ RT_OPT_INT, 'l', "loops", "N", PAIR_AT(loops), .min = 0, .max = INT64_MAX, .def = "0",
	  .help = "end when every pair has made N hand-overs; 0: endless" },
	{ RT_OPT_TIME, 'D', "duration", "TIME", PAIR_AT(duration_ns), .unit_ns = RT_NS_PER_S,
	  .units = RT_UNITS_DURATION, .min = 0, .max = INT64_MAX, .def = "0",
	  .help = "length of the run: seconds, or with m, h, d; 0: endless" },

	RT_OPT_GROUP("Scheduling"),
	{ RT_OPT_INT, 'p', "priority", "PRIO", PAIR_AT(priority), .min = 0, .max = RT_PRIORITY_MAX,
	  .def = "0",
	  .help = "SCHED_FIFO priority of the first pair, one less for each further; 0: none" },

	RT_OPT_GROUP("Threshold"),
	{ RT_OPT_SPAN, 'b', "breaktrace", "US", PAIR_AT(breaktrace),
	  .unit_ns = RT_NS_PER_US, .min = 0, .max = MAX_US,
	  .help = "stop tracing and the run at the first latency above US; 0: never" },
	{ RT_OPT_FLAG, 0, "tracemark", .field = PAIR_AT(tracemark), .is_ours = true,
	  .help = "with -b: write a trace marker, too" },

	RT_OPT_GROUP("Output"),
	{ RT_OPT_FLAG, 'q', "quiet", .field = PAIR_AT(quiet), .help = "print only the result" },
	RT_OPT_END
};
