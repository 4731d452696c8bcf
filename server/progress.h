/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * progress.h - the latest state of every run that is queued, running or lately ended, with a
 * sequence number: a latest value, not a queue, so a slow reader skips and memory does not grow.
 *
 * At most PROGRESS_RUNS_MAX runs are kept; beyond, the one that has ended the longest time ago is
 * forgotten, and is then shown as the store knows it.
 *
 * Locking: one mutex; the subscriber is called without it, from the publishing thread.
 */
#ifndef SERVER_PROGRESS_H
#define SERVER_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "server/codec/message.h"
#include "server/store.h"

#define PROGRESS_RUNS_MAX 256 /* above any queue, see schedule.h */

struct progress_board;

struct progress_state {
	uint64_t seq; /* grows with every publication, over all runs; 0: none yet */
	enum run_state state;
	bool known; /* progress holds something */
	struct progress progress;
	uint64_t samples; /* finished and durable */
};

MUST_CHECK int progress_board_new(struct progress_board **ret_board);
void progress_board_free(struct progress_board *board);

/* progress NULL: keeps the last one. Numbers it and calls the subscribers. */
void progress_publish(struct progress_board *board, const char *id, enum run_state state,
		      const struct progress *progress, uint64_t samples);

/* Copies the latest; seq 0 and known false where nothing was published since the start. */
void progress_get(struct progress_board *board, const char *id, struct progress_state *ret_state);

void progress_forget(struct progress_board *board, const char *id);

/* One subscriber is enough (the HTTP side fans out); called with the id that changed. NULL: none
 * any more; a call that another thread is in at that moment may still end after it. */
void progress_subscribe(struct progress_board *board, void (*changed)(void *arg, const char *id),
			void *arg);

#endif
