/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_contrasts.c - pairs of levels by blocks, held against figures worked out apart from the
 * program: a two-way analysis of variance, and Student's t by numerical integration.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/analysis/contrasts.h"

#define NONE 0 /* no figure */

static void assert_near(double found, double expected, double share)
{
	if (!(fabs(found - expected) <= share * fabs(expected)))
		fail_msg("%.12g is not %.12g", found, expected);
}

static void fill(struct block_table *table, size_t blocks, size_t levels, const double *figures)
{
	assert_int_equal(block_table_init(table, blocks, levels), 0);
	for (size_t i = 0; i < blocks * levels; i++) {
		if (figures[i] > 0)
			table->logs[i] = log(figures[i]);
		table->measured[i % levels] |= figures[i] > 0;
	}
}

static struct contrasts judged(const struct block_table *table)
{
	struct contrasts contrasts;
	struct contrast *all[64];

	assert_int_equal(contrasts_fit(table, &contrasts), 0);
	assert_int_equal(contrasts_pairs(table, &contrasts), 0);
	assert_true(contrasts.count <= ARRAY_SIZE(all));
	for (size_t i = 0; i < contrasts.count; i++)
		all[i] = &contrasts.list[i];
	(void)contrasts_judge(all, contrasts.count);
	return contrasts;
}

static void four_blocks_of_three_levels(void **state)
{
	static const double figures[] = {1000, 1100, 1330, 1040, 1120, 1300,
					 980,  1090, 1290, 1010, 1060, 1350};
	struct block_table table;
	struct contrasts contrasts;
	const struct contrast *pair;

	(void)state;
	fill(&table, 4, 3, figures);
	contrasts = judged(&table);
	assert_int_equal(contrasts.blocks, 4);
	assert_true(contrasts.degrees == 6);
	assert_near(contrasts.residual, 0.023104404725142844, 1e-12);
	assert_false(contrasts.spreads_differ);
	assert_int_equal(contrasts.count, 3);
	pair = &contrasts.list[0];
	assert_true(pair->a == 0 && pair->b == 1 && pair->blocks == 4);
	assert_near(pair->ratio, 1.0844026508781213, 1e-12);
	assert_near(pair->low, 1.0419077385131927, 1e-9);
	assert_near(pair->high, 1.1286307470079386, 1e-9);
	assert_near(pair->p, 0.002552819744688377, 1e-6);
	assert_near(pair->p_holm, 0.002552819744688377, 1e-6);
	assert_near(pair->detectable, exp(3.3753669624687848 * 0.016337281256427017), 1e-6);
	assert_false(pair->paired);
	pair = &contrasts.list[1];
	assert_near(pair->p_holm, 9.736413608182525e-06, 1e-6);
	assert_near(pair->detectable, exp(4.310759879095462 * 0.016337281256427017), 1e-6);
	/* its own differences spread more than the residual says: the test meets them halfway */
	pair = &contrasts.list[2];
	assert_near(pair->low, 1.1587307795499386, 1e-9);
	assert_near(pair->p, 5.010067349683137e-05, 1e-6);
	assert_near(pair->error, 0.01826034140230587, 1e-9);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(contrasts.list[i].verdict, VERDICT_DIFFERENT);
	contrasts_done(&contrasts);
	block_table_done(&table);
}

static void where_spreads_differ_pairs_stand_alone(void **state)
{
	static const double figures[] = {1000, 1100, 1330, 1040, 1120, 1300,
					 980,  1090, 1290, 1010, 1060, 1350};
	struct block_table table;
	struct contrasts contrasts;

	(void)state;
	fill(&table, 4, 3, figures);
	assert_int_equal(contrasts_fit(&table, &contrasts), 0);
	contrasts.spreads_differ = true;
	assert_int_equal(contrasts_pairs(&table, &contrasts), 0);
	assert_true(contrasts.list[0].paired && contrasts.list[0].degrees == 3);
	assert_near(contrasts.list[0].low, 1.0411336359463548, 1e-9);
	assert_near(contrasts.list[0].high, 1.1294699053331587, 1e-9);
	assert_near(contrasts.list[0].p, 0.007961323768059119, 1e-6);
	assert_near(contrasts.list[2].p, 0.002578410351972869, 1e-6);
	contrasts_done(&contrasts);
	block_table_done(&table);
}

/* Bartlett's statistic of 1, 1 and 9 with 9 degrees each is 14.585, beyond which chi square with 2
 * degrees is with a probability of exp(-14.585 / 2) = 0.00068. */
static void spreads_are_told_apart(void **state)
{
	static const double nine[] = {1, 1, 9}, six[] = {1, 1, 6}, gap[] = {1, 0, 1, 9, 0};
	static const double two[] = {1, 100};

	(void)state;
	assert_true(contrasts_spreads_differ(nine, 3, 9));
	assert_false(contrasts_spreads_differ(six, 3, 5)); /* 5.28: 0.071 */
	assert_true(contrasts_spreads_differ(gap, 5, 9));
	assert_false(contrasts_spreads_differ(two, 2, 9));  /* two levels have one residual */
	assert_false(contrasts_spreads_differ(nine, 3, 1)); /* two blocks */
}

static void a_noisy_level_is_judged_by_its_own(void **state)
{
	struct block_table table;
	struct contrasts contrasts;
	double figures[10 * 4];

	(void)state;
	for (size_t b = 0; b < 10; b++)
		for (size_t l = 0; l < 4; l++)
			figures[4 * b + l] = 1000 + (double)((b * 7 + l * 3) % 5) +
					     (l == 3 ? 100 * (double)(b % 2) : 0);
	fill(&table, 10, 4, figures);
	contrasts = judged(&table);
	assert_true(contrasts.spreads_differ);
	for (size_t i = 0; i < contrasts.count; i++) {
		assert_true(contrasts.list[i].paired);
		assert_true(contrasts.list[i].degrees == 9);
	}
	contrasts_done(&contrasts);
	block_table_done(&table);
}

/* The third block lacks a level, which none but its own pairs miss there. */
static void incomplete_blocks_serve_the_pairs_that_they_hold(void **state)
{
	static const double figures[] = {100, 110, 120, 102, 111, 124, 99, 108, NONE};
	struct block_table table;
	struct contrasts contrasts;

	(void)state;
	fill(&table, 3, 3, figures);
	contrasts = judged(&table);
	assert_int_equal(contrasts.blocks, 2);
	assert_true(contrasts.degrees == 2);
	assert_int_equal(contrasts.list[0].blocks, 3);
	assert_int_equal(contrasts.list[1].blocks, 2);
	assert_near(contrasts.list[0].ratio, cbrt(110.0 * 111 * 108 / (100.0 * 102 * 99)), 1e-12);
	/* a pair of blocks pays for having fewer of them */
	assert_true(contrasts.list[1].high / contrasts.list[1].low >
		    contrasts.list[0].high / contrasts.list[0].low);
	contrasts_done(&contrasts);
	block_table_done(&table);
}

/* A level that failed after its first sample takes no blocks away from the others. */
static void a_level_of_one_figure_is_not_judged(void **state)
{
	static const double figures[] = {100, 110, 120, 102, 111, NONE, 99, 108, NONE};
	struct block_table table;
	struct contrasts contrasts;

	(void)state;
	fill(&table, 3, 3, figures);
	contrasts = judged(&table);
	assert_int_equal(contrasts.blocks, 3);
	assert_true(contrasts.degrees == 2);
	assert_true(contrasts.list[0].interval);
	assert_false(contrasts.list[1].interval);
	assert_int_equal(contrasts.list[1].verdict, VERDICT_NONE);
	assert_near(contrasts.list[1].ratio, 1.2, 1e-12);
	assert_true(contrasts.list[1].p_holm == 1);
	contrasts_done(&contrasts);
	block_table_done(&table);
}

/* No block holds all of them. */
static void without_whole_blocks_pairs_stand_alone(void **state)
{
	static const double figures[] = {100,  110, NONE, 102, 111,  NONE, NONE, 108,  120,
					 NONE, 109, 121,  104, NONE, 125,  99,	 NONE, 119};
	struct block_table table;
	struct contrasts contrasts;

	(void)state;
	fill(&table, 6, 3, figures);
	contrasts = judged(&table);
	assert_int_equal(contrasts.blocks, 0);
	assert_true(contrasts.residual == 0);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(contrasts.list[i].blocks, 2);
		assert_true(contrasts.list[i].paired && contrasts.list[i].degrees == 1);
	}
	contrasts_done(&contrasts);
	block_table_done(&table);
}

static void without_a_common_block_there_is_no_ratio(void **state)
{
	static const double figures[] = {100, NONE, NONE, 110};
	struct block_table table;
	struct contrasts contrasts;

	(void)state;
	fill(&table, 2, 2, figures);
	contrasts = judged(&table);
	assert_int_equal(contrasts.count, 1);
	assert_true(contrasts.list[0].ratio == 0 && !contrasts.list[0].interval);
	assert_int_equal(contrasts.list[0].verdict, VERDICT_NONE);
	contrasts_done(&contrasts);
	block_table_done(&table);
}

/* Repeats that are equal to the last digit: no division by nothing, no winner of the last bits of a
 * logarithm. */
static void figures_without_noise(void **state)
{
	static const double alike[] = {100, 100, 100, 100, 100, 100, 100, 100, 100};
	static const double apart[] = {100, 100, 101, 100, 100, 101, 100, 100, 101};
	struct block_table table;
	struct contrasts contrasts;

	(void)state;
	fill(&table, 3, 3, alike);
	table.logs[4] += 1e-15;
	contrasts = judged(&table);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(contrasts.list[i].verdict, VERDICT_NO_DIFFERENCE);
	contrasts_done(&contrasts);
	block_table_done(&table);

	fill(&table, 3, 3, apart);
	contrasts = judged(&table);
	assert_int_equal(contrasts.list[0].verdict, VERDICT_NO_DIFFERENCE);
	assert_int_equal(contrasts.list[1].verdict, VERDICT_DIFFERENT);
	assert_near(contrasts.list[1].low, 1.01, 1e-6);
	contrasts_done(&contrasts);
	block_table_done(&table);
}

/* What printed digits leave open no repeat takes away. */
static void rounding_is_no_noise(void **state)
{
	static const double figures[] = {100, 101, 100, 101, 100, 101};
	struct block_table table;
	struct contrasts contrasts;

	(void)state;
	fill(&table, 3, 2, figures);
	for (size_t i = 0; i < 6; i++)
		table.open[i] = log(100.5 / 100);
	contrasts = judged(&table);
	assert_int_equal(contrasts.list[0].verdict, VERDICT_NO_DIFFERENCE);
	assert_true(contrasts.list[0].low < 1 && contrasts.list[0].high > 1.02);
	assert_true(contrasts.list[0].p == 1);
	assert_near(contrasts.list[0].detectable, 1.005 * 1.005, 1e-6);
	contrasts_done(&contrasts);
	for (size_t i = 0; i < 6; i++)
		table.open[i] = log(100.2 / 100);
	contrasts = judged(&table);
	assert_int_equal(contrasts.list[0].verdict, VERDICT_DIFFERENT);
	contrasts_done(&contrasts);
	block_table_done(&table);
}

/* Holm's own steps: 0.01, 0.02, 0.03 and 0.04 of four are held at 0.05 / 4, but none further. */
static void holms_procedure_stops_at_the_first_that_is_held(void **state)
{
	struct contrast list[] = {{.interval = true, .p = 0.04, .degrees = 4, .error = 0.01},
				  {.interval = true, .p = 0.01, .degrees = 4, .error = 0.01},
				  {.interval = false, .p = 0},
				  {.interval = true, .p = 0.03, .degrees = 4, .error = 0.01},
				  {.interval = true, .p = 0.02, .degrees = 4, .error = 0.01}};
	static const double expected[] = {0.06, 0.04, 0, 0.06, 0.06};
	struct contrast *all[5];

	(void)state;
	for (size_t i = 0; i < 5; i++)
		all[i] = &list[i];
	assert_int_equal(contrasts_judge(all, 5), 4);
	for (size_t i = 0; i < 5; i++) {
		if (!list[i].interval)
			continue;
		assert_near(list[i].p_holm, expected[i], 1e-12);
		assert_int_equal(list[i].verdict,
				 i == 1 ? VERDICT_DIFFERENT : VERDICT_NO_DIFFERENCE);
	}
	assert_int_equal(list[2].verdict, VERDICT_NONE);
	/* the one was held against a fourth of 5 %, the others against a third */
	assert_true(list[1].detectable > list[0].detectable);
	assert_true(list[0].detectable == list[3].detectable);
	assert_int_equal(contrasts_judge(all, 0), 0);
}

/* The point where a noncentral t reaches 80 % is near: worked out by integration over chi. */
static void what_can_be_found_is_found_in_four_of_five(void **state)
{
	static const struct {
		double alpha, degrees;
	} cases[] = {{0.05, 4}, {0.05, 20}, {0.05 / 135, 4}, {0.05 / 135, 20}, {0.05, 3}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		double t = statistics_student(1 - cases[i].alpha, cases[i].degrees);
		double shift = contrasts_findable(cases[i].alpha, cases[i].degrees);
		double power = 0;

		/* T > t where Z + shift > t sqrt(chi square / degrees): over the quantiles */
		for (size_t k = 0; k < 2000; k++) {
			double low = 0, high = 200, wanted = ((double)k + 0.5) / 2000;

			for (int step = 0; step < 50; step++) {
				double middle = (low + high) / 2;

				if (1 - statistics_chi_square_beyond(middle, cases[i].degrees) <
				    wanted)
					low = middle;
				else
					high = middle;
			}
			power += erfc((t * sqrt(low / cases[i].degrees) - shift) / sqrt(2)) / 2;
		}
		power /= 2000;
		if (power < 0.77 || power > 0.83)
			fail_msg("case %zu: %.3f", i, power);
	}
}

static void repeats_needed(void **state)
{
	unsigned int few, many;

	(void)state;
	few = contrasts_repeats(0.05, 0.01, 6, 0.05 / 15);
	many = contrasts_repeats(-0.01, 0.01, 6, 0.05 / 15);
	assert_true(few >= 2 && few <= 4);
	assert_true(many > 20 && many < 40);
	/* as many do, one fewer does not */
	assert_true(contrasts_findable(0.05 / 15, 5 * (many - 1.0)) * 0.01 * sqrt(2.0 / many) <=
		    0.01);
	assert_true(contrasts_findable(0.05 / 15, 5 * (many - 2.0)) * 0.01 *
			    sqrt(2.0 / (many - 1)) >
		    0.01);
	/* paired: fewer degrees, more repeats */
	assert_true(contrasts_repeats(0.05, 0.01, 0, 0.05 / 15) > few);
	assert_int_equal(contrasts_repeats(0.001, 0.01, 6, 0.05), 0);
	assert_int_equal(contrasts_repeats(0, 0.01, 6, 0.05), 0);
	assert_int_equal(contrasts_repeats(1, 0, 6, 0.05), 2);
}

/* The distributions' inverses must not fail anywhere that a result leads to: gsl would abort. */
static void quantiles_hold_at_the_ends(void **state)
{
	(void)state;
	for (double degrees = 1; degrees <= 7000; degrees = ceil(degrees * 1.3))
		for (double pairs = 1; pairs <= 400000; pairs *= 7) {
			double t = statistics_student(1 - 0.05 / pairs, degrees);

			assert_true(isfinite(t) && t > 1.9);
			assert_near(2 * statistics_student_beyond(t, degrees), 0.05 / pairs, 1e-6);
			assert_true(isfinite(contrasts_findable(0.05 / pairs, degrees)));
		}
	assert_true(statistics_student_beyond(1e9, 1) >= 0);
	assert_true(statistics_student_beyond(1e9, 6237) >= 0);
	assert_true(statistics_chi_square_beyond(1e6, 63) >= 0);
	assert_near(statistics_normal(0.8), 0.8416212335729143, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(four_blocks_of_three_levels),
		cmocka_unit_test(where_spreads_differ_pairs_stand_alone),
		cmocka_unit_test(spreads_are_told_apart),
		cmocka_unit_test(a_noisy_level_is_judged_by_its_own),
		cmocka_unit_test(incomplete_blocks_serve_the_pairs_that_they_hold),
		cmocka_unit_test(a_level_of_one_figure_is_not_judged),
		cmocka_unit_test(without_whole_blocks_pairs_stand_alone),
		cmocka_unit_test(without_a_common_block_there_is_no_ratio),
		cmocka_unit_test(figures_without_noise),
		cmocka_unit_test(rounding_is_no_noise),
		cmocka_unit_test(holms_procedure_stops_at_the_first_that_is_held),
		cmocka_unit_test(what_can_be_found_is_found_in_four_of_five),
		cmocka_unit_test(repeats_needed),
		cmocka_unit_test(quantiles_hold_at_the_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
