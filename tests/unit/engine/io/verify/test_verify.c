/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_verify.c - what a workload with verify writes is read back, and whatever is done to the file
 * in between is found and told for what it is: on each backend, order of writing, depth and number
 * of jobs. Files are in /var/tmp (or VOLBENCH_TEST_DIR).
 *
 * Length: one way of writing, changing and reading back serves every kind of damage.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "engine/io/resources.h"
#include "engine/io/verify/checksum.h"
#include "engine/io/verify/readback.h"

static const enum backend_kind backends[] = {BACKEND_IO_URING, BACKEND_THREADS};

#define JOBS_MAX 4

struct setup {
	struct workload workload;
	struct measure_region regions[JOBS_MAX];
	size_t jobs;
	int fd;
	struct verify *verify;
	struct sample sample;
	struct verify_result result;
	struct error err;
};

static void set(struct workload *workload, const char *options)
{
	char *copy = strdup(options), *rest = copy, *word;
	struct error err;

	assert_non_null(copy);
	workload_init(workload);
	while ((word = strsep(&rest, " "))) {
		char *value = strchr(word, '=');

		if (!value)
			continue;
		*value++ = '\0';
		if (option_parse(option_find(word), value, workload, &err) < 0)
			fail_msg("%s: %s", word, err.message);
	}
	free(copy);
	if (workload_complete(workload, &err) < 0)
		fail_msg("%s: %s", options, err.message);
}

static int scratch(void)
{
	const char *directory = getenv("VOLBENCH_TEST_DIR");
	int fd = open(directory ? directory : "/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	return fd;
}

/* Makes the file and writes it as the options say: jobs one behind another. */
static struct setup *write_phase(const char *options, enum backend_kind backend, uint64_t seed)
{
	struct setup *s = calloc(1, sizeof(*s));
	struct measure_spec spec = {.backend = backend, .seed = 5};

	assert_non_null(s);
	set(&s->workload, options);
	s->jobs = s->workload.numjobs;
	s->fd = scratch();
	/* what lies there before is nothing of ours */
	assert_int_equal(ftruncate(s->fd, (off_t)(s->workload.offset + s->workload.size * s->jobs)),
			 0);
	for (size_t i = 0; i < s->jobs; i++)
		s->regions[i] = (struct measure_region){
			.fd = s->fd,
			.offset = s->workload.offset + i * s->workload.size,
			.length = s->workload.size,
		};
	sample_init(&s->sample);
	if (verify_new(&s->workload, s->regions, s->jobs, seed, &s->verify, &s->err) < 0)
		fail_msg("%s", s->err.message);
	assert_non_null(s->verify);
	spec.workload = &s->workload;
	spec.verify = s->verify;
	spec.region_count = s->jobs;
	spec.regions = s->regions;
	if (measure_run(&spec, &s->sample, &s->err) < 0)
		fail_msg("%s: %s", options, s->err.message);
	return s;
}

static int read_phase(struct setup *s)
{
	const struct readback_config config = {.verify = s->verify, .regions = s->regions};

	memset(&s->result, 0, sizeof(s->result));
	return readback_run(&config, &s->result, &s->err);
}

static void end(struct setup *s)
{
	verify_free(s->verify);
	sample_done(&s->sample);
	workload_done(&s->workload);
	assert_int_equal(close(s->fd), 0);
	free(s);
}

static void get(struct setup *s, void *data, uint64_t bytes, uint64_t offset)
{
	assert_int_equal(pread(s->fd, data, bytes, (off_t)offset), bytes);
}

static void put(struct setup *s, const void *data, uint64_t bytes, uint64_t offset)
{
	assert_int_equal(pwrite(s->fd, data, bytes, (off_t)offset), bytes);
}

static void expect_good(struct setup *s, const char *options)
{
	char text[VERIFY_TEXT_MAX];

	if (read_phase(s) < 0)
		fail_msg("%s: %s", options, s->err.message);
	if (s->result.errors > 0)
		fail_msg("%s: %s", options, verify_describe(&s->result.first, text));
	assert_true(s->result.done);
	assert_int_equal(s->result.unknown, 0);
	assert_int_equal(s->result.bytes, readback_bytes(s->verify));
	assert_int_equal(s->result.bytes, s->result.blocks * s->workload.bs[DIRECTION_WRITE]);
}

/* Of one error: its kind and place. */
static const struct verify_fault *expect(struct setup *s, enum verify_kind kind, uint64_t job,
					 uint64_t block)
{
	const struct verify_fault *first = &s->result.first;

	if (read_phase(s) < 0)
		fail_msg("%s", s->err.message);
	assert_int_equal(s->result.errors, 1);
	if (first->kind != kind)
		fail_msg("%s is taken for %s", verify_kind_names[kind],
			 verify_kind_names[first->kind]);
	assert_int_equal(first->job, job);
	assert_int_equal(first->block, block);
	assert_int_equal(first->offset,
			 s->regions[job - 1].offset + block * s->workload.bs[DIRECTION_WRITE]);
	return first;
}

/* ---- what is written ---- */

static void test_written_is_read_back(void **unused)
{
	static const char *const all[] = {
		"rw=write bs=4k size=4m iodepth=1 time_based=0 verify=crc32c direct=0",
		"rw=write bs=4k size=4m iodepth=32 time_based=0 verify=crc32c direct=1",
		"rw=randwrite bs=4k size=4m iodepth=32 time_based=0 verify=crc32",
		"rw=randwrite bs=4k size=4m iodepth=1 time_based=0 verify=crc32",
		/* few blocks, many writes of each: they wait for one another */
		"rw=randwrite bs=4k size=64k iodepth=32 runtime=0.3 norandommap=1 verify=crc32c",
		"rw=randwrite bs=512 size=4k iodepth=8 runtime=0.2 norandommap=1 verify=crc32c "
		"direct=0",
		"rw=write bs=4k size=8k iodepth=16 runtime=0.2 verify=crc32c",
		"rw=randrw bs=4k,8k size=4m iodepth=8 runtime=0.3 ramp_time=0.1 verify=crc32c",
		"rw=rw bs=64k size=4m iodepth=4 time_based=0 verify=crc32c",
		"rw=randwrite bs=4k size=1m numjobs=4 iodepth=8 runtime=0.3 norandommap=1 "
		"verify=crc32c offset=8k",
		"rw=write bs=64k size=4m iodepth=4 time_based=0 verify=crc32c verify_interval=512",
		"rw=write bs=3m size=12m iodepth=4 time_based=0 verify=crc32c direct=0",
		"rw=randwrite bs=1032 size=103200 iodepth=4 time_based=0 verify=crc32c direct=0",
		"rw=write bs=4k size=4m iodepth=4 time_based=0 verify=crc32c "
		"buffer_compress_percentage=50 buffer_compress_chunk=100",
		"rw=write bs=4k size=4m iodepth=4 time_based=0 verify=crc32c fsync=3 fdatasync=5",
		"rw=randwrite bs=4k size=1m iodepth=16 runtime=0.3 random_distribution=zipf:1.2 "
		"verify=crc32c",
		"rw=randrw bs=4k,16k size=2m iodepth=16 runtime=0.3 "
		"random_distribution=zoned:80/20:20/80 verify=crc32c",
		"rw=randwrite:4 bs=4k size=1m iodepth=16 runtime=0.3 rw_sequencer=identical "
		"verify=crc32c",
		"rw=write:8k bs=4k size=3m iodepth=16 runtime=0.3 verify=crc32c",
		"rw=randwrite bs=4k blockalign=8k size=1m iodepth=8 runtime=0.3 norandommap=1 "
		"verify=crc32c",
		"rw=randrw bs=4k size=1m iodepth=8 loops=3 time_based=0 verify=crc32c",
		"rw=randwrite bs=4k size=1m iodepth=8 rate_iops=1000 number_ios=300 time_based=0 "
		"verify=crc32c",
	};

	(void)unused;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++)
		for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
			struct setup *s = write_phase(all[i], backends[b], 77);

			expect_good(s, all[i]);
			assert_true(s->result.blocks > 0);
			/* what ends with its size writes each block once */
			if (!s->workload.time_based && !workload_mixed(&s->workload))
				assert_int_equal(s->result.bytes,
						 s->workload.size * s->workload.numjobs);
			end(s);
		}
}

/* The header as it stands in the file, held against numbers written out by hand. */
static void test_header(void **unused)
{
	struct setup *s = write_phase("rw=write bs=4k size=64k offset=8k time_based=0 "
				      "verify=crc32c verify_interval=1k direct=0",
				      BACKEND_THREADS, 0x1122334455667788);
	unsigned char data[1024];

	(void)unused;
	for (uint64_t at = 0; at < 64 << 10; at += 1024) {
		uint64_t seed, offset, block, sum;
		uint32_t generation, length, crc;

		get(s, data, sizeof(data), 8192 + at);
		assert_memory_equal(data, "VlbBlock", 8);
		memcpy(&seed, data + 8, 8);
		memcpy(&offset, data + 16, 8);
		memcpy(&block, data + 24, 8);
		memcpy(&generation, data + 32, 4);
		memcpy(&length, data + 36, 4);
		memcpy(&sum, data + 40, 8);
		assert_true(seed == 0x1122334455667788);
		assert_int_equal(offset, 8192 + at);
		assert_int_equal(block, at / 4096);
		assert_int_equal(generation, 1);
		assert_int_equal(length, 1024);
		crc = checksum_crc32c(0, data, 40);
		assert_int_equal(sum, checksum_crc32c(crc, data + 48, 1024 - 48));
	}
	end(s);
}

/* ---- what is done to it ---- */

#define PLAIN "rw=randwrite bs=4k size=4m iodepth=32 time_based=0 verify=crc32c"

static void test_flipped_bits(void **unused)
{
	/* in the header, the checksum, the rest */
	static const uint64_t places[] = {0, 11, 40, 44, 48, 100, 4095};

	(void)unused;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		struct setup *s = write_phase(PLAIN, backends[b], 1);

		for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
			const struct verify_fault *fault;
			unsigned char byte, wrong;
			uint64_t at = 517 * 4096 + places[i];

			get(s, &byte, 1, at);
			wrong = (unsigned char)(byte ^ 1u << i % 8);
			put(s, &wrong, 1, at);
			fault = expect(s, VERIFY_FLIPPED_BIT, 1, 517);
			assert_int_equal(fault->byte, places[i]);
			assert_int_equal(fault->bit, i % 8);
			put(s, &byte, 1, at);
		}
		expect_good(s, "put right again");
		end(s);
	}
}

/* Every bit of a block, without a file. */
static void test_every_bit_of_a_block(void **unused)
{
	const struct verify_job job = {.bs = 512,
				       .interval = 512,
				       .blocks = 9,
				       .offset = 512,
				       .seed = 3,
				       .method = VERIFY_CRC32};
	static unsigned char data[512], scratch_block[512];
	struct verify_fault fault;

	(void)unused;
	verify_fill(&job, data, 512 * 5, 7);
	assert_true(verify_check(&job, 4, 7, data, 512, scratch_block, &fault));
	for (uint64_t bit = 0; bit < 512 * 8; bit++) {
		data[bit / 8] ^= (unsigned char)(1u << bit % 8);
		assert_false(verify_check(&job, 4, 7, data, 512, scratch_block, &fault));
		assert_int_equal(fault.kind, VERIFY_FLIPPED_BIT);
		assert_int_equal(fault.byte, bit / 8);
		assert_int_equal(fault.bit, bit % 8);
		assert_int_equal(fault.block, 4);
		assert_int_equal(fault.offset, 512 * 5);
		data[bit / 8] ^= (unsigned char)(1u << bit % 8);
	}
}

static void test_some_bytes(void **unused)
{
	struct setup *s = write_phase(PLAIN, BACKEND_THREADS, 1);
	unsigned char bytes[3];

	(void)unused;
	get(s, bytes, 3, 9 * 4096 + 1000);
	for (size_t i = 0; i < 3; i++)
		bytes[i] = (unsigned char)~bytes[i];
	put(s, bytes, 3, 9 * 4096 + 1000);
	assert_int_equal(expect(s, VERIFY_CORRUPT, 1, 9)->byte, 1000);
	end(s);
}

static void test_foreign(void **unused)
{
	struct setup *s = write_phase(PLAIN, BACKEND_THREADS, 1);
	struct setup *other = write_phase(PLAIN, BACKEND_THREADS, 2);
	unsigned char data[4096] = {0}, right[4096];

	(void)unused;
	get(s, right, 4096, 100 * 4096);
	put(s, data, 4096, 100 * 4096);
	(void)expect(s, VERIFY_FOREIGN, 1, 100);
	/* of another sample, at its own place */
	get(other, data, 4096, 100 * 4096);
	put(s, data, 4096, 100 * 4096);
	(void)expect(s, VERIFY_FOREIGN, 1, 100);
	put(s, right, 4096, 100 * 4096);
	expect_good(s, "put right again");
	end(other);
	end(s);
}

static void misplaced(const char *options)
{
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		struct setup *s = write_phase(options, backends[b], 1);
		uint64_t bs = s->workload.bs[DIRECTION_WRITE];
		unsigned char *data = malloc(bs);

		assert_non_null(data);
		get(s, data, bs, s->regions[s->jobs - 1].offset + 3 * bs);
		put(s, data, bs, s->regions[0].offset + 6 * bs);
		assert_int_equal(expect(s, VERIFY_MISPLACED, 1, 6)->found_offset,
				 s->regions[s->jobs - 1].offset + 3 * bs);
		free(data);
		end(s);
	}
}

static void test_misplaced(void **unused)
{
	(void)unused;
	misplaced(PLAIN);
	misplaced(PLAIN " numjobs=3 offset=64k"); /* from another job's region */
	misplaced("rw=write bs=16k size=256k time_based=0 verify=crc32 verify_interval=4k");
	misplaced("rw=write bs=512 size=64k time_based=0 verify=crc32c direct=0");
}

/* Blocks of several generations, and the bytes of two of them. */
static struct setup *many_writes(enum backend_kind backend, const char *more, uint32_t *generation,
				 unsigned char *now, unsigned char *before)
{
	char options[256];
	struct setup *s;

	(void)snprintf(options, sizeof(options),
		       "rw=randwrite bs=4k size=32k iodepth=4 runtime=0.2 norandommap=1 "
		       "verify=crc32c %s",
		       more);
	s = write_phase(options, backend, 9);
	*generation = s->verify->jobs[0].marks[5];
	assert_true(*generation > 2);
	get(s, now, 4096, 5 * 4096);
	verify_fill(&s->verify->jobs[0], before, 5 * 4096, *generation - 1);
	return s;
}

static void test_stale_and_torn(void **unused)
{
	static const char *const more[] = {"", "verify_interval=1k",
					   "buffer_compress_percentage=60",
					   "buffer_compress_percentage=50 buffer_compress_chunk=0"};
	static unsigned char now[4096], before[4096];
	uint32_t generation;

	(void)unused;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(more); i++) {
		struct setup *s =
			many_writes(backends[i % 2], more[i / 2], &generation, now, before);
		const struct verify_fault *fault;

		put(s, before, 4096, 5 * 4096);
		fault = expect(s, VERIFY_STALE, 1, 5);
		assert_int_equal(fault->generation, generation);
		assert_int_equal(fault->found_generation, generation - 1);
		/* the new one at first, then the old one */
		put(s, now, 512 * 3, 5 * 4096);
		fault = expect(s, VERIFY_TORN, 1, 5);
		assert_int_equal(fault->byte, 512 * 3);
		assert_int_equal(fault->found_generation, generation - 1);
		/* the other way round */
		put(s, now, 4096, 5 * 4096);
		put(s, before, 512, 5 * 4096);
		fault = expect(s, VERIFY_TORN, 1, 5);
		assert_int_equal(fault->byte, 0);
		assert_int_equal(fault->end, 512);
		assert_int_equal(fault->found_generation, generation - 1);
		end(s);
	}
}

/* A first write that came half onto what lay there before. */
static void test_torn_over_nothing(void **unused)
{
	struct setup *s = write_phase(PLAIN, BACKEND_IO_URING, 1);
	const struct verify_fault *fault;
	unsigned char zeros[2048] = {0};

	(void)unused;
	put(s, zeros, sizeof(zeros), 33 * 4096 + 2048);
	fault = expect(s, VERIFY_TORN, 1, 33);
	assert_int_equal(fault->byte, 2048);
	assert_int_equal(fault->end, 4096);
	assert_int_equal(fault->found_generation, 0);
	end(s);
}

static void test_truncated(void **unused)
{
	struct setup *s = write_phase(PLAIN " direct=0", BACKEND_THREADS, 1);

	(void)unused;
	assert_int_equal(ftruncate(s->fd, (1000 << 12) + 100), 0);
	assert_int_equal(read_phase(s), 0);
	assert_int_equal(s->result.errors, 24);
	assert_int_equal(s->result.first.kind, VERIFY_TRUNCATED);
	assert_int_equal(s->result.first.block, 1000);
	assert_int_equal(s->result.first.byte, 100);
	end(s);
}

/* The first by job and offset, and the count of all; with verify_fatal not of all. */
static void test_many_errors(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(backends); i++) {
		bool fatal = i % 2;
		struct setup *s =
			write_phase(fatal ? PLAIN " numjobs=4 verify_fatal=1" : PLAIN " numjobs=4",
				    backends[i / 2], 1);
		unsigned char byte;

		for (uint64_t job = 1; job < 4; job++)
			for (uint64_t block = 3; block < 1000; block += 7) {
				uint64_t at = s->regions[job].offset + block * 4096 + 99;

				get(s, &byte, 1, at);
				byte ^= 4;
				put(s, &byte, 1, at);
			}
		assert_int_equal(read_phase(s), 0);
		if (fatal) {
			assert_true(s->result.errors > 0 && s->result.errors < 3 * 143);
			assert_true(s->result.blocks < 4096);
		} else {
			assert_int_equal(s->result.errors, 3 * 143);
			assert_int_equal(s->result.blocks, 4096);
			assert_int_equal(s->result.first.job, 2);
			assert_int_equal(s->result.first.block, 3);
			assert_int_equal(s->result.first.bit, 2);
		}
		end(s);
	}
}

/* ---- what is not known, not wanted, not possible ---- */

static void test_unknown_is_left_out(void **unused)
{
	struct setup *s = write_phase(PLAIN, BACKEND_THREADS, 1);
	struct verify_job *job = &s->verify->jobs[0];
	unsigned char zeros[4096] = {0};

	(void)unused;
	/* one whose write failed, one whose write never came back */
	verify_end(job, 7 * 4096, verify_begin(job, 7 * 4096), false);
	assert_int_equal(verify_begin(job, 8 * 4096), 2);
	put(s, zeros, 4096, 7 * 4096);
	put(s, zeros, 4096, 8 * 4096);
	assert_int_equal(read_phase(s), 0);
	assert_int_equal(s->result.errors, 0);
	assert_int_equal(s->result.unknown, 2);
	assert_int_equal(s->result.blocks, 1022);
	/* and the next write of one that failed is known again */
	assert_int_equal(verify_begin(job, 7 * 4096), 1);
	end(s);
}

static void test_one_write_of_a_block_at_a_time(void **unused)
{
	struct setup *s = write_phase(PLAIN, BACKEND_THREADS, 1);
	struct verify_job *job = &s->verify->jobs[0];
	uint32_t generation = verify_begin(job, 4096);

	(void)unused;
	assert_int_equal(generation, 2);
	assert_int_equal(verify_begin(job, 4096), 0);
	assert_int_equal(verify_begin(job, 8192), 2);
	verify_end(job, 4096, generation, true);
	assert_int_equal(verify_begin(job, 4096), 3);
	end(s);
}

static void test_written_only(void **unused)
{
	unsigned char magic[8];

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(backends); i++) {
		struct setup *s = write_phase(PLAIN " do_verify=0", backends[i], 1);

		assert_int_equal(readback_bytes(s->verify), 0);
		get(s, magic, 8, 77 * 4096);
		assert_memory_equal(magic, "VlbBlock", 8);
		end(s);
	}
}

static void test_cancelled(void **unused)
{
	struct setup *s = write_phase("rw=write bs=1m size=64m iodepth=4 time_based=0 verify=crc32",
				      BACKEND_THREADS, 1);
	atomic_bool cancel = true;
	const struct readback_config config = {
		.verify = s->verify, .regions = s->regions, .cancel = &cancel};
	int r = readback_run(&config, &s->result, &s->err);

	(void)unused;
	/* it may be through before it looks */
	assert_true(r == -ECANCELED || (r == 0 && s->result.blocks == 64));
	if (r < 0)
		assert_int_equal(s->err.code, ERROR_CANCELLED);
	end(s);
}

static void test_reads_that_fail(void **unused)
{
	struct setup *s = write_phase(PLAIN, BACKEND_THREADS, 1);
	int fd = open("/var/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)unused;
	s->regions[0].fd = fd; /* EISDIR */
	assert_int_equal(read_phase(s), -EISDIR);
	assert_int_equal(s->err.code, ERROR_IO_ERROR);
	assert_non_null(strstr(s->err.message, "offset 0"));
	assert_int_equal(close(fd), 0);
	end(s);
}

static void test_regions_must_lie_apart(void **unused)
{
	struct measure_region regions[2] = {{.length = 8192}, {.offset = 4096, .length = 8192}};
	struct verify *verify = NULL;
	struct workload workload;
	struct error err;

	(void)unused;
	set(&workload, "rw=write bs=4k size=8k numjobs=2 verify=crc32c");
	regions[0].fd = scratch();
	/* another descriptor, the same file */
	regions[1].fd = fcntl(regions[0].fd, F_DUPFD_CLOEXEC, 0);
	assert_true(regions[1].fd >= 0);
	assert_int_equal(verify_new(&workload, regions, 2, 1, &verify, &err), -EINVAL);
	assert_int_equal(err.code, ERROR_CONFLICT);
	assert_string_equal(err.field, "verify");
	regions[1].offset = 8192;
	assert_int_equal(verify_new(&workload, regions, 2, 1, &verify, &err), 0);
	verify_free(verify);
	assert_int_equal(close(regions[0].fd), 0);
	assert_int_equal(close(regions[1].fd), 0);
	workload_done(&workload);
}

static void test_memory_is_counted(void **unused)
{
	struct workload with, without;
	uint64_t a, b, marks;
	struct error err;

	(void)unused;
	set(&without, "rw=write bs=4k size=4g numjobs=2");
	set(&with, "rw=write bs=4k size=4g numjobs=2 verify=crc32c");
	assert_int_equal(measure_memory(&without, BACKEND_THREADS, &a), 0);
	assert_int_equal(measure_memory(&with, BACKEND_THREADS, &b), 0);
	assert_int_equal(verify_memory(&with, &marks), 0);
	assert_int_equal(marks, 2 * (UINT64_C(4) << 30) / 4096 * 4 + readback_memory(4096));
	assert_int_equal(b - a, marks);
	with.size = UINT64_C(1) << 50;
	assert_true(resources_check(&with, BACKEND_THREADS, &err) < 0);
	assert_int_equal(err.code, ERROR_MEMORY_LIMIT);
	workload_done(&with);
	workload_done(&without);
}

static void refused(const char *option, const char *value, const char *field)
{
	struct workload workload;
	struct error err;

	set(&workload, "rw=write bs=4k size=1m verify=crc32c");
	assert_int_equal(option_parse(option_find(option), value, &workload, &err), 0);
	assert_true(workload_complete(&workload, &err) < 0);
	assert_int_equal(err.code, ERROR_CONFLICT);
	assert_string_equal(err.field, field);
	workload_done(&workload);
}

static void test_conflicts(void **unused)
{
	(void)unused;
	refused("rw", "read", "verify");
	refused("rw", "randread", "verify");
	refused("rw", "randrewrite", "verify");
	refused("rw", "trim", "verify");
	refused("zero_buffers", "1", "zero_buffers");
	refused("dedupe_percentage", "5", "dedupe_percentage");
	refused("refill_buffers", "0", "refill_buffers");
	refused("ioengine", "null", "verify");
	refused("verify_interval", "8k", "verify_interval");
	refused("verify_interval", "3k", "verify_interval");
	refused("verify_interval", "64", "verify_interval");
	refused("rw", "write:1k", "rw");
	refused("interlocked", "1", "verify");
	refused("bsrange", "4k-8k", "bsrange");
	refused("bssplit", "4k/50:8k/50", "bssplit");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_written_is_read_back),
		cmocka_unit_test(test_header),
		cmocka_unit_test(test_flipped_bits),
		cmocka_unit_test(test_every_bit_of_a_block),
		cmocka_unit_test(test_some_bytes),
		cmocka_unit_test(test_foreign),
		cmocka_unit_test(test_misplaced),
		cmocka_unit_test(test_stale_and_torn),
		cmocka_unit_test(test_torn_over_nothing),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_many_errors),
		cmocka_unit_test(test_unknown_is_left_out),
		cmocka_unit_test(test_one_write_of_a_block_at_a_time),
		cmocka_unit_test(test_written_only),
		cmocka_unit_test(test_cancelled),
		cmocka_unit_test(test_reads_that_fail),
		cmocka_unit_test(test_regions_must_lie_apart),
		cmocka_unit_test(test_memory_is_counted),
		cmocka_unit_test(test_conflicts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
