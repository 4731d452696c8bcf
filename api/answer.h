/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * answer.h - what a handler left in request->reply becomes a response of libmicrohttpd's.
 *
 * A request is answered once, from its connection's own callback. The connection's phase becomes
 * ANSWERING, so that the client has its time to take the answer; the reply's memory is the
 * response's from then on. An error (-ENOMEM) means that nothing was answered: all that is left
 * is to close the connection.
 */
#ifndef API_ANSWER_H
#define API_ANSWER_H

#include "api/connections.h"
#include "api/request.h"

struct MHD_Response;

/* Headers that every answer has, events.c's streams too. cache: the value of Cache-Control. */
MUST_CHECK int answer_headers(struct MHD_Response *response, const char *cache);

/* Queues the reply. */
MUST_CHECK int answer_send(struct connections *connections, struct request *request);

/* Makes the error the reply, with what its code wants beside it (Allow), and queues that. */
MUST_CHECK int answer_error(struct connections *connections, struct request *request,
			    const struct error *err);

#endif
