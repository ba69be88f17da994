/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of queuelat, and what follows from it.
 */
#include <errno.h>

#include "queuelat.h"
#include "rt/log.h"

#define AT(field) offsetof(struct qlt_opts, field)
#define CYCLES_MAX INT64_C(1000000000)
#define QUEUE_MAX INT64_C(1000000000)
#define MHZ_MAX 1000000
#define MPPS_MAX 1000
#define LOOK_NS (50 * RT_NS_PER_MS)
#define APART_PERCENT 1 /* a frequency given that is wrong by more is worth a warning */

static int take_mhz(void *opts, const struct rt_opt *row RT_UNUSED, const char *text,
		    struct rt_err *err)
{
	struct qlt_opts *o = opts;

	if (rt_parse_double(&o->mhz, text, 0.001, MHZ_MAX))
		return rt_err_set(err, RT_EXIT_USAGE, EINVAL,
				  "'%s' is not a frequency; give MHz from 0.001 to %d", text, MHZ_MAX);
	o->has_mhz = true;
	return 0;
}

static int take_mpps(void *opts, const struct rt_opt *row RT_UNUSED, const char *text,
		     struct rt_err *err)
{
	struct qlt_opts *o = opts;

	if (rt_parse_double(&o->mpps, text, 0.000001, MPPS_MAX))
		return rt_err_set(err, RT_EXIT_USAGE, EINVAL,
				  "'%s' is not a rate; give million packets a second from 0.000001 "
				  "to %d", text, MPPS_MAX);
	o->has_mpps = true;
	return 0;
}

static const struct rt_opt rows[] = {
	RT_OPT_GROUP("Model"),
	{ RT_OPT_INT, 'c', "cycles", "N", AT(cycles), .min = 1, .max = CYCLES_MAX,
	  .help = "cycles that the service of a packet takes" },
	{ RT_OPT_TIME, 'm', "max-len", "NS", AT(max_len_ns), .unit_ns = 1, .min = 1,
	  .max = 100 * RT_NS_PER_S, .help = "latency that is allowed for a packet, in nanoseconds" },
	{ RT_OPT_CALL, 'p', "packets", "MPPS", .call = take_mpps,
	  .help = "million packets that arrive a second" },
	{ RT_OPT_CALL, 'f', "freq", "MHZ", .call = take_mhz,
	  .help = "frequency of the CPU's counter; measured if not given" },

	RT_OPT_GROUP("Run"),
	{ RT_OPT_TIME, 't', "timeout", "TIME", AT(timeout_ns), .unit_ns = RT_NS_PER_S,
	  .units = RT_UNITS_DURATION, .min = RT_NS_PER_MS, .max = INT64_C(1000000000) * RT_NS_PER_S,
	  .help = "end after this time: seconds, or with m, h, d; endless if not given" },
	{ RT_OPT_INT, 'q', "queue-len", "N", AT(queue_len), .min = 0, .max = QUEUE_MAX, .def = "0",
	  .help = "write trace markers while the queue is longer than N packets" },

	RT_OPT_GROUP("Search"),
	{ RT_OPT_FLAG, 0, "find-max", .field = AT(find_max), .is_ours = true,
	  .help = "find the greatest rate at which the queue never gets too long" },
	{ RT_OPT_TIME, 0, "run-time", "TIME", AT(run_ns), AT(has_run), .is_ours = true,
	  .unit_ns = RT_NS_PER_S, .units = RT_UNITS_DURATION, .min = RT_NS_PER_MS,
	  .max = 86400 * RT_NS_PER_S, .def = "30", .help = "how long a rate must hold in a run" },
	{ RT_OPT_TIME, 0, "confirm-time", "TIME", AT(confirm_ns), AT(has_confirm), .is_ours = true,
	  .unit_ns = RT_NS_PER_S, .units = RT_UNITS_DURATION, .min = RT_NS_PER_MS,
	  .max = 30 * 86400 * RT_NS_PER_S, .def = "600",
	  .help = "how long the rate found must hold in the end" },
	RT_OPT_INCLUDE(rt_rows_documents, AT(results)),
	RT_OPT_END
};

static const char *const exclusive[] = { "find-max packets", "find-max timeout", NULL };

const struct rt_opt_table qlt_table = {
	.tool = "queuelat",
	.purpose = "does a packet queue that is served by polling get too long?",
	.usage = "-c N -m NS {-p MPPS | --find-max} [options]",
	.rows = rows,
	.exclusive = exclusive,
	.help_letter = 'h',
};

uint64_t qlt_packets(int64_t ns, int64_t cycles, uint64_t hz)
{
	return (uint64_t)((long double)ns * (long double)hz / RT_NS_PER_S / (long double)cycles);
}

static int check_given(const struct qlt_opts *o, struct rt_err *err)
{
	const char *missing = !o->max_len_ns ? "max-len" : !o->cycles ? "cycles" :
			      !o->has_mpps && !o->find_max ? "packets" : NULL;

	if (missing)
		return rt_err_set(err, RT_EXIT_USAGE, EINVAL,
				  "--%s is missing: options -m, -c, and -p or --find-max are "
				  "required", missing);
	if (!o->find_max && (o->has_run || o->has_confirm))
		return rt_opts_refuse(err, o->has_run ? "run-time" : "confirm-time",
				      "only has a meaning with --find-max");
	return 0;
}

static int choose_frequency(struct qlt_plan *plan, struct rt_err *err)
{
	const struct qlt_opts *o = plan->opts;
	uint64_t hz = plan->measured_hz = rt_cycles_measure_hz(LOOK_NS);
	long double apart;

	if (hz < 1000)
		return rt_err_set(err, RT_EXIT_FAILED, EIO, "the CPU's counter (%s) stands still",
				  rt_cycles_name());
	if (o->has_mhz) {
		apart = (long double)o->mhz * 1e6L / (long double)hz;
		if (apart > 1 + APART_PERCENT / 100.0L || apart < 1 - APART_PERCENT / 100.0L)
			rt_warn("--freq: the counter (%s) runs at %.3f MHz, not at %.3f; all times "
				"are wrong by that", rt_cycles_name(), (double)hz / 1e6, o->mhz);
		hz = (uint64_t)(o->mhz * 1e6);
	}
	plan->scale = rt_cycles_scale(hz);
	return 0;
}

int qlt_plan_make(struct qlt_plan *plan, const struct qlt_opts *opts, int argc, char **argv,
		  struct rt_err *err)
{
	int status = check_given(opts, err);

	plan->opts = opts;
	plan->argc = argc;
	plan->argv = argv;
	qlt_report_plan(plan);
	if (!status)
		status = rt_results_check(&plan->results, err);
	if (!status)
		status = choose_frequency(plan, err);
	if (status)
		return status;
	plan->max_queue = qlt_packets(opts->max_len_ns, opts->cycles, plan->scale.hz);
	if (!qlt_packets(qlt_block_ns(opts), opts->cycles, plan->scale.hz))
		return rt_opts_refuse(err, "cycles",
				      "a packet of %lld cycles takes longer than a block, which "
				      "is half of --max-len and at most %d ns",
				      (long long)opts->cycles, QLT_BLOCK_MAX_NS);
	return 0;
}
