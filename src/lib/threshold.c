/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rt/threshold.h"

#include <string.h>

#include "rt/log.h"

int64_t rt_limit_from_ns(int64_t limit, int64_t unit_ns)
{
	int64_t from_ns;

	if (limit <= 0 || limit == INT64_MAX)
		return INT64_MAX;
	if (__builtin_mul_overflow(limit + 1, unit_ns, &from_ns))
		return INT64_MAX;
	return from_ns;
}

void rt_threshold_init(struct rt_threshold *t, int64_t limit, int64_t unit_ns)
{
	*t = (struct rt_threshold){
		.from_ns = rt_limit_from_ns(limit, unit_ns),
		.limit = limit,
		.mark = RT_TRACE_MARK_CLOSED,
	};
}

void rt_threshold_hit(struct rt_threshold *t, struct rt_run *run, unsigned int series, pid_t tid,
		      int64_t value, int64_t at_ns)
{
	if (atomic_exchange_explicit(&t->is_claimed, true, memory_order_relaxed))
		return;
	/* first of all, so that little else gets into the trace behind the sample */
	if (t->mark.marker_fd >= 0 || t->mark.switch_fd >= 0)
		t->mark_error = rt_trace_mark_hit(&t->mark, value, t->limit);
	t->series = series;
	t->tid = tid;
	t->value = value;
	t->at_ns = at_ns;
	atomic_store_explicit(&t->is_taken, true, memory_order_release);
	rt_run_end(run, RT_ENDED_THRESHOLD);
}

int rt_threshold_trace(struct rt_threshold *t, bool with_mark, struct rt_err *err)
{
	struct rt_err refused = { 0 };
	int status;

	if (t->from_ns == INT64_MAX)
		return 0;
	if (!with_mark) {
		if (rt_trace_switch_open(&t->mark, &refused))
			rt_warn_err(&refused);
		return 0;
	}
	status = rt_trace_mark_open(&t->mark, err);
	if (status == 1)
		rt_warn("tracing is switched off: the break will leave no mark in the trace");
	return status < 0 ? status : 0;
}

void rt_threshold_tell(const struct rt_threshold *t)
{
	if (!atomic_load(&t->is_taken))
		return;
	if (t->mark_error)
		rt_warn("the break could not stop or mark the trace: %s",
			strerror(-t->mark_error));
	else if (t->mark.switch_fd >= 0)
		rt_warn("tracing is switched off now, so that the trace can be read; switch it on "
			"again with 'echo 1 > tracing_on'");
}
