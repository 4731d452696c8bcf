/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_output.c - documents handed out whole, in place of an older one, or refused early. */
#include "server/output.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void read_back(const char *path, char *buffer, size_t size)
{
	FILE *in = fopen(path, "re");

	assert_non_null(in);
	buffer[fread(buffer, 1, size - 1, in)] = '\0';
	assert_int_equal(fclose(in), 0);
}

static void test_written(void **state)
{
	char directory[] = "/var/tmp/run-output-XXXXXX", path[64], text[32];
	struct error err;

	(void)state;
	assert_non_null(mkdtemp(directory));
	(void)snprintf(path, sizeof(path), "%s/x.json", directory); /* fits */
	assert_int_equal(output_check(path, &err), 0);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(output_document(path, "{\"old\": 1}", 10, &err), 0);
	assert_int_equal(output_document(path, "{}\n\n", 4, &err), 0);
	read_back(path, text, sizeof(text));
	assert_string_equal(text, "{}\n");
	assert_int_equal(chdir(directory), 0);
	assert_int_equal(output_document("y.json", "{}", 2, &err), 0);
	read_back("y.json", text, sizeof(text));
	assert_string_equal(text, "{}\n");
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(unlink(path), 0);
	(void)snprintf(path, sizeof(path), "%s/y.json", directory); /* fits */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(directory), 0);
}

static void test_refused(void **state)
{
	static const char *const paths[] = {"/nowhere/at/all", "/dev/null/x", "/var/tmp/",
					    "/var/tmp/.."};
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		assert_true(output_check(paths[i], &err) < 0);
		assert_int_equal(err.code, ERROR_BAD_PARAMETER);
		assert_true(output_document(paths[i], "{}", 2, &err) < 0);
	}
	assert_int_equal(output_check("-", &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_written),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
