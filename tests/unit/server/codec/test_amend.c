/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_amend.c - the command line's options become members of the definition. */
#include "server/codec/amend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_amended(void **state)
{
	const struct {
		const char *text;
		struct amendment amendment;
		const char *expected;
	} cases[] = {
		{"{\"name\": \"a\"}", {.repeats = {.most = 0}}, "{\"name\":\"a\"}"},
		{"{\"repeats\": 3}", {.repeats = {5, 5, 0}}, "{\"repeats\":5}"},
		{"{\"repeats\": 3}",
		 {.repeats = {5, 30, 2}},
		 "{\"repeats\":{\"min\":5,\"max\":30,\"until_ci_percent\":2.0}}"},
		{"{\"repeats\": {\"max\": 9}}", {.repeats = {4, 4, 0}}, "{\"repeats\":4}"},
		{"{}", {.target = "file:/x/y"}, "{\"target\":{\"file\":\"/x/y\"}}"},
		{"{}", {.target = "device:/dev/a:b"}, "{\"target\":{\"device\":\"/dev/a:b\"}}"},
		{"{\"target\":{\"file\":\"/old\"}}",
		 {.target = "directory:/new"},
		 "{\"target\":{\"directory\":\"/new\"}}"},
		{"{\"targets\":[1],\"name\":\"a\"}",
		 {.target = "file:/f"},
		 "{\"name\":\"a\",\"target\":{\"file\":\"/f\"}}"},
		{"{\"override\":{\"bs\":\"4k\"}}",
		 {.override_count = 2, .overrides = (const char *const[]){"bs=8k", "size=1G"}},
		 "{\"override\":{\"bs\":\"8k\",\"size\":\"1G\"}}"},
		{"{}",
		 {.override_count = 1, .overrides = (const char *const[]){"filename=a=b"}},
		 "{\"override\":{\"filename\":\"a=b\"}}"},
		/* What is no object, or holds something odd, is left for the decoder's words. */
		{"[1]", {.repeats = {5, 5, 0}}, "[1]"},
		{"{\"override\":7}",
		 {.override_count = 1, .overrides = (const char *const[]){"bs=8k"}},
		 "{\"override\":7}"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = NULL;
		struct error err;

		assert_int_equal(amend_definition(cases[i].text, strlen(cases[i].text),
						  &cases[i].amendment, &text, &err),
				 0);
		assert_string_equal(text, cases[i].expected);
		free(text);
	}
}

static void test_refused(void **state)
{
	const struct {
		struct amendment amendment;
		const char *message; /* part of it */
	} cases[] = {
		{{.target = "/x/y"}, "--target takes file:PATH"},
		{{.target = "volume:/x"}, "--target takes file:PATH"},
		{{.target = "file:"}, "--target takes file:PATH"},
		{{.override_count = 1, .overrides = (const char *const[]){"bs"}}, "OPTION=VALUE"},
		{{.override_count = 1, .overrides = (const char *const[]){"=4k"}}, "OPTION=VALUE"},
	};
	char *text = NULL;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(amend_definition("{}", 2, &cases[i].amendment, &text, &err) < 0);
		assert_int_equal(err.code, ERROR_BAD_PARAMETER);
		assert_non_null(strstr(err.message, cases[i].message));
	}
	assert_true(amend_definition("{", 1, &cases[0].amendment, &text, &err) < 0);
	assert_int_equal(err.code, ERROR_JSON_INVALID);
	assert_null(text);
}

static void test_by_name(void **state)
{
	char *text = amend_by_name("a\"b");

	(void)state;
	assert_string_equal(text, "{\"definition\":\"a\\\"b\"}");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_amended),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
