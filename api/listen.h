/* SPDX-License-Identifier: GPL-3.0-or-later */
/* listen.h - the socket that is listened on, opened here rather than by libmicrohttpd so that what
 * is wrong can be told. */
#ifndef API_LISTEN_H
#define API_LISTEN_H

#include <stdint.h>

#include "engine/base/error.h"

/* address: IPv4 or IPv6, without brackets. port 0: the kernel chooses; *ret_port is the one it is.
 * BAD_VALUE, SYSTEM. */
MUST_CHECK int listen_open(const char *address, uint16_t port, int *ret_fd, uint16_t *ret_port,
			   struct error *err);

#endif
