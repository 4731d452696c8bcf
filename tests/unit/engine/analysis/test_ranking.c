/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_ranking.c - the best level is that which its pairs say, and a better mean is explained. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/ranking.h"
#include "tests/unit/engine/analysis/blocks_fixture.h"

#define NONE 0

static void fill(struct block_table *table, size_t blocks, size_t levels, const double *figures)
{
	assert_int_equal(block_table_init(table, blocks, levels), 0);
	for (size_t i = 0; i < blocks * levels; i++)
		if (figures[i] > 0)
			table->logs[i] = log(figures[i]);
}

static void assert_near(double found, double expected)
{
	if (!(fabs(found - expected) <= 1e-9))
		fail_msg("%.12g is not %.12g", found, expected);
}

/* The first block is a slow one, and lacks a level: that says nothing for the level. */
static void blocks_are_taken_out(void **state)
{
	static const double figures[] = {50, NONE, 100, 110, 100, 110};
	static const bool both[] = {true, true};
	struct block_table table;
	double effects[2];

	(void)state;
	fill(&table, 3, 2, figures);
	assert_int_equal(ranking_effects(&table, both, effects), 0);
	assert_near(effects[1] - effects[0], log(1.1));
	assert_near(effects[0] + effects[1], 0);
	block_table_done(&table);
}

/* Three levels in unlike blocks, a and b, b and c, all of them: the normal equations of least
 * squares, worked out by hand, hold. */
static void unlike_blocks_hang_together(void **state)
{
	static const double logs[] = {0, 1, NAN, NAN, 0, 1, 0, 2, 2};
	static const bool all[] = {true, true, true}, two[] = {true, false, true};
	struct block_table table;
	double effects[3];

	(void)state;
	assert_int_equal(block_table_init(&table, 3, 3), 0);
	for (size_t i = 0; i < 9; i++)
		table.logs[i] = logs[i];
	assert_int_equal(ranking_effects(&table, all, effects), 0);
	assert_near(7 * effects[0] - 5 * effects[1] - 2 * effects[2], -11);
	assert_near(10 * effects[1] - 5 * effects[0] - 5 * effects[2], 4);
	assert_near(7 * effects[2] - 5 * effects[1] - 2 * effects[0], 7);
	assert_int_equal(ranking_effects(&table, two, effects), 0);
	assert_true(isnan(effects[1]));
	assert_near(effects[2] - effects[0], 2); /* of the third block, which alone has both */
	block_table_done(&table);
}

static void without_a_common_block_means_are_compared(void **state)
{
	static const double figures[] = {100, NONE, NONE, 120, NONE, 30};
	static const bool both[] = {true, true};
	struct block_table table;
	double effects[2];

	(void)state;
	fill(&table, 3, 2, figures);
	assert_int_equal(ranking_effects(&table, both, effects), 0);
	assert_near(effects[1] - effects[0], log(60.0 / 100));
	block_table_done(&table);
}

static void make(struct result *result, const double figures[][2], size_t blocks)
{
	blocks_make(result, 1, 2, (unsigned int)blocks);
	for (size_t i = 0; i < result->sample_count; i++)
		blocks_set(&result->samples[i], figures[i / 2][i % 2]);
}

static const char *said(const struct analysis *analysis, const char *code)
{
	for (size_t i = 0; i < analysis->statement_count; i++)
		if (strcmp(analysis->statements[i].code, code) == 0)
			return analysis->statements[i].text;
	return NULL;
}

/* One repeat far off lifts the arithmetic mean of 8K above that of 4K. */
static void the_best_is_what_pairs_say(void **state)
{
	static const double figures[][2] = {
		{10000, 8000}, {10000, 8000}, {10000, 8000}, {10000, 16500}};
	struct analysis analysis;
	struct result result;

	(void)state;
	make(&result, figures, 4);
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_true(analysis.comparisons[0].figures[1].value.mean >
		    analysis.comparisons[0].figures[0].value.mean);
	assert_int_equal(analysis.comparisons[0].best, 0);
	assert_int_equal(analysis.recommendation.leader, 0);
	assert_true(analysis.comparisons[0].figures[0].to_best == 1);
	assert_near(analysis.comparisons[0].figures[1].to_best, pow(0.8 * 0.8 * 0.8 * 1.65, 0.25));
	assert_near(analysis.comparisons[0].figures[1].to_best,
		    analysis.comparisons[0].contrasts[0].ratio);
	assert_non_null(said(&analysis, "mean_above"));
	assert_string_equal(said(&analysis, "mean_above"),
			    "In w0 8K has a better mean than 4K, which is best: levels are told "
			    "apart by ratios of geometric means, in which one repeat that is far "
			    "off counts less; tables show arithmetic means.");
	analysis_done(&analysis);
	result_done(&result);
}

/* Its comma would read as the sentence's. */
static void a_name_with_a_comma_is_quoted(void **state)
{
	static const double figures[][2] = {
		{10000, 8000}, {10000, 8000}, {10000, 8000}, {10000, 16500}};
	struct analysis analysis;
	struct result result;

	(void)state;
	make(&result, figures, 4);
	blocks_call(&result, 0, "mail, nights");
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_non_null(said(&analysis, "mean_above"));
	assert_non_null(strstr(said(&analysis, "mean_above"), "In \"mail, nights\" 8K has"));
	analysis_done(&analysis);
	result_done(&result);
}

static void nothing_is_said_where_both_agree(void **state)
{
	static const double figures[][2] = {
		{10000, 8000}, {10000, 8000}, {10000, 8000}, {10000, 10000}};
	struct analysis analysis;
	struct result result;

	(void)state;
	make(&result, figures, 4);
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_int_equal(analysis.comparisons[0].best, 0);
	assert_null(said(&analysis, "mean_above"));
	analysis_done(&analysis);
	result_done(&result);
}

/* Of equal ones the first; what did nothing is never the best, unless nothing did anything. */
static void equals_and_zeros(void **state)
{
	static const double equal[][2] = {{10000, 10000}, {9000, 9000}, {8000, 8000}};
	static const double zero[][2] = {{0, 10}, {0, 10}}, zeros[][2] = {{0, 0}, {0, 0}};
	struct analysis analysis;
	struct result result;

	(void)state;
	make(&result, equal, 3);
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_int_equal(analysis.comparisons[0].best, 0);
	assert_int_equal(analysis.recommendation.leader, 0);
	assert_near(analysis.comparisons[0].figures[1].to_best, 1);
	analysis_done(&analysis);
	result_done(&result);
	make(&result, zero, 2);
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_int_equal(analysis.comparisons[0].best, 1);
	assert_true(analysis.comparisons[0].figures[0].to_best == 0);
	analysis_done(&analysis);
	result_done(&result);
	make(&result, zeros, 2);
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_int_equal(analysis.comparisons[0].best, 0);
	analysis_done(&analysis);
	result_done(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_are_taken_out),
		cmocka_unit_test(unlike_blocks_hang_together),
		cmocka_unit_test(without_a_common_block_means_are_compared),
		cmocka_unit_test(the_best_is_what_pairs_say),
		cmocka_unit_test(a_name_with_a_comma_is_quoted),
		cmocka_unit_test(nothing_is_said_where_both_agree),
		cmocka_unit_test(equals_and_zeros),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
