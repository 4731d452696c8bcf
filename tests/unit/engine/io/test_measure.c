/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_measure.c - whole measurements: on a file of a disk, O_DIRECT, and of memory, by each
 * backend. Directories: /var/tmp (or VOLBENCH_TEST_DIR) and /dev/shm.
 *
 * Length: one set-up and one check serve every kind of run, its early ends and its refusals.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "engine/io/backend.h"
#include "engine/io/measure.h"
#include "engine/io/resources.h"
#include "tests/unit/tries.h"

#define KIB UINT64_C(1024)
#define MIB (UINT64_C(1024) * 1024)
#define REGIONS_MAX 1024

static const enum backend_kind backends[] = {BACKEND_IO_URING, BACKEND_THREADS, BACKEND_NULL};

/* A scratch file of `size` bytes, without a name. */
static int scratch(const char *directory, int flags, uint64_t size)
{
	int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC | flags, 0600);

	if (fd < 0)
		fail_msg("cannot make a file in %s: %s", directory, strerror(errno));
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	return fd;
}

static const char *disk(void)
{
	const char *directory = getenv("VOLBENCH_TEST_DIR");

	return directory ? directory : "/var/tmp";
}

struct setup {
	struct workload workload;
	struct measure_spec spec;
	struct measure_region regions[REGIONS_MAX];
	struct sample sample;
	struct error err;
	atomic_bool cancel;
	unsigned int begun, ended, ticks;
	uint64_t last_bytes;
	sem_t under_way; /* posted at each tick by which something was done for 0.2 s */
	uint64_t cancelled_ns;
	double took_s; /* measure_run() */
};

static void on_window(void *arg, bool begins)
{
	struct setup *s = arg;

	if (begins)
		s->begun++;
	else
		s->ended++;
}

static void on_tick(void *arg, double seconds_done, uint64_t bytes_done)
{
	struct setup *s = arg;

	assert_true(seconds_done > 0);
	assert_true(bytes_done >= s->last_bytes);
	s->last_bytes = bytes_done;
	s->ticks++;
	/* None takes so long: one that hangs fails. */
	if (seconds_done > 120)
		atomic_store(&s->cancel, true);
	if (seconds_done > 0.2 && bytes_done > 0)
		assert_int_equal(sem_post(&s->under_way), 0);
}

/* However long a busy machine takes for it. */
static void run_to_size(struct setup *s)
{
	s->workload.time_based = false;
	s->workload.runtime_ns = 0;
}

/* jobs of `size` each, one behind the other in fd. */
static struct setup *prepare(enum backend_kind backend, int rw, uint64_t bs, uint64_t size,
			     uint64_t depth, uint64_t jobs, int fd)
{
	struct setup *s = calloc(1, sizeof(*s));
	struct workload *w;

	assert_non_null(s);
	assert_int_equal(sem_init(&s->under_way, 0, 0), 0);
	w = &s->workload;
	workload_init(w);
	w->rw = rw;
	w->bs[0] = w->bs[1] = bs;
	w->rwmixread = w->rwmixwrite = 50;
	w->size = size;
	w->iodepth = depth;
	w->numjobs = jobs;
	w->runtime_ns = 400 * NS_PER_MS;
	w->time_based = true;
	w->refill_buffers = true;
	w->group_reporting = true;
	for (size_t i = 0; i < jobs && i < REGIONS_MAX; i++)
		s->regions[i] =
			(struct measure_region){.fd = fd, .offset = i * size, .length = size};
	s->spec = (struct measure_spec){
		.workload = w,
		.backend = backend,
		.seed = 7,
		.region_count = jobs,
		.regions = s->regions,
		.cancel = &s->cancel,
		.window = on_window,
		.tick = on_tick,
		.arg = s,
	};
	sample_init(&s->sample);
	return s;
}

static void finish(struct setup *s)
{
	sample_done(&s->sample);
	workload_done(&s->workload);
	(void)sem_destroy(&s->under_way);
	free(s);
}

static void run(struct setup *s)
{
	uint64_t begin_ns = clock_now_ns();
	int rc = measure_run(&s->spec, &s->sample, &s->err);

	s->took_s = (double)(clock_now_ns() - begin_ns) / 1e9;
	if (rc != 0)
		fail_msg("%s: %d %s", backend_names[s->spec.backend], rc, s->err.message);
}

/* Whether to do it again; then what was measured is gone. */
static bool tried_in_vain(struct setup *s, bool well, unsigned int *tries)
{
	if (!again(well, tries))
		return false;
	finish(s);
	return true;
}

static uint64_t series_ios(const struct sample *sample, size_t from, enum direction d)
{
	uint64_t sum = 0;

	for (size_t i = from; i < sample->series.count; i++)
		sum += sample->series.seconds[i].ios[d];
	return sum;
}

/* What must hold of every sample. */
static void check(const struct setup *s)
{
	const struct sample *sample = &s->sample;
	double latency = 0;

	assert_string_equal(sample->backend, backend_names[s->spec.backend]);
	assert_non_null(sample->backend_reason);
	assert_int_equal(sample->seed, s->spec.seed);
	assert_int_equal(sample->error_count, 0);
	assert_int_equal(s->begun, 1);
	assert_int_equal(s->ended, 1);
	for (int d = 0; d < DIRECTION_COUNT; d++) {
		const struct direction_result *r = &sample->directions[d];

		if (r->ios == 0) {
			assert_null(r->latency);
			continue;
		}
		assert_int_equal(r->bytes, r->ios * s->workload.bs[d]);
		assert_int_equal(r->short_ios, 0);
		assert_int_equal(r->latency->count, r->ios);
		latency += (double)r->latency->sum_ns;
		if (sample->series.ramp_count == 0)
			assert_int_equal(series_ios(sample, 0, d), r->ios);
	}
	if (sample->sync)
		latency += (double)sample->sync->sum_ns;
	if (sample->datasync)
		latency += (double)sample->datasync->sum_ns;
	if (sample->end_fsync)
		latency += (double)sample->end_fsync->sum_ns;
	assert_true(sample->seconds <= s->took_s);
	assert_true(fabs(sample->depth_mean - latency / sample->seconds / 1e9) < 1e-6);
	/* What was issued in the ramp and completes in the window counts in full. */
	if (sample->series.ramp_count == 0)
		assert_true(sample->depth_mean <=
			    (double)(s->workload.iodepth * s->workload.numjobs) * 1.01);
}

static void time_based_one(enum backend_kind backend, int rw, int fd)
{
	const bool reading = rw != RW_RANDWRITE, writing = rw != RW_READ && rw != RW_RANDREAD;
	unsigned int tries = 0;
	uint64_t reads, writes;
	struct setup *s;

	do {
		s = prepare(backend, rw, 4 * KIB, 2 * MIB, 4, 3, fd);
		s->workload.runtime_ns = 150 * NS_PER_MS;
		run(s);
		check(s);
		reads = s->sample.directions[DIRECTION_READ].ios;
		writes = s->sample.directions[DIRECTION_WRITE].ios;
		assert_true(reading || reads == 0);
		assert_true(writing || writes == 0);
		assert_true(s->sample.seconds >= 0.15);
		assert_true(s->sample.latency_per_operation == (backend == BACKEND_THREADS));
	} while (tried_in_vain(
		s, (reads > 0) == reading && (writes > 0) == writing && s->sample.seconds < 1.15,
		&tries));
	assert_true((reads > 0) == reading && (writes > 0) == writing);
	assert_true(s->sample.seconds < 1.15);
	finish(s);
}

static void time_based(const char *directory, int flags)
{
	const int patterns[] = {RW_READ, RW_RANDREAD, RW_RANDWRITE, RW_RW, RW_RANDRW};
	int fd = scratch(directory, flags, 8 * MIB);

	for (size_t b = 0; b < ARRAY_SIZE(backends); b++)
		for (size_t p = 0; p < ARRAY_SIZE(patterns); p++)
			time_based_one(backends[b], patterns[p], fd);
	(void)close(fd);
}

static void test_time_based_on_a_disk(void **unused)
{
	(void)unused;
	time_based(disk(), O_DIRECT);
}

static void test_time_based_in_memory(void **unused)
{
	(void)unused;
	time_based("/dev/shm", 0);
}

/* A size-ended random write touches each block once: none is left a hole, none is counted twice. */
static void size_ended(const char *directory, int flags)
{
	for (size_t b = 0; b < 2; b++) {
		int fd = scratch(directory, flags, 3 * 1000 * KIB);
		struct setup *s = prepare(backends[b], RW_RANDWRITE, 4 * KIB, 1000 * KIB, 8, 3, fd);
		unsigned char *data = malloc(3 * 1000 * KIB);
		struct stat status;

		run_to_size(s);
		run(s);
		check(s);
		assert_int_equal(s->sample.directions[DIRECTION_WRITE].bytes, 3 * 1000 * KIB);
		assert_int_equal(s->sample.directions[DIRECTION_WRITE].ios, 750);
		assert_int_equal(fstat(fd, &status), 0);
		assert_int_equal(status.st_size, 3 * 1000 * KIB);
		(void)fcntl(fd, F_SETFL, 0);
		assert_non_null(data);
		assert_int_equal(pread(fd, data, 3 * 1000 * KIB, 0), 3 * 1000 * KIB);
		for (size_t i = 0; i < 750; i++) {
			const unsigned char *block = data + i * 4096;

			assert_true(memcmp(block, block + 1, 4095) != 0);
			for (size_t j = i + 1; j < 750; j++) /* random data, nowhere twice */
				assert_true(memcmp(block, data + j * 4096, 64) != 0);
		}
		free(data);
		finish(s);
		(void)close(fd);
	}
}

static void test_size_ended_on_a_disk(void **unused)
{
	(void)unused;
	size_ended(disk(), O_DIRECT);
}

static void test_size_ended_in_memory(void **unused)
{
	(void)unused;
	size_ended("/dev/shm", 0);
}

/* Reads and writes together make the size; a rest smaller than a block is never touched:
 * for it a sequential mix goes round once more, as in fio. */
static void test_size_ended_mix(void **unused)
{
	int fd = scratch("/dev/shm", 0, 2 * 401 * KIB);

	(void)unused;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		for (int rw = RW_RW; rw <= RW_RANDRW; rw++) {
			struct setup *s = prepare(backends[b], rw, 4 * KIB, 401 * KIB, 4, 2, fd);
			const struct direction_result *r = s->sample.directions;

			run_to_size(s);
			run(s);
			check(s);
			assert_int_equal(r[0].ios + r[1].ios, rw == RW_RW ? 2 * 101 : 2 * 100);
			assert_true(r[0].ios > 40 && r[1].ios > 40);
			finish(s);
		}
	}
	(void)close(fd);
}

static void test_jobs_apart(void **unused)
{
	int fd = scratch("/dev/shm", 0, 5 * 64 * KIB);

	(void)unused;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		struct setup *s = prepare(backends[b], RW_WRITE, 4 * KIB, 64 * KIB, 2, 5, fd);

		run_to_size(s);
		s->workload.group_reporting = false;
		run(s);
		check(s);
		assert_int_equal(s->sample.job_count, 5);
		for (size_t j = 0; j < 5; j++) {
			const struct job_result *job = &s->sample.jobs[j];

			assert_int_equal(job->directions[DIRECTION_WRITE].bytes, 64 * KIB);
			assert_int_equal(job->directions[DIRECTION_WRITE].latency->count, 16);
			assert_true(job->seconds > 0 && job->seconds <= s->sample.seconds);
		}
		finish(s);
	}
	(void)close(fd);
}

/* 1.2 s and then 0.9 s: the third second is cut short. Whether it ended in time and shows that. */
static bool ramped(const struct setup *s)
{
	const struct series *series = &s->sample.series;
	uint64_t all = series_ios(&s->sample, 0, DIRECTION_READ);
	uint64_t ios = s->sample.directions[DIRECTION_READ].ios;

	/* These hold however late it began, was looked at, or ended. */
	assert_true(all >= ios);
	assert_true(ios >= series_ios(&s->sample, 2, DIRECTION_READ));
	assert_true(ios <= series_ios(&s->sample, 1, DIRECTION_READ));
	assert_int_equal(series->ramp_count, 2);
	assert_true(fabs(s->sample.ramp_seconds - 1.2) < 1e-9);
	assert_true(s->sample.seconds >= 0.9);
	return all > ios && ios > series_ios(&s->sample, 2, DIRECTION_READ) &&
	       ios < series_ios(&s->sample, 1, DIRECTION_READ) && series->count == 3 &&
	       fabs((double)series->last_span_ns / 1e9 - 0.1) < 0.1 &&
	       fabs(s->sample.seconds - 0.9) < 0.2 && s->ticks >= 5;
}

static void test_ramp_is_left_out(void **unused)
{
	int fd = scratch("/dev/shm", 0, MIB);

	(void)unused;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		unsigned int tries = 0;
		struct setup *s;
		bool well;

		do {
			s = prepare(backends[b], RW_RANDREAD, 4 * KIB, MIB, 4, 1, fd);
			s->workload.ramp_time_ns = 1200 * NS_PER_MS;
			s->workload.runtime_ns = 900 * NS_PER_MS;
			run(s);
			check(s);
			well = ramped(s);
		} while (tried_in_vain(s, well, &tries));
		assert_true(well);
		finish(s);
	}
	(void)close(fd);
}

/* A ramp longer than one round of the region, then exactly the size. */
static void test_size_after_a_ramp(void **unused)
{
	int fd = scratch("/dev/shm", 0, 64 * KIB);

	(void)unused;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		struct setup *s = prepare(backends[b], RW_RANDWRITE, 4 * KIB, 64 * KIB, 4, 1, fd);

		s->workload.ramp_time_ns = 100 * NS_PER_MS;
		run_to_size(s);
		run(s);
		check(s);
		assert_int_equal(s->sample.directions[DIRECTION_WRITE].bytes, 64 * KIB);
		finish(s);
	}
	(void)close(fd);
}

/* Depth 1 on one ring: three stamps, and the parts make the whole. */
static void check_stamped_apart(enum backend_kind backend, uint64_t fdatasync)
{
	int fd = scratch(disk(), O_DIRECT, MIB);
	struct setup *s = prepare(backend, RW_RANDRW, 4 * KIB, MIB, 1, 1, fd);

	run_to_size(s); /* however slow the disk's fsync is */
	s->workload.fsync = 10;
	s->workload.fdatasync = fdatasync;
	run(s);
	check(s);
	assert_true(s->sample.latency_per_operation);
	for (int d = 0; d <= DIRECTION_WRITE; d++) {
		const struct direction_result *r = &s->sample.directions[d];

		assert_non_null(r->submission);
		assert_int_equal(r->submission->count, r->ios);
		assert_int_equal(r->completion->count, r->ios);
		assert_int_equal(r->submission->sum_ns + r->completion->sum_ns, r->latency->sum_ns);
	}
	finish(s);
	(void)close(fd);
}

/* Hardly anything lies between two operations: one is outstanding most of the time. */
static void test_depth_one_is_kept(void **unused)
{
	int fd = scratch(disk(), O_DIRECT, MIB);

	(void)unused;
	for (uint64_t fdatasync = 0; fdatasync <= 7; fdatasync += 7) {
		unsigned int tries = 0;
		struct setup *s;

		do {
			s = prepare(BACKEND_IO_URING, RW_RANDRW, 4 * KIB, MIB, 1, 1, fd);
			s->workload.fsync = 10;
			s->workload.fdatasync = fdatasync;
			run(s);
			check(s);
		} while (tried_in_vain(s, s->sample.depth_mean > 0.3, &tries));
		assert_true(s->sample.depth_mean > 0.3);
		finish(s);
	}
	(void)close(fd);
}

/* In a loop of its own and step by step. */
static void test_depth_one_is_stamped_apart(void **unused)
{
	(void)unused;
	check_stamped_apart(BACKEND_IO_URING, 0);
	check_stamped_apart(BACKEND_IO_URING, 7);
	check_stamped_apart(BACKEND_NULL, 0);
	check_stamped_apart(BACKEND_NULL, 7);
}

/* Step by step, which an fdatasync that never comes asks for, the figures are those of a loop. */
static void test_steps_count_as_loops_do(void **unused)
{
	static const uint64_t depths[] = {1, 3, 32};
	int fd = scratch(disk(), O_DIRECT, 2 * MIB);
	uint64_t reads = 0, syncs = 0;

	(void)unused;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(depths) * ARRAY_SIZE(backends); i++) {
		enum backend_kind backend = backends[i / 2 % ARRAY_SIZE(backends)];
		uint64_t depth = depths[i / 2 / ARRAY_SIZE(backends)];
		struct setup *s = prepare(backend, RW_RANDRW, 4 * KIB, MIB, depth, 2, fd);
		const struct direction_result *r = s->sample.directions;
		uint64_t sum_ns;

		run_to_size(s);
		s->workload.fdatasync = i % 2 ? 1u << 30 : 0;
		s->workload.fsync = 50;
		run(s);
		check(s);
		assert_int_equal(r[0].ios + r[1].ios, 512);
		assert_int_equal(r[0].bytes + r[1].bytes, 2 * MIB);
		reads = i == 0 ? r[0].ios : reads; /* the seed's: the same in every way */
		assert_int_equal(r[0].ios, reads);
		syncs = i == 0 ? s->sample.sync->count : syncs;
		assert_int_equal(s->sample.sync->count, syncs);
		sum_ns = r[0].latency->sum_ns + r[1].latency->sum_ns + s->sample.sync->sum_ns;
		assert_true(fabs((double)sum_ns / 1e9 / s->sample.seconds - s->sample.depth_mean) <
			    0.01);
		assert_true(s->sample.depth_mean <= 2.01 * (double)depth);
		finish(s);
	}
	(void)close(fd);
}

static uint64_t all_ios(const struct setup *s)
{
	uint64_t ios = 0;

	for (int d = 0; d < DIRECTION_COUNT; d++)
		ios += s->sample.directions[d].ios;
	return ios;
}

/* io_size, loops and number_ios (test_budget.c says how many each makes), by two jobs, in a loop
 * and step by step, with and without a ramp that does not count. */
static void test_budgets(void **unused)
{
	static const struct {
		int rw;
		uint64_t bs, io_size, number_ios, loops, ios;
	} cases[] = {
		{RW_READ, 12, 0, 0, 1, 5},	  {RW_RANDREAD, 12, 0, 0, 1, 5},
		{RW_WRITE, 12, 135, 0, 1, 12},	  {RW_RANDRW, 12, 130, 0, 1, 10},
		{RW_RANDWRITE, 4, 16, 0, 1, 4},	  {RW_RANDWRITE, 4, 160, 0, 1, 40},
		{RW_READ, 4, 0, 0, 3, 48},	  {RW_RW, 4, 0, 5, 1, 5},
		{RW_RANDREAD, 4, 160, 30, 1, 30}, {RW_RANDREAD, 4, 0, 5, 2, 10},
	};
	int fd = scratch("/dev/shm", 0, 128 * KIB);

	(void)unused;
	for (size_t i = 0; i < 4 * ARRAY_SIZE(cases) * ARRAY_SIZE(backends); i++) {
		size_t c = i / 4 % ARRAY_SIZE(cases);
		enum backend_kind backend = backends[i / 4 / ARRAY_SIZE(cases)];
		struct setup *s = prepare(backend, cases[c].rw, cases[c].bs * KIB, 64 * KIB,
					  1 + i % 3, 2, fd);

		run_to_size(s);
		s->workload.io_size = cases[c].io_size * KIB;
		s->workload.number_ios = cases[c].number_ios;
		s->workload.loops = cases[c].loops;
		s->workload.fdatasync = i % 2 ? 1u << 30 : 0;
		s->workload.ramp_time_ns = i % 4 > 1 ? 20 * NS_PER_MS : 0;
		run(s);
		check(s);
		if (all_ios(s) != 2 * cases[c].ios)
			fail_msg("case %zu, %s, %zu: %zu operations", c, backend_names[backend],
				 i % 4, (size_t)all_ios(s));
		finish(s);
	}
	(void)close(fd);
}

/* Where sizes differ the operations are counted, and the last one may go beyond the bytes. */
static void test_budgets_of_two_sizes(void **unused)
{
	int fd = scratch("/dev/shm", 0, 128 * KIB);

	(void)unused;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(backends); i++) {
		struct setup *s = prepare(backends[i / 2], RW_RW, 4 * KIB, 64 * KIB, 2, 1, fd);
		uint64_t bytes;

		s->workload.bs[1] = 12 * KIB;
		run_to_size(s);
		s->workload.ramp_time_ns = i % 2 ? 20 * NS_PER_MS : 0;
		s->workload.number_ios = 7;
		s->workload.io_size = MIB;
		run(s);
		check(s);
		assert_int_equal(all_ios(s), 7);
		finish(s);
		s = prepare(backends[i / 2], RW_RW, 4 * KIB, 64 * KIB, 2, 1, fd);
		s->workload.bs[1] = 12 * KIB;
		run_to_size(s);
		s->workload.loops = 2;
		s->workload.fdatasync = i % 2;
		run(s);
		check(s);
		bytes = s->sample.directions[0].bytes + s->sample.directions[1].bytes;
		assert_in_range(bytes, 128 * KIB, 128 * KIB + 8 * KIB);
		finish(s);
	}
	(void)close(fd);
}

/* Holes where the jobs worked and nowhere else, and figures as of any direction. */
static void check_trims(enum backend_kind backend, int rw)
{
	int fd = scratch("/dev/shm", 0, 256 * KIB);
	struct setup *s = prepare(backend, rw, 4 * KIB, 64 * KIB, 3, 2, fd);
	const struct direction_result *r = &s->sample.directions[DIRECTION_TRIM];
	bool holes = backend == BACKEND_THREADS;
	char data[4096];

	memset(data, 'x', sizeof(data));
	for (off_t at = 0; at < 256 * 1024; at += (off_t)sizeof(data))
		assert_int_equal(pwrite(fd, data, sizeof(data), at), sizeof(data));
	s->workload.bs[DIRECTION_TRIM] = 8 * KIB;
	run_to_size(s);
	for (size_t i = 0; i < 2; i++)
		s->regions[i].offset += 64 * KIB;
	run(s);
	check(s);
	assert_int_equal(r->ios, 16);
	assert_int_equal(r->bytes, 128 * KIB);
	assert_int_equal(r->latency->count, 16);
	assert_int_equal(s->sample.directions[DIRECTION_WRITE].ios, 0);
	assert_int_equal(lseek(fd, 0, SEEK_HOLE), (holes ? 64 : 256) * 1024);
	assert_int_equal(lseek(fd, 64 * 1024, SEEK_DATA), (holes ? 192 : 64) * 1024);
	finish(s);
	(void)close(fd);
}

static void test_trims(void **unused)
{
	(void)unused;
	check_trims(BACKEND_THREADS, RW_TRIM);
	check_trims(BACKEND_THREADS, RW_RANDTRIM);
	check_trims(BACKEND_NULL, RW_TRIM);
	check_trims(BACKEND_NULL, RW_RANDTRIM);
}

static void test_trims_are_not_for_a_ring(void **unused)
{
	int fd = scratch("/dev/shm", 0, 64 * KIB);
	struct setup *s = prepare(BACKEND_IO_URING, RW_TRIM, 4 * KIB, 64 * KIB, 3, 1, fd);

	(void)unused;
	s->workload.bs[DIRECTION_TRIM] = 4 * KIB;
	assert_true(measure_run(&s->spec, &s->sample, &s->err) < 0);
	assert_int_equal(s->err.code, ERROR_UNSUPPORTED);
	finish(s);
	(void)close(fd);
}

/* What cannot be trimmed ends the sample with the reason. */
static void test_failing_trim_is_named(void **unused)
{
	int fd = open("/dev/zero", O_RDWR | O_CLOEXEC);
	struct setup *s = prepare(BACKEND_THREADS, RW_TRIM, 4 * KIB, 64 * KIB, 1, 1, fd);

	(void)unused;
	s->workload.bs[DIRECTION_TRIM] = 4 * KIB;
	assert_true(measure_run(&s->spec, &s->sample, &s->err) < 0);
	assert_int_equal(s->err.code, ERROR_IO_ERROR);
	assert_non_null(strstr(s->err.message, "trim of 4096 bytes at offset 0 failed"));
	finish(s);
	(void)close(fd);
}

static void test_fsync_after_so_many_writes(void **unused)
{
	int fd = scratch(disk(), 0, 2 * MIB);

	(void)unused;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		struct setup *s = prepare(backends[b], RW_WRITE, 4 * KIB, 64 * KIB, 2, 2, fd);

		run_to_size(s);
		s->workload.fsync = 5;
		run(s);
		check(s);
		assert_int_equal(s->sample.directions[DIRECTION_WRITE].ios, 32);
		assert_non_null(s->sample.sync);
		assert_int_equal(s->sample.sync->count, 6);
		finish(s);
	}
	(void)close(fd);
}

static void test_fdatasync_after_so_many_writes(void **unused)
{
	int fd = scratch(disk(), 0, 2 * MIB);

	(void)unused;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		struct setup *s = prepare(backends[b], RW_RANDRW, 4 * KIB, 64 * KIB, 4, 3, fd);

		run_to_size(s);
		s->workload.fdatasync = 2;
		s->workload.fsync = 3;
		run(s);
		check(s);
		assert_int_equal(s->sample.directions[DIRECTION_WRITE].ios +
					 s->sample.directions[DIRECTION_READ].ios,
				 48);
		assert_non_null(s->sample.datasync);
		assert_in_range(s->sample.datasync->count,
				s->sample.directions[DIRECTION_WRITE].ios / 2 - 3,
				s->sample.directions[DIRECTION_WRITE].ios / 2);
		assert_in_range(s->sample.sync->count,
				s->sample.directions[DIRECTION_WRITE].ios / 3 - 3,
				s->sample.directions[DIRECTION_WRITE].ios / 3);
		finish(s);
	}
	(void)close(fd);
}

/* Each job ends with an fsync of its own, behind all else it does and within the window. */
static void check_end_fsync(enum backend_kind backend, int rw, bool timed)
{
	int fd = scratch(disk(), 0, 4 * MIB);
	struct setup *s = prepare(backend, rw, 4 * KIB, MIB, 3, 3, fd);

	s->workload.end_fsync = true;
	s->workload.time_based = timed;
	s->workload.runtime_ns = timed ? 50 * NS_PER_MS : 0;
	run(s);
	check(s);
	if (!timed)
		assert_int_equal(all_ios(s), 3 * 256);
	assert_null(s->sample.sync);
	if (rw == RW_READ) {
		assert_null(s->sample.end_fsync);
	} else {
		assert_non_null(s->sample.end_fsync);
		assert_int_equal(s->sample.end_fsync->count, 3);
		assert_true(s->sample.seconds * 1e9 > (double)s->sample.end_fsync->max_ns);
		if (timed)
			assert_true(s->sample.seconds * 1e9 >
				    50e6 + (double)s->sample.end_fsync->min_ns * 0.99);
	}
	finish(s);
	(void)close(fd);
}

static void test_end_fsync(void **unused)
{
	(void)unused;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		check_end_fsync(backends[b], RW_WRITE, false);
		check_end_fsync(backends[b], RW_RANDRW, false);
		check_end_fsync(backends[b], RW_RANDWRITE, true);
		check_end_fsync(backends[b], RW_READ, false);
	}
}

/* When time is over some have been read and not written back: that is done, and then the fsync. */
static void test_end_fsync_of_rewrites(void **unused)
{
	int fd = scratch(disk(), O_DIRECT, 4 * MIB);

	(void)unused;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		unsigned int tries = 0;
		struct setup *s;

		do {
			s = prepare(backends[b], RW_RANDREWRITE, 4 * KIB, MIB, 8, 2, fd);
			s->workload.end_fsync = true;
			s->workload.runtime_ns = 100 * NS_PER_MS;
			run(s);
			assert_non_null(s->sample.end_fsync);
			assert_int_equal(s->sample.end_fsync->count, 2);
			assert_int_equal(s->sample.directions[DIRECTION_READ].ios,
					 s->sample.directions[DIRECTION_WRITE].ios);
		} while (tried_in_vain(s, all_ios(s) > 0, &tries));
		assert_true(all_ios(s) > 0);
		finish(s);
	}
	(void)close(fd);
}

/* The second half of the region lies behind the end of the file: those reads fail. */
static void check_continues(enum backend_kind backend, int asked, bool goes_on)
{
	int fd = scratch("/dev/shm", 0, 64 * KIB), rc;
	struct setup *s = prepare(backend, RW_RANDREAD, 4 * KIB, 128 * KIB, 3, 1, fd);

	run_to_size(s);
	s->workload.continue_on_error = asked;
	rc = measure_run(&s->spec, &s->sample, &s->err);
	if (!goes_on) {
		assert_true(rc < 0);
		assert_non_null(strstr(s->err.message, "end of file"));
		assert_true(s->sample.error_count >= 1);
	} else {
		assert_int_equal(rc, 0);
		assert_int_equal(s->sample.directions[DIRECTION_READ].ios, 16);
		assert_int_equal(s->sample.directions[DIRECTION_READ].bytes, 64 * KIB);
		assert_int_equal(s->sample.directions[DIRECTION_READ].latency->count, 16);
		assert_int_equal(s->sample.error_count, 16);
		assert_int_equal(s->sample.failed[DIRECTION_READ], 16);
		assert_int_equal(sample_failed(&s->sample), 16);
		assert_non_null(strstr(s->sample.first_failure, "transferred nothing"));
	}
	finish(s);
	(void)close(fd);
}

static void test_continue_on_error(void **unused)
{
	(void)unused;
	for (size_t b = 0; b < 2; b++) {
		check_continues(backends[b], CONTINUE_READ, true);
		check_continues(backends[b], CONTINUE_IO, true);
		check_continues(backends[b], CONTINUE_ALL, true);
		check_continues(backends[b], CONTINUE_NONE, false);
		check_continues(backends[b], CONTINUE_WRITE, false);
		check_continues(backends[b], CONTINUE_VERIFY, false);
	}
}

/* No room is no error to go on with, as in fio. */
static void test_fatal_errors_end_it_all_the_same(void **unused)
{
	int fd = open("/dev/full", O_RDWR | O_CLOEXEC);

	(void)unused;
	assert_true(fd >= 0);
	for (size_t b = 0; b < 2; b++) {
		struct setup *s = prepare(backends[b], RW_WRITE, 4 * KIB, 64 * KIB, 1, 1, fd);

		s->workload.continue_on_error = CONTINUE_ALL;
		assert_int_equal(measure_run(&s->spec, &s->sample, &s->err), -ENOSPC);
		assert_int_equal(sample_failed(&s->sample), 0);
		finish(s);
	}
	(void)close(fd);
}

static void test_fill_has_no_histograms(void **unused)
{
	int fd = scratch(disk(), O_DIRECT, 8 * MIB);
	struct setup *s = prepare(BACKEND_IO_URING, RW_WRITE, MIB, 8 * MIB, 4, 1, fd);

	(void)unused;
	run_to_size(s);
	s->spec.discard = true;
	s->spec.cancel = NULL;
	run(s);
	assert_int_equal(s->sample.directions[DIRECTION_WRITE].bytes, 8 * MIB);
	assert_null(s->sample.directions[DIRECTION_WRITE].latency);
	assert_int_equal(s->sample.series.count, 0);
	finish(s);
	(void)close(fd);
}

static void test_dev_zero(void **unused)
{
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	(void)unused;
	assert_true(fd >= 0);
	for (size_t b = 0; b < 2; b++) {
		struct setup *s = prepare(backends[b], RW_RANDREAD, 4 * KIB, 1024 * MIB, 32, 2, fd);

		s->workload.runtime_ns = 100 * NS_PER_MS;
		run(s);
		check(s);
		finish(s);
	}
	(void)close(fd);
}

/* ---- ending early ---- */

static void *raise_flag(void *arg)
{
	struct setup *s = arg;

	while (sem_wait(&s->under_way) < 0)
		; /* EINTR */
	s->cancelled_ns = clock_now_ns();
	atomic_store(&s->cancel, true);
	return NULL;
}

/* How long it goes on after the flag was raised. */
static uint64_t cancelled_within_ns(struct setup *s)
{
	uint64_t end_ns;
	pthread_t id;

	s->workload.runtime_ns = 600 * NS_PER_S;
	assert_int_equal(pthread_create(&id, NULL, raise_flag, s), 0);
	assert_int_equal(measure_run(&s->spec, &s->sample, &s->err), -ECANCELED);
	end_ns = clock_now_ns();
	assert_int_equal(pthread_join(id, NULL), 0);
	assert_int_equal(s->err.code, ERROR_CANCELLED);
	assert_true(s->sample.directions[DIRECTION_WRITE].ios > 0);
	assert_int_equal(s->sample.error_count, 0);
	assert_int_equal(s->begun, 1);
	assert_int_equal(s->ended, 1);
	return end_ns - s->cancelled_ns;
}

static void test_cancel(void **unused)
{
	int fd = scratch(disk(), O_DIRECT, 64 * MIB);

	(void)unused;
	assert_int_equal(posix_fallocate(fd, 0, 64 * MIB), 0);
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		unsigned int tries = 0;
		struct setup *s;
		uint64_t within_ns;

		do {
			s = prepare(backends[b], RW_RANDWRITE, 64 * KIB, 8 * MIB, 16, 8, fd);
			within_ns = cancelled_within_ns(s);
		} while (tried_in_vain(s, within_ns < NS_PER_S, &tries));
		assert_true(within_ns < NS_PER_S);
		finish(s);
	}
	(void)close(fd);
}

/* Cancelled while it ramps: no window, no figures. */
static void test_cancel_in_the_ramp(void **unused)
{
	int fd = scratch("/dev/shm", 0, 2 * MIB);

	(void)unused;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		struct setup *s = prepare(backends[b], RW_RANDREAD, 4 * KIB, MIB, 2, 2, fd);
		pthread_t id;

		s->workload.ramp_time_ns = 600 * NS_PER_S;
		assert_int_equal(pthread_create(&id, NULL, raise_flag, s), 0);
		assert_int_equal(measure_run(&s->spec, &s->sample, &s->err), -ECANCELED);
		assert_int_equal(s->sample.directions[DIRECTION_READ].ios, 0);
		assert_true(s->sample.seconds == 0);
		assert_true(s->sample.ramp_seconds > 0.1);
		assert_int_equal(s->begun + s->ended, 0);
		assert_int_equal(pthread_join(id, NULL), 0);
		finish(s);
	}
	(void)close(fd);
}

static void test_cancel_before_the_start(void **unused)
{
	int fd = scratch("/dev/shm", 0, 2 * MIB);

	(void)unused;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		struct setup *s = prepare(backends[b], RW_RANDREAD, 4 * KIB, MIB, 2, 2, fd);

		atomic_store(&s->cancel, true);
		assert_int_equal(measure_run(&s->spec, &s->sample, &s->err), -ECANCELED);
		assert_int_equal(s->err.code, ERROR_CANCELLED);
		finish(s);
	}
	(void)close(fd);
}

static void test_failing_write_is_named(void **unused)
{
	struct rlimit before, limit;
	int fd = scratch("/dev/shm", 0, 0);

	(void)unused;
	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 64 * KIB;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	for (size_t b = 0; b < 2; b++) {
		struct setup *s = prepare(backends[b], RW_WRITE, 4 * KIB, 2 * MIB, 1, 1, fd);

		assert_int_equal(measure_run(&s->spec, &s->sample, &s->err), -EFBIG);
		assert_int_equal(s->err.code, ERROR_IO_ERROR);
		assert_int_equal(s->err.sys, EFBIG);
		assert_non_null(strstr(s->err.message, "write of 4096 bytes at offset 65536"));
		assert_int_equal(s->sample.error_count, 1);
		assert_int_equal(s->sample.directions[DIRECTION_WRITE].ios, 16);
		finish(s);
	}
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	(void)close(fd);
}

static void test_end_of_file_is_an_error(void **unused)
{
	int fd = scratch("/dev/shm", 0, 32 * KIB);

	(void)unused;
	for (size_t b = 0; b < 2; b++) {
		struct setup *s = prepare(backends[b], RW_READ, 4 * KIB, 64 * KIB, 1, 1, fd);

		assert_int_equal(measure_run(&s->spec, &s->sample, &s->err), -EIO);
		assert_int_equal(s->err.code, ERROR_IO_ERROR);
		assert_non_null(strstr(s->err.message, "offset 32768"));
		assert_non_null(strstr(s->err.message, "end of file"));
		finish(s);
	}
	(void)close(fd);
}

static void test_short_transfers_are_counted(void **unused)
{
	int fd = scratch("/dev/shm", 0, 9 * KIB);

	(void)unused;
	for (size_t b = 0; b < 2; b++) {
		struct setup *s = prepare(backends[b], RW_READ, 6 * KIB, 12 * KIB, 1, 1, fd);
		const struct direction_result *r = &s->sample.directions[DIRECTION_READ];

		run_to_size(s);
		run(s);
		assert_int_equal(r->ios, 2);
		assert_int_equal(r->short_ios, 1);
		assert_int_equal(r->bytes, 9 * KIB);
		finish(s);
	}
	(void)close(fd);
}

/* ---- refusals ---- */

static void test_too_many_threads_by_name(void **unused)
{
	struct setup *s = prepare(BACKEND_THREADS, RW_RANDREAD, 4 * KIB, 4 * KIB, 25, 41, 0);

	(void)unused;
	assert_true(measure_run(&s->spec, &s->sample, &s->err) < 0);
	assert_int_equal(s->err.code, ERROR_TOO_MANY_THREADS);
	assert_non_null(strstr(s->err.message, "1025 threads"));
	assert_non_null(strstr(s->err.message, "1024"));
	finish(s);
}

static void test_the_most_threads(void **unused)
{
	int fd = scratch("/dev/shm", 0, 4 * MIB);
	struct setup *s = prepare(BACKEND_THREADS, RW_RANDREAD, 4 * KIB, 4 * KIB, 1, 1024, fd);

	(void)unused;
	run(s);
	check(s);
	finish(s);
	(void)close(fd);
}

static void test_too_much_memory(void **unused)
{
	struct setup *s = prepare(BACKEND_IO_URING, RW_RANDREAD, 64 * MIB, 64 * MIB, 4096, 16, 0);

	(void)unused;
	assert_int_equal(measure_run(&s->spec, &s->sample, &s->err), -ENOMEM);
	assert_int_equal(s->err.code, ERROR_MEMORY_LIMIT);
	finish(s);
	s = prepare(BACKEND_IO_URING, RW_RANDREAD, 512, MIB, 4096, 1024, 0);
	assert_true(measure_run(&s->spec, &s->sample, &s->err) < 0);
	assert_int_equal(s->err.code, ERROR_TOO_MANY);
	finish(s);
}

static void test_region_without_a_block(void **unused)
{
	(void)unused;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		struct setup *s = prepare(backends[b], RW_RANDREAD, 4 * KIB, MIB, 1, 2, 0);

		s->regions[1].length = 4095;
		assert_true(measure_run(&s->spec, &s->sample, &s->err) < 0);
		assert_int_equal(s->err.code, ERROR_OUT_OF_RANGE);
		assert_non_null(strstr(s->err.message, "job 2"));
		s->regions[1].length = 4096;
		s->regions[1].offset = INT64_MAX;
		assert_true(measure_run(&s->spec, &s->sample, &s->err) < 0);
		assert_int_equal(s->err.code, ERROR_OUT_OF_RANGE);
		s->spec.region_count = 1;
		assert_true(measure_run(&s->spec, &s->sample, &s->err) < 0);
		assert_int_equal(s->err.code, ERROR_OUT_OF_RANGE);
		finish(s);
	}
}

static void test_memory_grows_with_what_is_asked(void **unused)
{
	struct setup *s = prepare(BACKEND_IO_URING, RW_RANDREAD, MIB, MIB, 256, 64, 0);
	uint64_t bytes, more;

	(void)unused;
	s->workload.numjobs = 64;
	assert_int_equal(measure_memory(&s->workload, BACKEND_IO_URING, &bytes), 0);
	assert_true(bytes >= 16384 * MIB && bytes < 16384 * MIB + 64 * MIB);
	s->workload.group_reporting = false;
	assert_int_equal(measure_memory(&s->workload, BACKEND_IO_URING, &more), 0);
	assert_true(more >=
		    bytes + (64 - resources_reactors(&s->workload)) * sizeof(struct histogram));
	s->workload.numjobs = UINT64_MAX / 256;
	assert_int_equal(measure_memory(&s->workload, BACKEND_IO_URING, &more), -EOVERFLOW);
	finish(s);
}

static void test_probes(void **unused)
{
	char reason[200] = "";
	int fd = scratch("/dev/shm", 0, 0);

	(void)unused;
	assert_false(measure_nowait(fd)); /* tmpfs has none, also for an empty file */
	assert_int_equal(ftruncate(fd, 8192), 0);
	assert_false(measure_nowait(fd));
	(void)close(fd);
	fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	assert_true(measure_nowait(fd));
	(void)close(fd);
	assert_int_equal(measure_uring_available(reason, sizeof(reason)), 0);
	assert_true(strlen(reason) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_based_on_a_disk),
		cmocka_unit_test(test_time_based_in_memory),
		cmocka_unit_test(test_size_ended_on_a_disk),
		cmocka_unit_test(test_size_ended_in_memory),
		cmocka_unit_test(test_size_ended_mix),
		cmocka_unit_test(test_jobs_apart),
		cmocka_unit_test(test_ramp_is_left_out),
		cmocka_unit_test(test_size_after_a_ramp),
		cmocka_unit_test(test_depth_one_is_stamped_apart),
		cmocka_unit_test(test_depth_one_is_kept),
		cmocka_unit_test(test_fsync_after_so_many_writes),
		cmocka_unit_test(test_fdatasync_after_so_many_writes),
		cmocka_unit_test(test_steps_count_as_loops_do),
		cmocka_unit_test(test_end_fsync),
		cmocka_unit_test(test_end_fsync_of_rewrites),
		cmocka_unit_test(test_continue_on_error),
		cmocka_unit_test(test_fatal_errors_end_it_all_the_same),
		cmocka_unit_test(test_budgets),
		cmocka_unit_test(test_trims),
		cmocka_unit_test(test_trims_are_not_for_a_ring),
		cmocka_unit_test(test_failing_trim_is_named),
		cmocka_unit_test(test_budgets_of_two_sizes),
		cmocka_unit_test(test_fill_has_no_histograms),
		cmocka_unit_test(test_dev_zero),
		cmocka_unit_test(test_cancel),
		cmocka_unit_test(test_cancel_in_the_ramp),
		cmocka_unit_test(test_cancel_before_the_start),
		cmocka_unit_test(test_failing_write_is_named),
		cmocka_unit_test(test_end_of_file_is_an_error),
		cmocka_unit_test(test_short_transfers_are_counted),
		cmocka_unit_test(test_too_many_threads_by_name),
		cmocka_unit_test(test_the_most_threads),
		cmocka_unit_test(test_too_much_memory),
		cmocka_unit_test(test_region_without_a_block),
		cmocka_unit_test(test_memory_grows_with_what_is_asked),
		cmocka_unit_test(test_probes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
