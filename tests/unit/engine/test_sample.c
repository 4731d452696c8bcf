/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_sample.c - rates, directions, and an end that frees all (leaks show under ASan). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/server/codec/fixture.h"

static void rates_are_of_the_window(void **state)
{
	struct sample sample;

	(void)state;
	sample_init(&sample);
	sample.directions[DIRECTION_READ].ios = 3000;
	sample.directions[DIRECTION_READ].bytes = 3000 * 4096;
	assert_true(sample_iops(&sample, DIRECTION_READ) == 0);
	sample.seconds = 2;
	assert_true(sample_iops(&sample, DIRECTION_READ) == 1500);
	assert_true(sample_bandwidth(&sample, DIRECTION_READ) == 1500 * 4096);
	assert_true(sample_iops(&sample, DIRECTION_WRITE) == 0);
	sample_done(&sample);
}

static void directions_follow_the_workload(void **state)
{
	struct sample sample;

	(void)state;
	sample_init(&sample);
	fixture_workload(&sample.options, "rw=randread size=1m");
	assert_true(sample_moves(&sample, DIRECTION_READ));
	assert_false(sample_moves(&sample, DIRECTION_WRITE));
	sample.directions[DIRECTION_WRITE].ios = 1;
	assert_true(sample_moves(&sample, DIRECTION_WRITE));
	workload_done(&sample.options);
	fixture_workload(&sample.options, "rw=rw rwmixread=100 size=1m");
	sample.directions[DIRECTION_WRITE].ios = 0;
	assert_true(sample_moves(&sample, DIRECTION_READ));
	assert_false(sample_moves(&sample, DIRECTION_WRITE));
	sample_done(&sample);
}

static void done_leaves_it_fresh(void **state)
{
	struct sample sample;

	(void)state;
	fixture_sample(&sample);
	sample_done(&sample);
	assert_null(sample.workload);
	assert_null(sample.levels);
	assert_null(sample.jobs);
	assert_null(sample.series.seconds);
	assert_int_equal(sample.findings.count, 0);
	sample_done(&sample);
}

/* What another tool did not tell is not known, and what it told is not worked out again. */
static void test_told_figures(void **state)
{
	struct sample sample;
	struct told_direction *told;

	(void)state;
	sample_init(&sample);
	sample.seconds = 2;
	sample.directions[DIRECTION_READ].ios = 100;
	sample.directions[DIRECTION_READ].bytes = 409600;
	assert_true(sample_iops_figure(&sample, DIRECTION_READ).known);
	assert_true(sample_knows(&sample, OPTION_ID_BS));
	sample.source = sample_source_new("fio-3.33", NULL);
	assert_non_null(sample.source);
	told = &sample.source->directions[DIRECTION_READ];
	assert_false(sample_iops_figure(&sample, DIRECTION_READ).known);
	assert_false(sample_knows(&sample, OPTION_ID_BS));
	told->ios_known = told->bytes_known = true;
	assert_false(sample_iops_figure(&sample, DIRECTION_READ).known);
	sample.source->seconds_known = true;
	assert_float_equal(sample_iops(&sample, DIRECTION_READ), 50, 0);
	told->bandwidth = (struct told_figure){true, 1000, 900, 1100};
	assert_float_equal(sample_bandwidth(&sample, DIRECTION_READ), 1000, 0);
	assert_float_equal(sample_bandwidth_figure(&sample, DIRECTION_READ).high, 1100, 0);
	sample_done(&sample);

	/* a table of writes that tells no pattern does not read */
	sample_init(&sample);
	sample.source = sample_source_new("volbench.table/1", NULL);
	assert_non_null(sample.source);
	sample.source->directions[DIRECTION_WRITE].iops = told_exactly(7);
	assert_false(sample_moves(&sample, DIRECTION_READ));
	assert_true(sample_moves(&sample, DIRECTION_WRITE));
	sample_done(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_told_figures),
		cmocka_unit_test(rates_are_of_the_window),
		cmocka_unit_test(directions_follow_the_workload),
		cmocka_unit_test(done_leaves_it_fresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
