/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * actions - see rt/actions.h.
 */
#include "rt/actions.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "rt/compiler.h"
#include "rt/run.h"
#include "rt/sched.h"
#include "rt/tracefs.h"
#include "rt/units.h"

/* ---- words ------------------------------------------------------------------------------ */

static int refuse(struct rt_err *err, const char *text, const char *right)
{
	return rt_err_set(err, RT_EXIT_USAGE, EINVAL, "'%s' is no action; %s", text, right);
}

/* What is behind the action's name: "" or ",..."; NULL: it is another one. */
static const char *behind(const char *text, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(text, name, length) != 0 || (text[length] && text[length] != ','))
		return NULL;
	return text + length;
}

/* The value if the text is ",KEY=VALUE" with something in it. */
static const char *only_value(const char *text, const char *key)
{
	size_t length = strlen(key);

	if (text[0] != ',' || strncmp(text + 1, key, length) != 0 || text[1 + length] != '=')
		return NULL;
	return text[length + 2] ? text + length + 2 : NULL;
}

/* ",num=N,pid=P" in either order */
static int read_signal(struct rt_action *action, const char *rest)
{
	rt_auto_free char *copy = strdup(rest);
	bool has_pid = false;
	char *at = copy;

	if (!copy)
		return -ENOMEM;
	strsep(&at, ",");
	for (char *word; at && (word = strsep(&at, ","));) {
		int64_t number;

		if (strncmp(word, "num=", 4) == 0) {
			if (rt_parse_int(&number, word + 4, 1, SIGRTMAX))
				return -EINVAL;
			action->signal = (int)number;
		} else if (strcmp(word, "pid=parent") == 0) {
			has_pid = true;
		} else if (strncmp(word, "pid=", 4) == 0) {
			if (rt_parse_int(&number, word + 4, 1, INT32_MAX))
				return -EINVAL;
			action->pid = (pid_t)number;
			has_pid = true;
		} else {
			return -EINVAL;
		}
	}
	return action->signal && has_pid ? 0 : -EINVAL;
}

static int read_action(struct rt_action *action, const char *text, struct rt_err *err)
{
	const char *rest;

	if ((rest = behind(text, "trace"))) {
		action->kind = RT_ACTION_TRACE;
		action->text = *rest ? only_value(rest, "file") : NULL;
		return *rest && !action->text ? refuse(err, text, "give trace or trace,file=FILE") :
						0;
	}
	if ((rest = behind(text, "signal"))) {
		action->kind = RT_ACTION_SIGNAL;
		return read_signal(action, rest) ?
			       refuse(err, text, "give signal,num=N,pid=PID or "
						 "signal,num=N,pid=parent") : 0;
	}
	if ((rest = behind(text, "shell"))) {
		action->kind = RT_ACTION_SHELL;
		action->text = only_value(rest, "command");
		return action->text ? 0 : refuse(err, text, "give shell,command=COMMAND");
	}
	if (strcmp(text, "snapshot") == 0)
		action->kind = RT_ACTION_SNAPSHOT;
	else if (strcmp(text, "continue") == 0)
		action->kind = RT_ACTION_CONTINUE;
	else if (strcmp(text, "stop") == 0)
		action->kind = RT_ACTION_STOP;
	else
		return refuse(err, text, "give trace, snapshot, signal, shell, continue or stop");
	return 0;
}

/* Two files of one trace, or to go on and to stop at once, are a slip. */
static int check_pairs(const struct rt_actions *actions, const struct rt_action *new,
		       struct rt_err *err)
{
	if (new->kind == RT_ACTION_TRACE && rt_actions_find(actions, RT_ACTION_TRACE))
		return rt_err_set(err, RT_EXIT_USAGE, EINVAL, "the trace is saved once only");
	if ((new->kind == RT_ACTION_STOP && rt_actions_find(actions, RT_ACTION_CONTINUE)) ||
	    (new->kind == RT_ACTION_CONTINUE && rt_actions_find(actions, RT_ACTION_STOP)))
		return rt_err_set(err, RT_EXIT_USAGE, EINVAL,
				  "'continue' and 'stop' exclude each other");
	return 0;
}

int rt_actions_add(struct rt_actions *actions, const char *text, struct rt_err *err)
{
	struct rt_action action = { 0 };
	int status = read_action(&action, text, err);

	if (!status)
		status = check_pairs(actions, &action, err);
	if (status)
		return status;
	if (actions->count == RT_ACTIONS_MAX)
		return rt_err_set(err, RT_EXIT_USAGE, EINVAL, "at most %d actions", RT_ACTIONS_MAX);
	actions->action[actions->count++] = action;
	return 0;
}

const struct rt_action *rt_actions_find(const struct rt_actions *actions, enum rt_action_kind kind)
{
	for (unsigned int i = 0; i < actions->count; i++)
		if (actions->action[i].kind == kind)
			return &actions->action[i];
	return NULL;
}

/* ---- deeds ------------------------------------------------------------------------------- */

static int send_signal(const struct rt_action *action, struct rt_err *err)
{
	pid_t pid = action->pid ? action->pid : getppid();

	if (kill(pid, action->signal) == 0)
		return 0;
	return rt_err_set(err, RT_EXIT_FAILED, errno, "cannot send signal %d to process %d: %s",
			  action->signal, (int)pid, strerror(errno));
}

static void exec_command(const char *command)
{
	struct rt_sched other = { .policy = RT_POLICY_OTHER };

	rt_sched_setattr(0, &other);
	rt_run_clean_signals();
	dup2(STDERR_FILENO, STDOUT_FILENO); /* stdout is for the result */
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static int run_command(const char *command, struct rt_err *err)
{
	pid_t child, ended;
	int status = 0;

	fflush(NULL); /* or the child would write it again */
	child = fork();
	if (child < 0)
		return rt_err_set(err, RT_EXIT_FAILED, errno, "cannot run '%s': %s", command,
				  strerror(errno));
	if (child == 0)
		exec_command(command);
	do {
		ended = waitpid(child, &status, 0);
	} while (ended < 0 && errno == EINTR);
	if (ended != child || status == 0)
		return 0;
	return rt_err_set(err, RT_EXIT_FAILED, ECHILD, "'%s' ended with status %d", command,
			  WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

static char *snapshot_path(const char *top)
{
	char *path;

	return asprintf(&path, "%s/snapshot", top) < 0 ? NULL : path;
}

static int take_snapshot(struct rt_err *err)
{
	const char *top = rt_tracefs_path(err);
	rt_auto_free char *path = top ? snapshot_path(top) : NULL;
	rt_auto_close int fd = path ? open(path, O_WRONLY | O_CLOEXEC) : -1;

	if (fd >= 0 && write(fd, "1", 1) == 1)
		return 0;
	return rt_err_set(err, RT_EXIT_FAILED, errno, "cannot take a snapshot of the trace: %s",
			  strerror(errno));
}

int rt_action_do(const struct rt_action *action, struct rt_err *err)
{
	switch (action->kind) {
	case RT_ACTION_SIGNAL:
		return send_signal(action, err);
	case RT_ACTION_SHELL:
		return run_command(action->text, err);
	case RT_ACTION_SNAPSHOT:
		return take_snapshot(err);
	default:
		return 0;
	}
}

int rt_actions_check(const struct rt_actions *actions, struct rt_err *err)
{
	rt_auto_free char *path = NULL;
	const char *top;

	if (!rt_actions_find(actions, RT_ACTION_SNAPSHOT))
		return 0;
	top = rt_tracefs_path(err);
	if (!top)
		return -ENOENT;
	path = snapshot_path(top);
	if (!path)
		return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "no memory for a path");
	if (access(path, W_OK) == 0)
		return 0;
	if (errno == EACCES)
		return rt_err_set(err, RT_EXIT_MISSING, EACCES,
				  "cannot write to %s: %s; run as root", path, strerror(EACCES));
	return rt_err_set(err, RT_EXIT_MISSING, ENOENT,
			  "this kernel takes no snapshots of its trace (it needs "
			  "CONFIG_TRACER_SNAPSHOT)");
}
