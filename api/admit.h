/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * admit.h - what a request's line and headers ask for, and whether it may be.
 *
 * Calling sequence: admit_read -> gate_framing -> admit. What admit finds stands in the request:
 * method, route, path, parameters, the kind of its body. After an error the framing can be
 * trusted still, so the body may be read before the refusal is answered.
 */
#ifndef API_ADMIT_H
#define API_ADMIT_H

#include "api/gate.h"
#include "api/request.h"

/* Where the service listens, and whether it still takes what changes something. */
struct admit_site {
	const char *address;
	uint16_t port;
	bool draining;
};

/* The header lines, which live as long as the request, and whether a page is wanted. version is
 * that of the request's line, or NULL. */
void admit_read(struct request *request, const char *url, const char *version,
		struct gate_facts *ret_facts);

/* The errors of method.h, gate.h, path.h and router.h; BAD_PARAMETER, SHUTTING_DOWN, NO_MEMORY. */
MUST_CHECK int admit(struct request *request, struct gate_facts *facts,
		     const struct admit_site *site, const char *method, const char *url,
		     struct error *err);

#endif
