/* SPDX-License-Identifier: GPL-3.0-or-later */
/* work.c - see work.h. */
#include "api/work.h"

#include <errno.h>
#include <pthread.h>

#define LANE_THREADS_MAX 8

struct work_lane {
	void (*done)(void *arg, struct request *request);
	void *arg;
	size_t waiting_max, thread_count;
	pthread_t threads[LANE_THREADS_MAX];
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* Locking: lock */
	bool stopping;
	size_t waiting, idle;
	struct request *first, *last;
};

static struct request *pop(struct work_lane *lane)
{
	struct request *request = lane->first;

	lane->first = request->next_in_list;
	if (!lane->first)
		lane->last = NULL;
	request->next_in_list = NULL;
	lane->waiting--;
	return request;
}

static void refuse(struct work_lane *lane, struct request *request)
{
	struct error err;

	(void)error_set(&err, ERROR_SHUTTING_DOWN, "", "the service is stopping");
	request_reply_error(request, &err);
	lane->done(lane->arg, request);
}

static void *worker(void *arg)
{
	struct work_lane *lane = arg;
	struct request *request;
	bool stopping;

	for (;;) {
		(void)pthread_mutex_lock(&lane->lock);
		lane->idle++;
		while (!lane->first && !lane->stopping)
			(void)pthread_cond_wait(&lane->changed, &lane->lock);
		lane->idle--;
		stopping = lane->stopping;
		request = lane->first ? pop(lane) : NULL;
		(void)pthread_mutex_unlock(&lane->lock);
		if (!request)
			return NULL;
		if (stopping) {
			refuse(lane, request);
			continue;
		}
		request->next = NEXT_REPLY;
		request->work(request);
		lane->done(lane->arg, request);
	}
}

int work_start(size_t threads, size_t waiting_max, void (*done)(void *arg, struct request *request),
	       void *arg, struct work_lane **ret_lane)
{
	struct work_lane *lane = calloc(1, sizeof(*lane));
	int r;

	if (!lane)
		return -ENOMEM;
	lane->done = done;
	lane->arg = arg;
	lane->waiting_max = waiting_max;
	(void)pthread_mutex_init(&lane->lock, NULL);   /* cannot fail with defaults */
	(void)pthread_cond_init(&lane->changed, NULL); /* nor this */
	for (size_t i = 0; i < threads && i < LANE_THREADS_MAX; i++) {
		r = pthread_create(&lane->threads[i], NULL, worker, lane);
		if (r != 0) {
			work_stop(lane);
			work_free(lane);
			return -r;
		}
		lane->thread_count++;
	}
	*ret_lane = lane;
	return 0;
}

int work_push(struct work_lane *lane, struct request *request)
{
	int r = 0;

	(void)pthread_mutex_lock(&lane->lock);
	if (lane->stopping) {
		r = -ESHUTDOWN;
	} else if (lane->waiting >= lane->waiting_max + lane->idle) {
		r = -EBUSY;
	} else {
		request->next_in_list = NULL;
		if (lane->last)
			lane->last->next_in_list = request;
		else
			lane->first = request;
		lane->last = request;
		lane->waiting++;
		(void)pthread_cond_signal(&lane->changed);
	}
	(void)pthread_mutex_unlock(&lane->lock);
	return r;
}

void work_stop(struct work_lane *lane)
{
	if (!lane)
		return;
	(void)pthread_mutex_lock(&lane->lock);
	lane->stopping = true;
	(void)pthread_cond_broadcast(&lane->changed);
	(void)pthread_mutex_unlock(&lane->lock);
	for (size_t i = 0; i < lane->thread_count; i++)
		(void)pthread_join(lane->threads[i], NULL);
	lane->thread_count = 0;
}

void work_free(struct work_lane *lane)
{
	if (!lane)
		return;
	(void)pthread_cond_destroy(&lane->changed);
	(void)pthread_mutex_destroy(&lane->lock);
	free(lane);
}
