/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_run_repeats.c - when repeats end: at whole blocks alone, not before the least of them, at
 * the most at any rate. The rule's own figures are test_stopping.c's. */
#include "engine/run_repeats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/plan/plan.h"
#include "tests/unit/engine/plan/plan_helpers.h"
#include "tests/unit/server/codec/fixture.h"

static struct definition d;
static struct plan plan;
static struct run_repeats repeats;

static void start(const struct repeats *asked)
{
	static const struct machine machine = {
		.memory_bytes = 8ull << 30, .memory_available_bytes = 4ull << 30, .cpus = 2};
	struct error err = {0};

	start_definition(&d, "/t/f");
	add_workload(&d, "name=a rw=randread size=1m runtime=1");
	add_workload(&d, "name=b rw=randwrite size=1m runtime=1 rate_iops=1000");
	add_factor(&d, "iodepth", "1 2 4");
	repeats_set(&d, asked);
	check_ok(&d);
	d.seed = 7;
	if (plan_make(&d, &machine, &plan, &err) < 0)
		fail_msg("%s: %s", err.field, err.message);
	assert_int_equal(run_repeats_begin(&repeats, &plan), 0);
}

static void end(void)
{
	run_repeats_done(&repeats);
	plan_done(&plan);
	definition_done(&d);
}

/* What the plan's sample measured: IOPS that its level doubles, a latency that it halves, both
 * spread by a share that its repeat and cell decide. */
static bool add(size_t index, double spread)
{
	const struct plan_sample *planned = &plan.samples[index];
	enum direction moves = planned->workload == 0 ? DIRECTION_READ : DIRECTION_WRITE;
	double chance = (double)((planned->repeat * 7 + planned->levels[0] * 3) % 5) - 2;
	double speed = (double)(1u << planned->levels[0]) * (1 + spread * chance);
	struct direction_result *direction;
	struct sample sample;
	struct error err = {0};
	bool over = true;

	sample_init(&sample);
	sample.order = index;
	sample.repeat = planned->repeat;
	sample.workload = fixture_text(d.workloads[planned->workload].name);
	fixture_level(&sample, "iodepth", d.factors[0].levels[planned->levels[0]]);
	assert_int_equal(workload_copy(&planned->options, &sample.options), 0);
	sample.seconds = 1;
	direction = &sample.directions[moves];
	direction->ios = (uint64_t)(100000 * speed);
	direction->bytes = 4096 * direction->ios;
	direction->latency = fixture_histogram(100, (uint64_t)(1e6 / speed));
	if (moves == DIRECTION_WRITE)
		direction->intended = fixture_histogram(100, (uint64_t)(1e6 / speed));
	assert_int_equal(run_repeats_add(&repeats, &sample, &over, &err), 0);
	sample_done(&sample);
	return over;
}

/* Until they are over, or all are made; how many samples that took. */
static size_t run(double spread)
{
	for (size_t i = 0; i < plan.sample_count; i++) {
		bool pending = run_repeats_pending(&repeats);
		bool over = add(i, spread);

		assert_int_equal(pending, !plan.one_by_one && i < plan.sample_count - 6);

		if (over)
			return i + 1;
	}
	return SIZE_MAX;
}

static void they_end_once_enough_is_known(void **state)
{
	(void)state;
	start(&(struct repeats){6, 20, 10});
	assert_int_equal(plan.sample_count, 120);
	assert_int_equal(run(0.001), 36); /* after the least, a whole block */
	assert_int_equal(repeats.outcome.end, REPEATS_END_PRECISE);
	assert_int_equal(repeats.outcome.made, 6);
	assert_int_equal(repeats.outcome.most, 20);
	assert_true(repeats.outcome.until_ci_percent == 10);
	assert_true(repeats.outcome.ci_percent > 0 && repeats.outcome.ci_percent < 10);
	end();
}

static void more_spread_takes_more(void **state)
{
	size_t samples;

	(void)state;
	start(&(struct repeats){5, 100, 5});
	samples = run(0.04);
	assert_true(samples > 5 * 6 && samples < 100 * 6);
	assert_int_equal(samples % 6, 0);
	assert_int_equal(repeats.outcome.made, samples / 6);
	assert_int_equal(repeats.outcome.end, REPEATS_END_PRECISE);
	assert_true(repeats.outcome.ci_percent <= 5);
	end();
}

static void all_are_made_where_it_is_not_reached(void **state)
{
	(void)state;
	start(&(struct repeats){5, 8, 0.1});
	assert_int_equal(run(0.04), 48);
	assert_int_equal(repeats.outcome.end, REPEATS_END_MOST);
	assert_int_equal(repeats.outcome.made, 8);
	assert_true(repeats.outcome.ci_percent > 0.1);
	end();
}

static void one_after_another_all_are_made(void **state)
{
	(void)state;
	start(&(struct repeats){5, 8, 50});
	assert_int_equal(plan_group_by_instance(&plan), 0);
	assert_int_equal(run(0.001), 48);
	assert_int_equal(repeats.outcome.end, REPEATS_END_MOST);
	assert_int_equal(repeats.outcome.made, 8);
	assert_true(repeats.outcome.ci_percent > 0);
	end();
}

static void a_number_of_repeats_is_kept(void **state)
{
	(void)state;
	start(&(struct repeats){6, 6, 0});
	for (size_t i = 0; i < plan.sample_count; i++)
		assert_false(add(i, 0.001));
	assert_false(run_repeats_pending(&repeats));
	assert_int_equal(repeats.outcome.end, REPEATS_END_NONE);
	end();
}

/* What is kept of a sample says what the whole one did. */
static void means_are_kept_exactly(void **state)
{
	const struct sample *kept;
	struct histogram *whole = fixture_histogram(100, 1000000);

	(void)state;
	start(&(struct repeats){5, 8, 50});
	for (size_t i = 0; plan.samples[i].workload != 1 || plan.samples[i].levels[0] != 0; i++)
		assert_false(add(i, 0));
	assert_false(add(repeats.so_far.sample_count, 0));
	kept = &repeats.so_far.samples[repeats.so_far.sample_count - 1];
	assert_int_equal(kept->directions[DIRECTION_WRITE].latency->count, 100);
	assert_true(histogram_mean_ns(kept->directions[DIRECTION_WRITE].latency) ==
		    histogram_mean_ns(whole));
	assert_true(histogram_mean_ns(kept->directions[DIRECTION_WRITE].intended) ==
		    histogram_mean_ns(whole));
	/* without a rate nobody asks for latencies */
	for (size_t i = 0; i < repeats.so_far.sample_count; i++)
		if (strcmp(repeats.so_far.samples[i].workload, "a") == 0)
			assert_null(repeats.so_far.samples[i].directions[DIRECTION_READ].latency);
	free(whole);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(they_end_once_enough_is_known),
		cmocka_unit_test(more_spread_takes_more),
		cmocka_unit_test(all_are_made_where_it_is_not_reached),
		cmocka_unit_test(one_after_another_all_are_made),
		cmocka_unit_test(a_number_of_repeats_is_kept),
		cmocka_unit_test(means_are_kept_exactly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
