/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * call.h - the engine's side of message.h: a request line taken apart, the head of a run's answer
 * put together.
 */
#ifndef SERVER_CODEC_CALL_H
#define SERVER_CODEC_CALL_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/io/measure.h"
#include "engine/plan/definition.h"
#include "engine/plan/plan.h"
#include "engine/run.h"
#include "engine/target/telemetry.h"
#include "server/codec/json.h"

enum call_kind {
	CALL_PLAN,
	CALL_TARGETS,
	CALL_SYSTEM,
	CALL_SWEEP,
	CALL_RUN,
	CALL_CANCEL,
	CALL_COUNT
};

struct call {
	enum call_kind kind;
	char run_id[RUN_ID_MAX];      /* CALL_RUN: manifest_run_id_ok() */
	struct definition definition; /* CALL_PLAN, CALL_RUN: checked */
};

/* With or without the newline. Errors in the definition have its own pointers; those of the
 * request itself have "" as field. On failure there is nothing to free. */
MUST_CHECK int call_read(const char *line, size_t size, struct call *ret_call, struct error *err);
void call_done(struct call *call);

/* The value of a STARTED line. infos: one a target. NULL: no memory. */
json_t *call_started(const struct plan *plan, const struct target_info *infos,
		     const struct environment *environment, enum backend_kind backend,
		     const char *backend_reason);

#endif
