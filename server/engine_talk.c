/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine_talk.c - see engine_talk.h. */
#include "server/engine_talk.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "engine/base/clock.h"

#define READ_STEP ((size_t)64 << 10)
#define KILL_GRACE_MS 1000 /* a killed process that takes longer hangs in the kernel */

/* What the process inherits of our environment besides: sanitizers are told their options so. */
static const char *const kept_variables[] = {"ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS",
					     "UBSAN_OPTIONS"};

static int start_child(const char *program, const char *const *argv, int fd, pid_t *ret_pid)
{
	const char *environment[ARRAY_SIZE(kept_variables) + 3] = {
		"LC_ALL=C", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"};
	char *kept[ARRAY_SIZE(kept_variables)] = {NULL};
	size_t count = 2;
	struct child_options options = {.argv = argv,
					.program = program,
					.environment = environment,
					.stdin_fd = fd,
					.stdout_fd = -1,
					.stderr_fd = STDERR_FILENO,
					.own_session = true};
	int r;

	for (size_t i = 0; i < ARRAY_SIZE(kept_variables); i++) {
		const char *value = getenv(kept_variables[i]);

		if (value && asprintf(&kept[i], "%s=%s", kept_variables[i], value) >= 0)
			environment[count++] = kept[i];
	}
	r = child_start(&options, ret_pid);
	for (size_t i = 0; i < ARRAY_SIZE(kept_variables); i++)
		free(kept[i]);
	return r;
}

int talk_start(struct talk *talk, const char *program, const char *const *argv)
{
	int fds[2], r;

	memset(talk, 0, sizeof(*talk));
	/* Both ends block; our own calls say MSG_DONTWAIT. */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return -errno;
	r = start_child(program, argv, fds[1], &talk->pid);
	(void)close(fds[1]); /* the child's */
	if (r < 0) {
		(void)close(fds[0]);
		return r;
	}
	talk->fd = fds[0];
	return 0;
}

int talk_send(struct talk *talk, char *text)
{
	size_t length = text ? strlen(text) : 0, waiting = talk->out_end - talk->out_start;
	char *longer;

	if (!text)
		return -ENOMEM;
	longer = malloc(waiting + length);
	if (!longer) {
		free(text);
		return -ENOMEM;
	}
	if (waiting)
		memcpy(longer, talk->out + talk->out_start, waiting);
	memcpy(longer + waiting, text, length);
	free(text);
	free(talk->out);
	talk->out = longer;
	talk->out_start = 0;
	talk->out_end = waiting + length;
	return 0;
}

/* A process that does not listen any more says so by its end of file, not here. */
static void send_some(struct talk *talk)
{
	ssize_t sent = send(talk->fd, talk->out + talk->out_start, talk->out_end - talk->out_start,
			    MSG_DONTWAIT | MSG_NOSIGNAL);

	if (sent > 0)
		talk->out_start += (size_t)sent;
	else if (sent < 0 && errno != EAGAIN && errno != EINTR)
		talk->out_start = talk->out_end;
}

/* Room for READ_STEP bytes behind in_end. */
static int make_room(struct talk *talk)
{
	size_t waiting = talk->in_end - talk->in_start, room;
	char *longer;

	if (talk->in_start > 0) {
		memmove(talk->in, talk->in + talk->in_start, waiting);
		talk->in_scanned -= talk->in_start;
		talk->in_start = 0;
		talk->in_end = waiting;
	}
	if (waiting > TALK_LINE_MAX)
		return -EMSGSIZE;
	if (talk->in_room - waiting >= READ_STEP)
		return 0;
	room = talk->in_room * 2 > waiting + READ_STEP ? talk->in_room * 2 : waiting + READ_STEP;
	longer = realloc(talk->in, room);
	if (!longer)
		return -ENOMEM;
	talk->in = longer;
	talk->in_room = room;
	return 0;
}

/* 0 where something or nothing was there, -EPIPE at the end. */
static int read_some(struct talk *talk)
{
	ssize_t got;
	int r = make_room(talk);

	if (r < 0)
		return r;
	got = recv(talk->fd, talk->in + talk->in_end, talk->in_room - talk->in_end, MSG_DONTWAIT);
	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0
		       : errno == ECONNRESET		 ? -EPIPE
							 : -errno;
	talk->in_end += (size_t)got;
	return got == 0 ? -EPIPE : 0;
}

static bool take_line(struct talk *talk, char **ret_line, size_t *ret_size)
{
	char *start = talk->in + talk->in_start, *end;

	if (talk->in_scanned == talk->in_end)
		return false;
	end = memchr(talk->in + talk->in_scanned, '\n', talk->in_end - talk->in_scanned);
	if (!end) {
		talk->in_scanned = talk->in_end;
		return false;
	}
	*end = '\0';
	*ret_line = start;
	*ret_size = (size_t)(end - start);
	talk->in_start = talk->in_scanned = (size_t)(end - talk->in) + 1;
	return true;
}

static int left_ms(uint64_t deadline_ns)
{
	uint64_t now = clock_now_ns(), left;

	if (now >= deadline_ns)
		return 0;
	left = (deadline_ns - now + NS_PER_MS - 1) / NS_PER_MS;
	return left > 60000 ? 60000 : (int)left;
}

/* Waits for something to do. -EINTR, -ETIMEDOUT as talk_next; a line that is there already makes it
 * a mere look at wake_fd, which no flood of lines may hide. */
static int wait_for(struct talk *talk, uint64_t deadline_ns, int wake_fd, bool have_line,
		    short *ret_events)
{
	struct pollfd fds[] = {{.fd = talk->fd, .events = POLLIN},
			       {.fd = wake_fd, .events = POLLIN}};
	int wait_ms = have_line ? 0 : left_ms(deadline_ns);

	if (talk->out_start < talk->out_end)
		fds[0].events |= POLLOUT;
	if (poll(fds, 2, wait_ms) < 0 && errno != EINTR)
		return -errno;
	if (fds[1].revents)
		return -EINTR;
	*ret_events = fds[0].revents;
	return !have_line && !fds[0].revents && clock_now_ns() >= deadline_ns ? -ETIMEDOUT : 0;
}

int talk_next(struct talk *talk, uint64_t deadline_ns, int wake_fd, char **ret_line,
	      size_t *ret_size)
{
	for (;;) {
		bool have_line =
			talk->in_scanned < talk->in_end &&
			memchr(talk->in + talk->in_scanned, '\n', talk->in_end - talk->in_scanned);
		short events = 0;
		int r = wait_for(talk, deadline_ns, wake_fd, have_line, &events);

		if (r < 0)
			return r;
		if (events & POLLOUT)
			send_some(talk);
		if (take_line(talk, ret_line, ret_size))
			return 0;
		if (events & (POLLIN | POLLHUP | POLLERR)) {
			r = read_some(talk);
			if (r < 0)
				return r;
		}
	}
}

void talk_end(struct talk *talk, uint64_t grace_ms, struct talk_end *ret_end)
{
	struct talk_end end = {0};
	int r;

	(void)close(talk->fd); /* this asks the engine to stop */
	r = child_await(talk->pid, grace_ms, &end.status);
	if (r < 0) {
		end.killed = true;
		end.hung = child_stop(talk->pid, KILL_GRACE_MS) == -ETIMEDOUT;
	}
	free(talk->in);
	free(talk->out);
	*ret_end = end;
}
