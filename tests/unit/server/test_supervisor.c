/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of server/supervisor*.c and engine_talk.c against engines that misbehave. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "server/supervisor.h"
#include "tests/unit/server/fake_engine.h"
#include "tests/unit/server/store_fixture.h"

/* What a run told, and what to do when it does. */
struct seen {
	unsigned int started, progress, samples;
	size_t orders[4];
	int refuse_sample; /* -errno */
	struct supervisor_cancel *cancel_at_sample, *cancel_at_progress, *hurry_at_sample;
};

static void on_started(void *arg, const char *text)
{
	struct seen *seen = arg;

	seen->started += text[0] == '{';
}

static void on_progress(void *arg, const struct progress *progress)
{
	struct seen *seen = arg;

	seen->progress += progress->phase == PHASE_MEASURE;
	if (seen->cancel_at_progress && seen->progress == 3)
		supervisor_cancel_raise(seen->cancel_at_progress);
}

static int on_sample(void *arg, size_t order, const char *text)
{
	struct seen *seen = arg;

	assert_non_null(strstr(text, "volbench.sample/1"));
	if (seen->samples < 4)
		seen->orders[seen->samples] = order;
	seen->samples++;
	if (seen->cancel_at_sample)
		supervisor_cancel_raise(seen->cancel_at_sample);
	if (seen->hurry_at_sample)
		supervisor_cancel_hurry(seen->hurry_at_sample);
	return seen->refuse_sample;
}

static struct supervisor *make_supervisor(const char *mode)
{
	const char *const allow[] = {mode};
	/* Short where they are meant to pass; else a busy machine must not be taken for a hang. */
	static const char *const polite[] = {"/good",	 "/slow",  "/big",   "/measures",
					     "/refuses", "/fails", "/floods"};
	struct supervisor_config config = {.state_directory = fixture_root,
					   .allow = allow,
					   .allow_count = 1,
					   .silence_ms = strcmp(mode, "/silent") ? 60000 : 500,
					   .cancel_ms = 300,
					   .close_ms = 300,
					   .sweep_ms = 60000};
	struct supervisor *supervisor;

	for (size_t i = 0; i < ARRAY_SIZE(polite); i++)
		if (strcmp(mode, polite[i]) == 0)
			config.cancel_ms = config.close_ms = 60000;
	assert_int_equal(supervisor_new(&config, &supervisor, NULL), 0);
	return supervisor;
}

/* A run against a fake engine. */
struct outcome {
	struct seen seen;
	int r;
	enum run_state state;
	char *findings;
	struct error err;
	long sweeps;
};

enum when { NEVER, BEFORE, AT_SAMPLE, AT_PROGRESS, HURRY_AT_SAMPLE };

static void run(const char *mode, enum when cancelled, int refuse_sample,
		struct outcome *ret_outcome)
{
	struct supervisor *supervisor = make_supervisor(mode);
	struct supervisor_cancel *cancel;
	const struct supervisor_events events = {.started = on_started,
						 .progress = on_progress,
						 .sample = on_sample,
						 .arg = &ret_outcome->seen};
	long before = fake_counted(fixture_root, "sweeps");

	memset(ret_outcome, 0, sizeof(*ret_outcome));
	assert_int_equal(supervisor_cancel_new(&cancel), 0);
	ret_outcome->seen.refuse_sample = refuse_sample;
	if (cancelled == AT_SAMPLE)
		ret_outcome->seen.cancel_at_sample = cancel;
	if (cancelled == AT_PROGRESS)
		ret_outcome->seen.cancel_at_progress = cancel;
	if (cancelled == HURRY_AT_SAMPLE)
		ret_outcome->seen.hurry_at_sample = cancel;
	if (cancelled == BEFORE)
		supervisor_cancel_raise(cancel);
	ret_outcome->r =
		supervisor_run(supervisor, "20261130-113000-abcdef", "{}", cancel, &events,
			       &ret_outcome->state, &ret_outcome->findings, &ret_outcome->err);
	ret_outcome->sweeps = fake_counted(fixture_root, "sweeps") - before;
	supervisor_cancel_free(cancel);
	supervisor_free(supervisor);
}

static void test_good_run(void **state)
{
	static const char *const modes[] = {"/good", "/slow"};
	struct outcome outcome;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		run(modes[i], NEVER, 0, &outcome);
		assert_int_equal(outcome.r, 0);
		assert_int_equal(outcome.state, RUN_DONE);
		assert_int_equal(outcome.err.code, ERROR_NONE);
		assert_int_equal(outcome.seen.started, 1);
		assert_int_equal(outcome.seen.progress, 2);
		assert_int_equal(outcome.seen.samples, 2);
		assert_int_equal(outcome.seen.orders[0], 0);
		assert_int_equal(outcome.seen.orders[1], 1);
		assert_non_null(strstr(outcome.findings, "told"));
		assert_int_equal(outcome.sweeps, 0);
		free(outcome.findings);
	}
	run("/big", NEVER, 0, &outcome);
	assert_int_equal(outcome.state, RUN_DONE);
	assert_int_equal(outcome.seen.started, 1);
	free(outcome.findings);
}

/* Engines that do not come to an end of their own: failed, or interrupted where somebody killed it,
 * swept, and told how. */
static void test_bad_engines(void **state)
{
	static const struct {
		const char *mode, *message;
		unsigned int samples;
	} cases[] = {
		{"/exits", "exit status 3", 1},
		{"/crashes", "signal 5", 1},
		{"/killed", "signal 9", 1},
		{"/silent", "said nothing for 500 ms", 0},
		{"/garbage", "cannot be read", 0},
		{"/huge", "more than", 0},
		{"/early", "\"sample\" where it makes no sense", 0},
		{"/twice", "\"started\" where it makes no sense", 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct outcome outcome;

		run(cases[i].mode, NEVER, 0, &outcome);
		if (!strstr(outcome.err.message, cases[i].message))
			print_error("%s: %s\n", cases[i].mode, outcome.err.message);
		assert_true(outcome.r < 0);
		assert_int_equal(outcome.state, strcmp(cases[i].mode, "/killed") == 0
							? RUN_INTERRUPTED
							: RUN_FAILED);
		assert_int_equal(outcome.err.code, ERROR_ENGINE_FAILED);
		assert_non_null(strstr(outcome.err.message, cases[i].message));
		assert_int_equal(outcome.seen.samples, cases[i].samples);
		assert_int_equal(outcome.sweeps, 1);
		assert_non_null(strstr(outcome.findings, "removed"));
		free(outcome.findings);
	}
}

static void test_told_failures(void **state)
{
	struct outcome outcome;

	(void)state;
	run("/refuses", NEVER, 0, &outcome);
	assert_int_equal(outcome.r, 0);
	assert_int_equal(outcome.state, RUN_FAILED);
	assert_int_equal(outcome.err.code, ERROR_TARGET_BUSY);
	assert_string_equal(outcome.err.field, "/target");
	assert_int_equal(outcome.sweeps, 0);
	assert_null(outcome.findings);
	run("/fails", NEVER, 0, &outcome);
	assert_int_equal(outcome.state, RUN_FAILED);
	assert_int_equal(outcome.err.code, ERROR_IO_ERROR);
	assert_int_equal(outcome.err.sys, EIO);
	assert_non_null(strstr(outcome.findings, "told"));
	free(outcome.findings);
}

/* It told its end and then stayed: the result stands, the process does not. */
static void test_lingering_engine(void **state)
{
	struct outcome outcome;

	(void)state;
	run("/lingers", NEVER, 0, &outcome);
	assert_int_equal(outcome.state, RUN_DONE);
	assert_int_equal(outcome.seen.samples, 2);
	assert_int_equal(outcome.sweeps, 1);
	assert_non_null(strstr(outcome.findings, "told"));
	free(outcome.findings);
}

static void test_cancel(void **state)
{
	struct outcome outcome;
	uint64_t before;

	(void)state;
	run("/measures", AT_SAMPLE, 0, &outcome);
	assert_int_equal(outcome.r, 0);
	assert_int_equal(outcome.state, RUN_CANCELLED);
	assert_int_equal(outcome.seen.samples, 2); /* the one it finished meanwhile */
	assert_int_equal(outcome.sweeps, 0);
	free(outcome.findings);

	run("/deaf", BEFORE, 0, &outcome);
	assert_int_equal(outcome.state, RUN_CANCELLED);
	assert_int_equal(outcome.seen.started, 0);
	assert_int_equal(fake_counted(fixture_root, "runs"), 1); /* none was started */

	run("/floods", AT_PROGRESS, 0, &outcome);
	assert_int_equal(outcome.state, RUN_CANCELLED);
	assert_int_equal(outcome.err.code, ERROR_NONE);
	free(outcome.findings);

	before = clock_now_ns();
	run("/stubborn", AT_SAMPLE, 0, &outcome);
	assert_int_equal(outcome.state, RUN_CANCELLED);
	assert_int_equal(outcome.sweeps, 1);
	assert_true(clock_now_ns() - before >= 600 * NS_PER_MS); /* cancel_ms and close_ms */
	free(outcome.findings);

	run("/stubborn", HURRY_AT_SAMPLE, 0, &outcome);
	assert_int_equal(outcome.state, RUN_CANCELLED);
	assert_int_equal(outcome.sweeps, 0);
	assert_null(outcome.findings);
}

struct later {
	struct supervisor_cancel *cancel;
	pthread_t thread;
};

static void *raise_later(void *arg)
{
	struct later *later = arg;

	for (long n = 0; fake_counted(fixture_root, "runs") == n;)
		;
	supervisor_cancel_raise(later->cancel);
	return NULL;
}

/* From another thread, at an engine that ends with its socket only. */
static void test_cancel_from_a_thread(void **state)
{
	struct supervisor *supervisor = make_supervisor("/deaf");
	struct seen seen = {0};
	const struct supervisor_events events = {
		.started = on_started, .progress = on_progress, .sample = on_sample, .arg = &seen};
	struct later later;
	enum run_state run_state;
	struct error err;
	char *findings;

	(void)state;
	assert_int_equal(supervisor_cancel_new(&later.cancel), 0);
	assert_int_equal(pthread_create(&later.thread, NULL, raise_later, &later), 0);
	(void)!supervisor_run(supervisor, "id", "{}", later.cancel, &events, &run_state, &findings,
			      &err);
	assert_int_equal(pthread_join(later.thread, NULL), 0);
	assert_int_equal(run_state, RUN_CANCELLED);
	free(findings);
	supervisor_cancel_free(later.cancel);
	supervisor_free(supervisor);
}

static void test_lost_sample(void **state)
{
	static const struct {
		int r;
		enum error_code code;
	} cases[] = {{-ENOSPC, ERROR_STORAGE_FULL},
		     {-EDQUOT, ERROR_STORAGE_FULL},
		     {-EROFS, ERROR_READ_ONLY},
		     {-EPERM, ERROR_SYSTEM}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct outcome outcome;

		run("/measures", NEVER, cases[i].r, &outcome);
		assert_int_equal(outcome.r, cases[i].r);
		assert_int_equal(outcome.state, RUN_FAILED);
		assert_int_equal(outcome.err.code, cases[i].code);
		assert_int_equal(outcome.seen.samples, 1); /* what follows is not offered */
		free(outcome.findings);
	}
}

static void test_questions(void **state)
{
	static const struct {
		const char *mode;
		enum error_code code;
		const char *message;
	} cases[] = {
		{"/silent", ERROR_ENGINE_FAILED, "said nothing for 100 ms"},
		{"/exits", ERROR_ENGINE_FAILED, "exit status 3"},
		{"/refuses", ERROR_TARGET_BUSY, "mounted"},
		{"/wrong", ERROR_ENGINE_FAILED, "\"targets\""},
	};
	struct supervisor *supervisor = make_supervisor("/good");
	struct supervisor_cancel *cancel;
	struct error err = {0};
	char *text = NULL;

	(void)state;
	assert_int_equal(supervisor_ask(supervisor, "plan", "{}", 60000, &text, &err), 0);
	assert_string_equal(text, "{\"samples\":[]}");
	free(text);
	assert_int_equal(supervisor_ask(supervisor, "plan", "{", 60000, &text, &err), -ENOMEM);
	assert_int_equal(supervisor_cancel_new(&cancel), 0);
	assert_int_equal(supervisor_sweep(supervisor, cancel, 60000, &text, &err), 0);
	assert_non_null(strstr(text, "removed"));
	free(text);
	supervisor_cancel_free(cancel);
	supervisor_free(supervisor);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		supervisor = make_supervisor(cases[i].mode);
		assert_true(supervisor_ask(supervisor, "plan", "{}",
					   strcmp(cases[i].mode, "/silent") ? 60000 : 100, &text,
					   &err) < 0);
		assert_int_equal(err.code, cases[i].code);
		assert_non_null(strstr(err.message, cases[i].message));
		supervisor_free(supervisor);
	}
}

static void test_sweep_cancelled(void **state)
{
	const struct supervisor_config config = {.program = "/bin/cat", .state_directory = "/"};
	struct supervisor *supervisor;
	struct supervisor_cancel *cancel;
	struct error err = {0};
	char *text;

	(void)state;
	/* `cat engine ...` ends with an error; a program that is missing is told at once. */
	assert_int_equal(supervisor_new(&config, &supervisor, NULL), 0);
	assert_true(supervisor_ask(supervisor, "system", NULL, 60000, &text, &err) < 0);
	assert_int_equal(err.code, ERROR_ENGINE_FAILED);
	assert_int_equal(supervisor_cancel_new(&cancel), 0);
	supervisor_cancel_raise(cancel);
	assert_int_equal(supervisor_sweep(supervisor, cancel, 60000, &text, &err), -ECANCELED);
	supervisor_cancel_free(cancel);
	supervisor_free(supervisor);
}

static void test_missing_program(void **state)
{
	const struct supervisor_config config = {.program = "/nowhere", .state_directory = "/"};
	const struct supervisor_events events = {.started = on_started};
	struct supervisor *supervisor;
	struct supervisor_cancel *cancel;
	enum run_state run_state = RUN_DONE;
	struct error err = {0};
	char *text;

	(void)state;
	assert_int_equal(supervisor_new(&config, &supervisor, NULL), 0);
	assert_int_equal(supervisor_ask(supervisor, "system", NULL, 1000, &text, &err), -ENOENT);
	assert_int_equal(err.code, ERROR_ENGINE_FAILED);
	assert_int_equal(supervisor_cancel_new(&cancel), 0);
	assert_int_equal(
		supervisor_run(supervisor, "id", "{}", cancel, &events, &run_state, &text, &err),
		-ENOENT);
	assert_int_equal(run_state, RUN_FAILED);
	assert_null(text);
	supervisor_cancel_free(cancel);
	supervisor_free(supervisor);
	supervisor_free(NULL);
	supervisor_cancel_free(NULL);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_make, fixture_remove)
	const struct CMUnitTest tests[] = {
		TEST(test_good_run),	    TEST(test_bad_engines),
		TEST(test_told_failures),   TEST(test_lingering_engine),
		TEST(test_cancel),	    TEST(test_cancel_from_a_thread),
		TEST(test_lost_sample),	    TEST(test_questions),
		TEST(test_sweep_cancelled), TEST(test_missing_program),
	};

	fake_engine_main(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
