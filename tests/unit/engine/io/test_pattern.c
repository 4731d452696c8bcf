/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_pattern.c - the sequence of directions and offsets of one job. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/macros.h"
#include "engine/io/pattern.h"

static void make(struct pattern *pattern, int rw, uint64_t bs_read, uint64_t bs_write,
		 uint64_t rwmixread, bool norandommap, uint64_t length, uint64_t seed)
{
	struct workload workload;

	workload_init(&workload);
	workload.rw = rw;
	workload.bs[DIRECTION_READ] = bs_read;
	workload.bs[DIRECTION_WRITE] = bs_write;
	workload.rwmixread = rwmixread;
	workload.rwmixwrite = 100 - rwmixread;
	workload.norandommap = norandommap;
	assert_int_equal(pattern_init(pattern, &workload, length, seed), 0);
	workload_done(&workload);
}

struct step {
	enum direction direction;
	uint64_t offset;
};

static struct step next(struct pattern *pattern)
{
	uint64_t drawn = pattern_draw(pattern, pattern->kind, pattern->mix);
	struct step step;

	step.direction = pattern_direction(pattern, pattern->mix, drawn);
	step.offset = pattern_offset(pattern, step.direction, pattern->kind, drawn);
	return step;
}

/* A hundred sizes, small ones all, and powers of two with their neighbours. */
static void test_once_a_pass(void **unused)
{
	unsigned char *seen = calloc(1, 70000);

	(void)unused;
	assert_non_null(seen);
	for (uint64_t n = 0; n < 90; n++) {
		uint64_t blocks = n < 70 ? n + 1 : (UINT64_C(1) << (n % 10 + 7)) + n / 10 - 8;
		struct pattern pattern;

		make(&pattern, n % 2 ? RW_RANDREAD : RW_RANDWRITE, 512, 512, 50, false,
		     blocks * 512 + 511, n);
		for (int pass = 1; pass <= 3; pass++) {
			for (uint64_t i = 0; i < blocks; i++) {
				struct step step = next(&pattern);

				assert_int_equal(step.offset % 512, 0);
				assert_true(step.offset / 512 < blocks);
				assert_int_equal(seen[step.offset / 512], pass - 1);
				seen[step.offset / 512]++;
			}
		}
		memset(seen, 0, 70000);
	}
	free(seen);
}

/* Passes differ, and neither is the order of the offsets. */
static void test_passes_have_orders_of_their_own(void **unused)
{
	struct pattern pattern;
	uint64_t first[4096], same = 0, next_door = 0, backwards = 0, inversions = 0;

	(void)unused;
	make(&pattern, RW_RANDREAD, 4096, 4096, 50, false, 4096 * 4096, 1);
	for (size_t i = 0; i < 4096; i++)
		first[i] = next(&pattern).offset / 4096;
	for (size_t i = 0; i < 4096; i++)
		same += next(&pattern).offset / 4096 == first[i];
	assert_true(same < 12); /* expected: 1 */
	for (size_t i = 1; i < 4096; i++) {
		next_door += first[i] == first[i - 1] + 1;
		backwards += first[i] < first[i - 1];
		for (size_t j = 0; j < i; j++)
			inversions += first[j] > first[i];
	}
	assert_true(next_door < 12);
	assert_true(fabs((double)backwards - 2047.5) < 150); /* 8 sigma of 18.5 */
	/* n (n - 1) / 4 inversions, sigma about n^1.5 / 6 */
	assert_true(fabs((double)inversions - 4193280) < 5 * 262144 / 6.0);
}

/* Each sixteenth of a pass falls evenly on each sixteenth of the region. */
static void test_a_pass_is_spread_evenly(void **unused)
{
	enum { BLOCKS = 100000 };

	(void)unused;
	for (uint64_t seed = 0; seed < 20; seed++) {
		uint64_t cells[16][16] = {{0}};
		double chi = 0, expected = BLOCKS / 256.0;
		struct pattern pattern;

		make(&pattern, RW_RANDREAD, 4096, 4096, 50, false, BLOCKS * UINT64_C(4096), seed);
		for (uint64_t i = 0; i < BLOCKS; i++)
			cells[i * 16 / BLOCKS][next(&pattern).offset / 4096 * 16 / BLOCKS]++;
		for (size_t i = 0; i < 256; i++) {
			double d = (double)(&cells[0][0])[i] - expected;

			chi += d * d / expected;
		}
		/* 225 degrees of freedom: sigma 21 */
		assert_true(chi < 225 + 6 * 21.3);
	}
}

static void test_same_seed_same_sequence(void **unused)
{
	const int kinds[] = {RW_READ, RW_RANDREAD, RW_RW, RW_RANDRW};

	(void)unused;
	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		for (int norandommap = 0; norandommap < 2; norandommap++) {
			struct pattern a, b, c;
			size_t same = 0;

			make(&a, kinds[k], 4096, 8192, 40, norandommap, 1 << 24, 42);
			make(&b, kinds[k], 4096, 8192, 40, norandommap, 1 << 24, 42);
			make(&c, kinds[k], 4096, 8192, 40, norandommap, 1 << 24, 43);
			for (size_t i = 0; i < 10000; i++) {
				struct step x = next(&a), y = next(&b), z = next(&c);

				assert_int_equal(x.direction, y.direction);
				assert_int_equal(x.offset, y.offset);
				same += x.offset == z.offset;
			}
			assert_true(kinds[k] == RW_READ || same < 9000);
		}
	}
}

/* The first steps of a seed, for ever: what a recorded seed promises. */
static void test_sequence_is_kept(void **unused)
{
	struct pattern pattern;
	uint64_t hash = 14695981039346656037u;

	(void)unused;
	make(&pattern, RW_RANDRW, 4096, 4096, 70, false, UINT64_C(1) << 32, 2024);
	for (size_t i = 0; i < 1000; i++) {
		struct step step = next(&pattern);

		hash = (hash ^ (step.offset + (uint64_t)step.direction)) * 1099511628211u;
	}
	assert_int_equal(hash, UINT64_C(0x9b5a71d516505454));
}

/* One number is drawn for both: where a step goes must not tell whether it is a read. */
static void test_direction_and_offset_are_independent(void **unused)
{
	const uint64_t lengths[] = {UINT64_C(1) << 20, (UINT64_C(1) << 32) - 5 * 4096,
				    UINT64_C(1) << 50};

	(void)unused;
	for (size_t l = 0; l < ARRAY_SIZE(lengths); l++) {
		enum { STEPS = 200000, PARTS = 64 };
		unsigned int reads[PARTS] = {0}, all[PARTS] = {0};
		struct pattern pattern;
		double chi = 0;

		make(&pattern, RW_RANDRW, 4096, 4096, 30, true, lengths[l], 11 + l);
		for (size_t i = 0; i < STEPS; i++) {
			struct step step = next(&pattern);
			/* by the low bits of the block's number, and by its place */
			size_t part = l % 2 ? step.offset / 4096 % PARTS
					    : (size_t)(step.offset / (lengths[l] / PARTS));

			all[part]++;
			reads[part] += step.direction == DIRECTION_READ;
		}
		for (size_t i = 0; i < PARTS; i++) {
			double expected = 0.3 * all[i], off = reads[i] - expected;

			chi += off * off / (expected * 0.7);
		}
		/* 64 degrees of freedom: the seeds are fixed, and 110 is beyond 0.9997 */
		assert_true(chi < 110);
	}
}

static void test_reads_and_writes_share_an_order(void **unused)
{
	struct pattern pattern;
	unsigned char seen[1000] = {0};

	(void)unused;
	make(&pattern, RW_RANDRW, 4096, 4096, 30, false, 1000 * 4096, 5);
	for (size_t i = 0; i < 1000; i++)
		seen[next(&pattern).offset / 4096]++;
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(seen[i], 1);
}

static void test_sizes_apart_have_orders_apart(void **unused)
{
	enum { LENGTH = 1 << 20 };
	const uint64_t blocks[2] = {257, 64};
	unsigned char seen[2][257] = {{0}};
	uint64_t count[2] = {0};
	struct pattern pattern;

	(void)unused;
	make(&pattern, RW_RANDRW, 4096, 16384, 80, false, LENGTH + 5000, 5);
	while (count[0] < blocks[0] || count[1] < blocks[1]) {
		struct step step = next(&pattern);
		uint64_t bs = step.direction == DIRECTION_READ ? 4096 : 16384;

		assert_int_equal(step.offset % bs, 0);
		assert_true(step.offset / bs < blocks[step.direction]);
		if (count[step.direction]++ < blocks[step.direction])
			seen[step.direction][step.offset / bs]++;
	}
	for (int d = 0; d < 2; d++)
		for (size_t i = 0; i < blocks[d]; i++)
			assert_int_equal(seen[d][i], 1);
}

static void test_mix_is_what_was_asked(void **unused)
{
	const uint64_t shares[] = {1, 30, 50, 70, 99};
	const int kinds[] = {RW_RW, RW_RANDRW};

	(void)unused;
	for (size_t s = 0; s < ARRAY_SIZE(shares); s++) {
		for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
			const double n = 200000, p = (double)shares[s] / 100;
			struct pattern pattern;
			double reads = 0;

			make(&pattern, kinds[k], 4096, 4096, shares[s], false, 1 << 22, s);
			for (size_t i = 0; i < 200000; i++)
				reads += next(&pattern).direction == DIRECTION_READ;
			assert_true(fabs(reads - n * p) < 4 * sqrt(n * p * (1 - p)));
		}
	}
}

static void test_mix_of_one_side(void **unused)
{
	struct pattern pattern;

	(void)unused;
	make(&pattern, RW_RANDRW, 4096, 4096, 100, false, 1 << 20, 1);
	assert_int_equal(pattern.mix, PATTERN_READ);
	make(&pattern, RW_RW, 4096, 4096, 0, false, 1 << 20, 1);
	assert_int_equal(pattern.mix, PATTERN_WRITE);
}

static void test_sequential_goes_round(void **unused)
{
	struct pattern pattern;

	(void)unused;
	make(&pattern, RW_WRITE, 4096, 8192, 50, false, 10 * 8192 + 8191, 1);
	for (uint64_t i = 0; i < 35; i++)
		assert_int_equal(next(&pattern).offset, i % 10 * 8192);
}

static void test_sequential_mix_has_two_positions(void **unused)
{
	struct pattern pattern;
	uint64_t expected[2] = {0, 0};
	const uint64_t bs[2] = {4096, 12288}, ends[2] = {12 * 4096, 4 * 12288};

	(void)unused;
	make(&pattern, RW_RW, bs[0], bs[1], 50, false, 12 * 4096 + 100, 9);
	for (size_t i = 0; i < 1000; i++) {
		struct step step = next(&pattern);

		assert_int_equal(step.offset, expected[step.direction]);
		expected[step.direction] += bs[step.direction];
		if (expected[step.direction] == ends[step.direction])
			expected[step.direction] = 0;
	}
}

static void test_plain_random_repeats_and_stays_inside(void **unused)
{
	struct pattern pattern;
	unsigned int seen[64] = {0}, never = 0, often = 0;

	(void)unused;
	make(&pattern, RW_RANDREAD, 4096, 4096, 50, true, 64 * 4096 + 4095, 3);
	for (size_t i = 0; i < 64; i++) {
		uint64_t offset = next(&pattern).offset;

		assert_true(offset % 4096 == 0 && offset < 64 * 4096);
		seen[offset / 4096]++;
	}
	for (size_t i = 0; i < 64; i++) {
		never += seen[i] == 0;
		often += seen[i] > 1;
	}
	assert_true(never > 8 && never < 40 && often > 4); /* 1/e of them: 23.5 */
}

static void test_limits(void **unused)
{
	struct workload workload;
	struct pattern pattern;

	(void)unused;
	workload_init(&workload);
	workload.rw = RW_RANDREAD;
	workload.bs[0] = 4096;
	workload.bs[1] = 1 << 20;
	assert_int_equal(pattern_init(&pattern, &workload, 4095, 1), -ERANGE);
	/* The write size of a workload that only reads is of no matter. */
	assert_int_equal(pattern_init(&pattern, &workload, 4096, 1), 0);
	for (int i = 0; i < 5; i++)
		assert_int_equal(next(&pattern).offset, 0);
	workload.rw = RW_RANDRW;
	workload.rwmixread = 50;
	assert_int_equal(pattern_init(&pattern, &workload, 4096, 1), -ERANGE);
	/* The largest region: 2^63 bytes of the smallest blocks. */
	workload.rw = RW_RANDREAD;
	workload.bs[0] = 512;
	assert_int_equal(pattern_init(&pattern, &workload, INT64_MAX, 1), 0);
	for (int i = 0; i < 1000; i++)
		assert_true(next(&pattern).offset <= INT64_MAX - 512);
	workload_done(&workload);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_once_a_pass),
		cmocka_unit_test(test_passes_have_orders_of_their_own),
		cmocka_unit_test(test_a_pass_is_spread_evenly),
		cmocka_unit_test(test_same_seed_same_sequence),
		cmocka_unit_test(test_sequence_is_kept),
		cmocka_unit_test(test_direction_and_offset_are_independent),
		cmocka_unit_test(test_reads_and_writes_share_an_order),
		cmocka_unit_test(test_sizes_apart_have_orders_apart),
		cmocka_unit_test(test_mix_is_what_was_asked),
		cmocka_unit_test(test_mix_of_one_side),
		cmocka_unit_test(test_sequential_goes_round),
		cmocka_unit_test(test_sequential_mix_has_two_positions),
		cmocka_unit_test(test_plain_random_repeats_and_stays_inside),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
