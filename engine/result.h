/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * result.h - everything measured in a run, as plain structs: what analysis and report read.
 * Decoded from the stored documents by server/codec/result.c; owned by its holder.
 */
#ifndef ENGINE_RESULT_H
#define ENGINE_RESULT_H

#include "engine/plan/definition.h"
#include "engine/plan/finding.h"
#include "engine/plan/repeats.h"
#include "engine/run.h"
#include "engine/sample.h"
#include "engine/target/telemetry.h"

enum run_state {
	RUN_QUEUED,
	RUN_RUNNING,
	RUN_DONE,
	RUN_FAILED,
	RUN_CANCELLED,
	RUN_INTERRUPTED,
	RUN_STATE_COUNT
};

extern const char *const run_state_names[RUN_STATE_COUNT]; /* "queued", ... */
bool run_state_ended(enum run_state state);		   /* neither queued nor running */

/* The state of a name; -ENOENT when there is none. */
MUST_CHECK int run_state_find(const char *name, enum run_state *ret_state);

/* What is known of a system that another tool measured: {"pool", "20 x 800 GB SATA SSD"}. */
struct result_fact {
	char *name, *value;
};

struct result {
	char id[RUN_ID_MAX];
	enum run_state state;
	uint64_t created_wall_ms, started_wall_ms, ended_wall_ms; /* 0: not yet */
	struct definition definition;
	struct environment environment;
	char backend[16], backend_reason[256];
	size_t target_count;
	struct target_info *targets;
	size_t planned_samples;		/* at most, where repeats may end early */
	struct repeats_outcome repeats; /* how these did */
	size_t sample_count;
	struct sample *samples;	  /* by order */
	struct findings findings; /* the plan's and the run's, not the samples' */
	struct error error;	  /* why it failed; code NONE when it did not */
	size_t fact_count;	  /* of an imported result (definition.imported), else 0 */
	struct result_fact *facts;
};

/* What was read back (verify) in all samples together: errors and blocks; the method of one.
 * false where nothing was. `first` is that of the first sample that has errors. */
bool result_verified(const struct result *result, struct verify_result *ret_total,
		     const char **ret_method);

/* Samples of the repeats that were to be made: all that were planned, unless these ended early. */
size_t result_expected_samples(const struct result *result);

/* The tool that a sample was imported from, once each: NULL where we measured it, or where an
 * earlier sample has the same. */
const char *result_next_tool(const struct result *result, size_t sample);

/* "5 repeats"; of those that may end early how they did, or else when they would have:
 * repeats_outcome_text() or repeats_text(). Returns buffer. */
const char *result_repeats_text(const struct result *result, char buffer[REPEATS_OUTCOME_MAX]);

void result_init(struct result *result);
void result_done(struct result *result);

#endif
