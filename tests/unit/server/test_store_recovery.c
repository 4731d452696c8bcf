/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of server/store_recovery.c: what crashes, damage and newer versions left; many runs. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/server/store_fixture.h"

static void test_interrupted(void **state)
{
	struct store *store = fixture_open();
	struct store_run run = fixture_run(store), queued = fixture_run(store);
	char path[128];
	json_t *result;

	(void)state;
	assert_int_equal(store_set_running(store, run.id, NULL), 0);
	assert_int_equal(store_set_started(store, run.id, STARTED_TEXT, NULL), 0);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(fixture_add_sample(store, run.id, i, NULL), 0);
	store_close(store);
	(void)snprintf(path, sizeof(path), "runs/%s/samples/00001.json", run.id);
	fixture_write(path, "{\"order\":1,"); /* damaged from outside */
	(void)snprintf(path, sizeof(path), "runs/%s/samples/.tmp-00003.json-0123456789abcdef",
		       run.id);
	fixture_write(path, "{"); /* a crash in the middle of a write */

	store = fixture_open();
	assert_false(fixture_exists(path));
	assert_int_equal(store_problem_count(store), 1);
	assert_non_null(strstr(store_problem(store, 0), run.id));
	run = fixture_get(store, run.id);
	assert_int_equal(run.state, RUN_INTERRUPTED);
	assert_true(run.recovered);
	assert_int_equal(run.samples_done, 2);
	assert_int_equal(run.error.code, ERROR_INTERRUPTED);
	assert_true(run.ended_wall_ms >= run.started_wall_ms);
	result = fixture_result(store, run.id);
	fixture_assert_text(result, "state", "interrupted");
	assert_int_equal(json_array_size(json_object_get(result, "samples")), 2);
	json_decref(result);
	(void)snprintf(path, sizeof(path), "set-aside/%s-sample-00001.json", run.id);
	assert_true(fixture_exists(path));
	assert_int_equal(fixture_get(store, queued.id).state, RUN_QUEUED);
	assert_false(fixture_get(store, queued.id).recovered);
	store_close(store);

	store = fixture_open(); /* it is mended for good */
	assert_int_equal(store_problem_count(store), 0);
	assert_false(fixture_get(store, run.id).recovered);
	assert_int_equal(fixture_get(store, run.id).state, RUN_INTERRUPTED);
	store_close(store);
}

static const struct repeats_outcome early = {REPEATS_END_PRECISE, 5, 10, 1.5, 2};

/* The crash came between result.json and state.json. */
static void test_result_without_state(void **state)
{
	struct store *store = fixture_open();
	struct store_run run = fixture_run(store);
	char path[128];

	(void)state;
	assert_int_equal(store_set_running(store, run.id, NULL), 0);
	assert_int_equal(fixture_add_sample(store, run.id, 0, NULL), 0);
	store_note_repeats(store, run.id, &early);
	assert_int_equal(store_finish_run(store, run.id, RUN_DONE, NULL, NULL, NULL), 0);
	store_close(store);
	(void)snprintf(path, sizeof(path), "runs/%s/state.json", run.id);
	fixture_write(path, "{\"schema\":\"volbench.state/1\",\"state\":\"running\","
			    "\"started\":\"2026-11-30T11:30:00.000Z\",\"samples\":0}");
	for (int i = 0; i < 4; i++) {
		store = fixture_open();
		run = fixture_get(store, run.id);
		assert_int_equal(run.state, RUN_DONE);
		assert_int_equal(run.samples_done, 1);
		assert_int_equal(run.samples_total, 1); /* its repeats ended early */
		assert_int_equal(run.repeats.made, early.made);
		assert_true(run.started_wall_ms > 0 && run.ended_wall_ms > 0);
		assert_int_equal(fixture_result_samples(store, run.id), 1);
		store_close(store);
		if (i == 1)
			fixture_write(path, "garbage");
		if (i == 2) {
			char full[256];

			(void)snprintf(full, sizeof(full), "%s/%s", fixture_root, path);
			assert_int_equal(unlink(full), 0);
		}
	}
	(void)snprintf(path, sizeof(path), "set-aside/%s-state.json", run.id);
	assert_true(fixture_exists(path));
}

static void test_result_removed(void **state)
{
	struct store *store = fixture_open();
	struct store_run run = fixture_run(store);
	char path[256];
	json_t *result;

	(void)state;
	assert_int_equal(store_set_running(store, run.id, NULL), 0);
	assert_int_equal(fixture_add_sample(store, run.id, 3, NULL), 0);
	store_note_repeats(store, run.id, &early);
	assert_int_equal(
		store_finish_run(store, run.id, RUN_DONE, "[{\"code\":\"end\"}]", NULL, NULL), 0);
	(void)snprintf(path, sizeof(path), "%s/runs/%s/result.json", fixture_root, run.id);
	assert_int_equal(unlink(path), 0);
	result = fixture_result(store, run.id);
	fixture_assert_text(result, "state", "done");
	assert_int_equal(json_array_size(json_object_get(result, "samples")), 1);
	assert_int_equal(json_array_size(json_object_get(result, "findings")), 1);
	fixture_assert_text(json_object_get(result, "repeats"), "ended", "precise");
	json_decref(result);
	store_close(store);
}

/* Cut, emptied, replaced: the parts are still there, while the service runs and when it starts. */
static void test_result_damaged(void **state)
{
	static const char *const damaged[] = {
		"",
		"null",
		"\x01\x02 nothing that anybody wrote, but long enough to look at",
		"{\"schema\":\"volbench.sample/1\",\"order\":0,\"samples\":[]}\n",
		"{\"schema\":\"volbench.result/1\",\"id\":\"cut in the midd",
	};
	struct store *store = fixture_open();
	struct store_run run = fixture_run(store);
	char path[128], aside[128];

	(void)state;
	assert_int_equal(store_set_running(store, run.id, NULL), 0);
	assert_int_equal(fixture_add_sample(store, run.id, 3, NULL), 0);
	assert_int_equal(store_finish_run(store, run.id, RUN_DONE, NULL, NULL, NULL), 0);
	(void)snprintf(path, sizeof(path), "runs/%s/result.json", run.id);
	for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
		fixture_write(path, damaged[i]);
		assert_int_equal(fixture_result_samples(store, run.id), 1);
		assert_true(fixture_exists(path)); /* readers change nothing */
		store_close(store);
		store = fixture_open();
		assert_int_equal(store_problem_count(store), 1);
		assert_non_null(strstr(store_problem(store, 0), run.id));
		assert_false(fixture_exists(path));
		(void)snprintf(aside, sizeof(aside),
			       i == 0 ? "set-aside/%s-result.json" : "set-aside/%s-result.json.%zu",
			       run.id, i + 1);
		assert_true(fixture_exists(aside));
		assert_int_equal(fixture_get(store, run.id).state, RUN_DONE);
		assert_int_equal(fixture_result_samples(store, run.id), 1);
	}
	fixture_write(path, "{\"schema\":\"volbench.result/2\",\"of\":\"a newer program\"}");
	store_close(store);
	store = fixture_open();
	assert_int_equal(store_problem_count(store), 0);
	assert_true(fixture_exists(path));
	store_close(store);
}

/* What cannot be understood is set aside and told; what is newer is left as it is. */
static void test_foreign_documents(void **state)
{
	static const char *const newer = "20250101-000000-newer1",
				 *const broken = "20250101-000000-broken",
				 *const empty = "20250101-000000-empty0",
				 *const other = "20250101-000000-other0";
	struct store_run run;
	struct error err = {0};
	struct store *store;
	char path[128], text[512];

	(void)state;
	store_close(fixture_open());
	fixture_mkdir("runs/20250101-000000-newer1");
	(void)snprintf(text, sizeof(text),
		       "{\"schema\":\"volbench.run/2\",\"id\":\"%s\",\"number\":7,\"name\":\"n\","
		       "\"created\":\"2026-11-30T11:30:00.000Z\",\"planned_samples\":1,\"what\":1,"
		       "\"definition\":{}}",
		       newer);
	fixture_write("runs/20250101-000000-newer1/run.json", text);
	fixture_mkdir("runs/20250101-000000-broken");
	fixture_write("runs/20250101-000000-broken/run.json", "{\"schema\":\"volbench.run/1\"");
	fixture_mkdir("runs/20250101-000000-empty0");
	fixture_mkdir("runs/20250101-000000-other0");
	fixture_write("runs/20250101-000000-other0/run.json", text); /* another's id */
	fixture_mkdir("runs/20250101-000000-newer2");
	fixture_write("runs/20250101-000000-newer2/run.json", "{\"schema\":\"volbench.run/3\"}");
	fixture_mkdir("runs/lost+found");

	store = fixture_open();
	assert_int_equal(store_get_run(store, newer, &run), 0);
	assert_true(run.newer);
	assert_int_equal(store_next_queued(store, &run), -ENOENT);
	assert_int_equal(store_count(store, RUN_QUEUED), 0);
	assert_int_equal(store_remove_run(store, newer, &err), -EINVAL);
	assert_int_equal(err.code, ERROR_UNSUPPORTED_SCHEMA);
	assert_int_equal(store_get_run(store, broken, &run), -ENOENT);
	assert_int_equal(store_get_run(store, other, &run), -ENOENT);
	assert_int_equal(store_problem_count(store), 4);
	assert_true(fixture_exists("set-aside/20250101-000000-broken/run.json"));
	assert_true(fixture_exists("runs/20250101-000000-newer2"));
	assert_true(fixture_exists("runs/lost+found"));
	(void)snprintf(path, sizeof(path), "runs/%s", empty);
	assert_false(fixture_exists(path));
	assert_int_equal(fixture_run(store).number, 8);
	store_close(store);

	/* The same name is set aside a second time. */
	fixture_mkdir("runs/20250101-000000-broken");
	fixture_write("runs/20250101-000000-broken/run.json", "[]");
	store = fixture_open();
	assert_true(fixture_exists("set-aside/20250101-000000-broken.2/run.json"));
	store_close(store);
}

/* ---- many runs ---- */

static uint64_t resident_bytes(void)
{
	unsigned long pages = 0, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f) {
		if (fscanf(f, "%lu %lu", &pages, &resident) != 2)
			resident = 0;
		(void)fclose(f);
	}
	return (uint64_t)resident * 4096;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RUNS 500 /* their memory says nothing about ours */
#define RUNS_MEMORY UINT64_MAX
#else
#define RUNS 10000
#define RUNS_MEMORY (UINT64_C(50) << 20)
#endif

static void test_many_runs(void **state)
{
	struct store *store;
	uint64_t before, cursor;
	struct store_run *runs;
	char path[96], text[512];
	size_t count;

	(void)state;
	store_close(fixture_open());
	for (int i = 0; i < RUNS; i++) {
		(void)snprintf(path, sizeof(path), "runs/20250101-000000-%06d", i);
		fixture_mkdir(path);
		(void)snprintf(path, sizeof(path), "runs/20250101-000000-%06d/run.json", i);
		(void)snprintf(text, sizeof(text),
			       "{\"schema\":\"volbench.run/1\",\"id\":\"20250101-000000-%06d\","
			       "\"number\":%d,\"name\":\"nine workloads on a pool\","
			       "\"created\":\"2026-11-30T11:30:00.000Z\",\"planned_samples\":36,"
			       "\"definition\":{}}",
			       i, RUNS - i);
		fixture_write(path, text);
		(void)snprintf(path, sizeof(path), "runs/20250101-000000-%06d/state.json", i);
		fixture_write(path, "{\"schema\":\"volbench.state/1\",\"state\":\"done\","
				    "\"started\":\"2026-11-30T11:30:00.000Z\","
				    "\"ended\":\"2026-11-30T11:40:00.000Z\",\"samples\":36}");
	}
	before = resident_bytes();
	store = fixture_open();
	assert_int_equal(store_count(store, RUN_DONE), RUNS);
	assert_true(resident_bytes() - before < RUNS_MEMORY);
	assert_int_equal(store_list_runs(store, RUN_DONE, 0, 2, &runs, &count, &cursor), 0);
	assert_int_equal(runs[0].number, RUNS);
	assert_string_equal(runs[0].id, "20250101-000000-000000");
	free(runs);
	store_close(store);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_make, fixture_remove)
	const struct CMUnitTest tests[] = {
		TEST(test_interrupted),	      TEST(test_result_without_state),
		TEST(test_result_removed),    TEST(test_result_damaged),
		TEST(test_foreign_documents), TEST(test_many_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
