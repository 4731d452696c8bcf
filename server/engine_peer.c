/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine_peer.c - see engine_peer.h. */
#include "server/engine_peer.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include "engine/base/clock.h"

#define REQUEST_MAX (UINT64_C(4) << 20)
#define WRITE_PIECE 4096     /* PIPE_BUF: never blocks on a pipe that is ready */
#define FAREWELL_NS NS_PER_S /* how long the last lines may take once the peer has left */

/* ---- answers ---- */

static void lose_peer(struct peer *peer)
{
	atomic_store(&peer->gone, true);
	atomic_store(&peer->cancel, true);
}

/* Sends without waiting: bytes taken, 0 where there is no room now, -1 where the peer has left. */
static ssize_t send_some(struct peer *peer, const char *data, size_t size)
{
	struct pollfd ready = {.fd = peer->out_fd, .events = POLLOUT};
	ssize_t n;

	if (peer->socket) {
		n = send(peer->out_fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
	} else {
		if (poll(&ready, 1, 0) <= 0 || !(ready.revents & (POLLOUT | POLLERR)))
			return 0;
		n = write(peer->out_fd, data, size < WRITE_PIECE ? size : WRITE_PIECE);
	}
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
		return 0;
	if (n < 0)
		lose_peer(peer);
	return n;
}

/* Waits until the peer reads; false once it has left and its farewell is over. */
static bool await_room(struct peer *peer)
{
	struct pollfd ready = {.fd = peer->out_fd, .events = POLLOUT};

	if (atomic_load(&peer->gone)) {
		if (!peer->gone_ns)
			peer->gone_ns = clock_now_ns();
		if (clock_now_ns() > peer->gone_ns + FAREWELL_NS)
			return false;
	}
	(void)poll(&ready, 1, 100); /* whatever it says, sending will tell */
	return true;
}

static bool send_all(struct peer *peer, const char *data, size_t size)
{
	while (size > 0) {
		ssize_t n = send_some(peer, data, size);

		if (n < 0 || (n == 0 && !await_room(peer)))
			return false;
		data += n;
		size -= (size_t)n;
	}
	return true;
}

static void drop_rest(struct peer *peer)
{
	free(peer->rest);
	peer->rest = NULL;
}

void peer_answer(struct peer *peer, enum message_kind kind, json_t *value)
{
	AUTO_FREE char *line = message_answer(kind, value);

	if (!line) {
		peer->failed = true;
		atomic_store(&peer->cancel, true);
		return;
	}
	if (peer->rest &&
	    !send_all(peer, peer->rest + peer->rest_at, peer->rest_size - peer->rest_at))
		return; /* a line was cut, so nothing may follow it */
	drop_rest(peer);
	(void)send_all(peer, line, strlen(line)); /* the peer's loss is seen by the caller */
}

/* Sends a line if the peer reads, else drops it; what did not leave of it leaves first next time.
 */
void peer_answer_if_read(struct peer *peer, enum message_kind kind, json_t *value)
{
	char *line = message_answer(kind, value);
	ssize_t n;

	if (peer->rest) {
		n = send_some(peer, peer->rest + peer->rest_at, peer->rest_size - peer->rest_at);
		if (n > 0)
			peer->rest_at += (size_t)n;
		if (peer->rest_at < peer->rest_size) {
			free(line);
			return;
		}
		drop_rest(peer);
	}
	n = line ? send_some(peer, line, strlen(line)) : 0;
	if (n <= 0 || (size_t)n == strlen(line)) {
		free(line);
		return;
	}
	peer->rest = line;
	peer->rest_at = (size_t)n;
	peer->rest_size = strlen(line);
}

/* ---- the watcher ---- */

/* Nothing was created yet, so the process may end here and now, even if the main thread hangs in
 * the kernel on a dead target. */
static void leave_if_idle(struct peer *peer)
{
	if (atomic_load(&peer->idle))
		_exit(0);
}

static void take_line(struct peer *peer, const char *line, size_t size)
{
	struct call call;
	bool cancel;

	/* A second request on one connection, or nonsense, changes nothing. */
	if (call_read(line, size, &call, NULL) < 0)
		return;
	cancel = call.kind == CALL_CANCEL;
	call_done(&call);
	if (cancel)
		atomic_store(&peer->cancel, true);
}

/* Takes the whole lines out of what was read behind the request. */
static void take_lines(struct peer *peer)
{
	char *newline;

	while ((newline = memchr(peer->buffer, '\n', peer->used))) {
		size_t size = (size_t)(newline - peer->buffer) + 1;

		take_line(peer, peer->buffer, size);
		memmove(peer->buffer, peer->buffer + size, peer->used - size);
		peer->used -= size;
	}
	if (peer->used == REQUEST_MAX)
		peer->used = 0; /* nonsense without an end */
}

/* False at the end of the input. */
static bool take_input(struct peer *peer)
{
	ssize_t n = read(peer->in_fd, peer->buffer + peer->used, REQUEST_MAX - peer->used);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	if (n <= 0) {
		if (peer->socket) {
			lose_peer(peer);
			leave_if_idle(peer);
		}
		return false;
	}
	peer->used += (size_t)n;
	take_lines(peer);
	return true;
}

static void take_signal(struct peer *peer)
{
	struct signalfd_siginfo info;

	if (read(peer->signal_fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	atomic_store(&peer->cancel, true);
	leave_if_idle(peer);
}

static void *watch(void *arg)
{
	struct peer *peer = arg;
	struct pollfd fds[4] = {
		{.fd = peer->stop_fd, .events = POLLIN},
		{.fd = peer->signal_fd, .events = POLLIN},
		{.fd = peer->in_fd, .events = POLLIN},
		/* A pipe whose reader has left shows POLLERR, which is always looked for. */
		{.fd = peer->socket ? -1 : peer->out_fd, .events = 0},
	};

	take_lines(peer);
	while (poll(fds, ARRAY_SIZE(fds), -1) >= 0 || errno == EINTR) {
		if (fds[0].revents)
			break;
		if (fds[1].revents)
			take_signal(peer);
		if (fds[2].revents && !take_input(peer))
			fds[2].fd = -1;
		if (fds[3].revents & (POLLERR | POLLNVAL)) {
			lose_peer(peer);
			leave_if_idle(peer);
			fds[3].fd = -1;
		}
	}
	return NULL;
}

/* ---- begin and end ---- */

/* Reads up to the first newline, or the end of a pipe. */
static int read_line(struct peer *peer, size_t *ret_size, struct error *err)
{
	struct pollfd fds[2] = {
		{.fd = peer->in_fd, .events = POLLIN},
		{.fd = peer->signal_fd, .events = POLLIN},
	};
	const char *newline = NULL;
	ssize_t n = 1;

	peer->buffer = malloc(REQUEST_MAX);
	if (!peer->buffer)
		return error_no_memory(err);
	while (n > 0 && !newline && peer->used < REQUEST_MAX) {
		if (poll(fds, ARRAY_SIZE(fds), -1) < 0 && errno != EINTR)
			return error_set_sys(err, ERROR_SYSTEM, errno, "Reading the request");
		if (fds[1].revents)
			return error_set(err, ERROR_CANCELLED, "", "Stopped by a signal.");
		n = read(peer->in_fd, peer->buffer + peer->used, REQUEST_MAX - peer->used);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			n = 1;
		else if (n > 0)
			peer->used += (size_t)n;
		newline = memchr(peer->buffer, '\n', peer->used);
	}
	if (peer->used == 0 || (!newline && (peer->socket || peer->used == REQUEST_MAX)))
		return error_set(err, ERROR_BAD_REQUEST, "",
				 "A request is one line of at most %u bytes.",
				 (unsigned int)REQUEST_MAX);
	*ret_size = newline ? (size_t)(newline - peer->buffer) + 1 : peer->used;
	return 0;
}

int peer_read(struct peer *peer, struct call *ret_call, struct error *err)
{
	size_t size = 0;
	int r = read_line(peer, &size, err);

	if (r < 0)
		return r;
	r = call_read(peer->buffer, size, ret_call, err);
	memmove(peer->buffer, peer->buffer + size, peer->used - size);
	peer->used -= size;
	return r;
}

int peer_watch(struct peer *peer, struct error *err)
{
	int r = pthread_create(&peer->watcher, NULL, watch, peer);

	if (r != 0)
		return error_set_sys(err, ERROR_SYSTEM, r, "Starting the engine");
	peer->watched = true;
	return 0;
}

int peer_open(struct peer *peer, struct error *err)
{
	int type;
	socklen_t size = sizeof(type);
	sigset_t signals;

	*peer = (struct peer){.signal_fd = -1, .stop_fd = -1, .idle = true};
	peer->socket = getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
	peer->in_fd = STDIN_FILENO;
	peer->out_fd = peer->socket ? STDIN_FILENO : STDOUT_FILENO;
	(void)sigemptyset(&signals); /* these cannot fail for valid signals */
	(void)sigaddset(&signals, SIGTERM);
	(void)sigaddset(&signals, SIGINT);
	(void)sigaddset(&signals, SIGHUP);
	peer->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC);
	peer->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (peer->signal_fd < 0 || peer->stop_fd < 0)
		return error_set_sys(err, ERROR_SYSTEM, errno, "Starting the engine");
	return 0;
}

void peer_close(struct peer *peer)
{
	uint64_t one = 1;

	if (peer->watched && write(peer->stop_fd, &one, sizeof(one)) == (ssize_t)sizeof(one))
		(void)pthread_join(peer->watcher, NULL); /* it is ours and joinable */
	if (peer->signal_fd >= 0)
		(void)close(peer->signal_fd); /* nothing was written to these two */
	if (peer->stop_fd >= 0)
		(void)close(peer->stop_fd);
	free(peer->buffer);
	drop_rest(peer);
}
