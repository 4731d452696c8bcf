/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * http.c - see http.h. The daemon, its callbacks, and the requests that wait.
 *
 * A request's way through libmicrohttpd's calls of on_request():
 *   first call       admit(): gate, path, route, parameters; nothing is answered yet but where
 *                    the framing cannot be trusted or the body is too long to be read
 *   body calls       kept, or thrown away where the request is refused
 *   last call        dispatch(): the refusal, or the handler
 *   after a resume   the answer a worker left, or the handler of a long poll once more
 *
 * libmicrohttpd 0.9.75's traps: only the connection's own callback may suspend it; a connection
 * that is suspended when the daemon stops aborts the process; nothing may be allocated in the
 * URI log callback; an unescape callback that does nothing keeps %2f and %00 from being undone.
 *
 * Length: all that names libmicrohttpd stands here (and in events.c).
 *
 * Locking: `lock` over waiters and closing, held while a long poll is suspended or resumed.
 */
#include "api/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <strings.h>

#include "api/connections.h"
#include "api/events.h"
#include "api/gate.h"
#include "api/listen.h"
#include "api/request.h"
#include "api/work.h"
#include "engine/base/clock.h"

#define POOL_THREADS 2
#define CONNECTION_MEMORY (80u << 10) /* headers of 32 KiB, and room to answer longer ones */
#define TICK_MS 250
#define STOP_PATIENCE_S 2

struct http {
	struct http_config config;
	char address[INET6_ADDRSTRLEN];
	uint16_t port;
	int listen_fd;
	struct MHD_Daemon *daemon;
	struct connections *connections;
	struct events *events;
	struct work_lane *lanes[LANE_COUNT];
	atomic_bool draining; /* what changes something is refused */
	atomic_uint large_bodies;
	bool ticker_started;
	pthread_t ticker;
	pthread_mutex_t lock;
	pthread_cond_t stopping; /* ticker_stop was set */
	/* Locking: lock */
	struct request *waiters; /* long polls */
	bool closing, ticker_stop;
};

static void wake_waiters(struct http *http, const char *run_id, uint64_t now_ns);

/* ---- answers ---- */

int http_common_headers(struct MHD_Response *response, const char *cache)
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

	if (http_common_headers(response, reply->cache) < 0)
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

/* Queues what the handler left. MHD_NO closes the connection: the last resort. */
static enum MHD_Result answer(struct http *http, struct request *request)
{
	struct reply *reply = &request->reply;
	struct MHD_Response *response = MHD_create_response_from_buffer(
		reply->size, (void *)(uintptr_t)reply->data,
		reply->owned ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
	enum MHD_Result result = MHD_NO;

	if (!response)
		return MHD_NO;
	reply->owned = NULL; /* the response's now */
	request->stage = STAGE_ANSWERED;
	connections_enter(http->connections, request->record, CONNECTION_ANSWERING, clock_now_ns());
	if (reply_headers(request, response) == 0)
		result = MHD_queue_response(request->connection, (unsigned int)reply->status,
					    response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result answer_error(struct http *http, struct request *request,
				    const struct error *err)
{
	request_reply_error(request, err);
	if (err->code == ERROR_METHOD_NOT_ALLOWED)
		request_header(request, "Allow", "%s", request->allow);
	return answer(http, request);
}

static enum MHD_Result answer_stopping(struct http *http, struct request *request)
{
	struct error err;

	(void)error_set(&err, ERROR_SHUTTING_DOWN, "", "the service is stopping");
	return answer_error(http, request, &err);
}

/* ---- suspending ---- */

/* Hands the request to its lane; where the lane is full, it keeps it and has an answer. */
static void push(struct http *http, struct request *request)
{
	struct error err;
	int r = work_push(http->lanes[request->lane], request);

	if (r == 0)
		return;
	if (r == -EBUSY)
		(void)error_set(&err, ERROR_ENGINE_BUSY, "",
				"too many requests wait for an answer; try again in a few seconds");
	else
		(void)error_set(&err, ERROR_SHUTTING_DOWN, "", "the service is stopping");
	request_reply_error(request, &err);
	MHD_resume_connection(request->connection);
}

/* A lane's thread has done with the request. */
static void work_done(void *arg, struct request *request)
{
	struct http *http = arg;

	if (request->next == NEXT_WORK)
		push(http, request); /* another lane */
	else
		MHD_resume_connection(request->connection);
}

static enum MHD_Result start_work(struct http *http, struct request *request)
{
	request->stage = STAGE_SUSPENDED;
	MHD_suspend_connection(request->connection);
	push(http, request);
	return MHD_YES;
}

static void unlink_waiter(struct http *http, struct request *request)
{
	if (request->previous_in_list)
		request->previous_in_list->next_in_list = request->next_in_list;
	else
		http->waiters = request->next_in_list;
	if (request->next_in_list)
		request->next_in_list->previous_in_list = request->previous_in_list;
	request->next_in_list = request->previous_in_list = NULL;
}

static enum MHD_Result start_wait(struct http *http, struct request *request)
{
	struct progress_state progress;
	char run_id[RUN_ID_MAX];
	uint64_t after = request->wait_after;
	bool closing;

	memcpy(run_id, request->run_id, sizeof(run_id));
	(void)pthread_mutex_lock(&http->lock);
	closing = http->closing;
	if (!closing) {
		request->stage = STAGE_SUSPENDED;
		MHD_suspend_connection(request->connection);
		request->next_in_list = http->waiters;
		if (http->waiters)
			http->waiters->previous_in_list = request;
		http->waiters = request;
	}
	(void)pthread_mutex_unlock(&http->lock);
	if (closing)
		return answer_stopping(http, request);
	/* what changed before it stood in the list would not wake it */
	progress_get(http->config.service->board, run_id, &progress);
	if (progress.seq > after)
		wake_waiters(http, run_id, 0);
	return MHD_YES;
}

/* Resumes the long polls of a run; run_id NULL: all, or those whose time is over at now_ns. */
static void wake_waiters(struct http *http, const char *run_id, uint64_t now_ns)
{
	struct request *next;

	(void)pthread_mutex_lock(&http->lock);
	for (struct request *request = http->waiters; request; request = next) {
		next = request->next_in_list;
		if (run_id ? strcmp(request->run_id, run_id) != 0
			   : !http->closing && request->wait_until_ns > now_ns)
			continue;
		unlink_waiter(http, request);
		MHD_resume_connection(request->connection);
	}
	(void)pthread_mutex_unlock(&http->lock);
}

static void on_run_changed(void *arg, const char *run_id)
{
	struct http *http = arg;

	wake_waiters(http, run_id, 0);
	events_changed(http->events, run_id);
}

/* ---- a request comes in ---- */

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

static void note_wishes(struct request *request)
{
	const char *accept =
		MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, "Accept");

	request->wants_html = accept && strstr(accept, "text/html");
}

static uint64_t body_max(const struct request *request)
{
	return request->route && request->route->body == BODY_FILES ? REQUEST_FILES_MAX
								    : REQUEST_BODY_MAX;
}

/* What is read and thrown away, so that an answer reaches a client that is still sending. */
static uint64_t drain_max(const struct request *request)
{
	return REQUEST_DRAIN_MAX + (body_max(request) > REQUEST_BODY_MAX ? body_max(request) : 0);
}

static int body_too_large(const struct request *request, struct error *err)
{
	return error_set(err, ERROR_BODY_TOO_LARGE, "",
			 "the body is longer than %llu KiB, the most taken here",
			 (unsigned long long)body_max(request) >> 10);
}

/* Memory for bodies is bounded: only so many are large at a time. size: bytes that the body has, or
 * will have. */
static int count_large(struct http *http, struct request *request, uint64_t size)
{
	if (request->body_is_large || size <= REQUEST_BODY_MAX)
		return 0;
	if (atomic_fetch_add(&http->large_bodies, 1) >= REQUEST_LARGE_MAX) {
		(void)atomic_fetch_sub(&http->large_bodies, 1);
		return error_set(&request->refused, ERROR_QUEUE_FULL, "",
				 "%d large files are being taken in already; try again",
				 REQUEST_LARGE_MAX);
	}
	request->body_is_large = true;
	return 0;
}

/* Finds out what is asked for, and whether it may be. */
static int admit(struct http *http, struct request *request, struct gate_facts *facts,
		 const char *method, const char *url, struct error *err)
{
	struct parameter_walk walk = {request, err, 0};
	bool has_body = gate_content_length(facts) > 0 || facts->transfer_encoding.count;
	int r;

	r = method_find(method, &request->method, err);
	if (r < 0)
		return r;
	facts->method = request->method;
	r = gate_origin(facts, http->address, http->port, err);
	if (r == 0)
		(void)snprintf(request->host, sizeof(request->host), "%s", facts->host.value);
	if (r == 0)
		r = path_parse(url, &request->path, err);
	if (r == 0)
		r = router_find(request->method, &request->path, &request->route, request->allow,
				err);
	if (r < 0)
		return r;
	(void)MHD_get_connection_values(request->connection, MHD_GET_ARGUMENT_KIND, note_parameter,
					&walk);
	if (walk.result < 0)
		return walk.result;
	r = gate_body(facts, request->route->body, has_body, err);
	if (r < 0)
		return r;
	request->body_is_text = gate_body_is_text(facts);
	(void)gate_boundary(facts, request->boundary);
	if (gate_content_length(facts) > body_max(request))
		return body_too_large(request, err);
	if (!method_safe(request->method) && atomic_load(&http->draining))
		return error_set(err, ERROR_SHUTTING_DOWN, "", "the service is stopping");
	if (facts->idempotency_key.value) {
		request->idempotency_key = strdup(facts->idempotency_key.value);
		if (!request->idempotency_key)
			return error_no_memory(err);
	}
	return 0;
}

/* The first call for a request. */
static enum MHD_Result begin(struct http *http, struct request *request, const char *url,
			     const char *method, const char *version)
{
	struct gate_facts facts = {.version = version ? version : ""};
	const union MHD_ConnectionInfo *info;
	bool now;

	info = MHD_get_connection_info(request->connection,
				       MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
	facts.header_bytes = info ? info->header_size : 0;
	(void)MHD_get_connection_values(request->connection, MHD_HEADER_KIND, note_header, &facts);
	note_wishes(request);
	/* Where the framing is wrong, nothing behind the headers can be trusted. */
	now = gate_framing(&facts, &request->refused) < 0;
	if (!now && (admit(http, request, &facts, method, url, &request->refused) < 0 ||
		     count_large(http, request, gate_content_length(&facts)) < 0))
		now = facts.expect.count || gate_content_length(&facts) > drain_max(request);
	if (!now)
		return MHD_YES;
	request->close_after = true;
	return answer_error(http, request, &request->refused);
}

static enum MHD_Result take_body(struct http *http, struct request *request, const char *data,
				 size_t size)
{
	char *body;

	request->body_seen += size;
	if (request->body_seen > drain_max(request))
		return MHD_NO; /* chunks without end: no answer can be queued here */
	if (request->refused.code == ERROR_NONE && request->body_seen > body_max(request))
		(void)body_too_large(request, &request->refused);
	if (request->refused.code != ERROR_NONE ||
	    count_large(http, request, request->body_size + size) < 0)
		return MHD_YES;
	body = realloc(request->body, request->body_size + size + 1);
	if (!body) {
		(void)error_no_memory(&request->refused);
		return MHD_YES;
	}
	memcpy(body + request->body_size, data, size);
	request->body = body;
	request->body_size += size;
	body[request->body_size] = '\0';
	return MHD_YES;
}

/* Does what the handler wants. */
static enum MHD_Result proceed(struct http *http, struct request *request)
{
	struct error err;

	switch (request->next) {
	case NEXT_WORK:
		return start_work(http, request);
	case NEXT_WAIT:
		return start_wait(http, request);
	case NEXT_STREAM:
		if (events_answer(http->events, request, &err) == 0) {
			request->stage = STAGE_ANSWERED;
			return MHD_YES;
		}
		return answer_error(http, request, &err);
	case NEXT_REPLY:
		break;
	}
	return answer(http, request);
}

/* The whole request is there, or it was resumed. */
static enum MHD_Result dispatch(struct http *http, struct request *request)
{
	if (request->stage == STAGE_SUSPENDED) {
		if (request->next != NEXT_WAIT)
			return answer(http, request);
		request->waited = true;
	} else {
		connections_enter(http->connections, request->record, CONNECTION_WORKING,
				  clock_now_ns());
		if (request->refused.code != ERROR_NONE)
			return answer_error(http, request, &request->refused);
	}
	request->next = NEXT_REPLY;
	request->route->handle(request);
	return proceed(http, request);
}

static struct request *make_request(struct http *http, struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct request *request = request_new();

	if (!request)
		return NULL;
	request->connection = connection;
	request->record = info ? info->socket_context : NULL;
	request->service = http->config.service;
	request->report_wanted = http->config.report_wanted;
	request->report_arg = http->config.arg;
	return request;
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *url,
				  const char *method, const char *version, const char *data,
				  size_t *size, void **state)
{
	struct http *http = arg;
	struct request *request = *state;

	if (!request) {
		request = make_request(http, connection);
		if (!request)
			return MHD_NO;
		*state = request;
		return begin(http, request, url, method, version);
	}
	if (*size) {
		enum MHD_Result result = take_body(http, request, data, *size);

		*size = 0;
		return result;
	}
	if (request->stage == STAGE_ANSWERED)
		return MHD_YES;
	return dispatch(http, request);
}

static void on_completed(void *arg, struct MHD_Connection *connection, void **state,
			 enum MHD_RequestTerminationCode why)
{
	struct http *http = arg;
	struct request *request = *state;

	(void)connection;
	(void)why;
	if (!request)
		return;
	connections_enter(http->connections, request->record, CONNECTION_READING, clock_now_ns());
	if (request->body_is_large)
		(void)atomic_fetch_sub(&http->large_bodies, 1);
	request_free(request);
	*state = NULL;
}

static void on_connection(void *arg, struct MHD_Connection *connection, void **context,
			  enum MHD_ConnectionNotificationCode what)
{
	struct http *http = arg;
	const union MHD_ConnectionInfo *info;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		connections_remove(http->connections, *context);
		*context = NULL;
		return;
	}
	info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	if (info)
		*context = connections_add(http->connections, info->connect_fd, clock_now_ns());
}

/* Percent-encoding is undone in path.c, where "%2f" and "%00" can be told from what they mean. */
static size_t keep_escaped(void *arg, struct MHD_Connection *connection, char *text)
{
	(void)arg;
	(void)connection;
	return strlen(text);
}

/* ---- time ---- */

/* Ends connections and long polls whose time is over, and keeps streams alive. */
static void *ticker(void *arg)
{
	struct http *http = arg;
	struct timespec until;
	uint64_t now;
	bool stop = false;

	while (!stop) {
		now = clock_now_ns();
		(void)connections_reap(http->connections, now);
		wake_waiters(http, NULL, now);
		events_beat(http->events, now);
		now += TICK_MS * NS_PER_MS;
		until.tv_sec = (time_t)(now / NS_PER_S);
		until.tv_nsec = (long)(now % NS_PER_S);
		(void)pthread_mutex_lock(&http->lock);
		if (!http->ticker_stop)
			(void)pthread_cond_clockwait(&http->stopping, &http->lock, CLOCK_MONOTONIC,
						     &until);
		stop = http->ticker_stop;
		(void)pthread_mutex_unlock(&http->lock);
	}
	return NULL;
}

/* ---- start and stop ---- */

static int start_daemon(struct http *http, struct error *err)
{
	bool is_v6 = strchr(http->address, ':');

	http->daemon = MHD_start_daemon(
		MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC |
			(is_v6 ? MHD_USE_IPv6 : MHD_NO_FLAG),
		0, NULL, NULL, on_request, http, MHD_OPTION_LISTEN_SOCKET, http->listen_fd,
		MHD_OPTION_THREAD_POOL_SIZE, (unsigned int)POOL_THREADS,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned int)CONNECTIONS_MAX,
		MHD_OPTION_PER_IP_CONNECTION_LIMIT, (unsigned int)CONNECTIONS_PER_ADDRESS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
		MHD_OPTION_NOTIFY_COMPLETED, on_completed, http, MHD_OPTION_NOTIFY_CONNECTION,
		on_connection, http, MHD_OPTION_UNESCAPE_CALLBACK, keep_escaped, http,
		MHD_OPTION_END);
	if (!http->daemon)
		return error_set_sys(err, ERROR_SYSTEM, errno ? errno : EIO,
				     "cannot start the HTTP server");
	return 0;
}

static int start_parts(struct http *http, struct error *err)
{
	int r = connections_new(&http->connections);

	if (r == 0)
		r = events_new(http->config.service, http->connections, &http->events);
	if (r == 0)
		r = work_start(WORK_ENGINE_THREADS, WORK_ENGINE_WAITING_MAX, work_done, http,
			       &http->lanes[LANE_ENGINE]);
	if (r == 0)
		r = work_start(WORK_STORE_THREADS, WORK_STORE_WAITING_MAX, work_done, http,
			       &http->lanes[LANE_STORE]);
	if (r < 0)
		return error_set_sys(err, ERROR_SYSTEM, -r, "cannot start the HTTP server");
	(void)snprintf(http->address, sizeof(http->address), "%s", http->config.address);
	r = listen_open(http->address, http->config.port, &http->listen_fd, &http->port, err);
	if (r < 0)
		return r;
	r = start_daemon(http, err);
	if (r < 0)
		return r;
	r = pthread_create(&http->ticker, NULL, ticker, http);
	if (r != 0)
		return error_set_sys(err, ERROR_SYSTEM, r, "cannot start a thread");
	http->ticker_started = true;
	return 0;
}

int http_start(const struct http_config *config, struct http **ret_http, struct error *err)
{
	struct http *http = calloc(1, sizeof(*http));
	int r;

	if (!http)
		return error_no_memory(err);
	http->config = *config;
	http->listen_fd = -1;
	(void)pthread_mutex_init(&http->lock, NULL);	/* cannot fail with defaults */
	(void)pthread_cond_init(&http->stopping, NULL); /* nor this */
	r = start_parts(http, err);
	if (r < 0) {
		http_stop(http);
		return r;
	}
	progress_subscribe(config->service->board, on_run_changed, http);
	*ret_http = http;
	return 0;
}

uint16_t http_port(const struct http *http)
{
	return http->port;
}

void http_drain(struct http *http)
{
	atomic_store(&http->draining, true);
}

/* Waits until all that was begun has been answered, or patience ends. */
static void wait_for_answers(struct http *http)
{
	uint64_t until = clock_now_ns() + STOP_PATIENCE_S * NS_PER_S;
	const struct timespec moment = {.tv_nsec = 5 * (long)NS_PER_MS};

	while (connections_in_phase(http->connections, CONNECTION_WORKING) ||
	       connections_in_phase(http->connections, CONNECTION_ANSWERING)) {
		if (clock_now_ns() > until)
			return;
		(void)nanosleep(&moment, NULL);
	}
}

static void stop_daemon(struct http *http)
{
	(void)MHD_quiesce_daemon(http->daemon); /* no new connections; the socket stays ours */
	events_close(http->events);
	for (size_t i = 0; i < LANE_COUNT; i++)
		work_stop(http->lanes[i]);
	wait_for_answers(http);
}

void http_stop(struct http *http)
{
	if (!http)
		return;
	http_drain(http);
	(void)pthread_mutex_lock(&http->lock);
	http->closing = true;
	(void)pthread_mutex_unlock(&http->lock);
	wake_waiters(http, NULL, 0);
	if (http->daemon) {
		stop_daemon(http);
		progress_subscribe(http->config.service->board, NULL, NULL);
	}
	(void)pthread_mutex_lock(&http->lock);
	http->ticker_stop = true;
	(void)pthread_cond_signal(&http->stopping);
	(void)pthread_mutex_unlock(&http->lock);
	if (http->ticker_started)
		(void)pthread_join(http->ticker, NULL);
	if (http->daemon)
		MHD_stop_daemon(http->daemon);
	for (size_t i = 0; i < LANE_COUNT; i++) {
		work_stop(http->lanes[i]);
		work_free(http->lanes[i]);
	}
	events_free(http->events);
	connections_free(http->connections);
	if (http->listen_fd >= 0)
		(void)close(http->listen_fd); /* nothing was promised about it */
	(void)pthread_cond_destroy(&http->stopping);
	(void)pthread_mutex_destroy(&http->lock);
	free(http);
}
