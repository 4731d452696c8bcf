/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_pages.c - the service's own pages: valid, escaped, with what a reader needs. */
#include "web/pages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/web/hostile.h"
#include "tests/unit/web/xml.h"

static struct store_run run_of(enum run_state state, const char *name)
{
	struct store_run run = {.id = "20261130-113000-abc123",
				.number = 7,
				.state = state,
				.created_wall_ms = UINT64_C(1796038200000),
				.samples_done = 3,
				.samples_total = 12};

	(void)snprintf(run.name, sizeof(run.name), "%s", name);
	return run;
}

static void assert_page(char *page, const char *const *texts)
{
	assert_non_null(page);
	assert_true(xml_valid(page, strlen(page)));
	assert_null(strstr(page, "onclick"));
	assert_null(strstr(page, "style=\""));
	for (; *texts; texts++)
		if (!strstr(page, *texts))
			fail_msg("the page lacks: %s", *texts);
	free(page);
}

#define HAS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_runs(void **state)
{
	struct store_run runs[RUN_STATE_COUNT];

	(void)state;
	for (int i = 0; i < RUN_STATE_COUNT; i++)
		runs[i] = run_of((enum run_state)i, "a <run>");
	runs[0].started_wall_ms = runs[0].created_wall_ms;
	runs[0].ended_wall_ms = runs[0].started_wall_ms + 125000;
	assert_page(page_runs(runs, RUN_STATE_COUNT, 5, "localhost:80"),
		    HAS("a &lt;run&gt;", "href=\"/runs/20261130-113000-abc123/\"", "3 of 12",
			"state interrupted", "2 min 5 s", "href=\"/?cursor=5\"",
			"datetime=\"2026-11-30T11:30:00.000Z\""));
	assert_page(page_runs(NULL, 0, 0, "[::1]:<7>"),
		    HAS("none yet", "<details open", "curl",
			"http://[::1]:&lt;7&gt;/api/v1/runs</pre>"));
}

static void test_running(void **state)
{
	struct store_run run = run_of(RUN_RUNNING, "a <run>");
	struct progress_state progress = {.seq = 9,
					  .state = RUN_RUNNING,
					  .known = true,
					  .samples = 4,
					  .progress = {.phase = PHASE_MEASURE,
						       .percent = 33.3,
						       .seconds_left = 200,
						       .workload = "Exchange",
						       .cell = "iodepth=16",
						       .repeat = 2}};

	(void)state;
	assert_page(page_run_live(&run, &progress),
		    HAS("value=\"33.3\"", "4 of 12 samples, about 3 min 20 s left",
			"Measuring Exchange, iodepth=16, repeat 2", "data-seq=\"9\"",
			"<noscript><meta http-equiv=\"refresh\"", "src=\"/static/live.js\"",
			"data-state=\"running\""));
	progress.progress.at_most = true;
	assert_page(page_run_live(&run, &progress), HAS("samples, at most 3 min 20 s left"));
	progress.progress.at_most = false;
	progress.progress.percent = 1e300;
	progress.progress.phase = (enum run_phase)77;
	assert_page(page_run_live(&run, &progress), HAS("value=\"100.0\""));
}

static void test_queued_and_ended(void **state)
{
	struct store_run run = run_of(RUN_QUEUED, "");
	const struct progress_state none = {0};

	(void)state;
	assert_page(page_run_live(&run, &none), HAS("Waiting for its turn", "value=\"0.0\"",
						    "<h1>20261130-113000-abc123</h1>"));
	run.state = RUN_FAILED;
	(void)error_set(&run.error, ERROR_NO_SPACE, "", "the disk is <full>");
	assert_page(page_run_live(&run, &none),
		    HAS("the disk is &lt;full&gt;", "no_space", "being drawn",
			"/api/v1/runs/20261130-113000-abc123/result.csv",
			"/api/v1/runs/20261130-113000-abc123/analysis"));
}

static void test_choosing_runs(void **state)
{
	struct store_run runs[2] = {run_of(RUN_DONE, "one"), run_of(RUN_CANCELLED, "two")};

	(void)state;
	assert_page(page_choose_runs(runs, 2, "localhost:80"),
		    HAS("<h1>Compare two runs</h1>", "action=\"/compare\"", "name=\"baseline\"",
			"name=\"other\""));
	runs[1].state = RUN_RUNNING;
	assert_page(page_choose_runs(runs, 2, "localhost:80"),
		    HAS("takes two runs that have ended", "http://localhost:80/api/v1/runs</pre>"));
	assert_page(page_choose_runs(NULL, 0, ""), HAS("takes two runs", "<details open"));
}

static void test_hostile_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(hostile_texts); i++) {
		const char *text = hostile_texts[i];
		struct store_run run = run_of(RUN_RUNNING, text);
		struct progress_state progress = {.known = true, .progress = {.repeat = 1}};
		struct error err = {0};

		(void)snprintf(progress.progress.workload, sizeof(progress.progress.workload), "%s",
			       text);
		(void)snprintf(progress.progress.cell, sizeof(progress.progress.cell), "%s", text);
		(void)error_set(&err, ERROR_IO_ERROR, text, "%s", text);
		run.error = err;
		assert_page(page_runs(&run, 1, 0, ""), HAS("<tbody>"));
		assert_page(page_run_live(&run, &progress), HAS("id=\"live\""));
		run.state = RUN_FAILED;
		assert_page(page_run_live(&run, &progress), HAS("banner error"));
	}
}

static void test_static_files(void **state)
{
	static const char *const names[] = {"style.css", "service.css", "live.js", "icon.svg"};
	const char *data, *type;
	size_t size;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_int_equal(page_static(names[i], &data, &size, &type), 1);
		assert_true(size > 100);
		assert_null(memmem(data, size, "http://", 7) && strcmp(names[i], "icon.svg") != 0
				    ? data
				    : NULL); /* nothing is fetched from elsewhere */
	}
	assert_int_equal(page_static("../style.css", &data, &size, &type), 0);
	assert_int_equal(page_static("", &data, &size, &type), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_running),
		cmocka_unit_test(test_queued_and_ended),
		cmocka_unit_test(test_choosing_runs),
		cmocka_unit_test(test_hostile_texts),
		cmocka_unit_test(test_static_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
