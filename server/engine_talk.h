/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * engine_talk.h - one `volbench engine` process and the socket to it: lines out, lines in.
 *
 * Calling sequence: talk_start, talk_send and talk_next any number of times, talk_end. Nothing
 * blocks but talk_next and talk_end, each for a bounded time. What the process says is read with a
 * bound, so that a mad one takes no more memory than TALK_LINE_MAX.
 * Threads: one at a time.
 */
#ifndef SERVER_ENGINE_TALK_H
#define SERVER_ENGINE_TALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/base/child.h"

#define TALK_LINE_MAX ((size_t)64 << 20) /* a sample of many jobs and seconds has a few MiB */

struct talk {
	pid_t pid;
	int fd;
	char *in; /* what was read and not handed out yet begins at in_start */
	size_t in_start, in_end, in_room;
	size_t in_scanned; /* there is no newline before it */
	char *out;	   /* what is still to be sent begins at out_start */
	size_t out_start, out_end;
};

/* argv: NULL-terminated; program as in child.h. The process gets the socket as descriptor 0, and
 * our own standard error. -errno. */
MUST_CHECK int talk_start(struct talk *talk, const char *program, const char *const *argv);

/* Sends a text in the background of talk_next. Takes `text` (heap; NULL is -ENOMEM). */
MUST_CHECK int talk_send(struct talk *talk, char *text);

/*
 * The next line, without its newline, valid until the next call. 0; -EPIPE at the end of what the
 * process had to say (a last line without newline is not one); -ETIMEDOUT at the deadline
 * (CLOCK_MONOTONIC); -EINTR where wake_fd (or -1) is readable; -EMSGSIZE; -errno.
 */
MUST_CHECK int talk_next(struct talk *talk, uint64_t deadline_ns, int wake_fd, char **ret_line,
			 size_t *ret_size);

/* How a process ended. */
struct talk_end {
	bool killed;		    /* it did not end by itself within the grace */
	bool hung;		    /* it did not even die when killed, and was left behind */
	struct child_status status; /* unless killed */
};

/* Closes the socket, waits up to grace_ms for the process to end, then kills it. Frees all. */
void talk_end(struct talk *talk, uint64_t grace_ms, struct talk_end *ret_end);

#endif
