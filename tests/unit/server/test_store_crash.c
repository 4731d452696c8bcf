/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests that the store keeps its promises when the n-th call into file.h is the last one before a
 * crash, or fails: for every n, what was acknowledged is there afterwards, nothing half.
 *
 * link: -Wl,--wrap=file_write -Wl,--wrap=file_remove -Wl,--wrap=file_move
 * link: -Wl,--wrap=file_open_directory -Wl,--wrap=file_remove_tree -Wl,--wrap=file_free_bytes
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/server/store_fixture.h"

static unsigned int calls;
static unsigned int fail_from, fail_count; /* calls that fail; fail_from 0: none */
static int fail_with;
static uint64_t free_bytes; /* 0: ask the file system */

static bool fails(void)
{
	calls++;
	return fail_from && calls >= fail_from && calls - fail_from < fail_count;
}

static void fail_calls(unsigned int from, unsigned int count, int with)
{
	calls = 0;
	fail_from = from;
	fail_count = count;
	fail_with = with;
}

/* clang-format off */
#define WRAP(name, parameters, arguments)                                                          \
	int __real_##name parameters;                                                              \
	int __wrap_##name parameters;                                                              \
	int __wrap_##name parameters                                                               \
	{                                                                                          \
		return fails() ? fail_with : __real_##name arguments;                              \
	}

WRAP(file_write, (int fd, const char *name, const void *data, size_t size, int mode),
     (fd, name, data, size, mode))
WRAP(file_remove, (int fd, const char *name), (fd, name))
WRAP(file_move, (int fd, const char *name, int to, const char *as), (fd, name, to, as))
WRAP(file_open_directory, (int fd, const char *name, int *ret_fd), (fd, name, ret_fd))
WRAP(file_remove_tree, (int fd, const char *name), (fd, name))
/* clang-format on */

int __real_file_free_bytes(int fd, uint64_t *ret_bytes);
int __wrap_file_free_bytes(int fd, uint64_t *ret_bytes);
int __wrap_file_free_bytes(int fd, uint64_t *ret_bytes)
{
	if (!free_bytes)
		return __real_file_free_bytes(fd, ret_bytes);
	*ret_bytes = free_bytes;
	return 0;
}

static int make(void **state)
{
	fail_calls(0, 0, 0);
	free_bytes = 0;
	return fixture_make(state);
}

static int clean(void **state)
{
	fail_calls(0, 0, 0);
	return fixture_remove(state);
}

/* What the story below was told to be done. */
struct told {
	struct store_run first, second, third;
	bool accepted[3], running, started, finished, cancelled, removed, defined, undefined;
	unsigned int samples;
	unsigned int failed; /* how many steps said no */
};

#define STEP(done, call)                                                                           \
	do {                                                                                       \
		if ((call) == 0)                                                                   \
			(done) = true;                                                             \
		else                                                                               \
			told->failed++;                                                            \
	} while (0)

/* Every kind of change, each step taken whether the one before succeeded or not. */
static void tell_story(struct store *store, struct told *told)
{
	bool created;

	STEP(told->accepted[0], fixture_add(store, "key", 3, &told->first, NULL));
	STEP(told->accepted[1], fixture_add(store, NULL, 3, &told->second, NULL));
	STEP(told->accepted[2], fixture_add(store, NULL, 3, &told->third, NULL));
	STEP(told->running, store_set_running(store, told->first.id, NULL));
	STEP(told->started, store_set_started(store, told->first.id, STARTED_TEXT, NULL));
	for (size_t i = 0; i < 3; i++) {
		bool kept = false;

		STEP(kept, fixture_add_sample(store, told->first.id, i, NULL));
		told->samples += kept;
	}
	STEP(told->cancelled, store_cancel_queued(store, told->second.id, NULL));
	STEP(told->finished, store_finish_run(store, told->first.id, RUN_DONE, "[]", NULL, NULL));
	STEP(told->defined, store_put_definition(store, "name", "{}", &created, NULL));
	STEP(told->removed, store_remove_run(store, told->third.id, NULL));
	STEP(told->undefined, store_remove_definition(store, "name", NULL));
}

static void check_first(struct store *store, const struct told *told)
{
	struct store_run run;
	char *text;
	size_t size;
	enum run_state ended = told->finished ? RUN_DONE : RUN_INTERRUPTED;
	size_t samples;

	if (!told->accepted[0])
		return;
	run = fixture_get(store, told->first.id);
	assert_int_equal(run.samples_total, 3);
	if (!told->running && run.state == RUN_QUEUED) {
		assert_int_equal(store_result(store, run.id, &text, &size, NULL), -EAGAIN);
		return;
	}
	/* A step that failed may have been done all the same, never the other way round. */
	if (run.state != RUN_DONE)
		assert_int_equal(run.state, ended);
	samples = fixture_result_samples(store, run.id);
	assert_true(samples >= told->samples);
	assert_int_equal(samples, run.samples_done);
	if (run.state == RUN_DONE)
		assert_true(samples == told->samples);
}

static void check_promises(struct store *store, const struct told *told)
{
	struct store_run run;
	bool again = false;
	char *text = NULL;
	const struct store_new same = {.name = "a<b",
				       .definition = DEFINITION_TEXT,
				       .samples_total = 3,
				       .key = "key",
				       .digest = "digest"};

	check_first(store, told);
	if (told->accepted[1]) {
		run = fixture_get(store, told->second.id);
		assert_true(run.state == RUN_CANCELLED ||
			    (run.state == RUN_QUEUED && !told->cancelled));
		if (run.state == RUN_CANCELLED)
			assert_int_equal(fixture_result_samples(store, run.id), 0);
	}
	if (told->removed)
		assert_int_equal(store_get_run(store, told->third.id, &run), -ENOENT);
	if (told->defined && !told->undefined) {
		assert_int_equal(store_get_definition(store, "name", &text, NULL), 0);
		assert_string_equal(text, "{}");
		free(text);
	}
	if (told->undefined)
		assert_int_equal(store_get_definition(store, "name", &text, NULL), -ENOENT);
	if (told->accepted[0]) {
		assert_int_equal(store_add_run(store, &same, &run, &again, NULL), 0);
		assert_true(again);
		assert_string_equal(run.id, told->first.id);
	}
	assert_int_equal(store_problem_count(store), 0);
}

/* From the n-th call on nothing reaches the disk; then the store is opened anew. */
static void test_crash_at_every_call(void **state)
{
	unsigned int n = 0;
	struct told told;

	do {
		struct store *store = fixture_open();

		memset(&told, 0, sizeof(told));
		fail_calls(++n, UINT32_MAX, -EIO);
		tell_story(store, &told);
		fail_calls(0, 0, 0);
		store_close(store);
		store = fixture_open();
		check_promises(store, &told);
		store_close(store);
		store = fixture_open(); /* a second time: recovery itself is stable */
		check_promises(store, &told);
		store_close(store);
		assert_int_equal(clean(state), 0);
		assert_int_equal(make(state), 0);
	} while (told.failed > 0);
	assert_true(n > 20);
}

/* Only the n-th call fails, as on a full disk: the step says so, all others go on. */
static void test_failure_at_every_call(void **state)
{
	unsigned int n = 0;
	struct told told;

	do {
		struct store *store = fixture_open();

		memset(&told, 0, sizeof(told));
		fail_calls(++n, 1, -ENOSPC);
		tell_story(store, &told);
		fail_calls(0, 0, 0);
		assert_false(store_read_only(store));
		store_close(store);
		store = fixture_open();
		check_promises(store, &told);
		store_close(store);
		assert_int_equal(clean(state), 0);
		assert_int_equal(make(state), 0);
	} while (told.failed > 0);
	assert_true(n > 20);
}

/* The same while a crashed run is being recovered: the service starts, and the next start mends. */
static void test_failure_in_recovery(void **state)
{
	for (unsigned int n = 1; n < 8; n++) {
		struct store *store = fixture_open();
		struct error err = {0};
		struct told told = {0};

		fail_calls(12, UINT32_MAX, -EIO); /* running, with a sample */
		tell_story(store, &told);
		assert_true(told.running && told.samples > 0 && !told.finished);
		store_close(store);
		fail_calls(n, 1, -ENOSPC);
		if (store_open(fixture_root, 0, &store, &err) == 0) {
			assert_int_equal(fixture_get(store, told.first.id).state, RUN_INTERRUPTED);
			assert_true(fixture_result_samples(store, told.first.id) >= told.samples);
			store_close(store);
		} else {
			assert_true(n <= 4); /* its own directories */
		}
		fail_calls(0, 0, 0);
		store = fixture_open();
		check_promises(store, &told);
		store_close(store);
		assert_int_equal(clean(state), 0);
		assert_int_equal(make(state), 0);
	}
}

static void test_full_disk(void **state)
{
	struct store *store = fixture_open();
	struct store_run run = fixture_run(store), other;
	struct error err = {0};
	bool created;

	(void)state;
	free_bytes = STORE_RESERVE_BYTES + 4 * STORE_SAMPLE_BYTES - 1;
	assert_int_equal(fixture_add(store, NULL, 4, &other, &err), -ENOSPC);
	assert_int_equal(err.code, ERROR_STORAGE_FULL);
	free_bytes++;
	assert_int_equal(fixture_add(store, NULL, 4, &other, &err), 0);
	free_bytes = 0;
	assert_int_equal(store_set_running(store, run.id, NULL), 0);
	fail_calls(2, 1, -EDQUOT);
	assert_int_equal(fixture_add_sample(store, run.id, 0, &err), -EDQUOT);
	assert_int_equal(err.code, ERROR_STORAGE_FULL);
	assert_int_equal(fixture_get(store, run.id).samples_done, 0);
	assert_int_equal(fixture_result_samples(store, run.id), 0);
	assert_int_equal(fixture_add_sample(store, run.id, 0, &err), 0);
	fail_calls(1, UINT32_MAX, -ENOSPC);
	assert_int_equal(store_put_definition(store, "d", "{}", &created, &err), -ENOSPC);
	assert_int_equal(store_finish_run(store, run.id, RUN_DONE, NULL, NULL, &err), -ENOSPC);
	assert_int_equal(fixture_get(store, run.id).state, RUN_RUNNING);
	fail_calls(0, 0, 0);
	assert_int_equal(store_finish_run(store, run.id, RUN_DONE, NULL, NULL, &err), 0);
	store_close(store);
}

/* Once is mended by a new file; twice and nothing is written any more. */
static void test_broken_disk(void **state)
{
	struct store *store = fixture_open();
	struct store_run run = fixture_run(store), other;
	struct error err = {0}, why = {0};
	bool created;

	(void)state;
	assert_int_equal(store_set_running(store, run.id, NULL), 0);
	fail_calls(2, 1, -EIO);
	assert_int_equal(fixture_add_sample(store, run.id, 0, &err), 0);
	assert_false(store_read_only(store));
	fail_calls(2, 2, -EIO);
	assert_int_equal(fixture_add_sample(store, run.id, 1, &err), -EROFS);
	assert_int_equal(err.code, ERROR_READ_ONLY);
	assert_true(store_read_only(store));
	fail_calls(0, 0, 0);
	assert_int_equal(fixture_add_sample(store, run.id, 1, &err), -EROFS);
	assert_int_equal(fixture_add(store, NULL, 1, &other, &err), -EROFS);
	assert_int_equal(store_put_definition(store, "d", "{}", &created, &err), -EROFS);
	assert_int_equal(store_remove_run(store, run.id, &err), -EROFS);
	assert_int_equal(store_finish_run(store, run.id, RUN_DONE, NULL, NULL, &err), -EROFS);
	assert_int_equal(calls, 0);
	(void)error_set(&why, ERROR_READ_ONLY, "", "broken");
	store_give_up(store, run.id, &why);
	assert_int_equal(fixture_get(store, run.id).state, RUN_FAILED);
	assert_int_equal(fixture_result_samples(store, run.id), 1);
	store_close(store);
	store = fixture_open();
	assert_false(store_read_only(store));
	assert_int_equal(fixture_get(store, run.id).state, RUN_INTERRUPTED);
	store_close(store);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make, clean)
	const struct CMUnitTest tests[] = {
		TEST(test_crash_at_every_call), TEST(test_failure_at_every_call),
		TEST(test_failure_in_recovery), TEST(test_full_disk),
		TEST(test_broken_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
