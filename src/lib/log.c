/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log - messages on stderr, each line in one write, so that those of several
 * threads and processes don't run into each other.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt/log.h"
#include "rt/out.h"

/* The name and the level belong to the process, like stderr itself; set before threads exist. */
static const char *log_program = "rtgauge";
static enum rt_log_level log_most = RT_LOG_WARNING;

/*
 * The next file that is opened would take the place of a standard one that is
 * closed, and get our messages. What is put there refuses them, as it should.
 */
static void keep_standard_files(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
			return;
}

void rt_log_init(const char *program)
{
	const char *slash;

	keep_standard_files();
	if (!program || !*program)
		return;
	slash = strrchr(program, '/');
	log_program = slash && slash[1] ? slash + 1 : program;
}

void rt_log_set_level(enum rt_log_level most)
{
	log_most = most < RT_LOG_WARNING ? RT_LOG_WARNING : most;
}

const char *rt_program(void)
{
	return log_program;
}

static RT_PRINTF(2, 0) void say(const char *kind, const char *fmt, va_list args)
{
	int saved_errno = errno;
	char *text, *line;
	int length;

	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	length = asprintf(&line, "%s: %s%s\n", log_program, kind, text ? text : fmt);
	if (length >= 0) {
		rt_out_say(line, (size_t)length);
		free(line);
	} else {
		fprintf(stderr, "%s: %s%s\n", log_program, kind, fmt);
	}
	free(text);
	errno = saved_errno;
}

void rt_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say("", fmt, args);
	va_end(args);
}

void rt_warn(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say("warning: ", fmt, args);
	va_end(args);
}

void rt_info(const char *fmt, ...)
{
	va_list args;

	if (log_most < RT_LOG_INFO)
		return;
	va_start(args, fmt);
	say("", fmt, args);
	va_end(args);
}

void rt_debug(const char *fmt, ...)
{
	va_list args;

	if (log_most < RT_LOG_DEBUG)
		return;
	va_start(args, fmt);
	say("", fmt, args);
	va_end(args);
}

void rt_warn_err(struct rt_err *err)
{
	if (!rt_err_is_set(err))
		return;
	rt_warn("%s, continuing without it", err->text);
	*err = (struct rt_err){ 0 };
}

/* Was all that was printed really written? A full disk shows at the flush. */
static int flush_stdout(void)
{
	int status = rt_out_flush();

	if (!status)
		return 0;
	if (status == -EINTR)
		rt_error("nobody reads stdout: the rest of the output is left out");
	else
		rt_error("cannot write all of the output to stdout: %s", strerror(-status));
	return RT_EXIT_FAILED;
}

int rt_exit_status(int status, const struct rt_err *err)
{
	int flushed = flush_stdout();

	if (rt_err_is_set(err)) {
		rt_error("%s", err->text);
		return err->exit;
	}
	if (status < 0) {
		rt_error("failed: %s", strerror(-status));
		return RT_EXIT_FAILED;
	}
	return flushed;
}
