/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options_groups - rows that several tools share.
 */
#include "rt/json.h"
#include "rt/options.h"

#define RESULTS(member, type) .field = RT_FIELD(struct rt_opts_results, member, type)

/* A checkpoint is a file that is written again; more than a day apart it is none. */
#define CHECKPOINT_MAX (24 * 3600 * RT_NS_PER_S)

/* Days, in microseconds; it fits 64 bits as nanoseconds too. */
#define LIMIT_MAX INT64_C(1000000000000)

#define ROW_JSON                                                                                \
	{ RT_OPT_TEXT, .name = "json", .arg = "FILE", RESULTS(json, const char *),              \
	  .may_be_empty = true,                                                                 \
	  .help = "write the results as JSON in the layout of rt-tests; '-' is stdout" RT_JSON_NOTE }
#define ROW_RESULT                                                                              \
	{ RT_OPT_TEXT, .name = "result", .arg = "FILE", RESULTS(result, const char *),          \
	  .is_ours = true,                                                                      \
	  .help = "write the complete result as JSON, in nanoseconds; '-' is stdout" RT_JSON_NOTE }

const struct rt_opt rt_rows_documents[] = {
	RT_OPT_GROUP("Results"),
	ROW_JSON,
	ROW_RESULT,
	RT_OPT_END
};

const struct rt_opt rt_rows_results[] = {
	RT_OPT_GROUP("Results"),
	ROW_JSON,
	ROW_RESULT,
	{ RT_OPT_TIME, .name = "checkpoint", .arg = "SECONDS", RESULTS(checkpoint_ns, int64_t),
	  .is_ours = true, .unit_ns = RT_NS_PER_S, .units = RT_UNITS_DURATION,
	  .min = RT_NS_PER_S, .max = CHECKPOINT_MAX,
	  .help = "rewrite these files every SECONDS while the run goes on" RT_JSON_NOTE },
	{ RT_OPT_TEXT, .name = "samples", .arg = "FILE", RESULTS(samples, const char *),
	  .is_ours = true, .help = "write every sample to FILE" RT_JSON_NOTE },
	{ RT_OPT_SPAN, .name = "limit", .arg = "US", RESULTS(limit, struct rt_span),
	  .given = offsetof(struct rt_opts_results, has_limit), .is_ours = true,
	  .unit_ns = RT_NS_PER_US, .min = 1, .max = LIMIT_MAX,
	  .help = "end with status 3 if a latency was above US; the run is not stopped" },
	{ RT_OPT_FLAG, .name = "percentiles", RESULTS(percentiles, bool), .is_ours = true,
	  .help = "print the 50th to 99.999th percentile of each thread" },
	{ RT_OPT_TEXT, .name = "load", .arg = "COMMAND", RESULTS(load, const char *),
	  .is_ours = true, .help = "run COMMAND by the shell during the measurement" },
	RT_OPT_END
};

int rt_opts_settle(int64_t *ret, const char *name, const struct rt_span *span, bool is_given,
		   int64_t unit_ns, struct rt_err *err)
{
	char text[RT_TIME_TEXT_MAX];
	int64_t ns;

	if (!is_given)
		return 0;
	if (rt_span_ns(&ns, span, unit_ns))
		return rt_opts_refuse(err, name, "'%lld' is too large", (long long)span->value);
	if (ns / unit_ns < 1)
		return rt_opts_refuse(err, name, "'%s' is less than one %s; give 1 or more",
				      rt_format_time(text, sizeof(text), ns),
				      unit_ns == 1 ? "nanosecond" : "microsecond");
	*ret = ns / unit_ns;
	return 0;
}
