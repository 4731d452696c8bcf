/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of server/codec/json.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/codec/json.h"

static void read_ok(const char *text)
{
	struct error err = {0};
	json_t *value = NULL;

	if (json_read(text, strlen(text), &value, &err) != 0)
		fail_msg("%s: %s", text, err.message);
	json_decref(value);
}

static void read_bad(const char *text, size_t size, enum error_code code, const char *place)
{
	struct error err = {0};
	json_t *value = NULL;

	if (json_read(text, size, &value, &err) == 0)
		fail_msg("%s was taken", text);
	assert_null(value);
	if (err.code != code)
		fail_msg("%s: %s, not %s (%s)", text, error_code_text(err.code),
			 error_code_text(code), err.message);
	if (!strstr(err.message, place))
		fail_msg("%s: \"%s\" lacks \"%s\"", text, err.message, place);
}

static void good_documents_are_read(void **state)
{
	(void)state;
	read_ok("{}");
	read_ok(" [1, -1.5e3, \"x\", null, true] \n");
	read_ok("9223372036854775807");
	read_ok("-9223372036854775808");
	read_ok("{\"a\\\"[[[[[[[[[[[[[[[[[[[[\": 1}");
	read_ok("[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]"); /* 16 */
}

static void bad_documents_say_where(void **state)
{
	static const struct {
		const char *text;
		enum error_code code;
		const char *place;
	} table[] = {
		{"", ERROR_JSON_INVALID, "line 1"},
		{"{", ERROR_JSON_INVALID, "line 1, column 1"},
		{"{\"a\": 1,\n \"a\": 2}", ERROR_JSON_INVALID, "line 2, column 4"},
		{"{} {}", ERROR_JSON_INVALID, "line 1, column 4"},
		{"[1,]", ERROR_JSON_INVALID, "line 1, column 4"},
		{"[01]", ERROR_JSON_INVALID, "line 1"},
		{"[NaN]", ERROR_JSON_INVALID, "line 1"},
		{"['a']", ERROR_JSON_INVALID, "line 1"},
		{"[1] // x", ERROR_JSON_INVALID, "line 1"},
		{"\"\xff\"", ERROR_JSON_INVALID, "line 1"},
		{"\"\xed\xa0\x80\"", ERROR_JSON_INVALID, "line 1"},
		{"\"\\ud800\"", ERROR_JSON_INVALID, "line 1"},
		{"\"a\\u0000b\"", ERROR_JSON_INVALID, "line 1"},
		{"{\"a\\u0000b\": 1}", ERROR_JSON_INVALID, "line 1"},
		{"\"a\nb\"", ERROR_JSON_INVALID, "line 1"},
		{"\xef\xbb\xbf{}", ERROR_JSON_INVALID, "line 1, column 1: the text begins"},
		{"9223372036854775808", ERROR_JSON_NUMBER, "line 1"},
		{"[1,\n-9223372036854775809]", ERROR_JSON_NUMBER, "line 2"},
		{"1e400", ERROR_JSON_NUMBER, "line 1"},
		{"[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]", ERROR_JSON_TOO_DEEP, "line 1, column 17"},
		{"[\n[[[[[[[[[[[[[[[\n {", ERROR_JSON_TOO_DEEP, "line 3, column 2"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		read_bad(table[i].text, strlen(table[i].text), table[i].code, table[i].place);
	read_bad("[1,\0 2]", 7, ERROR_JSON_INVALID, "line 1, column 4: a NUL byte");
	read_bad("{\"ä\":\n \0}", 10, ERROR_JSON_INVALID, "line 2, column 2: a NUL byte");
}

static void size_is_bounded(void **state)
{
	char *text = malloc(JSON_TEXT_MAX + 1);
	json_t *value = NULL;

	(void)state;
	memset(text, ' ', JSON_TEXT_MAX + 1);
	text[0] = '1';
	assert_int_equal(json_read(text, JSON_TEXT_MAX, &value, NULL), 0);
	json_decref(value);
	value = NULL;
	read_bad(text, JSON_TEXT_MAX + 1, ERROR_BODY_TOO_LARGE, "1048577 bytes");
	free(text);
}

static void hostile_nesting_uses_no_stack(void **state)
{
	const size_t size = 1 << 20;
	char *text = malloc(size);

	(void)state;
	memset(text, '[', size);
	read_bad(text, size, ERROR_JSON_TOO_DEEP, "column 17");
	free(text);
}

static void own_documents_may_nest_deeper(void **state)
{
	char text[130];
	json_t *value = NULL;
	struct error err;

	(void)state;
	memset(text, '[', 65);
	memset(text + 65, ']', 65);
	assert_int_equal(json_read_own(text + 1, 128, &value, &err), 0);
	json_decref(value);
	assert_true(json_read_own(text, 130, &value, &err) < 0);
	assert_int_equal(err.code, ERROR_JSON_TOO_DEEP);
}

static void writing_is_compact_and_exact(void **state)
{
	static const char *const same[] = {
		"{\"b\":1,\"a\":[true,false,null,-5,\"x\\\"\\\\\\n\\u0001\"]}",
		"[0.1,1.0,1e+300,-2.5,123456789.123]",
		"\"ä€😀\"",
		"[]",
	};
	char *text;
	json_t *value;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(same); i++) {
		assert_int_equal(json_read(same[i], strlen(same[i]), &value, NULL), 0);
		text = json_write(value);
		assert_string_equal(text, same[i]);
		free(text);
		json_decref(value);
	}
	value = json_string("</script>");
	text = json_write(value);
	assert_string_equal(text, "\"\\u003c/script>\"");
	free(text);
	json_decref(value);
	assert_null(json_write(NULL));
}

static void pointers_escape_and_never_overrun(void **state)
{
	char pointer[ERROR_FIELD_MAX], small[8], fits[9];

	(void)state;
	json_pointer_member(pointer, sizeof(pointer), "", "a~b/c");
	assert_string_equal(pointer, "/a~0b~1c");
	json_pointer_index(pointer, sizeof(pointer), pointer, 12);
	assert_string_equal(pointer, "/a~0b~1c/12");
	json_pointer_member(small, sizeof(small), "/a", "b€€");
	assert_string_equal(small, "/a/b€");
	json_pointer_index(fits, sizeof(fits), "/abc", 1234);
	assert_string_equal(fits, "/abc/");
}

static void unknown_members_are_named(void **state)
{
	static const char *const names[] = {"name", "size", NULL};
	json_t *good = json_pack("{s:i}", "size", 1);
	json_t *bad = json_pack("{s:i, s:i}", "name", 1, "si/ze", 2);
	struct error err;

	(void)state;
	assert_int_equal(json_only_members(good, "/x", names, &err), 0);
	assert_true(json_only_members(bad, "/x", names, &err) < 0);
	assert_int_equal(err.code, ERROR_UNKNOWN_FIELD);
	assert_string_equal(err.field, "/x/si~1ze");
	assert_non_null(strstr(err.message, "name, size"));
	json_decref(good);
	json_decref(bad);
}

static void errors_travel_as_documents(void **state)
{
	struct error err, back;
	json_t *value;

	(void)state;
	(void)error_set_sys(&err, ERROR_IO_ERROR, 5, "reading \xff");
	value = json_error(&err);
	assert_non_null(value);
	json_error_read(value, &back);
	assert_int_equal(back.code, ERROR_IO_ERROR);
	assert_int_equal(back.sys, 5);
	assert_non_null(strstr(back.message, "reading ?: "));
	json_decref(value);

	(void)error_set(&err, ERROR_UNKNOWN_FIELD, "/a", "what");
	value = json_problem(&err, 422);
	assert_int_equal(json_integer_value(json_object_get(value, "status")), 422);
	assert_string_equal(json_string_value(json_object_get(value, "code")), "unknown_field");
	assert_string_equal(json_string_value(json_object_get(value, "title")), "Unknown field");
	assert_string_equal(json_string_value(json_object_get(value, "field")), "/a");
	json_decref(value);

	value = json_pack("{s:s, s:i}", "code", "from_the_future", "sys", -4);
	json_error_read(value, &back);
	assert_int_equal(back.code, ERROR_SYSTEM);
	assert_int_equal(back.sys, 0);
	json_decref(value);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_documents_are_read),
		cmocka_unit_test(bad_documents_say_where),
		cmocka_unit_test(size_is_bounded),
		cmocka_unit_test(hostile_nesting_uses_no_stack),
		cmocka_unit_test(own_documents_may_nest_deeper),
		cmocka_unit_test(writing_is_compact_and_exact),
		cmocka_unit_test(pointers_escape_and_never_overrun),
		cmocka_unit_test(unknown_members_are_named),
		cmocka_unit_test(errors_travel_as_documents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
