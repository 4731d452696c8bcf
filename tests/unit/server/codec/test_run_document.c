/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of server/codec/run_document.c: there and back, newer, damaged, composed. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/codec/json.h"
#include "server/codec/run_document.h"
#include "tests/unit/server/codec/fixture.h"

static const struct run_document run = {.id = "20261130-113000-abcdef",
					.number = 7,
					.name = "a \"quoted\" <name>",
					.created_wall_ms = 1795865400123,
					.samples_total = 36,
					.key = "k",
					.digest = "d"};

static void test_run(void **state)
{
	struct run_document back = {0};
	struct error err = {0};
	char *text, *definition;

	(void)state;
	assert_int_equal(run_document_encode(&run, "{\"name\":\"x\"}", &text, NULL), 0);
	assert_int_equal(text[strlen(text) - 1], '\n');
	assert_int_equal(run_document_decode(text, strlen(text), &back, &definition, NULL), 0);
	assert_memory_equal(&run, &back, sizeof(run));
	assert_string_equal(definition, "{\"name\":\"x\"}");
	free(definition);
	for (size_t i = 1; i < strlen(text) - 2; i++) /* cut anywhere, it is no document */
		assert_true(run_document_decode(text, i, &back, NULL, &err) < 0);
	free(text);
	assert_int_equal(run_document_encode(&run, "{", &text, &err), -EINVAL);
}

static void test_run_damaged(void **state)
{
	static const struct {
		const char *text;
		enum error_code code;
	} cases[] = {
		{"[]", ERROR_WRONG_TYPE},
		{"{}", ERROR_MISSING_FIELD},
		{"{\"schema\":\"volbench.state/1\"}", ERROR_UNSUPPORTED_SCHEMA},
		{"{\"schema\":\"volbench.run/0\"}", ERROR_UNSUPPORTED_SCHEMA},
		{"{\"schema\":\"volbench.run/1x\"}", ERROR_UNSUPPORTED_SCHEMA},
		{"{\"schema\":\"volbench.run/1\",\"id\":1}", ERROR_WRONG_TYPE},
		{"{\"schema\":\"volbench.run/1\",\"id\":\"i\",\"number\":-1}", ERROR_OUT_OF_RANGE},
		{"{\"schema\":\"volbench.run/1\",\"id\":\"i\",\"number\":1,\"name\":\"n\","
		 "\"created\":\"yesterday\"}",
		 ERROR_BAD_VALUE},
		{"{\"schema\":\"volbench.run/1\",\"id\":\"i\",\"number\":1,\"name\":\"n\","
		 "\"created\":\"2026-11-30T11:30:00.000Z\",\"planned_samples\":10001}",
		 ERROR_OUT_OF_RANGE},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct run_document back;
		struct error err = {0};

		assert_true(run_document_decode(cases[i].text, strlen(cases[i].text), &back, NULL,
						&err) < 0);
		if (err.code != cases[i].code)
			print_error("%s: %s\n", cases[i].text, err.message);
		assert_int_equal(err.code, cases[i].code);
	}
}

static void test_newer(void **state)
{
	static const char text[] =
		"{\"schema\":\"volbench.run/12\",\"id\":\"i\",\"number\":1,\"name\":\"n\","
		"\"created\":\"2026-11-30T11:30:00.000Z\",\"planned_samples\":1,"
		"\"definition\":{},\"more\":[]}";
	static const char definition[] = "{\"schema\":\"volbench.definition/2\"}";
	struct run_document back;

	(void)state;
	assert_int_equal(run_document_decode(text, strlen(text), &back, NULL, NULL), 0);
	assert_true(back.newer);
	assert_true(document_is_newer(text, strlen(text), "volbench.run", 1));
	assert_true(document_is_newer(text, strlen(text), "volbench.run", 11));
	assert_false(document_is_newer(text, strlen(text), "volbench.run", 12));
	assert_false(document_is_newer(text, strlen(text), "volbench.ru", 1));
	assert_false(document_is_newer(text, 10, "volbench.run", 1));
	assert_true(document_is_newer(definition, strlen(definition), "volbench.definition", 1));
}

static void test_state(void **state)
{
	struct state_document written = {.state = RUN_FAILED,
					 .started_wall_ms = 1795865400123,
					 .ended_wall_ms = 1795865401000,
					 .samples_done = 3},
			      back = {0};
	char *text, *findings = NULL;

	(void)state;
	(void)error_set_sys(&written.error, ERROR_IO_ERROR, EIO, "a read failed");
	assert_int_equal(state_document_encode(&written, "[{\"code\":\"c\"}]", &text, NULL), 0);
	assert_int_equal(state_document_decode(text, strlen(text), &back, &findings, NULL), 0);
	assert_string_equal(findings, "[{\"code\":\"c\"}]");
	assert_int_equal(back.state, RUN_FAILED);
	assert_int_equal(back.started_wall_ms, written.started_wall_ms);
	assert_int_equal(back.ended_wall_ms, written.ended_wall_ms);
	assert_int_equal(back.samples_done, 3);
	assert_int_equal(back.error.code, ERROR_IO_ERROR);
	assert_int_equal(back.error.sys, EIO);
	assert_string_equal(back.error.message, written.error.message);
	free(findings);
	free(text);
	assert_int_equal(back.repeats.end, REPEATS_END_NONE);
	written = (struct state_document){.state = RUN_DONE,
					  .repeats = {REPEATS_END_MOST, 30, 30, 2.5, 2}};
	assert_int_equal(state_document_encode(&written, NULL, &text, NULL), 0);
	assert_int_equal(state_document_decode(text, strlen(text), &back, NULL, NULL), 0);
	fixture_same_outcome(&back.repeats, &written.repeats);
	free(text);
	written = (struct state_document){.state = RUN_QUEUED};
	assert_int_equal(state_document_encode(&written, NULL, &text, NULL), 0);
	assert_int_equal(state_document_decode(text, strlen(text), &back, &findings, NULL), 0);
	assert_null(findings);
	assert_int_equal(back.started_wall_ms, 0);
	assert_int_equal(back.error.code, ERROR_NONE);
	free(text);
}

static void test_result_head(void **state)
{
	const struct state_document running = {.state = RUN_RUNNING, .started_wall_ms = 1};
	const char *started = "{\"plan\":{\"findings\":[{\"code\":\"a\"}],\"samples\":[1]},"
			      "\"backend\":\"null\",\"targets\":[{}]}";
	struct state_document back = {0};
	struct error err = {0};
	json_t *value = NULL;
	char *head, *whole = NULL, *started_text;

	(void)state;
	assert_int_equal(started_document_encode(started, &started_text, NULL), 0);
	assert_non_null(strstr(started_text, STARTED_SCHEMA));
	/* A name cannot end the head early. */
	assert_int_equal(result_head_encode(&run, "{\"name\":\",\\\"samples\\\":[\"}", &running,
					    started_text, "[{\"code\":\"b\"}]", &head, NULL),
			 0);
	assert_true(asprintf(&whole, "%s{\"order\":0},{\"order\":1}" RESULT_TAIL, head) > 0);
	assert_int_equal(json_read_own(whole, strlen(whole), &value, NULL), 0);
	assert_int_equal(json_array_size(json_object_get(value, "samples")), 2);
	assert_int_equal(json_array_size(json_object_get(value, "findings")), 2);
	assert_string_equal(json_string_value(json_object_get(value, "backend")), "null");
	assert_null(json_object_get(value, "plan"));
	assert_null(json_object_get(value, "environment"));
	assert_int_equal(result_head_decode(whole, strlen(whole), &back, &err), 0);
	assert_int_equal(back.state, RUN_RUNNING);
	assert_int_equal(back.started_wall_ms, 1);
	assert_true(result_head_decode("{}", 2, &back, &err) < 0);
	json_decref(value);
	free(whole);
	free(head);
	free(started_text);
	assert_true(started_document_encode("[]", &started_text, &err) < 0);
	assert_int_equal(document_check("{} ", 3, NULL), 0);
	assert_true(document_check("{}}", 3, NULL) < 0);
	assert_true(document_check("1", 1, NULL) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run),	    cmocka_unit_test(test_run_damaged),
		cmocka_unit_test(test_newer),	    cmocka_unit_test(test_state),
		cmocka_unit_test(test_result_head),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
