/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_together.c - jobs of different options in one measurement, by each backend: each is given
 * its own sizes, depth, budget, time and region, and has its own figures.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "engine/io/measure.h"
#include "engine/io/resources.h"
#include "tests/unit/tries.h"

#define KIB UINT64_C(1024)
#define JOBS_MAX 64

static const enum backend_kind backends[] = {BACKEND_IO_URING, BACKEND_THREADS, BACKEND_NULL};

struct setup {
	struct workload whole;
	struct measure_spec spec;
	struct measure_region regions[JOBS_MAX];
	uint64_t used; /* bytes of the file that have a job */
	struct sample sample;
	struct error err;
};

static int scratch(const char *directory, int flags, uint64_t size)
{
	int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC | flags, 0600);

	if (fd < 0)
		fail_msg("cannot make a file in %s: %s", directory, strerror(errno));
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	return fd;
}

static struct setup *prepare(enum backend_kind backend)
{
	struct setup *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	workload_init(&s->whole);
	sample_init(&s->sample);
	s->spec = (struct measure_spec){
		.workload = &s->whole, .backend = backend, .seed = 11, .regions = s->regions};
	return s;
}

/* A part with its jobs' regions, each behind the one before; options as "rw=read bs=4k". */
static void add(struct setup *s, const char *options, int fd)
{
	char *copy = strdup(options), *word, *rest = copy;
	struct workload part;

	workload_init(&part);
	while ((word = strsep(&rest, " "))) {
		char *value = strchr(word, '=');
		const struct option *option;

		assert_non_null(value);
		*value++ = '\0';
		option = option_find(word);
		assert_non_null(option);
		if (option_parse(option, value, &part, &s->err) < 0)
			fail_msg("%s: %s", word, s->err.message);
	}
	free(copy);
	if (workload_complete(&part, &s->err) < 0)
		fail_msg("%s: %s", options, s->err.message);
	for (uint64_t i = 0; i < part.numjobs; i++) {
		s->regions[s->spec.region_count++] =
			(struct measure_region){.fd = fd,
						.offset = s->used,
						.length = part.size,
						.part = s->whole.part_count};
		s->used += part.size;
	}
	assert_int_equal(workload_add_part(&s->whole, &part), 0);
}

static void run(struct setup *s)
{
	int rc = measure_run(&s->spec, &s->sample, &s->err);

	if (rc != 0)
		fail_msg("%s: %d %s", backend_names[s->spec.backend], rc, s->err.message);
}

static void finish(struct setup *s)
{
	sample_done(&s->sample);
	workload_done(&s->whole);
	free(s);
}

/* Whether to do it again; then what was measured is gone. */
static bool tried_in_vain(struct setup *s, bool well, unsigned int *tries)
{
	if (!again(well, tries))
		return false;
	finish(s);
	return true;
}

static void expect(const struct job_result *job, const char *name, uint64_t jobs, uint64_t reads,
		   uint64_t read_bytes, uint64_t writes, uint64_t written_bytes)
{
	const struct direction_result *r = job->directions;

	assert_string_equal(job->name, name);
	assert_int_equal(job->jobs, jobs);
	assert_int_equal(r[DIRECTION_READ].ios, reads);
	assert_int_equal(r[DIRECTION_READ].bytes, read_bytes);
	assert_int_equal(r[DIRECTION_WRITE].ios, writes);
	assert_int_equal(r[DIRECTION_WRITE].bytes, written_bytes);
	assert_int_equal(r[DIRECTION_READ].latency ? r[DIRECTION_READ].latency->count : 0, reads);
	assert_int_equal(r[DIRECTION_WRITE].latency ? r[DIRECTION_WRITE].latency->count : 0,
			 writes);
	assert_true(job->seconds > 0);
}

/* Each runs to its own size in its own blocks, with its own syncs. */
static void test_sizes_of_their_own(void **unused)
{
	int fd = scratch("/dev/shm", 0, 2 * 64 * KIB + 160 * KIB + 3 * 24 * KIB);

	(void)unused;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		struct setup *s = prepare(backends[b]);
		const struct sample *sample = &s->sample;

		add(s, "name=readers rw=randread bs=4k size=64k iodepth=4 numjobs=2 time_based=0",
		    fd);
		add(s, "name=logger rw=write bs=16k size=160k fsync=3 time_based=0", fd);
		add(s,
		    "name=mix rw=rw bs=8k,2k size=24k numjobs=3 direct=0 fdatasync=2 time_based=0 "
		    "rwmixread=0",
		    fd);
		run(s);
		assert_int_equal(sample->job_count, 3);
		expect(&sample->jobs[0], "readers", 2, 32, 128 * KIB, 0, 0);
		expect(&sample->jobs[1], "logger", 1, 0, 0, 10, 160 * KIB);
		expect(&sample->jobs[2], "mix", 3, 0, 0, 36, 72 * KIB);
		assert_null(sample->jobs[0].sync);
		assert_int_equal(sample->jobs[1].sync->count, 3);
		assert_null(sample->jobs[1].datasync);
		assert_null(sample->jobs[2].sync);
		assert_true(sample->jobs[2].datasync->count >= 3 * 5);
		/* the total is the sum */
		assert_int_equal(sample->directions[DIRECTION_READ].ios, 32);
		assert_int_equal(sample->directions[DIRECTION_WRITE].ios, 46);
		assert_int_equal(sample->directions[DIRECTION_WRITE].bytes, 232 * KIB);
		assert_int_equal(sample->sync->count, 3);
		finish(s);
	}
	(void)close(fd);
}

/* Without group_reporting each job of a part has its own, and those of other parts are together. */
static void test_jobs_apart(void **unused)
{
	int fd = scratch("/dev/shm", 0, 5 * 64 * KIB);

	(void)unused;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		struct setup *s = prepare(backends[b]);
		const struct job_result *jobs;

		add(s,
		    "name=a rw=read bs=4k size=64k numjobs=3 group_reporting=0 time_based=0 "
		    "direct=0",
		    fd);
		add(s, "name=b rw=read bs=32k size=64k numjobs=2 time_based=0 direct=0", fd);
		run(s);
		jobs = s->sample.jobs;
		assert_int_equal(s->sample.job_count, 4);
		for (size_t i = 0; i < 3; i++)
			expect(&jobs[i], "a", 1, 16, 64 * KIB, 0, 0);
		expect(&jobs[3], "b", 2, 4, 128 * KIB, 0, 0);
		finish(s);
	}
	(void)close(fd);
}

/* What writes writes all of its own regions and not a byte beside them. */
static void test_regions_of_their_own(void **unused)
{
	(void)unused;
	for (size_t b = 0; b < 2; b++) {
		int fd = scratch("/dev/shm", 0, 512 * KIB);
		struct setup *s = prepare(backends[b]);
		unsigned char *data = calloc(1, 512 * KIB);

		assert_non_null(data);
		add(s, "name=before rw=randread bs=4k size=64k iodepth=8 time_based=0 direct=0",
		    fd);
		add(s, "name=w rw=randwrite bs=16k size=128k iodepth=3 time_based=0 direct=0", fd);
		add(s, "name=after rw=read bs=64k size=128k time_based=0 direct=0", fd);
		run(s);
		assert_int_equal(pread(fd, data, 512 * KIB, 0), 512 * KIB);
		for (size_t i = 0; i < 512; i++) {
			bool zero = data[i * KIB] == 0 &&
				    memcmp(data + i * KIB, data + i * KIB + 1, KIB - 1) == 0;

			assert_true(zero == (i < 64 || i >= 192));
		}
		free(data);
		finish(s);
		(void)close(fd);
	}
}

static double depth_of(const struct job_result *job)
{
	double sum_ns = 0;

	for (int d = 0; d < DIRECTION_COUNT; d++)
		if (job->directions[d].latency)
			sum_ns += (double)job->directions[d].latency->sum_ns;
	return sum_ns / job->seconds / 1e9;
}

/* Each goes on for its own time, at its own depth; the sample for the longest. */
static void test_times_and_depths_of_their_own(void **unused)
{
	const char *directory = getenv("VOLBENCH_TEST_DIR");
	int fd = scratch(directory ? directory : "/var/tmp", O_DIRECT, 2048 * KIB);

	(void)unused;
	for (size_t b = 0; b < 2; b++) {
		const struct job_result *jobs;
		unsigned int tries = 0;
		struct setup *s;
		bool well;

		do {
			s = prepare(backends[b]);
			add(s, "name=short rw=randwrite bs=4k size=1m iodepth=16 runtime=200ms",
			    fd);
			add(s, "name=long rw=write bs=64k size=1m runtime=700ms", fd);
			run(s);
			jobs = s->sample.jobs;
			assert_int_equal(s->sample.job_count, 2);
			assert_true(jobs[0].seconds > 0.1 && jobs[1].seconds > 0.6);
			assert_true(s->sample.seconds >= jobs[1].seconds);
			assert_true(depth_of(&jobs[0]) < 16.5 && depth_of(&jobs[1]) < 1.05);
			well = jobs[0].seconds < 0.6 && depth_of(&jobs[0]) > 4;
		} while (tried_in_vain(s, well, &tries));
		assert_true(well);
		finish(s);
	}
	(void)close(fd);
}

/* What is paced has its whole time, also where others are done before; the window lasts as long. */
static void test_a_pace_has_its_time(void **unused)
{
	int fd = scratch("/dev/shm", 0, 128 * KIB);

	(void)unused;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		const struct job_result *jobs;
		unsigned int tries = 0;
		struct setup *s;

		do {
			s = prepare(backends[b]);
			add(s,
			    "name=paced rw=randread bs=4k size=64k rate_iops=4 runtime=450ms "
			    "direct=0",
			    fd);
			add(s, "name=short rw=read bs=4k size=64k time_based=0 direct=0", fd);
			run(s);
			jobs = s->sample.jobs;
			assert_true(jobs[0].seconds >= 0.45);
			assert_true(s->sample.seconds >= jobs[0].seconds);
		} while (tried_in_vain(s, jobs[1].seconds < 0.4, &tries));
		assert_true(jobs[1].seconds < 0.4);
		finish(s);
	}
	(void)close(fd);
}

/* The ramp is everybody's; a budget begins anew behind it. */
static void test_ramp(void **unused)
{
	int fd = scratch("/dev/shm", 0, 128 * KIB);

	(void)unused;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		unsigned int tries = 0;
		struct setup *s;
		bool well;

		do {
			s = prepare(backends[b]);
			add(s, "name=a rw=read bs=4k size=64k ramp_time=150ms time_based=0", fd);
			add(s, "name=b rw=randread bs=8k size=64k ramp_time=150ms runtime=200ms",
			    fd);
			run(s);
			assert_true(s->sample.ramp_seconds > 0.1);
			assert_int_equal(s->sample.jobs[0].directions[DIRECTION_READ].ios, 16);
			assert_true(s->sample.seconds >= 0.2);
			well = s->sample.jobs[1].directions[DIRECTION_READ].ios > 100 &&
			       s->sample.seconds < 1;
		} while (tried_in_vain(s, well, &tries));
		assert_true(well);
		finish(s);
	}
	(void)close(fd);
}

/* One fails: all end, and the message says which it was. */
static void test_failure_names_the_job(void **unused)
{
	int fd = scratch("/dev/shm", 0, 64 * KIB), null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)unused;
	assert_true(null >= 0);
	for (size_t b = 0; b < 2; b++) {
		struct setup *s = prepare(backends[b]);
		int rc;

		add(s, "name=readers rw=randread bs=4k size=64k runtime=60 direct=0", fd);
		add(s, "name=logger rw=write bs=4k size=64k runtime=60 direct=0", null);
		rc = measure_run(&s->spec, &s->sample, &s->err);
		assert_int_equal(rc, -EBADF);
		assert_int_equal(s->err.code, ERROR_IO_ERROR);
		if (strncmp(s->err.message, "job logger: write of 4096 bytes", 31) != 0)
			fail_msg("%s", s->err.message);
		assert_true(s->sample.error_count > 0);
		finish(s);
	}
	(void)close(fd);
	(void)close(null);
}

/* As many threads as operations, over all parts; one more is refused. */
static void test_threads_are_summed(void **unused)
{
	struct setup *s = prepare(BACKEND_THREADS);

	(void)unused;
	add(s, "name=a rw=randread bs=4k size=4k iodepth=500 numjobs=2", 0);
	add(s, "name=b rw=randread bs=4k size=4k iodepth=24", 0);
	assert_int_equal(workload_outstanding(&s->whole), MEASURE_THREADS_MAX);
	assert_int_equal(resources_check(&s->whole, BACKEND_THREADS, &s->err), 0);
	s->whole.parts[1].iodepth++;
	assert_int_equal(resources_check(&s->whole, BACKEND_THREADS, &s->err), -EINVAL);
	assert_int_equal(s->err.code, ERROR_TOO_MANY_THREADS);
	assert_non_null(strstr(s->err.message, "3 jobs with 1025 operations"));
	finish(s);
}

/* A ring's share of each part is its jobs divided among the reactors. */
static void test_ring_is_shared(void **unused)
{
	struct setup *s = prepare(BACKEND_NULL);
	uint64_t reactors;

	(void)unused;
	add(s, "name=a rw=randread bs=512 size=4k iodepth=4096 numjobs=7", 0);
	add(s, "name=b rw=randread bs=512 size=4k iodepth=4096", 0);
	s->whole.parts[0].numjobs = 1024;
	reactors = resources_reactors(&s->whole);
	s->whole.parts[0].numjobs = 7 * reactors;
	s->whole.parts[1].numjobs = reactors;
	assert_int_equal(resources_check(&s->whole, BACKEND_NULL, &s->err), 0);
	s->whole.parts[1].numjobs++;
	assert_int_equal(resources_check(&s->whole, BACKEND_NULL, &s->err), -EINVAL);
	assert_int_equal(s->err.code, ERROR_TOO_MANY);
	finish(s);
}

/* The memory is that of all operations with the largest block, and grows with every part. */
static void test_memory_is_summed(void **unused)
{
	struct setup *s = prepare(BACKEND_IO_URING);
	uint64_t one, both;

	(void)unused;
	add(s, "name=a rw=randread bs=4k size=1m iodepth=63", 0);
	assert_int_equal(measure_memory(&s->whole, BACKEND_IO_URING, &one), 0);
	add(s, "name=b rw=write bs=1m size=1m", 0);
	assert_int_equal(measure_memory(&s->whole, BACKEND_IO_URING, &both), 0);
	assert_true(one < 2048 * KIB + 1024 * KIB);
	assert_true(both > 64 * 1024 * KIB && both < 70 * 1024 * KIB);
	finish(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes_of_their_own),
		cmocka_unit_test(test_jobs_apart),
		cmocka_unit_test(test_regions_of_their_own),
		cmocka_unit_test(test_times_and_depths_of_their_own),
		cmocka_unit_test(test_a_pace_has_its_time),
		cmocka_unit_test(test_ramp),
		cmocka_unit_test(test_failure_names_the_job),
		cmocka_unit_test(test_threads_are_summed),
		cmocka_unit_test(test_ring_is_shared),
		cmocka_unit_test(test_memory_is_summed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
