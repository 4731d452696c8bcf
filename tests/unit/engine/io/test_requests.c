/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_requests.c - whole measurements of requests that differ in size or order, by each backend:
 * what is counted is what reached the file.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "engine/io/measure.h"
#include "engine/io/sequence.h"
#include "engine/plan/workload_sizes.h"
#include "tests/unit/engine/io/io_helpers.h"

#define JOBS_MAX 4

static const enum backend_kind backends[] = {BACKEND_IO_URING, BACKEND_THREADS, BACKEND_NULL};

struct setup {
	struct workload workload;
	struct measure_spec spec;
	struct measure_region regions[JOBS_MAX];
	struct sample sample;
	int fd;
};

/* What a word of a file filled so holds. */
static uint64_t word_at(uint64_t offset)
{
	return offset * UINT64_C(0x9e3779b97f4a7c15) | 1;
}

static void fill(int fd, uint64_t length)
{
	uint64_t *words = malloc(length);

	assert_non_null(words);
	for (uint64_t i = 0; i < length / 8; i++)
		words[i] = word_at(i * 8);
	assert_int_equal(pwrite(fd, words, length, 0), length);
	free(words);
}

/* Blocks of so many bytes in a filled file that differ in their first word; in no other do any. */
static uint64_t changed_blocks(int fd, uint64_t length, uint64_t block)
{
	uint64_t *words = malloc(length), count = 0;

	assert_non_null(words);
	assert_int_equal(pread(fd, words, length, 0), length);
	for (uint64_t i = 0; i < length / 8; i++)
		if (i * 8 % block == 0)
			count += words[i] != word_at(i * 8);
		else
			assert_true(words[i] == word_at(i * 8));
	free(words);
	return count;
}

/* Jobs of `length` bytes each in a file of memory, one behind the other or all in one region. */
static struct setup *run(enum backend_kind backend, const char *options, uint64_t length)
{
	struct setup *s = calloc(1, sizeof(*s));
	struct error err;
	bool apart;

	assert_non_null(s);
	set(&s->workload, options);
	apart = s->workload.regions == REGIONS_DISJOINT;
	assert_true(s->workload.numjobs <= JOBS_MAX);
	s->fd = open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	assert_true(s->fd >= 0);
	assert_int_equal(ftruncate(s->fd, (off_t)(length * s->workload.numjobs)), 0);
	for (size_t i = 0; i < s->workload.numjobs; i++)
		s->regions[i] = (struct measure_region){
			.fd = s->fd, .offset = apart ? i * length : 0, .length = length};
	s->spec = (struct measure_spec){
		.workload = &s->workload,
		.backend = backend,
		.seed = 7,
		.region_count = s->workload.numjobs,
		.regions = s->regions,
	};
	if (workload_rewrites(&s->workload))
		fill(s->fd, length * s->workload.numjobs);
	sample_init(&s->sample);
	if (measure_run(&s->spec, &s->sample, &err) < 0)
		fail_msg("%s on %s: %s", options, backend_names[backend], err.message);
	assert_int_equal(s->sample.error_count, 0);
	return s;
}

static void finish(struct setup *s)
{
	sample_done(&s->sample);
	workload_done(&s->workload);
	(void)close(s->fd);
	free(s);
}

/* Blocks of so many bytes in the file that are not all zeros. */
static uint64_t written_blocks(const struct setup *s, uint64_t block)
{
	struct stat status;
	uint64_t count = 0;
	unsigned char *data;

	assert_int_equal(fstat(s->fd, &status), 0);
	data = calloc(1, (size_t)status.st_size + 1);
	assert_non_null(data);
	assert_int_equal(pread(s->fd, data, (size_t)status.st_size, 0), status.st_size);
	for (uint64_t at = 0; at + block <= (uint64_t)status.st_size; at += block)
		count += data[at] != 0 || memcmp(data + at, data + at + 1, block - 1) != 0;
	free(data);
	return count;
}

static uint64_t series_bytes(const struct sample *sample, enum direction d)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < sample->series.count; i++)
		sum += sample->series.seconds[i].bytes[d];
	return sum;
}

/* Each byte once: so bytes are known exactly, and operations are not. */
static void test_bytes_of_any_size(void **unused)
{
	static const char *const sizes[] = {"bsrange=4k-64k", "bssplit=4k/50:16k/50"};

	(void)unused;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			char options[200];
			struct setup *s;
			const struct direction_result *writes;

			(void)snprintf(options, sizeof(options),
				       "rw=randwrite %s size=2m numjobs=3 iodepth=8 time_based=0 "
				       "direct=0",
				       sizes[i]);
			s = run(backends[b], options, 2 * MIB);
			writes = &s->sample.directions[DIRECTION_WRITE];
			assert_int_equal(writes->bytes, 6 * MIB);
			assert_int_equal(series_bytes(&s->sample, DIRECTION_WRITE), 6 * MIB);
			assert_true(writes->ios < 6 * MIB / 4096 * 3 / 4);
			assert_true(writes->ios > 6 * MIB / (64 * KIB));
			assert_int_equal(writes->short_ios, 0);
			assert_int_equal(writes->latency->count, writes->ios);
			if (backends[b] != BACKEND_NULL)
				assert_int_equal(written_blocks(s, 4096), 6 * MIB / 4096);
			finish(s);
		}
	}
}

/* With one job to a recorder too, where bytes are told apart. */
static void test_jobs_apart_of_any_size(void **unused)
{
	(void)unused;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		struct setup *s = run(backends[b],
				      "rw=randwrite bsrange=4k-64k size=2m numjobs=3 iodepth=2 "
				      "time_based=0 direct=0 group_reporting=0",
				      2 * MIB);

		assert_int_equal(s->sample.job_count, 3);
		for (size_t i = 0; i < 3; i++)
			assert_int_equal(s->sample.jobs[i].directions[DIRECTION_WRITE].bytes,
					 2 * MIB);
		finish(s);
	}
}

/* The mean request is what it should be, over time and at each depth. */
static void test_sizes_over_time(void **unused)
{
	(void)unused;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		struct setup *s = run(backends[b],
				      "rw=randrw bsrange=1k-8k,4k-64k size=8m iodepth=4 "
				      "runtime=0.3 direct=0 norandommap=1",
				      8 * MIB);

		for (int d = 0; d < 2; d++) {
			const struct direction_result *r = &s->sample.directions[d];
			double mean = (double)r->bytes / (double)r->ios;
			double asked = workload_mean_request(&s->workload, (enum direction)d);

			assert_true(r->ios > 200);
			assert_true(mean > asked * 0.8 && mean < asked * 1.2);
		}
		finish(s);
	}
}

/* Offsets anywhere: nothing of a file is left out, not even between blocks. */
static void test_misaligned_writes(void **unused)
{
	(void)unused;
	for (size_t b = 0; b < 2; b++) {
		struct setup *s = run(backends[b],
				      "rw=randwrite bs=4k blockalign=1000 size=64k iodepth=4 "
				      "runtime=0.2 direct=0",
				      64 * KIB);

		/* 61 places of 4,096 bytes: the last begins at 61,000. */
		assert_int_equal(written_blocks(s, 8), 64 * KIB / 8 - (64 * KIB - 65096) / 8);
		finish(s);
	}
}

/* Four jobs that go through the region once together, whichever reactor or thread they are of. */
static void test_interlocked_jobs(void **unused)
{
	static const char *const sizes[] = {"bs=4k", "bs=16k"};

	(void)unused;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			char options[200];
			struct setup *s;

			(void)snprintf(options, sizeof(options),
				       "rw=write interlocked=1 %s size=1m numjobs=4 iodepth=4 "
				       "time_based=0 direct=0",
				       sizes[i]);
			s = run(backends[b], options, 4 * MIB);
			assert_int_equal(s->sample.directions[DIRECTION_WRITE].bytes, 4 * MIB);
			if (backends[b] != BACKEND_NULL)
				assert_int_equal(written_blocks(s, 4096), 4 * MIB / 4096);
			finish(s);
		}
	}
}

/* Each block is read and written back but for its first word, at any depth, by each backend. */
static void test_rewrites(void **unused)
{
	static const char *const rws[] = {"rewrite", "randrewrite"};
	static const unsigned int depths[] = {1, 3, 64};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(backends) * 2 * ARRAY_SIZE(depths); i++) {
		enum backend_kind backend = backends[i % ARRAY_SIZE(backends)];
		unsigned int depth = depths[i / ARRAY_SIZE(backends) / 2];
		const struct direction_result *r;
		char options[200];
		struct setup *s;

		(void)snprintf(options, sizeof(options),
			       "rw=%s bs=4k size=1m numjobs=3 iodepth=%u time_based=0 direct=0 "
			       "fdatasync=100",
			       rws[i / ARRAY_SIZE(backends) % 2], depth);
		s = run(backend, options, MIB);
		r = s->sample.directions;
		for (int d = 0; d < 2; d++) {
			assert_int_equal(r[d].ios, 3 * 256);
			assert_int_equal(r[d].bytes, 3 * MIB);
			assert_int_equal(r[d].latency->count, 3 * 256);
		}
		assert_int_equal(s->sample.datasync->count, 3 * 2);
		assert_true(s->sample.depth_mean <= 3 * (double)depth * 1.01);
		if (backend != BACKEND_NULL)
			assert_int_equal(changed_blocks(s->fd, 3 * MIB, 4096), 3 * 256);
		finish(s);
	}
}

/* With time to end them, and blocks of many sizes: a write has what its read had. */
static void test_rewrites_over_time(void **unused)
{
	(void)unused;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		struct setup *s = run(backends[b],
				      "rw=rewrite bsrange=4k-64k size=8m iodepth=8 runtime=0.3 "
				      "ramp_time=0.1 direct=0",
				      8 * MIB);
		const struct direction_result *r = s->sample.directions;
		double reads = (double)r[0].ios, writes = (double)r[1].ios;

		assert_true(reads > 100 && writes > 100);
		/* Those outstanding at either end may be apart. */
		assert_true(writes >= reads - 8 && writes <= reads + 8);
		assert_true((double)r[1].bytes / writes > 20e3);
		assert_true((double)r[1].bytes / writes < 50e3);
		finish(s);
	}
}

/* A map that does not fit into memory is refused before it is made. */
static void test_memory_of_maps(void **unused)
{
	struct workload workload;
	uint64_t bytes, more;

	(void)unused;
	set(&workload, "rw=randread bsrange=512-4k size=1t norandommap=1");
	assert_int_equal(measure_memory(&workload, BACKEND_IO_URING, &bytes), 0);
	workload.norandommap = false;
	assert_int_equal(measure_memory(&workload, BACKEND_IO_URING, &more), 0);
	assert_true(more - bytes > UINT64_C(1) << 28); /* a bit for each 512 bytes */
	assert_true(more - bytes < (UINT64_C(1) << 28) * 33 / 32);
	workload.size = UINT64_C(1) << 50;
	assert_int_equal(measure_memory(&workload, BACKEND_IO_URING, &more), 0);
	assert_true(more > UINT64_C(1) << 38);
	workload_done(&workload);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes_of_any_size),
		cmocka_unit_test(test_jobs_apart_of_any_size),
		cmocka_unit_test(test_sizes_over_time),
		cmocka_unit_test(test_misaligned_writes),
		cmocka_unit_test(test_interlocked_jobs),
		cmocka_unit_test(test_rewrites),
		cmocka_unit_test(test_rewrites_over_time),
		cmocka_unit_test(test_memory_of_maps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
