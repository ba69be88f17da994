/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * err - put a failure into one printable line, once.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "rt/err.h"

/* Arguments come from command lines and files: no newline or escape sequence may pass. */
static void make_one_line(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = '?';
}

int rt_err_set(struct rt_err *err, enum rt_exit exit, int code, const char *fmt, ...)
{
	int saved_errno = errno;
	va_list args;
	int len;

	code = code > 0 ? -code : code ? code : -EINVAL;
	if (!err || rt_err_is_set(err))
		return code;

	err->exit = exit;
	err->code = code;
	va_start(args, fmt);
	len = vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	if (len <= 0)
		strcpy(err->text, "unknown error"); /* must not look unset */
	else if ((size_t)len >= sizeof(err->text))
		strcpy(err->text + sizeof(err->text) - sizeof("..."), "...");
	make_one_line(err->text);
	errno = saved_errno;
	return code;
}

int rt_err_memory(struct rt_err *err, const char *what)
{
	return rt_err_set(err, RT_EXIT_FAILED, ENOMEM, "no memory for %s", what);
}
