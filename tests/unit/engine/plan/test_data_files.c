/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_data_files.c - the files of jobs that move data: language, sizes, what a plan says of them.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/plan/budget.h"
#include "engine/plan/data_files.h"
#include "engine/plan/fio_job.h"
#include "engine/plan/plan.h"
#include "tests/unit/engine/plan/plan_helpers.h"

static const struct machine machine = {
	.memory_bytes = UINT64_C(16) << 30, .memory_available_bytes = UINT64_C(8) << 30, .cpus = 2};

static void complete_ok(struct workload *workload, const char *options)
{
	struct error err = {0};

	workload_init(workload);
	set_options(workload, options);
	if (workload_complete(workload, &err) != 0)
		fail_msg("%s: %s: %s", options, err.field, err.message);
}

static void complete_bad(const char *options, enum error_code code, const char *field)
{
	struct workload workload;
	struct error err = {0};

	workload_init(&workload);
	set_options(&workload, options);
	if (workload_complete(&workload, &err) == 0)
		fail_msg("%s was taken", options);
	if (err.code != code || strcmp(err.field, field) != 0)
		fail_msg("%s: %s at %s: %s", options, error_code_text(err.code), err.field,
			 err.message);
	workload_done(&workload);
}

static void assert_files(const char *options, uint64_t count, uint64_t open,
			 enum file_service service, uint64_t every)
{
	struct workload workload;
	struct data_files files;

	complete_ok(&workload, options);
	data_files_of(&workload, &files);
	assert_int_equal(files.count, count);
	assert_int_equal(files.open, open);
	assert_int_equal(files.service, service);
	assert_int_equal(files.every, every);
	workload_done(&workload);
}

static void test_language(void **state)
{
	struct workload workload;

	(void)state;
	assert_files("size=1m", 1, 1, FILE_SERVICE_ROUNDROBIN, 1);
	assert_files("size=1m nrfiles=8", 8, 8, FILE_SERVICE_ROUNDROBIN, 1);
	assert_files("size=1m nrfiles=8 openfiles=3 file_service_type=random", 8, 3,
		     FILE_SERVICE_RANDOM, 1);
	assert_files("size=1m nrfiles=8 openfiles=9 file_service_type=random:16", 8, 8,
		     FILE_SERVICE_RANDOM, 16);
	assert_files("size=1m nrfiles=2 file_service_type=sequential", 2, 2,
		     FILE_SERVICE_SEQUENTIAL, 1);
	assert_files("fio: --size=1m --nrfiles=2 --file_service_type=roundrobin:4294967295", 2, 2,
		     FILE_SERVICE_ROUNDROBIN, UINT32_MAX);
	complete_ok(&workload, "size=1m");
	assert_false(data_files_given(&workload));
	workload_done(&workload);
}

static void test_refused(void **state)
{
	static const char *const services[] = {"zipf",	      "zipf:1.2",     "pareto",
					       "normal",      "gauss",	      "sequential:2",
					       "roundrobin:", "roundrobin:0", "random:x",
					       "roundrobins", "robin",	      "random:4294967296"};
	char options[100];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(services); i++) {
		snprintf(options, sizeof(options), "size=1m nrfiles=4 file_service_type=%s",
			 services[i]);
		complete_bad(options, ERROR_BAD_VALUE, "file_service_type");
	}
	complete_bad("size=1m nrfiles=4 verify=crc32c rw=write", ERROR_CONFLICT, "verify");
	complete_bad("size=1m nrfiles=4 interlocked=1", ERROR_CONFLICT, "interlocked");
	complete_bad("size=1m directories=4", ERROR_CONFLICT, "directories");
	complete_bad("size=1m file_order=both", ERROR_CONFLICT, "file_order");
}

/* At each limit, and one beyond it. */
static void test_limits(void **state)
{
	struct workload workload;

	(void)state;
	complete_ok(&workload, "size=1g nrfiles=1024 numjobs=4");
	workload_done(&workload);
	complete_bad("size=1g nrfiles=1025 numjobs=4", ERROR_TOO_MANY, "nrfiles");
	complete_ok(&workload, "size=256k nrfiles=64");
	workload_done(&workload);
	complete_bad("size=256k nrfiles=65", ERROR_CONFLICT, "nrfiles");
	complete_ok(&workload, "bsrange=4k-8k nrfiles=2 filesize=8k-1m");
	workload_done(&workload);
	complete_bad("bsrange=4k-8k nrfiles=2 filesize=4k-1m", ERROR_CONFLICT, "filesize");
}

static void test_sizes(void **state)
{
	struct workload workload;
	uint64_t total = 0, least = UINT64_MAX, most = 0;

	(void)state;
	complete_ok(&workload, "nrfiles=1000 filesize=4k-64k");
	for (uint64_t i = 0; i < 1000; i++) {
		uint64_t bytes = data_files_bytes(&workload, i);

		assert_in_range(bytes, 4 << 10, 64 << 10);
		assert_int_equal(bytes % 4096, 0);
		least = bytes < least ? bytes : least;
		most = bytes > most ? bytes : most;
		total += bytes;
	}
	assert_int_equal(least, 4096);
	assert_true(most >= 60 << 10);
	assert_in_range(total, 30 << 20, 33 << 20); /* evenly: 32 KiB on average, cut to 4 KiB */
	assert_int_equal(data_files_total(&workload), total);
	assert_int_equal(workload.size, total); /* what a job does */
	assert_int_equal(data_files_largest(&workload), 64 << 10);
	workload_done(&workload);
	/* fio cuts it down to what there is. */
	complete_ok(&workload, "nrfiles=4 filesize=16k size=1m");
	assert_int_equal(workload.size, 64 << 10);
	workload_done(&workload);
	complete_ok(&workload, "nrfiles=4 filesize=16k size=24k time_based=0");
	assert_int_equal(budget_of(&workload, 16 << 10).bytes, 24 << 10);
	workload_done(&workload);
	/* 13,653 bytes each, of which three blocks are used, as by fio. */
	complete_ok(&workload, "nrfiles=3 size=40k time_based=0");
	assert_int_equal(data_files_bytes(&workload, 2), 13653);
	assert_int_equal(budget_of(&workload, 13653).bytes, 36 << 10);
	workload_done(&workload);
}

static void test_extent(void **state)
{
	struct workload workload;
	uint64_t bytes;

	(void)state;
	complete_ok(&workload, "size=64m nrfiles=16 offset=1m numjobs=2");
	assert_int_equal(workload_extent(&workload, true, &bytes), 0);
	assert_int_equal(bytes, 5 << 20);
	assert_int_equal(data_files_count(&workload), 32);
	workload_done(&workload);
	complete_ok(&workload, "filesize=8k-2m nrfiles=16");
	assert_int_equal(workload_extent(&workload, true, &bytes), 0);
	assert_int_equal(bytes, 2 << 20);
	workload_done(&workload);
}

/* A directory gets as many files as the hungriest workload needs, as long as the longest. */
static void test_plan(void **state)
{
	struct definition definition;
	struct plan plan;
	uint64_t bytes, files;
	struct error err = {0};

	(void)state;
	start_definition(&definition, NULL);
	add_target(&definition, TARGET_DIRECTORY, NULL, "/tank");
	add_workload(&definition, "name=many size=64m nrfiles=8 numjobs=2 rw=randwrite");
	add_workload(&definition, "name=one size=32m numjobs=3");
	check_ok(&definition);
	assert_int_equal(plan_make(&definition, &machine, &plan, &err), 0);
	assert_int_equal(plan_target_extent(&plan, 0, &bytes, &files), 0);
	assert_int_equal(files, 16);
	assert_int_equal(bytes, 32 << 20);
	assert_int_equal(plan.estimate.fill_bytes, UINT64_C(16) * 32 << 20);
	assert_int_equal(plan.estimate.space_bytes, UINT64_C(16) * 32 << 20);
	plan_done(&plan);
	definition_done(&definition);
}

/* A job file for fio that does the same. */
static void test_fio_job(void **state)
{
	struct definition definition;
	struct error err = {0};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_non_null(out);
	start_definition(&definition, NULL);
	add_target(&definition, TARGET_DIRECTORY, NULL, "/tank");
	add_workload(&definition, "name=many nrfiles=8 filesize=8k-1m openfiles=4 "
				  "file_service_type=random:8");
	check_ok(&definition);
	if (fio_job_write(&definition, out, &err) < 0)
		fail_msg("%s", err.message);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(text, "\nnrfiles=8\n"));
	assert_non_null(strstr(text, "\nfilesize=8k-1m\n"));
	assert_non_null(strstr(text, "\nopenfiles=4\n"));
	assert_non_null(strstr(text, "\nfile_service_type=random:8\n"));
	assert_non_null(strstr(text, "\ndirectory=/tank\n"));
	free(text);
	definition_done(&definition);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_language), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_limits),	 cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_extent),	 cmocka_unit_test(test_plan),
		cmocka_unit_test(test_fio_job),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
