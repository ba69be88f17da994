/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What ssdd says: its header, the verdict, and documents.
 */
#include <stdio.h>
#include <unistd.h>

#include "rt/json.h"
#include "ssdd.h"

static struct json_object *failure_json(const struct ssdd_session *s, unsigned int i)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "pair", json_object_new_int64(i));
	json_object_object_add(o, "steps", json_object_new_int64(
				       (int64_t)atomic_load(&s->pairs[i].steps)));
	json_object_object_add(o, "reason", json_object_new_string(s->pairs[i].text));
	return o;
}

static void fill_result(struct json_object *own, void *data)
{
	const struct ssdd_session *s = data;
	struct json_object *failures = json_object_new_array();
	int64_t steps = 0;

	for (unsigned int i = 0; i < s->made; i++) {
		steps += (int64_t)atomic_load(&s->pairs[i].steps);
		if (atomic_load(&s->pairs[i].has_failed))
			json_object_array_add(failures, failure_json(s, i));
	}
	json_object_object_add(own, "forks", json_object_new_int64(s->opts->forks));
	json_object_object_add(own, "iters", json_object_new_int64(s->opts->iters));
	json_object_object_add(own, "steps", json_object_new_int64(steps));
	json_object_object_add(own, "ended", json_object_new_int64(s->left));
	json_object_object_add(own, "failed", json_object_new_int64(s->failed));
	json_object_object_add(own, "failures", failures);
}

/* --json has the envelope alone */
void ssdd_report_plan(struct ssdd_session *s)
{
	s->results_plan = (struct rt_results_plan){
		.opts = &s->opts->results,
		.tool = "ssdd",
		.argc = s->argc,
		.argv = s->argv,
		.clock = CLOCK_MONOTONIC,
		.unit_ns = RT_NS_PER_US,
		.fill_result = fill_result,
		.data = s,
	};
}

void ssdd_report_header(struct ssdd_session *s)
{
	if (!s->opts->quiet)
		fprintf(s->rt.results.out, "#main : %d\n#forks: %lld\n#steps: %lld\n\n",
			(int)getpid(), (long long)s->opts->forks, (long long)s->opts->iters);
	fflush(s->rt.results.out); /* the tracers write to the same file */
}

/* A run that was interrupted has no verdict. */
int ssdd_report(struct ssdd_session *s, int exit_status, struct rt_err *err)
{
	rt_results_take(&s->rt.results);
	exit_status = rt_results_write(&s->rt.results, exit_status, err);
	if (s->failed)
		fputs("One or more tests FAILED.\n", s->rt.results.out);
	else if (s->left == s->opts->forks)
		fputs("All tests PASSED.\n", s->rt.results.out);
	fflush(s->rt.results.out);
	return exit_status;
}
