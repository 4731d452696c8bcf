/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gate.h - what every request must pass before anything looks at what it asks for.
 *
 * libmicrohttpd takes two Hosts, two Content-Lengths, Content-Length beside Transfer-Encoding, and
 * any method; this refuses them. It also keeps other sites' pages out: Host must be a name of this
 * very service (against DNS rebinding), and what changes something must not come from another
 * site's page. Pure functions over the header lines.
 */
#ifndef API_GATE_H
#define API_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "api/router.h"

#define GATE_HEADERS_MAX (32u << 10) /* bytes of request line and headers */

/* A header line that should stand once at most. */
struct gate_header {
	const char *value; /* the first one's, or NULL */
	unsigned int count;
};

struct gate_facts {
	const char *version; /* "HTTP/1.1" */
	enum method method;
	uint64_t header_bytes;
	struct gate_header host, content_length, transfer_encoding, expect, content_type, origin,
		fetch_site, idempotency_key;
};

/*
 * What concerns the connection: after such an error it must be closed, since where the request
 * ends is not certain. FRAMING, TRANSFER_ENCODING, BAD_HOST (none or two), EXPECTATION,
 * HEADERS_TOO_LARGE, BAD_REQUEST (version).
 */
MUST_CHECK int gate_framing(const struct gate_facts *facts, struct error *err);

/* HOST_NOT_ALLOWED, CROSS_ORIGIN, BAD_REQUEST. address is the one listened on. */
MUST_CHECK int gate_origin(const struct gate_facts *facts, const char *address, uint16_t port,
			   struct error *err);

/* CONTENT_TYPE, BAD_REQUEST (a body where none belongs). has_body: there is at least a byte. */
MUST_CHECK int gate_body(const struct gate_facts *facts, enum route_body body, bool has_body,
			 struct error *err);

/* Whether the body is sent as text/plain. */
bool gate_body_is_text(const struct gate_facts *facts);

/* The boundary of a body sent as multipart/form-data (RFC 2046: 1 to 70 characters); "" where it is
 * another type or has none that may be. Returns buffer, of at least 72 bytes. */
const char *gate_boundary(const struct gate_facts *facts, char *buffer);

/* Length the client announces; 0 when it does not (chunked, or no body). */
uint64_t gate_content_length(const struct gate_facts *facts);

#endif
