/* SPDX-License-Identifier: GPL-3.0-or-later */
/* runs.c - /api/v1/runs: accepting, listing, watching, cancelling and removing runs. */
#include <errno.h>
#include <string.h>

#include "api/ask.h"
#include "api/digest.h"
#include "api/handlers.h"
#include "engine/base/clock.h"
#include "server/codec/definition_repeats.h"
#include "server/codec/json.h"
#include "server/codec/message.h"

#define LIST_DEFAULT 20
#define LIST_MAX 100

/* ---- documents ---- */

/* The member is left out where the time is not known yet. -1: no memory. */
static int set_time(json_t *document, const char *name, uint64_t wall_ms)
{
	char text[CLOCK_TEXT_MAX];

	if (!wall_ms)
		return 0;
	return json_object_set_new(document, name, json_string(clock_format(wall_ms, text)));
}

/* Where the engine has told nothing (queued, or from before a restart) only counts are known. */
static json_t *plain_progress(const struct store_run *run)
{
	double percent = run->samples_total
				 ? 100.0 * (double)run->samples_done / (double)run->samples_total
				 : 0;

	return json_pack("{s:n, s:I, s:I, s:f, s:n, s:n}", "phase", "done",
			 (json_int_t)run->samples_done, "total", (json_int_t)run->samples_total,
			 "percent", percent, "seconds_left", "sample");
}

/* The engine's word is a little older than the store's: a sample counts when it is durable. */
static json_t *progress_of(const struct store_run *run, const struct progress_state *progress)
{
	struct progress latest = progress->progress;

	if (run->state != RUN_RUNNING || !progress->known)
		return plain_progress(run);
	latest.done = run->samples_done;
	return progress_encode(&latest);
}

json_t *run_document_of(const struct store_run *run, const struct progress_state *progress)
{
	json_t *document =
		json_pack("{s:s, s:s, s:s, s:I, s:o}", "id", run->id, "name", run->name, "state",
			  run_state_names[run->state], "seq", (json_int_t)progress->seq, "progress",
			  progress_of(run, progress));

	if (!document)
		return NULL;
	if (set_time(document, "created", run->created_wall_ms) < 0 ||
	    set_time(document, "started", run->started_wall_ms) < 0 ||
	    set_time(document, "ended", run->ended_wall_ms) < 0 ||
	    put_repeats_outcome(document, &run->repeats) < 0 ||
	    (run->error.code != ERROR_NONE &&
	     json_object_set_new(document, "error", json_error(&run->error)) < 0)) {
		json_decref(document);
		return NULL;
	}
	return document;
}

/* With a fresh look at the store and the board. */
static int run_document(const struct service *service, const char *id, json_t **ret_value,
			struct error *err)
{
	struct progress_state progress;
	struct store_run run;

	/* the number first: whoever waits behind it misses nothing */
	progress_get(service->board, id, &progress);
	if (store_get_run(service->store, id, &run) < 0)
		return error_set(err, ERROR_NOT_FOUND, "", "there is no such run");
	*ret_value = run_document_of(&run, &progress);
	return *ret_value ? 0 : error_no_memory(err);
}

void runs_reply(struct request *request, int status, const char *id)
{
	json_t *value = NULL;
	struct error err;

	if (run_document(request->service, id, &value, &err) < 0)
		request_reply_error(request, &err);
	else
		request_reply_json(request, status, value);
}

/* ---- POST ---- */

static int submit(struct request *request, const struct definition *definition,
		  struct store_run *ret_run, struct error *err)
{
	const struct service *service = request->service;
	char digest[DIGEST_TEXT_MAX], *plan = NULL;
	struct digest body;
	bool again = false;
	int r;

	digest_begin(&body);
	digest_add(&body, request->body, request->body_size);
	digest_add_query(&body, request);
	(void)digest_end(&body, digest);
	if (request->idempotency_key) {
		/* the same request once more is answered as it was, also where a new run would now
		 * be refused (the first one's scratch file is there) */
		r = store_find_key(service->store, request->idempotency_key, digest, ret_run, err);
		if (r != -ENOENT)
			return r;
	}
	/* a refused target is told now, not when it is the run's turn */
	r = ask_plan(service, definition, &plan, err);
	if (r < 0)
		return r;
	free(plan);
	return schedule_submit(service->schedule, definition, request->idempotency_key, digest,
			       ret_run, &again, err);
}

/* In the engine's lane. */
static void accept_run(struct request *request)
{
	struct definition definition;
	struct store_run run;
	struct error err;
	int r;

	definition_init(&definition);
	r = ask_definition(request, &definition, &err);
	if (r == 0)
		r = submit(request, &definition, &run, &err);
	definition_done(&definition);
	if (r < 0) {
		request_reply_error(request, &err);
		return;
	}
	runs_reply(request, 202, run.id);
	request_header(request, "Location", "/api/v1/runs/%s", run.id);
}

void handle_runs_post(struct request *request)
{
	ask_with_body(request, LANE_ENGINE, accept_run);
}

/* ---- GET of the list ---- */

static int parse_state(const struct request *request, enum run_state *ret_state, struct error *err)
{
	const char *text = request_parameter(request, "state");

	*ret_state = RUN_STATE_COUNT;
	if (!text)
		return 0;
	if (run_state_find(text, ret_state) == 0)
		return 0;
	return error_set(err, ERROR_BAD_PARAMETER, "",
			 "\"state\" in the query of the URL must be queued, running, done, failed, "
			 "cancelled or interrupted");
}

static json_t *list_document(const struct service *service, const struct store_run *runs,
			     size_t count, uint64_t next)
{
	json_t *list = json_array(), *document;
	char cursor[24];

	for (size_t i = 0; i < count; i++) {
		struct progress_state progress;

		progress_get(service->board, runs[i].id, &progress);
		if (json_array_append_new(list, run_document_of(&runs[i], &progress)) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	(void)snprintf(cursor, sizeof(cursor), "%llu", (unsigned long long)next);
	document = json_pack("{s:o, s:s?}", "runs", list, "next", next ? cursor : NULL);
	return document;
}

void handle_runs_list(struct request *request)
{
	const struct service *service = request->service;
	uint64_t limit = LIST_DEFAULT, cursor = 0, next = 0;
	struct store_run *runs = NULL;
	enum run_state state;
	struct error err;
	size_t count = 0;
	int r;

	r = parse_state(request, &state, &err);
	if (r == 0)
		r = request_number(request, "limit", 1, LIST_MAX, &limit, &err);
	if (r == 0)
		r = request_number(request, "cursor", 1, INT64_MAX, &cursor, &err);
	if (r == 0) {
		r = store_list_runs(service->store, state, cursor, limit, &runs, &count, &next);
		if (r < 0)
			(void)error_set_sys(&err, ERROR_SYSTEM, -r, "cannot list the runs");
	}
	if (r < 0)
		request_reply_error(request, &err);
	else
		request_reply_json(request, 200, list_document(service, runs, count, next));
	free(runs);
}

/* ---- one run ---- */

/* Whether the request is to wait for news; 1: yes. */
static int wants_to_wait(struct request *request, uint64_t *ret_after, uint64_t *ret_seconds,
			 struct error *err)
{
	uint64_t after = 0, seconds = 0;
	int r = request_number(request, "after", 0, INT64_MAX, &after, err);

	if (r == 0)
		r = request_number(request, "wait", 0, REQUEST_WAIT_MAX_S, &seconds, err);
	if (r < 0)
		return r;
	if (seconds && !request_parameter(request, "after"))
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "\"wait\" needs \"after\", the seq that is known already");
	*ret_after = after;
	*ret_seconds = seconds;
	return seconds && !request->waited;
}

void handle_run_get(struct request *request)
{
	const char *id = request_segment(request, "{id}");
	const struct service *service = request->service;
	struct progress_state progress;
	struct store_run run;
	uint64_t after = 0, seconds = 0;
	struct error err;
	int wait = wants_to_wait(request, &after, &seconds, &err);

	if (wait < 0) {
		request_reply_error(request, &err);
		return;
	}
	progress_get(service->board, id, &progress);
	if (wait && progress.seq <= after && store_get_run(service->store, id, &run) == 0 &&
	    !run_state_ended(run.state))
		request_wait(request, id, after, seconds);
	else
		runs_reply(request, 200, id);
}

void handle_run_events(struct request *request)
{
	struct store_run run;
	struct error err;

	if (ask_run(request, &run, &err) < 0)
		request_reply_error(request, &err);
	else
		request_stream(request, run.id);
}

/* In the store's lane. */
static void cancel_run(struct request *request)
{
	const char *id = request_segment(request, "{id}");
	struct error err;

	if (schedule_cancel(request->service->schedule, id, &err) < 0)
		request_reply_error(request, &err);
	else
		runs_reply(request, 202, id);
}

void handle_run_cancel(struct request *request)
{
	request_work(request, LANE_STORE, cancel_run);
}

/* In the store's lane. */
static void remove_run(struct request *request)
{
	const char *id = request_segment(request, "{id}");
	struct error err;

	if (schedule_remove(request->service->schedule, id, &err) < 0) {
		request_reply_error(request, &err);
		return;
	}
	progress_forget(request->service->board, id);
	request_reply_empty(request, 204);
}

void handle_run_delete(struct request *request)
{
	request_work(request, LANE_STORE, remove_run);
}
