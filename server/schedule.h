/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schedule.h - the queue: one run at a time, in order of acceptance, in a thread of its own.
 *
 * States of a run and the only edges (schedule.c writes them through the store):
 *   accepted  -> queued       schedule_submit
 *   queued    -> running      the thread, when it is its turn
 *   queued    -> cancelled    schedule_cancel
 *   running   -> done | failed | cancelled      the thread, at the engine's end
 *   running   -> interrupted  schedule_stop; store_open after a crash
 */
#ifndef SERVER_SCHEDULE_H
#define SERVER_SCHEDULE_H

#include "engine/base/error.h"
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
	 * can be drawn. From the schedule's thread. */
	void (*ended)(void *arg, const char *id);
	void *arg;
};

/* Starts the thread; a sweep of the engine's leftovers comes first. */
MUST_CHECK int schedule_start(const struct schedule_config *config, struct schedule **ret_schedule,
			      struct error *err);

/* Stops the run at hand (stored as interrupted), joins, frees. */
void schedule_stop(struct schedule *schedule);

/* Queues a checked definition. QUEUE_FULL, STORAGE_FULL, SHUTTING_DOWN, ... */
MUST_CHECK int schedule_submit(struct schedule *schedule, const struct definition *definition,
			       const char *key, const char *digest, struct store_run *ret_run,
			       bool *ret_again, struct error *err);

/* NOT_FOUND, ALREADY_FINISHED. Returns once the wish is noted; the state follows within a second.
 */
MUST_CHECK int schedule_cancel(struct schedule *schedule, const char *id, struct error *err);

/* Removes an ended or queued run. */
MUST_CHECK int schedule_remove(struct schedule *schedule, const char *id, struct error *err);

bool schedule_measuring(struct schedule *schedule);

#endif
