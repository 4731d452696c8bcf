/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_waiters.c - who is resumed, by what, and that nobody is twice. libmicrohttpd's two calls are
 * replaced: a connection here is a count of how often it was suspended and resumed.
 *
 * link: -Wl,--wrap=MHD_suspend_connection,--wrap=MHD_resume_connection
 */
#include "api/waiters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "server/progress.h"

struct MHD_Connection {
	int suspended, resumed;
};

void __wrap_MHD_suspend_connection(struct MHD_Connection *connection);
void __wrap_MHD_resume_connection(struct MHD_Connection *connection);

void __wrap_MHD_suspend_connection(struct MHD_Connection *connection)
{
	assert_int_equal(connection->suspended, connection->resumed);
	connection->suspended++;
}

void __wrap_MHD_resume_connection(struct MHD_Connection *connection)
{
	connection->resumed++;
	assert_int_equal(connection->suspended, connection->resumed);
}

#define FIRST "20260131-235959-a1b2c3"
#define SECOND "20260131-235959-a1b2c4"

struct fixture {
	struct progress_board *board;
	struct waiters *waiters;
	struct MHD_Connection connections[4];
	struct request *requests[4];
};

/* Two that wait for each of two runs, their times over at 100, 200, 300 and 400. */
static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	assert_int_equal(progress_board_new(&f->board), 0);
	assert_int_equal(waiters_new(f->board, &f->waiters), 0);
	for (size_t i = 0; i < 4; i++) {
		f->requests[i] = request_new();
		assert_non_null(f->requests[i]);
		f->requests[i]->connection = &f->connections[i];
		request_wait(f->requests[i], i % 2 ? SECOND : FIRST, 0, 1);
		f->requests[i]->wait_until_ns = 100 * (i + 1);
	}
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < 4; i++)
		request_free(f->requests[i]);
	waiters_free(f->waiters);
	progress_board_free(f->board);
	free(f);
	return 0;
}

static void add_all(struct fixture *f)
{
	struct error err;

	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(waiters_add(f->waiters, f->requests[i], &err), 0);
		assert_int_equal(f->connections[i].suspended, 1);
		assert_int_equal(f->requests[i]->stage, STAGE_SUSPENDED);
	}
}

static void assert_resumed(const struct fixture *f, int a, int b, int c, int d)
{
	const int expected[] = {a, b, c, d};

	for (size_t i = 0; i < 4; i++)
		assert_int_equal(f->connections[i].resumed, expected[i]);
}

static void test_a_change_wakes_those_of_its_run(void **state)
{
	struct fixture *f = *state;

	add_all(f);
	assert_resumed(f, 0, 0, 0, 0);
	waiters_changed(f->waiters, "20260131-235959-a1b2c5");
	assert_resumed(f, 0, 0, 0, 0);
	waiters_changed(f->waiters, SECOND);
	assert_resumed(f, 0, 1, 0, 1);
	waiters_changed(f->waiters, SECOND);
	assert_resumed(f, 0, 1, 0, 1);
	waiters_changed(f->waiters, FIRST);
	assert_resumed(f, 1, 1, 1, 1);
}

static void test_time_wakes_those_whose_is_over(void **state)
{
	struct fixture *f = *state;

	add_all(f);
	waiters_overdue(f->waiters, 99);
	assert_resumed(f, 0, 0, 0, 0);
	waiters_overdue(f->waiters, 200);
	assert_resumed(f, 1, 1, 0, 0);
	waiters_overdue(f->waiters, 1000);
	assert_resumed(f, 1, 1, 1, 1);
}

/* What was published after the handler looked, and before it stood in the list. */
static void test_a_change_just_before_wakes_at_once(void **state)
{
	struct fixture *f = *state;
	struct error err;

	progress_publish(f->board, FIRST, RUN_RUNNING, NULL, 0); /* number 1 */
	assert_int_equal(waiters_add(f->waiters, f->requests[0], &err), 0);
	assert_int_equal(waiters_add(f->waiters, f->requests[1], &err), 0);
	assert_resumed(f, 1, 0, 0, 0);
	f->requests[2]->wait_after = 1; /* it knows */
	assert_int_equal(waiters_add(f->waiters, f->requests[2], &err), 0);
	assert_resumed(f, 1, 0, 0, 0);
	waiters_close(f->waiters);
	assert_resumed(f, 1, 1, 1, 0);
}

static void test_nobody_waits_after_the_end(void **state)
{
	struct fixture *f = *state;
	struct error err;

	add_all(f);
	waiters_close(f->waiters);
	assert_resumed(f, 1, 1, 1, 1);
	f->requests[0]->stage = STAGE_BODY;
	assert_true(waiters_add(f->waiters, f->requests[0], &err) < 0);
	assert_int_equal(err.code, ERROR_SHUTTING_DOWN);
	assert_int_equal(f->connections[0].suspended, 1);
	assert_int_equal(f->requests[0]->stage, STAGE_BODY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_change_wakes_those_of_its_run, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_time_wakes_those_whose_is_over, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_a_change_just_before_wakes_at_once, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_nobody_waits_after_the_end, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
