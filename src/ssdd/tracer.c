/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tracer: it makes its tracee, attaches, and steps it through an empty loop.
 * After every step the kernel must say that exactly this child has stopped, by
 * SIGTRAP, and must have sent one SIGCHLD.
 *
 * SIGCHLD stays blocked all the time and is taken by sigtimedwait(2), so that
 * none can slip between looking and waiting.
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rt/futex.h"
#include "rt/out.h"
#include "rt/sigwait.h"
#include "ssdd.h"

#define SIGNAL_WAIT_S 10
#define START_WAIT_S 10

enum ssdd_state ssdd_state(int wait_status, int *ret_signal)
{
	*ret_signal = 0;
	if (WIFSTOPPED(wait_status)) {
		*ret_signal = WSTOPSIG(wait_status);
		return SSDD_STOPPED;
	}
	if (WIFSIGNALED(wait_status)) {
		*ret_signal = WTERMSIG(wait_status);
		return SSDD_SIGNALED;
	}
	if (WIFEXITED(wait_status))
		return WEXITSTATUS(wait_status) ? SSDD_EXITED_ERRSTAT : SSDD_EXITED;
	return SSDD_UNKNOWN;
}

const char *ssdd_state_name(enum ssdd_state state)
{
	static const char *const names[] = {
		[SSDD_EXITED] = "STATE_EXITED",     [SSDD_EXITED_ERRSTAT] = "STATE_EXITED_ERRSTAT",
		[SSDD_STOPPED] = "STATE_STOPPED",   [SSDD_SIGNALED] = "STATE_SIGNALED",
		[SSDD_UNKNOWN] = "STATE_UNKNOWN",
	};

	return names[state];
}

/* ---- what it says -------------------------------------------------------------------- */

/* One write a line: those of many processes must not mix. What is lost main's own lines tell. */
static void say(struct ssdd_session *s, const char *fmt, ...) RT_PRINTF(2, 3);

static void say(struct ssdd_session *s, const char *fmt, ...)
{
	char line[SSDD_TEXT_MAX + 64];
	va_list args;
	int length;

	va_start(args, fmt);
	length = vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	if (length > (int)sizeof(line) - 1)
		length = (int)sizeof(line) - 1;
	rt_out_write(rt_out_fd(s->rt.results.out), line, (size_t)length);
}

static int fail(struct ssdd_pair *pair, const char *fmt, ...) RT_PRINTF(2, 3);

static int fail(struct ssdd_pair *pair, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(pair->text, sizeof(pair->text), fmt, args);
	va_end(args);
	atomic_store(&pair->has_failed, true);
	return -1;
}

/* ---- the tracee ---------------------------------------------------------------------- */

static void spin(void) __attribute__((noreturn));

static void spin(void)
{
	for (;;)
		__asm__ volatile("");
}

static void be_traced(struct ssdd_pair *pair, pid_t tracer) __attribute__((noreturn));

static void be_traced(struct ssdd_pair *pair, pid_t tracer)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != tracer)
		_exit(0);
	atomic_store(&pair->tracee, (uint32_t)getpid());
	rt_futex_wake(&pair->tracee, 1, RT_FUTEX_SHARED);
	spin();
}

/*
 * Attaching stops it, wherever it is: not before it has seen to it that it dies
 * with us, or it would stay behind, stopped for ever, if we were killed then.
 */
static int make_tracee(struct ssdd_pair *pair)
{
	struct timespec second = { .tv_sec = 1 };
	pid_t tracer = getpid();
	pid_t pid = fork();

	if (pid < 0)
		return fail(pair, "fork returned errno %d (%s)", errno, strerror(errno));
	if (pid == 0)
		be_traced(pair, tracer);
	for (int i = 0; i < START_WAIT_S && !atomic_load(&pair->tracee); i++)
		rt_futex_wait(&pair->tracee, 0, &second, RT_FUTEX_SHARED);
	if (atomic_load(&pair->tracee))
		return 0;
	kill(pid, SIGKILL);
	return fail(pair, "the tracee did not start within %d seconds", START_WAIT_S);
}

static void end_tracee(struct ssdd_pair *pair)
{
	pid_t pid = (pid_t)atomic_load(&pair->tracee);

	if (!pid)
		return;
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
		;
	atomic_store(&pair->tracee, 0);
}

/* ---- a step -------------------------------------------------------------------------- */

static int expect_sigchld(struct ssdd_pair *pair, const char *after, int signal)
{
	struct timespec limit = { .tv_sec = SIGNAL_WAIT_S };
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (;;) {
		if (rt_sigwait(&set, &info, &limit) == SIGCHLD)
			return 0;
		if (errno != EINTR)
			return fail(pair, "wait on %s: no SIGCHLD seen within %d seconds, signo %d",
				    after, SIGNAL_WAIT_S, signal);
	}
}

/* Any child of ours counts, and it must be this one: no other may have come to us. */
static int expect_stop(struct ssdd_pair *pair, const char *after, int *ret_signal)
{
	pid_t wanted = (pid_t)atomic_load(&pair->tracee);
	enum ssdd_state state;
	int wait_status = 0;
	pid_t pid;

	do {
		pid = waitpid(-1, &wait_status, WUNTRACED | __WALL);
	} while (pid < 0 && errno == EINTR);
	if (pid < 0)
		return fail(pair, "wait on %s: wanted STATE_STOPPED, saw errno %d (%s) instead",
			    after, errno, strerror(errno));
	if (pid != wanted)
		return fail(pair, "wait on %s: returned wrong pid %d, expected %d", after,
			    (int)pid, (int)wanted);
	state = ssdd_state(wait_status, ret_signal);
	if (state == SSDD_STOPPED)
		return 0;
	atomic_store(&pair->tracee, 0); /* it has ended, and was waited for */
	return fail(pair, "wait on %s: wanted STATE_STOPPED, saw %s instead (and saw signo %d too)",
		    after, ssdd_state_name(state), *ret_signal);
}

static int attach(struct ssdd_pair *pair)
{
	pid_t pid = (pid_t)atomic_load(&pair->tracee);
	int signal = 0;

	if (ptrace(PTRACE_ATTACH, pid, NULL, NULL) < 0)
		return fail(pair, "attach failed.  errno %d (%s)", errno, strerror(errno));
	if (expect_stop(pair, "PTRACE_ATTACH", &signal) < 0 ||
	    expect_sigchld(pair, "PTRACE_ATTACH", signal) < 0)
		return -1;
	if (ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_EXITKILL) < 0)
		return fail(pair, "PTRACE_SETOPTIONS: errno %d (%s)", errno, strerror(errno));
	return 0;
}

static int step(struct ssdd_pair *pair, uint64_t number)
{
	char name[48];
	int signal = 0;

	snprintf(name, sizeof(name), "PTRACE_SINGLESTEP #%llu", (unsigned long long)number);
	if (ptrace(PTRACE_SINGLESTEP, (pid_t)atomic_load(&pair->tracee), NULL, NULL) < 0)
		return fail(pair, "%s: returned errno %d (%s)", name, errno, strerror(errno));
	if (expect_stop(pair, name, &signal) < 0)
		return -1;
	if (signal != SIGTRAP)
		return fail(pair, "wait on %s: returned signal %d, wanted SIGTRAP", name, signal);
	return expect_sigchld(pair, name, signal);
}

static int trace(struct ssdd_session *s, struct ssdd_pair *pair)
{
	uint64_t count = (uint64_t)s->opts->iters;
	int status = attach(pair);

	for (uint64_t i = 0; !status && i < count; i++) {
		status = step(pair, i);
		atomic_store_explicit(&pair->steps, i + 1, memory_order_relaxed);
	}
	return status;
}

void ssdd_trace(struct ssdd_session *s, unsigned int index)
{
	struct ssdd_pair *pair = &s->pairs[index];
	int pid = (int)getpid();
	int status;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != s->rt.run->main_pid)
		_exit(RT_EXIT_FAILED); /* main died before the line above */
	rt_undo_disown(s->rt.undo);
	status = make_tracee(pair);
	if (!status && !s->opts->quiet)
		say(s, "forktest#%u/%d/%d: STARTING\n", index, pid,
		    (int)atomic_load(&pair->tracee));
	if (!status)
		status = trace(s, pair);
	end_tracee(pair);
	if (status)
		say(s, "forktest#%u/%d: EXITING, ERROR: %s\n", index, pid, pair->text);
	else if (!s->opts->quiet)
		say(s, "forktest#%u/%d: EXITING, no error\n", index, pid);
	_exit(status ? RT_EXIT_FAILED : RT_EXIT_GOOD);
}

/* ---- is it allowed? ------------------------------------------------------------------ */

int ssdd_probe(struct rt_err *err)
{
	pid_t parent = getpid();
	pid_t pid = fork();
	int code;

	if (pid < 0)
		return 0; /* the pairs will say it */
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (getppid() == parent)
			pause();
		_exit(0);
	}
	code = ptrace(PTRACE_ATTACH, pid, NULL, NULL) < 0 ? errno : 0;
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
		;
	if (!code)
		return 0;
	return rt_err_set(err, RT_EXIT_MISSING, code,
			  "a process may not trace its own child here: %s; see "
			  "kernel.yama.ptrace_scope and the seccomp filter of a container",
			  strerror(code));
}
