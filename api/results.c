/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * results.c - a run's result in its forms (volbench.result/1, CSV, fio's JSON), and its analysis.
 *
 * A result may be large: it is read and converted in the store's lane. While a run goes on these
 * are made of the samples finished so far.
 */
#include <string.h>

#include "api/ask.h"
#include "api/handlers.h"
#include "server/codec/analysis_text.h"
#include "server/codec/json.h"
#include "server/codec/result.h"
#include "server/codec/result_text.h"

/* The run must be there and have begun. */
static int check_run(struct request *request, struct error *err)
{
	struct store_run run;
	int r = ask_run(request, &run, err);

	if (r < 0)
		return r;
	if (run.state == RUN_QUEUED)
		return error_set(err, ERROR_NOT_FINISHED, "",
				 "the run is still queued and has no result yet");
	return 0;
}

static int read_text(struct request *request, char **ret_text, size_t *ret_size, struct error *err)
{
	int r = check_run(request, err);

	if (r < 0)
		return r;
	return store_result(request->service->store, request_segment(request, "{id}"), ret_text,
			    ret_size, err);
}

static int read_result(struct request *request, struct result *result, struct error *err)
{
	AUTO_FREE char *text = NULL;
	size_t size = 0;
	int r = read_text(request, &text, &size, err);

	return r < 0 ? r : result_decode_text(text, size, result, err);
}

static void reply_failure(struct request *request, struct error *err)
{
	err->field[0] = '\0'; /* it would point into a stored document, not into the request */
	request_reply_error(request, err);
}

static void attach(struct request *request, const char *suffix)
{
	request_header(request, "Content-Disposition", "attachment; filename=\"volbench-%s%s\"",
		       request_segment(request, "{id}"), suffix);
}

static void reply_result(struct request *request)
{
	struct error err;
	char *text = NULL;
	size_t size = 0;

	if (read_text(request, &text, &size, &err) < 0)
		reply_failure(request, &err);
	else
		request_reply_text(request, 200, "application/json", text, size);
}

static void reply_csv(struct request *request)
{
	struct result result;
	struct error err;
	char *text;

	result_init(&result);
	if (read_result(request, &result, &err) < 0) {
		reply_failure(request, &err);
	} else {
		text = result_csv(&result);
		request_reply_text(request, 200, "text/csv; charset=utf-8; header=present", text,
				   text ? strlen(text) : 0);
		if (text)
			attach(request, ".csv");
	}
	result_done(&result);
}

static void reply_fio(struct request *request)
{
	struct result result;
	struct error err;

	result_init(&result);
	if (read_result(request, &result, &err) < 0) {
		reply_failure(request, &err);
	} else if (result.definition.imported) {
		(void)error_set(&err, ERROR_NOT_FOUND, "",
				"the result was imported: there is nothing of ours that would be "
				"told in fio's form");
		request_reply_error(request, &err);
	} else {
		request_reply_json(request, 200, result_fio(&result));
	}
	result_done(&result);
}

static void reply_analysis(struct request *request)
{
	struct result result;
	struct error err;
	char *text = NULL;

	result_init(&result);
	if (read_result(request, &result, &err) == 0)
		text = analysis_text(&result, &err);
	if (text)
		request_reply_text(request, 200, "application/json", text, strlen(text));
	else
		reply_failure(request, &err);
	result_done(&result);
}

void handle_run_analysis(struct request *request)
{
	request_work(request, LANE_STORE, reply_analysis);
}

void handle_run_result(struct request *request)
{
	request_work(request, LANE_STORE, reply_result);
}

void handle_run_csv(struct request *request)
{
	request_work(request, LANE_STORE, reply_csv);
}

void handle_run_fio(struct request *request)
{
	request_work(request, LANE_STORE, reply_fio);
}
