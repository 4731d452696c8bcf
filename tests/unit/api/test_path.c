/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_path.c - paths and parameters of URLs, whole and hostile. */
#include "api/router.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static enum error_code parse(const char *raw, struct path *path)
{
	struct error err = {0};
	int r = path_parse(raw, path, &err);

	assert_int_equal(r < 0, err.code != ERROR_NONE);
	return err.code;
}

static void test_good_paths(void **state)
{
	struct path path;

	(void)state;
	assert_int_equal(parse("/", &path), ERROR_NONE);
	assert_int_equal(path.count, 1);
	assert_string_equal(path.segments[0], "");
	assert_int_equal(parse("/api/v1/runs", &path), ERROR_NONE);
	assert_int_equal(path.count, 3);
	assert_string_equal(path.segments[2], "runs");
	assert_int_equal(parse("/runs/a%20b%2B+/", &path), ERROR_NONE);
	assert_int_equal(path.count, 3);
	assert_string_equal(path.segments[1], "a b++");
	assert_string_equal(path.segments[2], "");
	assert_int_equal(parse("/%e2%82%ac", &path), ERROR_NONE);
	assert_string_equal(path.segments[0], "\xe2\x82\xac");
}

static void test_bad_paths(void **state)
{
	static const char *const bad[] = {"",
					  "runs",
					  "*",
					  "http://localhost/",
					  "/a%2fb",
					  "/a%2Fb",
					  "/a%00",
					  "/a%00b",
					  "/a\\b",
					  "/a%5cb",
					  "//",
					  "/a//b",
					  "/.",
					  "/..",
					  "/a/../b",
					  "/a/%2e%2e/b",
					  "/%2e",
					  "/a%",
					  "/a%4",
					  "/a%zz",
					  "/a%0ab",
					  "/a%7f",
					  "/a\tb",
					  "/%ff",
					  "/%c0%af",
					  "/%e0%80%af",
					  "/%ed%a0%80",
					  "/%f4%90%80%80",
					  "/%80",
					  "/%e2%82",
					  "/%f5%80%80%80"};
	struct path path;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (parse(bad[i], &path) != ERROR_BAD_PATH)
			fail_msg("\"%s\" was taken", bad[i]);
}

static void test_limits(void **state)
{
	char raw[PATH_TEXT_MAX + 8];
	struct path path;

	(void)state;
	assert_int_equal(parse("/1/2/3/4/5/6/7/8", &path), ERROR_NONE);
	assert_int_equal(parse("/1/2/3/4/5/6/7/8/9", &path), ERROR_NOT_FOUND);
	memset(raw, 'a', sizeof(raw));
	raw[0] = '/';
	raw[PATH_TEXT_MAX] = '\0';
	assert_int_equal(parse(raw, &path), ERROR_NONE);
	assert_int_equal(strlen(path.segments[0]), PATH_TEXT_MAX - 1);
	raw[PATH_TEXT_MAX] = 'a';
	raw[PATH_TEXT_MAX + 1] = '\0';
	assert_int_equal(parse(raw, &path), ERROR_BAD_PATH);
}

static void test_parameters(void **state)
{
	static const char *const bad[] = {"%", "%4", "%zz", "%00", "a%0a", "%ff", "\x01"};
	struct error err;
	char *text;

	(void)state;
	assert_int_equal(path_decode_parameter("a+b%2Bc%2f", &text, &err), 0);
	assert_string_equal(text, "a b+c/");
	free(text);
	assert_int_equal(path_decode_parameter("", &text, &err), 0);
	assert_string_equal(text, "");
	free(text);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_true(path_decode_parameter(bad[i], &text, &err) < 0);
		assert_int_equal(err.code, ERROR_BAD_PARAMETER);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_paths),
		cmocka_unit_test(test_bad_paths),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_parameters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
