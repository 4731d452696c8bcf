/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * study_calls.c - /api/v1/studies, and the studies' pages: their reports, which are drawn when they
 * are first asked for.
 */
#include <string.h>

#include "api/handlers.h"
#include "api/studies.h"
#include "server/codec/json.h"
#include "web/pages.h"
#include "web/reporter.h"

/* The study that the address names; NULL: answered that there is none. */
static const struct study *find_study(struct request *request)
{
	const struct study *study = study_find(request_segment(request, "{name}"));
	struct error err;

	if (!study) {
		(void)error_set(&err, ERROR_NOT_FOUND, "", "there is no study of that name");
		request_reply_error(request, &err);
	}
	return study;
}

/* The table as JSON; NULL: no memory. */
static json_t *table_of(const struct study *study)
{
	const char *text = study_text(study);
	json_t *table = NULL;

	return text && json_read_own(text, strlen(text), &table, NULL) == 0 ? table : NULL;
}

/* ---- REST ---- */

void handle_studies_list(struct request *request)
{
	json_t *list = json_array();

	for (size_t i = 0; i < study_count; i++) {
		json_t *table = table_of(&studies[i]);

		(void)json_array_append_new(
			list, json_pack("{s:s, s:O, s:O, s:s}", "name", studies[i].name, "title",
					json_object_get(table, "name"), "description",
					json_object_get(table, "description"), "definition",
					studies[i].definition));
		json_decref(table);
	}
	request_reply_json(request, 200, json_pack("{s:o}", "studies", list));
}

void handle_study_get(struct request *request)
{
	const struct study *study = find_study(request);
	const char *text = study ? study_text(study) : NULL;

	if (study)
		request_reply_static(request, "application/json", text, text ? strlen(text) : 0);
}

/* ---- pages ---- */

void handle_page_studies(struct request *request)
{
	struct page_study *entries = calloc(study_count, sizeof(*entries));
	json_t **tables = calloc(study_count, sizeof(json_t *));
	char *html = NULL;

	for (size_t i = 0; entries && tables && i < study_count; i++) {
		const char *title, *description;

		tables[i] = table_of(&studies[i]);
		title = json_string_value(json_object_get(tables[i], "name"));
		description = json_string_value(json_object_get(tables[i], "description"));
		entries[i] =
			(struct page_study){studies[i].name, title ? title : studies[i].name,
					    description ? description : "", studies[i].definition};
	}
	if (entries && tables)
		html = page_studies(entries, study_count, request->host);
	for (size_t i = 0; tables && i < study_count; i++)
		json_decref(tables[i]);
	free(tables);
	free(entries);
	reply_html(request, 200, html);
}

void handle_page_study_redirect(struct request *request)
{
	const char *name = request_segment(request, "{name}");

	request_reply_empty(request, 301);
	if (name[0])
		request_header(request, "Location", "/studies/%s/", name);
	else
		request_header(request, "Location", "/studies/");
}

/* In the store's lane. */
static void reply_study_file(struct request *request)
{
	const char *name = request_segment(request, "{name}");
	const char *file = request_segment(request, "{file}");
	char *data = NULL;
	size_t size = 0;

	if (store_read_study(request->service->store, name, file, &data, &size) < 0) {
		reply_no_such_file(request);
		return;
	}
	request_reply_text(request, 200, media_type_of(file), data, size);
	request->reply.cache = "no-cache";
}

/* In the store's lane. */
static void reply_study(struct request *request)
{
	const struct study *study = find_study(request);
	char id[RUN_ID_MAX];
	char *html = NULL;
	json_t *table;
	size_t size = 0;
	const char *title;

	if (!study)
		return;
	if (store_read_study(request->service->store, study->name, "index.html", &html, &size) ==
	    0) {
		request_reply_text(request, 200, "text/html; charset=utf-8", html, size);
		return;
	}
	(void)snprintf(id, sizeof(id), REPORTER_STUDY "%s", study->name);
	if (request->report_wanted)
		request->report_wanted(request->report_arg, id);
	table = table_of(study);
	title = json_string_value(json_object_get(table, "name"));
	reply_html(request, 200, page_study_wait(title ? title : study->name));
	json_decref(table);
}

void handle_page_study(struct request *request)
{
	request_work(request, LANE_STORE, reply_study);
}

void handle_page_study_file(struct request *request)
{
	if (find_study(request))
		request_work(request, LANE_STORE, reply_study_file);
}
