/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_welch.c - ratios of two groups of repeats: known answers, and by simulation that intervals
 * hold the truth as often as they say and that Holm's procedure does not cry wolf.
 */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/analysis/welch.h"
#include "engine/base/macros.h"

#define TRIALS 1000

static bool near(double found, double expected, double tolerance)
{
	return fabs(found - expected) <= tolerance;
}

/* Worked out apart: the formulas by hand, the distribution by Simpson's rule over its density. */
static void a_known_answer(void **state)
{
	static const double baseline[] = {100, 104, 98, 101}, other[] = {110, 121, 115};
	struct welch welch = welch_ratio(baseline, 4, other, 3);

	(void)state;
	assert_true(near(welch.ratio, 1.1441425, 1e-6));
	assert_true(near(welch.degrees, 2.8121717, 1e-6));
	assert_true(near(welch.low, 1.0354755, 1e-5));
	assert_true(near(welch.high, 1.2642133, 1e-5));
	assert_true(near(welch.p, 0.0240100, 1e-6));
	assert_true(welch.interval);
	/* the interval is of the logarithm, so it is even about it */
	assert_true(near(welch.ratio / welch.low, welch.high / welch.ratio, 1e-9));
}

static void the_other_way_round(void **state)
{
	static const double a[] = {100, 104, 98, 101}, b[] = {110, 121, 115};
	struct welch there = welch_ratio(a, 4, b, 3), back = welch_ratio(b, 3, a, 4);

	(void)state;
	assert_true(near(there.ratio * back.ratio, 1, 1e-12));
	assert_true(near(there.low * back.high, 1, 1e-12));
	assert_true(near(there.p, back.p, 1e-12));
	assert_true(near(there.degrees, back.degrees, 1e-9));
}

/* 100 and 101 of figures without a decimal: what differs by rounding alone is not shown. */
static void rounding_is_no_difference(void **state)
{
	static const double a[] = {100, 100, 100, 100, 100},
			    b[] = {100.999, 101, 101, 101, 101.001};
	struct welch exact = welch_ratio(a, 5, b, 5), told = exact;

	(void)state;
	assert_true(exact.p < 1e-6);
	welch_widen(&told, 0.5 / 100 + 0.5 / 101);
	assert_true(told.p > 0.5);
	assert_true(near(told.ratio, exact.ratio, 0) && told.low < 1 && told.high > 1.019);
	/* without anything open it is what it was */
	told = exact;
	welch_widen(&told, 0);
	assert_true(told.p == exact.p && told.low == exact.low);
	/* half of the difference: the other half counts, by hand */
	told = welch_ratio((const double[]){100, 104, 98, 101}, 4, (const double[]){110, 121, 115},
			   3);
	welch_widen(&told, 0.0673280);
	assert_true(near(told.low, 1.0354755 * exp(-0.0673280), 1e-5));
	assert_true(told.p > 0.1 && told.p < 0.13);
}

/* With groups of one size and one variance it is Student's test of two groups. */
static void equal_groups(void **state)
{
	static const double a[] = {1, M_E}, b[] = {M_E, M_E * M_E};
	struct welch welch = welch_ratio(a, 2, b, 2);

	(void)state;
	assert_true(near(welch.ratio, M_E, 1e-9));
	assert_true(near(welch.degrees, 2, 1e-9));
	/* t = 1 / sqrt(0.5) = 1.41421 on 2 degrees: p = 0.29289 */
	assert_true(near(welch.p, 0.29289, 1e-4));
	assert_true(near(log(welch.high), 1 + 4.302653 * sqrt(0.5), 1e-5));
}

static void too_few(void **state)
{
	static const double one[] = {100}, two[] = {100, 101}, zero[] = {0, 100};
	static const double alike[] = {50, 50};

	(void)state;
	assert_false(welch_ratio(one, 1, two, 2).interval);
	assert_true(near(welch_ratio(one, 1, one, 1).ratio, 1, 0));
	assert_true(welch_ratio(one, 0, two, 2).ratio == 0);
	assert_true(welch_ratio(two, 2, zero, 2).ratio == 0);
	/* no spread at all says nothing of the spread */
	assert_false(welch_ratio(alike, 2, alike, 2).interval);
	assert_true(welch_ratio(alike, 2, two, 2).interval);
	assert_true(welch_ratio(two, 2, two, 2).interval);
}

static void holm_by_hand(void **state)
{
	double p[] = {0.04, 0.01, 0.9, 0.03}, *list[] = {&p[0], &p[1], &p[2], &p[3]};

	(void)state;
	welch_holm(list, 4);
	assert_true(near(p[1], 0.04, 1e-12)); /* 0.01 x 4 */
	assert_true(near(p[3], 0.09, 1e-12)); /* 0.03 x 3 */
	assert_true(near(p[0], 0.09, 1e-12)); /* 0.04 x 2 is less than the one before */
	assert_true(near(p[2], 0.9, 1e-12));
	welch_holm(list, 0);
}

/* ---- simulation ---- */

static uint64_t random_state;

/* splitmix64 (S. Vigna, public domain); 0 < u < 1 */
static double uniform(void)
{
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return ((double)((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

static void draw(double *values, size_t count, double center, double spread)
{
	for (size_t i = 0; i < count; i++)
		values[i] = center * exp(spread * normal());
}

/* How many of 1,000 intervals held the truth. */
static int held(size_t n, double spread, size_t m, double other_spread, double truth)
{
	double a[16], b[16];
	int count = 0;

	for (int i = 0; i < TRIALS; i++) {
		struct welch welch;

		draw(a, n, 1000, spread);
		draw(b, m, 1000 * truth, other_spread);
		welch = welch_ratio(a, n, b, m);
		assert_true(welch.interval);
		count += welch.low <= truth && truth <= welch.high;
	}
	return count;
}

static void intervals_hold_the_truth(void **state)
{
	static const struct {
		size_t n, m;
		double spread, other_spread, truth;
		int most; /* of 1,000 */
	} cases[] = {
		{5, 5, 0.01, 0.01, 1, 970},
		{5, 5, 0.01, 0.03, 1.05, 970},
		{3, 5, 0.02, 0.01, 0.9, 970},
		{5, 3, 0.02, 0.02, 1, 970},
		{10, 5, 0.05, 0.01, 30, 970},
		{4, 4, 0.2, 0.1, 2, 970},
		{16, 16, 0.5, 0.5, 1, 970},
		/* Of three repeats and fewer the degrees of freedom come out low, and intervals
		 * wider than they must be: they err on the side that claims less. */
		{3, 3, 0.02, 0.02, 1, 985},
		{2, 2, 0.02, 0.02, 1, 1000},
	};

	(void)state;
	random_state = 20261130;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int count = held(cases[i].n, cases[i].spread, cases[i].m, cases[i].other_spread,
				 cases[i].truth);

		printf("%zu x %g beside %zu x %g, ratio %g: %.1f %%\n", cases[i].n, cases[i].spread,
		       cases[i].m, cases[i].other_spread, cases[i].truth, count / 10.0);
		if (count < 930 || count > cases[i].most)
			fail_msg("case %zu: %d of %d intervals hold the truth", i, count, TRIALS);
	}
}

/* 54 figures without an effect: how often any of them is said to differ. */
static void without_an_effect_none_is_shown(void **state)
{
	double a[5], b[5], p[54], *list[54];
	int wrong = 0;

	(void)state;
	random_state = 7;
	for (int i = 0; i < TRIALS; i++) {
		bool any = false;

		for (size_t k = 0; k < ARRAY_SIZE(p); k++) {
			draw(a, 5, 1, 0.01);
			draw(b, 5, 1, 0.01);
			p[k] = welch_ratio(a, 5, b, 5).p;
			list[k] = &p[k];
		}
		welch_holm(list, ARRAY_SIZE(p));
		for (size_t k = 0; k < ARRAY_SIZE(p); k++)
			any = any || p[k] <= 0.05;
		wrong += any;
	}
	printf("without an effect %.1f %% of comparisons show one\n", wrong / 10.0);
	assert_true(wrong <= 65);
}

/* How many of 1,000 comparisons show a ratio below what is allowed: the whole interval is. */
static int below(double truth, double allowed)
{
	double a[5], b[5];
	int count = 0;

	for (int i = 0; i < TRIALS; i++) {
		draw(a, 5, 1, 0.01);
		draw(b, 5, truth, 0.01);
		count += welch_ratio(a, 5, b, 5).high < allowed;
	}
	return count;
}

/* What is promised of limits (run_limits.h): 5 repeats, 1 % noise. */
static void limits_fail_when_they_should(void **state)
{
	int chance, none, found;

	(void)state;
	random_state = 11;
	chance = below(1, 1);	   /* a limit of 0 without a change: one in forty */
	none = below(1, 0.95);	   /* a limit of -5 without a change */
	found = below(0.92, 0.95); /* 8 % less */
	printf("limit 0: %.1f %% by chance; limit -5: %.1f %% by chance, %.1f %% of falls by 8 %% "
	       "found\n",
	       chance / 10.0, none / 10.0, found / 10.0);
	assert_true(chance >= 15 && chance <= 35);
	assert_int_equal(none, 0);
	assert_true(found >= 950);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_known_answer),
		cmocka_unit_test(the_other_way_round),
		cmocka_unit_test(rounding_is_no_difference),
		cmocka_unit_test(equal_groups),
		cmocka_unit_test(too_few),
		cmocka_unit_test(holm_by_hand),
		cmocka_unit_test(intervals_hold_the_truth),
		cmocka_unit_test(without_an_effect_none_is_shown),
		cmocka_unit_test(limits_fail_when_they_should),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
