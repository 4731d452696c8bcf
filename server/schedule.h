/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schedule.h - the queue: one run at a time, in order of acceptance, in a thread of its own.
 *
 * States of a run and the only edges (schedule.c has them written by the store):
 *   accepted  -> queued       schedule_submit
 *   queued    -> running      the thread, when it is its turn
 *   queued    -> cancelled    schedule_cancel
 *   running   -> done | failed | cancelled      the thread, at the engine's end
 *   running   -> interrupted  the thread, where the engine was stopped and nobody had wished it:
 *                             schedule_stop, a signal to the engine (SIGKILL, too); store_open
 *                             after a crash
 *
 * A finished sample that the full disk does not take is kept in memory and tried again a few times;
 * then the run is stopped and fails with STORAGE_FULL.
 *
 * Order of events: durable, then visible in the store, then published on the board.
 * Locking: one mutex over what the thread does at the moment; no I/O and no callback under it.
 */
#ifndef SERVER_SCHEDULE_H
#define SERVER_SCHEDULE_H

#include "engine/base/error.h"
#include "engine/plan/finding.h"
#include "server/progress.h"
#include "server/store.h"
#include "server/supervisor.h"

#define SCHEDULE_QUEUE_MAX 100

struct schedule;

struct schedule_config {
	struct store *store;
	struct progress_board *board;
	const struct supervisor *supervisor;
	/* A run has ended (also one that a crash had interrupted, told once at start): its report
	 * can be drawn. From the schedule's thread; NULL: nobody wants to know. */
	void (*ended)(void *arg, const char *id);
	/* Something went wrong that no run's document tells, for the log: a sweep that failed, a
	 * run that cannot be started or whose end cannot be written. As above. */
	void (*problem)(void *arg, const struct error *err);
	/* What the sweep at the start removed, set aside or had to leave, one after another: no
	 * run's document tells that either. As above. */
	void (*swept)(void *arg, const struct finding *finding);
	void *arg;
	uint64_t retry_ms; /* between two tries to write to a full disk; 0: 1000 */
};

/* Starts the thread, which copies the config; a sweep of the engine's leftovers comes first. */
MUST_CHECK int schedule_start(const struct schedule_config *config, struct schedule **ret_schedule,
			      struct error *err);

/* Stops the run at hand (stored as interrupted) and joins, within 5 s. What other threads ask for
 * after that is SHUTTING_DOWN. Twice is fine. */
void schedule_stop(struct schedule *schedule);

/* Stops it where that was not done, and frees it: nobody else may use it any more. */
void schedule_free(struct schedule *schedule);

/* Queues a checked definition. key and digest as in struct store_new: the run of a repeated key is
 * returned with *ret_again true. QUEUE_FULL, STORAGE_FULL, SHUTTING_DOWN, ... */
MUST_CHECK int schedule_submit(struct schedule *schedule, const struct definition *definition,
			       const char *key, const char *digest, struct store_run *ret_run,
			       bool *ret_again, struct error *err);

/* NOT_FOUND, ALREADY_FINISHED. Returns once the wish is noted; the state follows within a second.
 */
MUST_CHECK int schedule_cancel(struct schedule *schedule, const char *id, struct error *err);

/* Removes an ended or queued run. RUN_ACTIVE, NOT_FOUND. */
MUST_CHECK int schedule_remove(struct schedule *schedule, const char *id, struct error *err);

/* Whether a run is going on. */
bool schedule_measuring(struct schedule *schedule);

#endif
