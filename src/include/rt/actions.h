/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * actions - what main does when a sample passed the break limit, in the order
 * given: --on-threshold=ACTION, the words that users of rtla know.
 *
 *     trace[,file=F]            save the trace of our own instance
 *     snapshot                  take a snapshot of the top-level trace
 *     signal,num=N,pid=P|parent send a signal
 *     shell,command=CMD         run a command; the rest of the word belongs to it
 *     continue                  the run goes on, as with --keep-going
 *     stop                      it does not, as without any of these
 */
#ifndef RT_ACTIONS_H
#define RT_ACTIONS_H

#include <stdbool.h>
#include <sys/types.h>

#include "rt/err.h"

#define RT_ACTIONS_MAX 16

enum rt_action_kind {
	RT_ACTION_TRACE,
	RT_ACTION_SNAPSHOT,
	RT_ACTION_SIGNAL,
	RT_ACTION_SHELL,
	RT_ACTION_CONTINUE,
	RT_ACTION_STOP,
};

/**
 * struct rt_action - one of them
 * @text: the file or the command, by reference; NULL: no file was named
 * @pid:  0: our parent
 */
struct rt_action {
	enum rt_action_kind kind;
	const char *text;
	int signal;
	pid_t pid;
};

struct rt_actions {
	unsigned int count;
	struct rt_action action[RT_ACTIONS_MAX];
};

/**
 * rt_actions_add() - read one word and add it
 * Return: 0; -EINVAL with a sentence (RT_EXIT_USAGE).
 */
int rt_actions_add(struct rt_actions *actions, const char *text, struct rt_err *err);

/** rt_actions_find() - the first of a kind; NULL: there is none */
const struct rt_action *rt_actions_find(const struct rt_actions *actions, enum rt_action_kind kind);

/**
 * rt_action_do() - send the signal, run the command and wait for its end, take the snapshot
 * The others have no effect here. Main only; not for measuring threads.
 * Return: 0; a negative errno with a sentence (RT_EXIT_FAILED): also when the
 * command ends with a status that is not 0 (-ECHILD).
 */
int rt_action_do(const struct rt_action *action, struct rt_err *err);

/** rt_actions_check() - is there what they need? 0; -ENOENT with a sentence (RT_EXIT_MISSING) */
int rt_actions_check(const struct rt_actions *actions, struct rt_err *err);

#endif
