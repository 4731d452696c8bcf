/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * result.h (codec) - volbench.result/1 <-> struct result. See openapi.yaml, schema Result. The
 * forms other programs read are made by result_csv.h and result_fio.h.
 *
 * A result document: {"schema", "id", "name", "state", "created", "started"?, "ended"?, "error"?,
 * "repeats"?, "definition", "backend"?, "backend_reason"?, "environment"?, "targets"?,
 * "planned_samples", "findings", "samples": [volbench.sample/1, ...]}. A run that never started has
 * none of backend, environment and targets, as has one that was imported: that may have "facts", an
 * object of texts.
 */
#ifndef SERVER_CODEC_RESULT_H
#define SERVER_CODEC_RESULT_H

#include "engine/result.h"
#include "server/codec/json.h"
#include "server/codec/result_csv.h"
#include "server/codec/result_fio.h"

#define RESULT_SCHEMA "volbench.result/1"

/* NULL: no memory. */
json_t *result_encode(const struct result *result);

/* `result` must be fresh, and is again on failure. Checks what it reads; a sample's error has its
 * place ("/samples/3/read/ios"). */
MUST_CHECK int result_decode(const json_t *value, struct result *result, struct error *err);

/*
 * The same bit by bit, for a document too large to be taken apart at once (result_text.h): its head
 * is decoded with an empty list of samples, then each sample is added, then the end is told, which
 * puts them in order (DUPLICATE). On failure the result is the caller's to end.
 */
MUST_CHECK int result_add_sample(struct result *result, const json_t *value, struct error *err);
MUST_CHECK int result_end_samples(struct result *result, struct error *err);

/* What stands before the first sample in the text of a result written here, and nowhere else in it:
 * quotes inside a JSON text are escaped. */
#define RESULT_SAMPLES ",\"samples\":["

json_t *environment_encode(const struct environment *environment);
/* -EINVAL where it is none. */
MUST_CHECK int environment_decode(const json_t *value, struct environment *ret_environment);

#endif
