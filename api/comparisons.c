/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * comparisons.c - runs beside each other: volbench.comparison/1, and the same for a browser.
 *
 * Results may be large: they are read one after another in the store's lane, and no further ones
 * where together they are too large to be held at a time.
 */
#include <string.h>

#include "api/ask.h"
#include "api/handlers.h"
#include "server/codec/result_text.h"
#include "server/codec/run_comparison.h"
#include "web/compare_page.h"
#include "web/pages.h"

#define TEXT_MOST (UINT64_C(64) << 20) /* bytes of all results: thousands of samples */

struct wanted {
	size_t count;
	char ids[RUN_COMPARISON_MAX][RUN_ID_MAX];
	struct run_limits limits;
	bool limited;
};

/* ---- which runs ---- */

static int add_id(struct wanted *wanted, const char *text, size_t length, struct error *err)
{
	char id[RUN_ID_MAX];

	if (wanted->count == RUN_COMPARISON_MAX)
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "at most %d runs are compared at a time", RUN_COMPARISON_MAX);
	if (length >= sizeof(id))
		length = 0; /* no id is as long */
	memcpy(id, text, length);
	id[length] = '\0';
	if (!store_id_ok(id))
		return error_set(err, ERROR_BAD_ID, "",
				 "a run's id looks like 20260131-235959-a1b2c3");
	for (size_t i = 0; i < wanted->count; i++)
		if (strcmp(wanted->ids[i], id) == 0)
			return error_set(err, ERROR_BAD_PARAMETER, "",
					 "the run %s is named twice: it differs in nothing from "
					 "itself",
					 id);
	memcpy(wanted->ids[wanted->count++], id, sizeof(id));
	return 0;
}

static int read_list(struct wanted *wanted, const char *text, struct error *err)
{
	for (;;) {
		size_t length = strcspn(text, ",");
		int r = add_id(wanted, text, length, err);

		if (r < 0 || !text[length])
			return r;
		text += length + 1;
	}
}

/* `runs` lists them, the baseline first; a form without scripts names two, each in a parameter. */
static int read_wanted(const struct request *request, struct wanted *wanted, struct error *err)
{
	const char *runs = request_parameter(request, "runs");
	const char *baseline = request_parameter(request, "baseline");
	const char *other = request_parameter(request, "other");
	const char *limits = request_parameter(request, "fail_if");
	int r = 0;

	*wanted = (struct wanted){.limited = limits != NULL};
	if (runs && (baseline || other))
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "either runs or baseline and other in the query of the URL");
	if (runs)
		r = read_list(wanted, runs, err);
	if (r == 0 && baseline)
		r = add_id(wanted, baseline, strlen(baseline), err);
	if (r == 0 && other)
		r = add_id(wanted, other, strlen(other), err);
	if (r == 0 && wanted->count < 2)
		r = error_set(err, ERROR_BAD_PARAMETER, "",
			      "two runs or more are compared: ?runs=BASELINE,OTHER with the ids of "
			      "runs");
	if (r == 0 && limits)
		r = run_limits_parse(limits, &wanted->limits, err);
	return r;
}

/* ---- reading them ---- */

static int read_run(struct request *request, const char *id, uint64_t *left, struct result *result,
		    struct error *err)
{
	AUTO_FREE char *text = NULL;
	struct store_run run;
	size_t size = 0;
	int r = store_get_run(request->service->store, id, &run);

	if (r < 0)
		return error_set(err, ERROR_NOT_FOUND, "", "there is no run %s", id);
	if (run.state == RUN_QUEUED)
		return error_set(err, ERROR_NOT_FINISHED, "",
				 "the run %s is still queued and has no result yet", id);
	r = store_result(request->service->store, id, &text, &size, err);
	if (r < 0)
		return r;
	if (size > *left)
		return error_set(err, ERROR_BODY_TOO_LARGE, "",
				 "the results of these runs are too large to be held at a time; "
				 "volbench compare --state DIR has no such limit");
	*left -= size;
	r = result_decode_text(text, size, result, err);
	if (r < 0 && err)
		err->field[0] = '\0'; /* it would point into a stored document */
	return r;
}

/* Compares what is wanted and has it shown. */
static int compare(struct request *request, const struct wanted *wanted,
		   int (*show)(struct request *request, const struct run_comparison *comparison,
			       const struct run_judgement *judgement),
		   struct error *err)
{
	const struct result *list[RUN_COMPARISON_MAX];
	struct run_comparison comparison;
	struct run_judgement judgement = {.fail = false};
	struct result *results = calloc(wanted->count, sizeof(*results));
	uint64_t left = TEXT_MOST;
	int r = 0;

	if (!results)
		return error_no_memory(err);
	for (size_t i = 0; i < wanted->count; i++) {
		result_init(&results[i]);
		list[i] = &results[i];
	}
	for (size_t i = 0; i < wanted->count && r == 0; i++)
		r = read_run(request, wanted->ids[i], &left, &results[i], err);
	if (r == 0 && run_comparison_make(list, wanted->count, &comparison) < 0) {
		r = error_no_memory(err);
	} else if (r == 0) {
		if (run_limits_hold(&wanted->limits, &comparison, &judgement) < 0)
			r = error_no_memory(err);
		else
			r = show(request, &comparison, wanted->limited ? &judgement : NULL);
		run_judgement_done(&judgement);
		run_comparison_done(&comparison);
	}
	for (size_t i = 0; i < wanted->count; i++)
		result_done(&results[i]);
	free(results);
	return r;
}

static void reply(struct request *request,
		  int (*show)(struct request *request, const struct run_comparison *comparison,
			      const struct run_judgement *judgement))
{
	struct wanted wanted;
	struct error err;
	int r = read_wanted(request, &wanted, &err);

	if (r == 0)
		r = compare(request, &wanted, show, &err);
	if (r < 0)
		request_reply_error(request, &err);
}

static int show_json(struct request *request, const struct run_comparison *comparison,
		     const struct run_judgement *judgement)
{
	char *text = run_comparison_text(comparison, judgement);

	request_reply_text(request, 200, "application/json", text, text ? strlen(text) : 0);
	return 0;
}

static int show_page(struct request *request, const struct run_comparison *comparison,
		     const struct run_judgement *judgement)
{
	char *html = page_comparison(comparison, judgement);

	request_reply_text(request, 200, "text/html; charset=utf-8", html, html ? strlen(html) : 0);
	return 0;
}

static void reply_json(struct request *request)
{
	reply(request, show_json);
}

static void reply_page(struct request *request)
{
	reply(request, show_page);
}

void handle_comparisons(struct request *request)
{
	request_work(request, LANE_STORE, reply_json);
}

/* Nothing to compare was named: a browser gets the runs to choose from. */
static void reply_choice(struct request *request)
{
	struct store_run *runs = NULL;
	struct error err;
	uint64_t next;
	size_t count = 0;
	int r = store_list_runs(request->service->store, RUN_STATE_COUNT, 0, PAGE_RUNS, &runs,
				&count, &next);

	if (r < 0) {
		(void)error_set_sys(&err, ERROR_SYSTEM, -r, "cannot list the runs");
		request_reply_error(request, &err);
		return;
	}
	reply_html(request, 200, page_choose_runs(runs, count, request->host));
	free(runs);
}

void handle_page_compare(struct request *request)
{
	static const char *const names[] = {"runs", "baseline", "other", "fail_if"};
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		any |= request_parameter(request, names[i]) != NULL;
	if (request->wants_html && !any) {
		reply_choice(request);
		return;
	}
	request_work(request, LANE_STORE, reply_page);
}
