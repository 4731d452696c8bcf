/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * waiters.h - long polls: requests suspended until their run changes or their time is over.
 *
 * Whoever is resumed is called again by libmicrohttpd and looks for itself what there is; nothing
 * is handed over. None may be suspended when the daemon stops: waiters_close comes first.
 *
 * Locking: one mutex over the list, held while a request is suspended or resumed, so that none is
 * resumed before it is suspended. The board is asked without it.
 */
#ifndef API_WAITERS_H
#define API_WAITERS_H

#include "api/request.h"

struct waiters;

MUST_CHECK int waiters_new(struct progress_board *board, struct waiters **ret_waiters);
void waiters_free(struct waiters *waiters); /* when nobody waits any more */

/* Suspends the request, from its connection's own callback, by its run_id, wait_after and
 * wait_until_ns; it is resumed at once where the run has changed meanwhile. SHUTTING_DOWN after
 * waiters_close: it was not suspended. */
MUST_CHECK int waiters_add(struct waiters *waiters, struct request *request, struct error *err);

/* A run has changed; any thread. */
void waiters_changed(struct waiters *waiters, const char *run_id);

/* Resumes those whose time is over at now_ns. */
void waiters_overdue(struct waiters *waiters, uint64_t now_ns);

/* Resumes all; nobody waits any more. */
void waiters_close(struct waiters *waiters);

#endif
