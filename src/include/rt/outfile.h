/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outfile - result files: proved writable before the run, complete or absent
 * after it.
 *
 * A regular or absent target (symlinks resolved first) is written beside its
 * place and renamed into it. "-" is stdout; devices, pipes and /dev/fd/N are
 * written straight. A regular file that can be written but not replaced (a
 * mounted single file, somebody else's in a sticky folder) is rewritten in
 * place. A FIFO without a reader is waited for at the opening, as a shell
 * does: open before the signals are blocked.
 */
#ifndef RT_OUTFILE_H
#define RT_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "rt/err.h"
#include "rt/undo.h"

struct rt_outfile;

/**
 * rt_outfile_open() - prove that @path can be written; nothing appears there yet
 * @undo: gets the removal of the temporary file; may be NULL
 * Return: 0; a negative errno with a sentence (RT_EXIT_FAILED).
 */
int rt_outfile_open(struct rt_outfile **ret, const char *path, struct rt_undo *undo,
		    struct rt_err *err);

/**
 * rt_open_straight() - open(2) for writing, also of a named pipe that has no reader yet
 * @flags: beside O_WRONLY, O_CLOEXEC, O_NOCTTY
 *
 * The kernel would wait for the reader in a sleep that a signal ends only if
 * it has a handler. Ours are blocked, to be taken by the run: here they are
 * looked for.
 *
 * Return: the descriptor, under O_NONBLOCK, for rt_out_write(); -EINTR when SIGINT, SIGTERM or
 * SIGHUP waits; a negative errno.
 */
int rt_open_straight(const char *path, int flags, mode_t mode);

/** rt_outfile_is_stdout() - "-" was given: all other output goes to stderr */
bool rt_outfile_is_stdout(const struct rt_outfile *f);

/** rt_outfile_is_replaced() - a regular file, which checkpoints may replace again and again */
bool rt_outfile_is_replaced(const struct rt_outfile *f);

/**
 * rt_outfile_write() - replace the whole content, atomically where possible, with fsync(2)
 * May be called again and again. The previous content stays when it fails.
 * Return: 0; a negative errno with a sentence (RT_EXIT_FAILED).
 */
int rt_outfile_write(struct rt_outfile *f, const char *text, size_t length, struct rt_err *err);

/** rt_outfile_close() - remove what is unfinished, free; NULL is fine */
void rt_outfile_close(struct rt_outfile *f);

#endif
