/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_analysis.c - volbench.analysis/1: every figure under its name, and what is not known absent.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "server/codec/analysis.h"
#include "server/codec/analysis_text.h"
#include "server/codec/json.h"
#include "tests/unit/server/codec/fixture.h"

/* Two levels, shown the other way round, and a second factor. */
struct made {
	struct result result;
	struct analysis analysis;
	struct comparison comparison;
	struct comparison_level figures[2];
	struct contrast contrast;
	struct recommended_level levels[2];
	struct trade_off step;
	struct statement statement;
	char text[16];
	size_t order[2], set[1], place[2], highest[2];
};

static void start_factor(struct factor *factor, const char *name, const char *first,
			 const char *second)
{
	factor->name = fixture_text(name);
	factor->level_count = 2;
	factor->levels = calloc(2, sizeof(*factor->levels));
	assert_non_null(factor->levels);
	factor->levels[0] = fixture_text(first);
	factor->levels[1] = fixture_text(second);
}

static void start_definition(struct definition *definition)
{
	definition->name = fixture_text("sizes");
	definition->factor_count = 2;
	definition->factors = calloc(2, sizeof(*definition->factors));
	definition->workload_count = 1;
	definition->workloads = calloc(1, sizeof(*definition->workloads));
	assert_non_null(definition->factors);
	assert_non_null(definition->workloads);
	start_factor(&definition->factors[0], "bs", "64k", "4k");
	start_factor(&definition->factors[1], "iodepth", "1", "16");
	workload_init(&definition->workloads[0]);
	definition->workloads[0].name = fixture_text("Mail");
}

static void start(struct made *made)
{
	*made = (struct made){.order = {1, 0}, .place = {0, 1}, .highest = {0, 1}};
	result_init(&made->result);
	(void)snprintf(made->result.id, sizeof(made->result.id), "20261130-120000-abcdef");
	made->result.state = RUN_DONE;
	start_definition(&made->result.definition);
	made->figures[0] = (struct comparison_level){
		.samples = 3,
		.value = {.count = 3, .mean = 200, .low = 190, .high = 210, .interval = true},
		.told_low = 200,
		.told_high = 200,
		.to_best = 1,
		.in_set = true,
	};
	made->figures[1] = (struct comparison_level){.samples = 1,
						     .value = {.count = 1, .mean = 100},
						     .told_low = 95,
						     .told_high = 105,
						     .to_best = 0.5};
	made->contrast = (struct contrast){.b = 1,
					   .blocks = 3,
					   .ratio = 0.5,
					   .interval = true,
					   .low = 0.4,
					   .high = 0.6,
					   .p = 0.01,
					   .p_holm = 0.02,
					   .degrees = 2,
					   .detectable = INFINITY,
					   .paired = true,
					   .verdict = VERDICT_DIFFERENT};
	made->comparison = (struct comparison){
		.levels = made->place,
		.measure = MEASURE_BANDWIDTH,
		.weight = 1,
		.figures = made->figures,
		.measured = 2,
		.blocks = 3,
		.residual = 0.01,
		.degrees = 2,
		.contrast_count = 1,
		.contrasts = &made->contrast,
		.bests = {{.known = true, .count = 2, .levels = made->highest}}};
	made->levels[0] = (struct recommended_level){.complete = true,
						     .score = 1.4,
						     .interval = true,
						     .low = 1.3,
						     .high = 1.5,
						     .to_leader = 1,
						     .lead = 1,
						     .lead_low = 1,
						     .lead_high = 1,
						     .p_holm = 1,
						     .in_set = true,
						     .worst = 0.9,
						     .write_amplification = 2.5};
	made->step = (struct trade_off){
		.from = 1, .ratio = 2, .better = 1, .most_won = 2, .most_lost = 0};
	(void)snprintf(made->text, sizeof(made->text), "64k is best.");
	made->statement = (struct statement){.code = "level_chosen", .text = made->text};
	made->analysis = (struct analysis){.result = &made->result,
					   .axis = "bs",
					   .level_count = 2,
					   .order = made->order,
					   .comparison_count = 1,
					   .comparisons = &made->comparison,
					   .statement_count = 1,
					   .statements = &made->statement};
	made->analysis.recommendation = (struct recommendation){.kind = RECOMMENDATION_LEVEL,
								.set_count = 1,
								.set = made->set,
								.level_count = 2,
								.levels = made->levels,
								.trade_off_count = 1,
								.trade_offs = &made->step,
								.blocks = 3,
								.next = 0,
								.spread = 0.01};
	findings_init(&made->analysis.findings);
	assert_int_equal(findings_add(&made->analysis.findings, FINDING_WARNING, "repeated_figure",
				      "Mail", "bs=4k", "a", "b", "odd"),
			 0);
}

static void done(struct made *made)
{
	findings_done(&made->analysis.findings);
	result_done(&made->result);
}

static json_t *at(json_t *value, const char *name)
{
	value = json_object_get(value, name);
	assert_non_null(value);
	return value;
}

static void same_text(json_t *value, const char *name, const char *expected)
{
	assert_string_equal(json_string_value(at(value, name)), expected);
}

static void same_real(json_t *value, const char *name, double expected)
{
	assert_true(json_real_value(at(value, name)) == expected);
}

static void comparisons(void **state)
{
	struct made made;
	json_t *value, *comparison, *figure, *contrast;

	(void)state;
	start(&made);
	value = analysis_encode(&made.analysis);
	same_text(value, "schema", "volbench.analysis/1");
	same_text(value, "factor", "bs");
	same_text(value, "state", "done");
	assert_string_equal(json_string_value(json_array_get(at(value, "levels"), 0)), "4k");
	comparison = json_array_get(at(value, "comparisons"), 0);
	same_text(comparison, "title", "Mail, iodepth=16");
	same_text(at(comparison, "levels"), "iodepth", "16");
	same_text(comparison, "measure", "bandwidth");
	same_text(comparison, "unit", "bytes/s");
	same_text(comparison, "best", "64k");
	assert_null(json_object_get(comparison, "phase"));
	assert_null(json_object_get(comparison, "drift")); /* none was shown */
	/* in the order shown: 4k, which has one rounded sample, then 64k */
	figure = json_array_get(at(comparison, "figures"), 0);
	same_text(figure, "level", "4k");
	assert_null(json_object_get(figure, "low"));
	same_real(figure, "told_low", 95);
	figure = json_array_get(at(comparison, "figures"), 1);
	same_real(figure, "low", 190);
	assert_null(json_object_get(figure, "told_low"));
	contrast = json_array_get(at(comparison, "contrasts"), 0);
	same_text(contrast, "a", "64k");
	same_text(contrast, "b", "4k");
	same_text(contrast, "verdict", "different");
	same_real(contrast, "p_holm", 0.02);
	assert_true(json_is_true(at(contrast, "paired")));
	assert_null(json_object_get(contrast, "detectable")); /* not finite: not known */
	assert_int_equal(json_array_size(at(at(comparison, "highest"), "read")), 2);
	assert_null(json_object_get(at(comparison, "highest"), "write"));
	json_decref(value);
	made.comparison.drift = 0.75;
	value = analysis_encode(&made.analysis);
	same_real(json_array_get(at(value, "comparisons"), 0), "drift", 0.75);
	json_decref(value);
	done(&made);
}

/* Changes in percent alone are no operations a second. */
static void an_index(void **state)
{
	struct made made;
	struct sample sample;
	const struct sample *list[] = {&sample};
	const struct cell cell = {.sample_count = 1, .samples = list};
	const struct cell *cells[] = {NULL, &cell};
	json_t *value;

	(void)state;
	start(&made);
	sample_init(&sample);
	sample.source = sample_source_new("volbench.table/1", NULL);
	assert_non_null(sample.source);
	made.comparison.cells = cells;
	value = analysis_encode(&made.analysis);
	same_text(json_array_get(at(value, "comparisons"), 0), "unit", "bytes/s");
	json_decref(value);
	sample.source->index = true;
	value = analysis_encode(&made.analysis);
	same_text(json_array_get(at(value, "comparisons"), 0), "unit", "index");
	json_decref(value);
	sample_done(&sample);
	done(&made);
}

static void recommendation(void **state)
{
	struct made made;
	json_t *value, *object, *level, *step;

	(void)state;
	start(&made);
	value = analysis_encode(&made.analysis);
	object = at(value, "recommendation");
	same_text(object, "kind", "level");
	same_text(object, "leader", "64k");
	assert_null(json_object_get(object, "repeats_needed"));
	assert_null(json_object_get(object, "next"));
	level = json_array_get(at(object, "levels"), 0);
	same_text(level, "level", "4k");
	assert_true(json_is_false(at(level, "complete")));
	assert_null(json_object_get(level, "score"));
	level = json_array_get(at(object, "levels"), 1);
	same_real(level, "write_amplification", 2.5);
	assert_null(json_object_get(level, "space"));
	same_real(at(level, "worst"), "ratio", 0.9);
	step = json_array_get(at(object, "trade_offs"), 0);
	same_text(step, "from", "4k");
	same_text(step, "to", "64k");
	same_real(at(step, "most_won"), "ratio", 2);
	assert_null(json_object_get(step, "most_lost"));
	json_decref(value);
	made.analysis.recommendation.kind = RECOMMENDATION_NONE;
	value = analysis_encode(&made.analysis);
	assert_null(json_object_get(at(value, "recommendation"), "leader"));
	json_decref(value);
	done(&made);
}

/* Those that look at several samples first, then the samples' own. */
static void words(void **state)
{
	struct made made;
	json_t *value, *list;

	(void)state;
	start(&made);
	made.result.samples = calloc(1, sizeof(*made.result.samples));
	assert_non_null(made.result.samples);
	made.result.sample_count = 1;
	sample_init(&made.result.samples[0]);
	assert_int_equal(findings_add(&made.result.samples[0].findings, FINDING_INFO, "mix_off",
				      "Mail", "bs=4k", NULL, NULL, "so"),
			 0);
	value = analysis_encode(&made.analysis);
	list = at(value, "findings");
	assert_int_equal(json_array_size(list), 2);
	same_text(json_array_get(list, 0), "code", "repeated_figure");
	same_text(json_array_get(list, 1), "code", "mix_off");
	list = at(value, "statements");
	same_text(json_array_get(list, 0), "code", "level_chosen");
	same_text(json_array_get(list, 0), "text", "64k is best.");
	json_decref(value);
	done(&made);
}

/* A run that compares nothing, and one whose document is damaged. */
static void from_a_result(void **state)
{
	struct result result;
	struct error err;
	json_t *value;
	char *text;

	(void)state;
	result_init(&result);
	result.definition.name = fixture_text("nothing");
	text = analysis_text(&result, &err);
	assert_non_null(text);
	assert_int_equal(json_read_own(text, strlen(text), &value, &err), 0);
	assert_null(json_object_get(value, "factor"));
	assert_int_equal(json_array_size(at(value, "levels")), 0);
	assert_int_equal(json_array_size(at(value, "comparisons")), 0);
	same_text(at(value, "recommendation"), "kind", "none");
	json_decref(value);
	free(text);
	result_done(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comparisons),	  cmocka_unit_test(an_index),
		cmocka_unit_test(recommendation), cmocka_unit_test(words),
		cmocka_unit_test(from_a_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
