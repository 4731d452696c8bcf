/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests of server/schedule*.c with a real store and engines of fake_engine.h: every edge of the
 * state machine, stop and restart, full disks.
 * Length: one service without HTTP serves every test.
 *
 * link: -Wl,--wrap=file_write
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "server/codec/definition.h"
#include "server/schedule.h"
#include "tests/unit/server/fake_engine.h"
#include "tests/unit/server/store_fixture.h"

#define DEFINITION                                                                                 \
	"{\"name\":\"t\",\"target\":{\"file\":\"/x/y\"},\"repeats\":2,"                            \
	"\"workloads\":[{\"name\":\"w\",\"rw\":\"randread\",\"size\":\"1m\"}]}"

/* ---- a disk that is full for some files, for some time ---- */

static _Atomic(const char *) full_for; /* the file's name; NULL: none */
static atomic_int full_times, full_seen;

int __real_file_write(int dirfd, const char *name, const void *data, size_t size, int mode);
int __wrap_file_write(int dirfd, const char *name, const void *data, size_t size, int mode);
int __wrap_file_write(int dirfd, const char *name, const void *data, size_t size, int mode)
{
	const char *full = atomic_load(&full_for);

	if (full && strcmp(full, name) == 0 && atomic_fetch_sub(&full_times, 1) > 0) {
		atomic_fetch_add(&full_seen, 1);
		return -ENOSPC;
	}
	return __real_file_write(dirfd, name, data, size, mode);
}

static void fill_disk(const char *name, int times)
{
	atomic_store(&full_for, NULL);
	atomic_store(&full_times, times);
	atomic_store(&full_seen, 0);
	atomic_store(&full_for, name);
}

/* ---- a service without HTTP ---- */

struct service_under_test {
	struct store *store;
	struct progress_board *board;
	struct supervisor *supervisor;
	struct schedule *schedule;
	struct definition definition;

	/* Locking: over all below. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned int published, ended, problems, swept;
	char last_ended[RUN_ID_MAX];
	struct error problem;
};

static struct service_under_test service;

static void on_published(void *arg, const char *id)
{
	(void)arg;
	(void)id;
	(void)pthread_mutex_lock(&service.lock);
	service.published++;
	(void)pthread_cond_broadcast(&service.changed);
	(void)pthread_mutex_unlock(&service.lock);
}

static void on_ended(void *arg, const char *id)
{
	(void)arg;
	(void)pthread_mutex_lock(&service.lock);
	service.ended++;
	(void)snprintf(service.last_ended, sizeof(service.last_ended), "%s", id);
	(void)pthread_cond_broadcast(&service.changed);
	(void)pthread_mutex_unlock(&service.lock);
}

static void on_problem(void *arg, const struct error *err)
{
	(void)arg;
	(void)pthread_mutex_lock(&service.lock);
	service.problems++;
	service.problem = *err;
	(void)pthread_cond_broadcast(&service.changed);
	(void)pthread_mutex_unlock(&service.lock);
}

static void on_swept(void *arg, const struct finding *finding)
{
	(void)arg;
	assert_string_equal(finding->message, "it is gone");
	(void)pthread_mutex_lock(&service.lock);
	service.swept++;
	(void)pthread_mutex_unlock(&service.lock);
}

static void start(const char *mode)
{
	const char *const allow[] = {mode};
	/* Short where it is meant to pass; else a busy machine must not be taken for a hang. */
	const bool stays = strcmp(mode, "/stubborn") == 0 || strcmp(mode, "/hangs") == 0;
	const struct supervisor_config supervisor = {.state_directory = fixture_root,
						     .allow = allow,
						     .allow_count = 1,
						     .silence_ms = 60000,
						     .cancel_ms = stays ? 300 : 60000,
						     .close_ms = stays ? 300 : 60000};
	struct schedule_config config = {
		.ended = on_ended, .problem = on_problem, .swept = on_swept, .retry_ms = 20};
	struct error err = {0};

	service.published = service.ended = service.problems = service.swept = 0;
	service.last_ended[0] = '\0';
	service.store = fixture_open();
	assert_int_equal(progress_board_new(&service.board), 0);
	progress_subscribe(service.board, on_published, NULL);
	assert_int_equal(supervisor_new(&supervisor, &service.supervisor, &err), 0);
	config.store = service.store;
	config.board = service.board;
	config.supervisor = service.supervisor;
	assert_int_equal(schedule_start(&config, &service.schedule, &err), 0);
}

static void stop(void)
{
	schedule_free(service.schedule);
	supervisor_free(service.supervisor);
	progress_board_free(service.board);
	store_close(service.store);
	service.schedule = NULL;
}

static int make(void **state)
{
	struct error err = {0};

	fill_disk(NULL, 0);
	(void)pthread_mutex_init(&service.lock, NULL);
	(void)pthread_cond_init(&service.changed, NULL);
	definition_init(&service.definition);
	if (definition_decode_text(DEFINITION, strlen(DEFINITION), NULL, NULL, &service.definition,
				   &err) < 0) {
		print_error("definition: %s: %s\n", err.field, err.message);
		return -1;
	}
	return fixture_make(state);
}

static int clean(void **state)
{
	definition_done(&service.definition);
	(void)pthread_cond_destroy(&service.changed);
	(void)pthread_mutex_destroy(&service.lock);
	return fixture_remove(state);
}

static struct store_run submit(void)
{
	struct store_run run = {0};
	struct error err = {0};
	bool again = true;

	if (schedule_submit(service.schedule, &service.definition, NULL, NULL, &run, &again, &err) <
	    0)
		print_error("submit: %s\n", err.message);
	assert_false(again);
	assert_int_equal(run.samples_total, 2);
	return run;
}

/* Waits for something that is published, ended or a problem; two minutes are a failure. */
static void wait_until(bool (*holds)(const char *id), const char *id)
{
	struct timespec deadline;

	(void)clock_gettime(CLOCK_REALTIME, &deadline);
	deadline.tv_sec += 120;
	(void)pthread_mutex_lock(&service.lock);
	for (;;) {
		unsigned int before = service.published + service.ended + service.problems;
		bool now;

		(void)pthread_mutex_unlock(&service.lock);
		now = holds(id);
		(void)pthread_mutex_lock(&service.lock);
		if (now)
			break;
		while (before == service.published + service.ended + service.problems)
			if (pthread_cond_timedwait(&service.changed, &service.lock, &deadline))
				fail_msg("nothing happened for 120 s");
	}
	(void)pthread_mutex_unlock(&service.lock);
}

static bool is_running(const char *id)
{
	return fixture_get(service.store, id).state == RUN_RUNNING;
}

static bool has_sample(const char *id)
{
	struct progress_state state;

	progress_get(service.board, id, &state);
	return state.samples > 0;
}

/* The board comes last. */
static bool has_ended(const char *id)
{
	struct progress_state state;

	progress_get(service.board, id, &state);
	return state.state > RUN_RUNNING;
}

static bool was_told(const char *id)
{
	bool told;

	(void)pthread_mutex_lock(&service.lock);
	told = strcmp(service.last_ended, id) == 0;
	(void)pthread_mutex_unlock(&service.lock);
	return told;
}

static bool has_problem(const char *id)
{
	bool has;

	(void)id;
	(void)pthread_mutex_lock(&service.lock);
	has = service.problems > 0;
	(void)pthread_mutex_unlock(&service.lock);
	return has;
}

static void assert_state(const char *id, enum run_state state, size_t samples)
{
	struct store_run run = fixture_get(service.store, id);

	if (run.state != state)
		print_error("%s: %s: %s\n", id, run_state_names[run.state], run.error.message);
	assert_int_equal(run.state, state);
	assert_int_equal(run.samples_done, samples);
	assert_int_equal(fixture_result_samples(service.store, id), samples);
}

/* ---- tests ---- */

static void test_good_runs(void **state)
{
	struct store_run first, second;
	struct progress_state shown;
	json_t *result;

	(void)state;
	start("/good");
	first = submit();
	second = submit();
	wait_until(was_told, second.id);
	assert_int_equal(service.ended, 2);
	assert_int_equal(service.problems, 0);
	assert_state(first.id, RUN_DONE, 2);
	assert_state(second.id, RUN_DONE, 2);
	assert_true(fixture_get(service.store, first.id).ended_wall_ms <=
		    fixture_get(service.store, second.id).started_wall_ms);
	assert_int_equal(fake_counted(fixture_root, "sweeps"), 1); /* at the start */
	assert_int_equal(service.swept, 1);
	progress_get(service.board, first.id, &shown);
	assert_int_equal(shown.state, RUN_DONE);
	assert_int_equal(shown.samples, 2);
	assert_true(shown.known);
	result = fixture_result(service.store, first.id);
	assert_string_equal(json_string_value(json_object_get(result, "backend")), "null");
	assert_int_equal(json_array_size(json_object_get(result, "findings")), 1);
	json_decref(result);
	stop();
}

static void test_failures(void **state)
{
	static const struct {
		const char *mode;
		enum run_state state;
		enum error_code code;
		size_t samples;
	} cases[] = {
		{"/refuses", RUN_FAILED, ERROR_TARGET_BUSY, 0},
		{"/fails", RUN_FAILED, ERROR_IO_ERROR, 0},
		{"/crashes", RUN_FAILED, ERROR_ENGINE_FAILED, 1},
		{"/killed", RUN_INTERRUPTED, ERROR_ENGINE_FAILED, 1},
		{"/stopped", RUN_INTERRUPTED, ERROR_INTERRUPTED, 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct store_run run;

		start(cases[i].mode);
		run = submit();
		wait_until(was_told, run.id);
		assert_state(run.id, cases[i].state, cases[i].samples);
		assert_int_equal(fixture_get(service.store, run.id).error.code, cases[i].code);
		stop();
	}
}

static void test_cancel(void **state)
{
	struct store_run first, second, third;
	struct error err = {0};

	(void)state;
	start("/measures");
	first = submit();
	second = submit();
	third = submit();
	wait_until(has_sample, first.id);
	assert_true(schedule_measuring(service.schedule));
	assert_int_equal(schedule_remove(service.schedule, first.id, &err), -EBUSY);
	assert_int_equal(err.code, ERROR_RUN_ACTIVE);
	assert_int_equal(schedule_cancel(service.schedule, second.id, &err), 0);
	assert_state(second.id, RUN_CANCELLED, 0);
	assert_true(has_ended(second.id));
	assert_int_equal(schedule_cancel(service.schedule, first.id, &err), 0);
	wait_until(has_ended, first.id);
	assert_state(first.id, RUN_CANCELLED, 2); /* with what it finished meanwhile */
	assert_int_equal(fixture_get(service.store, first.id).error.code, ERROR_NONE);
	wait_until(has_sample, third.id);
	assert_int_equal(schedule_cancel(service.schedule, third.id, &err), 0);
	wait_until(was_told, third.id);
	assert_int_equal(fixture_get(service.store, third.id).state, RUN_CANCELLED);
	assert_true(schedule_cancel(service.schedule, third.id, &err) < 0);
	assert_int_equal(err.code, ERROR_ALREADY_FINISHED);
	assert_int_equal(schedule_cancel(service.schedule, "20250101-000000-absent", &err),
			 -ENOENT);
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	stop();
	assert_int_equal(fake_counted(fixture_root, "runs"), 2);
}

static void test_remove(void **state)
{
	struct progress_state shown;
	struct store_run first, second;
	struct store_run gone;
	struct error err = {0};

	(void)state;
	start("/measures");
	first = submit();
	second = submit();
	wait_until(has_sample, first.id);
	assert_int_equal(schedule_remove(service.schedule, second.id, &err), 0);
	assert_int_equal(store_get_run(service.store, second.id, &gone), -ENOENT);
	progress_get(service.board, second.id, &shown);
	assert_int_equal(shown.seq, 0);
	assert_int_equal(schedule_remove(service.schedule, second.id, &err), -ENOENT);
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	assert_int_equal(schedule_cancel(service.schedule, first.id, &err), 0);
	wait_until(was_told, first.id);
	assert_int_equal(schedule_remove(service.schedule, first.id, &err), 0);
	stop();
}

/* In under five seconds, whatever the engine does; then a restart goes on with the queue. */
static void test_stop_and_restart(void **state)
{
	static const char *const modes[] = {"/measures", "/stubborn"};
	struct error err = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		struct store_run first, second, third;
		uint64_t before;
		bool again;

		start(modes[i]);
		first = submit();
		second = submit();
		wait_until(has_sample, first.id);
		before = clock_now_ns();
		schedule_stop(service.schedule);
		assert_true(clock_now_ns() - before < 5 * NS_PER_S);
		assert_int_equal(fixture_get(service.store, first.id).state, RUN_INTERRUPTED);
		assert_int_equal(fixture_get(service.store, first.id).error.code,
				 ERROR_INTERRUPTED);
		assert_true(fixture_result_samples(service.store, first.id) >= 1);
		assert_int_equal(fixture_get(service.store, second.id).state, RUN_QUEUED);
		assert_int_equal(schedule_submit(service.schedule, &service.definition, NULL, NULL,
						 &third, &again, &err),
				 -ESHUTDOWN);
		assert_int_equal(err.code, ERROR_SHUTTING_DOWN);
		assert_int_equal(schedule_cancel(service.schedule, second.id, &err), -ESHUTDOWN);
		assert_int_equal(schedule_remove(service.schedule, second.id, &err), -ESHUTDOWN);
		assert_false(schedule_measuring(service.schedule));
		stop();
		start("/good");
		wait_until(was_told, second.id);
		assert_state(second.id, RUN_DONE, 2);
		stop();
	}
}

static void test_stop_in_sweep(void **state)
{
	uint64_t before = clock_now_ns();

	(void)state;
	start("/hangs");
	while (fake_counted(fixture_root, "sweeps") == 0)
		;
	stop();
	assert_true(clock_now_ns() - before < 20 * NS_PER_S);
	start("/hangs"); /* perhaps before it has begun */
	stop();
}

/* A run that the last service left running is interrupted, and its report asked for. */
static void test_recovered(void **state)
{
	struct store *store = fixture_open();
	struct store_run run = fixture_run(store);

	(void)state;
	assert_int_equal(store_set_running(store, run.id, NULL), 0);
	assert_int_equal(fixture_add_sample(store, run.id, 1, NULL), 0);
	store_close(store);
	start("/good");
	wait_until(was_told, run.id);
	assert_state(run.id, RUN_INTERRUPTED, 1);
	stop();
	start("/good"); /* told once */
	run = submit();
	wait_until(was_told, run.id);
	assert_int_equal(service.ended, 1);
	stop();
}

static void test_queue_limit_and_keys(void **state)
{
	struct store_run first, run;
	struct error err = {0};
	bool again = false;

	(void)state;
	start("/measures");
	first = submit();
	wait_until(is_running, first.id);
	for (int i = 0; i < SCHEDULE_QUEUE_MAX; i++) {
		char key[16];

		(void)snprintf(key, sizeof(key), "%d", i);
		assert_int_equal(schedule_submit(service.schedule, &service.definition, key, "d",
						 &run, &again, &err),
				 0);
		assert_false(again);
	}
	assert_int_equal(schedule_submit(service.schedule, &service.definition, "more", "d", &run,
					 &again, &err),
			 -EBUSY);
	assert_int_equal(err.code, ERROR_QUEUE_FULL);
	assert_int_equal(schedule_submit(service.schedule, &service.definition, "5", "d", &run,
					 &again, &err),
			 0);
	assert_true(again);
	assert_int_equal(schedule_submit(service.schedule, &service.definition, "5", "other", &run,
					 &again, &err),
			 -EEXIST);
	assert_int_equal(err.code, ERROR_IDEMPOTENCY_MISMATCH);
	stop();
}

static void test_full_disk(void **state)
{
	struct store_run run;

	(void)state;
	start("/good"); /* full for a moment: nothing is lost */
	fill_disk("00000.json", 3);
	run = submit();
	wait_until(was_told, run.id);
	assert_int_equal(atomic_load(&full_seen), 3);
	assert_state(run.id, RUN_DONE, 2);
	stop();

	start("/measures"); /* full for good, for one file */
	fill_disk("00000.json", 1000);
	run = submit();
	wait_until(was_told, run.id);
	assert_state(run.id, RUN_FAILED, 0);
	assert_int_equal(fixture_get(service.store, run.id).error.code, ERROR_STORAGE_FULL);
	stop();

	start("/measures");
	fill_disk("started.json", 1000);
	run = submit();
	wait_until(was_told, run.id);
	assert_int_equal(fixture_get(service.store, run.id).state, RUN_FAILED);
	assert_int_equal(fixture_get(service.store, run.id).error.code, ERROR_STORAGE_FULL);
	stop();
}

/* Not even the end can be written: it counts as failed until the restart, which mends it. */
static void test_full_disk_at_the_end(void **state)
{
	struct store_run run;

	(void)state;
	start("/good");
	fill_disk("result.json", 1000);
	run = submit();
	wait_until(was_told, run.id);
	assert_state(run.id, RUN_FAILED, 2);
	assert_int_equal(service.problems, 1);
	assert_int_equal(service.problem.code, ERROR_STORAGE_FULL);
	stop();
	fill_disk(NULL, 0);
	start("/good");
	wait_until(was_told, run.id);
	assert_state(run.id, RUN_INTERRUPTED, 2);
	stop();
}

/* It cannot even begin: it stays queued, is told, and stopping is not held up. */
static void test_full_disk_at_the_start(void **state)
{
	struct store_run run;
	uint64_t before;

	(void)state;
	start("/good");
	fill_disk("state.json", 1000);
	run = submit();
	wait_until(has_problem, run.id);
	assert_int_equal(fixture_get(service.store, run.id).state, RUN_QUEUED);
	fill_disk(NULL, 0);
	wait_until(was_told, run.id); /* it is tried again */
	assert_state(run.id, RUN_DONE, 2);
	fill_disk("state.json", 1000);
	run = submit();
	wait_until(has_problem, run.id);
	before = clock_now_ns();
	schedule_stop(service.schedule);
	assert_true(clock_now_ns() - before < 5 * NS_PER_S);
	stop();
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make, clean)
	const struct CMUnitTest tests[] = {
		TEST(test_good_runs),
		TEST(test_failures),
		TEST(test_cancel),
		TEST(test_remove),
		TEST(test_stop_and_restart),
		TEST(test_stop_in_sweep),
		TEST(test_recovered),
		TEST(test_queue_limit_and_keys),
		TEST(test_full_disk),
		TEST(test_full_disk_at_the_end),
		TEST(test_full_disk_at_the_start),
	};

	fake_engine_main(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
