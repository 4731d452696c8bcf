/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_studies.c - the published figures that come with the program are tables that it can read. */
#include "api/studies.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/definitions.h"
#include "engine/base/embedded.h"
#include "server/codec/result_text.h"

static void test_names(void **state)
{
	size_t files = 0;

	(void)state;
	for (size_t i = 0; i < embedded_file_count; i++)
		files += strncmp(embedded_files[i].path, "api/studies/", 12) == 0;
	assert_int_equal(files, study_count); /* none is left out of the list */
	for (size_t i = 0; i < study_count; i++) {
		char names[128];
		char *rest = names, *name;

		assert_ptr_equal(study_find(studies[i].name), &studies[i]);
		assert_non_null(study_text(&studies[i]));
		(void)snprintf(names, sizeof(names), "%s", studies[i].definition);
		while ((name = strsep(&rest, ", ")) != NULL)
			assert_true(!*name || built_in_text(name));
	}
	assert_null(study_find("nobody's"));
	assert_null(study_find("../definitions/demo"));
}

static void load(const char *name, struct result *result)
{
	struct error err = {0};

	result_init(result);
	if (study_result(study_find(name), result, &err) < 0)
		fail_msg("%s: %s %s", name, err.field, err.message);
	assert_string_equal(result->id, name);
	assert_int_equal(result->state, RUN_DONE);
	assert_true(result->definition.imported);
	assert_non_null(result->definition.description);
}

/* The sample of a workload whose levels begin so. */
static const struct sample *find(const struct result *result, const char *workload,
				 const char *level)
{
	for (size_t i = 0; i < result->sample_count; i++) {
		const struct sample *sample = &result->samples[i];

		if (strcmp(sample->workload, workload) == 0 &&
		    (!level || strcmp(sample->levels[0].value, level) == 0))
			return sample;
	}
	fail_msg("no sample of %s at %s", workload, level);
	return NULL;
}

static void test_volblocksize(void **state)
{
	struct result result;
	const struct sample *sample;
	struct told_figure iops;

	(void)state;
	load("volblocksize-mirrors", &result);
	assert_int_equal(result.sample_count, 9 * 6);
	assert_int_equal(result.definition.factors[0].kind, FACTOR_PROPERTY);
	sample = find(&result, "Exchange", "64K");
	iops = sample_iops_figure(sample, DIRECTION_READ);
	assert_true(iops.known);
	assert_float_equal(iops.value, 44500, 1e-6);
	assert_float_equal(iops.low, 44450, 1e-6);
	assert_float_equal(iops.high, 44550, 1e-6);
	assert_true(sample->source->memory_bytes == UINT64_C(220) << 30);
	assert_false(sample_moves(find(&result, "Elastiflow", "4K"), DIRECTION_READ));
	result_done(&result);
}

static void test_the_others(void **state)
{
	struct result result;

	(void)state;
	load("zvol-vs-file", &result);
	assert_int_equal(result.sample_count, 11);
	assert_int_equal(result.definition.factor_count, 2);
	assert_float_equal(
		sample_bandwidth(find(&result, "Sequential read", "zvol"), DIRECTION_READ),
		1052888043, 1);
	result_done(&result);

	load("disk-vs-vsan", &result);
	assert_int_equal(result.sample_count, 2 * 2 * 2);
	assert_float_equal(sample_iops(find(&result, "random-write", "vsan"), DIRECTION_WRITE),
			   1126, 1e-9);
	result_done(&result);

	load("stripe-unit", &result);
	assert_int_equal(result.sample_count, 5 * 2);
	assert_true(find(&result, "Random seeks", "256K")->source->index);
	assert_float_equal(sample_iops(find(&result, "Random seeks", "256K"), DIRECTION_READ), 122,
			   1e-9);
	assert_int_equal(find(&result, "Small files", "256K")->file_count, 6);
	result_done(&result);

	load("diskspd", &result);
	assert_int_equal(result.sample_count, 6);
	assert_int_equal(
		find(&result, "Random 8k, 20 % writes", NULL)->directions[DIRECTION_READ].ios,
		12450);
	result_done(&result);
}

static void test_as_text(void **state)
{
	struct error err = {0};
	char *text = NULL;
	size_t size = 0;

	(void)state;
	for (size_t i = 0; i < study_count; i++) {
		struct result result;

		assert_int_equal(study_result_text(studies[i].name, &text, &size, &err), 0);
		assert_int_equal(strlen(text), size);
		result_init(&result);
		if (result_decode_text(text, size, &result, &err) < 0)
			fail_msg("%s: %s %s", studies[i].name, err.field, err.message);
		result_done(&result);
		free(text);
	}
	assert_int_equal(study_result_text("nobody's", &text, &size, &err), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_volblocksize),
		cmocka_unit_test(test_the_others),
		cmocka_unit_test(test_as_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
