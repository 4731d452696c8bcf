/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_reporter.c - reports are drawn one after another, once each, and not while a run measures.
 *
 * The store is a stand-in that holds one result; what the thread does is told by semaphores.
 * link: -Wl,--wrap=store_result -Wl,--wrap=store_open_report -Wl,--wrap=report_write
 * link: -Wl,--wrap=store_get_run -Wl,--wrap=log_error
 */
#include "web/reporter.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

#include "engine/base/child.h"
#include "engine/base/file.h"
#include "server/codec/result.h"
#include "tests/unit/web/synthetic.h"
#include "tests/unit/web/xml.h"
#include "web/report.h"

static struct {
	char *text; /* the result every run has */
	size_t size;
	int dirfd;
	atomic_bool missing; /* the store has no result */
	atomic_bool removed; /* and no run any more */
	atomic_int logged;   /* errors */
	atomic_bool busy, hold;
	sem_t asked, begun, go_on, done;
	atomic_int drawn;
	int class; /* the scheduling class it drew in; written before `done` is posted */
	char last[RUN_ID_MAX]; /* written before `done` is posted */
} stand_in;

/* What does not come within half a minute never will. */
static void await(sem_t *semaphore)
{
	struct timespec until;

	(void)clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 30;
	if (sem_timedwait(semaphore, &until) < 0) {
		fputs("waited in vain\n", stderr);
		abort();
	}
}

int __wrap_store_result(struct store *store, const char *id, char **ret_text, size_t *ret_size,
			struct error *err);
int __wrap_store_result(struct store *store, const char *id, char **ret_text, size_t *ret_size,
			struct error *err)
{
	(void)store;
	(void)snprintf(stand_in.last, sizeof(stand_in.last), "%s", id);
	sem_post(&stand_in.begun);
	if (stand_in.hold)
		await(&stand_in.go_on);
	if (stand_in.missing) {
		(void)error_set(err, ERROR_NOT_FOUND, "", "there is no such run");
		sem_post(&stand_in.done);
		return -ENOENT;
	}
	*ret_text = strdup(stand_in.text);
	*ret_size = stand_in.size;
	return *ret_text ? 0 : -ENOMEM;
}

int __wrap_store_get_run(struct store *store, const char *id, struct store_run *ret_run);
int __wrap_store_get_run(struct store *store, const char *id, struct store_run *ret_run)
{
	(void)store;
	(void)id;
	*ret_run = (struct store_run){.state = RUN_DONE};
	return stand_in.removed ? -ENOENT : 0;
}

void __wrap_log_error(const struct error *err, const char *format, ...) PRINTF_LIKE(2, 3);
void __wrap_log_error(const struct error *err, const char *format, ...)
{
	(void)err;
	(void)format;
	stand_in.logged++;
}

int __wrap_store_open_report(struct store *store, const char *id, int *ret_dirfd);
int __wrap_store_open_report(struct store *store, const char *id, int *ret_dirfd)
{
	(void)store;
	(void)id;
	*ret_dirfd = fcntl(stand_in.dirfd, F_DUPFD_CLOEXEC, 3);
	return *ret_dirfd < 0 ? -errno : 0;
}

int __real_report_write(const struct result *result, const char *result_json,
			size_t result_json_size, int dirfd, const atomic_bool *stop,
			struct error *err);
int __wrap_report_write(const struct result *result, const char *result_json,
			size_t result_json_size, int dirfd, const atomic_bool *stop,
			struct error *err);
int __wrap_report_write(const struct result *result, const char *result_json,
			size_t result_json_size, int dirfd, const atomic_bool *stop,
			struct error *err)
{
	int r = __real_report_write(result, result_json, result_json_size, dirfd, stop, err);

	stand_in.class = sched_getscheduler(0);
	stand_in.drawn++;
	sem_post(&stand_in.done);
	return r;
}

static bool measuring(void *arg)
{
	(void)arg;
	sem_post(&stand_in.asked);
	return stand_in.busy;
}

static struct reporter *start(void)
{
	const struct reporter_config config = {.busy = measuring};
	struct reporter *reporter;

	stand_in.drawn = 0;
	stand_in.logged = 0;
	stand_in.missing = stand_in.removed = stand_in.busy = stand_in.hold = false;
	(void)sem_init(&stand_in.asked, 0, 0);
	(void)sem_init(&stand_in.begun, 0, 0);
	(void)sem_init(&stand_in.go_on, 0, 0);
	(void)sem_init(&stand_in.done, 0, 0);
	assert_int_equal(reporter_start(&config, &reporter), 0);
	return reporter;
}

static void test_draws_a_whole_report(void **state)
{
	struct reporter *reporter = start();
	char *page;
	size_t size;

	(void)state;
	reporter_request(reporter, "20261130-113000-aaaaaa");
	await(&stand_in.done);
	reporter_stop(reporter);
	assert_string_equal(stand_in.last, "20261130-113000-aaaaaa");
	assert_int_equal(stand_in.class, SCHED_OTHER); /* no run measures */
	assert_int_equal(file_read(stand_in.dirfd, "index.html", 1 << 24, &page, &size), 0);
	assert_true(xml_valid(page, size));
	assert_non_null(strstr(page, "First"));
	free(page);
}

static void test_asked_twice_draws_once(void **state)
{
	struct reporter *reporter = start();

	(void)state;
	stand_in.hold = true;
	reporter_request(reporter, "a");
	await(&stand_in.begun);
	for (int i = 0; i < 3; i++) { /* a is at hand, b waits */
		reporter_request(reporter, "a");
		reporter_request(reporter, "b");
	}
	stand_in.hold = false;
	sem_post(&stand_in.go_on);
	await(&stand_in.done);
	await(&stand_in.done);
	reporter_stop(reporter);
	assert_string_equal(stand_in.last, "b");
	assert_int_equal(stand_in.drawn, 2);
}

static void test_waits_while_a_run_measures(void **state)
{
	struct reporter *reporter = start();

	(void)state;
	stand_in.busy = true;
	reporter_request(reporter, "a");
	await(&stand_in.asked);
	await(&stand_in.asked);
	assert_int_equal(sem_trywait(&stand_in.begun), -1);
	stand_in.busy = false;
	await(&stand_in.done);
	assert_int_equal(stand_in.drawn, 1);
	reporter_stop(reporter);
}

static void test_a_failed_one_is_left_for_a_while(void **state)
{
	struct reporter *reporter = start();

	(void)state;
	stand_in.missing = true;
	reporter_request(reporter, "a");
	await(&stand_in.done);
	stand_in.missing = false;
	reporter_request(reporter, "b"); /* once this is done the failure of a was noted */
	await(&stand_in.done);
	reporter_request(reporter, "a");
	reporter_request(reporter, "c");
	await(&stand_in.done);
	reporter_stop(reporter);
	assert_string_equal(stand_in.last, "c");
	assert_int_equal(stand_in.drawn, 2);
	assert_int_equal(stand_in.logged, 1);
}

/* Nobody waits for the report of a run that was removed: it is no failure, and no error is logged.
 */
static void test_a_removed_run_is_no_failure(void **state)
{
	struct reporter *reporter = start();

	(void)state;
	stand_in.missing = stand_in.removed = true;
	reporter_request(reporter, "a");
	await(&stand_in.done);
	reporter_request(reporter, REPORTER_STUDY "none"); /* there are no studies: a failure */
	stand_in.hold = true;
	reporter_request(reporter, "b"); /* once it has begun what was before it is over */
	await(&stand_in.begun);
	await(&stand_in.begun);
	assert_int_equal(stand_in.logged, 1);
	stand_in.hold = false;
	sem_post(&stand_in.go_on);
	await(&stand_in.done);
	reporter_stop(reporter);
	assert_int_equal(stand_in.logged, 1);
	assert_int_equal(stand_in.drawn, 0);
}

static void test_stop_forgets_what_waits(void **state)
{
	struct reporter *reporter = start();
	char id[RUN_ID_MAX + 1];

	(void)state;
	stand_in.busy = true;
	for (int i = 0; i < 50; i++) {
		(void)snprintf(id, sizeof(id), "run-%d", i);
		reporter_request(reporter, id);
	}
	memset(id, 'x', RUN_ID_MAX);
	id[RUN_ID_MAX] = '\0';
	reporter_request(reporter, id); /* no id: ignored */
	await(&stand_in.asked);
	reporter_stop(reporter);
	assert_int_equal(stand_in.drawn, 0);
	reporter_stop(NULL);
}

static char directory[] = "/var/tmp/web-reporter-XXXXXX";

static int make_result(void **state)
{
	static const struct synthetic shape = {
		.name = "Reporter",
		.state = RUN_DONE,
		.repeats = 2,
		.seconds = 3,
		.workloads = {{"First", "--rw=randread --size=1G", 1000}},
		.factors = {{"iodepth", {"1", "2"}}}};
	struct result result;
	json_t *value;

	(void)state;
	synthetic_make(&shape, &result);
	value = result_encode(&result);
	stand_in.text = json_write(value);
	stand_in.size = strlen(stand_in.text);
	json_decref(value);
	result_done(&result);
	if (!mkdtemp(directory))
		return -1;
	stand_in.dirfd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return stand_in.dirfd < 0;
}

static int remove_result(void **state)
{
	int parent = open("/var/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = file_remove_tree(parent, strrchr(directory, '/') + 1);

	(void)state;
	free(stand_in.text);
	(void)close(stand_in.dirfd);
	(void)close(parent);
	return r;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_draws_a_whole_report),
		cmocka_unit_test(test_asked_twice_draws_once),
		cmocka_unit_test(test_waits_while_a_run_measures),
		cmocka_unit_test(test_a_failed_one_is_left_for_a_while),
		cmocka_unit_test(test_a_removed_run_is_no_failure),
		cmocka_unit_test(test_stop_forgets_what_waits),
	};

	if (argc > 1 && strcmp(argv[1], "sandbox") == 0)
		return child_sandbox_main(argc, argv);
	return cmocka_run_group_tests(tests, make_result, remove_result);
}
