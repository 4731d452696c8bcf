/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of engine/io/files/files_plan.c: names, places, sizes and orders, all of them from the
 * seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/io/files/files_plan.h"

#define FILES 1000u

static struct files_plan plan_of(uint64_t least, uint64_t most, uint64_t directories, size_t job,
				 uint64_t seed)
{
	const struct workload workload = {
		.nrfiles = FILES, .filesize = {least, most}, .directories = directories};
	struct files_plan plan;

	files_plan_init(&plan, &workload, job, seed);
	return plan;
}

static void test_names(void **state)
{
	static const char *const others[] = {"",	   "f",		"f0000042",  "f000000420",
					     "g00000042",  "f0000004x", "..",	     "F00000042",
					     "f00000042 ", "d0000",	"r0000042/", "f-0000042"};
	char name[FILES_NAME_MAX];

	(void)state;
	assert_string_equal(files_plan_name(42, false, name), "f00000042");
	assert_true(files_plan_is_name(name));
	assert_string_equal(files_plan_name(99999999, true, name), "r99999999");
	assert_true(files_plan_is_name(name));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(files_plan_is_name(others[i]));
}

/* In order, one directory after another, and all of them alike. */
static void test_directories(void **state)
{
	struct files_plan plan = plan_of(0, 0, 7, 0, 1);
	uint64_t last = 0, counts[7] = {0};

	(void)state;
	for (uint64_t i = 0; i < FILES; i++) {
		uint64_t directory = files_plan_directory(&plan, i);

		assert_true(directory == last || directory == last + 1);
		last = directory;
		counts[directory]++;
	}
	for (size_t d = 0; d < 7; d++)
		assert_true(counts[d] == FILES / 7 || counts[d] == FILES / 7 + 1);
}

/* Evenly between the two ends, both of which occur; another job has others. */
static void test_sizes(void **state)
{
	struct files_plan plan = plan_of(10, 19, 1, 0, 7), other = plan_of(10, 19, 1, 1, 7);
	uint64_t counts[10] = {0}, same = 0;

	(void)state;
	for (uint64_t i = 0; i < FILES; i++) {
		uint64_t bytes = files_plan_bytes(&plan, i);

		assert_true(bytes >= 10 && bytes <= 19);
		counts[bytes - 10]++;
		same += bytes == files_plan_bytes(&other, i);
		assert_true(bytes == files_plan_bytes(&plan, i));
	}
	for (size_t i = 0; i < 10; i++) /* 100 each, give or take 6 standard deviations */
		assert_true(counts[i] > 40 && counts[i] < 160);
	assert_true(same < FILES / 5);
	plan = plan_of(4096, 4096, 1, 0, 7);
	assert_int_equal(files_plan_bytes(&plan, 3), 4096);
}

static void test_contents_differ(void **state)
{
	struct files_plan plan = plan_of(1, 1, 1, 0, 7);

	(void)state;
	for (uint64_t i = 1; i < FILES; i++)
		assert_true(files_plan_content(&plan, i) != files_plan_content(&plan, i - 1));
}

static void check_permutation(const uint32_t *order)
{
	bool seen[FILES] = {false};

	for (size_t i = 0; i < FILES; i++) {
		assert_true(order[i] < FILES && !seen[order[i]]);
		seen[order[i]] = true;
	}
}

static void test_orders(void **state)
{
	struct files_plan plan = plan_of(0, 0, 1, 0, 7), again = plan_of(0, 0, 1, 0, 7),
			  seeded = plan_of(0, 0, 1, 0, 8);
	uint32_t first[FILES], second[FILES];
	size_t fixed = 0, rising = 0;

	(void)state;
	files_plan_order(&plan, false, FILE_STAT, first);
	for (uint32_t i = 0; i < FILES; i++)
		assert_int_equal(first[i], i);
	files_plan_order(&plan, true, FILE_STAT, first);
	check_permutation(first);
	for (uint32_t i = 1; i < FILES; i++) {
		fixed += first[i] == i;
		rising += first[i] > first[i - 1];
	}
	/* One file in its place is to be expected, half of the steps lead up. */
	assert_true(fixed < 10);
	assert_true(rising > 420 && rising < 580);
	files_plan_order(&again, true, FILE_STAT, second);
	assert_memory_equal(first, second, sizeof(first));
	files_plan_order(&plan, true, FILE_READ, second);
	check_permutation(second);
	assert_memory_not_equal(first, second, sizeof(first));
	files_plan_order(&seeded, true, FILE_STAT, second);
	assert_memory_not_equal(first, second, sizeof(first));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),  cmocka_unit_test(test_directories),
		cmocka_unit_test(test_sizes),  cmocka_unit_test(test_contents_differ),
		cmocka_unit_test(test_orders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
