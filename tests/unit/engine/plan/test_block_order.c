/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_block_order.c - the order of blocks: random, in pairs that are each other's reverse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/plan/block_order.h"

#define CELLS_MAX 101

static void every_cell_once(const size_t *order, size_t cells)
{
	bool seen[CELLS_MAX] = {false};

	for (size_t i = 0; i < cells; i++) {
		assert_true(order[i] < cells);
		assert_false(seen[order[i]]);
		seen[order[i]] = true;
	}
}

static void the_second_of_a_pair_is_the_reverse_of_the_first(void **state)
{
	static const size_t sizes[] = {1, 2, 3, 24, 101};
	size_t one[CELLS_MAX], two[CELLS_MAX];

	(void)state;
	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		for (unsigned int repeat = 1; repeat < 100; repeat += 2) {
			block_order(k, repeat, sizes[k], one);
			block_order(k, repeat + 1, sizes[k], two);
			every_cell_once(one, sizes[k]);
			for (size_t i = 0; i < sizes[k]; i++)
				assert_int_equal(two[i], one[sizes[k] - 1 - i]);
		}
	}
}

/* Of 24 cells two random orders agree in one place, by the mean. Fixed seeds: no chance. */
static void pairs_and_seeds_have_orders_of_their_own(void **state)
{
	size_t first[24], third[24], other[24], again[24], alike[2] = {0};

	(void)state;
	block_order(7, 1, 24, first);
	block_order(7, 3, 24, third);
	block_order(8, 1, 24, other);
	block_order(7, 1, 24, again);
	for (size_t i = 0; i < 24; i++) {
		alike[0] += first[i] == third[i];
		alike[1] += first[i] == other[i];
		assert_int_equal(again[i], first[i]);
	}
	assert_true(alike[0] < 6 && alike[1] < 6);
}

/* All six orders of three cells, each nearly as often: 10,000 of 60,000, whose standard deviation
 * is
 * 91. Fixed seeds: no chance. */
static void each_order_is_as_likely(void **state)
{
	size_t counts[9] = {0}, order[3], orders = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 60000; seed++) {
		block_order(seed, 1, 3, order);
		counts[order[0] * 3 + order[1]]++;
	}
	for (size_t i = 0; i < 9; i++) {
		assert_true(counts[i] == 0 || (counts[i] > 9600 && counts[i] < 10400));
		orders += counts[i] > 0;
	}
	assert_int_equal(orders, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_second_of_a_pair_is_the_reverse_of_the_first),
		cmocka_unit_test(pairs_and_seeds_have_orders_of_their_own),
		cmocka_unit_test(each_order_is_as_likely),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
