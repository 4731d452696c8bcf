/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of engine/zfs/creating.c with processes whose command lines are those of `zfs create`: in
 * truth `yes`, standing still before a full pipe. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/child.h"
#include "engine/base/clock.h"
#include "engine/zfs/creating.h"

static char name[64]; /* of this process alone: others may test beside it */
static int full[2];

static pid_t pretend(const char *const *argv)
{
	/* So that options behind the first word are words to it as well. */
	static const char *const environment[] = {"POSIXLY_CORRECT=1", NULL};
	const struct child_options options = {.argv = argv,
					      .environment = environment,
					      .program = "/usr/bin/yes",
					      .stdin_fd = -1,
					      .stdout_fd = full[1],
					      .stderr_fd = -1};
	char path[64], line[512] = "";
	pid_t pid;

	assert_int_equal(child_start(&options, &pid), 0);
	(void)snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	/* Ours until its exec, then nothing for a moment, then its own. */
	while (strcmp(line, argv[0]) != 0) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t got;

		assert_true(fd >= 0);
		got = read(fd, line, sizeof(line) - 1);
		assert_true(got >= 0);
		line[got] = '\0';
		(void)close(fd);
	}
	return pid;
}

static void test_none(void **state)
{
	(void)state;
	assert_int_equal(zfs_creating_await(name, NULL, NULL), 0);
}

/* Others' processes, however alike, are not waited for. */
static void test_others(void **state)
{
	char longer[80], shorter[64];
	const char *const lines[][5] = {
		{"/usr/sbin/zfs", "create", longer, NULL},
		{"/usr/sbin/zfs", "create", shorter, NULL},
		{"/usr/sbin/zfs", "create", name, "more", NULL},
		{"/usr/sbin/zfs", "destroy", name, NULL},
		{"/usr/sbin/zfsx", "create", name, NULL},
		{"/usr/sbin/zfs", name, NULL},
		{"/usr/sbin/zfs", NULL},
		{name, NULL},
	};
	pid_t pids[sizeof(lines) / sizeof(lines[0])];

	(void)state;
	(void)snprintf(longer, sizeof(longer), "x%s", name);
	(void)snprintf(shorter, sizeof(shorter), "%s", name + 1);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		pids[i] = pretend(lines[i]);
	assert_int_equal(zfs_creating_await(name, NULL, NULL), 0);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_int_equal(child_stop(pids[i], 10000), 0);
}

static void test_deadline(void **state)
{
	const char *const argv[] = {"/usr/sbin/zfs", "create", "-V", name, NULL};
	const char *const plain[] = {"zfs", "create", name, NULL};
	const struct zfs_patience patience = {.deadline_ms = 200};
	pid_t pid = pretend(argv);
	struct error err = {0};

	(void)state;
	assert_int_equal(zfs_creating_await(name, &patience, &err), -EBUSY);
	assert_int_equal(err.code, ERROR_TARGET_BUSY);
	assert_non_null(strstr(err.message, name));
	assert_int_equal(child_stop(pid, 10000), 0);
	pid = pretend(plain);
	assert_int_equal(zfs_creating_await(name, &patience, &err), -EBUSY);
	assert_int_equal(child_stop(pid, 10000), 0);
}

static void end_it(void *arg)
{
	pid_t *pid = arg;

	if (*pid > 0)
		assert_int_equal(child_stop(*pid, 10000), 0);
	*pid = 0;
}

static void test_ends(void **state)
{
	const char *const argv[] = {"/usr/sbin/zfs", "create", "-o", "a=b", name, NULL};
	pid_t pid = pretend(argv);
	const struct zfs_patience patience = {.deadline_ms = 60000, .tick = end_it, .arg = &pid};
	uint64_t begin_ns = clock_now_ns();

	(void)state;
	assert_int_equal(zfs_creating_await(name, &patience, NULL), 0);
	assert_int_equal(pid, 0);
	assert_true(clock_now_ns() - begin_ns < 30 * NS_PER_S);
}

static void test_cancel(void **state)
{
	const char *const argv[] = {"/usr/sbin/zfs", "create", name, NULL};
	atomic_bool cancel = true;
	const struct zfs_patience patience = {.deadline_ms = 60000, .cancel = &cancel};
	pid_t pid = pretend(argv);
	struct error err = {0};

	(void)state;
	assert_int_equal(zfs_creating_await(name, &patience, &err), -ECANCELED);
	assert_int_equal(err.code, ERROR_CANCELLED);
	assert_int_equal(child_stop(pid, 10000), 0);
}

static int open_pipe(void **state)
{
	(void)state;
	(void)snprintf(name, sizeof(name), "tank/volbench-%d", (int)getpid());
	return pipe2(full, O_CLOEXEC);
}

static int close_pipe(void **state)
{
	(void)state;
	return close(full[0]) + close(full[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none),	 cmocka_unit_test(test_others),
		cmocka_unit_test(test_deadline), cmocka_unit_test(test_ends),
		cmocka_unit_test(test_cancel),
	};

	return cmocka_run_group_tests(tests, open_pipe, close_pipe);
}
