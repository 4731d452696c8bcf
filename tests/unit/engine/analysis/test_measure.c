/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_measure.c - the figure of a sample by which it is judged: a sum of what moves, or unknown.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/measure.h"
#include "tests/unit/engine/analysis/told_fixture.h"

static struct told_figure figure_of(const char *options, const char *read, const char *write)
{
	const struct comparison comparison = {.measure = MEASURE_BANDWIDTH};
	struct told_figure figure;
	struct sample sample;

	told_sample(&sample, "w", options);
	told_rates(&sample, DIRECTION_READ, NULL, read);
	told_rates(&sample, DIRECTION_WRITE, NULL, write);
	figure = measure_figure(&sample, &comparison);
	sample_done(&sample);
	return figure;
}

static void directions_are_summed(void **state)
{
	struct told_figure figure = figure_of("rw=randrw", "10", "4");

	(void)state;
	assert_true(figure.known);
	assert_true(figure.value == 14.0 * 1048576);
	assert_true(figure.low == 13.0 * 1048576);
	assert_true(figure.high == 15.0 * 1048576);
}

static void half_a_sum_is_not_known(void **state)
{
	(void)state;
	assert_false(figure_of("rw=randrw", "10", NULL).known);
	assert_false(figure_of("rw=randrw", NULL, NULL).known);
	assert_true(figure_of("rw=randread", "10", NULL).known);
}

/* A rewrite reads each block and writes it back; who tells one figure has told both. */
static void a_rewrite_is_judged_by_the_one_figure_told(void **state)
{
	struct told_figure figure = figure_of("rw=rewrite", NULL, "4");

	(void)state;
	assert_true(figure.known);
	assert_true(figure.value == 4.0 * 1048576);
	assert_false(figure_of("rw=rewrite", NULL, NULL).known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(directions_are_summed),
		cmocka_unit_test(half_a_sum_is_not_known),
		cmocka_unit_test(a_rewrite_is_judged_by_the_one_figure_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
