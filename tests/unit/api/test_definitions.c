/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_definitions.c - every built-in definition is one: it can be saved, and run with a target. */
#include "api/definitions.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/embedded.h"
#include "engine/plan/plan.h"
#include "server/codec/definition.h"

static int look_up(void *arg, const char *name, char **ret_text)
{
	const char *text = built_in_text(name);

	(void)arg;
	if (!text)
		return -ENOENT;
	*ret_text = strdup(text);
	return *ret_text ? 0 : -ENOMEM;
}

static void test_names(void **state)
{
	size_t files = 0;

	(void)state;
	assert_null(built_in_name(built_in_count()));
	assert_null(built_in_text("nobody's"));
	assert_null(built_in_text("../../openapi.yaml"));
	assert_null(built_in_text(""));
	for (size_t i = 0; i < embedded_file_count; i++)
		files += strncmp(embedded_files[i].path, "api/definitions/", 16) == 0;
	assert_int_equal(files, built_in_count()); /* none is left out of the list */
	for (size_t i = 0; i < built_in_count(); i++)
		assert_non_null(built_in_text(built_in_name(i)));
}

static void test_each_can_be_saved(void **state)
{
	(void)state;
	for (size_t i = 0; i < built_in_count(); i++) {
		const char *text = built_in_text(built_in_name(i));
		json_t *value = NULL;
		struct error err = {0};

		if (json_read(text, strlen(text), &value, &err) < 0 ||
		    definition_validate_saved(value, &err) < 0)
			fail_msg("%s: %s %s", built_in_name(i), err.field, err.message);
		assert_string_equal(json_string_value(json_object_get(value, "name")),
				    built_in_name(i));
		assert_true(strlen(json_string_value(json_object_get(value, "description"))) > 80);
		json_decref(value);
	}
}

static void plan(const char *name, const char *more, size_t samples)
{
	const struct machine machine = {UINT64_C(16) << 30, UINT64_C(8) << 30, 8};
	struct definition definition;
	struct plan plan;
	struct error err = {0};
	char text[512];

	(void)snprintf(text, sizeof(text),
		       "{\"definition\": \"%s\", \"target\": {\"directory\": \"/tank\"}%s}", name,
		       more);
	definition_init(&definition);
	if (definition_decode_text(text, strlen(text), look_up, NULL, &definition, &err) < 0 ||
	    plan_make(&definition, &machine, &plan, &err) < 0)
		fail_msg("%s: %s %s", name, err.field, err.message);
	assert_int_equal(plan.sample_count, samples);
	plan_done(&plan);
	definition_done(&definition);
}

static void test_each_can_be_planned(void **state)
{
	(void)state;
	plan("demo", "", 4 * 3 * 5);
	plan("nine-workloads", "", 9 * 5);
	plan("nine-workloads",
	     ", \"factors\": {\"iodepth\": [1, 16]}, \"repeats\": 2, \"override\": {\"size\": "
	     "\"64M\", \"runtime\": 2, \"numjobs\": 2}",
	     36);
	plan("disk-vs-vsan", "", 2 * 5);
	plan("zvol-vs-file", "", 6 * 2 * 5);
	plan("diskspd", "", 4 * 5);
	plan("bonnie", "", 3 * 5);
	plan("small-files", "", 2 * 5);
}

static void test_the_demo_is_short(void **state)
{
	const struct machine machine = {UINT64_C(16) << 30, UINT64_C(8) << 30, 2};
	static const char text[] =
		"{\"definition\": \"demo\", \"target\": {\"directory\": \"/tank\"}}";
	struct definition definition;
	struct plan plan;
	struct error err = {0};

	(void)state;
	definition_init(&definition);
	assert_int_equal(
		definition_decode_text(text, strlen(text), look_up, NULL, &definition, &err), 0);
	assert_int_equal(plan_make(&definition, &machine, &plan, &err), 0);
	assert_true(plan.estimate.seconds > 60 && plan.estimate.seconds < 170);
	assert_true(plan.estimate.space_bytes <= UINT64_C(256) << 20);
	plan_done(&plan);
	definition_done(&definition);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_each_can_be_saved),
		cmocka_unit_test(test_each_can_be_planned),
		cmocka_unit_test(test_the_demo_is_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
