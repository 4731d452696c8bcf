/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_sequence.c - the order of a job's requests where a pattern alone does not say it.
 * Length: one fixture, and each way to choose a request has its own tests.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_cdf.h>

#include "engine/base/clock.h"
#include "engine/io/job_steps.h"
#include "engine/io/sequence.h"
#include "tests/unit/engine/io/io_helpers.h"

struct fixture {
	struct workload workload;
	struct load load;
	struct recorder recorder;
	struct job job;
};

static struct fixture *begin(const char *options, uint64_t offset, uint64_t length)
{
	const struct measure_region region = {.fd = 3, .offset = offset, .length = length};
	struct fixture *f = calloc(1, sizeof(*f));
	struct error err;

	assert_non_null(f);
	set(&f->workload, options);
	assert_int_equal(load_init(&f->load, 10), 0);
	f->load.deadline_ns = UINT64_MAX; /* it goes on */
	assert_int_equal(recorder_init(&f->recorder, &f->workload, false, &f->load), 0);
	assert_int_equal(job_init(&f->job, &f->workload, &region, 0, 1, &f->recorder, &err), 0);
	return f;
}

static void end(struct fixture *f)
{
	job_done(&f->job);
	recorder_done(&f->recorder);
	load_done(&f->load);
	workload_done(&f->workload);
	free(f);
}

/* The next operation, which must lie in the region. */
static struct operation next(struct fixture *f)
{
	uint64_t wake_ns;
	struct flight flight;

	assert_int_equal(job_plan(&f->job, 0, &flight, &wake_ns), JOB_OPERATION);
	if (flight.operation.length > 0) {
		assert_true(flight.operation.offset >= f->job.offset);
		assert_true(flight.operation.offset + flight.operation.length <=
			    f->job.offset + f->job.length);
	}
	return flight.operation;
}

static bool is_done(struct fixture *f)
{
	uint64_t wake_ns;
	struct flight flight;

	return job_plan(&f->job, 0, &flight, &wake_ns) == JOB_DONE;
}

static void test_plain_workloads_have_no_sequence(void **unused)
{
	const char *const plain[] = {"rw=read bs=4k", "rw=randrw:1 bs=4k", "rw=write:0",
				     "rw=randread norandommap=1"};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++) {
		struct fixture *f = begin(plain[i], 0, MIB);

		assert_true(job_is_plain(&f->workload));
		assert_null(f->job.course.sequence);
		end(f);
	}
}

/* ---- rw=read:64k ---- */

static void test_holes_are_left_out(void **unused)
{
	struct fixture *f = begin("rw=read:60k bs=4k", 8192, MIB + 3000);

	(void)unused;
	assert_false(job_is_plain(&f->workload));
	for (int round = 0; round < 3; round++) {
		/* The seventeenth would begin at 1 MiB, where no whole one fits. */
		for (uint64_t i = 0; i < 16; i++) {
			struct operation operation = next(f);

			assert_int_equal(operation.kind, REQUEST_READ);
			assert_int_equal(operation.length, 4096);
			assert_int_equal(operation.offset, 8192 + i * 64 * KIB);
		}
	}
	end(f);
}

/* Bytes moved make the size, as in fio, however much is left out. */
static void test_holes_do_not_count(void **unused)
{
	struct fixture *f = begin("rw=write:60k bs=4k time_based=0 size=1m", 0, MIB);

	(void)unused;
	for (uint64_t i = 0; i < 256; i++)
		assert_int_equal(next(f).offset, i % 16 * 64 * KIB);
	assert_true(is_done(f));
	end(f);
}

/* A sequential mix has a position for each direction. */
static void test_holes_in_a_mix(void **unused)
{
	struct fixture *f = begin("rw=rw:4k bs=4k,8k", 0, 120 * KIB);
	uint64_t count[2] = {0};

	(void)unused;
	for (unsigned int i = 0; i < 10000; i++) {
		struct operation operation = next(f);
		uint64_t n = count[operation.kind]++;

		if (operation.kind == REQUEST_READ)
			assert_int_equal(operation.offset, n % 15 * 8 * KIB);
		else
			assert_int_equal(operation.offset, n % 10 * 12 * KIB);
	}
	assert_true(count[0] > 4500 && count[1] > 4500);
	end(f);
}

/* ---- rw=randread:8 ---- */

static void test_every_eighth_offset_is_drawn(void **unused)
{
	struct fixture *f = begin("rw=randread:8 bs=4k", 4096, 1000 * 4096);
	bool seen[1000] = {false};
	uint64_t follows = 4096;

	(void)unused;
	for (unsigned int i = 1; i <= 8 * 1000; i++) {
		struct operation operation = next(f);
		uint64_t block = (operation.offset - 4096) / 4096;

		if (i % 8 == 0) {
			assert_false(seen[block]); /* each block once */
			seen[block] = true;
		} else {
			assert_int_equal(operation.offset, follows);
		}
		follows = block == 999 ? 4096 : operation.offset + 4096;
	}
	end(f);
}

static void test_the_same_offset_eight_times(void **unused)
{
	struct fixture *f =
		begin("rw=randwrite:8 bs=4k rw_sequencer=identical norandommap=1", 0, MIB);
	uint64_t last = 0;
	unsigned int moved = 0;

	(void)unused;
	for (unsigned int i = 1; i <= 8 * 1000; i++) {
		uint64_t offset = next(f).offset;

		if (i % 8 == 0)
			moved += offset != last;
		else
			assert_int_equal(offset, last);
		last = offset;
	}
	assert_true(moved > 950);
	end(f);
}

/* How many of 10,000 operations of a kind lie in the first tenth of the region. */
static int in_first_tenth(struct fixture *f, uint32_t kind)
{
	int found = 0;

	for (int i = 0; i < 10000;) {
		struct operation operation = next(f);

		if (operation.kind != kind)
			continue;
		assert_int_equal(operation.offset % (4 * KIB), 0);
		found += operation.offset < f->job.offset + f->job.length / 10;
		i++;
	}
	return found;
}

static void test_distributions_say_where(void **unused)
{
	struct fixture *f = begin("rw=randread bs=4k random_distribution=zoned:60/10:40/90",
				  4 * MIB, 4000 * KIB);

	(void)unused;
	assert_false(job_is_plain(&f->workload));
	assert_in_range(in_first_tenth(f, REQUEST_READ), 5800, 6200);
	end(f);
	f = begin("rw=randrw bs=4k random_distribution=zoned:100/10,50/10:50/90", 0, 4000 * KIB);
	assert_int_equal(in_first_tenth(f, REQUEST_READ), 10000);
	assert_in_range(in_first_tenth(f, REQUEST_WRITE), 4800, 5200);
	end(f);
	f = begin("rw=randwrite bs=4k random_distribution=random", 0, 4000 * KIB);
	assert_true(job_is_plain(&f->workload));
	end(f);
}

/* The hottest block is hit anew for each offset drawn, and followed by seven. */
static void test_a_distribution_draws_every_eighth_offset(void **unused)
{
	struct fixture *f = begin("rw=randread:8 bs=4k random_distribution=zipf:5:0.5", 0, MIB);
	int hot = 0;

	(void)unused;
	for (int i = 0; i < 7; i++)
		(void)next(f);
	for (int i = 0; i < 1000; i++) {
		uint64_t first = next(f).offset;

		hot += first == MIB / 2;
		for (int j = 1; j < 8; j++)
			assert_true(next(f).offset == first + (uint64_t)j * 4 * KIB ||
				    first > MIB - 32 * KIB);
	}
	assert_in_range(hot, 930, 990); /* 1 / zeta(5) */
	end(f);
}

static void test_memory_is_told(void **unused)
{
	struct workload plain, hot;
	uint64_t without, with;

	(void)unused;
	set(&plain, "rw=randread:8 bs=4k numjobs=7");
	set(&hot, "rw=randread:8 bs=4k numjobs=7 random_distribution=zipf");
	assert_int_equal(measure_memory(&plain, BACKEND_IO_URING, &without), 0);
	assert_int_equal(measure_memory(&hot, BACKEND_IO_URING, &with), 0);
	assert_int_equal(with - without, 7 * distribution_bytes());
	workload_done(&plain);
	workload_done(&hot);
}

static void test_zones_that_do_not_fit(void **unused)
{
	struct measure_region region = {.fd = 3, .length = 2 * MIB};
	struct fixture *f =
		begin("rw=randread bs=4k random_distribution=zoned_abs:50/1m:50/1m", 0, 2 * MIB);
	struct error err = {0};
	struct job job;

	(void)unused;
	region.length -= 4 * KIB;
	assert_int_equal(job_init(&job, &f->workload, &region, 0, 1, &f->recorder, &err), -EINVAL);
	assert_int_equal(err.code, ERROR_OUT_OF_RANGE);
	assert_non_null(strstr(err.message, "random_distribution"));
	job_done(&job);
	end(f);
}

/* ---- requests that differ in size ---- */

/* Touches bytes of a region, none twice before all are; whether all are now. */
struct touched {
	unsigned char *bytes;
	uint64_t length, left;
};

static void touch(struct touched *touched, uint64_t offset, uint64_t length)
{
	for (uint64_t i = offset; i < offset + length; i++) {
		assert_int_equal(touched->bytes[i], 0);
		touched->bytes[i] = 1;
	}
	touched->left -= length;
	if (touched->left > 0)
		return;
	memset(touched->bytes, 0, touched->length);
	touched->left = touched->length;
}

static void once(const char *options, uint64_t length, unsigned int passes)
{
	struct fixture *f = begin(options, 512, length);
	struct touched touched = {calloc(length, 1), length, length};
	unsigned int done = 0, sizes = 0, steps = 0;
	uint64_t least = f->job.course.sequence->least, last = 0;

	assert_non_null(touched.bytes);
	while (done < passes) {
		struct operation operation = next(f);

		assert_int_equal((operation.offset - 512) % least, 0);
		assert_int_equal(operation.length % least, 0);
		sizes += operation.length != least;
		steps += operation.offset == last;
		last = operation.offset + operation.length;
		touch(&touched, operation.offset - 512, operation.length);
		done += touched.left == length;
	}
	assert_true(sizes > passes * 10);
	assert_true(steps * 4 < passes * length / least); /* in no order */
	free(touched.bytes);
	end(f);
}

static void test_every_byte_once(void **unused)
{
	(void)unused;
	once("rw=randread bsrange=4k-64k", 4 * MIB, 3);
	once("rw=randwrite bssplit=512/20:4k/50:7k/30", MIB, 3);
	once("rw=randrw bsrange=1k-8k,1k-32k", MIB + KIB, 3);
	once("rw=randread bsrange=3k-30k direct=0", 300 * 3 * KIB, 3);
}

/* Directions of other smallest sizes have each their own map, which the other does not touch. */
static void test_every_byte_once_a_direction(void **unused)
{
	struct fixture *f = begin("rw=randrw bsrange=4k-16k,512-4k", 0, MIB);
	struct touched touched[2] = {{calloc(MIB, 1), MIB, MIB}, {calloc(MIB, 1), MIB, MIB}};

	(void)unused;
	for (unsigned int i = 0; i < 5000; i++) {
		struct operation operation = next(f);

		touch(&touched[operation.kind], operation.offset, operation.length);
	}
	free(touched[0].bytes);
	free(touched[1].bytes);
	end(f);
}

/* A size-ended one touches all and no more. */
static void test_once_and_done(void **unused)
{
	struct fixture *f = begin("rw=randwrite bsrange=4k-64k size=4m time_based=0", 0, 4 * MIB);
	struct touched touched = {calloc(4 * MIB, 1), 4 * MIB, 4 * MIB};

	(void)unused;
	do {
		struct operation operation = next(f);

		touch(&touched, operation.offset, operation.length);
	} while (touched.left != 4 * MIB);
	assert_true(is_done(f));
	free(touched.bytes);
	end(f);
}

/* Sequential: each where the last one ended, and all but what is smaller than the smallest. */
static void test_sequential_of_any_size(void **unused)
{
	struct fixture *f = begin("rw=read bsrange=4k-64k", 0, MIB + 4095);
	uint64_t at = 0;
	unsigned int rounds = 0;

	(void)unused;
	for (unsigned int i = 0; i < 10000; i++) {
		struct operation operation = next(f);

		if (operation.offset == 0 && i > 0) {
			assert_int_equal(at, MIB);
			rounds++;
			at = 0;
		}
		assert_int_equal(operation.offset, at);
		at += operation.length;
	}
	assert_true(rounds > 200);
	end(f);
}

/* Unaligned requests take whole blocks of the map, and end anywhere. */
static void test_once_and_unaligned(void **unused)
{
	struct fixture *f =
		begin("rw=randread bsrange=1k-4k bs_unaligned=1 direct=0", 0, 1000 * KIB);
	struct touched touched = {calloc(1000, 1), 1000, 1000};
	unsigned int odd = 0;

	(void)unused;
	for (unsigned int i = 0; i < 5000; i++) {
		struct operation operation = next(f);

		assert_int_equal(operation.offset % KIB, 0);
		odd += operation.length % KIB != 0;
		touch(&touched, operation.offset / KIB, (operation.length + KIB - 1) / KIB);
	}
	assert_true(odd > 2500);
	free(touched.bytes);
	end(f);
}

/* ---- blockalign ---- */

/* Every multiple of it where a request fits, each as often as any. */
static void test_random_offsets_are_aligned(void **unused)
{
	static const struct {
		const char *options;
		uint64_t unit, places;
	} all[] = {
		{"rw=randread bs=4k blockalign=512", 512, (64 * KIB - 4 * KIB) / 512 + 1},
		{"rw=randread bs=4k blockalign=16k", 16 * KIB, 4},
		{"rw=randwrite bs=4k blockalign=1000 direct=0", 1000,
		 (64 * KIB - 4 * KIB) / 1000 + 1},
		{"rw=randread bsrange=2k-8k blockalign=4k", 4 * KIB, 16},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct fixture *f = begin(all[i].options, 1024, 64 * KIB);
		uint64_t found[200] = {0};
		double chi = 0, expected = 100000.0 / (double)all[i].places;

		assert_true(all[i].places <= 200);
		for (unsigned int n = 0; n < 100000; n++) {
			uint64_t offset = next(f).offset - 1024;

			assert_int_equal(offset % all[i].unit, 0);
			assert_true(offset / all[i].unit < all[i].places);
			found[offset / all[i].unit]++;
		}
		for (uint64_t k = 0; k < all[i].places; k++)
			chi += ((double)found[k] - expected) * ((double)found[k] - expected) /
			       expected;
		if (gsl_cdf_chisq_Q(chi, (double)all[i].places - 1) < 0.001)
			fail_msg("%s: chi-square %g", all[i].options, chi);
		end(f);
	}
}

/* Reads and writes by their own. */
static void test_alignment_by_direction(void **unused)
{
	struct fixture *f = begin("rw=randrw bs=4k blockalign=512,8k", 0, MIB);
	unsigned int odd = 0;

	(void)unused;
	for (unsigned int n = 0; n < 10000; n++) {
		struct operation operation = next(f);

		if (operation.kind == REQUEST_WRITE)
			assert_int_equal(operation.offset % (8 * KIB), 0);
		else
			odd += operation.offset % 4096 != 0;
	}
	assert_true(odd > 4000);
	end(f);
}

/* ---- percentage_random ---- */

/* How many of `count` requests of a kind begin where the last one of the kind ended. */
static unsigned int followers(struct fixture *f, uint32_t kind, unsigned int count)
{
	uint64_t ends = UINT64_MAX;
	unsigned int found = 0;

	for (unsigned int i = 0; i < count;) {
		struct operation operation = next(f);

		if (operation.kind != kind)
			continue;
		found += operation.offset == ends;
		ends = operation.offset + operation.length;
		i++;
	}
	return found;
}

static void test_some_offsets_are_drawn(void **unused)
{
	struct fixture *f = begin("rw=randrw bs=4k percentage_random=30,80", 0, 4096 * MIB);

	(void)unused;
	assert_false(job_is_plain(&f->workload));
	assert_in_range(followers(f, REQUEST_READ, 100000), 69300, 70700);
	assert_in_range(followers(f, REQUEST_WRITE, 100000), 19300, 20700);
	end(f);
	f = begin("rw=randread bsrange=4k-64k percentage_random=50", 0, 4096 * MIB);
	assert_in_range(followers(f, REQUEST_READ, 100000), 49300, 50700);
	end(f);
	f = begin("rw=randread bs=4k percentage_random=0", 0, MIB);
	assert_int_equal(followers(f, REQUEST_READ, 256), 255);
	end(f);
	f = begin("rw=randread bs=4k percentage_random=100", 0, MIB);
	assert_true(job_is_plain(&f->workload));
	end(f);
}

/* Those drawn touch each block once all the same. */
static void test_some_are_drawn_and_each_block_once(void **unused)
{
	struct fixture *f = begin("rw=randread:2 bs=4k percentage_random=100", 0, 100 * 4096);
	unsigned int seen[100] = {0};

	(void)unused;
	for (unsigned int i = 1; i <= 200; i++) {
		uint64_t block = next(f).offset / 4096;

		if (i % 2 == 0)
			seen[block]++;
	}
	for (unsigned int i = 0; i < 100; i++)
		assert_int_equal(seen[i], 1);
	end(f);
}

/* ---- interlocked ---- */

static void test_jobs_share_a_position(void **unused)
{
	static const char *const options[] = {
		"rw=read bs=4k interlocked=1 numjobs=3 size=1m",
		"rw=rw bs=4k,8k interlocked=1 numjobs=3 size=1m",
		"rw=write bsrange=4k-64k interlocked=1 numjobs=3 size=1m",
		"rw=read:12k bs=4k interlocked=1 numjobs=3 size=1m",
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		struct load_position position = {0};
		struct fixture *f = begin(options[i], 4096, MIB);
		struct measure_region region = {.fd = 3, .offset = 4096, .length = MIB};
		struct job jobs[3];
		struct error err;
		uint64_t expected = 0, hole = f->workload.rw_number;
		unsigned int rounds = 0;

		f->load.positions = &position;
		for (size_t j = 0; j < 3; j++)
			assert_int_equal(
				job_init(&jobs[j], &f->workload, &region, j, 1, &f->recorder, &err),
				0);
		for (unsigned int n = 0; n < 3000; n++) {
			struct flight flight;
			uint64_t wake_ns, offset;

			assert_int_equal(job_plan(&jobs[n * 7 % 3], 0, &flight, &wake_ns),
					 JOB_OPERATION);
			offset = flight.operation.offset - 4096;
			if (offset != expected) {
				assert_int_equal(offset, 0);
				rounds++;
			}
			expected = offset + flight.operation.length + hole;
		}
		assert_true(rounds > 5);
		for (size_t j = 0; j < 3; j++)
			job_done(&jobs[j]);
		f->load.positions = NULL;
		end(f);
	}
}

/* ---- rewrite ---- */

static void land(struct fixture *f, const struct flight *flight)
{
	struct error err;

	assert_true(job_landed(&f->job, flight, (int32_t)flight->operation.length,
			       flight->stamp_ns + 1000, &err));
}

/* A block is read, changed in its first word and no other, and written back; then the next. */
static void test_a_block_is_written_back(void **unused)
{
	struct fixture *f = begin("rw=rewrite bs=4k size=64k time_based=0 fsync=3", 8192, 64 * KIB);
	unsigned char buffer[4096], before[4096];
	unsigned int writes = 0, syncs = 0;
	struct flight flight = {0};
	uint64_t wake_ns;

	(void)unused;
	assert_false(job_is_plain(&f->workload));
	memset(buffer, 7, sizeof(buffer));
	while (job_plan(&f->job, 0, &flight, &wake_ns) == JOB_OPERATION) {
		if (flight.operation.kind == REQUEST_SYNC) {
			assert_int_equal(writes, ++syncs * 3);
			land(f, &flight);
			assert_false(job_follows(&f->job, &flight, 0));
			continue;
		}
		assert_int_equal(flight.operation.kind, REQUEST_READ);
		assert_int_equal(flight.operation.offset, 8192 + writes * 4096);
		land(f, &flight);
		assert_true(job_follows(&f->job, &flight, 4096));
		assert_int_equal(f->job.course.outstanding, 1);
		assert_int_equal(flight.operation.kind, REQUEST_WRITE);
		assert_int_equal(flight.operation.offset, 8192 + writes * 4096);
		assert_int_equal(flight.operation.length, 4096);
		memcpy(before, buffer, sizeof(buffer));
		job_fill(&f->job, &flight, buffer, 1);
		assert_memory_not_equal(buffer, before, 1);
		assert_memory_equal(buffer + 8, before + 8, sizeof(buffer) - 8);
		land(f, &flight);
		assert_false(job_follows(&f->job, &flight, 4096));
		assert_int_equal(f->job.course.outstanding, 0);
		assert_int_equal(f->job.course.outstanding_bytes, 0);
		writes++;
	}
	assert_int_equal(writes, 16);
	assert_int_equal(syncs, 5);
	assert_int_equal(f->recorder.histograms[REQUEST_READ]->count, 16);
	assert_int_equal(f->recorder.histograms[REQUEST_WRITE]->count, 16);
	end(f);
}

static void test_fsync_among_them(void **unused)
{
	struct fixture *f = begin("rw=write:4k bs=4k fsync=2 fdatasync=3", 0, MIB);
	const enum request_kind kinds[] = {REQUEST_WRITE, REQUEST_WRITE,    REQUEST_SYNC,
					   REQUEST_WRITE, REQUEST_DATASYNC, REQUEST_WRITE,
					   REQUEST_SYNC};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		assert_int_equal(next(f).kind, kinds[i]);
	end(f);
}

/* Every 2nd and every 3rd write: of the 6th there is the fsync alone. */
static void test_an_fsync_does_for_an_fdatasync(void **unused)
{
	struct fixture *f =
		begin("rw=write bs=4k fsync=2 fdatasync=3 time_based=0 runtime=10", 0, MIB);
	static const char expected[] = "wwSwDwSwwS";

	(void)unused;
	for (int round = 0; round < 3; round++)
		for (const char *p = expected; *p; p++) {
			uint32_t kind = next(f).kind;

			assert_int_equal(kind, *p == 'w'   ? REQUEST_WRITE
					       : *p == 'S' ? REQUEST_SYNC
							   : REQUEST_DATASYNC);
		}
	end(f);
}

static void test_seeds_repeat(void **unused)
{
	struct fixture *one = begin("rw=randrw:3 bs=4k,8k", 0, 100 * MIB);
	struct fixture *two = begin("rw=randrw:3 bs=4k,8k", 0, 100 * MIB);

	(void)unused;
	for (unsigned int i = 0; i < 10000; i++) {
		struct operation a = next(one), b = next(two);

		assert_int_equal(a.kind, b.kind);
		assert_int_equal(a.offset, b.offset);
	}
	end(one);
	end(two);
}

/* The check does not trust what it is told. */
static void test_what_leaves_the_region_is_refused(void **unused)
{
	struct fixture *f = begin("rw=read:4k bs=4k", 0, MIB);
	struct flight flight;
	uint64_t wake_ns;

	(void)unused;
	f->job.course.sequence->length = 2 * MIB; /* a bug, made up */
	for (unsigned int i = 0; i < 128; i++)
		(void)next(f);
	assert_int_equal(job_plan(&f->job, 0, &flight, &wake_ns), JOB_REFUSED);
	end(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_workloads_have_no_sequence),
		cmocka_unit_test(test_holes_are_left_out),
		cmocka_unit_test(test_holes_do_not_count),
		cmocka_unit_test(test_holes_in_a_mix),
		cmocka_unit_test(test_every_eighth_offset_is_drawn),
		cmocka_unit_test(test_the_same_offset_eight_times),
		cmocka_unit_test(test_distributions_say_where),
		cmocka_unit_test(test_a_distribution_draws_every_eighth_offset),
		cmocka_unit_test(test_memory_is_told),
		cmocka_unit_test(test_zones_that_do_not_fit),
		cmocka_unit_test(test_every_byte_once),
		cmocka_unit_test(test_every_byte_once_a_direction),
		cmocka_unit_test(test_once_and_done),
		cmocka_unit_test(test_sequential_of_any_size),
		cmocka_unit_test(test_once_and_unaligned),
		cmocka_unit_test(test_random_offsets_are_aligned),
		cmocka_unit_test(test_alignment_by_direction),
		cmocka_unit_test(test_some_offsets_are_drawn),
		cmocka_unit_test(test_some_are_drawn_and_each_block_once),
		cmocka_unit_test(test_jobs_share_a_position),
		cmocka_unit_test(test_a_block_is_written_back),
		cmocka_unit_test(test_fsync_among_them),
		cmocka_unit_test(test_an_fsync_does_for_an_fdatasync),
		cmocka_unit_test(test_seeds_repeat),
		cmocka_unit_test(test_what_leaves_the_region_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
