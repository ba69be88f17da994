/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * err - an error that carries a sentence for the person, and the exit status
 * that it means.
 *
 * Library functions return 0 or a negative errno. Where a sentence helps they
 * also fill the struct rt_err that their caller handed in; NULL is always
 * allowed for it. Nothing here prints; main does, once, at the end.
 */
#ifndef RT_ERR_H
#define RT_ERR_H

#include "rt/compiler.h"

/** enum rt_exit - the exit statuses that every tool shares */
enum rt_exit {
	RT_EXIT_GOOD = 0,    /* the run was good, also when ended by a signal */
	RT_EXIT_FAILED = 1,  /* it ran and failed */
	RT_EXIT_USAGE = 2,   /* bad option, value or combination; nothing was touched */
	RT_EXIT_LIMIT = 3,   /* a limit given by the user was passed */
	RT_EXIT_MISSING = 4, /* a right, feature, device or CPU that the test needs is not there */
};

#define RT_ERR_TEXT_MAX 1024

/**
 * struct rt_err - the first thing that went wrong
 * @exit: what the program shall end with
 * @code: the negative errno that the failing function returned
 * @text: one line, without the program's name and without a newline
 */
struct rt_err {
	enum rt_exit exit;
	int code;
	char text[RT_ERR_TEXT_MAX];
};

/**
 * rt_err_set() - put a failure into words
 * @err:  may be NULL; an error that is already set stays (the first one decides)
 * @exit: the exit status that this failure means
 * @code: errno, of either sign; 0 is taken as EINVAL
 * @fmt:  what failed, on what, why, and what to do
 *
 * Return: -|code|, so that "return rt_err_set(...)" ends a function.
 */
int rt_err_set(struct rt_err *err, enum rt_exit exit, int code, const char *fmt, ...)
	RT_PRINTF(4, 5);

/**
 * rt_err_memory() - "no memory for WHAT" (RT_EXIT_FAILED)
 * @what: and, where it helps, what to give less of: "the run; use fewer threads"
 * Return: -ENOMEM.
 */
int rt_err_memory(struct rt_err *err, const char *what);

/** rt_err_is_set() - has anything been put into words? (false for NULL) */
static inline int rt_err_is_set(const struct rt_err *err)
{
	return err && err->text[0] != '\0';
}

#endif
