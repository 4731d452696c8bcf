/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_distribution.c - how often which block is drawn, against fio's definition, by chi-square.
 *
 * Each expectation is worked out here another way than in the module: probabilities by the
 * cumulated frequency (not its inverse), sums term by term, normal's by convolution. Seeds are
 * fixed, so a test passes or fails for good; the significance is 1e-4, once chosen.
 * Length: each distribution brings its own probabilities.
 *
 * link: -Wl,--wrap=calloc
 */
#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/macros.h"
#include "engine/io/distribution.h"

#define DRAWS 400000
#define SIGNIFICANCE 1e-4
#define HASH UINT64_C(0x61c8864680b583eb)

/* ---- allocations that fail ---- */

static int fail_at; /* 0: none */

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
	if (fail_at > 0 && --fail_at == 0)
		return NULL;
	return __real_calloc(count, size);
}

/* ---- helpers ---- */

static struct distribution *make_sides(const char *text, uint64_t reads, uint64_t writes,
				       uint64_t bytes, uint64_t seed)
{
	const struct distribution_blocks blocks[DIRECTION_COUNT] = {{reads, bytes},
								    {writes, bytes}};
	struct distribution *distribution;
	struct distribution_spec spec;

	assert_int_equal(distribution_spec_parse(text, &spec, NULL), 0);
	assert_int_equal(distribution_new(&spec, blocks, seed, &distribution), 0);
	return distribution;
}

static struct distribution *make(const char *text, uint64_t blocks, uint64_t seed)
{
	return make_sides(text, blocks, 0, 4096, seed);
}

/* How often each block comes; heap. */
static uint64_t *count(const char *text, uint64_t blocks, uint64_t seed)
{
	struct distribution *distribution = make(text, blocks, seed);
	uint64_t *counts = calloc(blocks, sizeof(*counts));

	assert_non_null(counts);
	for (int i = 0; i < DRAWS; i++) {
		uint64_t block = distribution_next(distribution, DIRECTION_READ);

		assert_true(block < blocks);
		counts[block]++;
	}
	distribution_free(distribution);
	return counts;
}

/*
 * Pearson's test of what was counted against probabilities; neighbours are thrown together until
 * each has an expectation of 20. Frees neither. Whether it passes.
 */
static bool agrees(const char *what, const uint64_t *counts, const double *probabilities, size_t n)
{
	double chi = 0, expected = 0, seen = 0, significance;
	int bins = 0;

	for (size_t i = 0; i < n; i++) {
		expected += probabilities[i] * DRAWS;
		seen += (double)counts[i];
		if (expected < 20 && i + 1 < n)
			continue;
		if (expected > 0)
			chi += (seen - expected) * (seen - expected) / expected;
		else if (seen > 0)
			return false;
		bins += expected > 0;
		expected = 0;
		seen = 0;
	}
	significance = gsl_cdf_chisq_Q(chi, bins - 1);
	print_message("%s: chi-square %.1f of %d bins, P %.2g\n", what, chi, bins, significance);
	return significance > SIGNIFICANCE;
}

/* ---- probabilities ---- */

static double zeta(double theta, uint64_t n)
{
	double sum = 0;

	for (uint64_t i = 1; i <= n; i++)
		sum += 1 / pow((double)i, theta);
	return sum;
}

/* P(rank < r): Gray's formula turned round. */
static double zipf_below(double theta, uint64_t n, double zeta_n, uint64_t r)
{
	double eta = (1 - pow(2 / (double)n, 1 - theta)) / (1 - zeta(theta, 2) / zeta_n);

	if (r <= 2)
		return zeta(theta, r) / zeta_n;
	return r >= n ? 1 : (pow((double)r / (double)n, 1 - theta) + eta - 1) / eta;
}

static double pareto_below(double h, uint64_t n, uint64_t r)
{
	return r >= n ? 1 : pow((double)r / (double)(n - 1), log(1 - h) / log(h));
}

/* Of each rank; heap. */
static double *zipf_ranks(double theta, uint64_t n)
{
	double *ranks = calloc(n, sizeof(*ranks)), zeta_n = zeta(theta, n), below = 0;

	assert_non_null(ranks);
	for (uint64_t r = 0; r < n; r++) {
		double next = zipf_below(theta, n, zeta_n, r + 1);

		ranks[r] = next - below;
		below = next;
	}
	return ranks;
}

static double *pareto_ranks(double h, uint64_t n)
{
	double *ranks = calloc(n, sizeof(*ranks));

	assert_non_null(ranks);
	for (uint64_t r = 0; r < n; r++)
		ranks[r] = pareto_below(h, n, r + 1) - pareto_below(h, n, r);
	return ranks;
}

/* The mean of 12 of 0..n each, rounded up, and a step of `wide` values around, halved while it
 * leads out. */
static double *normal_ranks(uint64_t n, int64_t wide)
{
	double *sums = calloc(12 * n + 1, sizeof(*sums)), *next = calloc(12 * n + 1, sizeof(*next));
	double *ranks = calloc(n, sizeof(*ranks));

	assert_true(sums && next && ranks);
	sums[0] = 1;
	for (int term = 0; term < 12; term++) {
		for (uint64_t s = 0; s <= 12 * n; s++) {
			next[s] = 0;
			for (uint64_t x = 0; x <= n && x <= s; x++)
				next[s] += sums[s - x] / (double)(n + 1);
		}
		memcpy(sums, next, (12 * n + 1) * sizeof(*sums));
	}
	for (uint64_t s = 0; s <= 12 * n; s++) {
		int64_t mean = (int64_t)((s + 11) / 12);

		if (mean > (int64_t)n - 1)
			mean = (int64_t)n - 1;
		for (int64_t i = 0; i < (wide ? wide : 1); i++) {
			int64_t step = i - wide / 2;

			while (mean + step < 0 || mean + step >= (int64_t)n)
				step /= 2;
			ranks[mean + step] += sums[s] / (double)(wide ? wide : 1);
		}
	}
	free(sums);
	free(next);
	return ranks;
}

/* From ranks to blocks, which some may share; frees the ranks. */
static double *hashed(double *ranks, uint64_t n, uint64_t turn)
{
	double *blocks = calloc(n, sizeof(*blocks));

	assert_non_null(blocks);
	for (uint64_t r = 0; r < n; r++)
		blocks[(r * HASH + turn) % n] += ranks[r];
	free(ranks);
	return blocks;
}

/* ---- ranks ---- */

/* The counts of blocks, by rank; n a power of two, so that the hash is one to one. */
static uint64_t *by_rank(const uint64_t *counts, uint64_t n, uint64_t turn)
{
	uint64_t *ranks = calloc(n, sizeof(*ranks));

	assert_non_null(ranks);
	for (uint64_t r = 0; r < n; r++)
		ranks[r] = counts[(r * HASH + turn) % n];
	return ranks;
}

static void check_ranks(const char *text, uint64_t n, uint64_t turn, double *expected)
{
	uint64_t *counts = count(text, n, 1), *ranks = by_rank(counts, n, turn);

	assert_true(agrees(text, ranks, expected, n));
	free(counts);
	free(ranks);
	free(expected);
}

static void test_zipf_ranks(void **unused)
{
	(void)unused;
	check_ranks("zipf:1.2:0.25", 1 << 16, 1 << 14, zipf_ranks(1.2, 1 << 16));
	check_ranks("zipf:1.1:0", 1 << 20, 0, zipf_ranks(1.1, 1 << 20));
	check_ranks("zipf:0.6:0.5", 1 << 12, 1 << 11, zipf_ranks(0.6, 1 << 12));
	check_ranks("zipf:0.99:1", 1 << 18, 0, zipf_ranks(0.99, 1 << 18));
	check_ranks("zipf:2:0", 1 << 18, 0, zipf_ranks(2, 1 << 18));
	check_ranks("zipf:0:0", 1 << 10, 0, zipf_ranks(0, 1 << 10));
	check_ranks("zipf:1.2:0", 64, 0, zipf_ranks(1.2, 64));
	check_ranks("zipf:1.2:0", 4, 0, zipf_ranks(1.2, 4));
}

static void test_zipf_is_1_1_unless_told(void **unused)
{
	uint64_t n = 1 << 12, *counts, *again;

	(void)unused;
	counts = count("zipf", n, 5);
	again = count("zipf:1.1", n, 5);
	assert_memory_equal(counts, again, n * sizeof(*counts));
	free(again);
	again = count("zipf:1.2", n, 5);
	assert_memory_not_equal(counts, again, n * sizeof(*counts));
	free(counts);
	free(again);
}

/* The two most frequent are Zipf's own; the rest nearly, as Gray promises. */
static void test_zipf_is_zipfs_law(void **unused)
{
	uint64_t n = 1 << 14, *counts, *ranks;
	double sum;

	(void)unused;
	counts = count("zipf:0.9:0", n, 3);
	ranks = by_rank(counts, n, 0);
	sum = zeta(0.9, n);
	for (uint64_t r = 0; r < 40; r++) {
		double expected = DRAWS / (pow((double)r + 1, 0.9) * sum);

		assert_true(fabs((double)ranks[r] - expected) <
			    (r < 2 ? 0 : 0.25 * expected) + 5 * sqrt(expected));
	}
	free(counts);
	free(ranks);
}

static void test_pareto_ranks(void **unused)
{
	(void)unused;
	check_ranks("pareto:0.2:0.5", 1 << 16, 1 << 15, pareto_ranks(0.2, 1 << 16));
	check_ranks("pareto:0.9:0", 1 << 12, 0, pareto_ranks(0.9, 1 << 12));
	check_ranks("pareto:0.5:0", 1 << 10, 0, pareto_ranks(0.5, 1 << 10));
	check_ranks("pareto:0.01:0", 1 << 18, 0, pareto_ranks(0.01, 1 << 18));
}

static void test_normal_ranks(void **unused)
{
	(void)unused;
	check_ranks("normal:0", 256, 0, normal_ranks(256, 0));
	check_ranks("normal", 64, 0, normal_ranks(64, 0));
	check_ranks("normal:20", 256, 0, normal_ranks(256, 52));
	check_ranks("normal:20:0.75", 256, 64, normal_ranks(256, 52));
	check_ranks("normal:99", 128, 0, normal_ranks(128, 64)); /* half the blocks at most */
}

/* However many blocks: mean and deviation, which are a half and a twelfth. Its ranks told from its
 * blocks by the inverse of the hash. */
static void test_normal_of_many_blocks(void **unused)
{
	uint64_t inverse = HASH;

	(void)unused;
	for (int i = 0; i < 6; i++) /* Newton's: right bits double each time */
		inverse *= 2 - HASH * inverse;
	for (int bits = 20; bits <= 40; bits += 5) {
		uint64_t blocks = UINT64_C(1) << bits;
		struct distribution *distribution = make("normal", blocks, 3);
		double sum = 0, squares = 0;

		for (int i = 0; i < DRAWS; i++) {
			uint64_t block = distribution_next(distribution, DIRECTION_READ);
			double x = (double)(block * inverse % blocks) / (double)blocks;

			sum += x;
			squares += x * x;
		}
		sum /= DRAWS;
		assert_true(fabs(sum - 0.5) < 1e-3);
		assert_true(fabs(sqrt(squares / DRAWS - sum * sum) - 1.0 / 12) < 1e-3);
		distribution_free(distribution);
	}
}

/* ---- blocks ---- */

static void check_blocks(const char *text, uint64_t n, double *expected)
{
	uint64_t *counts = count(text, n, 7);

	assert_true(agrees(text, counts, expected, n));
	free(counts);
	free(expected);
}

/* Where their number is no power of two, ranks share blocks. */
static void test_any_number_of_blocks(void **unused)
{
	(void)unused;
	check_blocks("zipf:1.2:0.3", 1000, hashed(zipf_ranks(1.2, 1000), 1000, 300));
	check_blocks("pareto:0.3:0.999", 777, hashed(pareto_ranks(0.3, 777), 777, 776));
	check_blocks("normal:10", 100, hashed(normal_ranks(100, 10), 100, 0));
	check_blocks("normal:10:0.25", 100,
		     hashed(normal_ranks(100, 10), 100, (uint64_t) - (int64_t)25));
}

/* The most frequent block lies where center says; anywhere without it. */
static void test_center(void **unused)
{
	uint64_t n = 1000, places = 0;

	(void)unused;
	for (uint64_t seed = 0; seed < 20; seed++) {
		uint64_t *counts = count("zipf:1.5:0.7", n, seed), *elsewhere, most = 0;

		for (uint64_t i = 0; i < n; i++)
			most = counts[i] > counts[most] ? i : most;
		assert_int_equal(most, 700);
		free(counts);
		elsewhere = count("zipf:1.5", n, seed);
		most = 0;
		for (uint64_t i = 0; i < n; i++)
			most = elsewhere[i] > elsewhere[most] ? i : most;
		places += most >= 500;
		free(elsewhere);
	}
	assert_true(places >= 3 && places <= 17);
}

/* ---- zones ---- */

static double *zone_blocks(uint64_t n, const double zones[][3], size_t zone_count)
{
	double *blocks = calloc(n, sizeof(*blocks));

	assert_non_null(blocks);
	for (size_t i = 0; i < zone_count; i++)
		for (uint64_t b = (uint64_t)zones[i][1]; b < (uint64_t)zones[i][2]; b++)
			blocks[b] = zones[i][0] / (zones[i][2] - zones[i][1]);
	return blocks;
}

static void test_zoned(void **unused)
{
	const double manual[][3] = {
		{.6, 0, 100}, {.3, 100, 300}, {.08, 300, 600}, {.02, 600, 1000}};
	const double gap[][3] = {{.5, 0, 100}, {.5, 500, 700}};
	const double rest[][3] = {{.7, 0, 100}, {.2, 100, 550}, {.1, 550, 1000}};

	(void)unused;
	check_blocks("zoned:60/10:30/20:8/30:2/40", 1000, zone_blocks(1000, manual, 4));
	/* what nobody asks for is not touched */
	check_blocks("zoned:50/10:0/40:50/20", 1000, zone_blocks(1000, gap, 2));
	check_blocks("zoned:70/10:20:10/", 1000, zone_blocks(1000, rest, 3));
}

static void test_zoned_abs(void **unused)
{
	const double zones[][3] = {{.6, 0, 256}, {.4, 256, 1000}};

	(void)unused;
	check_blocks("zoned_abs:60/1M:40/2976k", 1000, zone_blocks(1000, zones, 2));
}

/* A zone that reaches beyond the region, or is smaller than a block. */
static void test_zones_must_fit(void **unused)
{
	struct distribution_blocks blocks[DIRECTION_COUNT] = {{1000, 4096}};
	struct distribution *distribution;
	struct distribution_spec spec;

	(void)unused;
	assert_int_equal(distribution_spec_parse("zoned_abs:60/1M:40/2976k", &spec, NULL), 0);
	assert_int_equal(distribution_new(&spec, blocks, 1, &distribution), 0);
	distribution_free(distribution);
	assert_int_equal(distribution_spec_parse("zoned_abs:60/1M:40/2980k", &spec, NULL), 0);
	assert_int_equal(distribution_new(&spec, blocks, 1, &distribution), -ERANGE);
	assert_int_equal(distribution_spec_parse("zoned_abs:60/1M:40/4k", &spec, NULL), 0);
	assert_int_equal(distribution_new(&spec, blocks, 1, &distribution), 0);
	distribution_free(distribution);
	assert_int_equal(distribution_spec_parse("zoned_abs:60/1M:40/3k", &spec, NULL), 0);
	assert_int_equal(distribution_new(&spec, blocks, 1, &distribution), -ERANGE);
	/* a direction that is not used holds nothing */
	blocks[0].count = 0;
	assert_int_equal(distribution_new(&spec, blocks, 1, &distribution), 0);
	distribution_free(distribution);
}

static void test_zones_of_small_regions(void **unused)
{
	(void)unused;
	for (uint64_t n = 1; n < 120; n++)
		free(count("zoned:1/1:98/1:1/98", n, n));
}

/* ---- directions ---- */

static void test_directions_have_zones_of_their_own(void **unused)
{
	struct distribution *distribution =
		make_sides("zoned:100/10,0/50:100/50", 1000, 1000, 4096, 1);

	(void)unused;
	for (int i = 0; i < 10000; i++) {
		assert_true(distribution_next(distribution, DIRECTION_READ) < 100);
		assert_true(distribution_next(distribution, DIRECTION_WRITE) >= 500);
	}
	distribution_free(distribution);
}

static void test_a_direction_without_zones_is_uniform(void **unused)
{
	struct distribution *distribution = make_sides("zoned:100/10,", 1000, 1000, 4096, 1);
	uint64_t beyond = 0;

	(void)unused;
	for (int i = 0; i < 10000; i++) {
		assert_true(distribution_next(distribution, DIRECTION_READ) < 100);
		beyond += distribution_next(distribution, DIRECTION_WRITE) >= 100;
	}
	assert_in_range(beyond, 8800, 9200);
	distribution_free(distribution);
}

/* Reads and writes of one size are often at the same blocks; of other sizes among their own. */
static void test_directions_share_what_is_hot(void **unused)
{
	struct distribution *distribution = make_sides("zipf:1.5", 1000, 1000, 4096, 4);
	static uint64_t counts[DIRECTION_COUNT][1000];
	uint64_t most[2] = {0, 0};

	(void)unused;
	for (int i = 0; i < 20000; i++)
		for (int d = 0; d < 2; d++)
			counts[d][distribution_next(distribution, (enum direction)d)]++;
	for (int i = 0; i < 1000; i++)
		for (int d = 0; d < 2; d++)
			most[d] = counts[d][i] > counts[d][most[d]] ? (uint64_t)i : most[d];
	assert_int_equal(most[0], most[1]);
	distribution_free(distribution);
	distribution = make_sides("zipf:1.5", 1000, 31, 4096, 4);
	for (int i = 0; i < 20000; i++) {
		assert_true(distribution_next(distribution, DIRECTION_READ) < 1000);
		assert_true(distribution_next(distribution, DIRECTION_WRITE) < 31);
	}
	distribution_free(distribution);
}

/* ---- all ---- */

static void test_never_beyond(void **unused)
{
	static const char *const texts[] = {
		"zipf:0",	 "zipf:0.5",	    "zipf:0.999999",  "zipf:1.01",	 "zipf:1.2",
		"zipf:10",	 "pareto:0.000001", "pareto:0.5",     "pareto:0.999999", "normal",
		"normal:50:0.1", "normal:99.9:1",   "zoned:1/1:99/99"};
	static const uint64_t sizes[] = {1,
					 2,
					 3,
					 5,
					 1000,
					 1 << 20,
					 UINT64_C(10000001),
					 UINT64_C(1) << 33,
					 UINT64_C(1) << 54};

	(void)unused;
	for (size_t t = 0; t < ARRAY_SIZE(texts); t++)
		for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
			struct distribution *distribution = make(texts[t], sizes[s], s);

			for (int i = 0; i < 3000; i++)
				assert_true(distribution_next(distribution, DIRECTION_READ) <
					    sizes[s]);
			distribution_free(distribution);
		}
}

static void test_a_seed_repeats(void **unused)
{
	static const char *const texts[] = {"zipf:1.2", "pareto:0.2", "normal:20",
					    "zoned:60/10:40/90"};

	(void)unused;
	for (size_t t = 0; t < ARRAY_SIZE(texts); t++) {
		struct distribution *one = make(texts[t], 5000, 1), *same = make(texts[t], 5000, 1);
		struct distribution *other = make(texts[t], 5000, 2);
		int differ = 0;

		for (int i = 0; i < 1000; i++) {
			uint64_t block = distribution_next(one, DIRECTION_READ);

			assert_int_equal(block, distribution_next(same, DIRECTION_READ));
			differ += block != distribution_next(other, DIRECTION_READ);
		}
		assert_true(differ > 500);
		distribution_free(one);
		distribution_free(same);
		distribution_free(other);
	}
}

static void test_no_memory(void **unused)
{
	const struct distribution_blocks blocks[DIRECTION_COUNT] = {{100, 4096}, {50, 8192}};
	struct distribution *distribution = NULL;
	struct distribution_spec spec;

	(void)unused;
	assert_int_equal(distribution_spec_parse("zipf", &spec, NULL), 0);
	for (int n = 1; n <= 3; n++) {
		fail_at = n;
		assert_int_equal(distribution_new(&spec, blocks, 1, &distribution), -ENOMEM);
	}
	assert_int_equal(fail_at, 0);
	assert_int_equal(distribution_new(&spec, blocks, 1, &distribution), 0);
	distribution_free(distribution);
	distribution_free(NULL);
	assert_true(distribution_bytes() < 64 << 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_zipf_ranks),
		cmocka_unit_test(test_zipf_is_1_1_unless_told),
		cmocka_unit_test(test_zipf_is_zipfs_law),
		cmocka_unit_test(test_pareto_ranks),
		cmocka_unit_test(test_normal_ranks),
		cmocka_unit_test(test_normal_of_many_blocks),
		cmocka_unit_test(test_any_number_of_blocks),
		cmocka_unit_test(test_center),
		cmocka_unit_test(test_zoned),
		cmocka_unit_test(test_zoned_abs),
		cmocka_unit_test(test_zones_must_fit),
		cmocka_unit_test(test_zones_of_small_regions),
		cmocka_unit_test(test_directions_have_zones_of_their_own),
		cmocka_unit_test(test_a_direction_without_zones_is_uniform),
		cmocka_unit_test(test_directions_share_what_is_hot),
		cmocka_unit_test(test_never_beyond),
		cmocka_unit_test(test_a_seed_repeats),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
