/* SPDX-License-Identifier: GPL-3.0-or-later */
/* connections.c - see connections.h. The list is in order of arrival, newest first. */
#include "api/connections.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "engine/base/clock.h"

struct connection {
	int fd;
	enum connection_phase phase;
	uint64_t since_ns;
	bool ended; /* shutdown was called */
	bool gone;  /* the other side has closed, when it was last looked at */
	struct connection *newer, *older;
};

struct connections {
	pthread_mutex_t lock;
	/* Locking: lock */
	size_t count;
	struct connection *newest, *oldest;
};

int connections_new(struct connections **ret_connections)
{
	struct connections *connections = calloc(1, sizeof(*connections));

	if (!connections)
		return -ENOMEM;
	(void)pthread_mutex_init(&connections->lock, NULL); /* cannot fail with defaults */
	*ret_connections = connections;
	return 0;
}

void connections_free(struct connections *connections)
{
	struct connection *next;

	if (!connections)
		return;
	for (struct connection *c = connections->newest; c; c = next) {
		next = c->older;
		free(c);
	}
	(void)pthread_mutex_destroy(&connections->lock);
	free(connections);
}

static void end(struct connection *connection)
{
	connection->ended = true;
	(void)shutdown(connection->fd, SHUT_RDWR); /* it may be gone already */
}

static void end_oldest_reading(struct connections *connections)
{
	struct connection *oldest = NULL;

	for (struct connection *c = connections->oldest; c; c = c->newer)
		if (c->phase == CONNECTION_READING && !c->ended &&
		    (!oldest || c->since_ns < oldest->since_ns))
			oldest = c;
	if (oldest)
		end(oldest);
}

struct connection *connections_add(struct connections *connections, int fd, uint64_t now_ns)
{
	struct connection *connection = calloc(1, sizeof(*connection));

	if (!connection) {
		(void)shutdown(fd, SHUT_RDWR); /* nothing better is left to do */
		return NULL;
	}
	connection->fd = fd;
	connection->phase = CONNECTION_READING;
	connection->since_ns = now_ns;
	(void)pthread_mutex_lock(&connections->lock);
	if (connections->count >= CONNECTIONS_CROWDED)
		end_oldest_reading(connections);
	connection->older = connections->newest;
	if (connections->newest)
		connections->newest->newer = connection;
	else
		connections->oldest = connection;
	connections->newest = connection;
	connections->count++;
	(void)pthread_mutex_unlock(&connections->lock);
	return connection;
}

void connections_remove(struct connections *connections, struct connection *connection)
{
	if (!connection)
		return;
	(void)pthread_mutex_lock(&connections->lock);
	if (connection->newer)
		connection->newer->older = connection->older;
	else
		connections->newest = connection->older;
	if (connection->older)
		connection->older->newer = connection->newer;
	else
		connections->oldest = connection->newer;
	connections->count--;
	(void)pthread_mutex_unlock(&connections->lock);
	free(connection);
}

void connections_enter(struct connections *connections, struct connection *connection,
		       enum connection_phase phase, uint64_t now_ns)
{
	if (!connection)
		return;
	(void)pthread_mutex_lock(&connections->lock);
	connection->phase = phase;
	connection->since_ns = now_ns;
	connection->gone = false;
	(void)pthread_mutex_unlock(&connections->lock);
}

static bool overdue(const struct connection *connection, uint64_t now_ns)
{
	uint64_t limit_s;

	switch (connection->phase) {
	case CONNECTION_READING:
		limit_s = CONNECTION_READING_S;
		break;
	case CONNECTION_ANSWERING:
		limit_s = CONNECTION_ANSWERING_S;
		break;
	default:
		return false;
	}
	return now_ns - connection->since_ns >= limit_s * NS_PER_S;
}

/* Whether the other side closed in the middle of a request, seen twice: once may be the moment
 * between libmicrohttpd's reading of the last byte and the next phase. */
static bool left(struct connection *connection)
{
	char byte;
	bool before = connection->gone;

	if (connection->phase != CONNECTION_READING)
		return false;
	connection->gone = recv(connection->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
	return before && connection->gone;
}

size_t connections_reap(struct connections *connections, uint64_t now_ns)
{
	size_t ended = 0;

	(void)pthread_mutex_lock(&connections->lock);
	for (struct connection *c = connections->oldest; c; c = c->newer) {
		/* since_ns may be a moment younger than now_ns was taken */
		if (!c->ended && now_ns > c->since_ns && (overdue(c, now_ns) || left(c))) {
			end(c);
			ended++;
		}
	}
	(void)pthread_mutex_unlock(&connections->lock);
	return ended;
}

size_t connections_count(struct connections *connections)
{
	size_t count;

	(void)pthread_mutex_lock(&connections->lock);
	count = connections->count;
	(void)pthread_mutex_unlock(&connections->lock);
	return count;
}

size_t connections_in_phase(struct connections *connections, enum connection_phase phase)
{
	size_t count = 0;

	(void)pthread_mutex_lock(&connections->lock);
	for (struct connection *c = connections->oldest; c; c = c->newer)
		if (c->phase == phase)
			count++;
	(void)pthread_mutex_unlock(&connections->lock);
	return count;
}
