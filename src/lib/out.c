/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rt/out.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#define LOOK_MS 100 /* how soon a signal is seen where nobody sleeps for it */

/* main's, while the run is on; other threads look for signals */
static _Thread_local bool (*serve_call)(void *data, int fd);
static _Thread_local void *serve_data;

void rt_out_serve(bool (*serve)(void *data, int fd), void *data)
{
	serve_call = serve;
	serve_data = data;
}

bool rt_out_must_end(void)
{
	sigset_t waiting;

	sigemptyset(&waiting);
	sigpending(&waiting);
	return sigismember(&waiting, SIGINT) == 1 || sigismember(&waiting, SIGTERM) == 1 ||
	       sigismember(&waiting, SIGHUP) == 1;
}

/* Also true at an error: write(2) then tells which. */
static bool is_writable(int fd, int wait_ms)
{
	struct pollfd room = { .fd = fd, .events = POLLOUT };

	return poll(&room, 1, wait_ms) > 0;
}

static int wait_for_room(int fd)
{
	while (!is_writable(fd, 0)) {
		if (serve_call && serve_call(serve_data, fd))
			continue;
		if (rt_out_must_end())
			return -EINTR;
		is_writable(fd, LOOK_MS);
	}
	return 0;
}

int rt_out_write(int fd, const void *data, size_t length)
{
	const char *at = data;

	while (length) {
		/* a pipe that may be written at all takes so much without a sleep: pipe(7) */
		size_t part = length < PIPE_BUF ? length : PIPE_BUF;
		int status = wait_for_room(fd);
		ssize_t n = status ? 0 : write(fd, at, part);

		if (status)
			return status;
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		if (n > 0) {
			at += n;
			length -= (size_t)n;
		}
	}
	return 0;
}

/* ---- the stream ------------------------------------------------------------------- */

static FILE *stream;
static int stream_failure;

/* The rest is dropped after a failure, so that nobody waits for the same reader again. */
static ssize_t write_stream(void *cookie, const char *text, size_t length)
{
	(void)cookie;
	if (!stream_failure)
		stream_failure = rt_out_write(STDOUT_FILENO, text, length);
	return (ssize_t)length;
}

FILE *rt_out(void)
{
	const cookie_io_functions_t calls = { .write = write_stream };

	if (stream)
		return stream;
	fflush(stdout);
	stream = fopencookie(NULL, "w", calls);
	if (!stream)
		return stdout;
	setvbuf(stream, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
	return stream;
}

int rt_out_flush(void)
{
	bool had_error = ferror(stdout);

	if (fflush(stdout) != 0 || had_error)
		return had_error ? -EIO : -errno;
	if (stream && fflush(stream) != 0 && !stream_failure)
		stream_failure = -errno;
	return stream_failure;
}

int rt_out_fd(FILE *out)
{
	return out == stderr ? STDERR_FILENO : STDOUT_FILENO;
}

bool rt_out_is_terminal(FILE *out)
{
	return isatty(rt_out_fd(out));
}
