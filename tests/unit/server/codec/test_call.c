/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_call.c - the engine's requests: what is understood, what is refused and with which words. */
#include "server/codec/call.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define DEFINITION                                                                                 \
	"{\"name\":\"d\",\"target\":{\"file\":\"/x/y\"},\"workloads\":[{\"name\":\"w\","           \
	"\"rw\":\"read\",\"size\":\"1M\"}]}"

static void test_understood(void **state)
{
	static const struct {
		const char *line;
		enum call_kind kind;
	} cases[] = {
		{"{\"call\": \"targets\"}\n", CALL_TARGETS},
		{"{\"call\": \"system\"}", CALL_SYSTEM},
		{"{\"call\": \"sweep\"}", CALL_SWEEP},
		{"{\"call\": \"cancel\"}", CALL_CANCEL},
		{"{\"call\": \"plan\", \"definition\": " DEFINITION "}", CALL_PLAN},
		{"{\"call\": \"run\", \"run\": \"r-1\", \"definition\": " DEFINITION "}\n",
		 CALL_RUN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct call call;
		struct error err;

		assert_int_equal(call_read(cases[i].line, strlen(cases[i].line), &call, &err), 0);
		assert_int_equal(call.kind, cases[i].kind);
		if (call.kind == CALL_RUN)
			assert_string_equal(call.run_id, "r-1");
		if (call.kind == CALL_RUN || call.kind == CALL_PLAN) {
			assert_string_equal(call.definition.name, "d");
			assert_true(call.definition.seed_given);
		}
		call_done(&call);
	}
}

static void test_refused(void **state)
{
	static const struct {
		const char *line;
		enum error_code code;
		const char *field;
	} cases[] = {
		{"", ERROR_JSON_INVALID, ""},
		{"7", ERROR_WRONG_TYPE, ""},
		{"{\"call\": 7}", ERROR_MISSING_FIELD, ""},
		{"{\"call\": \"sing\"}", ERROR_BAD_VALUE, ""},
		{"{\"call\": \"system\", \"x\": 1}", ERROR_UNKNOWN_FIELD, "/x"},
		{"{\"call\": \"plan\"}", ERROR_MISSING_FIELD, ""},
		{"{\"call\": \"run\", \"definition\": " DEFINITION "}", ERROR_MISSING_FIELD, ""},
		{"{\"call\": \"run\", \"run\": \"a/b\", \"definition\": " DEFINITION "}",
		 ERROR_BAD_ID, ""},
		{"{\"call\": \"run\", \"run\": \"a b\", \"definition\": " DEFINITION "}",
		 ERROR_BAD_ID, ""},
		{"{\"call\": \"plan\", \"definition\": {\"name\": \"d\", \"workloads\": 1}}",
		 ERROR_WRONG_TYPE, "/workloads"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err = {.code = ERROR_NONE};
		struct call call;

		assert_true(call_read(cases[i].line, strlen(cases[i].line), &call, &err) < 0);
		if (err.code != cases[i].code || strcmp(err.field, cases[i].field) != 0)
			fail_msg("case %zu: %s %s %s", i, error_code_text(err.code), err.field,
				 err.message);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_understood),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
