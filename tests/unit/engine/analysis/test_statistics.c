/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_statistics.c - against printed tables of Student's t and figures worked out by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/analysis/statistics.h"

static void near(double found, double expected, double share)
{
	if (fabs(found - expected) > fabs(expected) * share)
		fail_msg("%.17g, expected %.17g", found, expected);
}

static void student_is_that_of_the_tables(void **state)
{
	(void)state;
	near(statistics_student(0.95, 1), 12.7062, 1e-5);
	near(statistics_student(0.95, 2), 4.30265, 1e-5);
	near(statistics_student(0.95, 4), 2.77645, 1e-5);
	near(statistics_student(0.99, 9), 3.24984, 1e-5);
	near(statistics_student(0.95, 1000), 1.96234, 1e-5);
}

static void mean_and_interval(void **state)
{
	/* mean 30, s = sqrt(250), t(4) = 2.776445: half = 2.776445 * 15.8114 / sqrt(5) */
	static const double values[] = {10, 20, 30, 40, 50};
	struct estimate_interval e = statistics_mean(values, 5);

	(void)state;
	assert_int_equal(e.count, 5);
	assert_true(e.interval);
	near(e.mean, 30, 1e-15);
	near(e.high - e.mean, 19.6324, 1e-5);
	near(e.mean - e.low, 19.6324, 1e-5);
}

static void one_value_or_none_has_no_interval(void **state)
{
	static const double value = 7.25;
	struct estimate_interval e = statistics_mean(&value, 1);

	(void)state;
	assert_false(e.interval);
	assert_true(e.mean == 7.25 && e.low == 7.25 && e.high == 7.25);
	e = statistics_mean(NULL, 0);
	assert_false(e.interval);
	assert_int_equal(e.count, 0);
	assert_true(e.mean == 0 && e.low == 0 && e.high == 0);
}

static void equal_values_have_an_interval_of_no_width(void **state)
{
	static const double values[] = {0.1, 0.1, 0.1};
	struct estimate_interval e = statistics_mean(values, 3);

	(void)state;
	assert_true(e.interval);
	near(e.high - e.low + 1, 1, 1e-12);
}

static void large_values_keep_their_differences(void **state)
{
	static const double values[] = {1e15 + 1, 1e15 + 2, 1e15 + 3};
	struct estimate_interval e = statistics_mean(values, 3);

	(void)state;
	near(e.high - e.mean, 4.30265 / sqrt(3), 0.1); /* s = 1; 1e15 has steps of 1/8 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(student_is_that_of_the_tables),
		cmocka_unit_test(mean_and_interval),
		cmocka_unit_test(one_value_or_none_has_no_interval),
		cmocka_unit_test(equal_values_have_an_interval_of_no_width),
		cmocka_unit_test(large_values_keep_their_differences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
