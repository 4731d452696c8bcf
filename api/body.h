/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * body.h - takes a request's body in, as far as it may be held.
 *
 * A route takes bodies of one size at most; beyond, the rest is read and thrown away up to a
 * second limit, so that the refusal reaches a client that is still sending. Bodies above
 * REQUEST_BODY_MAX are counted over all requests: memory for them is bounded.
 *
 * What refuses a body is left in request->refused: BODY_TOO_LARGE, QUEUE_FULL, NO_MEMORY. Its bytes
 * then come and go.
 *
 * Calling sequence: body_announce once the route is known -> body_take for each piece ->
 * body_release when the request is over, whatever came of it.
 * Locking: none; the budget is one atomic count, the rest is the request's own thread's.
 */
#ifndef API_BODY_H
#define API_BODY_H

#include <stdatomic.h>

#include "api/request.h"

/* Zeroed: nothing is held. */
struct body_budget {
	atomic_uint large; /* bodies */
};

/* length: what the client says will come, 0 where it does not say. -errno: refused. */
MUST_CHECK int body_announce(struct body_budget *budget, struct request *request, uint64_t length);

/* Whether a body of that length is longer than what is read at all, route known or not. */
bool body_is_endless(const struct request *request, uint64_t length);

/* A piece arrived. 0: kept, or thrown away where the request is refused. -EFBIG: more came than is
 * read at all, and only the connection's end helps. */
MUST_CHECK int body_take(struct body_budget *budget, struct request *request, const char *data,
			 size_t size);

void body_release(struct body_budget *budget, struct request *request);

#endif
