/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The measuring loop that waits for a POSIX interval timer's signal.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "measure.h"
#include "rt/sigwait.h"

/* Not every C library names this member of struct sigevent. */
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/*
 * A relative timer counts from its start: the clock is read next to that, as
 * what lies between would be in every latency.
 */
static int timer_start(struct cyc_thread *t, timer_t *ret, int64_t *first_ns, struct rt_err *err)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM };
	struct itimerspec when = {
		.it_value = rt_ns_timespec(t->relative ? t->interval_ns : *first_ns),
		.it_interval = rt_ns_timespec(t->interval_ns),
	};
	int code;

	event.sigev_notify_thread_id = t->tid;
	if (timer_create(t->clock, &event, ret))
		return rt_err_set(err, RT_EXIT_FAILED, errno,
				  "cannot make a timer on the %s clock: %s%s",
				  rt_clock_name(t->clock), strerror(errno),
				  errno == EAGAIN ? "; see 'ulimit -i'" : "");
	if (t->relative)
		*first_ns = rt_clock_ns(t->clock) + t->interval_ns;
	if (timer_settime(*ret, t->relative ? 0 : TIMER_ABSTIME, &when, NULL) == 0)
		return 0;
	code = errno;
	timer_delete(*ret);
	return rt_err_set(err, RT_EXIT_FAILED, code, "cannot start the timer: %s", strerror(code));
}

/*
 * The timer keeps the grid by itself. A signal stands for the oldest expiry
 * that was not yet taken, so the latency is counted from there; expiries that
 * found it still pending are its overruns: the missed intervals, counted once.
 */
RT_INLINE int timer_loop(struct cyc_thread *t, timer_t timer, int64_t wake_ns,
			 const sigset_t *awaited, unsigned int features)
{
	siginfo_t info;

	while (!rt_run_over(t->run)) {
		int sig = rt_sigwait(awaited, &info, NULL);
		int64_t now_ns = rt_clock_ns(t->clock);
		int64_t overruns;

		if (rt_unlikely(sig != SIGALRM || info.si_code != SI_TIMER))
			continue; /* the wake-up, or somebody else's SIGALRM */
		cyc_sample(t, wake_ns, now_ns, features);
		overruns = timer_getoverrun(timer);
		if (rt_unlikely(overruns > 0))
			rt_stats_miss(&t->record->stats, (uint64_t)overruns);
		else
			overruns = 0;
		wake_ns += (1 + overruns) * t->interval_ns;
	}
	return 0;
}

RT_INLINE int timer(struct cyc_thread *t, struct rt_err *err, unsigned int features)
{
	int64_t wake_ns = cyc_first_wake(t);
	sigset_t awaited;
	timer_t id;
	int status;

	sigemptyset(&awaited);
	sigaddset(&awaited, SIGALRM);
	sigaddset(&awaited, rt_crew_wake_signal());
	pthread_sigmask(SIG_BLOCK, &awaited, NULL);
	status = timer_start(t, &id, &wake_ns, err);
	if (status)
		return status;
	status = timer_loop(t, id, wake_ns, &awaited, features);
	timer_delete(id);
	return status;
}

CYC_VARIANTS(cyc_measure_timer, timer)
