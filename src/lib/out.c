/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rt/out.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS 100 /* how soon a signal is seen where nobody sleeps for it */
#define NAP_NS 5000000 /* where poll(2) says that there is room, and write(2) that there is not */

/* main's, while the run is on; other threads look for signals */
static _Thread_local bool (*serve_call)(void *data, int fd);
static _Thread_local void *serve_data;
static _Thread_local int waiting_for = -1;

void rt_out_serve(bool (*call)(void *data, int fd), void *data)
{
	serve_call = call;
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

static bool serve(int fd)
{
	int outer = waiting_for;
	bool served;

	if (!serve_call)
		return false;
	waiting_for = fd;
	served = serve_call(serve_data, fd);
	waiting_for = outer;
	return served;
}

static int wait_for_room(int fd)
{
	while (!is_writable(fd, 0)) {
		if (serve(fd))
			continue;
		if (rt_out_must_end())
			return -EINTR;
		is_writable(fd, LOOK_MS);
	}
	return 0;
}

/* Room that another writer took, or too little of it. Return: 0; -EINTR: give up. */
static int wait_a_little(int fd)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };

	if (serve(fd) || !rt_out_must_end()) {
		nanosleep(&nap, NULL);
		return 0;
	}
	return -EINTR;
}

/* The other end of a terminal has the same name for all: to open it makes a new one. */
static bool is_pty_master(int fd)
{
	unsigned int number;

	return ioctl(fd, TIOCGPTN, &number) == 0;
}

int rt_out_own(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	struct stat st;
	char path[32];

	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || (flags & O_PATH) || fstat(fd, &st) < 0)
		return -1;
	if (!S_ISFIFO(st.st_mode) && (!isatty(fd) || is_pty_master(fd)))
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
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
		if (n < 0 && errno == EAGAIN)
			status = wait_a_little(fd);
		else if (n < 0 && errno != EINTR)
			status = -errno;
		if (status)
			return status;
		if (n > 0) {
			at += n;
			length -= (size_t)n;
		}
	}
	return 0;
}

/* ---- the streams ------------------------------------------------------------------ */

struct stream {
	FILE *file;
	_Atomic int fd;
	_Atomic int failure; /* rt_out_say() is for all threads */
};

static struct stream to_stdout = { .fd = STDOUT_FILENO };
static struct stream to_stderr = { .fd = STDERR_FILENO };

bool rt_out_waits_for_stderr(void)
{
	return waiting_for == to_stderr.fd;
}

/*
 * The rest is dropped after a failure, so that nobody waits for the same reader again.
 * The signal that gave up one stream may have been taken since: the other, which often
 * leads to the same reader, doesn't wait for a further one.
 */
static void write_stream(struct stream *s, const char *text, size_t length)
{
	bool is_given_up = to_stdout.failure == -EINTR || to_stderr.failure == -EINTR;

	if (!s->failure && is_given_up && !is_writable(s->fd, 0))
		s->failure = -EINTR;
	if (!s->failure)
		s->failure = rt_out_write(s->fd, text, length);
}

static ssize_t write_all(void *cookie, const char *text, size_t length)
{
	write_stream(cookie, text, length);
	return (ssize_t)length;
}

static FILE *open_stream(struct stream *s, FILE *stdio, int buffering)
{
	const cookie_io_functions_t calls = { .write = write_all };
	int own;

	if (s->file)
		return s->file;
	fflush(stdio);
	s->file = fopencookie(s, "w", calls);
	if (!s->file)
		return stdio;
	own = rt_out_own(s->fd);
	if (own >= 0)
		s->fd = own;
	setvbuf(s->file, NULL, buffering, BUFSIZ);
	return s->file;
}

FILE *rt_out(void)
{
	return open_stream(&to_stdout, stdout, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF);
}

FILE *rt_out_err(void)
{
	return open_stream(&to_stderr, stderr, _IOLBF);
}

void rt_out_say(const char *line, size_t length)
{
	if (to_stderr.file)
		fflush(to_stderr.file);
	write_stream(&to_stderr, line, length);
}

/* A closed or full stderr is no failure of the run; that its text was given up is one. */
static int flush_stderr(void)
{
	if (to_stderr.file)
		fflush(to_stderr.file);
	return to_stderr.failure == -EINTR ? -EINTR : 0;
}

int rt_out_flush(void)
{
	bool had_error = ferror(stdout);
	int stderr_status = flush_stderr();

	if (fflush(stdout) != 0 || had_error)
		return had_error ? -EIO : -errno;
	if (to_stdout.file && fflush(to_stdout.file) != 0 && !to_stdout.failure)
		to_stdout.failure = -errno;
	return to_stdout.failure ? to_stdout.failure : stderr_status;
}

int rt_out_fd(FILE *out)
{
	return out == stderr || (out && out == to_stderr.file) ? to_stderr.fd : to_stdout.fd;
}

bool rt_out_is_terminal(FILE *out)
{
	return isatty(rt_out_fd(out));
}
