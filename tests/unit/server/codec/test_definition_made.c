/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_definition_made.c - zvols and datasets in JSON: members, factors, requests by name. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/codec/amend.h"
#include "server/codec/definition.h"

#define READ "\"workloads\": [{\"name\": \"w\", \"rw\": \"read\", \"size\": \"1g\"}]"

static struct definition d;

/* The named definitions. */
static int lookup(void *arg, const char *name, char **ret_text)
{
	static const char *const texts[][2] = {
		{"zvol", "{\"target\": {\"zvol\": {\"size\": \"2g\", \"properties\": "
			 "{\"primarycache\": \"metadata\", \"compression\": \"off\"}}}, " READ "}"},
		{"whole", "{\"parent\": \"tank/old\", \"target\": {\"zvol\": {}}, " READ "}"},
		{"own", "{\"target\": {\"zvol\": {\"parent\": \"tank/old\"}}, " READ "}"},
		{"both", "{\"targets\": [{\"name\": \"file\", \"dataset\": {}}, {\"name\": "
			 "\"zvol\", \"zvol\": {\"properties\": {\"volblocksize\": \"128K\"}}}], "
			 "\"factors\": {\"bs\": [\"64k\", \"1m\"]}, " READ "}"},
		{"blocks", "{\"factors\": {\"volblocksize\": [\"4K\", \"8K\"]}, " READ "}"},
	};

	(void)arg;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		if (strcmp(texts[i][0], name) != 0)
			continue;
		*ret_text = strdup(texts[i][1]);
		return *ret_text ? 0 : -ENOMEM;
	}
	return -ENOENT;
}

static void decode_ok(const char *text)
{
	struct error err = {0};

	definition_init(&d);
	if (definition_decode_text(text, strlen(text), lookup, NULL, &d, &err) != 0)
		fail_msg("%s\n%s: %s", text, err.field, err.message);
}

static void decode_bad(const char *text, enum error_code code, const char *pointer)
{
	struct error err = {0};

	definition_init(&d);
	if (definition_decode_text(text, strlen(text), lookup, NULL, &d, &err) == 0)
		fail_msg("%s was taken", text);
	if (err.code != code || strcmp(err.field, pointer) != 0)
		fail_msg("%s\n%s at %s was expected, not %s at %s: %s", text, error_code_text(code),
			 pointer, error_code_text(err.code), err.field, err.message);
}

static void property_is(size_t target, const char *name, const char *value)
{
	const char *found = properties_get(&d.targets[target].properties, name);

	if (!value) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_string_equal(found, value);
}

/* ---- documents ---- */

static void test_members(void **state)
{
	char *text, *again;

	(void)state;
	decode_ok(
		"{\"name\": \"n\", \"target\": {\"zvol\": {\"parent\": \"tank/volbench\", \"size\":"
		" \"64G\", \"sparse\": true, \"properties\": {\"copies\": 2, \"compression\": "
		"\"gzip-6\"}}}, \"factors\": {\"volblocksize\": [4096, \"16k\"]}, " READ "}");
	assert_int_equal(d.targets[0].kind, TARGET_ZVOL);
	assert_string_equal(d.targets[0].path, "tank/volbench");
	assert_int_equal(d.targets[0].size_bytes, UINT64_C(64) << 30);
	assert_true(d.targets[0].sparse);
	property_is(0, "copies", "2");
	property_is(0, "compression", "gzip");
	assert_int_equal(d.factors[0].kind, FACTOR_PROPERTY);
	assert_null(d.factors[0].option);
	assert_string_equal(d.factors[0].levels[0], "4K");
	text = definition_encode_text(&d);
	definition_done(&d);
	decode_ok(text);
	again = definition_encode_text(&d);
	assert_string_equal(text, again);
	assert_non_null(strstr(text, "{\"zvol\":{\"parent\":\"tank/volbench\",\"size\":\"64g\","
				     "\"sparse\":true,\"properties\":{\"copies\":\"2\","));
	free(text);
	free(again);
	definition_done(&d);
}

static void test_a_parent_for_all(void **state)
{
	(void)state;
	decode_ok("{\"name\": \"n\", \"parent\": \"tank/a\", \"targets\": [{\"name\": \"f\", "
		  "\"dataset\": {}}, {\"name\": \"z\", \"zvol\": {\"parent\": \"tank/b\"}}], " READ
		  "}");
	assert_int_equal(d.targets[0].kind, TARGET_DATASET);
	assert_string_equal(d.targets[0].path, "tank/a");
	assert_string_equal(d.targets[1].path, "tank/b");
	definition_done(&d);
	decode_bad(
		"{\"name\": \"n\", \"parent\": \"tank/a\", \"target\": {\"file\": \"/t/f\"}, " READ
		"}",
		ERROR_CONFLICT, "/parent");
	decode_bad("{\"name\": \"n\", \"parent\": \"tank/a\", \"target\": {\"zvol\": {\"parent\": "
		   "\"tank/b\"}}, " READ "}",
		   ERROR_CONFLICT, "/parent");
	decode_bad("{\"name\": \"n\", \"parent\": \"tank//a\", \"target\": {\"zvol\": {}}, " READ
		   "}",
		   ERROR_BAD_VALUE, "/parent");
	decode_bad("{\"name\": \"n\", \"target\": {\"zvol\": {}}, " READ "}", ERROR_MISSING_FIELD,
		   "/target/zvol/parent");
}

static void kind_is(const char *factor, enum factor_kind kind)
{
	char text[512];

	(void)snprintf(text, sizeof(text),
		       "{\"name\": \"n\", \"target\": {\"dataset\": {\"parent\": \"tank/a\"}}, "
		       "\"factors\": {%s}, " READ "}",
		       factor);
	decode_ok(text);
	assert_int_equal(d.factors[0].kind, kind);
	assert_int_equal(d.factors[0].option != NULL, kind == FACTOR_OPTION);
	definition_done(&d);
}

static void kind_is_not(const char *factor, enum error_code code, const char *pointer)
{
	char text[512];

	(void)snprintf(text, sizeof(text),
		       "{\"name\": \"n\", \"target\": {\"dataset\": {\"parent\": \"tank/a\"}}, "
		       "\"factors\": {%s}, " READ "}",
		       factor);
	decode_bad(text, code, pointer);
}

static void test_sync_and_direct_are_two_things(void **state)
{
	(void)state;
	kind_is("\"sync\": [\"always\", \"standard\", \"disabled\"]", FACTOR_PROPERTY);
	kind_is("\"sync\": [\"none\", \"dsync\"]", FACTOR_OPTION);
	kind_is("\"sync\": [0, 1]", FACTOR_OPTION);
	kind_is("\"direct\": [\"standard\", \"always\"]", FACTOR_PROPERTY);
	kind_is("\"direct\": [0, 1]", FACTOR_OPTION);
	kind_is("\"direct\": [true, \"0\"]", FACTOR_OPTION);
	kind_is_not("\"sync\": [\"always\", \"dsync\"]", ERROR_CONFLICT, "/factors/sync/1");
	kind_is_not("\"sync\": [\"none\", \"sync\", \"disabled\"]", ERROR_CONFLICT,
		    "/factors/sync/2");
	kind_is_not("\"direct\": [1, \"always\"]", ERROR_CONFLICT, "/factors/direct/1");
	kind_is_not("\"direct\": [\"always\", false]", ERROR_CONFLICT, "/factors/direct/1");
	kind_is_not("\"sync\": [\"always\", \"sometimes\"]", ERROR_BAD_VALUE, "/factors/sync/1");
	kind_is_not("\"sync\": [\"sometimes\"]", ERROR_BAD_VALUE, "/factors/sync/0");
	kind_is_not("\"sync\": [[]]", ERROR_WRONG_TYPE, "/factors/sync/0");
	kind_is_not("\"sync\": []", ERROR_MISSING_FIELD, "/factors/sync");
	kind_is_not("\"sync\": \"always\"", ERROR_WRONG_TYPE, "/factors/sync");
}

/* ---- requests ---- */

static void test_a_zvol_is_laid_over_a_zvol(void **state)
{
	(void)state;
	decode_ok("{\"definition\": \"zvol\", \"target\": {\"zvol\": {\"parent\": \"tank/a\", "
		  "\"properties\": {\"primarycache\": \"all\", \"copies\": 2}}}}");
	assert_string_equal(d.targets[0].path, "tank/a");
	assert_int_equal(d.targets[0].size_bytes, UINT64_C(2) << 30);
	property_is(0, "primarycache", "all");
	property_is(0, "compression", "off");
	property_is(0, "copies", "2");
	definition_done(&d);
	decode_ok(
		"{\"definition\": \"zvol\", \"target\": {\"dataset\": {\"parent\": \"tank/a\"}}}");
	assert_int_equal(d.targets[0].kind, TARGET_DATASET);
	property_is(0, "compression", NULL);
	definition_done(&d);
	decode_ok("{\"definition\": \"zvol\", \"target\": {\"file\": \"/tank/f\"}}");
	assert_int_equal(d.targets[0].kind, TARGET_FILE);
	definition_done(&d);
}

static void test_a_parent_in_a_request(void **state)
{
	(void)state;
	decode_ok("{\"definition\": \"both\", \"parent\": \"tank/a\"}");
	assert_int_equal(d.target_count, 2);
	assert_string_equal(d.targets[0].path, "tank/a");
	assert_string_equal(d.targets[1].path, "tank/a");
	property_is(1, "volblocksize", "128K");
	definition_done(&d);
	decode_ok("{\"definition\": \"own\", \"parent\": \"tank/a\"}");
	assert_string_equal(d.targets[0].path, "tank/a");
	definition_done(&d);
	decode_ok("{\"definition\": \"whole\", \"parent\": \"tank/a\"}");
	assert_string_equal(d.targets[0].path, "tank/a");
	definition_done(&d);
	/* the definition's own parent is none too many */
	decode_ok("{\"definition\": \"whole\", \"target\": {\"zvol\": {\"parent\": \"tank/a\"}}}");
	assert_string_equal(d.targets[0].path, "tank/a");
	definition_done(&d);
	decode_ok("{\"definition\": \"whole\", \"target\": {\"dataset\": {}}}");
	assert_string_equal(d.targets[0].path, "tank/old");
	definition_done(&d);
	decode_bad("{\"definition\": \"both\"}", ERROR_MISSING_FIELD, "/parent");
	decode_bad("{\"definition\": \"zvol\", \"target\": {\"zvol\": {}}}", ERROR_MISSING_FIELD,
		   "/target/zvol/parent");
	decode_bad("{\"definition\": \"zvol\", \"parent\": \"tank a\"}", ERROR_BAD_VALUE,
		   "/parent");
	decode_bad("{\"definition\": \"zvol\", \"parent\": \"a\", \"target\": {\"file\": \"/f\"}}",
		   ERROR_CONFLICT, "/parent");
}

static void test_a_factor_takes_the_place_of_a_property(void **state)
{
	(void)state;
	decode_ok(
		"{\"definition\": \"zvol\", \"parent\": \"tank/a\", \"factors\": {\"compression\": "
		"[\"off\", \"lz4\"]}}");
	property_is(0, "compression", NULL);
	property_is(0, "primarycache", "metadata");
	definition_done(&d);
	decode_bad("{\"definition\": \"zvol\", \"factors\": {\"copies\": [1, 2]}, \"target\": "
		   "{\"zvol\": {\"parent\": \"tank/a\", \"properties\": {\"copies\": 1}}}}",
		   ERROR_CONFLICT, "/target/zvol/properties/copies");
}

static void test_who_is_to_blame(void **state)
{
	(void)state;
	/* the definition's size, the request's level */
	decode_bad(
		"{\"definition\": \"zvol\", \"parent\": \"a\", \"override\": {\"size\": \"4g\"}}",
		ERROR_TARGET_TOO_SMALL, "/definition");
	decode_bad("{\"definition\": \"zvol\", \"parent\": \"a\", \"factors\": {\"volblocksize\": "
		   "[\"5K\"]}}",
		   ERROR_BAD_VALUE, "/factors/volblocksize/0");
	decode_bad(
		"{\"definition\": \"zvol\", \"target\": {\"zvol\": {\"parent\": \"a\", \"size\": "
		"\"1m\"}}}",
		ERROR_TARGET_TOO_SMALL, "/target/zvol/size");
	decode_bad("{\"definition\": \"zvol\", \"target\": {\"zvol\": {\"parent\": \"a\", "
		   "\"properties\": {\"recordsize\": \"4K\"}}}}",
		   ERROR_CONFLICT, "/target/zvol/properties/recordsize");
	decode_bad("{\"definition\": \"blocks\", \"target\": {\"file\": \"/t/f\"}}", ERROR_CONFLICT,
		   "/definition");
}

/* ---- saved ones ---- */

static void saved(const char *text, enum error_code code, const char *pointer)
{
	struct error err = {0};
	json_t *value;

	assert_int_equal(json_read(text, strlen(text), &value, &err), 0);
	if (definition_validate_saved(value, &err) == 0)
		err.code = ERROR_NONE;
	json_decref(value);
	if (err.code != code || strcmp(err.field, pointer) != 0)
		fail_msg("%s\n%s at %s: %s", text, error_code_text(err.code), err.field,
			 err.message);
}

static void test_saved_without_a_parent(void **state)
{
	(void)state;
	saved("{\"target\": {\"zvol\": {}}, " READ "}", ERROR_NONE, "");
	saved("{\"targets\": [{\"name\": \"a\", \"zvol\": {}}], " READ "}", ERROR_NONE, "");
	saved("{\"factors\": {\"volblocksize\": [\"4K\"]}, " READ "}", ERROR_NONE, "");
	saved("{\"factors\": {\"volblocksize\": [\"4K\"]}, \"workloads\": [{\"rw\": \"read\"}]}",
	      ERROR_NONE, "");
	saved("{\"factors\": {\"recordsize\": [\"4K\"], \"compression\": [\"off\"]}, " READ "}",
	      ERROR_NONE, "");
	saved("{\"factors\": {\"compression\": [\"off\"]}, \"workloads\": [{\"metadata\": "
	      "\"create\", \"nrfiles\": 10}]}",
	      ERROR_NONE, "");
	saved("{\"factors\": {\"volblocksize\": [\"5K\"]}, " READ "}", ERROR_BAD_VALUE,
	      "/factors/volblocksize/0");
	saved("{\"target\": {\"zvol\": {\"properties\": {\"recordsize\": \"4K\"}}}, " READ "}",
	      ERROR_CONFLICT, "/target/zvol/properties/recordsize");
	saved("{\"target\": {\"zvol\": {\"parent\": \"\"}}, " READ "}", ERROR_BAD_VALUE,
	      "/target/zvol/parent");
}

/* ---- the command line ---- */

static void amended(const char *text, const char *target, const char *parent, const char *expected)
{
	const struct amendment amendment = {.target = target, .parent = parent};
	struct error err = {0};
	char *got = NULL;

	if (amend_definition(text, strlen(text), &amendment, &got, &err) != 0)
		fail_msg("%s: %s", text, err.message);
	assert_string_equal(got, expected);
	free(got);
}

static void test_amended(void **state)
{
	const struct amendment both = {.target = "zvol:tank/a", .parent = "tank/b"};
	struct error err = {0};
	char *text = NULL;

	(void)state;
	amended("{}", "zvol:tank/a", NULL, "{\"target\":{\"zvol\":{\"parent\":\"tank/a\"}}}");
	amended("{\"targets\":[1],\"parent\":\"tank/b\"}", "dataset:tank/a", NULL,
		"{\"target\":{\"dataset\":{\"parent\":\"tank/a\"}}}");
	amended("{\"target\":{\"zvol\":{\"size\":\"1g\"}}}", "zvol:tank/a", NULL,
		"{\"target\":{\"zvol\":{\"size\":\"1g\",\"parent\":\"tank/a\"}}}");
	amended("{\"target\":{\"zvol\":{\"size\":\"1g\"}}}", "dataset:tank/a", NULL,
		"{\"target\":{\"dataset\":{\"parent\":\"tank/a\"}}}");
	amended("{\"target\":{\"zvol\":{\"parent\":\"tank/b\",\"size\":1}}}", NULL, "tank/a",
		"{\"target\":{\"zvol\":{\"size\":1}},\"parent\":\"tank/a\"}");
	amended("{\"targets\":[{\"dataset\":{\"parent\":\"tank/b\"}},{\"file\":\"/f\"},7]}", NULL,
		"tank/a",
		"{\"targets\":[{\"dataset\":{}},{\"file\":\"/f\"},7],\"parent\":\"tank/a\"}");
	assert_int_equal(amend_definition("{}", 2, &both, &text, &err), -EINVAL);
	assert_int_equal(err.code, ERROR_BAD_PARAMETER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_a_parent_for_all),
		cmocka_unit_test(test_sync_and_direct_are_two_things),
		cmocka_unit_test(test_a_zvol_is_laid_over_a_zvol),
		cmocka_unit_test(test_a_parent_in_a_request),
		cmocka_unit_test(test_a_factor_takes_the_place_of_a_property),
		cmocka_unit_test(test_who_is_to_blame),
		cmocka_unit_test(test_saved_without_a_parent),
		cmocka_unit_test(test_amended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
