/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of server/store.c, store_index.c, store_runs.c, store_documents.c. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/server/store_fixture.h"

static void test_ids(void **state)
{
	static const char *const bad[] = {"",
					  "20261130-113000-abcde",
					  "20261130-113000-abcdefg",
					  "20261130-113000-ABCDEF",
					  "20261130_113000-abcdef",
					  "2026113x-113000-abcdef",
					  "../../etc/passwd",
					  "20261130-113000-abcde/"};

	(void)state;
	assert_true(store_id_ok("20261130-113000-a0z9b1"));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(store_id_ok(bad[i]));
}

/* The life of a run, looked at after every step. */
static void test_life(void **state)
{
	struct store *store = fixture_open();
	struct store_run run = fixture_run(store), next;
	struct error err = {0};
	json_t *result;
	char *text;
	size_t size;

	(void)state;
	assert_true(store_id_ok(run.id));
	assert_int_equal(run.number, 1);
	assert_int_equal(run.state, RUN_QUEUED);
	assert_string_equal(run.name, "a<b");
	assert_int_equal(store_next_queued(store, &next), 0);
	assert_string_equal(next.id, run.id);
	assert_int_equal(store_result(store, run.id, &text, &size, &err), -EAGAIN);
	assert_int_equal(err.code, ERROR_NOT_FINISHED);
	assert_int_equal(fixture_add_sample(store, run.id, 0, &err), -EBUSY);

	assert_int_equal(store_set_running(store, run.id, NULL), 0);
	assert_int_equal(store_set_running(store, run.id, &err), -EBUSY);
	assert_int_equal(err.code, ERROR_RUN_ACTIVE);
	assert_int_equal(store_next_queued(store, &next), -ENOENT);
	assert_int_equal(fixture_result_samples(store, run.id), 0);
	assert_int_equal(store_set_started(store, run.id, STARTED_TEXT, NULL), 0);
	assert_int_equal(fixture_add_sample(store, run.id, 2, NULL), 0);
	assert_int_equal(fixture_add_sample(store, run.id, 0, NULL), 0);
	assert_int_equal(fixture_add_sample(store, run.id, 0, NULL), 0);
	assert_int_equal(fixture_add_sample(store, run.id, 4, &err), -EINVAL);
	assert_int_equal(fixture_get(store, run.id).samples_done, 2);
	result = fixture_result(store, run.id);
	fixture_assert_text(result, "state", "running");
	assert_null(json_object_get(result, "ended"));
	json_decref(result);
	assert_int_equal(store_remove_run(store, run.id, &err), -EBUSY);
	assert_int_equal(err.code, ERROR_RUN_ACTIVE);

	store_close(store);
}

/* And of its end, with its result, now and after a restart. */
static void test_end(void **state)
{
	struct store *store = fixture_open();
	struct store_run run = fixture_run(store), gone;
	const char *findings = "[{\"code\":\"end\"}]";
	struct error err = {0};
	json_t *result;
	char *text;
	size_t size;

	(void)state;
	assert_int_equal(store_set_running(store, run.id, NULL), 0);
	assert_int_equal(store_set_started(store, run.id, STARTED_TEXT, NULL), 0);
	assert_int_equal(fixture_add_sample(store, run.id, 2, NULL), 0);
	assert_int_equal(fixture_add_sample(store, run.id, 0, NULL), 0);
	assert_int_equal(store_finish_run(store, run.id, RUN_DONE, findings, NULL, NULL), 0);
	assert_int_equal(store_finish_run(store, run.id, RUN_DONE, NULL, NULL, &err), -EBUSY);
	assert_int_equal(err.code, ERROR_ALREADY_FINISHED);
	for (int again = 0; again < 2; again++) {
		result = fixture_result(store, run.id);
		fixture_assert_text(result, "schema", "volbench.result/1");
		fixture_assert_text(result, "id", run.id);
		fixture_assert_text(result, "state", "done");
		fixture_assert_text(result, "backend", "io_uring");
		assert_int_equal(json_array_size(json_object_get(result, "findings")), 2);
		assert_int_equal(json_integer_value(json_object_get(result, "planned_samples")), 4);
		assert_non_null(json_object_get(result, "environment"));
		assert_non_null(json_object_get(result, "ended"));
		fixture_assert_text(json_object_get(result, "definition"), "name", "a<b");
		assert_int_equal(json_array_size(json_object_get(result, "samples")), 2);
		json_decref(result);
		run = fixture_get(store, run.id);
		assert_int_equal(run.state, RUN_DONE);
		assert_int_equal(run.samples_done, 2);
		assert_int_equal(run.samples_total, 4);
		assert_true(run.created_wall_ms <= run.started_wall_ms);
		assert_true(run.started_wall_ms <= run.ended_wall_ms);
		assert_int_equal(store_definition_of(store, run.id, &text), 0);
		assert_non_null(strstr(text, "\"workloads\""));
		free(text);
		store_close(store);
		store = fixture_open();
	}
	assert_int_equal(store_problem_count(store), 0);
	assert_int_equal(store_remove_run(store, run.id, NULL), 0);
	assert_int_equal(store_get_run(store, run.id, &gone), -ENOENT);
	assert_int_equal(store_result(store, run.id, &text, &size, &err), -ENOENT);
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	assert_int_equal(store_definition_of(store, run.id, &text), -ENOENT);
	store_close(store);
}

/* Repeats that ended early: there are no more samples to come, now and after a restart. */
static void test_repeats_end(void **state)
{
	const struct repeats_outcome early = {REPEATS_END_PRECISE, 5, 10, 1.5, 2};
	struct store *store = fixture_open();
	struct store_run run = fixture_run(store), failed = fixture_run(store);
	struct error why = {0};

	(void)state;
	(void)error_set(&why, ERROR_IO_ERROR, "", "a read failed");
	store_note_repeats(store, run.id, &early); /* it is not running: of nobody's */
	store_note_repeats(store, "nobody", &early);
	assert_int_equal(fixture_get(store, run.id).repeats.end, REPEATS_END_NONE);
	assert_int_equal(store_set_running(store, run.id, NULL), 0);
	assert_int_equal(fixture_add_sample(store, run.id, 0, NULL), 0);
	assert_int_equal(fixture_add_sample(store, run.id, 1, NULL), 0);
	store_note_repeats(store, run.id, &early);
	assert_int_equal(fixture_get(store, run.id).samples_total, 4);
	assert_int_equal(store_finish_run(store, run.id, RUN_DONE, NULL, NULL, NULL), 0);
	/* one that failed all the same has none */
	assert_int_equal(store_set_running(store, failed.id, NULL), 0);
	store_note_repeats(store, failed.id, &early);
	assert_int_equal(store_finish_run(store, failed.id, RUN_FAILED, NULL, &why, NULL), 0);
	for (int again = 0; again < 2; again++) {
		json_t *result = fixture_result(store, run.id);
		const struct store_run told = fixture_get(store, run.id);

		assert_int_equal(told.repeats.end, early.end);
		assert_int_equal(told.repeats.made, 5);
		assert_int_equal(told.repeats.most, 10);
		assert_true(told.repeats.ci_percent == 1.5 && told.repeats.until_ci_percent == 2);
		assert_int_equal(told.samples_done, 2);
		assert_int_equal(told.samples_total, 2);
		assert_int_equal(json_integer_value(json_object_get(result, "planned_samples")), 4);
		fixture_assert_text(json_object_get(result, "repeats"), "ended", "precise");
		json_decref(result);
		assert_int_equal(fixture_get(store, failed.id).repeats.end, REPEATS_END_NONE);
		assert_int_equal(fixture_get(store, failed.id).samples_total, 4);
		store_close(store);
		store = fixture_open();
	}
	store_close(store);
}

static void test_failure_and_cancel(void **state)
{
	struct store *store = fixture_open();
	struct store_run run = fixture_run(store), cancelled = fixture_run(store);
	struct error why = {0}, err = {0};
	json_t *result;

	(void)state;
	(void)error_set(&why, ERROR_TARGET_BUSY, "/target", "in use");
	assert_int_equal(store_set_running(store, run.id, NULL), 0);
	assert_int_equal(store_finish_run(store, run.id, RUN_FAILED, NULL, &why, NULL), 0);
	assert_int_equal(store_cancel_queued(store, run.id, &err), -EBUSY);
	assert_int_equal(store_cancel_queued(store, cancelled.id, NULL), 0);
	assert_int_equal(store_set_running(store, cancelled.id, &err), -EBUSY);
	assert_int_equal(err.code, ERROR_ALREADY_FINISHED);
	store_close(store);
	store = fixture_open();
	run = fixture_get(store, run.id);
	assert_int_equal(run.state, RUN_FAILED);
	assert_int_equal(run.error.code, ERROR_TARGET_BUSY);
	assert_string_equal(run.error.field, "/target");
	assert_string_equal(run.error.message, "in use");
	assert_int_equal(fixture_get(store, cancelled.id).state, RUN_CANCELLED);
	result = fixture_result(store, run.id);
	fixture_assert_text(json_object_get(result, "error"), "code", "target_busy");
	json_decref(result);
	assert_int_equal(fixture_result_samples(store, cancelled.id), 0);
	store_close(store);
}

static void test_paging(void **state)
{
	struct store *store = fixture_open();
	struct store_run *runs, run;
	uint64_t cursor = 0, expected = 7;
	size_t count, pages = 0;

	(void)state;
	for (int i = 0; i < 7; i++) {
		run = fixture_run(store);
		if (i % 2 == 0)
			assert_int_equal(store_cancel_queued(store, run.id, NULL), 0);
	}
	do {
		assert_int_equal(
			store_list_runs(store, RUN_STATE_COUNT, cursor, 3, &runs, &count, &cursor),
			0);
		for (size_t i = 0; i < count; i++)
			assert_int_equal(runs[i].number, expected--);
		free(runs);
		pages++;
	} while (cursor);
	assert_int_equal(pages, 3);
	assert_int_equal(expected, 0);
	assert_int_equal(store_list_runs(store, RUN_CANCELLED, 0, 4, &runs, &count, &cursor), 0);
	assert_int_equal(count, 4);
	assert_int_equal(cursor, 0);
	assert_int_equal(runs[0].number, 7);
	assert_int_equal(runs[3].number, 1);
	free(runs);
	assert_int_equal(store_list_runs(store, RUN_QUEUED, 4, 10, &runs, &count, &cursor), 0);
	assert_int_equal(count, 1);
	assert_int_equal(runs[0].number, 2);
	free(runs);
	assert_int_equal(store_list_runs(store, RUN_DONE, 0, 10, &runs, &count, &cursor), 0);
	assert_int_equal(count, 0);
	free(runs);
	assert_int_equal(store_count(store, RUN_QUEUED), 3);
	assert_int_equal(store_next_queued(store, &run), 0);
	assert_int_equal(run.number, 2);
	store_close(store);
}

static void test_keys(void **state)
{
	struct store *store = fixture_open();
	struct store_new wanted = {
		.name = "n", .definition = "{}", .samples_total = 1, .key = "k", .digest = "d"};
	struct store_run first, second;
	char longest[STORE_KEY_MAX + 2];
	struct error err = {0};
	bool again = true;

	(void)state;
	assert_int_equal(store_find_key(store, "k", "d", &second, &err), -ENOENT);
	assert_int_equal(store_add_run(store, &wanted, &first, &again, NULL), 0);
	assert_false(again);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(store_find_key(store, "k", "d", &second, &err), 0);
		assert_string_equal(first.id, second.id);
		assert_int_equal(store_find_key(store, "k", "other", &second, &err), -EEXIST);
		assert_int_equal(err.code, ERROR_IDEMPOTENCY_MISMATCH);
		assert_int_equal(store_add_run(store, &wanted, &second, &again, NULL), 0);
		assert_true(again);
		assert_string_equal(first.id, second.id);
		wanted.digest = "other";
		assert_int_equal(store_add_run(store, &wanted, &second, &again, &err), -EEXIST);
		assert_int_equal(err.code, ERROR_IDEMPOTENCY_MISMATCH);
		assert_int_equal(store_find_key(store, "k", "other", &second, &err), -EEXIST);
		assert_int_equal(store_find_key(store, "k2", "d", &second, &err), -ENOENT);
		assert_int_equal(store_find_key(store, "k", "d", &second, &err), 0);
		assert_string_equal(first.id, second.id);
		wanted.digest = "d";
		store_close(store);
		store = fixture_open();
	}
	assert_int_equal(store_remove_run(store, first.id, NULL), 0);
	assert_int_equal(store_add_run(store, &wanted, &second, &again, NULL), 0);
	assert_false(again);

	memset(longest, 'x', sizeof(longest));
	longest[STORE_KEY_MAX + 1] = '\0';
	wanted.key = longest;
	assert_int_equal(store_add_run(store, &wanted, &second, &again, &err), -EINVAL);
	assert_int_equal(err.code, ERROR_BAD_PARAMETER);
	longest[STORE_KEY_MAX] = '\0';
	assert_int_equal(store_add_run(store, &wanted, &second, &again, NULL), 0);
	wanted.key = "";
	assert_int_equal(store_add_run(store, &wanted, &second, &again, &err), -EINVAL);
	store_close(store);
}

static void test_limits(void **state)
{
	struct store *store = fixture_open();
	struct store_new wanted = {
		.name = "n", .definition = "{}", .samples_total = 1, .queued_max = 3};
	char name[DEFINITION_NAME_MAX + 2];
	struct store_run run;
	struct error err = {0};
	bool again;

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(store_add_run(store, &wanted, &run, &again, NULL), 0);
	assert_int_equal(store_add_run(store, &wanted, &run, &again, &err), -EBUSY);
	assert_int_equal(err.code, ERROR_QUEUE_FULL);
	wanted.queued_max = 0;
	memset(name, 'n', sizeof(name));
	name[DEFINITION_NAME_MAX] = '\0';
	wanted.name = name;
	assert_int_equal(store_add_run(store, &wanted, &run, &again, NULL), 0);
	name[DEFINITION_NAME_MAX] = 'n';
	name[DEFINITION_NAME_MAX + 1] = '\0';
	assert_int_equal(store_add_run(store, &wanted, &run, &again, &err), -EINVAL);
	wanted.name = "n";
	wanted.samples_total = DEFINITION_SAMPLES_MAX + 1;
	assert_int_equal(store_add_run(store, &wanted, &run, &again, &err), -EINVAL);
	wanted.samples_total = 1;
	wanted.definition = "{"; /* our own bug, told and not stored */
	assert_int_equal(store_add_run(store, &wanted, &run, &again, &err), -EINVAL);
	assert_int_equal(store_count(store, RUN_QUEUED), 4);
	store_close(store);
}

static void test_lock(void **state)
{
	struct store *store = fixture_open(), *second;
	struct error err = {0};

	(void)state;
	assert_int_equal(store_open(fixture_root, 60, &second, &err), -EWOULDBLOCK);
	assert_non_null(strstr(err.message, fixture_root));
	store_close(store);
	assert_int_equal(store_open(fixture_root, 0, &second, &err), 0);
	store_close(second);
	assert_int_equal(store_open("/proc/nowhere", 0, &second, &err), -ENOENT);
}

static void test_reports(void **state)
{
	struct store *store = fixture_open();
	struct store_run run = fixture_run(store);
	char *data;
	size_t size;
	int fd;

	(void)state;
	assert_int_equal(store_read_report(store, run.id, "index.html", &data, &size), -ENOENT);
	assert_int_equal(store_open_report(store, run.id, &fd), 0);
	assert_int_equal(file_write(fd, "index.html", "<p>", 3, 0600), 0);
	(void)close(fd);
	assert_int_equal(store_read_report(store, run.id, "index.html", &data, &size), 0);
	assert_int_equal(size, 3);
	free(data);
	assert_int_equal(store_read_report(store, run.id, "../run.json", &data, &size), -ENOENT);
	assert_int_equal(store_read_report(store, run.id, "..", &data, &size), -ENOENT);
	assert_int_equal(store_read_report(store, "../runs", "x", &data, &size), -ENOENT);
	assert_int_equal(store_open_report(store, "20250101-000000-absent", &fd), -ENOENT);
	store_close(store);
}

static void test_give_up(void **state)
{
	struct store *store = fixture_open();
	struct store_run run = fixture_run(store);
	struct error why = {0};

	(void)state;
	(void)error_set(&why, ERROR_STORAGE_FULL, "", "full");
	store_give_up(store, run.id, &why); /* not running: nothing to give up */
	assert_int_equal(fixture_get(store, run.id).state, RUN_QUEUED);
	assert_int_equal(store_set_running(store, run.id, NULL), 0);
	assert_int_equal(fixture_add_sample(store, run.id, 1, NULL), 0);
	store_give_up(store, run.id, &why);
	assert_int_equal(fixture_get(store, run.id).state, RUN_FAILED);
	assert_int_equal(fixture_get(store, run.id).error.code, ERROR_STORAGE_FULL);
	assert_int_equal(fixture_result_samples(store, run.id), 1);
	store_close(store);
	store = fixture_open();
	assert_int_equal(fixture_get(store, run.id).state, RUN_INTERRUPTED);
	assert_int_equal(fixture_result_samples(store, run.id), 1);
	store_close(store);
}

/* ---- threads ---- */

struct worker {
	struct store *store;
	char ids[8][RUN_ID_MAX];
	unsigned int changes;
};

static atomic_uint changes;

static void count_change(void *arg, const char *id)
{
	(void)arg;
	if (store_id_ok(id))
		atomic_fetch_add(&changes, 1);
}

/* Every thread offers the same eight keys, cancels and removes; readers read all the while. */
static void *submit(void *arg)
{
	struct worker *worker = arg;
	struct store_run run;
	char key[16], *text;
	size_t size;

	for (int i = 0; i < 8; i++) {
		(void)snprintf(key, sizeof(key), "key-%d", i);
		if (fixture_add(worker->store, key, 4, &run, NULL) < 0)
			return NULL;
		memcpy(worker->ids[i], run.id, sizeof(run.id));
	}
	for (int i = 0; i < 8; i += 2) {
		if (store_set_running(worker->store, worker->ids[i], NULL) == 0 &&
		    fixture_add_sample(worker->store, worker->ids[i], 1, NULL) == 0)
			(void)!store_finish_run(worker->store, worker->ids[i], RUN_DONE, NULL, NULL,
						NULL);
		if (store_result(worker->store, worker->ids[i], &text, &size, NULL) == 0)
			free(text);
		(void)!store_cancel_queued(worker->store, worker->ids[i + 1], NULL);
		(void)!store_remove_run(worker->store, worker->ids[i + 1], NULL);
	}
	return NULL;
}

static void test_threads(void **state)
{
	struct store *store = fixture_open();
	struct worker workers[4] = {
		{.store = store}, {.store = store}, {.store = store}, {.store = store}};
	pthread_t threads[4];
	struct store_run run;

	(void)state;
	atomic_store(&changes, 0);
	store_on_change(store, count_change, NULL);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, submit, &workers[i]), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	for (int i = 0; i < 8; i++) {
		if (i % 2 == 0) { /* a removed one may have been accepted a second time */
			for (int w = 1; w < 4; w++)
				assert_string_equal(workers[0].ids[i], workers[w].ids[i]);
			assert_int_equal(fixture_get(store, workers[0].ids[i]).state, RUN_DONE);
			assert_int_equal(fixture_result_samples(store, workers[0].ids[i]), 1);
		} else {
			assert_int_equal(store_get_run(store, workers[0].ids[i], &run), -ENOENT);
		}
	}
	assert_true(atomic_load(&changes) >= 8 * 2);
	store_close(store);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_make, fixture_remove)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ids),
		TEST(test_life),
		TEST(test_end),
		TEST(test_repeats_end),
		TEST(test_failure_and_cancel),
		TEST(test_paging),
		TEST(test_keys),
		TEST(test_limits),
		TEST(test_lock),
		TEST(test_reports),
		TEST(test_give_up),
		TEST(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
