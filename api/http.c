/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * http.c - see http.h. The daemon, its callbacks, and which step of a request comes next.
 *
 * A request's way through libmicrohttpd's calls of on_request():
 *   first call       begin(): what is asked for and whether it may be (admit.h); nothing is
 *                    answered yet but where the framing cannot be trusted or the body is too
 *                    long to be read
 *   body calls       kept, or thrown away where the request is refused (body.h)
 *   last call        dispatch(): the refusal, or the handler
 *   after a resume   the answer a worker left (work.h), or the handler of a long poll once more
 *                    (waiters.h)
 *
 * libmicrohttpd 0.9.75's traps: only the connection's own callback may suspend it; a connection
 * that is suspended when the daemon stops aborts the process; nothing may be allocated in the
 * URI log callback; an unescape callback that does nothing keeps %2f and %00 from being undone.
 *
 * Locking: `lock` over ticker_stop.
 */
#include "api/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "api/admit.h"
#include "api/answer.h"
#include "api/body.h"
#include "api/connections.h"
#include "api/events.h"
#include "api/listen.h"
#include "api/waiters.h"
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
	struct waiters *waiters;
	struct work_lane *lanes[LANE_COUNT];
	atomic_bool draining; /* what changes something is refused */
	struct body_budget bodies;
	bool ticker_started;
	pthread_t ticker;
	pthread_mutex_t lock;
	pthread_cond_t stopping; /* ticker_stop was set */
	/* Locking: lock */
	bool ticker_stop;
};

/* ---- answering, now or later ---- */

/* MHD_NO closes the connection: the last resort. */
static enum MHD_Result answer(struct http *http, struct request *request)
{
	return answer_send(http->connections, request) == 0 ? MHD_YES : MHD_NO;
}

static enum MHD_Result refuse(struct http *http, struct request *request, const struct error *err)
{
	return answer_error(http->connections, request, err) == 0 ? MHD_YES : MHD_NO;
}

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

static void on_run_changed(void *arg, const char *run_id)
{
	struct http *http = arg;

	waiters_changed(http->waiters, run_id);
	events_changed(http->events, run_id);
}

/* ---- a request comes in ---- */

/* The first call for a request. */
static enum MHD_Result begin(struct http *http, struct request *request, const char *url,
			     const char *method, const char *version)
{
	const struct admit_site site = {http->address, http->port, atomic_load(&http->draining)};
	struct gate_facts facts;
	uint64_t length;
	bool now;

	admit_read(request, url, version, &facts);
	length = gate_content_length(&facts);
	/* Where the framing is wrong, nothing behind the headers can be trusted. */
	now = gate_framing(&facts, &request->refused) < 0;
	if (!now && (admit(request, &facts, &site, method, url, &request->refused) < 0 ||
		     body_announce(&http->bodies, request, length) < 0))
		now = facts.expect.count || body_is_endless(request, length);
	if (!now)
		return MHD_YES;
	request->close_after = true;
	return refuse(http, request, &request->refused);
}

/* Does what the handler wants. */
static enum MHD_Result proceed(struct http *http, struct request *request)
{
	struct error err;

	switch (request->next) {
	case NEXT_WORK:
		return start_work(http, request);
	case NEXT_WAIT:
		if (waiters_add(http->waiters, request, &err) == 0)
			return MHD_YES;
		return refuse(http, request, &err);
	case NEXT_STREAM:
		if (events_answer(http->events, request, &err) == 0) {
			request->stage = STAGE_ANSWERED;
			return MHD_YES;
		}
		return refuse(http, request, &err);
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
			return refuse(http, request, &request->refused);
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
		int r = body_take(&http->bodies, request, data, *size);

		*size = 0;
		return r == 0 ? MHD_YES : MHD_NO; /* no answer can be queued here */
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
	body_release(&http->bodies, request);
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
		waiters_overdue(http->waiters, now);
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
		r = waiters_new(http->config.service->board, &http->waiters);
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
	waiters_close(http->waiters);
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
	waiters_free(http->waiters);
	connections_free(http->connections);
	if (http->listen_fd >= 0)
		(void)close(http->listen_fd); /* nothing was promised about it */
	(void)pthread_cond_destroy(&http->stopping);
	(void)pthread_mutex_destroy(&http->lock);
	free(http);
}
