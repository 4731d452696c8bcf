/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of engine/zfs/command.c with programs that stand in for zfs and zpool.
 *
 * link: -Wl,--wrap=child_start -Wl,--wrap=access -Wl,--wrap=child_stop -Wl,--wrap=realloc
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "engine/zfs/command.h"
#include "tests/unit/engine/zfs/fake_zfs.h"

static const char *const arguments[] = {"get", "-Hp", "a b", NULL};

static bool hangs;	   /* what is killed does not die */
static unsigned int stops; /* how often one was killed */
static unsigned int reallocs, fail_realloc_at;

int __real_child_stop(pid_t pid, uint64_t grace_ms);
int __wrap_child_stop(pid_t pid, uint64_t grace_ms);
int __wrap_child_stop(pid_t pid, uint64_t grace_ms)
{
	int r = __real_child_stop(pid, grace_ms);

	stops++;
	return hangs ? -ETIMEDOUT : r;
}

void *__real_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size)
{
	return ++reallocs == fail_realloc_at ? NULL : __real_realloc(p, size);
}

static int setup(void **state)
{
	(void)state;
	fake_reset();
	hangs = false;
	stops = reallocs = fail_realloc_at = 0;
	return 0;
}

static void test_available(void **state)
{
	struct error err = {0};

	(void)state;
	assert_int_equal(zfs_available("a zvol", &err), 0);
	fake_no_module = true;
	assert_int_equal(zfs_available("a zvol", &err), -ENODEV);
	assert_int_equal(err.code, ERROR_ZFS_UNAVAILABLE);
	assert_string_equal(err.message, "The target is a zvol, and this machine has no OpenZFS: "
					 "the kernel module zfs is not loaded");
	fake_no_module = false;
	fake_no_programs = true;
	assert_int_equal(zfs_available("a zvol", &err), -ENODEV);
	assert_non_null(strstr(err.message, "the program zfs is in none of"));
}

static void test_program_missing(void **state)
{
	struct zfs_output output;
	struct error err = {0};

	(void)state;
	fake_no_programs = true;
	assert_int_equal(zfs_run(ZFS_PROGRAM_ZPOOL, arguments, NULL, &output, &err), -ENODEV);
	assert_int_equal(err.code, ERROR_ZFS_UNAVAILABLE);
	assert_non_null(strstr(err.message, "zpool"));
}

static void test_cannot_start(void **state)
{
	struct zfs_output output;
	struct error err = {0};

	(void)state;
	fake_start_error = -ENOEXEC;
	assert_int_equal(zfs_run(ZFS_PROGRAM_ZFS, arguments, NULL, &output, &err), -ENOEXEC);
	assert_int_equal(err.code, ERROR_SYSTEM);
}

/* Arguments arrive as they are, one by one; both streams and the status come back. */
static void test_streams(void **state)
{
	struct zfs_output output;
	struct error err = {0};

	(void)state;
	fake_script("printf '%s|' \"$@\"; printf 'first\\nsecond\\n' >&2; exit 3");
	assert_int_equal(zfs_run(ZFS_PROGRAM_ZFS, arguments, NULL, &output, &err), 0);
	assert_string_equal(fake_asked[0], "/usr/sbin/zfs get -Hp a b");
	assert_string_equal(output.out, "get|-Hp|a b|");
	assert_string_equal(output.error_text, "first");
	assert_int_equal(output.status, 3);
	assert_false(output.busy || output.missing);
	zfs_output_done(&output);
}

/* A warning stands before the words that matter. */
static void test_warning(void **state)
{
	struct zfs_output output;

	(void)state;
	fake_refuse("\nWarning: volblocksize (4096) is less than the default minimum block size "
		    "(16384).\nTo reduce wasted space a volblocksize of 16384 is recommended.\n"
		    "cannot create 'tank/v': out of space\nusage: no\n");
	assert_int_equal(zfs_run(ZFS_PROGRAM_ZFS, arguments, NULL, &output, NULL), 0);
	assert_string_equal(output.error_text, "cannot create 'tank/v': out of space");
	zfs_output_done(&output);
}

static void test_flags(void **state)
{
	struct zfs_output output;

	(void)state;
	fake_refuse("cannot destroy 'tank/v': dataset is busy\n");
	fake_refuse("cannot unmount '/x': pool or dataset is busy\n");
	fake_refuse("cannot open 'tank/v': dataset does not exist\n");
	fake_refuse("cannot open 'tank': no such pool\n");
	for (int i = 0; i < 4; i++) {
		assert_int_equal(zfs_run(ZFS_PROGRAM_ZFS, arguments, NULL, &output, NULL), 0);
		assert_int_equal(output.busy, i < 2);
		assert_int_equal(output.missing, i >= 2);
		zfs_output_done(&output);
	}
}

/* Binary, without a line's end, longer than it is kept. */
static void test_hostile_words(void **state)
{
	struct zfs_output output;

	(void)state;
	fake_script("printf 'a\\000b\\033[2J\\377' >&2; head -c 200000 /dev/zero | tr '\\0' x >&2; "
		    "printf 'out\\000put\\001'; exit 1");
	assert_int_equal(zfs_run(ZFS_PROGRAM_ZFS, arguments, NULL, &output, NULL), 0);
	assert_memory_equal(output.error_text, "a?b?[2J?xxx", 11);
	assert_int_equal(strlen(output.error_text), sizeof(output.error_text) - 1);
	assert_string_equal(output.out, "out?put\001");
	zfs_output_done(&output);
}

static void test_output_limit(void **state)
{
	struct zfs_output output;
	struct error err = {0};

	(void)state;
	fake_script("head -c 1048576 /dev/zero | tr '\\0' x");
	assert_int_equal(zfs_run(ZFS_PROGRAM_ZFS, arguments, NULL, &output, &err), 0);
	assert_int_equal(strlen(output.out), 1048576);
	zfs_output_done(&output);

	fake_script("head -c 1048577 /dev/zero | tr '\\0' x");
	assert_int_equal(zfs_run(ZFS_PROGRAM_ZFS, arguments, NULL, &output, &err), -EOVERFLOW);
	assert_int_equal(err.code, ERROR_ZFS_FAILED);

	fake_script("exec yes");
	assert_int_equal(zfs_run(ZFS_PROGRAM_ZFS, arguments, NULL, &output, &err), -EOVERFLOW);
	assert_string_equal(err.message, "zfs get printed more than 1 MiB");
}

static void count_tick(void *arg)
{
	(*(unsigned int *)arg)++;
}

static void test_deadline(void **state)
{
	unsigned int ticks = 0;
	const struct zfs_patience patience = {
		.deadline_ms = 1000, .tick = count_tick, .arg = &ticks};
	struct zfs_output output;
	struct error err = {0};

	(void)state;
	fake_script("exec sleep 60");
	assert_int_equal(zfs_run(ZFS_PROGRAM_ZFS, arguments, &patience, &output, &err), -ETIMEDOUT);
	assert_int_equal(err.code, ERROR_ZFS_FAILED);
	assert_string_equal(err.message, "zfs get did not answer within 1 s");
	assert_true(ticks >= 2);
	assert_int_equal(stops, 1);
}

/* It closed its streams and still does not end: that is waited for as well. */
static void test_deadline_closed_streams(void **state)
{
	const struct zfs_patience patience = {.deadline_ms = 300};
	struct zfs_output output;
	struct error err = {0};

	(void)state;
	fake_script("exec sleep 60 >&- 2>&-");
	assert_int_equal(zfs_run(ZFS_PROGRAM_ZFS, arguments, &patience, &output, &err), -ETIMEDOUT);
	assert_string_equal(err.message, "zfs get did not answer within 1 s");
}

static void test_left_behind(void **state)
{
	const struct zfs_patience patience = {.deadline_ms = 200};
	struct zfs_output output;
	struct error err = {0};

	(void)state;
	hangs = true;
	fake_script("exec sleep 60");
	assert_int_equal(zfs_run(ZFS_PROGRAM_ZPOOL, arguments, &patience, &output, &err),
			 -ETIMEDOUT);
	assert_int_equal(err.code, ERROR_ZFS_FAILED);
	assert_non_null(strstr(err.message, "zpool get did not answer within 1 s and cannot be "
					    "ended"));
	assert_int_equal(stops, 1);
}

static void cancel_tick(void *arg)
{
	atomic_store((atomic_bool *)arg, true);
}

static void test_cancel(void **state)
{
	atomic_bool cancel = false;
	const struct zfs_patience patience = {
		.deadline_ms = 60000, .cancel = &cancel, .tick = cancel_tick, .arg = &cancel};
	struct zfs_output output;
	struct error err = {0};
	uint64_t begin_ns = clock_now_ns();

	(void)state;
	fake_script("exec sleep 60");
	assert_int_equal(zfs_run(ZFS_PROGRAM_ZFS, arguments, &patience, &output, &err), -ECANCELED);
	assert_int_equal(err.code, ERROR_CANCELLED);
	assert_true(clock_now_ns() - begin_ns < 30 * NS_PER_S);
	/* Cancelled already: nothing is started. */
	assert_int_equal(zfs_run(ZFS_PROGRAM_ZFS, arguments, &patience, &output, &err), -ECANCELED);
	assert_int_equal(fake_taken, 1);
}

static void test_signal(void **state)
{
	struct zfs_output output;
	struct error err = {0};

	(void)state;
	fake_script("kill -ABRT $$");
	assert_int_equal(zfs_run(ZFS_PROGRAM_ZFS, arguments, NULL, &output, &err), -EIO);
	assert_int_equal(err.code, ERROR_ZFS_FAILED);
	assert_string_equal(err.message, "zfs get died of signal 6");
}

/* Whoever it leaves behind with its streams does not hold us up. */
static void test_grandchild(void **state)
{
	struct zfs_output output;
	uint64_t begin_ns = clock_now_ns();

	(void)state;
	fake_script("sleep 60 & echo done");
	assert_int_equal(zfs_run(ZFS_PROGRAM_ZFS, arguments, NULL, &output, NULL), 0);
	assert_string_equal(output.out, "done\n");
	assert_true(clock_now_ns() - begin_ns < 15 * NS_PER_S);
	zfs_output_done(&output);
}

static void test_no_memory(void **state)
{
	struct zfs_output output;

	(void)state;
	for (unsigned int n = 1;; n++) {
		struct error err = {0};
		int r;

		reallocs = 0;
		fail_realloc_at = n;
		fake_reset();
		fake_script("head -c 20000 /dev/zero | tr '\\0' x; echo no >&2");
		r = zfs_run(ZFS_PROGRAM_ZFS, arguments, NULL, &output, &err);
		if (r == 0) {
			assert_true(n > 3);
			zfs_output_done(&output);
			return;
		}
		assert_int_equal(r, -ENOMEM);
		assert_int_equal(err.code, ERROR_NO_MEMORY);
	}
}

static void test_too_many_arguments(void **state)
{
	static const char *many[258];
	struct zfs_output output;
	struct error err = {0};

	(void)state;
	for (size_t i = 0; i < 257; i++)
		many[i] = "x";
	assert_true(zfs_run(ZFS_PROGRAM_ZFS, many, NULL, &output, &err) < 0);
	assert_int_equal(err.code, ERROR_TOO_MANY);
	many[256] = NULL;
	fake_script("echo $#");
	assert_int_equal(zfs_run(ZFS_PROGRAM_ZFS, many, NULL, &output, &err), 0);
	assert_string_equal(output.out, "256\n");
	zfs_output_done(&output);
}

/* The words that libzfs has for what went wrong. */
static void test_meanings(void **state)
{
	static const struct {
		const char *words;
		enum error_code code;
		int r;
	} cases[] = {
		{"cannot create 'tank/v': permission denied", ERROR_ZFS_PERMISSION, -EACCES},
		{"Permission denied the ZFS utilities must be run as root.", ERROR_ZFS_PERMISSION,
		 -EACCES},
		{"cannot mount 'tank/f': Insufficient privileges", ERROR_ZFS_PERMISSION, -EACCES},
		{"filesystem successfully created, but it may only be mounted by root",
		 ERROR_ZFS_PERMISSION, -EACCES},
		{"cannot create 'tank/v': out of space", ERROR_NO_SPACE, -ENOSPC},
		{"cannot create 'tank/v': size is greater than available space", ERROR_NO_SPACE,
		 -ENOSPC},
		{"cannot create 'tank/a/v': parent does not exist", ERROR_TARGET_MISSING, -ENOENT},
		{"cannot open 'tank': no such pool", ERROR_TARGET_MISSING, -ENOENT},
		{"cannot create 'tank/v': dataset already exists", ERROR_FILE_EXISTS, -EEXIST},
		{"cannot create 'tank/v': pool is read-only", ERROR_TARGET_READ_ONLY, -EROFS},
		{"cannot create 'tank/v': pool I/O is currently suspended", ERROR_ZFS_FAILED, -EIO},
		{"", ERROR_ZFS_FAILED, -EIO},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err = {0};
		char *out = NULL;

		fake_refuse(cases[i].words);
		assert_int_equal(zfs_do(ZFS_PROGRAM_ZFS, arguments, NULL, "doing", &out, &err),
				 cases[i].r);
		assert_int_equal(err.code, cases[i].code);
		assert_int_equal(strncmp(err.message, "doing: ", 7), 0);
		assert_non_null(strstr(err.message, cases[i].words));
		assert_null(out);
	}
}

static void test_do(void **state)
{
	char *out;

	(void)state;
	fake_say("text\n");
	fake_say("text\n");
	assert_int_equal(zfs_do(ZFS_PROGRAM_ZFS, arguments, NULL, "doing", &out, NULL), 0);
	assert_string_equal(out, "text\n");
	free(out);
	assert_int_equal(zfs_do(ZFS_PROGRAM_ZFS, arguments, NULL, "doing", NULL, NULL), 0);
}

/* Nothing of it stays: descriptors are as many as before. */
static void test_nothing_left(void **state)
{
	const struct zfs_patience short_one = {.deadline_ms = 50};
	struct zfs_output output;
	int before = dup(0), after;

	(void)state;
	assert_true(before >= 0);
	(void)close(before);
	for (int i = 0; i < 8; i++) {
		fake_script(i % 2 ? "exec sleep 60" : "echo x");
		if (zfs_run(ZFS_PROGRAM_ZFS, arguments, i % 2 ? &short_one : NULL, &output, NULL) ==
		    0)
			zfs_output_done(&output);
	}
	after = dup(0);
	assert_int_equal(after, before);
	(void)close(after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_available, setup),
		cmocka_unit_test_setup(test_program_missing, setup),
		cmocka_unit_test_setup(test_cannot_start, setup),
		cmocka_unit_test_setup(test_streams, setup),
		cmocka_unit_test_setup(test_warning, setup),
		cmocka_unit_test_setup(test_flags, setup),
		cmocka_unit_test_setup(test_hostile_words, setup),
		cmocka_unit_test_setup(test_output_limit, setup),
		cmocka_unit_test_setup(test_deadline, setup),
		cmocka_unit_test_setup(test_deadline_closed_streams, setup),
		cmocka_unit_test_setup(test_left_behind, setup),
		cmocka_unit_test_setup(test_cancel, setup),
		cmocka_unit_test_setup(test_signal, setup),
		cmocka_unit_test_setup(test_grandchild, setup),
		cmocka_unit_test_setup(test_no_memory, setup),
		cmocka_unit_test_setup(test_too_many_arguments, setup),
		cmocka_unit_test_setup(test_meanings, setup),
		cmocka_unit_test_setup(test_do, setup),
		cmocka_unit_test_setup(test_nothing_left, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
