/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store.h - documents on disk, an index of them in memory.
 *
 *   STATE/lock                         flock: one service a state directory
 *   STATE/definitions/NAME.json        saved definitions
 *   STATE/runs/ID/run.json             accepted: id, number, created, definition (volbench.run/1)
 *   STATE/runs/ID/state.json           state, started, ended, error, findings (volbench.state/1);
 *                                      none while the run is queued
 *   STATE/runs/ID/started.json         plan, environment, targets, backend as the engine told them
 *   STATE/runs/ID/samples/00000.json   one a finished sample
 *   STATE/runs/ID/result.json          written once, at the end, before the state
 *   STATE/runs/ID/report/              index.html, *.svg, ...
 *   STATE/studies/NAME/                reports of studies, as a run's; drawn anew by each service
 *   STATE/set-aside/                   what could not be read, moved there and told
 *   STATE/engine/                      the engine's own (lock, manifests); not touched here
 *
 * Invariants: 1. what a function reported as done is durable (file.h). 2. A sample is durable
 * before it is visible. 3. A run's end is only visible with a result.json; store_give_up is the
 * exception, which never says "done". 4. A document of a newer schema version is shown read-only
 * and never rewritten.
 *
 * Start: temporary files are swept; `running` becomes `interrupted` and gets its result from the
 * samples that are there (or, where the crash came after result.json, the state that tells);
 * `queued` stays, but for an imported result of which no result.json was written: nobody was told
 * that it is there, and it is removed. A full disk: STORAGE_FULL, the old file whole. An I/O error
 * (of fsync above all) twice: the store turns read-only (store_read_only) and answers READ_ONLY
 * until it is opened again.
 *
 * Locking: one mutex over the index, never held during I/O. Threads: any; readers get copies. Two
 * changes of one run wait for each other.
 *
 * Length: all that is stored is asked for here, and what each call promises stands with it.
 */
#ifndef SERVER_STORE_H
#define SERVER_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/result.h"
#include "server/store_definitions.h"
#include "server/store_imported.h"
#include "server/store_reports.h"

struct store;

struct store_run {
	char id[RUN_ID_MAX];
	uint64_t number; /* order of acceptance, from 1 */
	char name[DEFINITION_NAME_MAX + 1];
	enum run_state state;
	uint64_t created_wall_ms, started_wall_ms, ended_wall_ms;
	uint64_t samples_done, samples_total;
	struct error error; /* why it failed or was interrupted; code NONE when it did not */
	struct repeats_outcome repeats; /* how they ended, where they may end early */
	bool newer;			/* of a newer schema: shown, never changed, never run */
	bool recovered;			/* found running when the store was opened */
};

/* What store_add_run is given. */
struct store_new {
	const char *name;
	const char *definition; /* its full JSON text */
	uint64_t samples_total;
	const char *key, *digest; /* Idempotency-Key and its body's digest, or NULL */
	size_t queued_max;	  /* QUEUE_FULL where so many are queued; 0: no limit */
};

#define STORE_KEY_MAX 200 /* bytes, at least 1 */
/* Free bytes that must be there to accept a run, and for each of its samples. */
#define STORE_RESERVE_BYTES (UINT64_C(8) << 20)
#define STORE_SAMPLE_BYTES (UINT64_C(64) << 10)

/* Opens or makes the directory, takes the lock (waiting up to lock_wait_ms), recovers. */
MUST_CHECK int store_open(const char *directory, uint64_t lock_wait_ms, struct store **ret_store,
			  struct error *err);
void store_close(struct store *store);

bool store_read_only(struct store *store);

/* What was found wrong at the start and what was done about it, a sentence each, for the log. */
size_t store_problem_count(const struct store *store);
const char *store_problem(const struct store *store, size_t index);

/* A valid id: YYYYMMDD-HHMMSS-xxxxxx, x of [0-9a-z]. */
bool store_id_ok(const char *id);

/* A new one for a run accepted at that time. -errno without randomness or beyond the year 9999. */
MUST_CHECK int store_id_make(uint64_t wall_ms, char ret_id[RUN_ID_MAX]);

/*
 * Accepts a run: queued, durable. A known key yields the first run (*ret_again true), or
 * IDEMPOTENCY_MISMATCH with another digest. STORAGE_FULL where the disk is nearly full.
 */
MUST_CHECK int store_add_run(struct store *store, const struct store_new *wanted,
			     struct store_run *ret_run, bool *ret_again, struct error *err);

/* The run that was accepted under a key; -ENOENT when there is none, IDEMPOTENCY_MISMATCH (-EEXIST)
 * with another digest. For a caller that has checks to make before store_add_run: they hold for a
 * new run, not for one that is there. */
MUST_CHECK int store_find_key(struct store *store, const char *key, const char *digest,
			      struct store_run *ret_run, struct error *err);

/* -ENOENT when there is none. */
MUST_CHECK int store_get_run(struct store *store, const char *id, struct store_run *ret_run);

/* Newest first, before `cursor` (a run number; 0: from the newest), only of a state unless
 * RUN_STATE_COUNT. *ret_next is the cursor of the next page, 0 when there is none. */
MUST_CHECK int store_list_runs(struct store *store, enum run_state state, uint64_t cursor,
			       size_t limit, struct store_run **ret_runs, size_t *ret_count,
			       uint64_t *ret_next);

/* The oldest queued run, or -ENOENT. */
MUST_CHECK int store_next_queued(struct store *store, struct store_run *ret_run);
size_t store_count(struct store *store, enum run_state state);

/* Edges; ALREADY_FINISHED, RUN_ACTIVE, NOT_FOUND where there is none from the run's state. */
MUST_CHECK int store_set_running(struct store *store, const char *id, struct error *err);
MUST_CHECK int store_set_started(struct store *store, const char *id, const char *text,
				 struct error *err);
/* order: below the run's samples_total; one that is there already is replaced. */
MUST_CHECK int store_add_sample(struct store *store, const char *id, size_t order, const char *text,
				struct error *err);
/* How the repeats of the run at hand ended: kept with its end, if that is DONE. */
void store_note_repeats(struct store *store, const char *id, const struct repeats_outcome *outcome);
/* Of a running run: writes result.json from its parts, then the state. findings: JSON array text or
 * NULL; why: NULL for none. On failure it is still running. */
MUST_CHECK int store_finish_run(struct store *store, const char *id, enum run_state state,
				const char *findings, const struct error *why, struct error *err);
/* The same of a queued run: cancelled. */
MUST_CHECK int store_cancel_queued(struct store *store, const char *id, struct error *err);
/* Where that cannot write: the run counts as failed until the next store_open recovers it. */
void store_give_up(struct store *store, const char *id, const struct error *why);

/* The definition's text, heap. */
MUST_CHECK int store_definition_of(struct store *store, const char *id, char **ret_text);

/* volbench.result/1 as text: the stored one, or while it runs one made of what is there; heap.
 * NOT_FINISHED while it is queued. */
MUST_CHECK int store_result(struct store *store, const char *id, char **ret_text, size_t *ret_size,
			    struct error *err);

/* A queued or ended run. RUN_ACTIVE while it runs. */
MUST_CHECK int store_remove_run(struct store *store, const char *id, struct error *err);

/* Called after every change of a run, from the thread that made it, without a lock. Set once. */
void store_on_change(struct store *store, void (*changed)(void *arg, const char *id), void *arg);

#endif
