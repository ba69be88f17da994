/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * out - text on stdout and stderr, and other writing to somebody who may not read: a pager
 * that waits for a key, a stopped terminal, a pipe whose reader is busy.
 *
 * There write(2) sleeps, and a blocked signal does not end that sleep: the run
 * would neither end in its time nor take Ctrl-C. So nothing is written before
 * the kernel says that there is room. Meanwhile the run's signals and its end
 * are looked after; once it is over, a further signal gives up the text.
 */
#ifndef RT_OUT_H
#define RT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/**
 * rt_out() - the process's stream to stdout; instead of stdio's own
 * What can't be written is dropped and remembered, see rt_out_flush().
 */
FILE *rt_out(void);

/**
 * rt_out_err() - the same to stderr, a line in one write
 * What can't be written there is dropped, too; only what was given up for a signal is a failure.
 */
FILE *rt_out_err(void);

/** rt_out_say() - a whole line to stderr, in any thread: takes no lock that a stalled writer has */
void rt_out_say(const char *line, size_t length);

/** rt_out_flush() - write what is buffered. Return: 0; the first failure so far as a negative errno */
int rt_out_flush(void);

/** rt_out_fd() - the descriptor behind this stream, rt_out() or rt_out_err() */
int rt_out_fd(FILE *out);

/** rt_out_is_terminal() - is there one behind this stream, rt_out() or rt_out_err()? */
bool rt_out_is_terminal(FILE *out);

/**
 * rt_out_own() - a way of our own to the pipe or terminal behind a descriptor
 *
 * Two writers may both be told of the same room; the second one would sleep in write(2). What
 * is open under O_NONBLOCK never makes its writer sleep, but that flag is not ours to set on
 * what others have open, too.
 *
 * Return: a new descriptor, the caller's to close; -1: there is none, the old one has to do.
 */
int rt_out_own(int fd);

/**
 * rt_out_write() - all of it, to a pipe, terminal, socket or device
 * Return: 0; -EINTR when it was given up for a signal; another negative errno.
 */
int rt_out_write(int fd, const void *data, size_t length);

/** rt_out_must_end() - does a blocked SIGINT, SIGTERM or SIGHUP wait for somebody to take it? */
bool rt_out_must_end(void);

/**
 * rt_out_serve() - what this thread does while it can't write; NULL: it looks for signals
 * @call: sleeps until @fd may be written or something else was to be done.
 *        Return: true; false when there is nothing to look after any more
 */
void rt_out_serve(bool (*call)(void *data, int fd), void *data);

/** rt_out_waits_for_stderr() - asked by what is served: has it to do without stderr? */
bool rt_out_waits_for_stderr(void);

#endif
