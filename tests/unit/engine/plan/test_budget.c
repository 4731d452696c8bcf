/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_budget.c - how much a job does: held against what fio 3.33 did with the same options, run by
 * hand on a file of 64 KiB; and what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/plan/budget.h"

#define KIB UINT64_C(1024)

static void set(struct workload *workload, const char *name, const char *value)
{
	struct error err;

	if (value && option_parse(option_find(name), value, workload, &err) < 0)
		fail_msg("%s=%s: %s", name, value, err.message);
}

static int make(struct workload *workload, const char *const *options, struct error *err)
{
	workload_init(workload);
	set(workload, "name", "x");
	set(workload, "size", "64k");
	set(workload, "direct", "0");
	for (; *options; options += 2)
		set(workload, options[0], options[1]);
	return workload_complete(workload, err);
}

static void test_as_much_as_fio_does(void **unused)
{
	static const struct {
		const char *options[9];
		uint64_t ios; /* of each job */
	} cases[] = {
		{{"rw", "read", "bs", "12k", "loops", "1", "time_based", "0"}, 5},
		{{"rw", "randread", "bs", "12k", "time_based", "0"}, 5},
		{{"rw", "randread", "bs", "12k", "norandommap", "1", "time_based", "0"}, 6},
		{{"rw", "write", "bs", "12k", "io_size", "80k"}, 7},
		{{"rw", "read", "bs", "12k", "io_size", "84k"}, 7},
		{{"rw", "read", "bs", "12k", "io_size", "70k"}, 5},
		{{"rw", "read", "bs", "12k", "io_size", "130k"}, 10},
		{{"rw", "read", "bs", "12k", "io_size", "135k"}, 12},
		{{"rw", "read", "bs", "12k", "io_size", "1k"}, 1},
		{{"rw", "read", "bs", "12k", "io_size", "30k"}, 3},
		{{"rw", "read", "bs", "4k", "io_size", "32k"}, 8},
		{{"rw", "read", "bs", "4k", "io_size", "160k"}, 40},
		{{"rw", "randread", "bs", "12k", "io_size", "80k"}, 7},
		{{"rw", "randread", "bs", "12k", "io_size", "70k"}, 5},
		{{"rw", "randwrite", "bs", "12k", "io_size", "72k"}, 6},
		{{"rw", "randrw", "bs", "12k", "io_size", "130k"}, 10},
		{{"rw", "randread", "bs", "12k", "io_size", "135k"}, 12},
		{{"rw", "randread", "bs", "12k", "io_size", "160k"}, 14},
		{{"rw", "randread", "bs", "12k", "io_size", "70k", "norandommap", "1"}, 6},
		{{"rw", "randwrite", "bs", "12k", "io_size", "80k", "norandommap", "1"}, 7},
		{{"rw", "rw", "bs", "12k", "io_size", "80k"}, 7},
		{{"rw", "rw", "bs", "12k", "io_size", "130k"}, 11},
		{{"rw", "rw", "bs", "12k", "io_size", "135k"}, 12},
		{{"rw", "rw", "bs", "12k", "loops", "3"}, 16},
		{{"rw", "read", "bs", "4k", "number_ios", "5"}, 5},
		{{"rw", "randrw", "bs", "4k", "number_ios", "40"}, 16},
		{{"rw", "randread", "bs", "4k", "number_ios", "30", "io_size", "160k"}, 30},
		{{"rw", "write", "bs", "4k", "loops", "3"}, 48},
		{{"rw", "write", "bs", "12k", "loops", "3"}, 15},
		{{"rw", "randread", "bs", "12k", "loops", "3"}, 15},
		{{"rw", "randread", "bs", "12k", "loops", "3", "norandommap", "1"}, 16},
		{{"rw", "read", "bs", "12k", "loops", "2", "number_ios", "9"}, 10},
		{{"rw", "randrw", "bs", "12k", "loops", "2", "number_ios", "9"}, 10},
		{{"rw", "read", "bs", "4k", "loops", "2", "number_ios", "5"}, 10},
		{{"rw", "read", "bs", "4k", "loops", "2", "number_ios", "40"}, 32},
		{{"rw", "rw", "bs", "12k", "loops", "3", "io_size", "40k"}, 10},
		{{"rw", "randread", "bs", "12k", "loops", "3", "io_size", "64k"}, 15},
		{{"rw", "read", "bs", "12k", "loops", "3", "io_size", "64k"}, 15},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct workload workload;
		struct budget budget;
		struct error err;

		if (make(&workload, cases[i].options, &err) < 0)
			fail_msg("case %zu: %s", i, err.message);
		assert_false(workload.time_based);
		budget = budget_of(&workload, 0);
		if (budget.bytes != cases[i].ios * workload.bs[0])
			fail_msg("case %zu: %zu bytes", i, (size_t)budget.bytes);
		assert_int_equal(budget.ios, UINT64_MAX);
		workload_done(&workload);
	}
}

static void test_sizes_that_differ_are_counted_apart(void **unused)
{
	static const char *const options[] = {"rw", "rw",    "bs", "4k,12k", "number_ios",
					      "7",  "loops", "2",  NULL};
	struct workload workload;
	struct budget budget;

	(void)unused;
	assert_int_equal(make(&workload, options, NULL), 0);
	budget = budget_of(&workload, 0);
	assert_int_equal(budget.bytes, 128 * KIB);
	assert_int_equal(budget.ios, 14);
	workload_done(&workload);
}

/* Where the target gives the size. */
static void test_region_stands_in_for_size(void **unused)
{
	static const char *const options[] = {"rw", "read", "bs", "4k", "loops", "2", NULL};
	struct workload workload;

	(void)unused;
	assert_int_equal(make(&workload, options, NULL), 0);
	workload.size = 0;
	assert_int_equal(budget_of(&workload, 32 * KIB).bytes, 64 * KIB);
	workload_done(&workload);
}

static void test_time_and_budget_exclude_each_other(void **unused)
{
	static const char *const cases[][9] = {
		{"rw", "read", "io_size", "4k", "time_based", "1", "runtime", "3"},
		{"rw", "read", "number_ios", "4", "time_based", "1", "runtime", "3"},
		{"rw", "read", "loops", "2", "time_based", "1", "runtime", "3"},
		{"rw", "read", "loops", "2", "io_size", "65k"},
		{"rw", "read", "loops", "1048576", "size", "64t"},
	};
	static const char *const plain[] = {"rw", "read",	"loops", "1", "io_size",
					    "0",  "time_based", "1",	 NULL};
	static const char *const timed[] = {"rw", "read", "number_ios", "9", "runtime", "3", NULL};
	static const char *const fields[] = {"io_size", "number_ios", "loops", "loops", "loops"};
	struct workload workload;
	struct error err;

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_true(make(&workload, cases[i], &err) < 0);
		assert_int_equal(err.code, ERROR_CONFLICT);
		assert_string_equal(err.field, fields[i]);
		workload_done(&workload);
	}
	assert_int_equal(make(&workload, plain, &err), 0);
	assert_true(workload.time_based);
	workload_done(&workload);
	/* A runtime given as well ends it where it is over sooner. */
	assert_int_equal(make(&workload, timed, &err), 0);
	assert_false(workload.time_based);
	assert_int_equal(workload.runtime_ns, UINT64_C(3000000000));
	workload_done(&workload);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_much_as_fio_does),
		cmocka_unit_test(test_sizes_that_differ_are_counted_apart),
		cmocka_unit_test(test_region_stands_in_for_size),
		cmocka_unit_test(test_time_and_budget_exclude_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
