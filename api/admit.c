/* SPDX-License-Identifier: GPL-3.0-or-later */
/* admit.c - see admit.h. */
#include "api/admit.h"

#include <microhttpd.h>
#include <string.h>
#include <strings.h>

static enum MHD_Result note_header(void *arg, enum MHD_ValueKind kind, const char *name,
				   const char *value)
{
	struct gate_facts *facts = arg;
	const struct {
		const char *name;
		struct gate_header *header;
	} known[] = {
		{"Host", &facts->host},
		{"Content-Length", &facts->content_length},
		{"Transfer-Encoding", &facts->transfer_encoding},
		{"Expect", &facts->expect},
		{"Content-Type", &facts->content_type},
		{"Origin", &facts->origin},
		{"Sec-Fetch-Site", &facts->fetch_site},
		{"Idempotency-Key", &facts->idempotency_key},
	};

	(void)kind;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (strcasecmp(known[i].name, name) == 0 && known[i].header->count++ == 0)
			known[i].header->value = value ? value : "";
	return MHD_YES;
}

void admit_read(struct request *request, const char *url, const char *version,
		struct gate_facts *ret_facts)
{
	static const char api[] = "/api/";
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		request->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
	const char *accept =
		MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, "Accept");

	*ret_facts = (struct gate_facts){.version = version ? version : ""};
	ret_facts->header_bytes = info ? info->header_size : 0;
	(void)MHD_get_connection_values(request->connection, MHD_HEADER_KIND, note_header,
					ret_facts);
	/* A browser gets its errors as pages, but of the API, which has one language for all. */
	request->wants_html =
		accept && strstr(accept, "text/html") && strncmp(url, api, sizeof(api) - 1) != 0;
}

struct parameter_walk {
	struct request *request;
	struct error *err;
	int result;
};

static enum MHD_Result note_parameter(void *arg, enum MHD_ValueKind kind, const char *name,
				      const char *value)
{
	struct parameter_walk *walk = arg;

	(void)kind;
	walk->result = request_add_parameter(walk->request, name ? name : "", value, walk->err);
	return walk->result < 0 ? MHD_NO : MHD_YES;
}

static int take_parameters(struct request *request, struct error *err)
{
	struct parameter_walk walk = {request, err, 0};

	(void)MHD_get_connection_values(request->connection, MHD_GET_ARGUMENT_KIND, note_parameter,
					&walk);
	return walk.result;
}

/* Whom it is sent to, from where, and what stands at its path. */
static int find_route(struct request *request, const struct gate_facts *facts,
		      const struct admit_site *site, const char *url, struct error *err)
{
	int r = gate_origin(facts, site->address, site->port, err);

	if (r < 0)
		return r;
	(void)snprintf(request->host, sizeof(request->host), "%s", facts->host.value);
	r = path_parse(url, &request->path, err);
	if (r < 0)
		return r;
	return router_find(request->method, &request->path, &request->route, request->allow, err);
}

int admit(struct request *request, struct gate_facts *facts, const struct admit_site *site,
	  const char *method, const char *url, struct error *err)
{
	bool has_body = gate_content_length(facts) > 0 || facts->transfer_encoding.count;
	int r = method_find(method, &request->method, err);

	if (r < 0)
		return r;
	facts->method = request->method;
	r = find_route(request, facts, site, url, err);
	if (r == 0)
		r = take_parameters(request, err);
	if (r == 0)
		r = gate_body(facts, request->route->body, has_body, err);
	if (r < 0)
		return r;
	request->body_is_text = gate_body_is_text(facts);
	(void)gate_boundary(facts, request->boundary);
	if (!method_safe(request->method) && site->draining)
		return error_set(err, ERROR_SHUTTING_DOWN, "", "the service is stopping");
	if (facts->idempotency_key.value) {
		request->idempotency_key = strdup(facts->idempotency_key.value);
		if (!request->idempotency_key)
			return error_no_memory(err);
	}
	return 0;
}
