/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_alone.c - a target that serves one operation at a time is told from one that serves many,
 * though as many are outstanding at both.
 *
 * link: -Wl,--wrap=pread,--wrap=pread64
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "engine/alone.h"
#include "engine/analysis/checks.h"
#include "engine/base/clock.h"
#include "tests/unit/tries.h"

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER; /* Locking: itself */
static atomic_bool in_turns;

ssize_t __wrap_pread(int fd, void *buffer, size_t size, off_t offset);
ssize_t __wrap_pread64(int fd, void *buffer, size_t size, off_t offset);

/* A device of 2 ms an operation. */
ssize_t __wrap_pread(int fd, void *buffer, size_t size, off_t offset)
{
	struct timespec pause = {.tv_nsec = 2 * (long)NS_PER_MS};
	bool alone = atomic_load(&in_turns);

	(void)fd;
	(void)buffer;
	(void)offset;
	if (alone)
		(void)pthread_mutex_lock(&turn);
	(void)nanosleep(&pause, NULL);
	if (alone)
		(void)pthread_mutex_unlock(&turn);
	return (ssize_t)size;
}

ssize_t __wrap_pread64(int fd, void *buffer, size_t size, off_t offset)
{
	return __wrap_pread(fd, buffer, size, offset);
}

static bool has(const struct sample *sample, const char *code)
{
	for (size_t i = 0; i < sample->findings.count; i++)
		if (strcmp(sample->findings.list[i].code, code) == 0)
			return true;
	return false;
}

static void measure(struct sample *sample)
{
	static const struct measure_region regions[2] = {{.length = 1 << 20},
							 {.offset = 1 << 20, .length = 1 << 20}};
	const struct measure_spec spec = {
		.workload = &sample->options,
		.backend = BACKEND_THREADS,
		.region_count = 2,
		.regions = regions,
	};
	struct workload *workload = &sample->options;
	struct error err;

	sample_init(sample);
	workload->rw = RW_RANDREAD;
	workload->bs[0] = workload->bs[1] = 4096;
	workload->size = 1 << 20;
	workload->iodepth = 8;
	workload->numjobs = 2;
	workload->time_based = workload->group_reporting = workload->refill_buffers = true;
	workload->runtime_ns = 300 * NS_PER_MS;
	sample->repeat = 1;
	assert_int_equal(measure_run(&spec, sample, &err), 0);
	assert_int_equal(alone_try(sample, BACKEND_THREADS, &regions[0], NULL, &err), 0);
	assert_int_equal(checks_sample(sample), 0);
}

/* Whether the machine let it be seen what the device is like: its speed, and the same depth at
 * both; and whether it was told. */
static bool told(bool turns)
{
	struct sample sample;
	bool well;

	atomic_store(&in_turns, turns);
	measure(&sample);
	assert_true(sample.alone_iops < 501);
	well = sample.alone_iops > 50 && sample.alone_cpu_share < 0.5 && sample.depth_mean > 12 &&
	       has(&sample, "served_one_at_a_time") == turns;
	sample_done(&sample);
	return well;
}

static void test_told_apart(void **unused)
{
	(void)unused;
	for (int turns = 0; turns < 2; turns++) {
		unsigned int tries = 0;
		bool well;

		do
			well = told(turns);
		while (again(well, &tries));
		assert_true(well);
	}
}

static void test_cancelled(void **unused)
{
	static const struct measure_region region = {.length = 1 << 20};
	atomic_bool cancel = true;
	struct sample sample;
	struct error err;

	(void)unused;
	measure(&sample);
	sample.alone_iops = 0;
	assert_int_equal(alone_try(&sample, BACKEND_THREADS, &region, &cancel, &err), -ECANCELED);
	assert_int_equal(err.code, ERROR_CANCELLED);
	assert_true(sample.alone_iops == 0);
	sample_done(&sample);
}

static void test_wanted(void **unused)
{
	struct sample sample;

	(void)unused;
	sample_init(&sample);
	sample.options.iodepth = 2;
	sample.options.numjobs = 1;
	sample.repeat = 1;
	sample.seconds = 1;
	assert_true(alone_wanted(&sample, false, BACKEND_THREADS));
	assert_true(alone_wanted(&sample, false, BACKEND_IO_URING));
	assert_false(alone_wanted(&sample, true, BACKEND_THREADS)); /* the device tells */
	assert_false(alone_wanted(&sample, false, BACKEND_NULL));
	sample.repeat = 2;
	assert_false(alone_wanted(&sample, false, BACKEND_THREADS));
	sample.repeat = 1;
	sample.seconds = 0.9;
	assert_false(alone_wanted(&sample, false, BACKEND_THREADS));
	sample.seconds = 1;
	sample.options.iodepth = 1;
	assert_false(alone_wanted(&sample, false, BACKEND_THREADS));
	sample_done(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_told_apart),
		cmocka_unit_test(test_cancelled),
		cmocka_unit_test(test_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
