/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * definition_calls.c - /api/v1/definitions: the built-in ones (definitions.h) and the saved ones.
 *
 * A built-in name cannot be written over or removed, so a name means one definition for ever.
 */
#include <errno.h>
#include <string.h>

#include "api/ask.h"
#include "api/definitions.h"
#include "api/handlers.h"
#include "server/codec/definition.h"
#include "server/codec/json.h"

int definition_by_name(void *arg, const char *name, char **ret_text)
{
	const char *text = built_in_text(name);
	struct error err;

	if (text) {
		*ret_text = strdup(text);
		return *ret_text ? 0 : -ENOMEM;
	}
	if (!store_definition_name_ok(name))
		return -ENOENT;
	return store_get_definition(arg, name, ret_text, &err);
}

/* ---- GET ---- */

/* {"name", "built_in", "title", "description"?, "workloads"} of a definition's text. */
static json_t *summary(const char *name, bool is_built_in, const char *text)
{
	json_t *value = NULL, *entry, *part;

	if (json_read_own(text, strlen(text), &value, NULL) < 0)
		return json_pack("{s:s, s:b}", "name", name, "built_in", is_built_in);
	entry = json_pack("{s:s, s:b}", "name", name, "built_in", is_built_in);
	part = json_object_get(value, "name");
	if (json_is_string(part))
		(void)json_object_set(entry, "title", part); /* a list can do without it */
	part = json_object_get(value, "description");
	if (json_is_string(part))
		(void)json_object_set(entry, "description", part);
	part = json_object_get(value, "workloads");
	if (json_is_array(part))
		(void)json_object_set_new(entry, "workloads",
					  json_integer((json_int_t)json_array_size(part)));
	json_decref(value);
	return entry;
}

static int add_saved(struct store *store, json_t *list, struct error *err)
{
	char **names = NULL, *text;
	size_t count = 0;
	int r = store_list_definitions(store, &names, &count);

	if (r < 0)
		return error_set_sys(err, ERROR_SYSTEM, -r, "cannot list the definitions");
	for (size_t i = 0; i < count; i++) {
		text = NULL;
		if (store_get_definition(store, names[i], &text, NULL) == 0)
			(void)json_array_append_new(list, summary(names[i], false, text));
		free(text); /* one removed meanwhile is left out */
		free(names[i]);
	}
	free(names);
	return 0;
}

/* In the store's lane. */
static void list_definitions(struct request *request)
{
	json_t *list = json_array();
	struct error err;

	for (size_t i = 0; i < built_in_count(); i++)
		(void)json_array_append_new(
			list, summary(built_in_name(i), true, built_in_text(built_in_name(i))));
	if (add_saved(request->service->store, list, &err) < 0) {
		json_decref(list);
		request_reply_error(request, &err);
		return;
	}
	request_reply_json(request, 200, json_pack("{s:o}", "definitions", list));
}

void handle_definitions_list(struct request *request)
{
	request_work(request, LANE_STORE, list_definitions);
}

/* In the store's lane. */
static void get_definition(struct request *request)
{
	const char *name = request_segment(request, "{name}");
	struct error err;
	char *text = NULL;

	if (store_get_definition(request->service->store, name, &text, &err) < 0)
		request_reply_error(request, &err);
	else
		request_reply_text(request, 200, "application/json", text, strlen(text));
}

void handle_definition_get(struct request *request)
{
	const char *text = built_in_text(request_segment(request, "{name}"));

	if (text)
		request_reply_static(request, "application/json", text, strlen(text));
	else
		request_work(request, LANE_STORE, get_definition);
}

/* ---- PUT and DELETE ---- */

static int refuse_built_in(const char *name, struct error *err)
{
	if (!built_in_text(name))
		return 0;
	return error_set(err, ERROR_BUILT_IN, "",
			 "\"%s\" is a built-in definition, which cannot be changed or removed; "
			 "save yours under another name",
			 name);
}

/* In the store's lane. */
static void put_definition(struct request *request)
{
	const char *name = request_segment(request, "{name}");
	char *text = json_write(request->work_data);
	bool created = false;
	struct error err;
	int r;

	if (!text) {
		request_reply_text(request, 200, NULL, NULL, 0); /* says out_of_memory */
		return;
	}
	r = definition_validate_saved(request->work_data, &err);
	if (r == 0)
		r = store_put_definition(request->service->store, name, text, &created, &err);
	free(text);
	if (r < 0) {
		request_reply_error(request, &err);
		return;
	}
	request_reply_json(request, created ? 201 : 200,
			   json_pack("{s:s, s:b}", "name", name, "built_in", false));
	if (created)
		request_header(request, "Location", "/api/v1/definitions/%s", name);
}

void handle_definition_put(struct request *request)
{
	struct error err;

	if (refuse_built_in(request_segment(request, "{name}"), &err) < 0)
		request_reply_error(request, &err);
	else
		ask_with_body(request, LANE_STORE, put_definition);
}

/* In the store's lane. */
static void delete_definition(struct request *request)
{
	struct error err;

	if (store_remove_definition(request->service->store, request_segment(request, "{name}"),
				    &err) < 0)
		request_reply_error(request, &err);
	else
		request_reply_empty(request, 204);
}

void handle_definition_delete(struct request *request)
{
	struct error err;

	if (refuse_built_in(request_segment(request, "{name}"), &err) < 0)
		request_reply_error(request, &err);
	else
		request_work(request, LANE_STORE, delete_definition);
}
