/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_file_set.c - jobs of several files: which file the next request goes to, and what arrives.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "engine/base/clock.h"
#include "engine/io/file_set.h"
#include "engine/io/job_steps.h"
#include "engine/io/measure.h"
#include "tests/unit/engine/io/io_helpers.h"

#define FILES_MAX 8

struct fixture {
	struct workload workload;
	struct load load;
	struct recorder recorder;
	struct measure_file files[FILES_MAX];
	struct job job;
};

/* With the files that the options say, one job's. */
static struct fixture *begin(const char *options)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct measure_region region = {.fd = 3, .offset = 4 * KIB};
	struct data_files files;
	struct error err;

	assert_non_null(f);
	set(&f->workload, options);
	data_files_of(&f->workload, &files);
	assert_in_range(files.count, 1, FILES_MAX);
	for (size_t i = 0; i < files.count; i++)
		f->files[i] = (struct measure_file){3 + (int)i, data_files_bytes(&f->workload, i)};
	region.length = data_files_largest(&f->workload);
	region.file_count = files.count;
	region.files = f->files;
	assert_int_equal(load_init(&f->load, 10), 0);
	f->load.deadline_ns = UINT64_MAX;
	assert_int_equal(recorder_init(&f->recorder, &f->workload, false, &f->load), 0);
	if (job_init(&f->job, &f->workload, &region, 0, 1, &f->recorder, &err) < 0)
		fail_msg("%s", err.message);
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

static enum job_step step(struct fixture *f, struct flight *flight)
{
	uint64_t wake_ns;
	enum job_step step = job_plan(&f->job, 0, flight, &wake_ns);
	struct error err;

	if (step == JOB_OPERATION)
		assert_true(
			job_landed(&f->job, flight, (int32_t)flight->operation.length, 1, &err));
	return step;
}

/* "0:0 1:0 0:4 ..." the file and KiB behind the region's begin of each request, "s0" a sync. */
static void assert_goes(const char *options, size_t count, const char *expected)
{
	struct fixture *f = begin(options);
	char seen[1024] = "", word[64];
	struct flight flight;

	for (size_t i = 0; i < count && step(f, &flight) == JOB_OPERATION; i++) {
		if (flight.operation.kind >= REQUEST_SYNC)
			snprintf(word, sizeof(word), " s%u", flight.file);
		else
			snprintf(word, sizeof(word), " %u:%" PRIu64, flight.file,
				 flight.operation.offset / KIB - 4);
		strncat(seen, word, sizeof(seen) - strlen(seen) - 1);
	}
	assert_string_equal(seen[0] ? seen + 1 : seen, expected);
	end(f);
}

#define TO_SIZE " bs=4k time_based=0 "

static void test_services(void **unused)
{
	(void)unused;
	assert_goes("rw=read nrfiles=3 size=40k" TO_SIZE, 99,
		    "0:0 1:0 2:0 0:4 1:4 2:4 0:8 1:8 2:8");
	assert_goes("rw=read nrfiles=3 size=40k file_service_type=roundrobin:2" TO_SIZE, 99,
		    "0:0 0:4 1:0 1:4 2:0 2:4 0:8 1:8 2:8");
	assert_goes("rw=read nrfiles=3 size=36k file_service_type=sequential" TO_SIZE "loops=2", 99,
		    "0:0 0:4 0:8 1:0 1:4 1:8 2:0 2:4 2:8 0:0 0:4 0:8 1:0 1:4 1:8 2:0 2:4 2:8");
	/* As fio, which begins a file anew as long as there is time. */
	assert_goes("rw=read bs=4k nrfiles=3 size=24k file_service_type=sequential", 5,
		    "0:0 0:4 0:0 0:4 0:0");
	assert_goes("rw=read bs=4k nrfiles=3 size=24k", 8, "0:0 1:0 2:0 0:4 1:4 2:4 0:0 1:0");
}

static void test_open_files(void **unused)
{
	(void)unused;
	assert_goes("rw=read nrfiles=4 size=32k openfiles=2" TO_SIZE, 99,
		    "0:0 1:0 0:4 1:4 2:0 3:0 2:4 3:4");
	assert_goes("rw=read nrfiles=3 size=24k openfiles=1" TO_SIZE, 99,
		    "0:0 0:4 1:0 1:4 2:0 2:4");
	assert_goes("rw=read bs=4k nrfiles=4 size=32k openfiles=2", 6, "0:0 1:0 0:4 1:4 0:0 1:0");
}

/* io_size and number_ios end it within a pass, or go on into the next. */
static void test_budgets(void **unused)
{
	(void)unused;
	assert_goes("rw=read bs=4k nrfiles=2 size=16k io_size=12k", 99, "0:0 1:0 0:4");
	assert_goes("rw=read bs=4k nrfiles=2 size=16k io_size=24k", 99, "0:0 1:0 0:4 1:4 0:0 1:0");
	assert_goes("rw=read bs=4k nrfiles=2 size=16k number_ios=3", 99, "0:0 1:0 0:4");
	/* size caps what files of their own size hold */
	assert_goes("rw=read nrfiles=4 filesize=16k size=24k" TO_SIZE, 99,
		    "0:0 1:0 2:0 3:0 0:4 1:4");
	assert_goes("rw=read:4k nrfiles=2 size=32k" TO_SIZE, 99, "0:0 1:0 0:8 1:8 0:0 1:0 0:8 1:8");
}

/* fio's: a sync takes the turn of the next file, and a job ends with one of each. */
static void test_syncs(void **unused)
{
	(void)unused;
	assert_goes("rw=write nrfiles=3 size=24k fsync=2 end_fsync=1" TO_SIZE, 99,
		    "0:0 1:0 s2 0:4 1:4 s2 2:0 2:4 s2 s0 s1 s2");
}

static void test_random_service(void **unused)
{
	struct fixture *f = begin("rw=randread bs=4k nrfiles=4 size=4m file_service_type=random:3");
	unsigned int count[4] = {0}, runs = 0;
	struct flight flight;
	uint32_t last = 9;

	(void)unused;
	for (unsigned int i = 0; i < 30000; i++) {
		assert_int_equal(step(f, &flight), JOB_OPERATION);
		count[flight.file]++;
		if (i % 3 == 0)
			runs += flight.file != last;
		else
			assert_int_equal(flight.file, last);
		last = flight.file;
	}
	for (unsigned int i = 0; i < 4; i++)
		assert_in_range(count[i], 7500 - 600, 7500 + 600);
	assert_in_range(runs, 7500 - 200, 7500 + 200); /* one of four draws the same again */
	end(f);
}

/* Every block of every file once, whichever way files are chosen. */
static void every_block_once(const char *options)
{
	struct fixture *f = begin(options);
	unsigned char seen[FILES_MAX][64] = {0};
	struct flight flight;
	uint64_t blocks = 0, expected = 0;

	for (size_t i = 0; i < f->job.course.files->count; i++)
		expected += f->files[i].length / 4096;
	while (step(f, &flight) == JOB_OPERATION) {
		uint64_t block = flight.operation.offset / 4096 - 1;

		assert_true(block < f->files[flight.file].length / 4096);
		assert_int_equal(seen[flight.file][block]++, 0);
		blocks++;
	}
	assert_int_equal(blocks, expected);
	end(f);
}

static void test_every_block_once(void **unused)
{
	(void)unused;
	every_block_once("rw=randread nrfiles=5 size=200k" TO_SIZE);
	every_block_once("rw=randrw nrfiles=4 size=160k openfiles=2" TO_SIZE);
	every_block_once("rw=randwrite nrfiles=8 filesize=4k-200k file_service_type=random" TO_SIZE
			 "direct=0");
	every_block_once("rw=write nrfiles=8 filesize=4k-200k" TO_SIZE "file_service_type=random");
}

/* ---- on files ---- */

static void measure(enum backend_kind backend, const char *options, struct measure_file *files)
{
	struct measure_region region = {.files = files};
	struct workload workload;
	struct data_files given;
	struct sample sample;
	struct error err;

	set(&workload, options);
	data_files_of(&workload, &given);
	for (size_t i = 0; i < given.count; i++) {
		files[i].fd = open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
		files[i].length = data_files_bytes(&workload, i);
		assert_true(files[i].fd >= 0);
		assert_int_equal(ftruncate(files[i].fd, (off_t)files[i].length), 0);
	}
	region.fd = files[0].fd;
	region.length = data_files_largest(&workload);
	region.file_count = given.count;
	sample_init(&sample);
	if (measure_run(&(struct measure_spec){.workload = &workload,
					       .backend = backend,
					       .seed = 7,
					       .region_count = 1,
					       .regions = &region},
			&sample, &err) < 0)
		fail_msg("%s on %s: %s", options, backend_names[backend], err.message);
	assert_int_equal(sample.directions[DIRECTION_WRITE].bytes, data_files_total(&workload));
	assert_int_equal(sample.directions[DIRECTION_WRITE].short_ios, 0);
	sample_done(&sample);
	workload_done(&workload);
}

/* What is counted is in the files: all blocks of each. */
static void test_written_files(void **unused)
{
	static const enum backend_kind backends[] = {BACKEND_IO_URING, BACKEND_THREADS};
	static const char *const options[] = {
		"rw=randwrite nrfiles=5 size=2m iodepth=8 direct=0" TO_SIZE "end_fsync=1",
		"rw=write nrfiles=7 filesize=4k-400k iodepth=4 direct=0" TO_SIZE
		"file_service_type=random",
		"rw=write nrfiles=3 size=600k direct=0 fdatasync=5" TO_SIZE
		"file_service_type=sequential",
	};
	struct measure_file files[FILES_MAX];

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(backends) * ARRAY_SIZE(options); i++) {
		memset(files, 0, sizeof(files));
		measure(backends[i % 2], options[i / 2], files);
		for (size_t k = 0; k < FILES_MAX && files[k].length > 0; k++) {
			uint64_t word;

			for (uint64_t at = 0; at + 4096 <= files[k].length; at += 4096) {
				assert_int_equal(pread(files[k].fd, &word, 8, (off_t)at), 8);
				assert_true(word != 0);
			}
			(void)close(files[k].fd);
		}
	}
}

static void test_memory(void **unused)
{
	struct workload workload;
	uint64_t one, many;

	(void)unused;
	set(&workload, "rw=randread bs=4k size=1g");
	assert_int_equal(measure_memory(&workload, BACKEND_IO_URING, &one), 0);
	workload_done(&workload);
	set(&workload, "rw=randread bs=4k size=1g nrfiles=1000 numjobs=2");
	assert_int_equal(measure_memory(&workload, BACKEND_IO_URING, &many), 0);
	assert_true(many >
		    one + 2 * 1000 * (sizeof(struct file_set_file) + sizeof(struct sequence)));
	workload_done(&workload);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_services),       cmocka_unit_test(test_open_files),
		cmocka_unit_test(test_budgets),	       cmocka_unit_test(test_syncs),
		cmocka_unit_test(test_random_service), cmocka_unit_test(test_every_block_once),
		cmocka_unit_test(test_written_files),  cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
