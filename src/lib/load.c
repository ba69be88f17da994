/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load - a guardian process that runs a shell command in a process group and
 * ends the whole group when it is told to, or when we are gone.
 */
#include "rt/load.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "rt/clock.h"
#include "rt/log.h"
#include "rt/sched.h"
#include "rt/sigwait.h"

#define GRACE_NS (2 * RT_NS_PER_S)

struct load {
	const char *command;
	pid_t guardian; /* 0: ended and reaped */
};

static void exec_command(const char *command)
{
	setpgid(0, 0);
	rt_run_clean_signals();
	dup2(STDERR_FILENO, STDOUT_FILENO);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/*
 * Reap until nobody is left in the group, or time is up. We are the subreaper:
 * who loses his parent becomes our child, so that no child of ours in the
 * group means nobody.
 */
static bool reap_group(pid_t group, int64_t until_ns, int *status)
{
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	for (;;) {
		int64_t left_ns = until_ns - rt_clock_ns(CLOCK_MONOTONIC);
		struct timespec left = rt_ns_timespec(left_ns > 0 ? left_ns : 0);
		pid_t pid;
		int ended;

		while ((pid = waitpid(-group, &ended, WNOHANG)) > 0)
			if (pid == group)
				*status = ended;
		if (pid < 0)
			return true;
		if (left_ns <= 0)
			return false;
		rt_sigwait(&child, NULL, &left);
	}
}

/* TERM for the group, KILL for what is left of it after the grace. */
static void end_group(pid_t group, int *status)
{
	kill(-group, SIGTERM);
	if (reap_group(group, rt_clock_ns(CLOCK_MONOTONIC) + GRACE_NS, status))
		return;
	kill(-group, SIGKILL);
	reap_group(group, rt_clock_ns(CLOCK_MONOTONIC) + GRACE_NS, status);
}

static int exit_code(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The guardian's life: wait until all of the group has ended, or for the word to end it. */
static void guard(const char *command, pid_t parent)
{
	struct rt_sched other = { .policy = RT_POLICY_OTHER };
	sigset_t awaited;
	pid_t child;
	int sig = 0, status = 0;

	setpgid(0, 0); /* Ctrl-C is for the measurement, which then ends us */
	rt_sched_setattr(0, &other);
	sigemptyset(&awaited);
	sigaddset(&awaited, SIGTERM);
	sigaddset(&awaited, SIGCHLD);
	sigprocmask(SIG_BLOCK, &awaited, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_NAME, "rt-load"); /* who looks for the tool by name shall find the tool */
	if (getppid() != parent)
		_exit(0);
	child = fork();
	if (child < 0)
		_exit(126);
	if (child == 0)
		exec_command(command);
	setpgid(child, child); /* whoever of the two is first */
	do {
		sigwait(&awaited, &sig);
	} while (sig == SIGCHLD && !reap_group(child, 0, &status));
	if (sig == SIGTERM)
		end_group(child, &status);
	_exit(exit_code(status));
}

static void tell_end(void *data)
{
	struct load *load = data;
	int status;

	if (load->guardian && waitpid(load->guardian, &status, WNOHANG) == load->guardian) {
		load->guardian = 0;
		rt_warn("--load: '%s' has ended with status %d, the measurement goes on without it",
			load->command, exit_code(status));
	}
}

static void end_load(void *data)
{
	struct load *load = data;

	if (load->guardian) {
		kill(load->guardian, SIGTERM);
		waitpid(load->guardian, NULL, 0);
	}
	free(load);
}

int rt_load_start(const char *command, struct rt_run *run, struct rt_undo *undo,
		  struct rt_err *err)
{
	struct load *load = calloc(1, sizeof(*load));
	pid_t parent = getpid();

	if (!load || rt_undo_call(undo, end_load, load)) {
		free(load);
		return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "--load: no memory");
	}
	load->command = command;
	load->guardian = fork();
	if (load->guardian < 0) {
		int code = errno;

		load->guardian = 0;
		return rt_err_set(err, RT_EXIT_FAILED, code, "--load: cannot start '%s': %s",
				  command, strerror(code));
	}
	if (load->guardian == 0) {
		rt_undo_disown(undo);
		guard(command, parent);
	}
	rt_run_on_child(run, tell_end, load);
	return 0;
}
