/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * connections.h - a deadline for every connection.
 *
 * libmicrohttpd's own timeout counts inactivity only, so a client that sends a byte a second lives
 * for ever. Here a connection is in one phase and each has its time:
 *
 *   READING    header and body are to arrive within 10 s          -> WORKING, closed
 *   WORKING    suspended or in a handler; whoever suspended it has a deadline -> ANSWERING, closed
 *   ANSWERING  the client is to take the answer within 60 s       -> READING, closed
 *
 * Above CONNECTIONS_CROWDED connections the oldest one in READING is ended for each new one.
 * Ending means shutdown(2), never close(2): libmicrohttpd then sees the end and closes.
 *
 * Locking: one mutex over the list; connections_remove takes it, and shutdown is called under it,
 * so a descriptor is never one that was closed and given out again. Threads: any.
 */
#ifndef API_CONNECTIONS_H
#define API_CONNECTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/macros.h"

#define CONNECTIONS_MAX 320
#define CONNECTIONS_PER_ADDRESS 32
#define CONNECTIONS_CROWDED 256
#define CONNECTION_READING_S 10
#define CONNECTION_ANSWERING_S 60

enum connection_phase { CONNECTION_READING, CONNECTION_WORKING, CONNECTION_ANSWERING };

struct connections;
struct connection;

MUST_CHECK int connections_new(struct connections **ret_connections);
void connections_free(struct connections *connections);

/* A new connection, READING; NULL: no memory (the descriptor is then ended at once). */
struct connection *connections_add(struct connections *connections, int fd, uint64_t now_ns);
void connections_remove(struct connections *connections, struct connection *connection);

/* connection may be NULL: nothing happens. */
void connections_enter(struct connections *connections, struct connection *connection,
		       enum connection_phase phase, uint64_t now_ns);

/* Ends those whose time is over, and those whose client closed in the middle of a request (seen in
 * two calls after another: libmicrohttpd's epoll misses them); how many. */
size_t connections_reap(struct connections *connections, uint64_t now_ns);

size_t connections_count(struct connections *connections);
size_t connections_in_phase(struct connections *connections, enum connection_phase phase);

#endif
