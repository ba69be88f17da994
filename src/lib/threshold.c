/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rt/threshold.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

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
		.instance_fd = -1,
	};
}

static uint32_t saturated(int64_t ns)
{
	return ns < 0 ? 0 : ns > UINT32_MAX ? UINT32_MAX : (uint32_t)ns;
}

void rt_threshold_miss(struct rt_threshold *t, int64_t lat_ns)
{
	uint32_t mine = saturated(lat_ns);
	uint32_t seen = atomic_load_explicit(&t->missed_ns, memory_order_relaxed);

	while (t->is_rising && mine > seen)
		if (atomic_compare_exchange_weak(&t->missed_ns, &seen, mine))
			return;
}

/* Is it to be looked at, and are we the one who does? */
static bool claim(struct rt_threshold *t, const struct rt_hit *hit)
{
	uint32_t lat_ns = saturated(hit->lat_ns);

	if (t->is_rising) {
		if (lat_ns <= atomic_load_explicit(&t->worst_ns, memory_order_relaxed))
			return false;
	} else {
		atomic_fetch_add_explicit(&t->passed, 1, memory_order_relaxed);
	}
	if (atomic_exchange_explicit(&t->is_claimed, true, memory_order_acquire)) {
		rt_threshold_miss(t, hit->lat_ns);
		return false;
	}
	if (t->is_rising)
		atomic_store_explicit(&t->worst_ns, lat_ns, memory_order_relaxed);
	return true;
}

/* First of all, so that little else gets into the trace behind the sample. */
static void stop_traces(struct rt_threshold *t, int64_t value)
{
	if (t->mark.marker_fd >= 0 || t->mark.switch_fd >= 0)
		t->mark_error = rt_trace_mark_hit(&t->mark, value, t->limit);
	if (t->instance_fd >= 0 && write(t->instance_fd, "0", 1) < 0 && !t->mark_error)
		t->mark_error = -errno;
}

static void keep_first(struct rt_threshold *t, const struct rt_hit *hit)
{
	if (t->is_rising || atomic_load_explicit(&t->is_taken, memory_order_relaxed))
		return;
	t->series = hit->series;
	t->tid = hit->tid;
	t->value = hit->value;
	t->at_ns = hit->at_ns;
	atomic_store_explicit(&t->is_taken, true, memory_order_release);
}

void rt_threshold_take(struct rt_threshold *t, struct rt_run *run, const struct rt_hit *hit)
{
	if (!claim(t, hit))
		return;
	stop_traces(t, hit->value);
	keep_first(t, hit);
	t->hit = *hit;
	atomic_store_explicit(&t->is_pending, true, memory_order_release);
	if (t->keeps_going)
		rt_run_wake(run);
	else
		rt_run_end(run, RT_ENDED_THRESHOLD);
}

void rt_threshold_hit(struct rt_threshold *t, struct rt_run *run, unsigned int series, pid_t tid,
		      int64_t value, int64_t at_ns)
{
	struct rt_hit hit = { .series = series, .tid = tid, .value = value, .at_ns = at_ns };

	rt_threshold_take(t, run, &hit);
}

void rt_threshold_rise(struct rt_threshold *t)
{
	t->from_ns = 1;
	t->is_rising = true;
	t->keeps_going = true;
}

bool rt_threshold_next(struct rt_threshold *t, struct rt_hit *ret)
{
	if (!atomic_load_explicit(&t->is_pending, memory_order_acquire))
		return false;
	*ret = t->hit;
	atomic_store_explicit(&t->is_pending, false, memory_order_relaxed);
	return true;
}

void rt_threshold_release(struct rt_threshold *t)
{
	atomic_store_explicit(&t->is_claimed, false, memory_order_release);
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
