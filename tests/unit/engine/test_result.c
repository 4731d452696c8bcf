/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_result.c - names of the states, and an end that frees all (leaks show under ASan). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/server/codec/fixture.h"

static void every_state_has_a_name(void **state)
{
	(void)state;
	for (int i = 0; i < RUN_STATE_COUNT; i++) {
		enum run_state found = RUN_STATE_COUNT;

		assert_int_equal(run_state_find(run_state_names[i], &found), 0);
		assert_int_equal(found, i);
	}
}

static void another_name_is_no_state(void **state)
{
	enum run_state found = RUN_DONE;

	(void)state;
	assert_int_equal(run_state_find("finished", &found), -ENOENT);
	assert_int_equal(run_state_find("", &found), -ENOENT);
	assert_int_equal(found, RUN_DONE);
}

static void done_leaves_it_fresh(void **state)
{
	struct result result;

	(void)state;
	result_init(&result);
	result.samples = calloc(1, sizeof(*result.samples));
	result.targets = calloc(1, sizeof(*result.targets));
	assert_non_null(result.samples);
	assert_non_null(result.targets);
	result.sample_count = result.target_count = 1;
	fixture_sample(&result.samples[0]);
	result.definition.name = fixture_text("a name");
	result_done(&result);
	assert_null(result.samples);
	assert_null(result.definition.name);
	result_done(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_state_has_a_name),
		cmocka_unit_test(another_name_is_no_state),
		cmocka_unit_test(done_leaves_it_fresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
