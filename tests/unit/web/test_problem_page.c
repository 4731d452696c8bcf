/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_problem_page.c - errors for a reader: valid, escaped, each with what to do next. */
#include "web/problem_page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/web/hostile.h"
#include "tests/unit/web/xml.h"

static char *page_of(int status, const struct error *err)
{
	char *page = page_problem(status, err);

	assert_non_null(page);
	assert_true(xml_valid(page, strlen(page)));
	return page;
}

static void assert_says(int status, enum error_code code, const char *message,
			const char *const *texts)
{
	struct error err = {0};
	char *page;

	(void)error_set(&err, code, "", "%s", message);
	page = page_of(status, &err);
	for (; *texts; texts++)
		if (!strstr(page, *texts)) {
			print_error("no \"%s\"\n", *texts);
			fail();
		}
	free(page);
}

#define SAYS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_what_is_wrong_and_what_next(void **state)
{
	(void)state;
	assert_says(404, ERROR_NOT_FOUND, "there is no such run",
		    SAYS("<h1>There is nothing here</h1>", "There is no such run.",
			 "may have been removed", "href=\"/\"", "HTTP status 404",
			 "<code>not_found</code>"));
	assert_says(405, ERROR_METHOD_NOT_ALLOWED, "DELETE is not possible here, but GET, HEAD",
		    SAYS(">DELETE is not possible here, but GET, HEAD.<", "openapi.yaml",
			 "HTTP status 405"));
	assert_says(400, ERROR_BAD_ID, "a run's id looks like 20260131-235959-a1b2c3",
		    SAYS("A run&#39;s id looks like", "list of runs", "HTTP status 400"));
	assert_says(409, ERROR_NOT_FINISHED, "the run x is still queued",
		    SAYS("<h1>Not yet</h1>", "Load this page again once", "HTTP status 409"));
	assert_says(503, ERROR_ENGINE_BUSY, "too many requests wait",
		    SAYS("<h1>Not just now</h1>", "again in a minute", "HTTP status 503"));
	assert_says(421, ERROR_HOST_NOT_ALLOWED, "Host must be localhost",
		    SAYS("ssh -L", "--listen"));
	assert_says(503, ERROR_READ_ONLY, "the store writes no more",
		    SAYS("--state", "journalctl"));
	assert_says(500, ERROR_SYSTEM, "the disk is gone", SAYS("journalctl", "HTTP status 500"));
}

/* A name at a message's beginning stays as it is, and no full stop is doubled. */
static void test_sentences(void **state)
{
	(void)state;
	assert_says(400, ERROR_BAD_PARAMETER, "fail_if has no such limit",
		    SAYS(">fail_if has no such"));
	assert_says(400, ERROR_BAD_PARAMETER, "done.", SAYS(">done.<"));
	assert_says(400, ERROR_BAD_PARAMETER, "", SAYS(">This could not be done.<"));
}

static void test_every_code_has_a_page(void **state)
{
	(void)state;
	static const int statuses[] = {400, 403, 404, 405, 409, 413, 415, 417,
				       421, 422, 431, 500, 501, 502, 503, 507};

	for (size_t i = 0; i < ARRAY_SIZE(statuses) * ERROR_CODE_COUNT; i++) {
		struct error err = {.code = (enum error_code)(i % ERROR_CODE_COUNT)};
		char *page = page_of(statuses[i / ERROR_CODE_COUNT], &err);

		assert_non_null(strstr(page, error_code_text(err.code)));
		assert_non_null(strstr(page, "href=\"/\">All runs"));
		free(page);
	}
}

static void test_hostile_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(hostile_texts); i++) {
		struct error err = {0};
		char *page;

		(void)error_set(&err, ERROR_IO_ERROR, hostile_texts[i], "%s", hostile_texts[i]);
		page = page_of(422, &err);
		assert_non_null(strstr(page, "HTTP status 422"));
		free(page);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_wrong_and_what_next),
		cmocka_unit_test(test_sentences),
		cmocka_unit_test(test_every_code_has_a_page),
		cmocka_unit_test(test_hostile_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
