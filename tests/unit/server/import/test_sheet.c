/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What readers hand over becomes workloads, factors, levels and repeats; and what may not be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/import/sheet_whole.h"

static const struct import_file two_files[] = {{.name = "a.json"}, {.name = "b.json"}};

static void give(struct sample *sample, const char *option, const char *value)
{
	assert_int_equal(option_parse(option_find(option), value, &sample->options, NULL), 0);
}

static void level(struct sample *sample, const char *factor, const char *value)
{
	sample->levels =
		reallocarray(sample->levels, sample->level_count + 1, sizeof(*sample->levels));
	assert_non_null(sample->levels);
	sample->levels[sample->level_count++] =
		(struct level){.factor = strdup(factor), .value = strdup(value)};
}

static void begin(struct sample *sample, const char *workload, double iops)
{
	sample_init(sample);
	sample->workload = strdup(workload);
	sample->source = sample_source_new("tool", NULL);
	assert_non_null(sample->source);
	sample->source->directions[DIRECTION_READ].iops = told_exactly(iops);
}

static void add(struct import_sheet *sheet, size_t file, const char *workload, double iops)
{
	struct sample sample;

	sheet_begin(sheet, file);
	begin(&sample, workload, iops);
	assert_int_equal(sheet_add(sheet, &sample, NULL), 0);
}

static void add_level(struct import_sheet *sheet, const char *workload, const char *factor,
		      const char *value)
{
	struct sample sample;

	begin(&sample, workload, 1);
	level(&sample, factor, value);
	assert_int_equal(sheet_add(sheet, &sample, NULL), 0);
}

static void finish(struct import_sheet *sheet, struct result *result)
{
	struct error err = {0};

	result_init(result);
	if (sheet_finish(sheet, result, &err) < 0)
		fail_msg("%s: %s", err.field, err.message);
	sheet_free(sheet);
}

static void refuse(struct import_sheet *sheet, enum error_code code, const char *word)
{
	struct error err = {0};
	struct result result;

	result_init(&result);
	assert_int_equal(sheet_finish(sheet, &result, &err), -EINVAL);
	assert_int_equal(err.code, code);
	if (!strstr(err.message, word))
		fail_msg("\"%s\" is not in \"%s\"", word, err.message);
	assert_int_equal(result.sample_count, 0);
	sheet_free(sheet);
}

static void two_files_are_levels_of_file(void **state)
{
	const struct import_request request = {.file_count = 2, .files = two_files};
	struct import_sheet *sheet = sheet_new(&request);
	struct result result;

	(void)state;
	add(sheet, 0, "randread", 100);
	add(sheet, 0, "write", 50);
	add(sheet, 1, "randread", 200);
	add(sheet, 1, "randread", 210);
	finish(sheet, &result);
	assert_true(result.definition.imported);
	assert_string_equal(result.definition.name, "a");
	assert_int_equal(result.definition.factor_count, 1);
	assert_string_equal(result.definition.factors[0].name, "file");
	assert_int_equal(result.definition.factors[0].kind, FACTOR_LABEL);
	assert_string_equal(result.definition.factors[0].levels[1], "b.json");
	assert_int_equal(result.definition.workload_count, 2);
	assert_int_equal(result.definition.repeats, 2);
	assert_int_equal(result.sample_count, 4);
	assert_int_equal(result.planned_samples, 4);
	assert_int_equal(result.state, RUN_DONE);
	assert_int_equal(result.samples[3].repeat, 2);
	assert_int_equal(result.samples[3].order, 3);
	assert_string_equal(result.samples[3].levels[0].value, "b.json");
	assert_string_equal(result.samples[0].target, "");
	result_done(&result);
}

static void one_file_has_no_factor(void **state)
{
	const struct import_file file = {.name = "dir/run.one.json"};
	const struct import_request request = {.file_count = 1, .files = &file};
	struct import_sheet *sheet = sheet_new(&request);
	struct result result;

	(void)state;
	add(sheet, 0, "randread", 100);
	finish(sheet, &result);
	assert_int_equal(result.definition.factor_count, 0);
	assert_string_equal(result.definition.name, "run.one");
	result_done(&result);
}

static void files_of_one_name_are_told_apart(void **state)
{
	const struct import_file files[] = {{.name = "a"}, {.name = "a"}, {.name = NULL}};
	const struct import_file labelled[] = {{.label = "ssd"}, {.label = "ssd"}};
	const struct import_request request = {.file_count = 3, .files = files};
	const struct import_request repeats = {.file_count = 2, .files = labelled};
	struct import_sheet *sheet = sheet_new(&request);
	struct result result;

	(void)state;
	for (size_t i = 0; i < 3; i++)
		add(sheet, i, "w", 1);
	finish(sheet, &result);
	assert_int_equal(result.definition.factors[0].level_count, 3);
	assert_string_equal(result.definition.factors[0].levels[1], "a (2)");
	assert_string_equal(result.definition.factors[0].levels[2], "file 3");
	result_done(&result);

	/* but whoever gives two files one label means repeats */
	sheet = sheet_new(&repeats);
	add(sheet, 0, "w", 1);
	add(sheet, 1, "w", 2);
	finish(sheet, &result);
	assert_int_equal(result.definition.factors[0].level_count, 1);
	assert_int_equal(result.definition.repeats, 2);
	result_done(&result);
}

static void a_factor_is_what_its_name_says(void **state)
{
	const struct import_file file = {.name = "t"};
	const struct import_request request = {.file_count = 1, .files = &file};
	struct import_sheet *sheet = sheet_new(&request);
	struct result result;

	(void)state;
	add_level(sheet, "w", "bs", "4096");
	add_level(sheet, "w", "bs", "4k");
	add_level(sheet, "w", "bs", "1m");
	finish(sheet, &result);
	assert_int_equal(result.definition.factors[0].kind, FACTOR_OPTION);
	assert_int_equal(result.definition.factors[0].level_count, 2);
	assert_string_equal(result.samples[0].levels[0].value, "4k");
	assert_int_equal(result.samples[0].options.bs[DIRECTION_READ], 4096);
	assert_true(workload_is_set(&result.samples[0].options, OPTION_ID_BS));
	assert_false(workload_is_set(&result.definition.workloads[0], OPTION_ID_BS));
	result_done(&result);

	sheet = sheet_new(&request);
	add_level(sheet, "w", "volblocksize", "16k");
	add_level(sheet, "w", "volblocksize", "64K");
	finish(sheet, &result);
	assert_int_equal(result.definition.factors[0].kind, FACTOR_PROPERTY);
	assert_string_equal(result.definition.factors[0].levels[0], "16K");
	result_done(&result);

	sheet = sheet_new(&request);
	add_level(sheet, "w", "sync", "always");
	add_level(sheet, "w", "sync", "disabled");
	finish(sheet, &result);
	assert_int_equal(result.definition.factors[0].kind, FACTOR_PROPERTY);
	result_done(&result);

	sheet = sheet_new(&request);
	add_level(sheet, "w", "sync", "none");
	add_level(sheet, "w", "sync", "dsync");
	finish(sheet, &result);
	assert_int_equal(result.definition.factors[0].kind, FACTOR_OPTION);
	result_done(&result);
}

static void a_level_that_is_no_value_is_refused(void **state)
{
	const struct import_file file = {.name = "t"};
	const struct import_request request = {.file_count = 1, .files = &file};
	struct import_sheet *sheet = sheet_new(&request);
	struct error err = {0};
	struct sample sample;

	(void)state;
	begin(&sample, "w", 1);
	level(&sample, "bs", "large");
	assert_int_equal(sheet_add(sheet, &sample, &err), -EINVAL);
	assert_int_equal(err.code, ERROR_BAD_VALUE);
	assert_non_null(strstr(err.message, "another name"));
	assert_string_equal(err.field, "/files/0");
	begin(&sample, "w", 1);
	level(&sample, "what", "a\nb");
	assert_int_equal(sheet_add(sheet, &sample, &err), -EINVAL);
	begin(&sample, "w", 1);
	level(&sample, "what", "");
	assert_int_equal(sheet_add(sheet, &sample, &err), -EINVAL);
	sheet_free(sheet);
}

static void a_level_that_the_file_gainsays_is_refused(void **state)
{
	const struct import_file file = {.name = "t", .label = "8k"};
	const struct import_request request = {.file_count = 1, .files = &file, .factor = "bs"};
	struct import_sheet *sheet = sheet_new(&request);
	struct sample sample;

	(void)state;
	begin(&sample, "w", 1);
	give(&sample, "bs", "4k");
	assert_int_equal(sheet_add(sheet, &sample, NULL), 0);
	refuse(sheet, ERROR_BAD_VALUE, "the file itself says 4k");
}

static void options_that_all_have_are_the_workloads(void **state)
{
	const struct import_request request = {.file_count = 2, .files = two_files};
	struct import_sheet *sheet = sheet_new(&request);
	struct sample sample;
	struct result result;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		sheet_begin(sheet, i);
		begin(&sample, "w", 1);
		give(&sample, "bs", "4k");
		give(&sample, "iodepth", i == 0 ? "1" : "32");
		if (i == 0)
			give(&sample, "numjobs", "2");
		assert_int_equal(sheet_add(sheet, &sample, NULL), 0);
	}
	finish(sheet, &result);
	assert_true(workload_is_set(&result.definition.workloads[0], OPTION_ID_BS));
	assert_false(workload_is_set(&result.definition.workloads[0], OPTION_ID_IODEPTH));
	assert_false(workload_is_set(&result.definition.workloads[0], OPTION_ID_NUMJOBS));
	assert_true(sample_knows(&result.samples[0], OPTION_ID_NUMJOBS));
	assert_false(sample_knows(&result.samples[1], OPTION_ID_NUMJOBS));
	result_done(&result);
}

static void labels_name_workloads_in_order(void **state)
{
	const char *const labels[] = {"reads"};
	const struct import_file file = {.name = "t"};
	const struct import_request request = {
		.file_count = 1, .files = &file, .label_count = 1, .labels = labels};
	struct import_sheet *sheet = sheet_new(&request);
	struct result result;

	(void)state;
	add(sheet, 0, "job1", 1);
	add(sheet, 0, "job2", 1);
	finish(sheet, &result);
	assert_string_equal(result.definition.workloads[0].name, "reads");
	assert_string_equal(result.samples[0].workload, "reads");
	assert_string_equal(result.samples[1].workload, "job2");
	result_done(&result);
}

static void a_name_too_long_wants_a_label(void **state)
{
	const struct import_file file = {.name = "t"};
	struct import_request request = {.file_count = 1, .files = &file};
	char name[66];
	const char *const labels[] = {"short"};
	struct import_sheet *sheet = sheet_new(&request);
	struct result result;

	(void)state;
	memset(name, 'n', 65);
	name[65] = '\0';
	add(sheet, 0, name, 1);
	refuse(sheet, ERROR_OUT_OF_RANGE, "64");
	request.label_count = 1;
	request.labels = labels;
	sheet = sheet_new(&request);
	add(sheet, 0, name, 1);
	finish(sheet, &result);
	result_done(&result);
	request.label_count = 0;
	sheet = sheet_new(&request);
	name[64] = '\0';
	add(sheet, 0, name, 1);
	finish(sheet, &result);
	result_done(&result);
}

static void a_factor_that_some_lack_is_refused(void **state)
{
	const struct import_request request = {.file_count = 2, .files = two_files};
	struct import_sheet *sheet = sheet_new(&request);

	(void)state;
	add_level(sheet, "w", "stripe", "64k");
	add(sheet, 1, "w", 1);
	refuse(sheet, ERROR_BAD_VALUE, "stripe");
	sheet = sheet_new(&request);
	refuse(sheet, ERROR_MISSING_FIELD, "nothing was measured");
}

static void facts_of_several_files_are_told_apart(void **state)
{
	const struct import_request request = {.file_count = 2, .files = two_files};
	struct import_sheet *sheet = sheet_new(&request);
	struct result result;

	(void)state;
	assert_int_equal(sheet_fact(sheet, "pool", "mirrors", NULL), 0);
	assert_int_equal(sheet_fact(sheet, "host", "x", NULL), 0);
	add(sheet, 0, "w", 1);
	add(sheet, 1, "w", 1);
	assert_int_equal(sheet_fact(sheet, "pool", "raidz", NULL), 0);
	assert_int_equal(sheet_fact(sheet, "host", "x", NULL), 0);
	assert_int_equal(sheet_find(sheet, FINDING_WARNING, "text_left_out", "12 bytes", NULL), 0);
	assert_int_equal(sheet_describe(sheet, "study", "what it was\nabout", NULL), 0);
	finish(sheet, &result);
	assert_int_equal(result.fact_count, 3);
	assert_string_equal(result.facts[2].name, "pool (b.json)");
	assert_string_equal(result.facts[2].value, "raidz");
	assert_string_equal(result.findings.list[0].message, "b.json: 12 bytes");
	assert_string_equal(result.definition.name, "study");
	result_done(&result);
}

/* Repeats have one label: their facts are told apart by the file's number. */
static void facts_of_repeats_are_told_apart(void **state)
{
	const struct import_file files[] = {{.label = "x"}, {.label = "x"}, {.label = "x"}};
	const struct import_request request = {.file_count = 3, .files = files};
	struct import_sheet *sheet = sheet_new(&request);
	struct result result;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		char value[8];

		add(sheet, i, "w", 1);
		(void)snprintf(value, sizeof(value), "v%zu", i);
		assert_int_equal(sheet_fact(sheet, "time", value, NULL), 0);
	}
	finish(sheet, &result);
	assert_int_equal(result.fact_count, 3);
	assert_string_equal(result.facts[1].name, "time (x)");
	assert_string_equal(result.facts[2].name, "time (x, file 3)");
	result_done(&result);
}

static void counts_are_limited(void **state)
{
	const struct import_file file = {.name = "t"};
	const struct import_request request = {.file_count = 1, .files = &file};
	struct import_sheet *sheet = sheet_new(&request);
	struct error err = {0};
	struct sample sample;
	char name[24];

	(void)state;
	for (int i = 0; i < DEFINITION_WORKLOADS_MAX; i++) {
		(void)snprintf(name, sizeof(name), "w%d", i);
		add(sheet, 0, name, 1);
	}
	begin(&sample, "one more", 1);
	assert_int_equal(sheet_add(sheet, &sample, &err), -EINVAL);
	assert_int_equal(err.code, ERROR_TOO_MANY);
	assert_string_equal(err.field, "/files/0");
	sheet_free(sheet);

	sheet = sheet_new(&request);
	for (int i = 0; i < DEFINITION_LEVELS_MAX; i++) {
		(void)snprintf(name, sizeof(name), "l%d", i);
		add_level(sheet, "w", "f", name);
	}
	begin(&sample, "w", 1);
	level(&sample, "f", "one more");
	assert_int_equal(sheet_add(sheet, &sample, &err), -EINVAL);
	assert_int_equal(err.code, ERROR_TOO_MANY);
	sheet_free(sheet);

	sheet = sheet_new(&request);
	for (int i = 0; i < DEFINITION_REPEATS_MAX; i++)
		add(sheet, 0, "w", 1);
	add(sheet, 0, "w", 1);
	refuse(sheet, ERROR_TOO_MANY, "repeats");

	sheet = sheet_new(&request);
	begin(&sample, "w", 1);
	for (int i = 0; i < DEFINITION_FACTORS_MAX; i++) {
		(void)snprintf(name, sizeof(name), "f%d", i);
		level(&sample, name, "x");
	}
	assert_int_equal(sheet_add(sheet, &sample, &err), 0);
	begin(&sample, "w", 1);
	level(&sample, "more", "x");
	assert_int_equal(sheet_add(sheet, &sample, &err), -EINVAL);
	assert_int_equal(err.code, ERROR_TOO_MANY);
	begin(&sample, "w", 1);
	level(&sample, "f0", "x");
	level(&sample, "f0", "y");
	assert_int_equal(sheet_add(sheet, &sample, &err), -EINVAL);
	sheet_free(sheet);

	sheet = sheet_new(&request);
	for (int i = 0; i < SHEET_FACTS_MAX; i++) {
		(void)snprintf(name, sizeof(name), "fact %d", i);
		assert_int_equal(sheet_fact(sheet, name, "x", NULL), 0);
	}
	assert_int_equal(sheet_fact(sheet, "more", "x", &err), -EINVAL);
	assert_int_equal(err.code, ERROR_TOO_MANY);
	sheet_free(sheet);
}

/* A few bytes of text can make a histogram of 67 KB. */
static void latencies_are_limited(void **state)
{
	const struct import_file file = {.name = "t"};
	const struct import_request request = {.file_count = 1, .files = &file};
	struct import_sheet *sheet = sheet_new(&request);
	const size_t each = HISTOGRAM_BUCKETS * sizeof(uint64_t);
	const size_t fit = SHEET_LATENCY_MAX / each;
	struct error err = {0};
	struct histogram *wide = malloc(sizeof(*wide));

	(void)state;
	assert_non_null(wide);
	histogram_init(wide);
	histogram_add(wide, 0);
	histogram_add(wide, UINT64_C(1) << 40);
	for (size_t i = 0; i <= fit; i++) {
		struct sample sample;

		begin(&sample, "w", 1);
		sample.directions[DIRECTION_READ].latency = histogram_narrow(wide);
		assert_int_equal(sheet_add(sheet, &sample, &err), i < fit ? 0 : -EINVAL);
	}
	assert_int_equal(err.code, ERROR_TOO_MANY);
	free(wide);
	sheet_free(sheet);
}

static void errors_say_file_and_line(void **state)
{
	const struct import_request request = {.file_count = 2, .files = two_files};
	struct import_sheet *sheet = sheet_new(&request);
	struct error err = {0};

	(void)state;
	sheet_begin(sheet, 1);
	assert_int_equal(sheet_error(sheet, &err, 7, "what is %s", "wrong"), -EINVAL);
	assert_string_equal(err.message, "b.json: line 7: what is wrong");
	assert_string_equal(err.field, "/files/1");
	assert_int_equal(err.code, ERROR_BAD_VALUE);
	sheet_free(sheet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_files_are_levels_of_file),
		cmocka_unit_test(one_file_has_no_factor),
		cmocka_unit_test(files_of_one_name_are_told_apart),
		cmocka_unit_test(a_factor_is_what_its_name_says),
		cmocka_unit_test(a_level_that_is_no_value_is_refused),
		cmocka_unit_test(a_level_that_the_file_gainsays_is_refused),
		cmocka_unit_test(options_that_all_have_are_the_workloads),
		cmocka_unit_test(labels_name_workloads_in_order),
		cmocka_unit_test(a_name_too_long_wants_a_label),
		cmocka_unit_test(a_factor_that_some_lack_is_refused),
		cmocka_unit_test(facts_of_several_files_are_told_apart),
		cmocka_unit_test(facts_of_repeats_are_told_apart),
		cmocka_unit_test(counts_are_limited),
		cmocka_unit_test(latencies_are_limited),
		cmocka_unit_test(errors_say_file_and_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
