/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_connections.c - each phase's deadline, and who goes when it gets crowded. */
#include "api/connections.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "engine/base/clock.h"

#define S NS_PER_S
#define START (1000 * S)

/* A connection's two ends; the far one sees when it is ended. */
struct pair {
	int near, far;
	struct connection *record;
};

static void open_pair(struct connections *connections, struct pair *pair, uint64_t now_ns)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	pair->near = ends[0];
	pair->far = ends[1];
	pair->record = connections_add(connections, pair->near, now_ns);
	assert_non_null(pair->record);
}

static bool ended(const struct pair *pair)
{
	char byte;

	return recv(pair->far, &byte, 1, MSG_DONTWAIT) == 0;
}

static void close_pair(struct connections *connections, struct pair *pair)
{
	connections_remove(connections, pair->record);
	close(pair->near);
	close(pair->far);
}

static void test_deadlines(void **state)
{
	struct connections *connections;
	struct pair reading, working, answering;

	(void)state;
	assert_int_equal(connections_new(&connections), 0);
	open_pair(connections, &reading, START);
	open_pair(connections, &working, START);
	open_pair(connections, &answering, START);
	connections_enter(connections, working.record, CONNECTION_WORKING, START);
	connections_enter(connections, answering.record, CONNECTION_ANSWERING, START);
	assert_int_equal(connections_in_phase(connections, CONNECTION_WORKING), 1);

	assert_int_equal(connections_reap(connections, START + CONNECTION_READING_S * S - 1), 0);
	assert_int_equal(connections_reap(connections, START + CONNECTION_READING_S * S), 1);
	assert_true(ended(&reading));
	assert_int_equal(connections_reap(connections, START + CONNECTION_ANSWERING_S * S - 1), 0);
	assert_false(ended(&answering));
	assert_int_equal(connections_reap(connections, START + CONNECTION_ANSWERING_S * S), 1);
	assert_true(ended(&answering));
	assert_int_equal(connections_reap(connections, START + 100000 * S), 0);
	assert_false(ended(&working));

	assert_int_equal(connections_count(connections), 3);
	close_pair(connections, &working);
	close_pair(connections, &reading);
	close_pair(connections, &answering);
	assert_int_equal(connections_count(connections), 0);
	connections_free(connections);
}

static void test_new_phase_new_time(void **state)
{
	struct connections *connections;
	struct pair pair;

	(void)state;
	assert_int_equal(connections_new(&connections), 0);
	open_pair(connections, &pair, START);
	connections_enter(connections, pair.record, CONNECTION_ANSWERING, START + 5 * S);
	connections_enter(connections, pair.record, CONNECTION_READING, START + 9 * S);
	assert_int_equal(connections_reap(connections, START + 18 * S), 0);
	/* a time that was taken before the phase began is no deadline */
	assert_int_equal(connections_reap(connections, START), 0);
	assert_int_equal(connections_reap(connections, START + 19 * S), 1);
	assert_int_equal(connections_reap(connections, START + 20 * S), 0);
	close_pair(connections, &pair);
	connections_free(connections);
}

static void test_left_in_the_middle(void **state)
{
	struct connections *connections;
	struct pair reading, working;

	(void)state;
	assert_int_equal(connections_new(&connections), 0);
	open_pair(connections, &reading, START);
	open_pair(connections, &working, START);
	connections_enter(connections, working.record, CONNECTION_WORKING, START);
	assert_int_equal(send(reading.far, "G", 1, 0), 1);
	shutdown(reading.far, SHUT_WR);
	shutdown(working.far, SHUT_WR); /* it has all it needs */
	/* what it sent may still be read */
	assert_int_equal(connections_reap(connections, START + 1), 0);
	assert_int_equal(connections_reap(connections, START + 2), 0);
	assert_int_equal(recv(reading.near, (char[1]){0}, 1, 0), 1);
	assert_int_equal(connections_reap(connections, START + 3), 0);
	assert_int_equal(connections_reap(connections, START + 4), 1);
	assert_true(ended(&reading));
	assert_false(ended(&working));
	close_pair(connections, &reading);
	close_pair(connections, &working);
	connections_free(connections);
}

static void test_crowded(void **state)
{
	static struct pair pairs[CONNECTIONS_CROWDED + 2];
	struct connections *connections;

	(void)state;
	assert_int_equal(connections_new(&connections), 0);
	for (size_t i = 0; i < CONNECTIONS_CROWDED; i++)
		open_pair(connections, &pairs[i], START + i);
	connections_enter(connections, pairs[0].record, CONNECTION_WORKING, START);
	/* the oldest that still reads goes, not the one that is at work */
	open_pair(connections, &pairs[CONNECTIONS_CROWDED], START + 1000);
	assert_false(ended(&pairs[0]));
	assert_true(ended(&pairs[1]));
	assert_false(ended(&pairs[2]));
	/* it is not counted on twice */
	open_pair(connections, &pairs[CONNECTIONS_CROWDED + 1], START + 1001);
	assert_true(ended(&pairs[2]));
	assert_false(ended(&pairs[3]));
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		close_pair(connections, &pairs[i]);
	connections_free(connections);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deadlines),
		cmocka_unit_test(test_new_phase_new_time),
		cmocka_unit_test(test_left_in_the_middle),
		cmocka_unit_test(test_crowded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
