/* SPDX-License-Identifier: GPL-3.0-or-later */
/* router.c - the table of all calls: see router.h. openapi.yaml says the same for people. */
#include "api/router.h"

#include <string.h>

#include "api/handlers.h"
#include "engine/base/file.h"
#include "server/store.h"

static const char *const test_parameters[] = {"target", "name", "repeats", NULL};
static const char *const import_parameters[] = {"name",	  "description", "factor", "label",
						"format", "file",	 NULL};
static const char *const list_parameters[] = {"state", "limit", "cursor", NULL};
static const char *const wait_parameters[] = {"after", "wait", NULL};
static const char *const page_parameters[] = {"cursor", NULL};
static const char *const compare_parameters[] = {"runs", "fail_if", NULL};
static const char *const compare_page_parameters[] = {"runs", "baseline", "other", "fail_if", NULL};

/* clang-format off */
const struct route routes[] = {
	{METHOD_POST, "/api/v1/plan", handle_plan, BODY_TEST, false, test_parameters},
	{METHOD_GET, "/api/v1/runs", handle_runs_list, BODY_NONE, false, list_parameters},
	{METHOD_POST, "/api/v1/runs", handle_runs_post, BODY_TEST, false, test_parameters},
	{METHOD_GET, "/api/v1/runs/{id}", handle_run_get, BODY_NONE, false, wait_parameters},
	{METHOD_DELETE, "/api/v1/runs/{id}", handle_run_delete, BODY_NONE, false, NULL},
	{METHOD_GET, "/api/v1/runs/{id}/events", handle_run_events, BODY_NONE, false, NULL},
	{METHOD_POST, "/api/v1/runs/{id}/cancel", handle_run_cancel, BODY_NONE, false, NULL},
	{METHOD_GET, "/api/v1/runs/{id}/result", handle_run_result, BODY_NONE, false, NULL},
	{METHOD_GET, "/api/v1/runs/{id}/analysis", handle_run_analysis, BODY_NONE, false, NULL},
	{METHOD_GET, "/api/v1/runs/{id}/result.csv", handle_run_csv, BODY_NONE, false, NULL},
	{METHOD_GET, "/api/v1/runs/{id}/fio.json", handle_run_fio, BODY_NONE, false, NULL},
	{METHOD_POST, "/api/v1/imports", handle_imports_post, BODY_FILES, false, import_parameters},
	{METHOD_GET, "/api/v1/comparisons", handle_comparisons, BODY_NONE, false, compare_parameters},
	{METHOD_GET, "/api/v1/definitions", handle_definitions_list, BODY_NONE, false, NULL},
	{METHOD_GET, "/api/v1/definitions/{name}", handle_definition_get, BODY_NONE, false, NULL},
	{METHOD_PUT, "/api/v1/definitions/{name}", handle_definition_put, BODY_JSON, false, NULL},
	{METHOD_DELETE, "/api/v1/definitions/{name}", handle_definition_delete, BODY_NONE, false, NULL},
	{METHOD_GET, "/api/v1/studies", handle_studies_list, BODY_NONE, false, NULL},
	{METHOD_GET, "/api/v1/studies/{name}", handle_study_get, BODY_NONE, false, NULL},
	{METHOD_GET, "/api/v1/system", handle_system, BODY_NONE, false, NULL},
	{METHOD_GET, "/api/v1/targets", handle_targets, BODY_NONE, false, NULL},
	{METHOD_GET, "/healthz", handle_health, BODY_NONE, false, NULL},
	{METHOD_GET, "/openapi.yaml", handle_openapi, BODY_NONE, false, NULL},
	{METHOD_GET, "/", handle_page_runs, BODY_NONE, true, page_parameters},
	{METHOD_GET, "/compare", handle_page_compare, BODY_NONE, true, compare_page_parameters},
	{METHOD_GET, "/runs/{id}", handle_page_run_redirect, BODY_NONE, true, NULL},
	{METHOD_GET, "/runs/{id}/", handle_page_run, BODY_NONE, true, NULL},
	{METHOD_GET, "/runs/{id}/{file}", handle_page_run_file, BODY_NONE, true, NULL},
	{METHOD_GET, "/studies", handle_page_study_redirect, BODY_NONE, true, NULL},
	{METHOD_GET, "/studies/", handle_page_studies, BODY_NONE, true, NULL},
	{METHOD_GET, "/studies/{name}", handle_page_study_redirect, BODY_NONE, true, NULL},
	{METHOD_GET, "/studies/{name}/", handle_page_study, BODY_NONE, true, NULL},
	{METHOD_GET, "/studies/{name}/{file}", handle_page_study_file, BODY_NONE, true, NULL},
	{METHOD_GET, "/static/{file}", handle_static, BODY_NONE, true, NULL},
};
/* clang-format on */

const size_t route_count = ARRAY_SIZE(routes);

/* The pattern's part at *pattern (behind its '/'), and moves on; false behind the last. */
static bool next_part(const char **pattern, const char **ret_part, size_t *ret_length)
{
	if (**pattern != '/')
		return false;
	*ret_part = *pattern + 1;
	*ret_length = strcspn(*ret_part, "/");
	*pattern = *ret_part + *ret_length;
	return true;
}

static bool part_is(const char *part, size_t length, const char *text)
{
	return strlen(text) == length && memcmp(part, text, length) == 0;
}

static bool matches(const char *pattern, const struct path *path)
{
	const char *part;
	size_t length, i = 0;

	for (; next_part(&pattern, &part, &length); i++) {
		if (i == path->count)
			return false;
		if (part[0] == '{' ? !*path->segments[i]
				   : !part_is(part, length, path->segments[i]))
			return false;
	}
	return i == path->count;
}

static int check_segment(const char *part, size_t length, const char *segment, struct error *err)
{
	if (part_is(part, length, "{id}") && !store_id_ok(segment))
		return error_set(err, ERROR_BAD_ID, "",
				 "a run's id looks like 20260131-235959-a1b2c3");
	if (part_is(part, length, "{name}") && !store_definition_name_ok(segment))
		return error_set(err, ERROR_BAD_NAME, "",
				 "a definition's name is 1 to 64 letters, digits, '.', '_' or '-', "
				 "and does not begin with '.'");
	if (part_is(part, length, "{file}") && !file_name_ok(segment))
		return error_set(err, ERROR_NOT_FOUND, "", "there is no such file");
	return 0;
}

static int check_segments(const struct route *route, const struct path *path, struct error *err)
{
	const char *pattern = route->pattern, *part;
	size_t length;

	for (size_t i = 0; next_part(&pattern, &part, &length); i++) {
		int r = check_segment(part, length, path->segments[i], err);

		if (r < 0)
			return r;
	}
	return 0;
}

static void allow_add(char *allow, const char *name)
{
	size_t used = strlen(allow);

	(void)snprintf(allow + used, ROUTE_ALLOW_MAX - used, "%s%s", used ? ", " : "", name);
}

int router_find(enum method method, const struct path *path, const struct route **ret_route,
		char ret_allow[ROUTE_ALLOW_MAX], struct error *err)
{
	const struct route *found = NULL;

	ret_allow[0] = '\0';
	for (size_t i = 0; i < route_count; i++) {
		const struct route *route = &routes[i];

		if (!matches(route->pattern, path))
			continue;
		*ret_route = route; /* also with another method: it says whether it is a page */
		allow_add(ret_allow, method_names[route->method]);
		if (route->method == METHOD_GET)
			allow_add(ret_allow, method_names[METHOD_HEAD]);
		if (route->method == method ||
		    (route->method == METHOD_GET && method == METHOD_HEAD))
			found = route;
	}
	if (!ret_allow[0])
		return error_set(err, ERROR_NOT_FOUND, "", "there is nothing at this address");
	if (!found)
		return error_set(err, ERROR_METHOD_NOT_ALLOWED, "",
				 "%s is not possible here, but %s", method_names[method],
				 ret_allow);
	*ret_route = found;
	return check_segments(found, path, err);
}

const char *router_segment(const struct route *route, const struct path *path, const char *kind)
{
	const char *pattern = route->pattern, *part;
	size_t length;

	for (size_t i = 0; next_part(&pattern, &part, &length); i++)
		if (i < path->count && part_is(part, length, kind))
			return path->segments[i];
	return "";
}
