/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_sizes.c - the sizes of requests: which there are, and each as often as it should be. A
 * chi-square beyond its 99.9 % point fails; the seeds are fixed, so it always or never does.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_cdf.h>

#include "engine/io/sizes.h"
#include "engine/plan/workload_sizes.h"

#define KIB UINT64_C(1024)
#define DRAWS 200000

static void set(struct workload *workload, const char *name, const char *value)
{
	struct error err;

	if (option_parse(option_find(name), value, workload, &err) < 0)
		fail_msg("%s", err.message);
}

static void make(struct sizes *sizes, const char *name, const char *value, bool unaligned,
		 enum direction direction)
{
	struct workload workload;
	struct error err;

	workload_init(&workload);
	set(&workload, name, value);
	set(&workload, "rw", "randrw");
	set(&workload, "direct", "0");
	set(&workload, "bs_unaligned", unaligned ? "1" : "0");
	if (workload_complete(&workload, &err) < 0)
		fail_msg("%s", err.message);
	sizes_init(sizes, &workload, direction);
	assert_int_equal(sizes->least, workload_least_request(&workload, direction));
	workload_done(&workload);
}

struct share {
	uint64_t bytes;
	double percent;
};

/* Draws, with room for all, and holds the shares against those expected. */
static void hold(const struct sizes *sizes, const struct share *shares, size_t count, uint64_t room)
{
	uint64_t found[64] = {0};
	struct random random;
	double chi = 0;

	random_init(&random, 20 + count);
	for (int i = 0; i < DRAWS; i++) {
		uint64_t bytes = sizes_draw(sizes, &random, room);
		size_t k = 0;

		while (k < count && shares[k].bytes != bytes)
			k++;
		if (k == count)
			fail_msg("drew %llu", (unsigned long long)bytes);
		found[k]++;
	}
	for (size_t k = 0; k < count; k++) {
		double expected = DRAWS * shares[k].percent / 100;

		chi += ((double)found[k] - expected) * ((double)found[k] - expected) / expected;
	}
	if (count > 1 && gsl_cdf_chisq_Q(chi, (double)(count - 1)) < 0.001)
		fail_msg("chi-square %g of %zu sizes", chi, count);
}

static void test_one_size(void **unused)
{
	const struct share reads[] = {{4 * KIB, 100}}, writes[] = {{16 * KIB, 100}};
	struct sizes sizes;

	(void)unused;
	make(&sizes, "bs", "4k,16k", false, DIRECTION_READ);
	hold(&sizes, reads, 1, 4 * KIB);
	make(&sizes, "bs", "4k,16k", false, DIRECTION_WRITE);
	hold(&sizes, writes, 1, 16 * KIB);
}

/* Every multiple of the smallest, alike. */
static void test_a_range(void **unused)
{
	struct share shares[16];
	struct sizes sizes;

	(void)unused;
	for (size_t i = 0; i < 16; i++)
		shares[i] = (struct share){(i + 1) * 4 * KIB, 100.0 / 16};
	make(&sizes, "bsrange", "4k-64k", false, DIRECTION_READ);
	hold(&sizes, shares, 16, UINT64_MAX);
	make(&sizes, "bsrange", "1k-4k,4k-64k", false, DIRECTION_WRITE);
	hold(&sizes, shares, 16, UINT64_MAX);
	/* Where less is left, what fits is alike. */
	for (size_t i = 0; i < 3; i++)
		shares[i].percent = 100.0 / 3;
	hold(&sizes, shares, 3, 16 * KIB - 1);
	hold(&sizes, (struct share[]){{4 * KIB, 100}}, 1, 4 * KIB);
}

/* As fio's formula has it: what goes beyond the largest is the largest. */
static void test_ranges_of_odd_ends(void **unused)
{
	const struct share shares[] = {{3 * KIB, 75}, {4 * KIB, 25}};
	struct sizes sizes;

	(void)unused;
	make(&sizes, "bsrange", "3k-4k", false, DIRECTION_READ);
	hold(&sizes, shares, 2, UINT64_MAX);
}

static void test_a_range_of_any_bytes(void **unused)
{
	struct sizes sizes;
	struct random random;
	uint64_t odd = 0, most = 0, less = 0;

	(void)unused;
	make(&sizes, "bsrange", "1k-4k", true, DIRECTION_READ);
	random_init(&random, 3);
	for (int i = 0; i < DRAWS; i++) {
		uint64_t bytes = sizes_draw(&sizes, &random, UINT64_MAX);

		assert_in_range(bytes, KIB, 4 * KIB);
		odd += bytes % 512 != 0;
		most += bytes == 4 * KIB;
		less += bytes < 2 * KIB;
	}
	/* Of 4,096 numbers the upper 1,024 go beyond the largest. */
	assert_in_range(most, DRAWS / 4 - 2000, DRAWS / 4 + 2000);
	assert_in_range(less, DRAWS / 4 - 2000, DRAWS / 4 + 2000);
	assert_true(odd > DRAWS / 2);
}

static void test_a_split(void **unused)
{
	const struct share reads[] = {{4 * KIB, 60}, {64 * KIB, 30}, {512, 10}};
	const struct share writes[] = {{8 * KIB, 100}};
	struct sizes sizes;

	(void)unused;
	make(&sizes, "bssplit", "4k/60:64k/30:512/,8k/100", false, DIRECTION_READ);
	hold(&sizes, reads, 3, UINT64_MAX);
	make(&sizes, "bssplit", "4k/60:64k/30:512/,8k/100", false, DIRECTION_WRITE);
	hold(&sizes, writes, 1, UINT64_MAX);
}

/* A size that does not fit gives way to a more frequent one that does. */
static void test_a_split_at_the_end_of_a_region(void **unused)
{
	/* 10 of 100 are 64k: the next ones, 4k and 8k, take their turn by their own sums. */
	const struct share shares[] = {{4 * KIB, 40}, {8 * KIB, 60}};
	struct sizes sizes;

	(void)unused;
	make(&sizes, "bssplit", "64k/10:4k/30:8k/60", false, DIRECTION_READ);
	hold(&sizes, shares, 2, 63 * KIB);
	hold(&sizes, (struct share[]){{4 * KIB, 100}}, 1, 5 * KIB);
}

static void test_a_split_is_cut_to_multiples(void **unused)
{
	const struct share cut[] = {{3 * KIB, 100}}, whole[] = {{3 * KIB, 50}, {4 * KIB, 50}};
	struct sizes sizes;

	(void)unused;
	make(&sizes, "bssplit", "3k/50:4k/50", false, DIRECTION_READ);
	hold(&sizes, cut, 1, UINT64_MAX);
	make(&sizes, "bssplit", "3k/50:4k/50", true, DIRECTION_READ);
	hold(&sizes, whole, 2, UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_size),
		cmocka_unit_test(test_a_range),
		cmocka_unit_test(test_ranges_of_odd_ends),
		cmocka_unit_test(test_a_range_of_any_bytes),
		cmocka_unit_test(test_a_split),
		cmocka_unit_test(test_a_split_at_the_end_of_a_region),
		cmocka_unit_test(test_a_split_is_cut_to_multiples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
