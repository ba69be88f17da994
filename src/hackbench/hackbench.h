/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hackbench - what its parts hand to each other, in the order of a run:
 *
 *     hb_opts     what was typed                           options.c
 *     hb_plan     how many of what; touches nothing        plan.c
 *     hb_team     the workers, processes or threads        team.c, worker.c
 *     hb_session  what exists while it runs                main.c, report.c
 */
#ifndef HACKBENCH_H
#define HACKBENCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "channel.h"
#include "rt/err.h"
#include "rt/options.h"
#include "rt/session.h"

/** enum hb_mode - what a worker is; zero is "not given" */
enum hb_mode { HB_MODE_DEFAULT = 0, HB_PROCESSES, HB_THREADS };

/**
 * struct hb_opts - the command line, unresolved
 * @words, @word_*: the old form "N [process|thread [LOOPS]]", as far as it was read; 0: not given
 */
struct hb_opts {
	struct rt_opts_results results;
	int64_t groups;
	bool has_groups;
	int64_t fds;
	int64_t loops;
	bool has_loops;
	int64_t datasize;
	bool pipe;
	bool inet;
	bool fifo;
	int mode;
	unsigned int words;
	int64_t word_groups;
	int word_mode;
	int64_t word_loops;
};

extern const struct rt_opt_table hb_table;

/**
 * hb_split() - the command line, cut at its blanks if it is one single word
 * Scripts keep all options in one variable and quote it.
 * @ret_argv: the caller's heap, with the words behind the pointers, when it was cut
 * Return: number of words; 0 when there is nothing to be cut; -ENOMEM.
 */
int hb_split(int argc, char **argv, char ***ret_argv);

/** struct hb_plan - everything decided, nothing touched */
struct hb_plan {
	const struct hb_opts *opts;
	int argc;
	char **argv;
	enum hb_mode mode;
	enum hb_channel_kind kind;
	unsigned int groups;
	unsigned int fds;      /* senders, receivers and channels of a group, each */
	unsigned int tasks;
	uint64_t loops;
	size_t datasize;
	uint64_t messages;     /* of the whole run */
	uint64_t bytes;
	uint64_t files;        /* descriptors that main needs at the same time */
	struct rt_results_plan results;
};

/**
 * hb_plan_make() - resolve the options
 * Return: 0; a negative errno with a sentence: more than can be counted or
 * made (RT_EXIT_USAGE), or a right that is not there (RT_EXIT_MISSING).
 */
int hb_plan_make(struct hb_plan *plan, const struct hb_opts *opts, int argc, char **argv,
		 struct rt_err *err);

/**
 * struct hb_shared - what workers and main share, also when they are processes
 * @ready: workers that have all they need
 * @ended: threads that have left their work
 * @has_fault: a worker has claimed @fault, the first reason
 */
struct hb_shared {
	_Atomic uint32_t ready;
	_Atomic uint32_t ended;
	_Atomic bool has_fault;
	struct rt_err fault;
};

/**
 * struct hb_worker - one of them
 * @fds: one to read from, or the group's to write to
 * @pid: 0 once it was waited for, or never made
 */
struct hb_worker {
	struct hb_team *team;
	unsigned int group;
	unsigned int index; /* within the group's senders or receivers */
	bool is_sender;
	const int *fds;
	int fd;
	pid_t pid;
	pthread_t thread;
};

/**
 * struct hb_team - all workers of a run
 * @made:    workers that exist or existed, from the first on
 * @left:    of them, how many were waited for
 * @go_fd:   becomes readable at the release
 * @outlets: the write ends of all groups, groups * fds; -1: closed
 * @inlets:  the read ends; kept in thread mode only
 * @killed:  a worker that was killed by somebody else
 */
struct hb_team {
	const struct hb_plan *plan;
	struct rt_run *run;
	struct rt_undo *undo;
	struct hb_shared *shared;
	struct hb_worker *workers;
	struct hb_channels channels;
	int go_fd;
	int *outlets;
	int *inlets;
	unsigned int made;
	unsigned int left;
	pid_t first_pid;
	bool is_released;
	struct rt_err killed;
	int64_t ended_ns;
};

int hb_team_init(struct hb_team *team, const struct hb_plan *plan, struct rt_run *run,
		 struct rt_undo *undo, struct rt_err *err);

/**
 * hb_team_make() - all channels and workers; they get ready and wait
 * Return: 0; a negative errno with a sentence. The end of the run while they
 * are being made is no failure of this call.
 */
int hb_team_make(struct hb_team *team, struct rt_err *err);

/** hb_team_run() - release them once all are ready, and sleep until all have ended or the run has */
void hb_team_run(struct hb_team *team);

/**
 * hb_team_end() - bring home whoever is still there
 * Return: 0; a negative errno with the sentence of the worker that failed first.
 */
int hb_team_end(struct hb_team *team, struct rt_err *err);
void hb_team_done(struct hb_team *team);

/** hb_work() - a worker's whole life: get ready, wait, pass the messages; 0 or a negative errno */
int hb_work(struct hb_worker *w, struct rt_err *err);

/** struct hb_session - one run, owned by main */
struct hb_session {
	struct rt_session rt;
	const struct hb_plan *plan;
	struct hb_team team;
	int64_t time_ns; /* from the release to the end of the last worker; 0: not all went well */
};

/* report.c */
void hb_report_plan(struct hb_plan *plan);
void hb_report_header(struct hb_session *s);
int hb_report(struct hb_session *s, int exit_status, struct rt_err *err);

#endif
