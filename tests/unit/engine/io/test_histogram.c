/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_histogram.c - percentiles against sorted values; sums, merges and bounds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/io/histogram.h"

static uint64_t state = 88172645463325252u;

static uint64_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static double uniform(void)
{
	return (double)(draw() >> 11) / 9007199254740992.0 + 1e-18;
}

static uint64_t shape_uniform(void)
{
	return draw() % 1000000;
}

static uint64_t shape_exponential(void)
{
	return (uint64_t)(-log(uniform()) * 70000);
}

static uint64_t shape_heavy_tail(void)
{
	return (uint64_t)(2000 / pow(uniform(), 1.1));
}

static uint64_t shape_two_peaks(void)
{
	return draw() % 10 ? 1200 + draw() % 100 : 8000000 + draw() % 400000;
}

static uint64_t shape_constant(void)
{
	return 67321;
}

static uint64_t shape_tiny(void)
{
	return draw() % 600;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t truth(const uint64_t *sorted, size_t count, double percent)
{
	size_t rank = 0;

	while ((double)rank * 100 < percent * (double)count * (1 - 1e-12))
		rank++;
	return sorted[(rank ? rank : 1) - 1];
}

static void assert_close(uint64_t found, uint64_t expected)
{
	double error = fabs((double)found - (double)expected);

	if (error > (double)expected / 256)
		fail_msg("found %llu, truth %llu", (unsigned long long)found,
			 (unsigned long long)expected);
}

#define VALUES 50000

static void check_against(const struct histogram *h, uint64_t *values, size_t count)
{
	double sum = 0, squares = 0, mean;
	const double more[] = {0, 0.001, 33.3, 66.6667, 100};

	qsort(values, count, sizeof(*values), compare);
	for (size_t i = 0; i < count; i++) {
		sum += (double)values[i];
		squares += (double)values[i] * (double)values[i];
	}
	mean = sum / (double)count;
	assert_int_equal(h->count, count);
	assert_int_equal(h->min_ns, values[0]);
	assert_int_equal(h->max_ns, values[count - 1]);
	assert_true(fabs(histogram_mean_ns(h) - mean) <= mean * 1e-9);
	assert_true(fabs(histogram_stddev_ns(h) -
			 sqrt(fmax(0, squares / (double)count - mean * mean))) <= mean * 1e-3);
	for (size_t i = 0; i < histogram_percentile_count; i++)
		assert_close(histogram_percentile_ns(h, histogram_percentiles[i]),
			     truth(values, count, histogram_percentiles[i]));
	for (size_t i = 0; i < ARRAY_SIZE(more); i++)
		assert_close(histogram_percentile_ns(h, more[i]), truth(values, count, more[i]));
}

/* A narrow copy says the same, and is as good to merge from. */
static void check_narrow(const struct histogram *whole, uint64_t *values, size_t count)
{
	struct histogram *narrow = histogram_narrow(whole), *again = malloc(sizeof(*again));

	assert_true(narrow && again);
	check_against(narrow, values, count);
	assert_true(histogram_end(narrow) - histogram_first(narrow) <= HISTOGRAM_BUCKETS);
	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		assert_true(whole->buckets[i] ==
			    (i >= histogram_first(narrow) && i < histogram_end(narrow)
				     ? histogram_at(narrow, i)
				     : 0));
	histogram_init(again);
	histogram_merge(again, narrow);
	assert_memory_equal(again, whole, sizeof(*again));
	free(again);
	free(narrow);
}

static void test_percentiles_of_shapes(void **unused)
{
	uint64_t (*const shapes[])(void) = {shape_uniform,   shape_exponential, shape_heavy_tail,
					    shape_two_peaks, shape_constant,	shape_tiny};
	struct histogram *h = malloc(sizeof(*h)), *parts = malloc(3 * sizeof(*parts));
	uint64_t *values = malloc(VALUES * sizeof(*values));

	(void)unused;
	assert_true(h && parts && values);
	for (size_t s = 0; s < ARRAY_SIZE(shapes); s++) {
		histogram_init(h);
		for (size_t i = 0; i < 3; i++)
			histogram_init(&parts[i]);
		for (size_t i = 0; i < VALUES; i++) {
			values[i] = shapes[s]();
			histogram_add(h, values[i]);
			histogram_add(&parts[i % 2], values[i]); /* the third stays empty */
		}
		check_against(h, values, VALUES);
		histogram_init(h);
		for (size_t i = 0; i < 3; i++)
			histogram_merge(h, &parts[i]);
		check_against(h, values, VALUES);
		check_narrow(h, values, VALUES);
	}
	free(h);
	free(parts);
	free(values);
}

static void test_small_counts(void **unused)
{
	struct histogram *h = malloc(sizeof(*h));
	uint64_t values[1000];

	(void)unused;
	assert_non_null(h);
	for (size_t count = 1; count <= 1000; count += count < 20 ? 1 : 49) {
		histogram_init(h);
		for (size_t i = 0; i < count; i++) {
			values[i] = shape_exponential();
			histogram_add(h, values[i]);
		}
		check_against(h, values, count);
	}
	free(h);
}

static void test_empty(void **unused)
{
	struct histogram *h = malloc(sizeof(*h));

	(void)unused;
	assert_non_null(h);
	histogram_init(h);
	assert_int_equal(h->min_ns, UINT64_MAX);
	assert_int_equal(histogram_percentile_ns(h, 50), 0);
	assert_true(histogram_mean_ns(h) == 0 && histogram_stddev_ns(h) == 0);
	free(h);
}

/* Each bucket holds what histogram_index puts there, and is narrow. */
static void test_bounds(void **unused)
{
	uint64_t lower, upper, previous = 0;

	(void)unused;
	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		histogram_bounds(i, &lower, &upper);
		assert_int_equal(lower, previous);
		assert_int_equal(histogram_index(lower), i);
		assert_int_equal(histogram_index(upper - 1), i);
		assert_true(upper - lower == 1 || (upper - lower) * 256 <= lower);
		previous = upper;
	}
	assert_int_equal(previous, UINT64_C(1) << HISTOGRAM_MAX_BITS);
}

static void test_beyond_the_last_bucket(void **unused)
{
	struct histogram *h = malloc(sizeof(*h));

	(void)unused;
	assert_non_null(h);
	assert_int_equal(histogram_index(UINT64_C(1) << 40), HISTOGRAM_BUCKETS - 1);
	assert_int_equal(histogram_index(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
	histogram_init(h);
	histogram_add(h, 1000);
	histogram_add(h, UINT64_C(3) << 40);
	histogram_add(h, UINT64_C(5) << 40);
	assert_int_equal(h->max_ns, UINT64_C(5) << 40);
	assert_int_equal(histogram_percentile_ns(h, 50), UINT64_C(5) << 40);
	assert_int_equal(histogram_percentile_ns(h, 10), 1001);
	free(h);
}

static void test_support(void **unused)
{
	(void)unused;
	assert_true(histogram_percentile_supported(1000, 99));
	assert_false(histogram_percentile_supported(999, 99));
	assert_true(histogram_percentile_supported(10000, 99.9));
	assert_false(histogram_percentile_supported(9999, 99.9));
	assert_true(histogram_percentile_supported(1000000, 99.999));
	assert_false(histogram_percentile_supported(999999, 99.999));
	assert_true(histogram_percentile_supported(20, 50));
	assert_false(histogram_percentile_supported(19, 50));
}

static void test_clear(void **unused)
{
	static struct histogram used, fresh;
	const uint64_t values[] = {0, 1, 511, 512, 70000, UINT64_C(1) << 40, UINT64_MAX / 2};

	(void)unused;
	histogram_init(&fresh);
	histogram_init(&used);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		for (size_t k = i; k < ARRAY_SIZE(values); k++)
			histogram_add_many(&used, values[k], k + 1);
		histogram_clear(&used);
		assert_memory_equal(&used, &fresh, sizeof(fresh));
	}
	histogram_clear(&used); /* an empty one */
	assert_memory_equal(&used, &fresh, sizeof(fresh));
}

static void test_add_many(void **unused)
{
	static struct histogram many, single;

	(void)unused;
	histogram_init(&many);
	histogram_init(&single);
	for (uint64_t n = 1; n < 40; n++) {
		uint64_t value = n * n * n * 977;

		histogram_add_many(&many, value, n);
		for (uint64_t i = 0; i < n; i++)
			histogram_add(&single, value);
	}
	assert_memory_equal(many.buckets, single.buckets, sizeof(many.buckets));
	assert_int_equal(many.count, single.count);
	assert_int_equal(many.sum_ns, single.sum_ns);
	assert_int_equal(many.min_ns, single.min_ns);
	assert_int_equal(many.max_ns, single.max_ns);
	assert_true(fabs(histogram_stddev_ns(&many) / histogram_stddev_ns(&single) - 1) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clear),
		cmocka_unit_test(test_add_many),
		cmocka_unit_test(test_percentiles_of_shapes),
		cmocka_unit_test(test_small_counts),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_beyond_the_last_bucket),
		cmocka_unit_test(test_support),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
