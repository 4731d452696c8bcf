/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_buffer.c - arenas, and data that neither compresses nor repeats. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/io/buffer.h"
#include "engine/io/random.h"

/* Bits a byte of order-0 entropy. */
static double entropy(const unsigned char *data, size_t size)
{
	size_t counts[256] = {0};
	double bits = 0;

	for (size_t i = 0; i < size; i++)
		counts[data[i]]++;
	for (size_t i = 0; i < 256; i++) {
		double p = (double)counts[i] / (double)size;

		if (counts[i])
			bits -= p * log2(p);
	}
	return bits;
}

static int compare_words(const void *a, const void *b)
{
	return memcmp(a, b, 8);
}

/* How many aligned 64-bit words occur more than once. */
static size_t repeated_words(const void *data, size_t size)
{
	unsigned char *copy = malloc(size);
	size_t repeated = 0;

	assert_non_null(copy);
	memcpy(copy, data, size);
	qsort(copy, size / 8, 8, compare_words);
	for (size_t i = 8; i < size; i += 8)
		repeated += memcmp(copy + i, copy + i - 8, 8) == 0;
	free(copy);
	return repeated;
}

static void test_arena_is_aligned_and_apart(void **unused)
{
	const uint64_t sizes[] = {1, 512, 4096, 4097, 1 << 20, (2 << 20) + 1};

	(void)unused;
	for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
		struct arena arena;
		uint64_t bytes;

		assert_int_equal(arena_init(&arena, 5, sizes[s], false, 1, NULL), 0);
		assert_int_equal(arena_size(5, sizes[s], &bytes), 0);
		assert_int_equal(bytes, 5 * arena.stride);
		assert_true(arena.stride >= sizes[s]);
		for (uint64_t i = 0; i < 5; i++) {
			unsigned char *buffer = arena_buffer(&arena, i);

			assert_int_equal((uintptr_t)buffer % 4096, 0);
			memset(buffer, (int)i + 1, sizes[s]);
		}
		for (uint64_t i = 0; i < 5; i++) {
			const unsigned char *buffer = arena_buffer(&arena, i);

			assert_int_equal(buffer[0], i + 1);
			assert_int_equal(buffer[sizes[s] - 1], i + 1);
		}
		if (bytes >= 2 << 20)
			assert_int_equal((uintptr_t)arena.base % (2 << 20), 0);
		arena_done(&arena);
		assert_null(arena.base);
		arena_done(&arena);
	}
}

static void test_too_large(void **unused)
{
	struct arena arena;
	uint64_t bytes;

	(void)unused;
	assert_int_equal(arena_size(UINT64_MAX / 4096, 8192, &bytes), -EOVERFLOW);
	assert_int_equal(arena_size(1, UINT64_MAX - 5, &bytes), -EOVERFLOW);
	assert_int_equal(arena_init(&arena, UINT64_MAX / 4096, 8192, false, 1, NULL), -EOVERFLOW);
	assert_int_equal(arena_init(&arena, 0, 4096, false, 1, NULL), -EINVAL);
	assert_int_equal(arena_init(&arena, UINT64_C(1) << 46, 4096, false, 1, NULL), -ENOMEM);
	arena_done(&arena);
}

static void test_stop_ends_the_filling(void **unused)
{
	struct arena arena;
	atomic_int stop = 1;

	(void)unused;
	assert_int_equal(arena_init(&arena, 100, 4096, true, 1, &stop), -ECANCELED);
	assert_null(arena.base);
}

static void test_refreshed_data_does_not_compress(void **unused)
{
	enum { SIZE = 1 << 20 };
	struct arena arena;
	struct random keys;
	unsigned char *written = malloc(SIZE);

	(void)unused;
	assert_non_null(written);
	random_init(&keys, 3);
	assert_int_equal(arena_init(&arena, 8, 4096, true, 9, NULL), 0);
	/* What 256 writes at depth 8 put on a disk, as one piece. */
	for (size_t i = 0; i < SIZE / 4096; i++) {
		buffer_refresh(arena_buffer(&arena, i % 8), 4096, random_next(&keys));
		memcpy(written + i * 4096, arena_buffer(&arena, i % 8), 4096);
	}
	assert_true(entropy(written, SIZE) > 7.99);
	assert_int_equal(repeated_words(written, SIZE), 0);
	arena_done(&arena);
	free(written);
}

static void test_refresh_changes_every_word_it_should(void **unused)
{
	struct arena arena;
	uint64_t before[1024];

	(void)unused;
	assert_int_equal(arena_init(&arena, 1, 8192, true, 9, NULL), 0);
	for (size_t bytes = 512; bytes <= 8192; bytes += 500) {
		size_t rounded = (bytes + 63) / 64 * 64;
		const uint64_t *words = arena.base;

		memcpy(before, arena.base, sizeof(before));
		buffer_refresh(arena.base, bytes, 0); /* made odd: even the worst key works */
		for (size_t i = 0; i < 1024; i++)
			assert_int_equal(words[i] != before[i], i * 8 < rounded);
	}
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arena_is_aligned_and_apart),
		cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_stop_ends_the_filling),
		cmocka_unit_test(test_refreshed_data_does_not_compress),
		cmocka_unit_test(test_refresh_changes_every_word_it_should),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
