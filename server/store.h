/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store.h - documents on disk, an index of them in memory.
 *
 *   STATE/lock                         flock: one service a state directory
 *   STATE/definitions/NAME.json        saved definitions
 *   STATE/runs/ID/run.json             accepted: id, number, created, definition (volbench.run/1)
 *   STATE/runs/ID/state.json           state, started, ended, error, findings (volbench.state/1)
 *   STATE/runs/ID/started.json         plan, environment, targets, backend as the engine told them
 *   STATE/runs/ID/samples/00000.json   one a finished sample
 *   STATE/runs/ID/result.json          written once, at the end
 *   STATE/runs/ID/report/              index.html, *.svg, ...
 *   STATE/set-aside/                   what could not be read, moved there and told
 *   STATE/engine/                      the engine's own (lock, manifests); not touched here
 *
 * Invariants: 1. what a function reported as done is durable (file.h). 2. A sample is durable
 * before it is visible. 3. state "done" is only there with a result.json. 4. A document of a newer
 * schema version is shown read-only and never rewritten.
 *
 * Start: temporary files are swept; `running` becomes `interrupted` and gets its result from the
 * samples that are there; `queued` stays.
 * A full disk: STORAGE_FULL, the old file whole. An fsync error twice: the store turns read-only
 * (store_read_only) and answers READ_ONLY.
 * Locking: one mutex over the index, never held during I/O. Threads: any; readers get copies.
 */
#ifndef SERVER_STORE_H
#define SERVER_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/result.h"

struct store;

struct store_run {
	char id[RUN_ID_MAX];
	uint64_t number; /* order of acceptance, from 1 */
	char name[DEFINITION_NAME_MAX + 1];
	enum run_state state;
	uint64_t created_wall_ms, started_wall_ms, ended_wall_ms;
	uint64_t samples_done, samples_total;
	struct error error;
};

/* Opens or makes the directory, takes the lock (waiting up to lock_wait_ms), recovers. */
MUST_CHECK int store_open(const char *directory, uint64_t lock_wait_ms, struct store **ret_store,
			  struct error *err);
void store_close(struct store *store);

bool store_read_only(struct store *store);

/* A valid id: YYYYMMDD-HHMMSS-xxxxxx, x of [0-9a-z]. */
bool store_id_ok(const char *id);

/*
 * Accepts a run: queued, durable. definition is its full JSON text. key (or NULL) is the client's
 * Idempotency-Key with a digest of its body: a known key yields the first run (*ret_again true),
 * IDEMPOTENCY_MISMATCH with another digest.
 */
MUST_CHECK int store_add_run(struct store *store, const char *name, const char *definition,
			     uint64_t samples_total, const char *key, const char *digest,
			     struct store_run *ret_run, bool *ret_again, struct error *err);

MUST_CHECK int store_get_run(struct store *store, const char *id, struct store_run *ret_run);

/* Newest first, before `cursor` (a run number; 0: from the newest), only of a state unless
 * RUN_STATE_COUNT. *ret_next is the cursor of the next page, 0 when there is none. */
MUST_CHECK int store_list_runs(struct store *store, enum run_state state, uint64_t cursor,
			       size_t limit, struct store_run **ret_runs, size_t *ret_count,
			       uint64_t *ret_next);

/* The oldest queued run, -ENOENT when there is none. */
MUST_CHECK int store_next_queued(struct store *store, struct store_run *ret_run);
size_t store_count(struct store *store, enum run_state state);

MUST_CHECK int store_set_running(struct store *store, const char *id, struct error *err);
MUST_CHECK int store_set_started(struct store *store, const char *id, const char *text,
				 struct error *err);
MUST_CHECK int store_add_sample(struct store *store, const char *id, size_t order, const char *text,
				struct error *err);
/* Writes result.json from its parts, then the state. findings: JSON array text or NULL. */
MUST_CHECK int store_finish_run(struct store *store, const char *id, enum run_state state,
				const char *findings, const struct error *why, struct error *err);

/* The definition's text, heap. */
MUST_CHECK int store_definition_of(struct store *store, const char *id, char **ret_text);

/* volbench.result/1 as text: the stored one, or while it runs one made of what is there; heap. */
MUST_CHECK int store_result(struct store *store, const char *id, char **ret_text, size_t *ret_size,
			    struct error *err);

/* The report's directory, made when missing; and one file of it. name is checked (file_name_ok). */
MUST_CHECK int store_open_report(struct store *store, const char *id, int *ret_dirfd);
MUST_CHECK int store_read_report(struct store *store, const char *id, const char *name,
				 char **ret_data, size_t *ret_size);

/* RUN_ACTIVE while it runs. */
MUST_CHECK int store_remove_run(struct store *store, const char *id, struct error *err);

/* Saved definitions. A name: 1 to 64 of [A-Za-z0-9._-], not starting with '.'. */
bool store_definition_name_ok(const char *name);
MUST_CHECK int store_put_definition(struct store *store, const char *name, const char *text,
				    bool *ret_created, struct error *err);
MUST_CHECK int store_get_definition(struct store *store, const char *name, char **ret_text,
				    struct error *err);
MUST_CHECK int store_remove_definition(struct store *store, const char *name, struct error *err);
MUST_CHECK int store_list_definitions(struct store *store, char ***ret_names, size_t *ret_count);

/* Called after every change of a run (its id), from the thread that made it, without a lock. */
void store_on_change(struct store *store, void (*changed)(void *arg, const char *id), void *arg);

#endif
