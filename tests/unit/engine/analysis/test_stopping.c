/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_stopping.c - when repeats are enough. (What ending early costs: test_simulation.c) */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/analysis/stopping.h"
#include "tests/unit/engine/analysis/blocks_fixture.h"

/* Level 1 is 1 % above level 0 in one block and 1 % below in the next. */
static void alternate(struct result *result, double amplitude)
{
	for (size_t i = 0; i < result->sample_count; i++)
		blocks_set(&result->samples[i], 1000000 * exp(i % 2 == 0   ? 0
							      : i % 4 == 1 ? amplitude
									   : -amplitude));
}

static bool reached(struct result *result, size_t blocks, double until, unsigned int least,
		    double *ret_half)
{
	size_t all = result->sample_count;
	bool enough;

	result->sample_count = blocks * 2 < all ? blocks * 2 : all;
	assert_int_equal(stopping_reached(result, until, least, &enough, ret_half), 0);
	result->sample_count = all;
	return enough;
}

static void the_half_width_is_that_of_the_ratio(void **state)
{
	struct result result;
	double half;

	(void)state;
	blocks_make(&result, 1, 2, 6);
	alternate(&result, 0.01);
	(void)reached(&result, 6, 1, 0, &half);
	/* differences of +-1 %, six of them: s^2 = 6 / 5 of 1e-4, over 6; t(5) = 2.5706; on it the
	 * factor of a first look at 5 blocks */
	assert_true(fabs(half - 100 * expm1(2.570582 * sqrt(1e-4 * 6 / 5 / 6) * (1 + 0.5 / 4))) <
		    1e-3);
	result_done(&result);
}

static void five_blocks_at_the_least(void **state)
{
	struct result result;
	double half;

	(void)state;
	blocks_make(&result, 1, 2, 12);
	alternate(&result, 0.0001);
	for (size_t blocks = 0; blocks < 5; blocks++) {
		assert_false(reached(&result, blocks, 1, 0, &half));
		assert_true(blocks < 2 ? half == 0 : half > 0);
	}
	assert_true(reached(&result, 5, 1, 0, &half));
	assert_true(reached(&result, 5, 1, 2, &half)); /* fewer are not taken */
	assert_false(reached(&result, 7, 1, 8, &half));
	assert_true(reached(&result, 8, 1, 8, &half));
	/* at the limit, and above */
	(void)reached(&result, 8, 1, 5, &half);
	assert_true(reached(&result, 8, half, 5, &half));
	assert_false(reached(&result, 8, half * 0.999, 5, &half));
	result_done(&result);
}

static void the_widest_comparison_decides(void **state)
{
	struct result result;
	double half;
	bool enough;

	(void)state;
	blocks_make(&result, 2, 2, 6);
	for (size_t i = 0; i < result.sample_count; i++)
		blocks_set(&result.samples[i],
			   1000000 * (i % 4 == 3 ? 1 + (i % 8 == 3 ? 0.05 : -0.05) : 1));
	assert_int_equal(stopping_reached(&result, 2, 5, &enough, &half), 0);
	assert_false(enough);
	assert_true(half > 4 && half < 8);
	for (size_t i = 0; i < result.sample_count; i++)
		blocks_set(&result.samples[i], 1000000);
	assert_int_equal(stopping_reached(&result, 2, 5, &enough, &half), 0);
	assert_true(enough);
	assert_true(half >= 0 && half < 0.001);
	result_done(&result);
}

/* A level short of one sample: its block does not count. */
static void unfinished_blocks_do_not_count(void **state)
{
	struct result result;
	double half;
	bool enough;

	(void)state;
	blocks_make(&result, 1, 2, 5);
	alternate(&result, 0.0001);
	sample_done(&result.samples[--result.sample_count]);
	assert_int_equal(stopping_reached(&result, 5, 5, &enough, &half), 0);
	assert_false(enough);
	result_done(&result);
}

static void where_nothing_is_compared_the_mean_decides(void **state)
{
	struct result result;
	double half;
	bool enough;

	(void)state;
	blocks_make(&result, 1, 0, 6);
	for (size_t i = 0; i < 6; i++)
		blocks_set(&result.samples[i], 1000000 * exp(i % 2 == 0 ? 0.01 : -0.01));
	assert_int_equal(stopping_reached(&result, 1.31, 5, &enough, &half), 0);
	assert_true(enough);
	assert_true(fabs(half - 100 * expm1(2.570582 * sqrt(1e-4 * 6 / 5 / 6) * (1 + 0.5 / 4))) <
		    1e-3);
	assert_int_equal(stopping_reached(&result, 1.2, 5, &enough, &half), 0);
	assert_false(enough);
	result_done(&result);
}

static void without_figures_nothing_is_reached(void **state)
{
	struct result result;
	double half;
	bool enough;

	(void)state;
	blocks_define(&result, 2, 3, 9);
	assert_int_equal(stopping_reached(&result, 5, 5, &enough, &half), 0);
	assert_false(enough);
	assert_true(half == 0);
	result_done(&result);
	/* figures of nothing */
	blocks_make(&result, 1, 2, 6);
	for (size_t i = 0; i < result.sample_count; i++)
		blocks_set(&result.samples[i], 0);
	assert_int_equal(stopping_reached(&result, 5, 5, &enough, &half), 0);
	assert_false(enough);
	assert_true(half == 0);
	result_done(&result);
}

static void only_runs_that_may_end_early_are_widened(void **state)
{
	struct definition definition = {.repeats = 20};

	(void)state;
	assert_int_equal(stopping_first_look(&definition), 0);
	definition.until_ci_percent = 2;
	assert_int_equal(stopping_first_look(&definition), 5);
	definition.repeats_min = 8;
	assert_int_equal(stopping_first_look(&definition), 8);
	definition.repeats_min = 19;
	assert_int_equal(stopping_first_look(&definition), 19);
	definition.repeats_min = 20; /* nothing to end early */
	assert_int_equal(stopping_first_look(&definition), 0);
	assert_true(stopping_widening(0, 9, 1) == 1);
	assert_true(stopping_widening(5, 4, 1) == 1); /* it was not looked at */
	assert_true(stopping_widening(5, 5, 1) == 1.125);
	assert_true(stopping_widening(5, 50, 5) == 1.025);
}

static void widened_results_have_wider_intervals(void **state)
{
	struct analysis analysis;
	struct result result;
	double high, mean_high, p;

	(void)state;
	blocks_make(&result, 1, 2, 6);
	alternate(&result, 0.01);
	assert_int_equal(analysis_make(&result, &analysis), 0);
	high = log(analysis.comparisons[0].contrasts[0].high);
	p = analysis.comparisons[0].contrasts[0].p;
	mean_high = analysis.comparisons[0].figures[1].value.high;
	analysis_done(&analysis);
	result.definition.repeats = 20;
	result.definition.until_ci_percent = 2;
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_true(fabs(log(analysis.comparisons[0].contrasts[0].high) / high - 1.125) < 1e-6);
	assert_true(analysis.comparisons[0].contrasts[0].p >= p);
	assert_true(analysis.comparisons[0].figures[1].value.high == mean_high);
	analysis_done(&analysis);
	result_done(&result);

	blocks_make(&result, 1, 0, 6);
	for (size_t i = 0; i < 6; i++)
		blocks_set(&result.samples[i], 1000000 + 1000 * (double)i);
	assert_int_equal(analysis_make(&result, &analysis), 0);
	mean_high = analysis.comparisons[0].figures[0].value.high;
	analysis_done(&analysis);
	result.definition.repeats = 20;
	result.definition.until_ci_percent = 2;
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_true(analysis.comparisons[0].figures[0].value.high > mean_high);
	assert_true(analysis.cells.list[0].directions[DIRECTION_READ].iops.high ==
		    analysis.comparisons[0].figures[0].value.high);
	analysis_done(&analysis);
	result_done(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_half_width_is_that_of_the_ratio),
		cmocka_unit_test(five_blocks_at_the_least),
		cmocka_unit_test(the_widest_comparison_decides),
		cmocka_unit_test(unfinished_blocks_do_not_count),
		cmocka_unit_test(where_nothing_is_compared_the_mean_decides),
		cmocka_unit_test(without_figures_nothing_is_reached),
		cmocka_unit_test(only_runs_that_may_end_early_are_widened),
		cmocka_unit_test(widened_results_have_wider_intervals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
