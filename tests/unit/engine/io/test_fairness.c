/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_fairness.c - many jobs in few reactors: all begin together, and those of one reactor get
 * their turns alike. Jobs of two reactors are as far apart as the CPUs they run on.
 *
 * link: -Wl,--wrap=null_open,--wrap=load_ready
 */
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "engine/io/backend.h"
#include "engine/io/load.h"
#include "engine/io/measure.h"
#include "engine/io/placement.h"
#include "engine/io/resources.h"
#include "tests/unit/tries.h"

#define JOBS 64

static char cpus[32]; /* two of them, or one */
static size_t reactors;

static void prepare(struct workload *workload, uint64_t depth)
{
	workload_init(workload);
	workload->rw = RW_RANDREAD;
	workload->bs[0] = workload->bs[1] = 4096;
	workload->size = 65536;
	workload->numjobs = JOBS;
	workload->iodepth = depth;
	workload->time_based = workload->refill_buffers = true; /* group_reporting is off */
	workload->runtime_ns = 200 * NS_PER_MS;
	assert_int_equal(option_parse(option_at(OPTION_ID_CPUS_ALLOWED), cpus, workload, NULL), 0);
	assert_int_equal(resources_reactors(workload), reactors);
}

static void measure(enum backend_kind backend, const struct workload *workload, int fd,
		    struct sample *sample)
{
	struct measure_region regions[JOBS];
	struct measure_spec spec = {
		.workload = workload, .backend = backend, .region_count = JOBS, .regions = regions};
	struct error err;

	for (size_t i = 0; i < JOBS; i++)
		regions[i] =
			(struct measure_region){.fd = fd, .offset = i * 65536, .length = 65536};
	sample_init(sample);
	if (measure_run(&spec, sample, &err) != 0)
		fail_msg("%s", err.message);
	assert_int_equal(sample->job_count, JOBS);
}

/* Of the jobs of one reactor, the most and the fewest operations. */
static void extremes(const struct sample *sample, size_t reactor, uint64_t *ret_least,
		     uint64_t *ret_most)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (size_t i = reactor; i < JOBS; i += reactors) {
		uint64_t ios = sample->jobs[i].directions[DIRECTION_READ].ios;

		least = ios < least ? ios : least;
		most = ios > most ? ios : most;
	}
	*ret_least = least;
	*ret_most = most;
}

/* Where operations complete in the order of their submission, turns are exact: when it ends, a job
 * may have all of its depth done more than another. Whether all had a turn. */
static bool fair(const struct sample *sample, enum backend_kind backend, uint64_t depth)
{
	bool all = true;

	for (size_t r = 0; r < reactors; r++) {
		uint64_t least, most;

		extremes(sample, r, &least, &most);
		all = all && least > 0;
		if (most - least > depth)
			fail_msg("%s, depth %d, reactor %zu: from %llu to %llu operations",
				 backend_names[backend], (int)depth, r, (unsigned long long)least,
				 (unsigned long long)most);
	}
	return all;
}

static void in_order(enum backend_kind backend, int fd, bool steps)
{
	const uint64_t depths[] = {1, 4};

	for (size_t d = 0; d < ARRAY_SIZE(depths); d++) {
		struct workload workload;
		unsigned int tries = 0;
		bool all;

		prepare(&workload, depths[d]);
		if (steps) /* read as written, but not by a loop of its own */
			workload.fdatasync = 1;
		do {
			struct sample sample;

			measure(backend, &workload, fd, &sample);
			all = fair(&sample, backend, depths[d]);
			sample_done(&sample);
		} while (again(all, &tries)); /* a busy CPU may leave a reactor none of 0.2 s */
		assert_true(all);
		workload_done(&workload);
	}
}

static void test_in_order(void **unused)
{
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	(void)unused;
	assert_true(fd >= 0);
	for (int steps = 0; steps < 2; steps++) {
		in_order(BACKEND_NULL, fd, steps);
		in_order(BACKEND_IO_URING, fd, steps);
	}
	(void)close(fd);
}

/* A disk completes as it likes: the jobs of a reactor stay within a fifth of each other, and 32
 * operations where they have few. */
static void test_on_a_disk(void **unused)
{
	const char *directory = getenv("VOLBENCH_TEST_DIR");
	struct workload workload;
	struct sample sample;
	char *data = calloc(JOBS, 65536);
	int fd;

	(void)unused;
	directory = directory ? directory : "/var/tmp";
	fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC | O_DIRECT, 0600);
	if (fd < 0) {
		free(data);
		print_message("skipped: no direct I/O in %s\n", directory);
		skip();
	}
	assert_non_null(data);
	assert_int_equal(fcntl(fd, F_SETFL, O_RDWR), 0); /* through the cache, and then not */
	assert_int_equal(write(fd, data, JOBS * 65536), JOBS * 65536);
	assert_int_equal(fsync(fd), 0);
	assert_int_equal(fcntl(fd, F_SETFL, O_RDWR | O_DIRECT), 0);
	free(data);
	prepare(&workload, 2);
	workload.runtime_ns = NS_PER_S;
	measure(BACKEND_IO_URING, &workload, fd, &sample);
	for (size_t r = 0; r < reactors; r++) {
		uint64_t least, most;

		extremes(&sample, r, &least, &most);
		if (most - least > most / 5 + 32)
			fail_msg("reactor %zu: from %llu to %llu operations", r,
				 (unsigned long long)least, (unsigned long long)most);
	}
	sample_done(&sample);
	workload_done(&workload);
	(void)close(fd);
}

/* ---- the start ---- */

static atomic_uint opened, ready, exchanges, early;
static const struct backend_ops *real_ops;
static struct backend_ops counting;

int __real_null_open(const struct backend_config *config, struct backend **ret_backend,
		     struct error *err);
int __wrap_null_open(const struct backend_config *config, struct backend **ret_backend,
		     struct error *err);
bool __real_load_ready(struct load *load);
bool __wrap_load_ready(struct load *load);

bool __wrap_load_ready(struct load *load)
{
	(void)atomic_fetch_add(&ready, 1);
	return __real_load_ready(load);
}

static int count_exchange(struct backend *backend, unsigned int count, unsigned int wait_for,
			  uint64_t timeout_ns)
{
	(void)atomic_fetch_add(&exchanges, 1);
	return real_ops->exchange(backend, count, wait_for, timeout_ns);
}

/* The last to open waits for the others to be ready, and a while for one of them to begin. */
int __wrap_null_open(const struct backend_config *config, struct backend **ret_backend,
		     struct error *err)
{
	int rc = __real_null_open(config, ret_backend, err);
	uint64_t until_ns;

	if (rc < 0 || !counting.exchange)
		return rc;
	(*ret_backend)->ops = &counting;
	if (atomic_fetch_add(&opened, 1) + 1 < reactors)
		return rc;
	while (atomic_load(&ready) + 1 < reactors)
		(void)sched_yield();
	until_ns = clock_now_ns() + 20 * NS_PER_MS;
	while (clock_now_ns() < until_ns)
		(void)sched_yield();
	atomic_store(&early, atomic_load(&exchanges));
	return rc;
}

static void test_common_start(void **unused)
{
	struct workload workload;
	struct backend *backend;
	struct sample sample;
	struct arena arena;
	struct backend_config config = {.slots = 1, .arena = &arena};

	(void)unused;
	if (reactors < 2) {
		print_message("skipped: there is but one CPU, and one reactor\n");
		skip();
	}
	assert_int_equal(arena_init(&arena, 1, 4096, false, 1, NULL), 0);
	assert_int_equal(null_open(&config, &backend, NULL), 0);
	real_ops = backend->ops;
	real_ops->close(backend);
	arena_done(&arena);
	atomic_store(&ready, 0);
	counting = *real_ops;
	counting.exchange = count_exchange;
	prepare(&workload, 1);
	measure(BACKEND_NULL, &workload, -1, &sample);
	assert_int_equal(atomic_load(&opened), reactors);
	assert_int_equal(atomic_load(&early), 0);
	assert_true(atomic_load(&exchanges) > 0);
	sample_done(&sample);
	workload_done(&workload);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_order),
		cmocka_unit_test(test_on_a_disk),
		cmocka_unit_test(test_common_start),
	};
	struct cpus allowed;

	placement_allowed(&allowed);
	reactors = cpus_count(&allowed) < 2 ? 1 : 2;
	if (reactors == 1)
		(void)snprintf(cpus, sizeof(cpus), "%zu", cpus_nth(&allowed, 0));
	else
		(void)snprintf(cpus, sizeof(cpus), "%zu,%zu", cpus_nth(&allowed, 0),
			       cpus_nth(&allowed, 1));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
