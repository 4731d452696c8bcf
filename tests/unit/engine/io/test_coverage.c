/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_coverage.c - the map of touched blocks, against one of a byte a block. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/macros.h"
#include "engine/io/coverage.h"
#include "engine/io/random.h"

/* At the sizes where a word or a level ends. */
static const uint64_t sizes[] = {1, 2, 63, 64, 65, 127, 128, 4095, 4096, 4097, 64 * 4096 + 1};

static uint64_t next_slowly(const char *touched, uint64_t blocks, uint64_t from)
{
	for (uint64_t i = 0; i < blocks; i++)
		if (!touched[(from + i) % blocks])
			return (from + i) % blocks;
	return COVERAGE_NONE;
}

static uint64_t take_slowly(char *touched, uint64_t blocks, uint64_t block, uint64_t count)
{
	uint64_t taken = 0;

	while (taken < count && block + taken < blocks && !touched[block + taken])
		touched[block + taken++] = 1;
	return taken;
}

static void one_size(uint64_t blocks)
{
	struct coverage *coverage = NULL;
	char *touched = calloc(blocks, 1);
	struct random random;

	assert_non_null(touched);
	random_init(&random, blocks);
	assert_int_equal(coverage_new(blocks, &coverage), 0);
	for (int pass = 0; pass < 2; pass++) {
		for (;;) {
			uint64_t from = random_scale(random_next(&random), blocks);
			uint64_t count = 1 + random_scale(random_next(&random), 200);
			uint64_t at = coverage_next(coverage, from);

			assert_int_equal(at, next_slowly(touched, blocks, from));
			if (at == COVERAGE_NONE)
				break;
			assert_int_equal(coverage_take(coverage, at, count),
					 take_slowly(touched, blocks, at, count));
		}
		assert_null(memchr(touched, 0, blocks));
		memset(touched, 0, blocks);
		coverage_clear(coverage);
	}
	coverage_free(coverage);
	free(touched);
}

static void test_against_bytes(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		one_size(sizes[i]);
}

static void test_nothing_is_taken_twice(void **unused)
{
	struct coverage *coverage = NULL;

	(void)unused;
	assert_int_equal(coverage_new(200, &coverage), 0);
	assert_int_equal(coverage_take(coverage, 100, 50), 50);
	assert_int_equal(coverage_take(coverage, 100, 1), 0);
	assert_int_equal(coverage_take(coverage, 90, 50), 10);
	assert_int_equal(coverage_take(coverage, 150, 100), 50);
	assert_int_equal(coverage_take(coverage, 200, 1), 0);
	assert_int_equal(coverage_next(coverage, 95), 0);
	assert_int_equal(coverage_next(coverage, 10), 10);
	coverage_free(coverage);
	coverage_free(NULL);
}

/* A bit a block, and little more. */
static void test_memory(void **unused)
{
	uint64_t blocks = UINT64_C(1) << 30;

	(void)unused;
	assert_true(coverage_bytes(blocks) >= blocks / 8);
	assert_true(coverage_bytes(blocks) < blocks / 8 * 65 / 64 + 1048576);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_bytes),
		cmocka_unit_test(test_nothing_is_taken_twice),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
