/* SPDX-License-Identifier: GPL-3.0-or-later */
/* waiters.c - see waiters.h. */
#include "api/waiters.h"

#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <string.h>

struct waiters {
	struct progress_board *board;
	pthread_mutex_t lock;
	/* Locking: lock */
	struct request *first;
	bool closing;
};

int waiters_new(struct progress_board *board, struct waiters **ret_waiters)
{
	struct waiters *waiters = calloc(1, sizeof(*waiters));

	if (!waiters)
		return -ENOMEM;
	waiters->board = board;
	(void)pthread_mutex_init(&waiters->lock, NULL); /* cannot fail with defaults */
	*ret_waiters = waiters;
	return 0;
}

void waiters_free(struct waiters *waiters)
{
	if (!waiters)
		return;
	(void)pthread_mutex_destroy(&waiters->lock);
	free(waiters);
}

static void unlink_request(struct waiters *waiters, struct request *request)
{
	if (request->previous_in_list)
		request->previous_in_list->next_in_list = request->next_in_list;
	else
		waiters->first = request->next_in_list;
	if (request->next_in_list)
		request->next_in_list->previous_in_list = request->previous_in_list;
	request->next_in_list = request->previous_in_list = NULL;
}

/* Resumes those of a run; run_id NULL: those whose time is over at now_ns, once closing all. */
static void wake(struct waiters *waiters, const char *run_id, uint64_t now_ns)
{
	struct request *next;

	(void)pthread_mutex_lock(&waiters->lock);
	for (struct request *request = waiters->first; request; request = next) {
		next = request->next_in_list;
		if (run_id ? strcmp(request->run_id, run_id) != 0
			   : !waiters->closing && request->wait_until_ns > now_ns)
			continue;
		unlink_request(waiters, request);
		MHD_resume_connection(request->connection);
	}
	(void)pthread_mutex_unlock(&waiters->lock);
}

/* The request may be resumed, and over, as soon as the lock is given back. */
static bool suspend(struct waiters *waiters, struct request *request)
{
	bool closing;

	(void)pthread_mutex_lock(&waiters->lock);
	closing = waiters->closing;
	if (!closing) {
		request->stage = STAGE_SUSPENDED;
		MHD_suspend_connection(request->connection);
		request->next_in_list = waiters->first;
		if (waiters->first)
			waiters->first->previous_in_list = request;
		waiters->first = request;
	}
	(void)pthread_mutex_unlock(&waiters->lock);
	return !closing;
}

int waiters_add(struct waiters *waiters, struct request *request, struct error *err)
{
	struct progress_state progress;
	char run_id[RUN_ID_MAX];
	uint64_t after = request->wait_after;

	memcpy(run_id, request->run_id, sizeof(run_id));
	if (!suspend(waiters, request))
		return error_set(err, ERROR_SHUTTING_DOWN, "", "the service is stopping");
	/* what changed before it stood in the list would not wake it */
	progress_get(waiters->board, run_id, &progress);
	if (progress.seq > after)
		wake(waiters, run_id, 0);
	return 0;
}

void waiters_changed(struct waiters *waiters, const char *run_id)
{
	wake(waiters, run_id, 0);
}

void waiters_overdue(struct waiters *waiters, uint64_t now_ns)
{
	wake(waiters, NULL, now_ns);
}

void waiters_close(struct waiters *waiters)
{
	(void)pthread_mutex_lock(&waiters->lock);
	waiters->closing = true;
	(void)pthread_mutex_unlock(&waiters->lock);
	wake(waiters, NULL, 0);
}
