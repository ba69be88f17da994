/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run - one sigtimedwait(2) for signals, members, ticks and the end.
 */
#include "rt/run.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>

#include "rt/clock.h"
#include "rt/out.h"
#include "rt/sigwait.h"

/*
 * Not a real-time signal: those are not sent when as many are pending as
 * RLIMIT_SIGPENDING allows (which POSIX timers count in), and the sleeper would
 * sleep on. Nobody sends SIGURG to a process that has no socket.
 */
int rt_run_wake_signal(void)
{
	return SIGURG;
}

static void set_action(int sig, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };

	sigemptyset(&action.sa_mask);
	sigaction(sig, &action, NULL);
}

static bool is_inherited_ignored(int sig)
{
	struct sigaction action;

	return sigaction(sig, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static void wake_handler(int sig RT_UNUSED)
{
	/* Its arrival is all that is wanted: it interrupts a sleep. */
}

/*
 * What main takes. SIGINT and SIGTERM get their default
 * action back, so that a shell's "cyclictest &", which ignores SIGINT, can be
 * ended by it all the same; an ignored SIGHUP (nohup) stays ignored.
 */
static void choose_signals(sigset_t *taken, const struct rt_run_plan *plan)
{
	sigemptyset(taken);
	sigaddset(taken, SIGINT);
	sigaddset(taken, SIGTERM);
	sigaddset(taken, SIGCHLD);
	if (!is_inherited_ignored(SIGHUP))
		sigaddset(taken, SIGHUP);
	if (plan->usr1)
		sigaddset(taken, SIGUSR1);
	if (plan->usr2)
		sigaddset(taken, SIGUSR2);
}

/*
 * Members inherit this mask: everything that main takes, the wake-up signal,
 * which they unblock for themselves, and SIGALRM, which POSIX timers use.
 */
static int block_signals(const sigset_t *taken)
{
	sigset_t blocked = *taken;

	sigaddset(&blocked, SIGALRM);
	sigaddset(&blocked, rt_run_wake_signal());
	set_action(SIGINT, SIG_DFL);
	set_action(SIGTERM, SIG_DFL);
	set_action(SIGCHLD, SIG_DFL);
	set_action(SIGPIPE, SIG_IGN);
	set_action(rt_run_wake_signal(), wake_handler);
	return -pthread_sigmask(SIG_BLOCK, &blocked, NULL);
}

static int open_signals(struct rt_run *run, const sigset_t *taken)
{
	run->wakes = *taken;
	sigaddset(&run->wakes, rt_run_wake_signal());
	run->signal_fd = signalfd(-1, taken, SFD_NONBLOCK | SFD_CLOEXEC);
	return run->signal_fd < 0 ? -errno : 0;
}

int rt_run_new(struct rt_run **ret, const struct rt_run_plan *plan, struct rt_err *err)
{
	struct rt_run *run = mmap(NULL, sizeof(*run), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	sigset_t taken;
	int status;

	if (run == MAP_FAILED)
		return rt_err_set(err, RT_EXIT_FAILED, errno, "cannot prepare the run: %s",
				  strerror(errno));
	run->plan = *plan;
	run->main_pid = getpid();
	run->signal_fd = -1;
	run->until_ns = INT64_MAX;
	choose_signals(&taken, plan);
	status = block_signals(&taken);
	if (!status)
		status = open_signals(run, &taken);
	if (status) {
		rt_run_free(run);
		return rt_err_set(err, RT_EXIT_FAILED, status, "cannot prepare for signals: %s",
				  strerror(-status));
	}
	*ret = run;
	return 0;
}

void rt_run_free(struct rt_run *run)
{
	if (!run)
		return;
	rt_close_fd(&run->signal_fd);
	munmap(run, sizeof(*run));
}

void rt_run_wake(struct rt_run *run)
{
	syscall(SYS_tgkill, run->main_pid, run->main_pid, rt_run_wake_signal());
}

void rt_run_end(struct rt_run *run, enum rt_ended_by why)
{
	int not_yet = RT_ENDED_NOT;

	atomic_compare_exchange_strong(&run->ended_by, &not_yet, (int)why);
	atomic_store_explicit(&run->is_over, 1, memory_order_release);
	rt_run_wake(run);
}

void rt_run_begin(struct rt_run *run)
{
	int64_t now = rt_clock_ns(CLOCK_MONOTONIC);

	run->started_ns = now;
	if (run->plan.duration_ns > 0 && run->plan.duration_ns < INT64_MAX - now)
		run->until_ns = now + run->plan.duration_ns;
}

void rt_run_on_child(struct rt_run *run, void (*call)(void *data), void *data)
{
	for (unsigned int i = 0; i < RT_RUN_CHILDREN; i++) {
		if (run->children[i].call)
			continue;
		run->children[i] = (struct rt_run_child){ call, data };
		return;
	}
}

static void tell_of_child(struct rt_run *run)
{
	for (unsigned int i = 0; i < RT_RUN_CHILDREN && run->children[i].call; i++)
		run->children[i].call(run->children[i].data);
}

static void take_signal(struct rt_run *run, int sig)
{
	switch (sig) {
	case SIGUSR1:
		if (!rt_out_waits_for_stderr()) /* it is in the midst of other text */
			run->plan.usr1(run->plan.data);
		break;
	case SIGUSR2:
		run->plan.usr2(run->plan.data);
		break;
	case SIGCHLD:
		tell_of_child(run);
		break;
	default:
		atomic_store(&run->signal, sig);
		rt_run_end(run, RT_ENDED_SIGNAL);
	}
}

void rt_run_take_signals(struct rt_run *run)
{
	struct signalfd_siginfo info;

	while (read(run->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		take_signal(run, (int)info.ssi_signo);
}

/* Calls @what when @due_ns has come; returns when it is due next. */
static int64_t call_when_due(void (*what)(void *data), void *data, int64_t due_ns,
			     int64_t every_ns, int64_t now_ns)
{
	if (now_ns < due_ns)
		return due_ns;
	what(data);
	due_ns += every_ns;
	/* Late ones are left out, they would only come in a burst. */
	return due_ns > now_ns ? due_ns : now_ns + every_ns;
}

static int64_t first_due(int64_t every_ns, int64_t now_ns)
{
	return every_ns > 0 ? now_ns + every_ns : INT64_MAX;
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void sleep_until(struct rt_run *run, int64_t until_ns)
{
	int64_t left_ns = until_ns - rt_clock_ns(CLOCK_MONOTONIC);
	struct timespec left = rt_ns_timespec(left_ns > 0 ? left_ns : 0);
	int sig = until_ns == INT64_MAX ? rt_sigwait(&run->wakes, NULL, NULL) :
					  rt_sigwait(&run->wakes, NULL, &left);

	if (sig > 0 && sig != rt_run_wake_signal())
		take_signal(run, sig);
}

/* Text waits for its reader; the run's end and its signals do not. */
static bool serve(void *data, int fd)
{
	struct rt_run *run = data;
	struct pollfd either[] = { { .fd = fd, .events = POLLOUT },
				   { .fd = run->signal_fd, .events = POLLIN } };
	int64_t left_ns = run->until_ns - rt_clock_ns(CLOCK_MONOTONIC);
	struct timespec left = rt_ns_timespec(left_ns > 0 ? left_ns : 0);

	if (rt_run_over(run))
		return false;
	if (left_ns <= 0)
		rt_run_end(run, RT_ENDED_DURATION);
	else
		ppoll(either, 2, run->until_ns == INT64_MAX ? NULL : &left, NULL);
	rt_run_take_signals(run);
	return true;
}

static void wait_for_end(struct rt_run *run, bool (*has_ended)(void *data), void *data)
{
	const struct rt_run_plan *plan = &run->plan;
	int64_t now = rt_clock_ns(CLOCK_MONOTONIC);
	int64_t tick_at = first_due(plan->tick_ns, now);
	int64_t checkpoint_at = first_due(plan->checkpoint_ns, now);

	for (;;) {
		rt_run_take_signals(run);
		now = rt_clock_ns(CLOCK_MONOTONIC);
		if (now >= run->until_ns)
			rt_run_end(run, RT_ENDED_DURATION);
		if (has_ended && has_ended(data))
			rt_run_end(run, RT_ENDED_LOOPS);
		if (rt_run_over(run))
			return;
		tick_at = call_when_due(plan->tick, plan->data, tick_at, plan->tick_ns, now);
		checkpoint_at = call_when_due(plan->checkpoint, plan->checkpoint_data,
					      checkpoint_at, plan->checkpoint_ns, now);
		sleep_until(run, smaller(run->until_ns, smaller(tick_at, checkpoint_at)));
	}
}

void rt_run_wait(struct rt_run *run, bool (*has_ended)(void *data), void *data)
{
	rt_out_serve(serve, run);
	wait_for_end(run, has_ended, data);
	rt_out_serve(NULL, NULL);
}

const char *rt_run_ended_text(const struct rt_run *run)
{
	static const char *const texts[] = {
		[RT_ENDED_NOT] = "checkpoint",       [RT_ENDED_DURATION] = "duration",
		[RT_ENDED_LOOPS] = "loops",          [RT_ENDED_SIGNAL] = "signal",
		[RT_ENDED_THRESHOLD] = "threshold",  [RT_ENDED_ERROR] = "error",
	};
	int why = atomic_load(&run->ended_by);

	if (why != RT_ENDED_SIGNAL)
		return texts[why];
	switch (atomic_load(&run->signal)) {
	case SIGINT:
		return "signal:INT";
	case SIGTERM:
		return "signal:TERM";
	default:
		return "signal:HUP";
	}
}

double rt_run_progress(const struct rt_run *run)
{
	double passed;

	if (run->plan.duration_ns <= 0 || !run->started_ns)
		return -1;
	passed = (double)(rt_clock_ns(CLOCK_MONOTONIC) - run->started_ns) /
		 (double)run->plan.duration_ns;
	return passed > 1 ? 1 : passed;
}

void rt_run_clean_signals(void)
{
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		set_action(sig, SIG_DFL); /* refused for KILL, STOP and the C library's own */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}
