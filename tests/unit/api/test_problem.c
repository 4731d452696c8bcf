/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_problem.c - every code has its status; the document says what RFC 9457 asks for. */
#include "api/problem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "server/codec/json.h"

static void test_every_code_has_a_status(void **state)
{
	(void)state;
	for (int i = ERROR_NONE + 1; i < ERROR_CODE_COUNT; i++) {
		enum error_code code = (enum error_code)i;
		int status = problem_status(code);

		/* 500 is what a code without an entry gets: only these two mean it */
		if (status == 500 && code != ERROR_SYSTEM && code != ERROR_IO_ERROR &&
		    code != ERROR_VERIFY_FAILED)
			fail_msg("%s has no status", error_code_text(code));
		assert_in_range(status, 400, 599);
	}
	assert_int_equal(problem_status(ERROR_NONE), 500);
	assert_int_equal(problem_status((enum error_code)12345), 500);
}

static void test_promised_statuses(void **state)
{
	static const struct {
		enum error_code code;
		int status;
	} promised[] = {
		{ERROR_BAD_HOST, 400},
		{ERROR_HOST_NOT_ALLOWED, 421},
		{ERROR_CROSS_ORIGIN, 403},
		{ERROR_CONTENT_TYPE, 415},
		{ERROR_FRAMING, 400},
		{ERROR_TRANSFER_ENCODING, 501},
		{ERROR_BODY_TOO_LARGE, 413},
		{ERROR_EXPECTATION, 417},
		{ERROR_METHOD_UNKNOWN, 501},
		{ERROR_METHOD_NOT_ALLOWED, 405},
		{ERROR_BAD_PATH, 400},
		{ERROR_BAD_ID, 400},
		{ERROR_NOT_FOUND, 404},
		{ERROR_JSON_INVALID, 400},
		{ERROR_JSON_TOO_DEEP, 400},
		{ERROR_JSON_NUMBER, 400},
		{ERROR_UNKNOWN_FIELD, 422},
		{ERROR_BAD_SIZE, 422},
		{ERROR_OUT_OF_RANGE, 422},
		{ERROR_QUEUE_FULL, 503},
		{ERROR_STORAGE_FULL, 507},
		{ERROR_MEMORY_LIMIT, 503},
		{ERROR_IDEMPOTENCY_MISMATCH, 409},
		{ERROR_TARGET_NOT_ALLOWED, 403},
		{ERROR_TARGET_TYPE, 422},
		{ERROR_FILE_EXISTS, 409},
		{ERROR_TARGET_BUSY, 409},
		{ERROR_TARGET_HAS_SIGNATURE, 409},
		{ERROR_TARGET_NOT_BLANK, 409},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(promised); i++)
		assert_int_equal(problem_status(promised[i].code), promised[i].status);
}

static void test_when_to_try_again(void **state)
{
	(void)state;
	for (int i = ERROR_NONE + 1; i < ERROR_CODE_COUNT; i++) {
		enum error_code code = (enum error_code)i;
		bool later = problem_status(code) == 503 || problem_status(code) == 507;

		assert_int_equal(problem_retry_after_s(code) > 0, later);
	}
}

static void test_document(void **state)
{
	struct error err;
	json_t *value = NULL;
	char *text;

	(void)state;
	(void)error_set(&err, ERROR_BAD_SIZE, "/workloads/0/bs", "\"<4kib?>\" is not a size");
	text = problem_text(&err);
	assert_non_null(text);
	assert_int_equal(json_read(text, strlen(text), &value, &err), 0);
	assert_string_equal(json_string_value(json_object_get(value, "code")), "bad_size");
	assert_string_equal(json_string_value(json_object_get(value, "field")), "/workloads/0/bs");
	assert_string_equal(json_string_value(json_object_get(value, "detail")),
			    "\"<4kib?>\" is not a size");
	assert_int_equal(json_integer_value(json_object_get(value, "status")), 422);
	assert_non_null(json_string_value(json_object_get(value, "type")));
	assert_non_null(json_string_value(json_object_get(value, "title")));
	json_decref(value);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_code_has_a_status),
		cmocka_unit_test(test_promised_statuses),
		cmocka_unit_test(test_when_to_try_again),
		cmocka_unit_test(test_document),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
