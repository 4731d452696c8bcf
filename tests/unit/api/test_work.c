/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_work.c - lanes: everything is done once, no more wait than may, a stop leaves nobody. */
#include "api/work.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define THREADS 2
#define WAITING 3
#define ALL (THREADS + WAITING)

/* A gate that work waits at, and counts of what went through. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool open;
	size_t at_work, done, refused;
} hall = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, 0, 0, 0};

static void work(struct request *request)
{
	(void)pthread_mutex_lock(&hall.lock);
	hall.at_work++;
	(void)pthread_cond_broadcast(&hall.changed);
	while (!hall.open)
		(void)pthread_cond_wait(&hall.changed, &hall.lock);
	(void)pthread_mutex_unlock(&hall.lock);
	request_reply_empty(request, 204);
}

static void done(void *arg, struct request *request)
{
	assert_ptr_equal(arg, &hall);
	assert_int_equal(request->next, NEXT_REPLY);
	(void)pthread_mutex_lock(&hall.lock);
	hall.done++;
	hall.refused += request->reply.status == 503;
	(void)pthread_cond_broadcast(&hall.changed);
	(void)pthread_mutex_unlock(&hall.lock);
}

static void wait_for(const size_t *count, size_t value)
{
	(void)pthread_mutex_lock(&hall.lock);
	while (*count < value)
		(void)pthread_cond_wait(&hall.changed, &hall.lock);
	(void)pthread_mutex_unlock(&hall.lock);
}

static void open_hall(bool open)
{
	(void)pthread_mutex_lock(&hall.lock);
	hall.open = open;
	(void)pthread_cond_broadcast(&hall.changed);
	(void)pthread_mutex_unlock(&hall.lock);
}

static struct work_lane *start(struct request *requests[], size_t count)
{
	struct work_lane *lane;

	hall.open = false;
	hall.at_work = hall.done = hall.refused = 0;
	assert_int_equal(work_start(THREADS, WAITING, done, &hall, &lane), 0);
	for (size_t i = 0; i < count; i++) {
		requests[i] = request_new();
		assert_non_null(requests[i]);
		request_work(requests[i], LANE_ENGINE, work);
	}
	return lane;
}

static void finish(struct work_lane *lane, struct request *requests[], size_t count)
{
	work_stop(lane);
	work_free(lane);
	for (size_t i = 0; i < count; i++)
		request_free(requests[i]);
}

/* Fills the lane: all threads at work, as many waiting as may. */
static void fill(struct work_lane *lane, struct request *requests[])
{
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(work_push(lane, requests[i]), 0);
	wait_for(&hall.at_work, THREADS);
	for (size_t i = THREADS; i < ALL; i++)
		assert_int_equal(work_push(lane, requests[i]), 0);
}

static void test_all_are_done_once(void **state)
{
	struct request *requests[ALL];
	struct work_lane *lane = start(requests, ALL);

	(void)state;
	fill(lane, requests);
	open_hall(true);
	wait_for(&hall.done, ALL);
	assert_int_equal(hall.at_work, ALL);
	assert_int_equal(hall.refused, 0);
	for (size_t i = 0; i < ALL; i++)
		assert_int_equal(requests[i]->reply.status, 204);
	finish(lane, requests, ALL);
}

static void test_no_more_wait_than_may(void **state)
{
	struct request *requests[ALL + 1];
	struct work_lane *lane = start(requests, ALL + 1);

	(void)state;
	fill(lane, requests);
	assert_int_equal(work_push(lane, requests[ALL]), -EBUSY);
	open_hall(true);
	wait_for(&hall.done, ALL);
	assert_int_equal(work_push(lane, requests[ALL]), 0); /* there is room again */
	wait_for(&hall.done, ALL + 1);
	finish(lane, requests, ALL + 1);
}

static void *stop(void *lane)
{
	work_stop(lane);
	return NULL;
}

static void test_stop_refuses_those_that_wait(void **state)
{
	struct request *requests[ALL + 1];
	struct work_lane *lane = start(requests, ALL + 1);
	pthread_t stopper;
	int r;

	(void)state;
	fill(lane, requests);
	assert_int_equal(pthread_create(&stopper, NULL, stop, lane), 0);
	/* until the stop has begun a push finds the lane full, then it finds it closed */
	do
		r = work_push(lane, requests[ALL]);
	while (r == -EBUSY);
	assert_int_equal(r, -ESHUTDOWN);
	open_hall(true);
	assert_int_equal(pthread_join(stopper, NULL), 0);
	assert_int_equal(hall.done, ALL);
	assert_int_equal(hall.at_work, THREADS);
	assert_int_equal(hall.refused, WAITING);
	finish(lane, requests, ALL + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_are_done_once),
		cmocka_unit_test(test_no_more_wait_than_may),
		cmocka_unit_test(test_stop_refuses_those_that_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
