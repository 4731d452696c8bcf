/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An imported result is a run that is done, durable before anybody is told; whatever the n-th call
 * into file.h comes to, it is whole afterwards or was never there.
 *
 * link: -Wl,--wrap=file_write -Wl,--wrap=file_open_directory -Wl,--wrap=file_remove_tree
 * link: -Wl,--wrap=file_free_bytes
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "server/codec/result_text.h"
#include "tests/unit/server/store_fixture.h"

static unsigned int calls, fail_from; /* 0: none fails */
static bool no_space;

static bool fails(void)
{
	calls++;
	return fail_from && calls >= fail_from;
}

/* clang-format off */
#define WRAP(name, parameters, arguments)                                                          \
	int __real_##name parameters;                                                              \
	int __wrap_##name parameters;                                                              \
	int __wrap_##name parameters                                                               \
	{                                                                                          \
		return fails() ? -ENOSPC : __real_##name arguments;                                \
	}

WRAP(file_write, (int fd, const char *name, const void *data, size_t size, int mode),
     (fd, name, data, size, mode))
WRAP(file_open_directory, (int fd, const char *name, int *ret_fd), (fd, name, ret_fd))
WRAP(file_remove_tree, (int fd, const char *name), (fd, name))
/* clang-format on */

int __real_file_free_bytes(int fd, uint64_t *ret_bytes);
int __wrap_file_free_bytes(int fd, uint64_t *ret_bytes);
int __wrap_file_free_bytes(int fd, uint64_t *ret_bytes)
{
	if (!no_space)
		return __real_file_free_bytes(fd, ret_bytes);
	*ret_bytes = 4096;
	return 0;
}

static int make(void **state)
{
	fail_from = 0;
	no_space = false;
	return fixture_make(state);
}

static int clean(void **state)
{
	fail_from = 0;
	return fixture_remove(state);
}

static void add_sample(struct result *result, size_t index)
{
	struct sample *sample = &result->samples[index];

	sample_init(sample);
	sample->order = index;
	sample->repeat = 1;
	sample->workload = strdup("w");
	sample->target = strdup("");
	sample->backend = strdup("");
	sample->level_count = 1;
	sample->levels = calloc(1, sizeof(*sample->levels));
	sample->levels[0] = (struct level){strdup("file"), strdup(index == 0 ? "a" : "b")};
	sample->source = sample_source_new("dd", "a");
	sample->source->directions[DIRECTION_READ].iops = told_exactly(100);
	result->sample_count++;
}

static void make_result(struct result *result)
{
	static const char *const levels[] = {"a", "b"};
	struct definition *definition = &result->definition;
	struct factor *factor;

	result_init(result);
	result->state = RUN_DONE;
	result->planned_samples = 2;
	result->samples = calloc(2, sizeof(*result->samples));
	add_sample(result, 0);
	add_sample(result, 1);
	definition->name = strdup("of others");
	definition->imported = true;
	definition->workload_count = 1;
	definition->workloads = calloc(1, sizeof(*definition->workloads));
	definition->workloads[0].name = strdup("w");
	option_set_mark(&definition->workloads[0].set, OPTION_ID_NAME, true);
	definition->factor_count = 1;
	definition->factors = factor = calloc(1, sizeof(*definition->factors));
	factor->name = strdup("file");
	factor->kind = FACTOR_LABEL;
	factor->levels = calloc(2, sizeof(*factor->levels));
	for (; factor->level_count < 2; factor->level_count++)
		factor->levels[factor->level_count] = strdup(levels[factor->level_count]);
}

static int add(struct store *store, const char *key, struct store_run *ret_run, bool *ret_again,
	       struct error *err)
{
	struct result result;
	int r;

	make_result(&result);
	r = store_add_imported(store, &result, key, key ? "digest" : NULL, ret_run, ret_again, err);
	if (r == 0 && !*ret_again)
		assert_string_equal(result.id, ret_run->id);
	result_done(&result);
	return r;
}

static void check_whole(struct store *store, const char *id)
{
	struct store_run run = fixture_get(store, id);
	AUTO_FREE char *text = NULL;
	struct error err = {0};
	struct result result;
	size_t size = 0;

	assert_int_equal(run.state, RUN_DONE);
	assert_int_equal(run.samples_done, 2);
	assert_int_equal(run.samples_total, 2);
	assert_int_equal(run.started_wall_ms, 0);
	assert_int_equal(run.ended_wall_ms, run.created_wall_ms);
	assert_string_equal(run.name, "of others");
	assert_int_equal(store_result(store, id, &text, &size, &err), 0);
	result_init(&result);
	if (result_decode_text(text, size, &result, &err) < 0)
		fail_msg("%s: %s", err.field, err.message);
	assert_string_equal(result.id, id);
	assert_int_equal(result.sample_count, 2);
	assert_true(result.definition.imported);
	result_done(&result);
}

static void it_is_a_run_that_is_done(void **state)
{
	struct store *store = fixture_open();
	struct store_run run = {0}, next = {0};
	bool again = true;

	(void)state;
	assert_int_equal(add(store, NULL, &run, &again, NULL), 0);
	assert_false(again);
	check_whole(store, run.id);
	assert_int_equal(store_next_queued(store, &next), -ENOENT);
	assert_int_equal(store_count(store, RUN_DONE), 1);
	store_close(store);
	store = fixture_open();
	assert_int_equal(store_problem_count(store), 0);
	check_whole(store, run.id);
	assert_int_equal(store_remove_run(store, run.id, NULL), 0);
	store_close(store);
}

static void a_key_comes_once(void **state)
{
	struct store *store = fixture_open();
	struct store_run first = {0}, second = {0};
	bool again = true;

	(void)state;
	assert_int_equal(add(store, "key", &first, &again, NULL), 0);
	assert_false(again);
	assert_int_equal(add(store, "key", &second, &again, NULL), 0);
	assert_true(again);
	assert_string_equal(first.id, second.id);
	assert_int_equal(store_count(store, RUN_DONE), 1);
	store_close(store);
}

static void a_full_disk_is_told(void **state)
{
	struct store *store = fixture_open();
	struct store_run run = {0};
	struct error err = {0};
	bool again;

	(void)state;
	no_space = true;
	assert_int_equal(add(store, NULL, &run, &again, &err), -ENOSPC);
	assert_int_equal(err.code, ERROR_STORAGE_FULL);
	assert_int_equal(store_count(store, RUN_DONE), 0);
	store_close(store);
}

/* A crash is a call behind which no other does anything. */
static void a_crash_leaves_all_or_nothing(void **state)
{
	unsigned int told = 0, gone = 0;

	(void)state;
	for (unsigned int n = 1; n < 12; n++) {
		struct store *store = fixture_open();
		struct store_run run = {0}, *runs = NULL;
		bool again, acknowledged;
		uint64_t next;
		size_t count = 0;

		calls = 0;
		fail_from = n;
		acknowledged = add(store, NULL, &run, &again, NULL) == 0;
		fail_from = 0;
		store_close(store);
		store = fixture_open();
		assert_int_equal(store_problem_count(store), 0);
		assert_int_equal(
			store_list_runs(store, RUN_STATE_COUNT, 0, 10, &runs, &count, &next), 0);
		if (acknowledged)
			assert_int_equal(count, 1);
		if (count > 0) {
			check_whole(store, runs[0].id);
			assert_int_equal(store_remove_run(store, runs[0].id, NULL), 0);
		}
		told += acknowledged;
		gone += count == 0;
		free(runs);
		store_close(store);
	}
	assert_true(told > 0);
	assert_true(gone > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(it_is_a_run_that_is_done, make, clean),
		cmocka_unit_test_setup_teardown(a_key_comes_once, make, clean),
		cmocka_unit_test_setup_teardown(a_full_disk_is_told, make, clean),
		cmocka_unit_test_setup_teardown(a_crash_leaves_all_or_nothing, make, clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
