/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_memory.c - the codecs of samples and messages with the n-th allocation failing, for every n:
 * no crash, no leak (ASan), and an answer that says so.
 *
 * link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray,--wrap=strdup
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/codec/analysis_text.h"
#include "server/codec/message.h"
#include "server/codec/result_csv.h"
#include "server/codec/result_fio.h"
#include "server/codec/run_comparison.h"
#include "server/codec/sample.h"
#include "tests/unit/failing_allocation.h"
#include "tests/unit/server/codec/fixture.h"

/* A sample of few operations: every member, few allocations. */
static void small_sample(struct sample *sample)
{
	struct workload part;
	struct error err;
	size_t blamed;

	sample_init(sample);
	sample->workload = fixture_text("w");
	fixture_level(sample, "bs", "4k");
	sample->repeat = 1;
	sample->target = fixture_text("/srv/file");
	sample->backend = fixture_text("threads");
	sample->backend_reason = fixture_text("asked for");
	fixture_workload(&part, "name=p rw=randread size=1m");
	assert_int_equal(workload_add_part(&sample->options, &part), 0);
	assert_int_equal(workload_join(&sample->options, &blamed, &err), 0);
	sample->seconds = 1;
	fixture_direction(&sample->directions[DIRECTION_READ], 3, 4096, 1000, true);
	sample->sync = fixture_histogram(1, 1000);
	fixture_series(&sample->series, 2, 1);
	sample->job_count = 1;
	sample->jobs = calloc(1, sizeof(*sample->jobs));
	assert_non_null(sample->jobs);
	fixture_direction(&sample->jobs[0].directions[DIRECTION_READ], 3, 4096, 1000, false);
	sample->jobs[0].name = fixture_text("p");
	sample->jobs[0].jobs = 1;
	sample->jobs[0].sync = fixture_histogram(1, 1000);
	(void)snprintf(sample->device.name, sizeof(sample->device.name), "sda");
	sample->free_bytes_before = 1;
	assert_int_equal(findings_add(&sample->findings, FINDING_INFO, "few_operations", "w", "c",
				      "e", "f", "%s", "m"),
			 0);
}

/* One try of each; true where it worked. */
static bool try_encode(void *arg)
{
	json_t *value = sample_encode(arg);
	bool worked = value != NULL;

	json_decref(value);
	return worked;
}

static bool try_decode(void *arg)
{
	struct sample sample;
	struct error err = {0};
	int r;

	sample_init(&sample);
	r = sample_decode(arg, &sample, &err);
	if (r < 0) {
		assert_true(r == -ENOMEM || err.code == ERROR_NO_MEMORY);
		assert_null(sample.workload);
		return false;
	}
	sample_done(&sample);
	return true;
}

/* What is well-formed is never called malformed for want of memory. */
static bool try_read(void *arg)
{
	struct error err = {0};
	json_t *value = NULL;
	int r = json_read(arg, strlen(arg), &value, &err);

	json_decref(value);
	if (r < 0) {
		if (r != -ENOMEM || err.code != ERROR_NO_MEMORY)
			fail_msg("%s: %s", error_code_text(err.code), err.message);
		return false;
	}
	return true;
}

static bool try_message(void *arg)
{
	struct message message;
	struct error err = {0};
	int r = message_read(arg, strlen(arg), &message, &err);

	if (r < 0) {
		assert_int_equal(r, -ENOMEM);
		assert_int_equal(err.code, ERROR_NO_MEMORY);
		return false;
	}
	message_done(&message);
	return true;
}

static bool try_csv(void *arg)
{
	char *text = result_csv(arg);
	bool worked = text != NULL;

	free(text);
	return worked;
}

static bool try_fio(void *arg)
{
	json_t *value = result_fio(arg);
	bool worked = value != NULL;

	json_decref(value);
	return worked;
}

static bool try_analysis(void *arg)
{
	struct error err = {0};
	char *text = analysis_text(arg, &err);
	bool worked = text != NULL;

	free(text);
	assert_true(worked || err.code == ERROR_NO_MEMORY);
	return worked;
}

static bool try_comparison(void *arg)
{
	const struct result *const runs[] = {arg, arg};
	const struct run_limits limits = {.set = {true}, .values = {-5}};
	struct run_comparison comparison;
	struct run_judgement judgement;
	char *text = NULL;

	if (run_comparison_make(runs, 2, &comparison) < 0)
		return false;
	if (run_limits_hold(&limits, &comparison, &judgement) == 0) {
		text = run_comparison_text(&comparison, &judgement);
		run_judgement_done(&judgement);
	}
	run_comparison_done(&comparison);
	free(text);
	return text != NULL;
}

/* With 0, 1, 2, ... allocations allowed until it works. */
static void torture(bool (*try)(void *arg), void *arg, size_t at_least)
{
	size_t n = 0;

	for (bool worked = false; !worked; n++) {
		failing_left = n;
		worked = try(arg);
		failing_left = SIZE_MAX;
		assert_true(n < 100000);
	}
	assert_true(n > at_least); /* the failures did happen */
}

static void samples_survive(void **state)
{
	struct sample sample;
	json_t *value;
	char *line;

	(void)state;
	small_sample(&sample);
	torture(try_encode, &sample, 100);
	value = sample_encode(&sample);
	assert_non_null(value);
	torture(try_decode, value, 10);
	line = message_answer(MESSAGE_SAMPLE, value);
	assert_non_null(line);
	torture(try_message, line, 100);
	torture(try_read, line, 100);
	free(line);
	sample_done(&sample);
}

static void results_survive(void **state)
{
	struct result result;

	(void)state;
	result_init(&result);
	result.sample_count = 1;
	result.samples = calloc(1, sizeof(*result.samples));
	assert_non_null(result.samples);
	small_sample(&result.samples[0]);
	assert_true(try_csv(&result)); /* memory streams allocate inside the C library */
	torture(try_fio, &result, 100);
	result.definition.workload_count = 1;
	result.definition.workloads = calloc(1, sizeof(*result.definition.workloads));
	assert_non_null(result.definition.workloads);
	workload_init(&result.definition.workloads[0]);
	result.definition.workloads[0].name = fixture_text("w");
	torture(try_analysis, &result, 30);
	torture(try_comparison, &result, 30);
	result_done(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_survive),
		cmocka_unit_test(results_survive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
