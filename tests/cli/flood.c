/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flood SECONDS - datagrams over the loopback interface to ourselves: each is received
 * in the softirq NET_RX of the CPU that sent it. At least one, and 1 if it cannot be sent.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

int main(int argc, char **argv)
{
	static char datagram[1000];
	struct sockaddr_in to = { .sin_family = AF_INET };
	socklen_t length = sizeof(to);
	time_t end = time(NULL) + (argc == 2 ? atoi(argv[1]) : 0);
	int from = socket(AF_INET, SOCK_DGRAM, 0), at = socket(AF_INET, SOCK_DGRAM, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (from < 0 || at < 0 || bind(at, (struct sockaddr *)&to, sizeof(to)) ||
	    getsockname(at, (struct sockaddr *)&to, &length) ||
	    sendto(from, datagram, 1, 0, (struct sockaddr *)&to, length) < 0) {
		perror("flood");
		return 1;
	}
	while (time(NULL) < end)
		for (int i = 0; i < 64; i++) {
			sendto(from, datagram, sizeof(datagram), 0, (struct sockaddr *)&to, length);
			recv(at, datagram, sizeof(datagram), MSG_DONTWAIT);
		}
	return 0;
}
