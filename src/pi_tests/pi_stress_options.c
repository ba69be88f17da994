/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of pi_stress.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pi_stress.h"

#define AT(field) offsetof(struct pis_opts, field)
#define MAX_GROUPS 10000
#define MAX_SECTION_NS (10 * RT_NS_PER_MS)

/* ---- --sched ----------------------------------------------------------------------- */

#define GOOD_IDS "high, med or low"

static int take_id(int *ret, const char *text, struct rt_err *err)
{
	static const char *const ids[PIS_ROLES] = { "low", "med", "high" };

	for (int i = 0; i < PIS_ROLES; i++) {
		if (strcmp(text, ids[i]) == 0) {
			*ret = i;
			return 0;
		}
	}
	return rt_err_set(err, RT_EXIT_USAGE, EINVAL,
			  "id '%s' is no thread of a group; give " GOOD_IDS, text);
}

static int take_number(int64_t *ret, const char *key, const char *text, int64_t min, int64_t max,
		       struct rt_err *err)
{
	if (rt_parse_int(ret, text, min, max))
		return rt_err_set(err, RT_EXIT_USAGE, EINVAL,
				  "%s '%s' is not a number from %lld to %lld", key, text,
				  (long long)min, (long long)max);
	return 0;
}

static int take_time(int64_t *ret, const char *key, const char *text, struct rt_err *err)
{
	if (rt_parse_time(ret, text, 1, RT_UNITS_FINE, 1, INT64_MAX))
		return rt_err_set(err, RT_EXIT_USAGE, EINVAL,
				  "%s '%s' is not a time; give nanoseconds from 1 up, or a unit as "
				  "in 200us", key, text);
	return 0;
}

static int take_key(struct pis_sched_opts *o, int *id, const char *key, const char *text,
		    struct rt_err *err)
{
	if (strcmp(key, "id") == 0)
		return take_id(id, text, err);
	if (strcmp(key, "policy") == 0) {
		o->has_policy = true;
		return rt_policy_parse(&o->policy, text, err);
	}
	if (strcmp(key, "priority") == 0) {
		o->has_priority = true;
		return take_number(&o->priority, key, text, 0, RT_PRIORITY_MAX, err);
	}
	if (strcmp(key, "nice") == 0) {
		o->has_nice = true;
		return take_number(&o->nice, key, text, -20, 19, err);
	}
	if (strcmp(key, "runtime") == 0)
		return take_time(&o->runtime_ns, key, text, err);
	if (strcmp(key, "deadline") == 0)
		return take_time(&o->deadline_ns, key, text, err);
	if (strcmp(key, "period") == 0)
		return take_time(&o->period_ns, key, text, err);
	return rt_err_set(err, RT_EXIT_USAGE, EINVAL,
			  "'%s' is not known; give id, policy, priority, nice, runtime, deadline "
			  "or period", key);
}

int pis_sched_parse(struct pis_sched_opts sched[PIS_ROLES], const char *text, struct rt_err *err)
{
	rt_auto_free char *copy = strdup(text);
	struct pis_sched_opts o = { .is_given = true };
	char *rest = copy;
	int id = -1;

	if (!copy)
		return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "no memory");
	for (char *key; (key = strsep(&rest, ",")) != NULL;) {
		char *value = strchr(key, '=');
		int status;

		if (!value)
			return rt_err_set(err, RT_EXIT_USAGE, EINVAL,
					  "'%s' is not of the form key=value; give a list such as "
					  "id=high,policy=fifo,priority=3", key);
		*value++ = '\0';
		status = take_key(&o, &id, key, value, err);
		if (status)
			return status;
	}
	if (id < 0)
		return rt_err_set(err, RT_EXIT_USAGE, EINVAL,
				  "'%s' does not say which thread; give id=" GOOD_IDS " in it",
				  text);
	sched[id] = o;
	return 0;
}

static int take_sched(void *opts, const struct rt_opt *row RT_UNUSED, const char *text,
		      struct rt_err *err)
{
	return pis_sched_parse(((struct pis_opts *)opts)->sched, text, err);
}

/* ---- the table ------------------------------------------------------------------------ */

static const struct rt_opt rows[] = {
	RT_OPT_GROUP("Test"),
	{ RT_OPT_INT, 'g', "groups", "N", AT(groups), AT(has_groups), .min = 1, .max = MAX_GROUPS,
	  .help = "number of groups of three threads; one per CPU but the first if not given" },
	{ RT_OPT_INT, 'i', "inversions", "INV", AT(inversions), .min = INT32_MIN, .max = INT64_MAX,
	  .def = "0", .help = "end a group after INV inversions; 0 or less: endless" },
	{ RT_OPT_TIME, 'D', "duration", "TIME", AT(duration_ns), .unit_ns = RT_NS_PER_S,
	  .units = RT_UNITS_DURATION, .min = 0, .max = INT64_MAX, .def = "0",
	  .help = "length of the run: seconds, or with m, h, d; 0: endless" },
	{ RT_OPT_FLAG, 0, "no-pi", .field = AT(no_pi), .is_ours = true,
	  .help = "without priority inheritance, one group: show that the test fails" },
	{ RT_OPT_TIME, 0, "section", "US", AT(section_ns), .is_ours = true, .unit_ns = RT_NS_PER_US,
	  .min = 0, .max = MAX_SECTION_NS, .def = "0",
	  .help = "how long the low thread works while it holds the mutex" },
	{ RT_OPT_TIME, 0, "watchdog", "SECONDS", AT(watchdog_ns), .is_ours = true,
	  .unit_ns = RT_NS_PER_S, .units = RT_UNITS_DURATION, .min = 100 * RT_NS_PER_MS,
	  .max = 60 * RT_NS_PER_S, .def = "3750ms",
	  .help = "fail if a group makes no pass for so long" },

	RT_OPT_GROUP("Scheduling"),
	{ RT_OPT_FLAG, 'r', "rr", .field = AT(rr), .help = "SCHED_RR instead of SCHED_FIFO" },
	{ RT_OPT_CALL, 's', "sched", "OPTS", .call = take_sched,
	  .unit_text = "a list such as id=high,policy=fifo,priority=3",
	  .help = "for one thread of each group: id=[high|med|low], policy=[fifo|rr|deadline|other|"
		  "batch|idle], priority=N, nice=N, runtime=NS, deadline=NS, period=NS, joined by "
		  "commas" },
	{ RT_OPT_FLAG, 'u', "uniprocessor", .field = AT(uniprocessor),
	  .help = "run all threads on one CPU" },

	RT_OPT_GROUP("System"),
	{ RT_OPT_FLAG, 'm', "mlockall", .field = AT(mlockall),
	  .help = "lock current and future memory" },

	RT_OPT_GROUP("Output"),
	{ RT_OPT_FLAG, 'p', "prompt", .field = AT(prompt),
	  .help = "wait for Return before the test starts" },
	{ RT_OPT_FLAG, 'q', "quiet", .field = AT(noise), .value = PIS_QUIET,
	  .help = "print only the result" },
	{ RT_OPT_FLAG, 'v', "verbose", .field = AT(noise), .value = PIS_VERBOSE,
	  .help = "tell what is done, on stderr" },
	{ RT_OPT_FLAG, 'd', "debug", .field = AT(debug),
	  .help = "print each step of each thread on stderr" },
	{ RT_OPT_SPAN, 0, "histogram", "US", AT(histogram), AT(has_histogram), .is_ours = true,
	  .min = 1, .max = INT64_MAX,
	  .help = "print a histogram of the blocking times in US one-unit buckets" },
	{ RT_OPT_FLAG, 0, "nsecs", .field = AT(nsecs), .is_ours = true,
	  .help = "show nanoseconds; bare --histogram and --limit are in ns too" },
	{ RT_OPT_FLAG, 'V', .alias_of = "version" },
	RT_OPT_INCLUDE(rt_rows_results, AT(results)),
	RT_OPT_END
};

const struct rt_opt_table pis_table = {
	.tool = "pi_stress",
	.purpose = "stress mutexes with priority inheritance, one inversion a pass",
	.rows = rows,
	.help_letter = 'h',
	.version_text = "pi_stress v" RT_VERSION,
};
