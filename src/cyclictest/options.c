/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of cyclictest.
 */
#include <errno.h>

#include "cyclictest.h"

#define AT(field) offsetof(struct cyc_opts, field)
#define MAX_US INT64_C(1000000000)
#define MAX_NS (MAX_US * RT_NS_PER_US)

static int take_clock(void *opts, const struct rt_opt *row RT_UNUSED, const char *text,
		      struct rt_err *err)
{
	return rt_clock_parse(&((struct cyc_opts *)opts)->clock, text, err);
}

static int take_policy(void *opts, const struct rt_opt *row RT_UNUSED, const char *text,
		       struct rt_err *err)
{
	struct cyc_opts *o = opts;
	int status = rt_policy_parse(&o->policy, text, err);

	if (!status && o->policy == RT_POLICY_DEADLINE)
		return rt_err_set(err, RT_EXIT_USAGE, EINVAL,
				  "'%s' is measured by cyclicdeadline; give other, batch, idle, "
				  "fifo or rr", text);
	o->has_policy = true;
	return status;
}

/* -h and -H fill the same field: the last one wins, with its sum column or without. */
static int take_histogram(void *opts, const struct rt_opt *row, const char *text,
			  struct rt_err *err)
{
	struct cyc_opts *o = opts;
	struct rt_span span;

	if (rt_parse_span(&span, text) || span.value < 1)
		return rt_err_set(err, RT_EXIT_USAGE, EINVAL,
				  "'%s' is not a number of buckets; give 1 to %d, or a time such "
				  "as 400us", text, RT_LINEAR_MAX);
	o->histogram = span;
	o->has_histogram = true;
	o->histofall = row->letter == 'H';
	return 0;
}

#define NO_OP(letter_, name_) { RT_OPT_IGNORED, letter_, name_, .is_hidden = true }

static const struct rt_opt rows[] = {
	RT_OPT_GROUP("Threads and CPUs"),
	{ RT_OPT_TEXT, 'a', "affinity", "CPUSET", AT(affinity), AT(is_pinned), .is_optional = true,
	  .help = "pin thread n to the n-th CPU of CPUSET, or of all usable ones" },
	{ RT_OPT_INT, 't', "threads", "N", AT(threads), AT(has_threads), .is_optional = true,
	  .min = 0, .max = 100000,
	  .help = "N threads (1 if not given); one per usable CPU without N" },
	{ RT_OPT_FLAG, 'S', "smp", .field = AT(smp),
	  .help = "one thread on each CPU: -t -a, without NUMA placement" },
	{ RT_OPT_TEXT, 0, "mainaffinity", "CPUSET", AT(main_affinity), .may_be_empty = true,
	  .help = "run the main thread on CPUSET" },

	RT_OPT_GROUP("Time"),
	{ RT_OPT_TIME, 'i', "interval", "US", AT(interval_ns), .unit_ns = RT_NS_PER_US,
	  .min = RT_NS_PER_US, .max = MAX_NS, .def = "1000", .help = "base interval of the threads" },
	{ RT_OPT_TIME, 'd', "distance", "US", AT(distance_ns), AT(has_distance),
	  .unit_ns = RT_NS_PER_US, .min = 0, .max = MAX_NS, .def = "500",
	  .help = "thread n's interval is n times this longer; 0 with a histogram" },
	{ RT_OPT_INT, 'l', "loops", "N", AT(loops), .min = 0, .max = INT64_MAX, .def = "0",
	  .help = "end when a thread has done N cycles; 0: endless" },
	{ RT_OPT_TIME, 'D', "duration", "TIME", AT(duration_ns), .unit_ns = RT_NS_PER_S,
	  .units = RT_UNITS_DURATION, .min = 0, .max = INT64_MAX, .def = "0",
	  .help = "length of the run: seconds, or with m, h, d; 0: endless" },
	{ RT_OPT_TIME, 'A', "aligned", "US", AT(aligned_ns), AT(is_aligned), .is_optional = true,
	  .unit_ns = RT_NS_PER_US, .min = 0, .max = MAX_NS,
	  .help = "start all threads together, each US later than the one before" },
	{ RT_OPT_TIME, 0, "secaligned", "US", AT(secaligned_ns), AT(is_secaligned),
	  .is_optional = true, .unit_ns = RT_NS_PER_US, .min = 0, .max = MAX_NS,
	  .help = "start all threads at the next full second, plus US" },
	{ RT_OPT_CALL, 'c', "clock", "CLOCK", .call = take_clock,
	  .help = "monotonic (default), realtime, tai, boottime, aux0-aux7, 0, 1" },
	{ RT_OPT_FLAG, 'r', "relative", .field = AT(relative),
	  .help = "sleep relative to now instead of until a time" },
	{ RT_OPT_FLAG, 's', "system", .field = AT(system),
	  .help = "sleep with nanosleep(2), always relative" },
	{ RT_OPT_FLAG, 'x', "posix_timers", .field = AT(posix_timers),
	  .help = "wait for a POSIX interval timer instead of sleeping" },

	RT_OPT_GROUP("Scheduling"),
	{ RT_OPT_INT, 'p', "priority", "PRIO", AT(priority), AT(has_priority), .min = 0,
	  .max = RT_PRIORITY_MAX, .help = "real-time priority of all threads, SCHED_FIFO" },
	RT_OPT_ALIAS("prio", "priority"),
	RT_OPT_ALIAS("thread", "threads"),
	{ RT_OPT_CALL, 0, "policy", "NAME", .call = take_policy,
	  .help = "other, batch, idle, fifo or rr" },
	{ RT_OPT_FLAG, 0, "priospread", .field = AT(priospread),
	  .help = "each thread one priority lower than the one before" },

	RT_OPT_GROUP("System"),
	{ RT_OPT_FLAG, 'm', "mlockall", .field = AT(mlockall),
	  .help = "lock current and future memory" },
	{ RT_OPT_INT, 0, "latency", "PM_QOS", AT(latency_us), .min = 0, .max = INT32_MAX,
	  .def = "0", .unit_text = "microseconds",
	  .help = "wake-up latency asked of PM QoS (/dev/cpu_dma_latency), in us" },
	{ RT_OPT_FLAG, 0, "default-system", .field = AT(default_system),
	  .help = "ask nothing of PM QoS: measure the system as it is" },
	{ RT_OPT_FLAG, 0, "laptop", .field = AT(laptop),
	  .help = "ask nothing of PM QoS: save battery power" },
	{ RT_OPT_INT, 0, "deepest-idle-state", "N", AT(deepest_idle_state),
	  AT(has_deepest_idle_state), .min = -1, .max = 64,
	  .help = "disable idle states deeper than N on the measured CPUs; -1: all" },
	{ RT_OPT_FLAG, 0, "smi", .field = AT(smi),
	  .help = "count System Management Interrupts on each thread's CPU" },

	RT_OPT_GROUP("Histogram"),
	{ RT_OPT_CALL, 'h', "histogram", "US", .call = take_histogram,
	  .help = "print a histogram of US one-unit buckets at the end" },
	{ RT_OPT_CALL, 'H', "histofall", "US", .call = take_histogram,
	  .help = "the same with a column for the sum over all threads" },
	{ RT_OPT_TEXT, 0, "histfile", "FILE", AT(histfile),
	  .help = "write the histogram to FILE instead of stdout" },
	{ RT_OPT_FLAG, 0, "zero-rows", .field = AT(zero_rows), .is_ours = true,
	  .help = "print rows in which no thread has a sample, too" },

	RT_OPT_GROUP("Threshold"),
	{ RT_OPT_SPAN, 'b', "breaktrace", "US", AT(breaktrace), AT(has_breaktrace), .min = 1,
	  .max = MAX_NS, .help = "end the run at the first latency above US" },
	{ RT_OPT_FLAG, 0, "tracemark", .field = AT(tracemark),
	  .help = "with -b: write a trace marker and leave tracing switched off" },
	{ RT_OPT_SPAN, 0, "spike", "US", AT(spike), AT(has_spike), .min = 1, .max = MAX_NS,
	  .help = "keep the samples above US and list them at the end" },
	{ RT_OPT_INT, 0, "spike-nodes", "N", AT(spike_nodes), .min = 1, .max = 1000000,
	  .def = "1024", .help = "how many of them are kept at most" },
	RT_OPT_INCLUDE(rt_rows_tracing, AT(tracing)),

	RT_OPT_GROUP("Output"),
	{ RT_OPT_FLAG, 'N', "nsecs", .field = AT(nsecs),
	  .help = "show nanoseconds; bare -b, -h, --spike, --limit are in ns too" },
	{ RT_OPT_FLAG, 'q', "quiet", .field = AT(quiet), .help = "print only the result" },
	{ RT_OPT_FLAG, 'v', "verbose", .field = AT(verbose), .help = "print every sample" },
	{ RT_OPT_INT, 'o', "oscope", "RED", AT(oscope), .min = 1, .max = 1000000, .def = "1",
	  .help = "with -v: print only the largest of RED samples" },
	{ RT_OPT_FLAG, 'M', "refresh_on_max", .field = AT(refresh_on_max),
	  .help = "redraw only when a thread has a new maximum" },
	{ RT_OPT_FLAG, 'u', "unbuffered", .field = AT(unbuffered), .help = "do not buffer stdout" },
	{ RT_OPT_TEXT, 'F', "fifo", "PATH", AT(fifo),
	  .help = "offer the status lines at a named pipe" },
	{ RT_OPT_FLAG, 'R', "resolution", .field = AT(resolution),
	  .help = "check the resolution of the clock first" },
	{ RT_OPT_FLAG, 0, "dbg_cyclictest", .field = AT(debug),
	  .help = "with -R: list the readings of the clock on stderr" },
	RT_OPT_INCLUDE(rt_rows_results, AT(results)),

	NO_OP('n', "nanosleep"),
	NO_OP('U', "numa"),
	NO_OP(0, "notrace"),
	RT_OPT_END
};

static const char *const exclusive[] = { "aligned secaligned", NULL };

const struct rt_opt_table cyc_table = {
	.tool = "cyclictest",
	.purpose = "measure how late threads wake up",
	.rows = rows,
	.exclusive = exclusive,
};
