/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_study_levels.c - which levels are highest in the published comparisons, and that nobody wins
 * by single figures. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/studies.h"
#include "engine/analysis/recommendation.h"

struct read_study {
	struct result result;
	struct analysis analysis;
};

static void load(const char *name, struct read_study *ret_study)
{
	struct error err = {0};

	result_init(&ret_study->result);
	if (study_result(study_find(name), &ret_study->result, &err) < 0)
		fail_msg("%s: %s %s", name, err.field, err.message);
	assert_int_equal(analysis_make(&ret_study->result, &ret_study->analysis), 0);
}

static void done(struct read_study *study)
{
	analysis_done(&study->analysis);
	result_done(&study->result);
}

static size_t find_workload(const struct result *result, const char *name)
{
	for (size_t w = 0; w < result->definition.workload_count; w++)
		if (strcmp(result->definition.workloads[w].name, name) == 0)
			return w;
	fail_msg("there is no %s", name);
	return 0;
}

/* Read off the table: levels whose printed IOPS are highest, or may be by their rounding. */
static const struct {
	const char *workload;
	int direction;
	size_t count, levels[3];
} highest[] = {
	{"General_IO", DIRECTION_READ, 1, {4}},	  {"General_IO", DIRECTION_WRITE, 1, {4}},
	{"Exchange", DIRECTION_READ, 1, {4}},	  {"Exchange", DIRECTION_WRITE, 1, {4}},
	{"Security_Onion_Ingest", 1, 1, {1}},	  {"Security_Onion_Search", 0, 1, {1}},
	{"Elastiflow", DIRECTION_WRITE, 1, {5}},  {"Trellix", DIRECTION_READ, 1, {5}},
	{"Trellix", DIRECTION_WRITE, 1, {5}},	  {"File_Server", DIRECTION_READ, 1, {4}},
	{"File_Server", DIRECTION_WRITE, 1, {4}}, {"VMware_Appliances", 0, 2, {4, 5}},
	{"VMware_Appliances", 1, 3, {2, 3, 4}},	  {"Mixed_VMs", DIRECTION_READ, 1, {5}},
	{"Mixed_VMs", DIRECTION_WRITE, 1, {5}},
};

static void the_highest_of_each_direction_are_named(void **state)
{
	struct read_study study;

	(void)state;
	load("volblocksize-mirrors", &study);
	assert_int_equal(study.analysis.comparison_count, 9);
	for (size_t i = 0; i < ARRAY_SIZE(highest); i++) {
		const struct direction_best *best =
			&study.analysis
				 .comparisons[find_workload(&study.result, highest[i].workload)]
				 .bests[highest[i].direction];

		if (!best->known || best->count != highest[i].count)
			fail_msg("%s, %d: %zu levels", highest[i].workload, highest[i].direction,
				 best->count);
		for (size_t k = 0; k < best->count; k++)
			assert_int_equal(best->levels[k], highest[i].levels[k]);
	}
	done(&study);
}

static void all_levels_stay(void **state)
{
	const struct recommendation *recommendation;
	struct read_study study;

	(void)state;
	load("volblocksize-mirrors", &study);
	for (size_t c = 0; c < 9; c++) {
		assert_int_equal(study.analysis.comparisons[c].measure, MEASURE_IOPS);
		assert_int_equal(study.analysis.comparisons[c].measured, 6);
	}
	recommendation = &study.analysis.recommendation;
	assert_int_equal(recommendation->kind, RECOMMENDATION_SINGLE);
	assert_int_equal(recommendation->set_count, 6);
	assert_true(recommendation->spread_assumed);
	/* nine workloads' pairs and those of the scores would be judged together */
	assert_int_equal(recommendation->repeats_needed,
			 contrasts_repeats(log(recommendation->levels[recommendation->next].lead),
					   RECOMMENDATION_SPREAD / 3, 6, 0.05 / 150));
	done(&study);
}

static void no_single_figure_wins(void **state)
{
	static const char *const names[] = {"diskspd", "stripe-unit", "volblocksize-mirrors",
					    "zvol-vs-file"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct read_study study;
		size_t pairs = 0;

		load(names[i], &study);
		for (size_t c = 0; c < study.analysis.comparison_count; c++) {
			const struct comparison *comparison = &study.analysis.comparisons[c];

			for (size_t k = 0; k < comparison->contrast_count; k++, pairs++)
				assert_int_equal(comparison->contrasts[k].verdict, VERDICT_NONE);
		}
		print_message("%s: %zu pairs, none judged, %s\n", names[i], pairs,
			      recommendation_kind_names[study.analysis.recommendation.kind]);
		assert_true(study.analysis.recommendation.kind == RECOMMENDATION_NONE ||
			    study.analysis.recommendation.kind == RECOMMENDATION_SINGLE);
		done(&study);
	}
}

/* Two runs of each tell 79 from 2,456 and 125 from 1,142: 31 and 9.1 times, as the study says. */
static void two_runs_show_thirty_times(void **state)
{
	static const double ratios[] = {31.09, 9.136};
	struct read_study study;

	(void)state;
	load("disk-vs-vsan", &study);
	for (size_t c = 0; c < 2; c++) {
		const struct contrast *pair = &study.analysis.comparisons[c].contrasts[0];

		assert_true(fabs(pair->ratio - ratios[c]) < 0.01);
		assert_true(pair->low > 6 && pair->low < pair->ratio);
		assert_int_equal(pair->verdict, VERDICT_DIFFERENT);
	}
	assert_int_equal(study.analysis.recommendation.kind, RECOMMENDATION_LEVEL);
	assert_int_equal(study.analysis.recommendation.leader, 1);
	done(&study);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_highest_of_each_direction_are_named),
		cmocka_unit_test(all_levels_stay),
		cmocka_unit_test(no_single_figure_wins),
		cmocka_unit_test(two_runs_show_thirty_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
