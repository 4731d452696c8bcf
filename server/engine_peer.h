/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * engine_peer.h - who talks to `volbench engine`: its one request, the answers, its leaving.
 *
 * The peer is descriptor 0 where that is a socket (codec/message.h's lines in both directions);
 * else requests come on descriptor 0 and answers go to descriptor 1, so that a person can pipe a
 * request in. On a socket, end of file means: stop, clean up, exit. On a pipe it only means that
 * there is nothing more to read; there a closed reader of the answers, or a signal, stops.
 *
 * Calling sequence: peer_open, peer_read, peer_watch, any number of peer_answer..., peer_close.
 * SIGTERM, SIGINT and SIGHUP are blocked in every thread before peer_open.
 *
 * Threads: the caller's reads the request and writes every answer. The watcher (peer_watch) waits
 * for cancel, end of file and signals and never writes. `cancel`, `gone` and `idle` are all that
 * they share.
 * Lines leave whole: progress is dropped while the peer does not read, everything else waits.
 */
#ifndef SERVER_ENGINE_PEER_H
#define SERVER_ENGINE_PEER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "server/codec/call.h"
#include "server/codec/message.h"

struct peer {
	/* Locking: none, atomics; raised by the watcher, or by the caller on a failed write. */
	atomic_bool cancel; /* stop measuring */
	atomic_bool gone;   /* nobody waits for an answer any more */
	/* Lowered by the caller: true while nothing was created, so that the watcher may end the
	 * process at once even where the caller hangs in the kernel on a dead target. */
	atomic_bool idle;
	bool failed; /* an answer was lost for want of memory */
	/* Internal. */
	int in_fd, out_fd;
	bool socket, watched;
	int signal_fd, stop_fd;
	pthread_t watcher;
	char *buffer; /* the request, then what comes behind it: the watcher's */
	size_t used;
	char *rest; /* of a progress line that did not leave at once */
	size_t rest_at, rest_size;
	uint64_t gone_ns;
};

/* Also on failure the peer can be closed. */
MUST_CHECK int peer_open(struct peer *peer, struct error *err);

/* Waits for the request. */
MUST_CHECK int peer_read(struct peer *peer, struct call *ret_call, struct error *err);

/* Starts the watcher. */
MUST_CHECK int peer_watch(struct peer *peer, struct error *err);

/* Sends a line whatever it takes; takes value. Where the peer has left, it is lost. */
void peer_answer(struct peer *peer, enum message_kind kind, json_t *value);

/* Sends a line if the peer reads, else drops it; takes value. Never waits. */
void peer_answer_if_read(struct peer *peer, enum message_kind kind, json_t *value);

/* Ends the watcher and frees what the peer holds. */
void peer_close(struct peer *peer);

#endif
