/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pages.c - what a browser sees: all runs, a run while it goes on, its stored report, the pages'
 * own files. The report is made by others; a missing one of an ended run is asked for here.
 */
#include <string.h>

#include "api/ask.h"
#include "api/handlers.h"
#include "web/pages.h"

void reply_html(struct request *request, int status, char *html)
{
	request_reply_text(request, status, "text/html; charset=utf-8", html,
			   html ? strlen(html) : 0);
}

void handle_page_runs(struct request *request)
{
	uint64_t cursor = 0, next = 0;
	struct store_run *runs = NULL;
	struct error err;
	size_t count = 0;
	int r = request_number(request, "cursor", 1, INT64_MAX, &cursor, &err);

	if (r == 0) {
		r = store_list_runs(request->service->store, RUN_STATE_COUNT, cursor, PAGE_RUNS,
				    &runs, &count, &next);
		if (r < 0)
			(void)error_set_sys(&err, ERROR_SYSTEM, -r, "cannot list the runs");
	}
	if (r < 0)
		request_reply_error(request, &err);
	else
		reply_html(request, 200, page_runs(runs, count, next, request->host));
	free(runs);
}

static int find_run(struct request *request, struct store_run *ret_run)
{
	struct error err;
	int r = ask_run(request, ret_run, &err);

	if (r < 0)
		request_reply_error(request, &err);
	return r;
}

void handle_page_run(struct request *request)
{
	const struct service *service = request->service;
	struct progress_state progress;
	struct store_run run;
	char *html = NULL;
	size_t size = 0;

	if (find_run(request, &run) < 0)
		return;
	if (run_state_ended(run.state)) {
		if (store_read_report(service->store, run.id, "index.html", &html, &size) == 0) {
			request_reply_text(request, 200, "text/html; charset=utf-8", html, size);
			return;
		}
		if (request->report_wanted)
			request->report_wanted(request->report_arg, run.id);
	}
	progress_get(service->board, run.id, &progress);
	reply_html(request, 200, page_run_live(&run, &progress));
}

void handle_page_run_redirect(struct request *request)
{
	request_reply_empty(request, 301);
	request_header(request, "Location", "/runs/%s/", request_segment(request, "{id}"));
}

const char *media_type_of(const char *name)
{
	static const char *const types[][2] = {
		{".html", "text/html; charset=utf-8"}, {".svg", "image/svg+xml"},
		{".css", "text/css; charset=utf-8"},   {".csv", "text/csv; charset=utf-8"},
		{".json", "application/json"},	       {".js", "text/javascript; charset=utf-8"},
	};
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; dot && i < ARRAY_SIZE(types); i++)
		if (strcmp(dot, types[i][0]) == 0)
			return types[i][1];
	return "application/octet-stream";
}

void reply_no_such_file(struct request *request)
{
	struct error err;

	(void)error_set(&err, ERROR_NOT_FOUND, "", "there is no such file");
	request_reply_error(request, &err);
}

/* In the store's lane: a report's result.json may be large. */
static void reply_report_file(struct request *request)
{
	const char *name = request_segment(request, "{file}");
	char *data = NULL;
	size_t size = 0;

	if (store_read_report(request->service->store, request_segment(request, "{id}"), name,
			      &data, &size) < 0) {
		reply_no_such_file(request);
		return;
	}
	request_reply_text(request, 200, media_type_of(name), data, size);
	request->reply.cache = "no-cache";
}

void handle_page_run_file(struct request *request)
{
	struct store_run run;

	if (find_run(request, &run) == 0)
		request_work(request, LANE_STORE, reply_report_file);
}

void handle_static(struct request *request)
{
	const char *data, *type;
	size_t size;

	if (!page_static(request_segment(request, "{file}"), &data, &size, &type))
		reply_no_such_file(request);
	else
		request_reply_static(request, type, data, size);
}
