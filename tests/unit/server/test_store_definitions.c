/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of server/store_definitions.c. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/server/store_fixture.h"

static void free_names(char **names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
}

static void test_definitions(void **state)
{
	static const char *const bad[] = {"", ".hidden", "a/b", "a b", "ä", "../x"};
	struct store *store = fixture_open();
	struct error err = {0};
	char name[66], **names, *text;
	size_t count;
	bool created;

	(void)state;
	assert_int_equal(store_put_definition(store, "b", "{\"name\":\"1\"}", &created, NULL), 0);
	assert_true(created);
	assert_int_equal(store_put_definition(store, "b", "{\"name\":\"2\"}", &created, NULL), 0);
	assert_false(created);
	assert_int_equal(store_put_definition(store, "A.1_x-", "{}", &created, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(store_put_definition(store, bad[i], "{}", &created, &err),
				 -EINVAL);
		assert_int_equal(err.code, ERROR_BAD_NAME);
	}
	memset(name, 'n', sizeof(name));
	name[65] = '\0';
	assert_false(store_definition_name_ok(name));
	name[64] = '\0';
	assert_int_equal(store_put_definition(store, name, "{}", &created, NULL), 0);
	store_close(store);
	fixture_write("definitions/broken.json", "{");
	fixture_write("definitions/newer.json", "{\"schema\":\"volbench.definition/2\"}");
	store = fixture_open();
	assert_int_equal(store_problem_count(store), 1);
	assert_true(fixture_exists("set-aside/broken.json"));
	assert_int_equal(store_list_definitions(store, &names, &count), 0);
	assert_int_equal(count, 4);
	assert_string_equal(names[0], "A.1_x-");
	assert_string_equal(names[1], "b");
	assert_string_equal(names[2], "newer");
	free_names(names, count);
	assert_int_equal(store_get_definition(store, "b", &text, NULL), 0);
	assert_string_equal(text, "{\"name\":\"2\"}");
	free(text);
	assert_int_equal(store_put_definition(store, "newer", "{}", &created, &err), -EINVAL);
	assert_int_equal(err.code, ERROR_UNSUPPORTED_SCHEMA);
	assert_int_equal(store_remove_definition(store, "newer", &err), -EINVAL);
	assert_int_equal(store_remove_definition(store, "b", NULL), 0);
	assert_int_equal(store_remove_definition(store, "b", &err), -ENOENT);
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	assert_int_equal(store_get_definition(store, "b", &text, &err), -ENOENT);
	store_close(store);
}

static void test_definitions_limit(void **state)
{
	struct store *store = fixture_open();
	struct error err = {0};
	char path[64];
	bool created;

	(void)state;
	for (int i = 0; i < STORE_DEFINITIONS_MAX - 1; i++) {
		(void)snprintf(path, sizeof(path), "definitions/d%04d.json", i);
		fixture_write(path, "{}");
	}
	assert_int_equal(store_put_definition(store, "last", "{}", &created, NULL), 0);
	assert_int_equal(store_put_definition(store, "more", "{}", &created, &err), -EINVAL);
	assert_int_equal(err.code, ERROR_TOO_MANY);
	assert_int_equal(store_put_definition(store, "last", "{}", &created, NULL), 0);
	store_close(store);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_make, fixture_remove)
	const struct CMUnitTest tests[] = {
		TEST(test_definitions),
		TEST(test_definitions_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
