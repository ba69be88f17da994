/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One inversion between processes, all on one CPU:
 *
 *   low     takes the resource, gives high its turn, and sleeps with it held
 *   high    gives medium its turn, asks for the resource and blocks: low has
 *           high's priority from now on
 *   medium  spins, which is no harm while low sleeps. It is above low by
 *           itself, so that without inheritance low would not run again
 *   low     wakes up, runs although medium wants the CPU, and gives the resource back
 *   high    owns it; medium sees that and ends
 */
#include "pip_roles.h"

#include <errno.h>
#include <string.h>

#include "rt/clock.h"

#define ONLY_TURN turn_next(0)

static bool is_set(_Atomic bool *flag)
{
	return atomic_load_explicit(flag, memory_order_acquire);
}

static void set(_Atomic bool *flag)
{
	atomic_store_explicit(flag, true, memory_order_release);
}

/* An absolute end: the crew's wake-up signal may interrupt the sleep. */
static void sleep_held(const struct pip_page *page, const struct rt_run *run)
{
	int64_t until_ns = rt_clock_ns(CLOCK_MONOTONIC) + page->hold_ns;
	struct timespec until = rt_ns_timespec(until_ns);

	while (page->hold_ns && !rt_run_over(run) && rt_clock_ns(CLOCK_MONOTONIC) < until_ns)
		rt_clock_sleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until);
}

static int run_low(struct pip_page *page, struct rt_run *run, struct rt_err *err)
{
	int code = pthread_mutex_lock(&page->resource);

	if (code)
		return rt_err_set(err, RT_EXIT_FAILED, code,
				  "the low process cannot lock the resource: %s", strerror(code));
	turn_give(&page->high_go, ONLY_TURN, RT_FUTEX_SHARED);
	sleep_held(page, run);
	pthread_mutex_unlock(&page->resource);
	return 0;
}

static int run_med(struct pip_page *page, struct rt_run *run)
{
	int64_t until_ns;

	turn_take(&page->med_go, ONLY_TURN, RT_FUTEX_SHARED);
	until_ns = rt_clock_ns(CLOCK_MONOTONIC) + page->spin_ns;
	set(&page->med_runs);
	while (!is_set(&page->has_owned) && !rt_run_over(run)) {
		if (rt_clock_ns(CLOCK_MONOTONIC) >= until_ns) {
			set(&page->med_gave_up);
			break;
		}
	}
	return 0;
}

static int ask(struct pip_page *page, struct rt_err *err)
{
	int code = pthread_mutex_trylock(&page->resource);

	if (code == EBUSY) {
		set(&page->was_taken);
		code = pthread_mutex_lock(&page->resource);
	}
	if (code == EOWNERDEAD)
		return rt_err_set(err, RT_EXIT_FAILED, code,
				  "the low process died with the resource held");
	if (code)
		return rt_err_set(err, RT_EXIT_FAILED, code,
				  "the high process cannot lock the resource: %s", strerror(code));
	return 0;
}

static int run_high(struct pip_page *page, const struct rt_run *run, struct rt_err *err)
{
	int64_t begin_ns;
	int status;

	turn_take(&page->high_go, ONLY_TURN, RT_FUTEX_SHARED);
	turn_give(&page->med_go, ONLY_TURN, RT_FUTEX_SHARED);
	if (rt_run_over(run))
		return 0;
	begin_ns = rt_clock_ns(CLOCK_MONOTONIC);
	status = ask(page, err);
	page->blocked_ns = rt_clock_ns(CLOCK_MONOTONIC) - begin_ns;
	if (is_set(&page->was_taken) && is_set(&page->med_runs))
		set(&page->was_overtaken);
	set(&page->has_owned); /* also after a failure: medium shall end */
	if (!status)
		pthread_mutex_unlock(&page->resource);
	return status;
}

int pip_role_run(struct rt_member *m, struct rt_err *err)
{
	switch ((enum pip_role)m->index) {
	case PIP_LOW:
		return run_low(m->data, m->run, err);
	case PIP_MED:
		return run_med(m->data, m->run);
	default:
		return run_high(m->data, m->run, err);
	}
}

void pip_dismiss(struct pip_page *page)
{
	turn_give(&page->high_go, ONLY_TURN, RT_FUTEX_SHARED);
	turn_give(&page->med_go, ONLY_TURN, RT_FUTEX_SHARED);
}
