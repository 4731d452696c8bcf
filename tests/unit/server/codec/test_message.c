/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_message.c - each line of the protocol there and back; lines that are none are refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/codec/message.h"
#include "server/codec/sample.h"
#include "tests/unit/server/codec/fixture.h"

static void read_line(const char *line, struct message *message)
{
	struct error err = {0};

	if (message_read(line, strlen(line), message, &err) < 0)
		fail_msg("%.200s: %s", line, err.message);
}

static void requests_are_one_line(void **state)
{
	char *line = message_request("plan", NULL, "{\"name\":\n\"x\"}");

	(void)state;
	assert_string_equal(line, "{\"call\":\"plan\",\"definition\":{\"name\":\"x\"}}\n");
	free(line);
	line = message_request("targets", NULL, NULL);
	assert_string_equal(line, "{\"call\":\"targets\"}\n");
	free(line);
	line = message_request("run", "20261130-113000-abcdef", "{}");
	assert_string_equal(line, "{\"call\":\"run\",\"run\":\"20261130-113000-abcdef\","
				  "\"definition\":{}}\n");
	free(line);
	assert_null(message_request("plan", NULL, "{\"name\":"));
}

static void documents_are_passed_on(void **state)
{
	static const struct {
		enum message_kind kind;
		const char *line, *text;
	} cases[] = {
		{MESSAGE_PLAN, "{\"plan\":{\"a\":0.1}}", "{\"a\":0.1}"},
		{MESSAGE_TARGETS, "{\"targets\":[]}\n", "[]"},
		{MESSAGE_SYSTEM, "{\"system\":{\"host\":\"h\"}}", "{\"host\":\"h\"}"},
		{MESSAGE_SWEPT, "{\"swept\":[{\"code\":\"removed\"}]}", "[{\"code\":\"removed\"}]"},
		{MESSAGE_STARTED, "{\"started\":{}}", "{}"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct message message;

		read_line(cases[i].line, &message);
		assert_int_equal(message.kind, cases[i].kind);
		assert_string_equal(message.text, cases[i].text);
		assert_int_equal(message.error.code, ERROR_NONE);
		message_done(&message);
	}
}

static void expect_same_progress(const struct progress *a, const struct progress *b)
{
	assert_int_equal(a->phase, b->phase);
	assert_true(a->done == b->done && a->total == b->total);
	assert_true(a->percent == b->percent && a->seconds_left == b->seconds_left);
	assert_int_equal(a->at_most, b->at_most);
	assert_string_equal(a->workload, b->workload);
	assert_string_equal(a->cell, b->cell);
	assert_int_equal(a->repeat, b->repeat);
}

static void progress_comes_back(void **state)
{
	struct progress progress = {.phase = PHASE_MEASURE,
				    .done = 3,
				    .total = 36,
				    .percent = 8.25,
				    .seconds_left = 120.5,
				    .at_most = true,
				    .workload = "Exchange",
				    .cell = "bs=4k, iodepth=32",
				    .repeat = 2};
	struct message message;
	char *line = message_answer(MESSAGE_PROGRESS, progress_encode(&progress));

	(void)state;
	read_line(line, &message);
	assert_int_equal(message.kind, MESSAGE_PROGRESS);
	expect_same_progress(&message.progress, &progress);
	message_done(&message);
	free(line);

	memset(progress.workload, 0, sizeof(progress.workload));
	memset(progress.cell, 0, sizeof(progress.cell));
	progress.repeat = 0;
	progress.at_most = false;
	line = message_answer(MESSAGE_PROGRESS, progress_encode(&progress));
	assert_non_null(strstr(line, "\"sample\":null"));
	read_line(line, &message);
	expect_same_progress(&message.progress, &progress);
	message_done(&message);
	free(line);
}

static void strange_progress_is_held_within_bounds(void **state)
{
	struct message message;

	(void)state;
	read_line("{\"progress\":{\"phase\":\"dancing\",\"done\":-5,\"total\":1e300,"
		  "\"percent\":1e9,\"seconds_left\":-1,\"sample\":{\"workload\":7,\"cell\":[],"
		  "\"repeat\":99999999999}}}",
		  &message);
	assert_int_equal(message.progress.phase, PHASE_PREPARE);
	assert_true(message.progress.done == 0 && message.progress.total == 0);
	assert_true(message.progress.percent == 100);
	assert_true(message.progress.seconds_left == 0);
	assert_string_equal(message.progress.workload, "");
	assert_int_equal(message.progress.repeat, 0);
	message_done(&message);
}

static void samples_are_read_whole(void **state)
{
	struct sample sample;
	struct message message;
	struct error err = {0};
	char *line, *text;
	json_t *value;

	(void)state;
	fixture_sample(&sample);
	value = sample_encode(&sample);
	text = json_write(value);
	line = message_answer(MESSAGE_SAMPLE, json_incref(value));
	read_line(line, &message);
	assert_int_equal(message.kind, MESSAGE_SAMPLE);
	assert_int_equal(message.order, 17);
	assert_string_equal(message.text, text);
	message_done(&message);
	free(line);

	assert_int_equal(json_object_set_new(value, "seconds", json_integer(-1)), 0);
	line = message_answer(MESSAGE_SAMPLE, value);
	assert_int_equal(message_read(line, strlen(line), &message, &err), -EPROTO);
	assert_int_equal(err.code, ERROR_ENGINE_FAILED);
	assert_non_null(strstr(err.message, "/seconds"));
	free(line);
	free(text);
	sample_done(&sample);
}

static void ends_carry_state_error_and_findings(void **state)
{
	struct findings findings;
	struct message message;
	struct error why = {0};
	char *line;

	(void)state;
	findings_init(&findings);
	line = message_answer(MESSAGE_END, message_end(RUN_DONE, NULL, &findings, NULL));
	assert_string_equal(line, "{\"end\":{\"state\":\"done\"}}\n");
	read_line(line, &message);
	assert_int_equal(message.kind, MESSAGE_END);
	assert_int_equal(message.state, RUN_DONE);
	assert_null(message.text);
	assert_int_equal(message.error.code, ERROR_NONE);
	message_done(&message);
	free(line);

	assert_int_equal(findings_add(&findings, FINDING_WARNING, "left", NULL, NULL, NULL, NULL,
				      "%s", "A file was left."),
			 0);
	(void)error_set(&why, ERROR_NO_SPACE, "/target", "the file system is full");
	line = message_answer(MESSAGE_END, message_end(RUN_FAILED, &why, &findings, NULL));
	read_line(line, &message);
	assert_int_equal(message.state, RUN_FAILED);
	assert_int_equal(message.error.code, ERROR_NO_SPACE);
	assert_string_equal(message.error.field, "/target");
	assert_string_equal(message.text, "[{\"severity\":\"warning\",\"code\":\"left\","
					  "\"message\":\"A file was left.\"}]");
	message_done(&message);
	free(line);
	findings_done(&findings);
}

static void ends_tell_of_repeats(void **state)
{
	const struct repeats_outcome told = {REPEATS_END_PRECISE, 6, 30, 1.75, 2}, none = {0};
	static const char *const bad[] = {
		"[]",
		"{}",
		"{\"ended\":\"early\",\"made\":6,\"most\":30,\"until_ci_percent\":2}",
		"{\"ended\":\"most\",\"made\":31,\"most\":30,\"until_ci_percent\":2}",
		"{\"ended\":\"most\",\"made\":6,\"most\":101,\"until_ci_percent\":2}",
		"{\"ended\":\"most\",\"made\":6,\"most\":30,\"until_ci_percent\":-2}",
	};
	struct message message;
	char *line;

	(void)state;
	line = message_answer(MESSAGE_END, message_end(RUN_DONE, NULL, NULL, &told));
	assert_non_null(strstr(line, "\"repeats\":{\"ended\":\"precise\",\"made\":6,\"most\":30,"
				     "\"ci_percent\":1.75,\"until_ci_percent\":2.0}"));
	read_line(line, &message);
	fixture_same_outcome(&message.repeats, &told);
	message_done(&message);
	free(line);
	line = message_answer(MESSAGE_END, message_end(RUN_DONE, NULL, NULL, &none));
	assert_string_equal(line, "{\"end\":{\"state\":\"done\"}}\n");
	free(line);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char text[200];
		struct error err = {0};

		(void)snprintf(text, sizeof(text), "{\"end\":{\"state\":\"done\",\"repeats\":%s}}",
			       bad[i]);
		assert_int_equal(message_read(text, strlen(text), &message, &err), -EPROTO);
		assert_non_null(strstr(err.message, "/end/repeats"));
	}
}

static void errors_come_back(void **state)
{
	struct message message;
	struct error why = {0};
	char *line;

	(void)state;
	(void)error_set(&why, ERROR_BAD_SIZE, "/workloads/0/bs", "no size");
	why.sys = 22;
	line = message_answer(MESSAGE_ERROR, json_error(&why));
	read_line(line, &message);
	assert_int_equal(message.kind, MESSAGE_ERROR);
	assert_int_equal(message.error.code, ERROR_BAD_SIZE);
	assert_string_equal(message.error.field, "/workloads/0/bs");
	assert_string_equal(message.error.message, "no size");
	assert_int_equal(message.error.sys, 22);
	message_done(&message);
	free(line);
}

static void other_lines_are_refused(void **state)
{
	static const char *const lines[] = {
		"",
		"\n",
		"{}",
		"[]",
		"7",
		"hello",
		"{\"plan\":{}} {\"plan\":{}}",
		"{\"plan\":{}",
		"{\"plan\":[]}",
		"{\"targets\":{}}",
		"{\"swept\":null}",
		"{\"plan\":{},\"sample\":{}}",
		"{\"dance\":{}}",
		"{\"sample\":{}}",
		"{\"sample\":[]}",
		"{\"progress\":5}",
		"{\"end\":{}}",
		"{\"end\":{\"state\":\"running\"}}",
		"{\"end\":{\"state\":\"interrupted\"}}",
		"{\"end\":{\"state\":\"done\",\"findings\":{}}}",
		"{\"error\":\"broken\"}",
		"{\"plan\":{\"a\":1,\"a\":2}}",
		"{\"plan\":{\"a\":\"\xff\"}}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct message message;
		struct error err = {0};

		if (message_read(lines[i], strlen(lines[i]), &message, &err) != -EPROTO)
			fail_msg("%s was taken", lines[i]);
		assert_int_equal(err.code, ERROR_ENGINE_FAILED);
		assert_string_equal(err.field, "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_are_one_line),
		cmocka_unit_test(documents_are_passed_on),
		cmocka_unit_test(progress_comes_back),
		cmocka_unit_test(strange_progress_is_held_within_bounds),
		cmocka_unit_test(samples_are_read_whole),
		cmocka_unit_test(ends_carry_state_error_and_findings),
		cmocka_unit_test(ends_tell_of_repeats),
		cmocka_unit_test(errors_come_back),
		cmocka_unit_test(other_lines_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
