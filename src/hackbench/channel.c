/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "channel.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rt/compiler.h"

const char *hb_channel_name(enum hb_channel_kind kind)
{
	static const char *const names[] = {
		[HB_SOCKETPAIR] = "socketpair", [HB_PIPE] = "pipe", [HB_TCP] = "inet",
	};

	return names[kind];
}

static int failed(struct rt_err *err, const char *what)
{
	return rt_err_set(err, RT_EXIT_FAILED, errno, "cannot %s: %s", what, strerror(errno));
}

static int listen_on_loopback(struct rt_err *err)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return failed(err, "make a TCP socket");
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 || listen(fd, 16) < 0) {
		failed(err, "listen on 127.0.0.1; is the loopback interface up?");
		close(fd);
		return -1;
	}
	return fd;
}

int hb_channels_init(struct hb_channels *c, enum hb_channel_kind kind, struct rt_err *err)
{
	c->kind = kind;
	c->listener = -1;
	if (kind != HB_TCP)
		return 0;
	c->listener = listen_on_loopback(err);
	return c->listener < 0 ? -EIO : 0;
}

void hb_channels_done(struct hb_channels *c)
{
	rt_close_fd(&c->listener);
	c->listener = -1;
}

/* Anybody on this machine may connect to our port: take the connection that is ours. */
static int accept_own(int listener, const struct sockaddr_in *own)
{
	for (;;) {
		struct sockaddr_in from;
		socklen_t length = sizeof(from);
		int fd = accept4(listener, (struct sockaddr *)&from, &length, SOCK_CLOEXEC);

		if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
			continue;
		if (fd < 0)
			return -1;
		if (from.sin_port == own->sin_port &&
		    from.sin_addr.s_addr == own->sin_addr.s_addr)
			return fd;
		close(fd);
	}
}

/* A blocking connect: on loopback it is over as soon as the queue has taken it. */
static int open_tcp(int listener, int *ret_inlet, int *ret_outlet)
{
	struct sockaddr_in address;
	socklen_t length = sizeof(address);
	int outlet = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int inlet = -1;

	if (outlet < 0)
		return -1;
	if (getsockname(listener, (struct sockaddr *)&address, &length) == 0 &&
	    connect(outlet, (struct sockaddr *)&address, length) == 0 &&
	    getsockname(outlet, (struct sockaddr *)&address, &length) == 0)
		inlet = accept_own(listener, &address);
	if (inlet < 0) {
		int code = errno;

		close(outlet);
		errno = code;
		return -1;
	}
	*ret_inlet = inlet;
	*ret_outlet = outlet;
	return 0;
}

static int open_pair(int fds[2], struct hb_channels *c)
{
	switch (c->kind) {
	case HB_PIPE:
		return pipe2(fds, O_CLOEXEC);
	case HB_TCP:
		return open_tcp(c->listener, &fds[0], &fds[1]);
	default:
		return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds);
	}
}

int hb_channel_open(struct hb_channels *c, int *ret_inlet, int *ret_outlet, struct rt_err *err)
{
	int fds[2] = { -1, -1 };

	*ret_inlet = *ret_outlet = -1;
	if (open_pair(fds, c) < 0)
		return rt_err_set(err, RT_EXIT_FAILED, errno, "cannot open a %s: %s",
				  c->kind == HB_TCP ? "TCP connection" : hb_channel_name(c->kind),
				  strerror(errno));
	*ret_inlet = fds[0];
	*ret_outlet = fds[1];
	return 0;
}
