/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_comparisons.c - what is compared, by which measure, and what is highest; strange results. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/analysis/comparisons.h"
#include "tests/unit/engine/analysis/blocks_fixture.h"
#include "tests/unit/engine/analysis/told_fixture.h"

static void reoption(struct sample *sample, const char *options)
{
	workload_done(&sample->options);
	fixture_workload(&sample->options, options);
}

static void add_factor(struct definition *definition, const char *name, const char *first,
		       const char *second)
{
	struct factor *factors = realloc(definition->factors, (definition->factor_count + 1) *
								      sizeof(*definition->factors));

	assert_non_null(factors);
	definition->factors = factors;
	factors[definition->factor_count] = (struct factor){.name = fixture_text(name),
							    .kind = FACTOR_OPTION,
							    .option = option_find(name),
							    .level_count = 2,
							    .levels = calloc(2, sizeof(char *))};
	assert_non_null(factors[definition->factor_count].levels);
	factors[definition->factor_count].levels[0] = fixture_text(first);
	factors[definition->factor_count].levels[1] = fixture_text(second);
	definition->factor_count++;
}

static enum measure measured_by(const struct result *result)
{
	struct analysis analysis;
	enum measure measure;

	assert_int_equal(analysis_make(result, &analysis), 0);
	measure = analysis.comparisons[0].measure;
	analysis_done(&analysis);
	return measure;
}

static void comparisons_come_in_order(void **state)
{
	char title[ANALYSIS_TITLE_MAX];
	struct analysis analysis;
	struct result result;

	(void)state;
	blocks_define(&result, 2, 3, 2);
	add_factor(&result.definition, "iodepth", "1", "16");
	add_factor(&result.definition, "numjobs", "1", "4");
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_int_equal(analysis.comparison_count, 8);
	assert_int_equal(analysis.level_count, 3);
	assert_string_equal(analysis.axis, "volblocksize");
	assert_string_equal(analysis_level(&analysis, 2), "12K");
	assert_string_equal(analysis_title(&analysis, &analysis.comparisons[1], title),
			    "w0, iodepth=16, numjobs=1");
	assert_string_equal(analysis_title(&analysis, &analysis.comparisons[6], title),
			    "w1, iodepth=1, numjobs=4");
	for (size_t i = 0; i < 8; i++) {
		const struct comparison *comparison = &analysis.comparisons[i];

		assert_int_equal(comparison->workload, i / 4);
		assert_int_equal(comparison->measured, 0);
		assert_true(comparison->weight == 0);
		assert_int_equal(comparison->contrast_count, 0);
		assert_null(analysis_contrast(comparison, 0, 1));
	}
	assert_int_equal(analysis.recommendation.kind, RECOMMENDATION_NONE);
	analysis_done(&analysis);
	result_done(&result);
}

static void levels_come_by_size(void **state)
{
	static const char *const given[] = {"128K", "4K", "1M", "16K"};
	static const size_t expected[] = {1, 3, 0, 2};
	struct analysis analysis;
	struct result result;

	(void)state;
	blocks_define(&result, 1, 4, 1);
	for (size_t i = 0; i < 4; i++) {
		free(result.definition.factors[0].levels[i]);
		result.definition.factors[0].levels[i] = fixture_text(given[i]);
	}
	assert_int_equal(analysis_make(&result, &analysis), 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(analysis.order[i], expected[i]);
	analysis_done(&analysis);
	free(result.definition.factors[0].levels[3]);
	result.definition.factors[0].levels[3] = fixture_text("lz4");
	assert_int_equal(analysis_make(&result, &analysis), 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(analysis.order[i], i);
	analysis_done(&analysis);
	result_done(&result);
}

static void the_measure_suits_the_samples(void **state)
{
	struct result result;

	(void)state;
	blocks_make(&result, 1, 2, 2);
	assert_int_equal(measured_by(&result), MEASURE_IOPS);
	/* the request size differs between the levels */
	reoption(&result.samples[1], "rw=randread bs=8k size=64m");
	assert_int_equal(measured_by(&result), MEASURE_BANDWIDTH);
	reoption(&result.samples[1], "rw=randread bssplit=4k/50:8k/50 size=64m");
	assert_int_equal(measured_by(&result), MEASURE_BANDWIDTH);
	/* rates say what is done */
	for (size_t i = 0; i < result.sample_count; i++) {
		reoption(&result.samples[i], "rw=randread bs=4k size=64m rate_iops=100");
		free(result.samples[i].directions[DIRECTION_READ].latency);
		result.samples[i].directions[DIRECTION_READ].latency = fixture_histogram(50, 1000);
	}
	assert_int_equal(measured_by(&result), MEASURE_LATENCY);
	/* but not where one direction is free */
	reoption(&result.samples[3], "rw=randrw bs=4k size=64m rate_iops=100,");
	assert_int_equal(measured_by(&result), MEASURE_IOPS);
	result_done(&result);
}

static void request_sizes_as_a_factor_are_judged_by_bandwidth(void **state)
{
	struct analysis analysis;
	struct result result;

	(void)state;
	blocks_define(&result, 1, 0, 1);
	add_factor(&result.definition, "bs", "4k", "8k");
	blocks_set(blocks_add(&result, 0, 0, 1), 1000);
	blocks_set(blocks_add(&result, 0, 1, 1), 900);
	result.samples[1].directions[DIRECTION_READ].bytes = 900 * 8192;
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_int_equal(analysis.comparisons[0].measure, MEASURE_BANDWIDTH);
	assert_int_equal(analysis.comparisons[0].best, 1);
	assert_true(analysis.comparisons[0].figures[1].value.mean == 900 * 8192);
	assert_int_equal(analysis.comparisons[0].bests[DIRECTION_READ].count, 1);
	assert_int_equal(analysis.comparisons[0].bests[DIRECTION_READ].levels[0], 1);
	assert_false(analysis.comparisons[0].bests[DIRECTION_WRITE].known);
	analysis_done(&analysis);
	result_done(&result);
}

/* Of a latency less is better, and the ratio says how much better. */
static void the_lower_latency_is_the_better(void **state)
{
	struct analysis analysis;
	struct result result;

	(void)state;
	blocks_make(&result, 1, 2, 3);
	for (size_t i = 0; i < result.sample_count; i++) {
		reoption(&result.samples[i], "rw=randread bs=4k size=64m rate_iops=100");
		result.samples[i].directions[DIRECTION_READ].latency =
			fixture_histogram(1000, i % 2 == 0 ? 100000 : 50000);
	}
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_int_equal(analysis.comparisons[0].measure, MEASURE_LATENCY);
	assert_int_equal(analysis.comparisons[0].best, 1);
	assert_true(fabs(analysis.comparisons[0].figures[0].to_best - 0.5) < 0.05);
	assert_true(fabs(analysis.comparisons[0].contrasts[0].ratio - 2) < 0.2);
	assert_int_equal(analysis.comparisons[0].contrasts[0].verdict, VERDICT_DIFFERENT);
	assert_false(analysis.comparisons[0].figures[0].in_set);
	assert_true(analysis.comparisons[0].figures[1].in_set);
	assert_true(analysis_tops(&analysis.comparisons[0], 1));
	assert_false(analysis_tops(&analysis.comparisons[0], 0));
	/* digits that touch leave nothing open, those that overlap do */
	analysis.comparisons[0].figures[1].told_high = 75000;
	analysis.comparisons[0].figures[0].told_low = 75000;
	assert_false(analysis_tops(&analysis.comparisons[0], 0));
	analysis.comparisons[0].figures[0].told_low = 74000;
	assert_true(analysis_tops(&analysis.comparisons[0], 0));
	/* a stall that held the schedule up counts from the intended start */
	result.samples[1].directions[DIRECTION_READ].intended = fixture_histogram(1000, 5000000);
	analysis_done(&analysis);
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_int_equal(analysis.comparisons[0].best, 0);
	analysis_done(&analysis);
	result_done(&result);
}

static struct sample *add_phase(struct result *result, size_t level, int operation, uint64_t ops)
{
	struct sample *sample = blocks_add(result, 0, level, 1);
	struct file_result *files;

	reoption(sample, "metadata=create,delete nrfiles=100 filesize=4k");
	files = calloc(2, sizeof(*files));
	assert_non_null(files);
	sample->file_count = 2;
	sample->files = files;
	files[0] = (struct file_result){.operation = operation, .ops = ops, .seconds = 2};
	files[1] = (struct file_result){
		.operation = FILE_DELETE, .told_ops_per_s = told_exactly(77), .ops = 0};
	return sample;
}

static void phases_of_files_are_compared_one_by_one(void **state)
{
	char title[ANALYSIS_TITLE_MAX];
	struct analysis analysis;
	struct result result;

	(void)state;
	blocks_define(&result, 1, 2, 1);
	(void)add_phase(&result, 0, FILE_CREATE, 1000);
	(void)add_phase(&result, 1, FILE_CREATE, 3000);
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_int_equal(analysis.comparison_count, 2);
	assert_int_equal(analysis.comparisons[0].measure, MEASURE_FILES);
	assert_string_equal(analysis_title(&analysis, &analysis.comparisons[0], title),
			    "w0, sequential create");
	assert_int_equal(analysis.comparisons[0].best, 1);
	assert_true(analysis.comparisons[0].figures[1].value.mean == 1500);
	assert_true(analysis.comparisons[1].figures[0].value.mean == 77);
	assert_true(analysis.comparisons[0].weight == 0.5);
	assert_false(analysis.comparisons[0].bests[DIRECTION_READ].known);
	analysis_done(&analysis);
	result_done(&result);
}

/* What was not told is no figure: a level without one was not measured, and halves are no sums. */
static void what_is_not_known_is_not_compared(void **state)
{
	struct analysis analysis;
	struct result result;

	(void)state;
	blocks_define(&result, 1, 3, 1);
	for (size_t i = 0; i < 3; i++)
		(void)blocks_add(&result, 0, i, 1);
	for (size_t i = 0; i < 3; i++) {
		struct sample *sample = &result.samples[i];

		sample->source = sample_source_new("volbench.table/1", NULL);
		assert_non_null(sample->source);
		workload_done(&sample->options);
		told_options(&sample->options, i == 2 ? "rw=randrw" : "");
	}
	told_rates(&result.samples[0], DIRECTION_READ, "10.0k", NULL);
	told_rates(&result.samples[2], DIRECTION_READ, "10.0k", NULL); /* and the writes? */
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_int_equal(analysis.comparisons[0].measure, MEASURE_IOPS);
	assert_int_equal(analysis.comparisons[0].measured, 1);
	assert_int_equal(analysis.comparisons[0].figures[1].samples, 0);
	assert_true(analysis.comparisons[0].figures[1].to_best == 0);
	assert_false(analysis.comparisons[0].figures[1].in_set);
	assert_int_equal(analysis.comparisons[0].figures[2].samples, 0);
	assert_true(analysis.comparisons[0].figures[0].told_low == 9950);
	assert_true(analysis.comparisons[0].figures[0].told_high == 10050);
	assert_int_equal(analysis.comparisons[0].contrast_count, 0);
	/* the highest read is known all the same */
	assert_int_equal(analysis.comparisons[0].bests[DIRECTION_READ].count, 2);
	assert_int_equal(analysis.recommendation.kind, RECOMMENDATION_NONE);
	analysis_done(&analysis);
	result_done(&result);
}

static void bandwidth_serves_where_iops_are_not_told(void **state)
{
	struct analysis analysis;
	struct result result;

	(void)state;
	blocks_define(&result, 1, 2, 1);
	for (size_t i = 0; i < 2; i++) {
		struct sample *sample = blocks_add(&result, 0, i, 1);

		sample->source = sample_source_new("dd", NULL);
		assert_non_null(sample->source);
		workload_done(&sample->options);
		told_options(&sample->options, "");
		told_rates(sample, DIRECTION_WRITE, i == 0 ? "100" : NULL, i == 0 ? "300" : "400");
	}
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_int_equal(analysis.comparisons[0].measure, MEASURE_BANDWIDTH);
	assert_int_equal(analysis.comparisons[0].best, 1);
	assert_true(fabs(analysis.comparisons[0].figures[0].to_best - 0.75) < 1e-12);
	analysis_done(&analysis);
	result_done(&result);
}

/* A level that did nothing is worst, and has no logarithm. */
static void nothing_done_is_a_figure(void **state)
{
	struct analysis analysis;
	struct result result;

	(void)state;
	blocks_make(&result, 1, 3, 3);
	for (size_t i = 0; i < result.sample_count; i++)
		blocks_set(&result.samples[i], i % 3 == 1 ? 0 : 1000 + (double)(i * i % 7));
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_int_equal(analysis.comparisons[0].measured, 3);
	assert_true(analysis.comparisons[0].figures[1].value.mean == 0);
	assert_true(analysis.comparisons[0].figures[1].to_best == 0);
	assert_int_equal(analysis.comparisons[0].contrast_count, 3);
	assert_int_equal(analysis_contrast(&analysis.comparisons[0], 1, 0)->verdict, VERDICT_NONE);
	assert_true(analysis_contrast(&analysis.comparisons[0], 2, 0)->interval);
	assert_false(analysis.recommendation.levels[1].complete);
	assert_true(analysis.recommendation.levels[0].complete);
	analysis_done(&analysis);
	result_done(&result);
}

static void all_that_did_nothing(void **state)
{
	struct analysis analysis;
	struct result result;

	(void)state;
	blocks_make(&result, 2, 2, 2);
	for (size_t i = 0; i < result.sample_count; i++)
		blocks_set(&result.samples[i], 0);
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_int_equal(analysis.recommendation.kind, RECOMMENDATION_NONE);
	assert_false(analysis.comparisons[0].bests[DIRECTION_READ].known);
	analysis_done(&analysis);
	result_done(&result);
}

static void without_factors_there_is_one_level(void **state)
{
	struct analysis analysis;
	struct result result;

	(void)state;
	blocks_make(&result, 2, 0, 3);
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_int_equal(analysis.comparison_count, 2);
	assert_string_equal(analysis.axis, "");
	assert_string_equal(analysis_level(&analysis, 0), "");
	assert_int_equal(analysis.comparisons[0].figures[0].samples, 3);
	assert_int_equal(analysis.comparisons[0].contrast_count, 0);
	assert_int_equal(analysis.recommendation.kind, RECOMMENDATION_NONE);
	analysis_done(&analysis);
	result_done(&result);
}

/* 64 levels, and 100 repeats. */
static void the_largest_are_analysed(void **state)
{
	struct analysis analysis;
	struct result result;

	(void)state;
	blocks_make(&result, 2, DEFINITION_LEVELS_MAX, 3);
	for (size_t i = 0; i < result.sample_count; i++)
		blocks_set(&result.samples[i],
			   1000000 + (double)(i * 7919 % 4999) + 10000 * (double)(i % 64));
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_int_equal(analysis.comparisons[0].contrast_count, 64 * 63 / 2);
	assert_int_equal(analysis.recommendation.leader, 63);
	for (size_t a = 0; a < 64; a++)
		for (size_t b = 0; b < 64; b++) {
			const struct contrast *pair =
				analysis_contrast(&analysis.comparisons[1], a, b);

			assert_true(a == b ? !pair
					   : pair && pair->a == (a < b ? a : b) &&
						     pair->b == (a < b ? b : a));
		}
	analysis_done(&analysis);
	result_done(&result);

	blocks_make(&result, 1, 3, DEFINITION_REPEATS_MAX);
	for (size_t i = 0; i < result.sample_count; i++)
		blocks_set(&result.samples[i], 1000000 + (double)(i * 7919 % 4999));
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_int_equal(analysis.comparisons[0].blocks, DEFINITION_REPEATS_MAX);
	assert_true(analysis.comparisons[0].degrees == 2 * (DEFINITION_REPEATS_MAX - 1));
	analysis_done(&analysis);
	result_done(&result);
}

/* Documents that no run makes: repeats of 0 and of billions, two samples of one repeat. */
static void strange_repeats_are_left_out(void **state)
{
	struct analysis analysis;
	struct result result;

	(void)state;
	blocks_make(&result, 1, 2, 3);
	for (size_t i = 0; i < result.sample_count; i++)
		blocks_set(&result.samples[i], 1000 + (double)i);
	blocks_set(blocks_add(&result, 0, 0, 0), 5);
	blocks_set(blocks_add(&result, 0, 0, 4000000000u), 5);
	blocks_set(blocks_add(&result, 0, 0, 2), 5);
	assert_int_equal(analysis_make(&result, &analysis), 0);
	assert_int_equal(analysis.comparisons[0].blocks, 3);
	assert_int_equal(analysis.comparisons[0].contrasts[0].blocks, 3);
	assert_true(fabs(analysis.comparisons[0].contrasts[0].ratio -
			 cbrt(1001.0 * 1003 * 1005 / (1000.0 * 1002 * 1004))) < 1e-12);
	analysis_done(&analysis);
	result_done(&result);
}

static void factors_without_levels_are_damage(void **state)
{
	struct analysis analysis;
	struct result result;

	(void)state;
	blocks_define(&result, 1, 2, 1);
	result.definition.factors[0].level_count = 0;
	assert_int_equal(analysis_make(&result, &analysis), -EOVERFLOW);
	result.definition.factors[0].level_count = 2;
	result_done(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comparisons_come_in_order),
		cmocka_unit_test(levels_come_by_size),
		cmocka_unit_test(the_measure_suits_the_samples),
		cmocka_unit_test(request_sizes_as_a_factor_are_judged_by_bandwidth),
		cmocka_unit_test(the_lower_latency_is_the_better),
		cmocka_unit_test(phases_of_files_are_compared_one_by_one),
		cmocka_unit_test(what_is_not_known_is_not_compared),
		cmocka_unit_test(bandwidth_serves_where_iops_are_not_told),
		cmocka_unit_test(nothing_done_is_a_figure),
		cmocka_unit_test(all_that_did_nothing),
		cmocka_unit_test(without_factors_there_is_one_level),
		cmocka_unit_test(the_largest_are_analysed),
		cmocka_unit_test(strange_repeats_are_left_out),
		cmocka_unit_test(factors_without_levels_are_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
