/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * work.h - lanes of worker threads for what a handler may not do: block.
 *
 * A lane has its threads and a queue of bounded length. A request's `work` runs in one of the
 * threads; when it has left a reply, or wants something else (request->next), `done` is called in
 * that thread and the lane forgets the request. The engine's lane asks a process that may take
 * seconds (8 may wait); the store's lane reads and writes our own disk.
 *
 * Locking: one mutex a lane over its queue; neither work nor done is called under it.
 */
#ifndef API_WORK_H
#define API_WORK_H

#include <stddef.h>

#include "api/request.h"

#define WORK_ENGINE_THREADS 4
#define WORK_ENGINE_WAITING_MAX 8
#define WORK_STORE_THREADS 2
#define WORK_STORE_WAITING_MAX 256

struct work_lane;

MUST_CHECK int work_start(size_t threads, size_t waiting_max,
			  void (*done)(void *arg, struct request *request), void *arg,
			  struct work_lane **ret_lane);

/* Hands a request over; -EBUSY when too many wait, -ESHUTDOWN after work_stop began. The caller
 * keeps it then. */
MUST_CHECK int work_push(struct work_lane *lane, struct request *request);

/* Those who wait get SHUTTING_DOWN, those at work are waited for; joins the threads. */
void work_stop(struct work_lane *lane);
void work_free(struct work_lane *lane); /* after work_stop, when nobody pushes any more */

#endif
