/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_recommendation.c - leader, set, losses and steps over several workloads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/analysis/recommendation.h"
#include "tests/unit/engine/analysis/blocks_fixture.h"

/* Small, the same at every call, and not along any level. */
static double noise(size_t i)
{
	return ((double)(i * 2654435761u % 1000) / 1000 - 0.5) / 100;
}

/* figures: of workload x level; the sample's order is repeat, workload, level. */
static void set_figures(struct result *result, size_t workloads, size_t levels,
			const double *figures, double spread)
{
	for (size_t i = 0; i < result->sample_count; i++)
		blocks_set(&result->samples[i],
			   figures[i % (workloads * levels)] * exp(spread * noise(i)));
}

static void one_level_leads(void **state)
{
	static const double figures[] = {100000, 110000, 130000, 200000, 210000, 190000};
	/* each workload's ratios to its geometric mean, multiplied, square root */
	static const double expected[] = {141421.356, 151986.842, 157162.336};
	const struct recommendation *recommendation;
	struct analysis analysis;
	struct result result;
	double mean = cbrt(expected[0] * expected[1] * expected[2]);

	(void)state;
	blocks_make(&result, 2, 3, 5);
	set_figures(&result, 2, 3, figures, 0.1);
	assert_int_equal(analysis_make(&result, &analysis), 0);
	recommendation = &analysis.recommendation;
	assert_int_equal(recommendation->kind, RECOMMENDATION_LEVEL);
	assert_int_equal(recommendation->leader, 2);
	assert_int_equal(recommendation->next, 2);
	assert_int_equal(recommendation->repeats_needed, 0);
	assert_int_equal(recommendation->set_count, 1);
	assert_int_equal(recommendation->set[0], 2);
	assert_int_equal(recommendation->blocks, 5);
	for (size_t l = 0; l < 3; l++) {
		const struct recommended_level *level = &recommendation->levels[l];

		assert_true(level->complete && level->interval);
		assert_true(fabs(level->score / (expected[l] / mean) - 1) < 0.001);
		assert_true(level->low < level->score && level->score < level->high);
		assert_true(fabs(level->to_leader - expected[l] / expected[2]) < 0.001);
		assert_true(level->in_set == (l == 2));
		assert_true(fabs(level->lead - expected[2] / expected[l]) < 0.001);
		assert_true(l == 2 || (level->lead_low > 1 && level->lead_low < level->lead &&
				       level->lead < level->lead_high && level->p_holm < 0.05));
	}
	/* 130 beside 100 is the most that the first loses; the leader loses 190 beside 210 */
	assert_true(fabs(recommendation->levels[0].worst - 100.0 / 130) < 0.001);
	assert_int_equal(recommendation->levels[0].worst_comparison, 0);
	assert_true(fabs(recommendation->levels[2].worst - 190.0 / 210) < 0.001);
	assert_int_equal(recommendation->levels[2].worst_comparison, 1);
	analysis_done(&analysis);
	result_done(&result);
}

static void steps_are_between_neighbours_as_shown(void **state)
{
	static const double figures[] = {100000, 110000, 130000, 200000, 210000, 190000};
	const struct trade_off *steps;
	struct analysis analysis;
	struct result result;

	(void)state;
	blocks_make(&result, 2, 3, 5);
	set_figures(&result, 2, 3, figures, 0.1);
	/* the last level becomes the smallest */
	free(result.definition.factors[0].levels[2]);
	result.definition.factors[0].levels[2] = fixture_text("2K");
	for (size_t i = 2; i < result.sample_count; i += 3) {
		free(result.samples[i].levels[0].value);
		result.samples[i].levels[0].value = fixture_text("2K");
	}
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_int_equal(analysis.recommendation.trade_off_count, 2);
	steps = analysis.recommendation.trade_offs;
	assert_true(steps[0].from == 2 && steps[0].to == 0);
	assert_true(steps[1].from == 0 && steps[1].to == 1);
	assert_true(steps[0].better == 1 && steps[0].worse == 1 && steps[0].open == 0);
	assert_true(fabs(steps[0].most_won - 200.0 / 190) < 0.001 && steps[0].won == 1);
	assert_true(fabs(steps[0].most_lost - 100.0 / 130) < 0.001 && steps[0].lost == 0);
	assert_true(fabs(steps[0].ratio - sqrt(100.0 * 200 / 130 / 190)) < 0.001);
	assert_true(steps[1].better == 2 && steps[1].most_lost > 1);
	analysis_done(&analysis);
	result_done(&result);
}

static void weights_count(void **state)
{
	static const double figures[] = {100000, 120000, 120000, 100000};
	struct analysis analysis;
	struct result result;

	(void)state;
	blocks_make(&result, 2, 2, 5);
	set_figures(&result, 2, 2, figures, 0.1);
	result.definition.workloads[1].weight = 3;
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_int_equal(analysis.recommendation.leader, 0);
	assert_int_equal(analysis.recommendation.kind, RECOMMENDATION_LEVEL);
	/* (1.2^3 / 1.2) ^ (1/4) */
	assert_true(fabs(analysis.recommendation.levels[1].lead - sqrt(1.2)) < 0.002);
	analysis_done(&analysis);
	result.definition.workloads[1].weight = 0.25;
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_int_equal(analysis.recommendation.leader, 1);
	analysis_done(&analysis);
	/* of the same weight: what one wins the other loses */
	result.definition.workloads[1].weight = 1;
	for (size_t i = 0; i < result.sample_count; i++)
		blocks_set(&result.samples[i],
			   figures[i % 4] * (i % 4 == 1 ? 1 + (i % 8 == 1 ? 0.01 : -0.01) : 1));
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_int_equal(analysis.recommendation.kind, RECOMMENDATION_SET);
	assert_int_equal(analysis.recommendation.set_count, 2);
	analysis_done(&analysis);
	result_done(&result);
}

static void what_is_not_told_apart_stays(void **state)
{
	static const double figures[] = {100000, 119900, 120000, 200000, 240000, 240100};
	const struct recommendation *recommendation;
	struct analysis analysis;
	struct result result;

	(void)state;
	blocks_make(&result, 2, 3, 5);
	set_figures(&result, 2, 3, figures, 1);
	assert_int_equal(analysis_make(&result, &analysis), 0);
	recommendation = &analysis.recommendation;
	assert_int_equal(recommendation->kind, RECOMMENDATION_SET);
	assert_int_equal(recommendation->set_count, 2);
	assert_int_equal(recommendation->set[0], 1);
	assert_int_equal(recommendation->set[1], 2);
	assert_true(recommendation->next != recommendation->leader && recommendation->next > 0);
	assert_true(recommendation->levels[recommendation->next].p_holm > 0.05);
	assert_true(recommendation->spread > 0 && !recommendation->spread_assumed);
	analysis_done(&analysis);
	result_done(&result);
}

/* How many repeats would do is what the difference and the spread say. */
static void more_repeats_would_tell(void **state)
{
	static const double figures[] = {100000, 100400};
	struct analysis analysis;
	struct result result;
	unsigned int needed;

	(void)state;
	blocks_make(&result, 1, 2, 5);
	for (size_t i = 0; i < result.sample_count; i++) /* differences of -1, 1, -1, 1, 0 % */
		blocks_set(&result.samples[i], figures[i % 2] * (1 + (i % 2 == 0 || i == 9 ? 0
								      : i % 4 == 1	   ? -0.01
										   : 0.01)));
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_int_equal(analysis.recommendation.kind, RECOMMENDATION_SET);
	needed = analysis.recommendation.repeats_needed;
	assert_true(needed > 40 && needed <= DEFINITION_REPEATS_MAX);
	assert_int_equal(needed, contrasts_repeats(log(analysis.recommendation.levels[0].lead),
						   analysis.recommendation.spread, 2, 0.05));
	analysis_done(&analysis);
	result_done(&result);
}

static void of_single_samples_all_stay(void **state)
{
	static const double figures[] = {100000, 110000, 150000, 200000, 210000, 290000};
	const struct recommendation *recommendation;
	struct analysis analysis;
	struct result result;

	(void)state;
	blocks_make(&result, 2, 3, 1);
	set_figures(&result, 2, 3, figures, 0);
	assert_int_equal(analysis_make(&result, &analysis), 0);
	recommendation = &analysis.recommendation;
	assert_int_equal(recommendation->kind, RECOMMENDATION_SINGLE);
	assert_int_equal(recommendation->set_count, 3);
	assert_int_equal(recommendation->leader, 2);
	assert_int_equal(recommendation->next, 1);
	assert_int_equal(recommendation->blocks, 1);
	assert_true(recommendation->spread_assumed);
	assert_true(fabs(recommendation->spread - RECOMMENDATION_SPREAD / sqrt(2)) < 1e-12);
	assert_int_equal(recommendation->repeats_needed, 2);
	for (size_t l = 0; l < 3; l++) {
		assert_true(recommendation->levels[l].in_set);
		assert_false(recommendation->levels[l].interval);
		assert_true(recommendation->levels[l].p_holm == 1);
	}
	assert_true(recommendation->trade_offs[1].open == 2);
	analysis_done(&analysis);
	result_done(&result);
}

/* A run that ended in its third block: a level and a workload short there. */
static void an_unfinished_block_is_left_out(void **state)
{
	static const double figures[] = {100000, 110000, 130000, 200000, 210000, 290000};
	struct analysis analysis;
	struct result result;

	(void)state;
	blocks_make(&result, 2, 3, 3);
	set_figures(&result, 2, 3, figures, 0.1);
	for (size_t i = 14; i < 18; i++)
		sample_done(&result.samples[i]);
	result.sample_count = 14;
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_int_equal(analysis.comparisons[0].blocks, 2);
	assert_int_equal(analysis.recommendation.blocks, 2);
	assert_int_equal(analysis.recommendation.kind, RECOMMENDATION_LEVEL);
	assert_int_equal(analysis.recommendation.leader, 2);
	analysis_done(&analysis);
	result_done(&result);
}

/* One that ended in its first: what was measured nowhere says nothing; a level that is missing in
 * one workload takes no part. */
static void a_level_that_is_missing_takes_no_part(void **state)
{
	static const double figures[] = {100000, 110000, 130000, 200000, 210000, 290000, 1, 1, 1};
	struct analysis analysis;
	struct result result;

	(void)state;
	blocks_make(&result, 3, 3, 1);
	set_figures(&result, 3, 3, figures, 0);
	for (size_t i = 5; i < 9; i++)
		sample_done(&result.samples[i]);
	result.sample_count = 5;
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_int_equal(analysis.recommendation.kind, RECOMMENDATION_SINGLE);
	assert_false(analysis.recommendation.levels[2].complete);
	assert_int_equal(analysis.recommendation.set_count, 2);
	assert_int_equal(analysis.recommendation.leader, 1);
	assert_int_equal(analysis.recommendation.trade_off_count, 1);
	analysis_done(&analysis);
	/* one level of the second workload compares with none: the first alone is left */
	sample_done(&result.samples[4]);
	result.sample_count = 4;
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_int_equal(analysis.recommendation.kind, RECOMMENDATION_SINGLE);
	assert_int_equal(analysis.recommendation.set_count, 3);
	assert_int_equal(analysis.recommendation.leader, 2);
	analysis_done(&analysis);
	/* one level of one workload: nothing to choose between */
	for (size_t i = 1; i < 4; i++)
		sample_done(&result.samples[i]);
	result.sample_count = 1;
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_int_equal(analysis.recommendation.kind, RECOMMENDATION_NONE);
	analysis_done(&analysis);
	result_done(&result);
}

/* Blocks that are whole in no two workloads at once: scores from the means, nothing shown. */
static void without_whole_blocks_nothing_is_shown(void **state)
{
	struct analysis analysis;
	struct result result;

	(void)state;
	blocks_define(&result, 2, 2, 4);
	for (unsigned int r = 1; r <= 4; r++)
		for (size_t l = 0; l < 2; l++)
			blocks_set(blocks_add(&result, r % 2, l, r),
				   100000 + 10000 * (double)l + 100 * (double)(r * r));
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_int_equal(analysis.recommendation.kind, RECOMMENDATION_SINGLE);
	assert_int_equal(analysis.recommendation.leader, 1);
	assert_true(analysis.recommendation.levels[0].to_leader < 0.92);
	assert_false(analysis.recommendation.levels[0].interval);
	analysis_done(&analysis);
	result_done(&result);
}

/* With one workload its pairs are those of the scores: one report, one answer. */
static void one_comparison_says_it_once(void **state)
{
	static const double figures[] = {100000, 101000, 102500, 99000};
	struct analysis analysis;
	struct result result;

	(void)state;
	blocks_make(&result, 1, 4, 5);
	set_figures(&result, 1, 4, figures, 1);
	assert_int_equal(analysis_make(&result, &analysis), 0);
	for (size_t l = 0; l < 4; l++) {
		const struct recommended_level *level = &analysis.recommendation.levels[l];
		const struct contrast *pair = analysis_contrast(&analysis.comparisons[0], l,
								analysis.recommendation.leader);

		if (!pair)
			continue;
		assert_true(level->p_holm == pair->p_holm);
		assert_true(level->in_set == (pair->verdict != VERDICT_DIFFERENT));
		assert_true(level->in_set == analysis.comparisons[0].figures[l].in_set);
	}
	analysis_done(&analysis);
	result_done(&result);
}

/* Of a run that was interrupted in a repeat, the leader is who leads in all of them. */
static void figures_outside_whole_blocks_count(void **state)
{
	struct analysis analysis;
	struct result result;

	(void)state;
	blocks_make(&result, 1, 3, 4);
	for (size_t i = 0; i < result.sample_count; i++)
		blocks_set(&result.samples[i], i % 3 == 2   ? 80000
					       : i == 0	    ? 102000
					       : i % 3 == 0 ? 100000 + 10 * (double)i
							    : 101000 - 10 * (double)i);
	/* the last level has the first repeat alone, in which the first level was ahead */
	for (size_t i = 5; i < result.sample_count; i += 3)
		sample_done(&result.samples[i]);
	for (size_t i = 3, at = 3; i < result.sample_count; i++)
		if (i % 3 != 2)
			result.samples[at++] = result.samples[i];
	result.sample_count = 9;
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_int_equal(analysis.recommendation.leader, 1);
	assert_true(fabs(analysis.recommendation.levels[0].lead -
			 1 / analysis_contrast(&analysis.comparisons[0], 0, 1)->ratio) < 1e-9 ||
		    fabs(analysis.recommendation.levels[0].lead -
			 analysis_contrast(&analysis.comparisons[0], 0, 1)->ratio) < 1e-9);
	assert_true(analysis.recommendation.levels[0].lead > 1);
	assert_true(fabs(analysis.recommendation.levels[0].lead -
			 analysis.recommendation.levels[1].score /
				 analysis.recommendation.levels[0].score) < 1e-9);
	analysis_done(&analysis);
	result_done(&result);
}

/* Repeats that are ended by what they show, and rounding, are in the interval of the score, too. */
static void intervals_of_scores_are_widened(void **state)
{
	static const double figures[] = {100000, 101000, 102500, 99000};
	struct analysis fixed, ended;
	struct result result;
	double narrow, wide;

	(void)state;
	blocks_make(&result, 2, 2, 5);
	set_figures(&result, 2, 2, figures, 1);
	result.definition.repeats = 30;
	assert_int_equal(analysis_make(&result, &fixed), 0);
	result.definition.repeats_min = 5;
	result.definition.until_ci_percent = 1;
	assert_int_equal(analysis_make(&result, &ended), 0);
	for (size_t l = 0; l < 2; l++) {
		narrow = log(fixed.recommendation.levels[l].high /
			     fixed.recommendation.levels[l].low);
		wide = log(ended.recommendation.levels[l].high /
			   ended.recommendation.levels[l].low);
		assert_true(narrow > 0 && fabs(wide / narrow - 1.125) < 1e-9);
	}
	analysis_done(&ended);
	analysis_done(&fixed);
	result_done(&result);
}

static void lie_on_zfs(struct sample *sample, const char *dataset, uint64_t size, uint64_t written,
		       uint64_t pool)
{
	sample->zfs = calloc(1, sizeof(*sample->zfs));
	assert_non_null(sample->zfs);
	sample_zfs_init(sample->zfs);
	(void)snprintf(sample->zfs->dataset, sizeof(sample->zfs->dataset), "%s", dataset);
	sample->zfs->size_bytes = size;
	sample->zfs->written_bytes = written;
	sample->zfs->pool = (struct zfs_pool_delta){
		.known = true, .written_bytes = pool, .asked_written_bytes = 1000};
	sample->directions[DIRECTION_WRITE].ios = 1;
	sample->directions[DIRECTION_WRITE].bytes = 1000;
}

static void costs_are_told_where_known(void **state)
{
	struct analysis analysis;
	struct result result;

	(void)state;
	blocks_make(&result, 1, 2, 2);
	result.definition.target_count = 1;
	result.definition.targets = calloc(1, sizeof(*result.definition.targets));
	assert_non_null(result.definition.targets);
	result.definition.targets[0].kind = TARGET_ZVOL;
	lie_on_zfs(&result.samples[0], "tank/a", 1000, 1500, 4000);
	lie_on_zfs(&result.samples[2], "tank/a", 1000, 9999, 6000);
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_true(fabs(analysis.recommendation.levels[0].write_amplification - 5) < 1e-9);
	assert_true(fabs(analysis.recommendation.levels[0].space - 1.5) < 1e-9);
	assert_true(analysis.recommendation.levels[1].write_amplification == 0);
	assert_true(analysis.recommendation.levels[1].space == 0);
	analysis_done(&analysis);
	result_done(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_level_leads),
		cmocka_unit_test(steps_are_between_neighbours_as_shown),
		cmocka_unit_test(weights_count),
		cmocka_unit_test(what_is_not_told_apart_stays),
		cmocka_unit_test(more_repeats_would_tell),
		cmocka_unit_test(of_single_samples_all_stay),
		cmocka_unit_test(an_unfinished_block_is_left_out),
		cmocka_unit_test(a_level_that_is_missing_takes_no_part),
		cmocka_unit_test(without_whole_blocks_nothing_is_shown),
		cmocka_unit_test(one_comparison_says_it_once),
		cmocka_unit_test(figures_outside_whole_blocks_count),
		cmocka_unit_test(intervals_of_scores_are_widened),
		cmocka_unit_test(costs_are_told_where_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
