/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store_private.h - what the store's files share. Nobody else includes it.
 *
 *   store.c              opening, errors, changes of a run one after another
 *   store_index.c        the runs in memory
 *   store_accept.c       acceptance of runs and of imported results
 *   store_runs.c         edges of the state, samples, removal
 *   store_documents.c    a run's documents read, results composed
 *   store_recovery.c     what is done to the directory when it is opened
 *   store_definitions.c  saved definitions
 *   store_studies.c      reports of what comes with the program
 */
#ifndef SERVER_STORE_PRIVATE_H
#define SERVER_STORE_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/base/file.h"
#include "server/codec/run_document.h"
#include "server/store.h"

/* The largest documents read; what we write ourselves stays far below. */
#define RUN_TEXT_MAX ((size_t)8 << 20)
#define SAMPLE_TEXT_MAX ((size_t)64 << 20)
#define RESULT_TEXT_MAX ((size_t)2 << 30)
#define REPORT_FILE_MAX ((size_t)512 << 20)

#define SAMPLE_NAME_MAX 24

/* One run in memory. Locking: store->lock, but for what only its writer (busy) reads and writes:
 * `have`. */
struct store_entry {
	char id[RUN_ID_MAX];
	uint64_t number;
	char *name, *key, *digest; /* key and digest NULL where there are none */
	enum run_state state;
	uint64_t created_wall_ms, started_wall_ms, ended_wall_ms;
	uint32_t samples_done, samples_total;
	struct error *error; /* NULL: none */
	struct repeats_outcome repeats;
	unsigned char *have; /* bit per sample that is durable; NULL before and after running */
	bool busy;	     /* a thread changes it; others wait on store->changed */
	bool hidden;	     /* not accepted yet, or being removed */
	bool newer, recovered;
};

/* Locking: lock over entries and what they hold; the rest is immutable or atomic. */
struct store {
	int dirfd, runs_fd, definitions_fd, studies_fd, aside_fd, lock_fd;
	atomic_bool read_only;
	void (*changed_callback)(void *arg, const char *id);
	void *changed_arg;
	char **problems; /* written by store_open only */
	size_t problem_count;

	pthread_mutex_t lock;
	pthread_cond_t changed;			 /* an entry is no longer busy */
	struct store_entry **by_number, **by_id; /* the same ones, sorted */
	size_t count, room;
	uint64_t last_number;
};

/* ---- store_index.c ---- */

struct store_entry *store_entry_new(const struct run_document *run);
void store_entry_free(struct store_entry *entry);
/* These want the lock. */
struct store_entry *store_entry_find(struct store *store, const char *id);
MUST_CHECK int store_entry_insert(struct store *store, struct store_entry *entry);
void store_entry_remove(struct store *store, struct store_entry *entry);
void store_entry_copy(const struct store_entry *entry, struct store_run *ret_run);
/* Of a run that is done: where they ended early, its samples are all there are. */
void store_entry_set_repeats(struct store_entry *entry, const struct repeats_outcome *outcome);
/* Takes an entry out of the index for good, and frees it. Takes the lock itself. */
void store_entry_drop(struct store *store, struct store_entry *entry);

/* ---- store.c ---- */

#define STATE_BIT(state) (1u << (state))
#define STATES_ENDED                                                                               \
	(STATE_BIT(RUN_DONE) | STATE_BIT(RUN_FAILED) | STATE_BIT(RUN_CANCELLED) |                  \
	 STATE_BIT(RUN_INTERRUPTED))

/* Makes this thread the one that changes the run, if it is in one of these states. */
MUST_CHECK int store_change_begin(struct store *store, const char *id, unsigned int states,
				  struct store_entry **ret_entry, struct error *err);
/* The same for a change that writes nothing: also where the store is read-only. */
MUST_CHECK int store_change_begin_unwritten(struct store *store, const char *id,
					    unsigned int states, struct store_entry **ret_entry,
					    struct error *err);
/* Ends it; the callback is called where something changed. Wants no lock. */
void store_change_end(struct store *store, struct store_entry *entry, bool changed);

/* Writes a document durably, once more after an I/O error. */
MUST_CHECK int store_keep(struct store *store, int dirfd, const char *name, const char *text,
			  size_t size, struct error *err);
/* Turns the -errno of a file function that writes into an error; EIO or EROFS makes the store
 * read-only. */
int store_tell(struct store *store, int r, const char *what, struct error *err);
int store_not_found(const char *id, struct error *err);

/* Remembers a sentence for store_problem(). */
void store_note_problem(struct store *store, const char *format, ...) PRINTF_LIKE(2, 3);

/* ---- store_documents.c ---- */

/* Opens what is there; never makes it. */
MUST_CHECK int store_open_run(struct store *store, const char *id, int *ret_dirfd);
void store_sample_name(size_t order, char name[SAMPLE_NAME_MAX]);
MUST_CHECK int store_read_run(int run_fd, struct run_document *ret_run, char **ret_definition,
			      struct error *err);
/* Which samples' files are there: a bit each, heap, and how many. */
MUST_CHECK int store_scan_samples(int run_fd, uint64_t samples_total, unsigned char **ret_have,
				  uint64_t *ret_count);
/* The result of a run from its parts; have: which samples. Heap. findings as in the header. */
MUST_CHECK int store_compose(int run_fd, const struct state_document *state,
			     const unsigned char *have, const char *findings, char **ret_text,
			     size_t *ret_size, struct error *err);

/* Whether result.json is there and, by its first and last bytes, whole: 0, -ENOENT, -EBADMSG where
 * it is no result or was cut, another -errno. What lies between is not read. */
MUST_CHECK int store_look_at_result(int run_fd);

/* Writes the result, then the state: the end of a run in the one order that is right. */
MUST_CHECK int store_write_end(struct store *store, int run_fd, const struct state_document *state,
			       const unsigned char *have, const char *findings, struct error *err);

static inline size_t have_bytes(uint64_t samples_total)
{
	return (size_t)(samples_total + 7) / 8;
}

static inline bool have_sample(const unsigned char *have, size_t order)
{
	return have[order / 8] >> (order % 8) & 1;
}

/* ---- store_recovery.c ---- */

/* Reads the whole directory into the index, and mends what a crash left. */
MUST_CHECK int store_recover(struct store *store, struct error *err);

/* ---- store_studies.c ---- */

/* At the start: what is there was drawn by another service, maybe of an older version. */
void store_forget_studies(struct store *store);

#endif
