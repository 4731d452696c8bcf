/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_drift.c - a drift is taken out of what is compared, held against an analysis of covariance
 * worked out apart from the program: least squares of block + level + slope x place, by
 * elimination.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/analysis/drift.h"
#include "tests/unit/engine/analysis/blocks_fixture.h"

#define BLOCKS 4
#define LEVELS 3

/* By some 2 % from place to place, in noise of 1 %. Two blocks are each other's reverse and two are
 * not, so that the levels' mean places differ. */
static const double figures[BLOCKS][LEVELS] = {
	{1001, 1046, 1142}, {948, 1013, 1043}, {901, 931, 1031}, {833, 891, 925}};
static const double places[BLOCKS][LEVELS] = {{1, 2, 0}, {4, 3, 5}, {6, 8, 7}, {10, 9, 11}};

static void assert_near(double found, double expected)
{
	if (!(fabs(found - expected) <= 1e-8 * fabs(expected)))
		fail_msg("%.12g is not %.12g", found, expected);
}

static void fill(struct block_table *table, size_t blocks, size_t levels)
{
	assert_int_equal(block_table_init(table, blocks, levels), 0);
	for (size_t b = 0; b < blocks; b++)
		for (size_t l = 0; l < levels; l++) {
			table->logs[block_table_at(table, b, l)] = log(figures[b][l]);
			table->places[block_table_at(table, b, l)] = places[b][l];
			table->measured[l] = true;
		}
}

static double slope_of(struct block_table *table)
{
	double slope = NAN;

	assert_int_equal(drift_take_out(table, &slope), 0);
	return slope;
}

static void left_alone(struct block_table *table)
{
	AUTO_FREE double *before = calloc(table->block_count * table->level_count, sizeof(double));

	assert_non_null(before);
	memcpy(before, table->logs, table->block_count * table->level_count * sizeof(double));
	assert_true(slope_of(table) == 0);
	assert_true(table->place_squares == 0 && table->drift_degrees == 0);
	assert_memory_equal(before, table->logs,
			    table->block_count * table->level_count * sizeof(double));
	block_table_done(table);
}

static void pairs_are_those_of_an_analysis_of_covariance(void **state)
{
	static const struct {
		double ratio, low, high, p;
	} expected[] = {
		{1.0576961410941041, 1.038309330600753, 1.07744493275244, 0.0005567834397445451},
		{1.1316922367068487, 1.1104499355916815, 1.1533408914469785,
		 1.3727095251342044e-05},
		{1.0699596913875484, 1.0503480988265717, 1.0899374621357447,
		 0.00023025632544495733},
	};
	struct contrasts contrasts;
	struct block_table table;

	(void)state;
	fill(&table, BLOCKS, LEVELS);
	assert_near(slope_of(&table), -0.020126416262444647);
	assert_true(table.drift_degrees == 1);
	assert_int_equal(contrasts_fit(&table, &contrasts), 0);
	assert_true(contrasts.degrees == 5);
	assert_near(contrasts.residual, 0.01009370493745198);
	assert_int_equal(contrasts_pairs(&table, &contrasts), 0);
	assert_int_equal(contrasts.count, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct contrast *pair = &contrasts.list[i];

		assert_false(pair->paired);
		assert_near(pair->ratio, expected[i].ratio);
		assert_near(pair->low, expected[i].low);
		assert_near(pair->high, expected[i].high);
		/* the test takes a larger spread of the pair's own into account */
		assert_true(pair->p >= expected[i].p * (1 - 1e-8));
	}
	contrasts_done(&contrasts);
	block_table_done(&table);
}

/* Its own differences have a degree less, too. */
static void pairs_of_unlike_spreads_pay_for_it(void **state)
{
	struct contrasts contrasts;
	struct block_table table;

	(void)state;
	fill(&table, BLOCKS, LEVELS);
	assert_true(slope_of(&table) != 0);
	assert_int_equal(contrasts_fit(&table, &contrasts), 0);
	contrasts.spreads_differ = true;
	assert_int_equal(contrasts_pairs(&table, &contrasts), 0);
	assert_true(contrasts.list[0].paired && contrasts.list[0].degrees == 2);
	contrasts_done(&contrasts);
	block_table_done(&table);
}

static void what_stands_still_is_left_alone(void **state)
{
	struct block_table table;

	(void)state;
	fill(&table, BLOCKS, LEVELS);
	for (size_t b = 0; b < BLOCKS; b++) /* -1, 1, 1, -1: no slope */
		for (size_t l = 0; l < LEVELS; l++)
			table.logs[block_table_at(&table, b, l)] =
				log(1000 + 10 * (double)l) + (b == 0 || b == 3 ? -0.1 : 0.1);
	left_alone(&table);
}

static void a_place_that_the_level_decides_is_left_alone(void **state)
{
	struct block_table table;

	(void)state;
	fill(&table, BLOCKS, LEVELS);
	for (size_t b = 0; b < BLOCKS; b++)
		for (size_t l = 0; l < LEVELS; l++)
			table.places[block_table_at(&table, b, l)] = (double)(LEVELS * b + l);
	left_alone(&table);
}

/* Of two levels in three blocks one degree would be left, in four two. */
static void few_blocks_are_left_alone(void **state)
{
	struct block_table table;

	(void)state;
	fill(&table, 3, 2);
	for (size_t b = 0; b < 3; b++) /* an even fall, so that the slope itself is sure */
		for (size_t l = 0; l < 2; l++)
			table.logs[block_table_at(&table, b, l)] = -(double)b;
	left_alone(&table);
	fill(&table, 2, LEVELS);
	left_alone(&table);
	fill(&table, 4, 2);
	assert_true(slope_of(&table) < 0);
	assert_true(table.drift_degrees == 1);
	block_table_done(&table);
}

/* A block that lacks a level tells nothing of the drift, which is taken out of it all the same. */
static void a_block_with_a_gap_is_told_anew(void **state)
{
	struct block_table table, whole;
	double slope;

	(void)state;
	fill(&whole, BLOCKS, LEVELS);
	assert_int_equal(block_table_init(&table, BLOCKS + 1, LEVELS), 0);
	for (size_t i = 0; i < (size_t)BLOCKS * LEVELS; i++) {
		table.logs[i] = whole.logs[i];
		table.places[i] = whole.places[i];
		table.measured[i % LEVELS] = true;
	}
	table.logs[block_table_at(&table, BLOCKS, 1)] = 7;
	table.places[block_table_at(&table, BLOCKS, 1)] = 12;
	slope = slope_of(&whole);
	assert_true(slope_of(&table) == slope);
	assert_near(table.logs[block_table_at(&table, BLOCKS, 1)],
		    7 + 0.014016691530514313 * (12 - 5.5));
	assert_true(isnan(table.logs[block_table_at(&table, BLOCKS, 0)]));
	block_table_done(&table);
	block_table_done(&whole);
}

/* ---- of a whole result ---- */

static void make_result(struct result *result)
{
	blocks_make(result, 1, LEVELS, BLOCKS);
	for (size_t i = 0; i < result->sample_count; i++) {
		size_t block = i / LEVELS, level = i % LEVELS;

		blocks_set(&result->samples[i], 1000 * figures[block][level]);
		result->samples[i].order = (size_t)places[block][level];
	}
}

static void assert_drift(const struct result *result, double expected)
{
	struct analysis analysis;
	const char *text = NULL;

	assert_int_equal(analysis_make(result, &analysis), 0);
	for (size_t i = 0; i < analysis.statement_count; i++)
		if (strcmp(analysis.statements[i].code, "drift") == 0)
			text = analysis.statements[i].text;
	assert_int_equal(analysis.comparison_count, 1);
	if (expected > 0) {
		assert_near(analysis.comparisons[0].drift, expected);
		assert_near(analysis.comparisons[0].contrasts[0].ratio, 1.0576961410941041);
		assert_true(analysis.comparisons[0].degrees == 5);
		assert_non_null(text);
		assert_string_equal(
			text, "Figures drifted over the run: from its first sample to its last "
			      "they became 20 % worse. That is taken out of the ratios between "
			      "levels, by each sample's place in the run (analysis of "
			      "covariance), and not out of means.");
	} else {
		assert_true(analysis.comparisons[0].drift == 0);
		assert_true(analysis.comparisons[0].degrees == 6);
		assert_null(text);
	}
	analysis_done(&analysis);
}

static void a_drift_is_told_where_blocks_stand_in_the_run(void **state)
{
	struct result result;

	(void)state;
	make_result(&result);
	assert_drift(&result, exp(-0.020126416262444647 * 11));
	result.definition.order = ORDER_GROUPED;
	assert_drift(&result, 0);
	result.definition.order = ORDER_INTERLEAVED;
	result.definition.imported = true;
	assert_drift(&result, 0);
	result.definition.imported = false;
	assert_int_equal(findings_add(&result.findings, FINDING_WARNING, "grouped_for_space", NULL,
				      NULL, "", "", "For want of space."),
			 0);
	assert_drift(&result, 0);
	result_done(&result);
}

/* Of two workloads: which drifted, and which most where both did. */
static void assert_drift_where(bool both, const char *second_name, const char *where)
{
	struct analysis analysis;
	struct result result;
	bool found = false;

	blocks_make(&result, 2, LEVELS, BLOCKS);
	for (size_t i = 0; i < result.sample_count; i++) {
		size_t block = i / (2 * LEVELS), level = i % LEVELS;
		bool second = i % (2 * LEVELS) >= LEVELS;
		double still = 1000 + 10 * (double)level + (block % 3 == 0 ? -1 : 1);

		result.samples[i].order = 2 * (size_t)places[block][level] + second;
		blocks_set(&result.samples[i], 1000 * (second ? figures[block][level]
						       : both ? sqrt(figures[block][level] * 1000)
							      : still));
	}
	blocks_call(&result, 1, second_name);
	assert_int_equal(analysis_make(&result, &analysis), 0);
	for (size_t i = 0; i < analysis.statement_count; i++)
		if (strcmp(analysis.statements[i].code, "drift") == 0) {
			assert_int_equal(strncmp(analysis.statements[i].text, where, strlen(where)),
					 0);
			found = true;
		}
	assert_true(found);
	analysis_done(&analysis);
	result_done(&result);
}

static void it_is_told_which_drifted(void **state)
{
	(void)state;
	assert_drift_where(false, "w1", "Figures drifted over the run in w1: from ");
	assert_drift_where(false, "b, c", "Figures drifted over the run in \"b, c\": from ");
	assert_drift_where(true, "w1",
			   "Figures drifted over the run in 2 of 2 comparisons, most in w1: from ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_are_those_of_an_analysis_of_covariance),
		cmocka_unit_test(pairs_of_unlike_spreads_pay_for_it),
		cmocka_unit_test(what_stands_still_is_left_alone),
		cmocka_unit_test(a_place_that_the_level_decides_is_left_alone),
		cmocka_unit_test(few_blocks_are_left_alone),
		cmocka_unit_test(a_block_with_a_gap_is_told_anew),
		cmocka_unit_test(a_drift_is_told_where_blocks_stand_in_the_run),
		cmocka_unit_test(it_is_told_which_drifted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
