/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_forecast.c - time left: asked, seen, corrected; the percentage never goes back. */
#include "engine/forecast.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "engine/plan/estimate.h"

#define AT(seconds) ((uint64_t)((1000 + (seconds)) * (double)NS_PER_S))

static struct plan_sample samples[4];
static struct plan plan = {.samples = samples, .sample_count = 4};

static void use(bool time_based)
{
	for (size_t i = 0; i < 4; i++) {
		samples[i].options.time_based = time_based;
		samples[i].options.runtime_ns = time_based ? 9 * NS_PER_S : 0;
		samples[i].options.ramp_time_ns = time_based ? NS_PER_S : 0;
		samples[i].options.bs[DIRECTION_READ] = 1 << 20;
		samples[i].options.size = UINT64_C(5000) * 1000 * 1000; /* guessed at 10 s */
		samples[i].options.iodepth = 1;
		samples[i].options.numjobs = 1;
	}
}

static double left_at(struct forecast *forecast, double seconds, double *ret_percent)
{
	double left;

	forecast_read(forecast, AT(seconds), ret_percent, &left);
	return left;
}

static void test_time_based(void **state)
{
	struct forecast forecast;
	double percent, before;

	(void)state;
	use(true);
	forecast_begin(&forecast, &plan, AT(0));
	assert_float_equal(left_at(&forecast, 0, &percent), 40.4, 0.01);
	assert_float_equal(percent, 0, 0.01);
	forecast_sample_begins(&forecast, AT(0));
	assert_float_equal(left_at(&forecast, 5, &percent), 35.4, 0.01);
	assert_float_equal(percent, 100 * 5 / 40.4, 0.1);
	/* Each sample turns out to take two seconds more: the rest is corrected. */
	forecast_sample_ended(&forecast, AT(12));
	assert_float_equal(left_at(&forecast, 12, &percent), 36, 0.01);
	assert_float_equal(percent, 25, 0.01);
	/* One that hangs does not count down below the others' share, and percent stands still. */
	forecast_sample_begins(&forecast, AT(12));
	assert_float_equal(left_at(&forecast, 24, &percent), 24, 0.01);
	before = percent;
	assert_float_equal(left_at(&forecast, 100, &percent), 24, 0.01);
	assert_true(percent >= before);
	for (int i = 1; i < 4; i++) {
		forecast_sample_ended(&forecast, AT(100));
		if (i < 3)
			forecast_sample_begins(&forecast, AT(100));
	}
	assert_float_equal(left_at(&forecast, 100, &percent), 0, 0.01);
	assert_float_equal(percent, 100, 0.01);
}

static void test_fill(void **state)
{
	struct forecast forecast;
	double percent;
	const uint64_t bytes = UINT64_C(1000) * 1000 * 1000;

	(void)state;
	use(true);
	forecast_begin(&forecast, &plan, AT(0));
	forecast_expect_fill(&forecast, bytes);
	assert_float_equal(left_at(&forecast, 0, &percent), 40.4 + 2, 0.01);
	forecast_fill(&forecast, 0, AT(0));
	forecast_fill(&forecast, bytes / 10, AT(10)); /* ten times slower than guessed */
	assert_float_equal(left_at(&forecast, 10, &percent), 40.4 + 90, 0.01);
	assert_float_equal(left_at(&forecast, 11, &percent), 40.4 + 89, 0.01);
	forecast_filled(&forecast, bytes, AT(100));
	forecast_sample_begins(&forecast, AT(100));
	assert_float_equal(left_at(&forecast, 100, &percent), 40.4, 0.01);
}

/* Two fills with a sample between them: the second goes at the rate of the first. */
static void test_fills_between_samples(void **state)
{
	struct forecast forecast;
	double percent;
	const uint64_t bytes = UINT64_C(1000) * 1000 * 1000;

	(void)state;
	use(true);
	forecast_begin(&forecast, &plan, AT(0));
	forecast_expect_fill(&forecast, 2 * bytes);
	forecast_fill(&forecast, 0, AT(0));
	forecast_fill(&forecast, bytes / 2, AT(5));
	assert_float_equal(left_at(&forecast, 5, &percent), 40.4 + 15, 0.01);
	forecast_filled(&forecast, bytes, AT(10));
	assert_float_equal(left_at(&forecast, 10, &percent), 40.4 + 10, 0.01);
	forecast_sample_begins(&forecast, AT(10));
	forecast_sample_ended(&forecast, AT(20.1));
	assert_float_equal(left_at(&forecast, 20.1, &percent), 30.3 + 10, 0.01);
	forecast_fill(&forecast, bytes, AT(20.1));
	forecast_fill(&forecast, bytes + bytes / 2, AT(30.1)); /* half as fast: 15 s for 1.5 G */
	assert_float_equal(left_at(&forecast, 30.1, &percent), 30.3 + 20. / 3, 0.01);
	forecast_filled(&forecast, 2 * bytes, AT(35));
	assert_float_equal(left_at(&forecast, 35, &percent), 30.3, 0.01);
}

static void test_by_size(void **state)
{
	struct forecast forecast;
	double percent;
	bool guess;

	(void)state;
	use(false);
	assert_float_equal(estimate_workload(&samples[0].options, &guess), 10, 0.01);
	assert_true(guess);
	forecast_begin(&forecast, &plan, AT(0));
	forecast_sample_begins(&forecast, AT(0));
	forecast_sample_ended(&forecast, AT(20)); /* twice as long as guessed */
	assert_float_equal(left_at(&forecast, 20, &percent), 60, 0.5);
	samples[0].options.runtime_ns = 3 * NS_PER_S;
	assert_float_equal(estimate_workload(&samples[0].options, &guess), 3, 0.01);
}

/* Repeats that end early: nothing is left, whatever was asked. */
static void test_ended_early(void **state)
{
	struct forecast forecast;
	double percent;

	(void)state;
	for (int time_based = 0; time_based < 2; time_based++) {
		use(time_based);
		forecast_begin(&forecast, &plan, AT(0));
		forecast_expect_fill(&forecast, 1000 * 1000 * 1000);
		forecast_sample_begins(&forecast, AT(0));
		forecast_sample_ended(&forecast, AT(10));
		assert_true(left_at(&forecast, 10, &percent) > 20);
		forecast_end_samples(&forecast);
		assert_float_equal(left_at(&forecast, 10, &percent), 0, 1e-9);
		assert_float_equal(percent, 100, 1e-9);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_based),
		cmocka_unit_test(test_fill),
		cmocka_unit_test(test_fills_between_samples),
		cmocka_unit_test(test_by_size),
		cmocka_unit_test(test_ended_early),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
