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

static bool has_finding(const struct plan *plan, const char *code)
{
	for (size_t i = 0; i < plan->findings.count; i++)
		if (strcmp(plan->findings.list[i].code, code) == 0)
			return true;
	return false;
}

/* where: "\"target\": {...}", or a parent; instances: zvols and datasets, 1 of any other target */
static void plan_at(const char *name, const char *where, const char *more, size_t samples,
		    size_t instances)
{
	const struct machine machine = {.memory_bytes = UINT64_C(16) << 30,
					.memory_available_bytes = UINT64_C(8) << 30,
					.cpus = 8};
	struct definition definition;
	struct plan plan;
	struct error err = {0};
	char text[512];

	(void)snprintf(text, sizeof(text), "{\"definition\": \"%s\", %s%s}", name, where, more);
	definition_init(&definition);
	if (definition_decode_text(text, strlen(text), look_up, NULL, &definition, &err) < 0 ||
	    plan_make(&definition, &machine, &plan, &err) < 0)
		fail_msg("%s: %s %s", name, err.field, err.message);
	assert_int_equal(plan.sample_count, samples);
	assert_int_equal(plan.instance_count, instances);
	for (size_t i = 0; i < instances && target_kind_is_zfs(plan.instances[i].spec.kind); i++) {
		/* they measure the pool, and say so */
		assert_string_equal(
			properties_get(&plan.instances[i].spec.properties, "primarycache"),
			"metadata");
		assert_true(has_finding(&plan, "arc_without_data"));
	}
	plan_done(&plan);
	definition_done(&definition);
}

static void plan(const char *name, const char *more, size_t samples)
{
	plan_at(name, "\"target\": {\"directory\": \"/tank\"}", more, samples, 1);
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
	plan("diskspd", "", 6 * 5);
	plan("atto", "", 15 * 2 * 5);
	plan("bonnie", "", 4 * 2 * 5);
	plan("small-files", "", 2 * 5);
}

static void test_those_on_openzfs_want_a_parent(void **state)
{
	static const char parent[] = "\"parent\": \"tank/volbench\"";
	static const char zvol[] = "\"target\": {\"zvol\": {\"parent\": \"tank/volbench\"}}";
	static const char *const names[] = {"volblocksize", "recordsize", "zvol-vs-file"};

	(void)state;
	plan_at("volblocksize", parent, "", 9 * 6 * 5, 6);
	plan_at("volblocksize", zvol, "", 9 * 6 * 5, 6);
	plan_at("volblocksize", zvol,
		", \"factors\": {\"volblocksize\": [\"8K\", \"16K\"], \"compression\": [\"off\", "
		"\"lz4\"]}, \"repeats\": 2, \"override\": {\"size\": \"64M\", \"runtime\": 2}",
		9 * 4 * 2, 4);
	plan_at("recordsize", parent, "", 5 * 6 * 5, 6);
	plan_at("zvol-vs-file", parent, "", 2 * 6 * 2 * 5, 2);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct definition definition;
		struct error err = {0};
		char text[64];

		(void)snprintf(text, sizeof(text), "{\"definition\": \"%s\"}", names[i]);
		definition_init(&definition);
		assert_true(definition_decode_text(text, strlen(text), look_up, NULL, &definition,
						   &err) < 0);
		assert_int_equal(err.code, ERROR_MISSING_FIELD);
		assert_string_equal(err.field, "/parent");
	}
}

static void test_the_demo_is_short(void **state)
{
	const struct machine machine = {.memory_bytes = UINT64_C(16) << 30,
					.memory_available_bytes = UINT64_C(8) << 30,
					.cpus = 2};
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
		cmocka_unit_test(test_those_on_openzfs_want_a_parent),
		cmocka_unit_test(test_the_demo_is_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
