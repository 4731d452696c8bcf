/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_router.c - each call finds its handler, each other address its refusal; and openapi.yaml
 * has the same calls. */
#include "api/router.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "api/handlers.h"
#include "engine/base/embedded.h"

#define ID "20260131-235959-a1b2c3"

static const struct route *find(enum method method, const char *raw, char *allow,
				enum error_code *ret_code)
{
	const struct route *route = NULL;
	static struct path path;
	struct error err = {0};

	assert_int_equal(path_parse(raw, &path, &err), 0);
	if (router_find(method, &path, &route, allow, &err) == 0)
		assert_int_equal(err.code, ERROR_NONE);
	*ret_code = err.code;
	return route;
}

static void test_calls(void **state)
{
	static const struct {
		enum method method;
		const char *path;
		void (*handle)(struct request *request);
	} calls[] = {
		{METHOD_POST, "/api/v1/plan", handle_plan},
		{METHOD_POST, "/api/v1/runs", handle_runs_post},
		{METHOD_GET, "/api/v1/runs", handle_runs_list},
		{METHOD_HEAD, "/api/v1/runs", handle_runs_list},
		{METHOD_GET, "/api/v1/runs/" ID, handle_run_get},
		{METHOD_DELETE, "/api/v1/runs/" ID, handle_run_delete},
		{METHOD_GET, "/api/v1/runs/" ID "/analysis", handle_run_analysis},
		{METHOD_GET, "/api/v1/comparisons", handle_comparisons},
		{METHOD_GET, "/compare", handle_page_compare},
		{METHOD_GET, "/api/v1/runs/" ID "/result.csv", handle_run_csv},
		{METHOD_PUT, "/api/v1/definitions/mine", handle_definition_put},
		{METHOD_GET, "/", handle_page_runs},
		{METHOD_GET, "/runs/" ID, handle_page_run_redirect},
		{METHOD_GET, "/runs/" ID "/", handle_page_run},
		{METHOD_GET, "/runs/" ID "/chart-001.svg", handle_page_run_file},
		{METHOD_GET, "/static/style.css", handle_static},
	};
	char allow[ROUTE_ALLOW_MAX];
	enum error_code code;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		const struct route *route = find(calls[i].method, calls[i].path, allow, &code);

		assert_int_equal(code, ERROR_NONE);
		assert_true(route && route->handle == calls[i].handle);
	}
}

static void test_refusals(void **state)
{
	char allow[ROUTE_ALLOW_MAX];
	enum error_code code;

	(void)state;
	(void)find(METHOD_GET, "/api/v1/nothing", allow, &code);
	assert_int_equal(code, ERROR_NOT_FOUND);
	(void)find(METHOD_GET, "/api/v1/runs/", allow, &code);
	assert_int_equal(code, ERROR_NOT_FOUND);
	(void)find(METHOD_GET, "/static/", allow, &code);
	assert_int_equal(code, ERROR_NOT_FOUND);
	(void)find(METHOD_GET, "/static/.tmp-x", allow, &code);
	assert_int_equal(code, ERROR_NOT_FOUND);
	(void)find(METHOD_GET, "/api/v1/runs/nobody", allow, &code);
	assert_int_equal(code, ERROR_BAD_ID);
	(void)find(METHOD_GET, "/api/v1/definitions/a b", allow, &code);
	assert_int_equal(code, ERROR_BAD_NAME);
	(void)find(METHOD_POST, "/api/v1/definitions/mine", allow, &code);
	assert_int_equal(code, ERROR_METHOD_NOT_ALLOWED);
	assert_string_equal(allow, "GET, HEAD, PUT, DELETE");
	(void)find(METHOD_TRACE, "/", allow, &code);
	assert_int_equal(code, ERROR_METHOD_NOT_ALLOWED);
	assert_string_equal(allow, "GET, HEAD");
	/* whether the call is there comes before what its name is like */
	(void)find(METHOD_POST, "/api/v1/runs/nobody", allow, &code);
	assert_int_equal(code, ERROR_METHOD_NOT_ALLOWED);
}

static void test_segments(void **state)
{
	char allow[ROUTE_ALLOW_MAX];
	const struct route *route = NULL;
	struct path path;
	struct error err;

	(void)state;
	assert_int_equal(path_parse("/runs/" ID "/a%20b.svg", &path, &err), 0);
	assert_int_equal(router_find(METHOD_GET, &path, &route, allow, &err), 0);
	assert_string_equal(router_segment(route, &path, "{id}"), ID);
	assert_string_equal(router_segment(route, &path, "{file}"), "a b.svg");
	assert_string_equal(router_segment(route, &path, "{name}"), "");
}

static void test_methods(void **state)
{
	enum method method;
	struct error err = {0};

	(void)state;
	assert_int_equal(method_find("DELETE", &method, &err), 0);
	assert_int_equal(method, METHOD_DELETE);
	assert_true(method_find("delete", &method, &err) < 0);
	assert_int_equal(err.code, ERROR_METHOD_UNKNOWN);
	assert_true(method_find("", &method, &err) < 0);
	assert_true(method_safe(METHOD_HEAD));
	assert_false(method_safe(METHOD_PATCH));
	assert_false(method_safe(METHOD_CONNECT));
}

/* Every route stands in openapi.yaml under its path, and no path there is without a route. */
static void test_openapi_has_the_same_calls(void **state)
{
	const struct embedded *file = embedded_find("openapi.yaml");
	char line[128], method[16];
	size_t described = 0;

	(void)state;
	assert_non_null(file);
	for (size_t i = 0; i < route_count; i++) {
		const char *entry, *next;

		(void)snprintf(line, sizeof(line), "\n  %s:\n", routes[i].pattern);
		entry = strstr(file->data, line);
		if (!entry) {
			fail_msg("openapi.yaml lacks the path %s", routes[i].pattern);
			continue; /* not reached, which not every build knows */
		}
		next = strstr(entry + 1, "\n  /");
		(void)snprintf(method, sizeof(method), "\n    %s:\n",
			       routes[i].method == METHOD_GET	 ? "get"
			       : routes[i].method == METHOD_POST ? "post"
			       : routes[i].method == METHOD_PUT	 ? "put"
								 : "delete");
		entry = strstr(entry, method);
		if (!entry || (next && entry > next))
			fail_msg("openapi.yaml lacks %s of %s", method_names[routes[i].method],
				 routes[i].pattern);
	}
	for (const char *p = file->data; (p = strstr(p, "\n      operationId: ")); p++)
		described++;
	assert_int_equal(described, route_count);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_segments),
		cmocka_unit_test(test_methods),
		cmocka_unit_test(test_openapi_has_the_same_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
