/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log - messages to the person, on stderr, with the program's name in front.
 *
 *     cyclictest: warning: cannot open /dev/cpu_dma_latency: ..., continuing without it
 *
 * For main and for rooms that let a run go on after something was refused.
 * Never called by a measuring thread between its release and its end.
 */
#ifndef RT_LOG_H
#define RT_LOG_H

#include "rt/compiler.h"
#include "rt/err.h"

enum rt_log_level { RT_LOG_ERROR, RT_LOG_WARNING, RT_LOG_INFO, RT_LOG_DEBUG };

/**
 * rt_log_init() - name the program and choose how much it says
 * @program: argv[0] or a name; only what stands behind its last slash is used;
 *           kept by reference
 *
 * Errors and warnings are always printed; until rt_log_set_level() infos and
 * debug messages are not.
 */
void rt_log_init(const char *program);
void rt_log_set_level(enum rt_log_level most);

/** rt_program() - the name given to rt_log_init(), "rtgauge" before that */
const char *rt_program(void);

/* One line each: "NAME: text", "NAME: warning: text", "NAME: text". A newline is added. */
void rt_error(const char *fmt, ...) RT_PRINTF(1, 2);
void rt_warn(const char *fmt, ...) RT_PRINTF(1, 2);
void rt_info(const char *fmt, ...) RT_PRINTF(1, 2);
void rt_debug(const char *fmt, ...) RT_PRINTF(1, 2);

/**
 * rt_warn_err() - say that something was refused and that the run goes on
 * @err: its sentence is printed with ", continuing without it" behind, then cleared
 */
void rt_warn_err(struct rt_err *err);

/**
 * rt_exit_status() - the last call of every main
 * @status: what the last step returned: 0, or a negative errno
 * @err:    printed once if it is set
 *
 * Return: err->exit if an error was set; else RT_EXIT_FAILED for a negative
 * status, which is then put into words with strerror(); else RT_EXIT_GOOD. A
 * stdout that could not be written (flushed here) is a failed run as well.
 */
int rt_exit_status(int status, const struct rt_err *err);

#endif
