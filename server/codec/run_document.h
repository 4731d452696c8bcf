/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_document.h - the documents a stored run is made of, and the result composed from them.
 *
 * volbench.run/1:     {"schema", "id", "number", "name", "created", "planned_samples", "key"?,
 *                     "digest"?, "definition"}
 * volbench.state/1:   {"schema", "state", "started"?, "ended"?, "samples", "error"?, "repeats"?,
 *                     "findings"?}
 * volbench.started/1: {"schema", and what the engine told: "plan", "environment", "targets",
 *                     "backend", "backend_reason"}
 *
 * A document of a newer version is read as far as it can be and marked `newer`: it may be shown,
 * and is never written again. Anything else that does not hold together is an error: a stored file
 * may have been damaged.
 */
#ifndef SERVER_CODEC_RUN_DOCUMENT_H
#define SERVER_CODEC_RUN_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/result.h"

#define RUN_SCHEMA "volbench.run/1"
#define STATE_SCHEMA "volbench.state/1"
#define STARTED_SCHEMA "volbench.started/1"

#define RUN_KEY_MAX 200 /* bytes of an Idempotency-Key, and of a digest */

struct run_document {
	char id[RUN_ID_MAX];
	uint64_t number;
	char name[DEFINITION_NAME_MAX + 1];
	uint64_t created_wall_ms;
	uint64_t samples_total;
	char key[RUN_KEY_MAX + 1], digest[RUN_KEY_MAX + 1]; /* "" where none was given */
	bool imported; /* read from the definition, not written */
	bool newer;
};

struct state_document {
	enum run_state state;
	uint64_t started_wall_ms, ended_wall_ms; /* 0: not yet */
	uint64_t samples_done;
	struct error error;		/* code NONE when there is none */
	struct repeats_outcome repeats; /* of a run that is done */
	bool newer;
};

/* Heap text. definition is JSON text. -ENOMEM, or -EINVAL with err where it is none. */
MUST_CHECK int run_document_encode(const struct run_document *run, const char *definition,
				   char **ret_text, struct error *err);
/* ret_definition (may be NULL): the definition's text, heap. */
MUST_CHECK int run_document_decode(const char *text, size_t size, struct run_document *ret_run,
				   char **ret_definition, struct error *err);

/* findings: JSON array text, or NULL. */
MUST_CHECK int state_document_encode(const struct state_document *state, const char *findings,
				     char **ret_text, struct error *err);
/* ret_findings (may be NULL): those of the run's end, heap, or NULL where there are none. */
MUST_CHECK int state_document_decode(const char *text, size_t size,
				     struct state_document *ret_state, char **ret_findings,
				     struct error *err);

/* The engine's "started" document with a schema of its own. */
MUST_CHECK int started_document_encode(const char *started, char **ret_text, struct error *err);

/*
 * The head of a volbench.result/1: everything up to and with `"samples":[`. The caller appends the
 * samples' texts, "," between them, and RESULT_TAIL. `run` and `definition` come from run.json;
 * started (or NULL) is started.json's text, findings (or NULL) those of the run's end.
 */
#define RESULT_TAIL "]}\n"
MUST_CHECK int result_head_encode(const struct run_document *run, const char *definition,
				  const struct state_document *state, const char *started,
				  const char *findings, char **ret_text, struct error *err);

/* State, times and error of a whole result, from its head: samples are counted by the caller. */
MUST_CHECK int result_head_decode(const char *text, size_t size, struct state_document *ret_state,
				  struct error *err);

/* Whether text is one JSON object: 0, or JSON_INVALID and the like. */
MUST_CHECK int document_check(const char *text, size_t size, struct error *err);

/* Whether text is a JSON object whose schema has this name ("volbench.definition") and a version
 * above `version`. */
bool document_is_newer(const char *text, size_t size, const char *name, unsigned int version);

#endif
