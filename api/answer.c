/* SPDX-License-Identifier: GPL-3.0-or-later */
/* answer.c - see answer.h. */
#include "api/answer.h"

#include <errno.h>
#include <microhttpd.h>

#include "engine/base/clock.h"

int answer_headers(struct MHD_Response *response, const char *cache)
{
	static const char *const headers[][2] = {
		{"X-Content-Type-Options", "nosniff"},
		{"Referrer-Policy", "no-referrer"},
		{"Cross-Origin-Resource-Policy", "same-origin"},
		{"Content-Security-Policy",
		 "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; "
		 "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(headers); i++)
		if (MHD_add_response_header(response, headers[i][0], headers[i][1]) != MHD_YES)
			return -ENOMEM;
	return MHD_add_response_header(response, "Cache-Control", cache) == MHD_YES ? 0 : -ENOMEM;
}

static int reply_headers(const struct request *request, struct MHD_Response *response)
{
	const struct reply *reply = &request->reply;

	if (answer_headers(response, reply->cache) < 0)
		return -ENOMEM;
	if (reply->type &&
	    MHD_add_response_header(response, "Content-Type", reply->type) != MHD_YES)
		return -ENOMEM;
	for (size_t i = 0; i < reply->header_count; i++)
		if (MHD_add_response_header(response, reply->headers[i].name,
					    reply->headers[i].value) != MHD_YES)
			return -ENOMEM;
	if (request->close_after &&
	    MHD_add_response_header(response, "Connection", "close") != MHD_YES)
		return -ENOMEM;
	return 0;
}

int answer_send(struct connections *connections, struct request *request)
{
	struct reply *reply = &request->reply;
	struct MHD_Response *response = MHD_create_response_from_buffer(
		reply->size, (void *)(uintptr_t)reply->data,
		reply->owned ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
	int r;

	if (!response)
		return -ENOMEM;
	reply->owned = NULL; /* the response's now */
	request->stage = STAGE_ANSWERED;
	connections_enter(connections, request->record, CONNECTION_ANSWERING, clock_now_ns());
	r = reply_headers(request, response);
	if (r == 0 && MHD_queue_response(request->connection, (unsigned int)reply->status,
					 response) != MHD_YES)
		r = -ENOMEM;
	MHD_destroy_response(response);
	return r;
}

int answer_error(struct connections *connections, struct request *request, const struct error *err)
{
	request_reply_error(request, err);
	if (err->code == ERROR_METHOD_NOT_ALLOWED)
		request_header(request, "Allow", "%s", request->allow);
	return answer_send(connections, request);
}
