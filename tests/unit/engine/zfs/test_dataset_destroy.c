/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of engine/zfs/dataset_destroy.c: what is destroyed, what is not, and what is busy.
 *
 * link: -Wl,--wrap=child_start -Wl,--wrap=access -Wl,--wrap=zfs_node_closes
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "engine/zfs/dataset.h"
#include "engine/zfs/node.h"
#include "tests/unit/engine/zfs/fake_zfs.h"

#define RUN "01hzy3k5w9"

static int closes_fd = -1; /* given out once; else there is no node */
static unsigned int watches;

int __wrap_zfs_node_closes(const char *dataset, int *ret_fd);
int __wrap_zfs_node_closes(const char *dataset, int *ret_fd)
{
	(void)dataset;
	watches++;
	if (closes_fd < 0)
		return -ENODEV;
	*ret_fd = closes_fd;
	closes_fd = -1;
	return 0;
}

static int setup(void **state)
{
	(void)state;
	fake_reset();
	closes_fd = -1;
	watches = 0;
	return 0;
}

#define MADE "tank/volbench/volbench-" RUN "-2"
#define PARENT "tank/volbench"

static void say_mark(const char *value, const char *source)
{
	static char text[8][256];
	char *line = text[fake_count % 8];

	(void)snprintf(line, sizeof(text[0]), "volbench:run\t%s\t%s\n", value, source);
	fake_say(line);
}

static void test_destroy(void **state)
{
	(void)state;
	say_mark(RUN, "local");
	fake_say("");
	assert_int_equal(zfs_destroy_made(MADE, PARENT, RUN, NULL, NULL), 0);
	assert_string_equal(fake_asked[1], "/usr/sbin/zfs destroy " MADE);
}

/* Of name, parent, mark, its source and the run's id each must agree. */
static void test_destroy_not_ours(void **state)
{
	static const struct {
		const char *name, *parent, *run, *value, *source;
	} cases[] = {
		{"tank/other/volbench-" RUN, PARENT, RUN, NULL, NULL},
		{"tank/volbenchx/volbench-" RUN, PARENT, RUN, NULL, NULL},
		{PARENT, PARENT, RUN, NULL, NULL},
		{"tank/volbench/data", PARENT, RUN, NULL, NULL},
		{"tank/volbench/volbench-", PARENT, RUN, NULL, NULL},
		{"tank/volbench/volbench-a/data", PARENT, RUN, NULL, NULL},
		{"tank/volbench/volbench-another", PARENT, RUN, NULL, NULL},
		{"tank/volbench/volbench-" RUN "x", PARENT, RUN, NULL, NULL},
		{"tank/volbench/volbench-" RUN "-", PARENT, RUN, NULL, NULL},
		{"tank/volbench/volbench-" RUN "-2x", PARENT, RUN, NULL, NULL},
		{"tank/volbench/volbench-a@snap", PARENT, RUN, NULL, NULL},
		{"-r", PARENT, RUN, NULL, NULL},
		{MADE, "", RUN, NULL, NULL},
		{MADE, PARENT, RUN, "-", "-"},
		{MADE, PARENT, RUN, "another", "local"},
		{MADE, PARENT, RUN, RUN, "inherited from tank"},
		{MADE, PARENT, RUN, RUN, "received"},
		{MADE, PARENT, RUN, RUN, "default"},
		{MADE, PARENT, RUN, RUN "\tlocal", "inherited from tank"},
		{MADE, PARENT, "", NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err = {0};

		fake_reset();
		if (cases[i].value)
			say_mark(cases[i].value, cases[i].source);
		assert_int_equal(
			zfs_destroy_made(cases[i].name, cases[i].parent, cases[i].run, NULL, &err),
			-EPERM);
		assert_int_equal(err.code, ERROR_TARGET_NOT_ALLOWED);
		assert_int_equal(fake_taken, cases[i].value ? 1 : 0);
	}
}

/* A mark that spells out the answer over two lines. */
static void test_destroy_spoofed(void **state)
{
	struct error err = {0};

	(void)state;
	fake_say("volbench:run\t" RUN "\tlocal\nx\tinherited from tank\n");
	assert_true(zfs_destroy_made(MADE, PARENT, RUN, NULL, &err) < 0);
	assert_int_equal(err.code, ERROR_ZFS_FAILED);
	assert_int_equal(fake_taken, 1);
}

static void test_destroy_gone(void **state)
{
	struct error err = {0};

	(void)state;
	fake_refuse("cannot open '" MADE "': dataset does not exist\n");
	fake_say("type\tfilesystem\t-\n");
	assert_int_equal(zfs_destroy_made(MADE, PARENT, RUN, NULL, &err), 0);
	assert_int_equal(err.code, ERROR_NONE);

	fake_refuse("cannot open '" MADE "': dataset does not exist\n");
	fake_refuse("cannot open '" PARENT "': dataset does not exist\n");
	assert_int_equal(zfs_destroy_made(MADE, PARENT, RUN, NULL, &err), -ENOENT);
	assert_int_equal(err.code, ERROR_TARGET_MISSING);

	/* It went between the two. */
	say_mark(RUN, "local");
	fake_refuse("cannot open '" MADE "': dataset does not exist\n");
	assert_int_equal(zfs_destroy_made(MADE, PARENT, RUN, NULL, NULL), 0);
}

/* Who lacks a permission has not found somebody else's: -EPERM is that alone. */
static void test_destroy_denied(void **state)
{
	static const char denied[] = "Permission denied the ZFS utilities must be run as root.\n";
	struct error err = {0};

	(void)state;
	fake_refuse(denied);
	assert_int_equal(zfs_destroy_made(MADE, PARENT, RUN, NULL, &err), -EACCES);
	assert_int_equal(err.code, ERROR_ZFS_PERMISSION);
	say_mark(RUN, "local");
	fake_refuse("cannot destroy '" MADE "': permission denied\n");
	assert_int_equal(zfs_destroy_made(MADE, PARENT, RUN, NULL, &err), -EACCES);
	assert_int_equal(err.code, ERROR_ZFS_PERMISSION);
	fake_start_error = -EPERM; /* may not start a program at all */
	assert_int_equal(zfs_destroy_made(MADE, PARENT, RUN, NULL, &err), -EACCES);
	assert_int_equal(err.code, ERROR_SYSTEM);
}

static void test_destroy_children(void **state)
{
	struct error err = {0};

	(void)state;
	say_mark(RUN, "local");
	fake_refuse("cannot destroy '" MADE "': volume has children\nuse '-r' to destroy\n");
	assert_true(zfs_destroy_made(MADE, PARENT, RUN, NULL, &err) < 0);
	assert_int_equal(err.code, ERROR_ZFS_FAILED);
	assert_non_null(strstr(err.message, "snapshots"));
}

/* Busy, and a close of the node is heard: it is tried again at once. */
static void test_destroy_busy(void **state)
{
	const struct zfs_patience patience = {.deadline_ms = 60000};
	uint64_t begin_ns = clock_now_ns();
	int pipe_fds[2];

	(void)state;
	assert_int_equal(pipe2(pipe_fds, O_CLOEXEC | O_NONBLOCK), 0);
	assert_int_equal(write(pipe_fds[1], "x", 1), 1);
	closes_fd = pipe_fds[0];
	for (int i = 0; i < 2; i++) {
		say_mark(RUN, "local");
		fake_refuse("cannot destroy '" MADE "': dataset is busy\n");
	}
	say_mark(RUN, "local");
	fake_say("");
	assert_int_equal(zfs_destroy_made(MADE, PARENT, RUN, &patience, NULL), 0);
	assert_int_equal(fake_taken, 6);
	assert_int_equal(watches, 1);
	assert_true(clock_now_ns() - begin_ns < 20 * NS_PER_S);
	(void)close(pipe_fds[1]);
	assert_int_equal(fcntl(pipe_fds[0], F_GETFD), -1); /* closed with the waiting */
}

static void test_destroy_stays_busy(void **state)
{
	const struct zfs_patience patience = {.deadline_ms = 1500};
	struct error err = {0};

	(void)state;
	for (int i = 0; i < 20; i++) {
		say_mark(RUN, "local");
		fake_refuse("cannot destroy '" MADE "': dataset is busy\n");
	}
	assert_int_equal(zfs_destroy_made(MADE, PARENT, RUN, &patience, &err), -EBUSY);
	assert_int_equal(err.code, ERROR_TARGET_BUSY);
	assert_true(fake_taken >= 6);
}

/* While it was busy somebody put another one in its place: that one's mark counts. */
static void test_destroy_busy_then_another(void **state)
{
	struct error err = {0};

	(void)state;
	say_mark(RUN, "local");
	fake_refuse("cannot destroy '" MADE "': dataset is busy\n");
	say_mark(RUN, "received");
	assert_int_equal(zfs_destroy_made(MADE, PARENT, RUN, NULL, &err), -EPERM);
	assert_int_equal(err.code, ERROR_TARGET_NOT_ALLOWED);
	assert_int_equal(fake_taken, 3);

	/* Or nothing. */
	fake_reset();
	say_mark(RUN, "local");
	fake_refuse("cannot destroy '" MADE "': dataset is busy\n");
	fake_refuse("cannot open '" MADE "': dataset does not exist\n");
	fake_say("type\tfilesystem\t-\n");
	assert_int_equal(zfs_destroy_made(MADE, PARENT, RUN, NULL, NULL), 0);
	assert_int_equal(fake_taken, 4);
}

static void cancel_tick(void *arg)
{
	atomic_store((atomic_bool *)arg, true);
}

static void test_destroy_cancelled(void **state)
{
	atomic_bool cancel = false;
	const struct zfs_patience patience = {
		.deadline_ms = 60000, .cancel = &cancel, .tick = cancel_tick, .arg = &cancel};
	struct error err = {0};

	(void)state;
	say_mark(RUN, "local");
	fake_refuse("cannot destroy '" MADE "': dataset is busy\n");
	assert_int_equal(zfs_destroy_made(MADE, PARENT, RUN, &patience, &err), -ECANCELED);
	assert_int_equal(err.code, ERROR_CANCELLED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_destroy, setup),
		cmocka_unit_test_setup(test_destroy_not_ours, setup),
		cmocka_unit_test_setup(test_destroy_spoofed, setup),
		cmocka_unit_test_setup(test_destroy_gone, setup),
		cmocka_unit_test_setup(test_destroy_denied, setup),
		cmocka_unit_test_setup(test_destroy_children, setup),
		cmocka_unit_test_setup(test_destroy_busy, setup),
		cmocka_unit_test_setup(test_destroy_stays_busy, setup),
		cmocka_unit_test_setup(test_destroy_busy_then_another, setup),
		cmocka_unit_test_setup(test_destroy_cancelled, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
