/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * request.h - one HTTP request as the handlers see it: no libmicrohttpd here.
 *
 * Life: http.c makes it in the first call for a request, has the line and the headers read
 * (admit.h) and the body taken in (body.h), and calls the route's handler. The handler does one of
 *   request_reply_...()   answers at once;
 *   request_work()        goes on in a worker thread, for what blocks: an engine's answer, a write
 *                         to the store, a large document. The request is suspended meanwhile;
 *   request_wait()        asks to be called again when the run changes (once, `waited` is then set)
 *                         or the time is over;
 *   request_stream()      becomes a stream of events.
 * http.c frees the request when libmicrohttpd says that it is over, never while it is suspended.
 *
 * Threads: one at a time, whoever has it; hand-over is by suspend, the lane's lock, resume.
 */
#ifndef API_REQUEST_H
#define API_REQUEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/router.h"
#include "engine/base/error.h"
#include "engine/run.h"
#include "server/service.h"

#define REQUEST_PARAMETERS_MAX 8
#define REQUEST_HEADERS_MAX 4
#define REQUEST_BODY_MAX (64u << 10)
#define REQUEST_FILES_MAX (16u << 20) /* of a body of BODY_FILES */
#define REQUEST_LARGE_MAX 4	      /* bodies above REQUEST_BODY_MAX held at a time */
#define REQUEST_DRAIN_MAX (8u << 20)  /* beyond what is taken */
#define REQUEST_BOUNDARY_MAX 72
#define REQUEST_WAIT_MAX_S 15
#define REQUEST_HOST_MAX 72 /* "[", an IPv6 address, "]:65535" */

struct MHD_Connection;
struct connection;

struct parameter {
	char *name, *value; /* decoded, heap */
};

struct reply {
	int status; /* 0: none yet */
	const char *type;
	const char *data;
	size_t size;
	char *owned; /* freed after sending; NULL for static data */
	const char *cache;
	size_t header_count;
	struct reply_header {
		const char *name; /* static */
		char value[192];
	} headers[REQUEST_HEADERS_MAX];
};

/* Which worker threads: questions to the engine (seconds), or the service's own disk. */
enum work_lane_id { LANE_ENGINE, LANE_STORE, LANE_COUNT };

enum request_next { NEXT_REPLY, NEXT_WORK, NEXT_WAIT, NEXT_STREAM };
enum request_stage { STAGE_BODY, STAGE_SUSPENDED, STAGE_ANSWERED };

struct request {
	/* of the modules that http.h names, and body.c */
	struct MHD_Connection *connection;
	struct connection *record;
	enum request_stage stage;
	struct error refused; /* why it is refused; its body is read and thrown away first */
	char allow[ROUTE_ALLOW_MAX];
	uint64_t body_seen;
	bool close_after;

	/* what came in */
	const struct service *service;
	void (*report_wanted)(void *arg, const char *id);
	void *report_arg;
	char host[REQUEST_HOST_MAX]; /* as the client named us, one of our own names; or "" */
	enum method method;
	const struct route *route;
	struct path path;
	size_t parameter_count;
	struct parameter parameters[REQUEST_PARAMETERS_MAX];
	char *body;			     /* NUL-terminated, NULL when empty */
	size_t body_size, body_room;	     /* bytes; those allocated, the NUL's too */
	bool body_is_text;		     /* text/plain: an fio job file */
	bool body_is_large;		     /* counted among REQUEST_LARGE_MAX */
	char boundary[REQUEST_BOUNDARY_MAX]; /* of multipart/form-data; or "" */
	char *idempotency_key;		     /* or NULL */
	bool wants_html;

	/* what is to happen next */
	enum request_next next;
	struct reply reply;
	enum work_lane_id lane;
	void (*work)(struct request *request);
	void *work_data; /* of the handler; freed by work_data_free with the request */
	void (*work_data_free)(void *data);
	char run_id[RUN_ID_MAX]; /* of a wait or a stream */
	uint64_t wait_after, wait_until_ns;
	bool waited;

	/* lists: a lane's queue (work.h), or those who wait (waiters.h) */
	struct request *previous_in_list, *next_in_list;
};

struct request *request_new(void); /* NULL: no memory */
void request_free(struct request *request);

/* The decoded path segment that stood for "{id}", "{name}" or "{file}" in the route; never NULL. */
const char *request_segment(const struct request *request, const char *kind);

/* The value of a query parameter, NULL when it was not given. */
const char *request_parameter(const struct request *request, const char *name);

/* Adds a decoded parameter; BAD_PARAMETER for one the route does not have or that is repeated. */
MUST_CHECK int request_add_parameter(struct request *request, const char *raw_name,
				     const char *raw_value, struct error *err);

/* A whole number in [min, max]; *ret_value keeps its default where it was not given. */
MUST_CHECK int request_number(const struct request *request, const char *name, uint64_t min,
			      uint64_t max, uint64_t *ret_value, struct error *err);

/* ---- answers; each sets the reply once ---- */
void request_reply_json(struct request *request, int status, json_t *value); /* takes value */
/* Takes `text` (heap; NULL answers out_of_memory). type is static. */
void request_reply_text(struct request *request, int status, const char *type, char *text,
			size_t size);
void request_reply_static(struct request *request, const char *type, const char *data, size_t size);
void request_reply_empty(struct request *request, int status);
/* As problem+json, or as a page where a browser asked for one. */
void request_reply_error(struct request *request, const struct error *err);
/* Adds a header to the answer; name is static, value cut at its limit. */
void request_header(struct request *request, const char *name, const char *format, ...)
	PRINTF_LIKE(3, 4);

/* ---- or later ---- */
void request_work(struct request *request, enum work_lane_id lane,
		  void (*work)(struct request *request));
void request_wait(struct request *request, const char *run_id, uint64_t after, uint64_t seconds);
void request_stream(struct request *request, const char *run_id);

#endif
