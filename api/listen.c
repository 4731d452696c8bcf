/* SPDX-License-Identifier: GPL-3.0-or-later */
/* listen.c - see listen.h. */
#include "api/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <sys/socket.h>

#define BACKLOG 512

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static int parse(const char *address, uint16_t port, union address *ret_address,
		 socklen_t *ret_size)
{
	*ret_address = (union address){0};
	if (inet_pton(AF_INET6, address, &ret_address->v6.sin6_addr) == 1) {
		ret_address->v6.sin6_family = AF_INET6;
		ret_address->v6.sin6_port = htons(port);
		*ret_size = sizeof(ret_address->v6);
		return 0;
	}
	*ret_address = (union address){0};
	if (inet_pton(AF_INET, address, &ret_address->v4.sin_addr) != 1)
		return -EINVAL;
	ret_address->v4.sin_family = AF_INET;
	ret_address->v4.sin_port = htons(port);
	*ret_size = sizeof(ret_address->v4);
	return 0;
}

int listen_open(const char *address, uint16_t port, int *ret_fd, uint16_t *ret_port,
		struct error *err)
{
	AUTO_CLOSE int fd = -1;
	union address name;
	socklen_t size;
	int one = 1;

	if (parse(address, port, &name, &size) < 0)
		return error_set(err, ERROR_BAD_VALUE, "", "\"%s\" is not an address to listen on",
				 address);
	fd = socket(name.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return error_set_sys(err, ERROR_SYSTEM, errno, "a socket to listen on");
	/* without it a restart would have to wait for old connections; it does no harm to fail */
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, &name.any, size) < 0 || listen(fd, BACKLOG) < 0 ||
	    getsockname(fd, &name.any, &size) < 0)
		return error_set_sys(err, ERROR_SYSTEM, errno, "listening on %s port %u", address,
				     port);
	*ret_port = ntohs(name.any.sa_family == AF_INET6 ? name.v6.sin6_port : name.v4.sin_port);
	*ret_fd = TAKE_FD(fd);
	return 0;
}
