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

static void repeats_that_ended_early_expect_no_more(void **state)
{
	struct result result;
	char text[REPEATS_OUTCOME_MAX];

	(void)state;
	result_init(&result);
	result.planned_samples = 240;
	result.definition.repeats = 20;
	assert_int_equal(result_expected_samples(&result), 240);
	assert_string_equal(result_repeats_text(&result, text), "20 repeats");
	result.definition.until_ci_percent = 2;
	result.definition.repeats_min = 5;
	assert_string_equal(result_repeats_text(&result, text),
			    "5 to 20 repeats, until figures are known to ±2 %");
	result.repeats = (struct repeats_outcome){REPEATS_END_PRECISE, 6, 20, 1.5, 2};
	assert_int_equal(result_expected_samples(&result), 72);
	assert_string_equal(result_repeats_text(&result, text),
			    "6 of at most 20 repeats: known to ±1.5 % (asked: ±2 %)");
	result.repeats.end = REPEATS_END_MOST;
	assert_int_equal(result_expected_samples(&result), 240);
	result_done(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_state_has_a_name),
		cmocka_unit_test(another_name_is_no_state),
		cmocka_unit_test(done_leaves_it_fresh),
		cmocka_unit_test(repeats_that_ended_early_expect_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
