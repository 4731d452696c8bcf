/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * events.h - server-sent events of runs (one of libmicrohttpd's doors: http.h).
 *
 * A stream sends `state` when the run's state changed (and once at its start), `sample` when
 * samples were finished, `progress` when there is newer progress; each with the run's document as
 * GET shows it, and the sequence number as `id`. It ends after the state that ends the run. A slow
 * reader skips: what is sent is always the latest. A comment line goes out every 15 s, so a reader
 * that has left is found out.
 *
 * Locking: one mutex over the list of streams and their `suspended`, `dirty`, `beat`; it is held
 * while a connection is suspended or resumed, never while a store or a board is asked. The rest of
 * a stream belongs to the HTTP thread of its connection.
 */
#ifndef API_EVENTS_H
#define API_EVENTS_H

#include "api/connections.h"
#include "api/request.h"

#define EVENTS_STREAMS_MAX 64
#define EVENTS_HEARTBEAT_S 15

struct events;

MUST_CHECK int events_new(const struct service *service, struct connections *connections,
			  struct events **ret_events);
void events_free(struct events *events); /* when no stream is left */

/* Answers the request with a stream, from its connection's HTTP thread. TOO_MANY_STREAMS,
 * SHUTTING_DOWN, NO_MEMORY: nothing was answered. */
MUST_CHECK int events_answer(struct events *events, struct request *request, struct error *err);

/* A run has changed; any thread. */
void events_changed(struct events *events, const char *run_id);

/* Wakes streams that were silent for 15 s. */
void events_beat(struct events *events, uint64_t now_ns);

/* Ends all streams, after what they still have to say; new ones are refused. */
void events_close(struct events *events);

size_t events_count(struct events *events);

#endif
