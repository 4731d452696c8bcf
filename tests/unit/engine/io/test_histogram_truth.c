/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_histogram_truth.c - the histogram beside ten million values sorted, of five shapes: every
 * hundredth of a percent, and the last values before the largest, within 1/256; parts that are
 * merged are the whole. Sanitized programs take a million, and say so.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/io/histogram.h"
#include "engine/io/random.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define VALUES ((size_t)1000 * 1000)
#else
#define VALUES ((size_t)10 * 1000 * 1000)
#endif
#define PARTS 7
#define STEPS 10000 /* hundredths of a percent */

static struct random generator;

/* Above 0, below 1. */
static double fraction(void)
{
	return ((double)(random_next(&generator) >> 11) + 0.5) / 9007199254740992.0;
}

static uint64_t uniform(void)
{
	return 50000 + random_scale(random_next(&generator), 450000);
}

/* Box and Muller; a median of 80 us. */
static uint64_t lognormal(void)
{
	double normal = sqrt(-2 * log(fraction())) * cos(2 * M_PI * fraction());

	return (uint64_t)exp(log(80e3) + 0.7 * normal);
}

/* A cache that is hit by nine of ten. */
static uint64_t bimodal(void)
{
	if (random_scale(random_next(&generator), 10) > 0)
		return 1200 + random_scale(random_next(&generator), 900);
	return 4000000 + random_scale(random_next(&generator), 3000000);
}

/* Pareto of index 1.1: the largest are minutes, and some are beyond the last bucket. */
static uint64_t heavy_tail(void)
{
	return (uint64_t)(20e3 / pow(fraction(), 1 / 1.1));
}

/* Five values and nothing between. */
static uint64_t discrete(void)
{
	static const uint64_t values[] = {0, 511, 512, 100000, 100001};

	return values[random_scale(random_next(&generator), 5)];
}

/* By bytes, lowest first: stable, so eight passes sort. */
static void sort(uint64_t *values, uint64_t *spare)
{
	for (unsigned int shift = 0; shift < 64; shift += 8) {
		size_t counts[257] = {0};
		uint64_t *from = values;

		for (size_t i = 0; i < VALUES; i++)
			counts[(from[i] >> shift & 255) + 1]++;
		for (size_t i = 1; i < 257; i++)
			counts[i] += counts[i - 1];
		for (size_t i = 0; i < VALUES; i++)
			spare[counts[from[i] >> shift & 255]++] = from[i];
		values = spare;
		spare = from;
	}
}

static void check(const struct histogram *h, double percent, uint64_t truth)
{
	uint64_t found = histogram_percentile_ns(h, percent);

	if (fabs((double)found - (double)truth) > (double)truth / 256 &&
	    truth < UINT64_C(1) << HISTOGRAM_MAX_BITS)
		fail_msg("percentile %.6f: found %llu, truth %llu", percent,
			 (unsigned long long)found, (unsigned long long)truth);
}

static void check_all(const struct histogram *h, const uint64_t *sorted)
{
	for (size_t step = 1; step <= STEPS; step++)
		check(h, 100.0 * (double)step / STEPS,
		      sorted[(step * VALUES + STEPS - 1) / STEPS - 1]);
	for (size_t beyond = 1; beyond <= 1000; beyond++)
		check(h, 100.0 * (double)(VALUES - beyond) / (double)VALUES,
		      sorted[VALUES - beyond - 1]);
	assert_int_equal(h->count, VALUES);
	assert_int_equal(h->min_ns, sorted[0]);
	assert_int_equal(h->max_ns, sorted[VALUES - 1]);
}

/* All but the sum of squares, which is a double and depends on the order. */
static void check_same(const struct histogram *a, const struct histogram *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->min_ns, b->min_ns);
	assert_int_equal(a->max_ns, b->max_ns);
	assert_int_equal(a->sum_ns, b->sum_ns);
	assert_true(fabs(a->sum_squares_ns2 - b->sum_squares_ns2) <= b->sum_squares_ns2 * 1e-9);
	assert_memory_equal(a->buckets, b->buckets, sizeof(a->buckets));
}

static void check_shape(uint64_t (*shape)(void))
{
	struct histogram *parts = malloc((PARTS + 2) * sizeof(*parts));
	struct histogram *whole = parts + PARTS, *merged = whole + 1;
	uint64_t *values = malloc(2 * VALUES * sizeof(*values)), sum = 0;

	assert_true(parts && values);
	for (size_t i = 0; i < PARTS + 2; i++)
		histogram_init(&parts[i]);
	random_init(&generator, 20260101);
	for (size_t i = 0; i < VALUES; i++) {
		values[i] = shape();
		sum += values[i];
		histogram_add(whole, values[i]);
		/* Parts of different sizes. */
		histogram_add(&parts[i * i % PARTS], values[i]);
	}
	sort(values, values + VALUES);
	assert_int_equal(whole->sum_ns, sum);
	check_all(whole, values);
	for (size_t i = 0; i < PARTS; i++)
		histogram_merge(merged, &parts[i]);
	check_same(merged, whole);
	check_all(merged, values);
	free(parts);
	free(values);
}

static void test_uniform(void **unused)
{
	(void)unused;
	check_shape(uniform);
}

static void test_lognormal(void **unused)
{
	(void)unused;
	check_shape(lognormal);
}

static void test_bimodal(void **unused)
{
	(void)unused;
	check_shape(bimodal);
}

static void test_heavy_tail(void **unused)
{
	(void)unused;
	check_shape(heavy_tail);
}

static void test_discrete(void **unused)
{
	(void)unused;
	check_shape(discrete);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_uniform),	 cmocka_unit_test(test_lognormal),
		cmocka_unit_test(test_bimodal),	 cmocka_unit_test(test_heavy_tail),
		cmocka_unit_test(test_discrete),
	};

	if (VALUES < (size_t)10 * 1000 * 1000)
		print_message("a sanitized program: %zu values of each shape in place of ten "
			      "million\n",
			      VALUES);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
