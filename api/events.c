/* SPDX-License-Identifier: GPL-3.0-or-later */
/* events.c - see events.h. */
#include "api/events.h"

#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <string.h>

#include "api/answer.h"
#include "api/handlers.h"
#include "engine/base/clock.h"
#include "server/codec/json.h"

#define BLOCK_BYTES (8u << 10)

struct stream {
	struct events *events;
	struct MHD_Connection *connection;
	struct connection *record;
	char run_id[RUN_ID_MAX];

	/* the HTTP thread's */
	char *text; /* not yet sent: [offset, size) */
	size_t size, offset;
	bool started, ended;
	uint64_t seq, samples;
	enum run_state state;

	/* Locking: events->lock */
	bool suspended, dirty, beat;
	uint64_t wrote_ns;
	struct stream *previous, *next;
};

struct events {
	const struct service *service;
	struct connections *connections;
	pthread_mutex_t lock;
	/* Locking: lock */
	struct stream *first;
	size_t count;
	bool closing;
};

int events_new(const struct service *service, struct connections *connections,
	       struct events **ret_events)
{
	struct events *events = calloc(1, sizeof(*events));

	if (!events)
		return -ENOMEM;
	events->service = service;
	events->connections = connections;
	(void)pthread_mutex_init(&events->lock, NULL); /* cannot fail with defaults */
	*ret_events = events;
	return 0;
}

void events_free(struct events *events)
{
	if (!events)
		return;
	(void)pthread_mutex_destroy(&events->lock);
	free(events);
}

/* ---- what is said ---- */

/* Appends one event; an event that finds no memory is left out (the next has all it had). */
static void say(struct stream *stream, const char *name, uint64_t seq, const json_t *document)
{
	char *data = json_write(document), *text = NULL;
	int length;

	if (!data)
		return;
	length = asprintf(&text, "%.*s%sevent: %s\nid: %llu\ndata: %s\n\n", (int)stream->size,
			  stream->text ? stream->text : "", stream->started ? "" : "retry: 3000\n",
			  name, (unsigned long long)seq, data);
	free(data);
	if (length < 0)
		return;
	free(stream->text);
	stream->text = text;
	stream->size = (size_t)length;
	stream->started = true;
}

static void say_heartbeat(struct stream *stream)
{
	stream->text = strdup(": heartbeat\n\n");
	stream->size = stream->text ? strlen(stream->text) : 0;
}

static void say_news(struct stream *stream, const struct store_run *run,
		     const struct progress_state *progress)
{
	bool first = !stream->started;
	json_t *document = run_document_of(run, progress);

	if (!document)
		return;
	/* a run's first and last words are its state; each has all that the others have */
	if (!first && run->samples_done > stream->samples)
		say(stream, "sample", progress->seq, document);
	if (first || run->state != stream->state)
		say(stream, "state", progress->seq, document);
	else if (progress->known && run->state == RUN_RUNNING)
		say(stream, "progress", progress->seq, document);
	json_decref(document);
	stream->state = run->state;
	stream->samples = run->samples_done;
	stream->seq = progress->seq;
	stream->ended = run_state_ended(run->state);
}

/* Looks at the run and fills in what there is to say; all of the former text has been sent. */
static void refill(struct stream *stream, bool beat)
{
	const struct service *service = stream->events->service;
	struct progress_state progress;
	struct store_run run;

	free(stream->text);
	stream->text = NULL;
	stream->size = stream->offset = 0;
	/* the number first: what changes after it was read comes with the next one */
	progress_get(service->board, stream->run_id, &progress);
	if (store_get_run(service->store, stream->run_id, &run) < 0) {
		stream->ended = true; /* it was removed */
		return;
	}
	if (!stream->started || progress.seq != stream->seq || run.state != stream->state)
		say_news(stream, &run, &progress);
	if (!stream->size && beat)
		say_heartbeat(stream);
}

/* ---- libmicrohttpd's side ---- */

enum stream_next { STREAM_LOOK, STREAM_SLEEP, STREAM_END };

/* Suspends the connection where there is no reason to look at the run. */
static enum stream_next look_or_sleep(struct stream *stream, bool *ret_beat)
{
	struct events *events = stream->events;
	enum stream_next next = STREAM_SLEEP;

	(void)pthread_mutex_lock(&events->lock);
	*ret_beat = stream->beat;
	if (stream->dirty || stream->beat) {
		next = STREAM_LOOK;
	} else if (events->closing) {
		next = STREAM_END;
	} else {
		stream->suspended = true;
		MHD_suspend_connection(stream->connection);
	}
	stream->dirty = stream->beat = false;
	(void)pthread_mutex_unlock(&events->lock);
	return next;
}

static ssize_t send_some(struct stream *stream, char *buffer, size_t max)
{
	size_t length = stream->size - stream->offset;
	uint64_t now = clock_now_ns();

	if (length > max)
		length = max;
	memcpy(buffer, stream->text + stream->offset, length);
	stream->offset += length;
	connections_enter(stream->events->connections, stream->record, CONNECTION_ANSWERING, now);
	(void)pthread_mutex_lock(&stream->events->lock);
	stream->wrote_ns = now;
	(void)pthread_mutex_unlock(&stream->events->lock);
	return (ssize_t)length;
}

static ssize_t read_stream(void *arg, uint64_t position, char *buffer, size_t max)
{
	struct stream *stream = arg;
	bool beat;

	(void)position;
	for (;;) {
		if (stream->offset < stream->size)
			return send_some(stream, buffer, max);
		if (stream->ended)
			return MHD_CONTENT_READER_END_OF_STREAM;
		switch (look_or_sleep(stream, &beat)) {
		case STREAM_LOOK:
			refill(stream, beat);
			break;
		case STREAM_END:
			return MHD_CONTENT_READER_END_OF_STREAM;
		case STREAM_SLEEP:
			connections_enter(stream->events->connections, stream->record,
					  CONNECTION_WORKING, clock_now_ns());
			return 0;
		}
	}
}

static void free_stream(void *arg)
{
	struct stream *stream = arg;
	struct events *events = stream->events;

	(void)pthread_mutex_lock(&events->lock);
	if (stream->previous)
		stream->previous->next = stream->next;
	else
		events->first = stream->next;
	if (stream->next)
		stream->next->previous = stream->previous;
	events->count--;
	(void)pthread_mutex_unlock(&events->lock);
	free(stream->text);
	free(stream);
}

/* Enters the stream into the list, if there is room. */
static int enter(struct events *events, struct stream *stream, struct error *err)
{
	int r = 0;

	(void)pthread_mutex_lock(&events->lock);
	if (events->closing) {
		r = error_set(err, ERROR_SHUTTING_DOWN, "", "the service is stopping");
	} else if (events->count >= EVENTS_STREAMS_MAX) {
		r = error_set(err, ERROR_TOO_MANY_STREAMS, "",
			      "%d event streams are open, the most there may be",
			      EVENTS_STREAMS_MAX);
	} else {
		stream->next = events->first;
		if (events->first)
			events->first->previous = stream;
		events->first = stream;
		events->count++;
	}
	(void)pthread_mutex_unlock(&events->lock);
	return r;
}

static int queue_stream(struct stream *stream, struct error *err)
{
	struct MHD_Response *response = MHD_create_response_from_callback(
		MHD_SIZE_UNKNOWN, BLOCK_BYTES, read_stream, stream, free_stream);
	int r = 0;

	if (!response) {
		free_stream(stream);
		return error_no_memory(err);
	}
	if (MHD_add_response_header(response, "Content-Type", "text/event-stream") != MHD_YES ||
	    answer_headers(response, "no-store") < 0 ||
	    MHD_queue_response(stream->connection, 200, response) != MHD_YES)
		r = error_no_memory(err);
	MHD_destroy_response(response); /* frees the stream where it was not queued */
	return r;
}

int events_answer(struct events *events, struct request *request, struct error *err)
{
	struct stream *stream = calloc(1, sizeof(*stream));
	int r;

	if (!stream)
		return error_no_memory(err);
	stream->events = events;
	stream->connection = request->connection;
	stream->record = request->record;
	memcpy(stream->run_id, request->run_id, sizeof(stream->run_id));
	stream->dirty = true;
	stream->wrote_ns = clock_now_ns();
	r = enter(events, stream, err);
	if (r < 0) {
		free(stream);
		return r;
	}
	return queue_stream(stream, err);
}

/* ---- waking ---- */

static void wake(struct stream *stream)
{
	if (!stream->suspended)
		return;
	stream->suspended = false;
	MHD_resume_connection(stream->connection);
}

void events_changed(struct events *events, const char *run_id)
{
	(void)pthread_mutex_lock(&events->lock);
	for (struct stream *s = events->first; s; s = s->next) {
		if (strcmp(s->run_id, run_id) == 0) {
			s->dirty = true;
			wake(s);
		}
	}
	(void)pthread_mutex_unlock(&events->lock);
}

void events_beat(struct events *events, uint64_t now_ns)
{
	(void)pthread_mutex_lock(&events->lock);
	for (struct stream *s = events->first; s; s = s->next) {
		if (s->suspended && now_ns > s->wrote_ns + EVENTS_HEARTBEAT_S * NS_PER_S) {
			s->beat = true;
			wake(s);
		}
	}
	(void)pthread_mutex_unlock(&events->lock);
}

void events_close(struct events *events)
{
	(void)pthread_mutex_lock(&events->lock);
	events->closing = true;
	for (struct stream *s = events->first; s; s = s->next) {
		s->dirty = true;
		wake(s);
	}
	(void)pthread_mutex_unlock(&events->lock);
}

size_t events_count(struct events *events)
{
	size_t count;

	(void)pthread_mutex_lock(&events->lock);
	count = events->count;
	(void)pthread_mutex_unlock(&events->lock);
	return count;
}
