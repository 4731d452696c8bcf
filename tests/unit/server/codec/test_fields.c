/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_fields.c - members at and beyond their limits, each error with its pointer. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/codec/fields.h"
#include "server/codec/json.h"

static json_t *parse(const char *text)
{
	struct error err = {0};
	json_t *value = NULL;

	if (json_read_own(text, strlen(text), &value, &err) < 0)
		fail_msg("%s: %s", text, err.message);
	return value;
}

static void expect(const struct error *err, enum error_code code, const char *field)
{
	assert_string_equal(error_code_text(err->code), error_code_text(code));
	assert_string_equal(err->field, field);
	assert_true(err->message[0] != '\0');
}

static void numbers_do_not_wrap(void **state)
{
	static const uint64_t values[] = {
		0, 1, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX - 5000, UINT64_MAX};
	struct error err = {0};
	struct fields in;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		json_t *object = json_object(), *again;
		uint64_t value = 0;
		char *text;

		assert_int_equal(put_u64(object, "n", values[i]), 0);
		text = json_write(object);
		again = parse(text);
		assert_int_equal(fields_of(again, "", &err, &in), 0);
		assert_int_equal(get_u64(&in, "n", UINT64_MAX, &value), 0);
		if (values[i] <= INT64_MAX)
			assert_true(value == values[i]);
		else /* rounded to a double: they are 2048 apart here */
			assert_true(value >= values[i] - 2048 && value - 2048 <= values[i]);
		free(text);
		json_decref(object);
		json_decref(again);
	}
}

static void wrong_members_are_named(void **state)
{
	static const char *const wrongs[] = {"-1", "1.5", "\"7\"", "null", "[]", "101", "1e300"};
	struct error err;
	struct fields in;
	uint64_t number = 4711;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrongs); i++) {
		char text[64];
		json_t *object;

		(void)snprintf(text, sizeof(text), "{\"a/b\": %s}", wrongs[i]);
		object = parse(text);
		memset(&err, 0, sizeof(err));
		assert_int_equal(fields_of(object, "/up", &err, &in), 0);
		assert_int_equal(get_u64(&in, "a/b", 100, &number), -EINVAL);
		expect(&err,
		       json_is_number(json_object_get(object, "a/b")) ? ERROR_OUT_OF_RANGE
								      : ERROR_WRONG_TYPE,
		       "/up/a~1b");
		assert_true(number == 4711);
		json_decref(object);
	}
}

static void missing_members_are_named(void **state)
{
	json_t *object = parse("{}");
	struct error err = {0};
	const json_t *array;
	struct fields in, inner;
	char buffer[8], *text;
	uint64_t number;
	double real;
	bool flag;

	(void)state;
	assert_int_equal(fields_of(object, "", &err, &in), 0);
	assert_false(fields_have(&in, "x"));
	assert_int_equal(get_u64(&in, "x", 1, &number), -EINVAL);
	expect(&err, ERROR_MISSING_FIELD, "/x");
	assert_int_equal(get_real(&in, "x", 1, &real), -EINVAL);
	assert_int_equal(get_bool(&in, "x", &flag), -EINVAL);
	assert_int_equal(get_text(&in, "x", true, &text), -EINVAL);
	assert_int_equal(get_text_into(&in, "x", false, buffer, sizeof(buffer)), -EINVAL);
	assert_int_equal(get_time(&in, "x", &number), -EINVAL);
	assert_int_equal(get_array(&in, "x", 1, &array), -EINVAL);
	assert_int_equal(get_object(&in, "x", &inner), -EINVAL);
	assert_int_equal(get_schema(&in, "a/1"), -EINVAL);
	assert_int_equal(get_text_into(&in, "x", true, buffer, sizeof(buffer)), 0);
	assert_string_equal(buffer, "");
	json_decref(object);
}

static void reals_are_amounts(void **state)
{
	json_t *object = json_object();
	struct error err = {0};
	struct fields in;
	double value = -1;

	(void)state;
	assert_int_equal(put_real(object, "nan", NAN), 0);
	assert_int_equal(put_real(object, "negative", -0.5), 0);
	assert_int_equal(put_real(object, "third", 1.0 / 3), 0);
	assert_int_equal(fields_of(object, "", &err, &in), 0);
	assert_int_equal(get_real(&in, "nan", 1, &value), 0);
	assert_true(value == 0);
	assert_int_equal(get_real(&in, "negative", 1, &value), 0);
	assert_true(value == 0);
	assert_int_equal(get_real(&in, "third", 0.3, &value), -EINVAL);
	expect(&err, ERROR_OUT_OF_RANGE, "/third");
	assert_int_equal(get_real(&in, "third", 1, &value), 0);
	assert_true(value == 1.0 / 3);
	json_decref(object);
}

static void texts_fit_or_are_refused(void **state)
{
	json_t *object = json_object();
	struct error err = {0};
	struct fields in;
	char buffer[4] = "", *text = NULL;

	(void)state;
	assert_int_equal(put_text(object, "bad",
				  "a\xff"
				  "b"),
			 0);
	assert_int_equal(put_text(object, "four", "abcd"), 0);
	assert_int_equal(put_text(object, "empty", NULL), 0);
	assert_int_equal(put_text_if(object, "none", ""), 0);
	assert_int_equal(fields_of(object, "", &err, &in), 0);
	assert_int_equal(get_text_into(&in, "bad", false, buffer, sizeof(buffer)), 0);
	assert_string_equal(buffer, "a?b");
	assert_int_equal(get_text_into(&in, "four", false, buffer, sizeof(buffer)), -EINVAL);
	expect(&err, ERROR_OUT_OF_RANGE, "/four");
	assert_false(fields_have(&in, "none"));
	assert_int_equal(get_text(&in, "empty", true, &text), 0);
	assert_null(text);
	assert_int_equal(get_text(&in, "empty", false, &text), 0);
	assert_string_equal(text, "");
	free(text);
	json_decref(object);
}

static void times_are_exact(void **state)
{
	static const char *const wrongs[] = {
		"2026-11-30T11:30:00Z",	    "2026-11-30 11:30:00.123Z", "2026-13-30T11:30:00.123Z",
		"2026-02-30T11:30:00.123Z", "2026-11-30T11:30:00.123+", "2026-11-30T11:30:61.123Z",
		"20a6-11-30T11:30:00.123Z", "1969-11-30T11:30:00.123Z", ""};
	struct error err = {0};
	struct fields in;
	uint64_t wall_ms = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrongs); i++) {
		json_t *object = json_object();

		assert_int_equal(put_text(object, "t", wrongs[i]), 0);
		assert_int_equal(fields_of(object, "", &err, &in), 0);
		assert_int_equal(get_time(&in, "t", &wall_ms), -EINVAL);
		expect(&err, ERROR_BAD_VALUE, "/t");
		json_decref(object);
	}
	for (uint64_t t = 0; t < 4102444800000; t += 86400000ull * 17 + 3600123) {
		json_t *object = json_object();

		assert_int_equal(put_time(object, "t", t), 0);
		assert_int_equal(fields_of(object, "", &err, &in), 0);
		assert_int_equal(get_time(&in, "t", &wall_ms), 0);
		assert_true(wall_ms == t);
		json_decref(object);
	}
}

static void lists_and_objects_have_pointers(void **state)
{
	static const char *const names[] = {"one", "two"};
	json_t *object = parse("{\"list\": [{}, 5], \"pick\": \"two\", \"schema\": \"a/2\"}");
	const json_t *list = NULL;
	struct error err = {0};
	struct fields in, inner;
	size_t index = 9;

	(void)state;
	assert_int_equal(fields_of(object, "/r", &err, &in), 0);
	assert_int_equal(get_array(&in, "list", 1, &list), -EINVAL);
	expect(&err, ERROR_TOO_MANY, "/r/list");
	assert_int_equal(get_array(&in, "list", 2, &list), 0);
	assert_int_equal(get_element(&in, "list", list, 0, &inner), 0);
	assert_string_equal(inner.pointer, "/r/list/0");
	assert_int_equal(get_element(&in, "list", list, 1, &inner), -EINVAL);
	expect(&err, ERROR_WRONG_TYPE, "/r/list/1");
	assert_int_equal(get_choice(&in, "pick", names, 1, &index), -EINVAL);
	expect(&err, ERROR_BAD_VALUE, "/r/pick");
	assert_int_equal(get_choice(&in, "pick", names, 2, &index), 0);
	assert_int_equal(index, 1);
	assert_int_equal(get_schema(&in, "a/1"), -EINVAL);
	expect(&err, ERROR_UNSUPPORTED_SCHEMA, "/r/schema");
	assert_int_equal(get_schema(&in, "a/2"), 0);
	json_decref(object);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_do_not_wrap),
		cmocka_unit_test(wrong_members_are_named),
		cmocka_unit_test(missing_members_are_named),
		cmocka_unit_test(reals_are_amounts),
		cmocka_unit_test(texts_fit_or_are_refused),
		cmocka_unit_test(times_are_exact),
		cmocka_unit_test(lists_and_objects_have_pointers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
