/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * message.h - the lines between a service (or terminal) and `volbench engine`.
 *
 * One JSON object a line. A connection carries one request:
 *   {"call": "plan", "definition": {...}}            -> {"plan": {...}}
 *   {"call": "targets"}                              -> {"targets": [...]}
 *   {"call": "system"}                               -> {"system": {...}}
 *   {"call": "sweep"}                                -> {"swept": [finding, ...]}
 *   {"call": "run", "run": ID, "definition": {...}}  -> {"started": {"plan", "environment",
 *        "targets", "backend", "backend_reason"}}, then any number of {"sample": {...}}, then
 *        {"end": {"state", "error"?, "findings"?, "repeats"?}}; before and between them any
 *        number of {"progress": {...}}, those before "started" being signs of life alone
 * or, in place of any answer, {"error": {"code", "field", "message", "sys"?}} as the last line.
 * While a run goes on {"call": "cancel"} is understood; end of file on the socket means stop,
 * clean up and exit.
 */
#ifndef SERVER_CODEC_MESSAGE_H
#define SERVER_CODEC_MESSAGE_H

#include "engine/result.h"
#include "engine/run.h"
#include "server/codec/json.h"

enum message_kind {
	MESSAGE_PLAN,
	MESSAGE_TARGETS,
	MESSAGE_SYSTEM,
	MESSAGE_SWEPT,
	MESSAGE_STARTED,
	MESSAGE_PROGRESS,
	MESSAGE_SAMPLE,
	MESSAGE_END,
	MESSAGE_ERROR,
	MESSAGE_KIND_COUNT
};

extern const char *const message_kind_names[MESSAGE_KIND_COUNT]; /* "plan", ... */

/* Latest progress, plain: what GET /runs/{id} shows. */
struct progress {
	enum run_phase phase;
	uint64_t done, total; /* samples */
	double percent, seconds_left;
	bool at_most; /* total and seconds_left, since repeats may end early yet */
	char workload[DEFINITION_NAME_MAX + 1]; /* of the sample at hand; "" when none */
	char cell[512];				/* "bs=4k, iodepth=32" */
	unsigned int repeat;
};

/* An answer taken apart. */
struct message {
	enum message_kind kind;
	/* The JSON of the document inside (plan, sample, ...), heap. For END the findings, a list,
	 * or NULL where there are none; NULL for PROGRESS and ERROR. */
	char *text;
	struct progress progress;
	size_t order;	      /* MESSAGE_SAMPLE: its place */
	enum run_state state; /* MESSAGE_END: DONE, FAILED or CANCELLED */
	struct error error;   /* MESSAGE_ERROR, or MESSAGE_END with a failure; else NONE */
	struct repeats_outcome repeats; /* MESSAGE_END: of a run whose repeats may end early */
};

/* Requests, heap text with the newline. NULL: no memory, or definition (JSON text, or NULL) is
 * none. */
char *message_request(const char *call, const char *run_id, const char *definition);

/* The engine's side: an answer line, heap, with the newline. Takes value; NULL: no memory, or a
 * NULL value. */
char *message_answer(enum message_kind kind, json_t *value);

/* The value of an END line. findings and repeats may be NULL, error NULL or NONE. NULL: no memory.
 */
json_t *message_end(enum run_state state, const struct error *error,
		    const struct findings *findings, const struct repeats_outcome *repeats);

/*
 * Reads an answer line, with or without its newline. The engine is not trusted: a line that is not
 * one of the above, or a sample that does not hold together, is ENGINE_FAILED.
 */
MUST_CHECK int message_read(const char *line, size_t size, struct message *ret_message,
			    struct error *err);
void message_done(struct message *message);

/* {"phase", "done", "total", "percent", "seconds_left", "at_most"?, "sample": {...} or null} and
 * back; what is missing or wrong is read as nothing. */
json_t *progress_encode(const struct progress *progress);
void progress_decode(const json_t *value, struct progress *ret_progress);

#endif
