/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of server/progress.c. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "server/progress.h"

static unsigned int called;
static char last_id[RUN_ID_MAX];

static void on_change(void *arg, const char *id)
{
	struct progress_state state;

	called++;
	(void)snprintf(last_id, sizeof(last_id), "%s", id);
	progress_get(arg, id, &state); /* no lock is held during the call */
}

static void test_latest_value(void **state)
{
	const struct progress half = {.phase = PHASE_MEASURE, .done = 3, .percent = 50};
	struct progress_board *board;
	struct progress_state got;

	(void)state;
	assert_int_equal(progress_board_new(&board), 0);
	progress_get(board, "a", &got);
	assert_int_equal(got.seq, 0);
	assert_false(got.known);
	progress_publish(board, "a", RUN_QUEUED, NULL, 0); /* nobody listens yet */
	progress_subscribe(board, on_change, board);
	called = 0;
	progress_publish(board, "b", RUN_RUNNING, &half, 2);
	assert_int_equal(called, 1);
	assert_string_equal(last_id, "b");
	progress_get(board, "b", &got);
	assert_int_equal(got.seq, 2);
	assert_true(got.known);
	assert_int_equal(got.progress.done, 3);
	progress_publish(board, "b", RUN_DONE, NULL, 4);
	progress_get(board, "b", &got);
	assert_int_equal(got.seq, 3);
	assert_int_equal(got.state, RUN_DONE);
	assert_int_equal(got.samples, 4);
	assert_true(got.known); /* the last one stays */
	assert_int_equal(got.progress.phase, PHASE_MEASURE);
	progress_get(board, "a", &got);
	assert_int_equal(got.seq, 1);
	assert_false(got.known);
	progress_forget(board, "a");
	progress_forget(board, "nobody");
	progress_get(board, "a", &got);
	assert_int_equal(got.seq, 0);
	progress_subscribe(board, NULL, NULL);
	progress_publish(board, "b", RUN_DONE, NULL, 4);
	assert_int_equal(called, 2);
	progress_board_free(board);
	progress_board_free(NULL);
}

/* Memory does not grow: ended runs are forgotten, oldest first; queued ones never. */
static void test_bound(void **state)
{
	struct progress_board *board;
	struct progress_state got;
	char id[32];

	(void)state;
	assert_int_equal(progress_board_new(&board), 0);
	progress_publish(board, "queued", RUN_QUEUED, NULL, 0);
	progress_publish(board, "running", RUN_RUNNING, NULL, 0);
	for (int i = 0; i < 10 * PROGRESS_RUNS_MAX; i++) {
		(void)snprintf(id, sizeof(id), "run-%d", i);
		progress_publish(board, id, RUN_DONE, NULL, 1);
	}
	for (int i = 0; i < 10 * PROGRESS_RUNS_MAX; i++) {
		(void)snprintf(id, sizeof(id), "run-%d", i);
		progress_get(board, id, &got);
		assert_int_equal(got.seq != 0, i >= 9 * PROGRESS_RUNS_MAX + 2);
	}
	progress_get(board, "queued", &got);
	assert_int_equal(got.seq, 1);
	progress_get(board, "running", &got);
	assert_int_equal(got.seq, 2);
	progress_board_free(board);
}

struct publisher {
	struct progress_board *board;
	char id[4];
};

static void *publish(void *arg)
{
	struct publisher *publisher = arg;
	struct progress progress = {0};
	struct progress_state got;

	for (unsigned int i = 1; i <= 1000; i++) {
		progress.done = i;
		progress_publish(publisher->board, publisher->id, RUN_RUNNING, &progress, i);
		progress_get(publisher->board, publisher->id, &got);
		if (got.progress.done != i || got.samples != i)
			return NULL;
	}
	return publisher;
}

static void test_threads(void **state)
{
	struct publisher publishers[3] = {{.id = "a"}, {.id = "b"}, {.id = "c"}};
	struct progress_board *board;
	pthread_t threads[3];
	struct progress_state got;
	uint64_t highest = 0;
	void *result;

	(void)state;
	assert_int_equal(progress_board_new(&board), 0);
	for (int i = 0; i < 3; i++) {
		publishers[i].board = board;
		assert_int_equal(pthread_create(&threads[i], NULL, publish, &publishers[i]), 0);
	}
	for (int i = 0; i < 3; i++) {
		assert_int_equal(pthread_join(threads[i], &result), 0);
		assert_ptr_equal(result, &publishers[i]);
		progress_get(board, publishers[i].id, &got);
		if (got.seq > highest)
			highest = got.seq;
	}
	assert_int_equal(highest, 3000);
	progress_board_free(board);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_latest_value),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
