/* SPDX-License-Identifier: GPL-3.0-or-later */
/* schedule_private.h - what the schedule's two files share. Nobody else includes it. */
#ifndef SERVER_SCHEDULE_PRIVATE_H
#define SERVER_SCHEDULE_PRIVATE_H

#include <pthread.h>

#include "server/schedule.h"

struct schedule {
	struct schedule_config config;
	pthread_t thread;
	bool joined; /* by schedule_stop, which one thread calls */

	/* Locking: over all below. The thread waits on `changed`. */
	pthread_mutex_t lock;
	pthread_cond_t changed; /* CLOCK_MONOTONIC */
	bool stopping;
	bool submitted;			  /* since the thread last looked at the queue */
	char current[RUN_ID_MAX];	  /* the run at hand; "": none */
	bool wished;			  /* somebody cancelled it */
	struct supervisor_cancel *cancel; /* of the run or sweep at hand */
};

bool schedule_is_stopping(struct schedule *schedule);

/* Until the run at hand is cancelled, the service stops, or the time is over. */
void schedule_pause_for(struct schedule *schedule, uint64_t ms);

void schedule_tell_problem(struct schedule *schedule, const struct error *err);
void schedule_tell_ended(struct schedule *schedule, const char *id);

/* A run whose turn it is. Its thread's alone. */
struct schedule_at_hand {
	struct schedule *schedule;
	const char *id;
	struct supervisor_cancel *cancel;
	uint64_t samples;
	struct error lost; /* why what the engine told could not be kept; code NONE: it could */
};

/* Carries it out. False where it could not be begun, and is still queued. */
bool schedule_begin(struct schedule_at_hand *run);

#endif
