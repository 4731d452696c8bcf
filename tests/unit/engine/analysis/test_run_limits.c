/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_run_limits.c - limits of a comparison: their words, and what passes, is open and fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/analysis/run_limits.h"
#include "tests/unit/engine/analysis/run_fixture.h"

static void words(void **state)
{
	static const char *const bad[] = {
		"",
		"iops_percent",
		"iops_percent=",
		"iops_percent=x",
		"iops_percent=1e1",
		"iops_percent=nan",
		"iops_percent=1",
		"iops_percent=-100",
		"iops_percent=-5,iops_percent=-6",
		"latency_percent=-1",
		"latency_percent=100001",
		"unmatched=1.5",
		"unmatched=-1",
		"percent=-5",
		"iops_percent=-5,",
		"iops_percent=--5",
		"unmatched=1000001",
	};
	struct run_limits limits = {.set = {false}};
	struct error err;

	(void)state;
	assert_int_equal(
		run_limits_parse("iops_percent=-5,latency_p99_percent=+12.5", &limits, &err), 0);
	assert_int_equal(run_limits_parse("unmatched=0", &limits, &err), 0);
	assert_true(limits.set[RUN_FIGURE_IOPS] && limits.values[RUN_FIGURE_IOPS] == -5);
	assert_true(limits.values[RUN_FIGURE_P99] == 12.5);
	assert_true(limits.set[RUN_LIMIT_UNMATCHED]);
	assert_false(limits.set[RUN_FIGURE_BANDWIDTH]);
	limits = (struct run_limits){.set = {false}};
	assert_int_equal(run_limits_parse("bandwidth_percent=-99.9,latency_percent=100000,"
					  "files_percent=0,unmatched=1000000",
					  &limits, &err),
			 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		limits = (struct run_limits){.set = {false}};
		if (run_limits_parse(bad[i], &limits, &err) == 0)
			fail_msg("\"%s\" was taken", bad[i]);
		assert_int_equal(err.code, ERROR_BAD_PARAMETER);
	}
}

/* Holds one limit on two runs. */
static void hold(const struct result *a, const struct result *b, const char *limit,
		 struct run_judgement *ret_judgement)
{
	struct run_limits limits = {.set = {false}};
	struct run_comparison comparison;
	struct error err;

	assert_int_equal(run_limits_parse(limit, &limits, &err), 0);
	run_fixture_compare(a, b, &comparison);
	assert_int_equal(run_limits_hold(&limits, &comparison, ret_judgement), 0);
	run_comparison_done(&comparison);
}

static bool fails(const struct result *a, const struct result *b, const char *limit)
{
	struct run_judgement judgement;
	bool fail;

	hold(a, b, limit, &judgement);
	fail = judgement.fail;
	run_judgement_done(&judgement);
	return fail;
}

/* Three repeats with a spread of 1 %: an interval of some +-2.3 %. */
static void intervals_decide(void **state)
{
	struct run_judgement judgement;
	struct result a, b;

	(void)state;
	run_fixture_plain(&a, "a", 1);
	run_fixture_plain(&b, "b", 0.9);
	assert_true(fails(&a, &b, "iops_percent=-5"));
	assert_false(fails(&a, &b, "iops_percent=-15"));
	assert_false(fails(&b, &a, "iops_percent=0")); /* it got better */
	assert_true(fails(&a, &b, "latency_percent=5"));
	assert_false(fails(&a, &b, "latency_percent=20"));
	/* beyond, but the interval holds what is allowed: open, and no fail */
	hold(&a, &b, "iops_percent=-9.5", &judgement);
	assert_false(judgement.fail);
	assert_int_equal(judgement.results[RUN_FIGURE_IOPS].held, 2);
	assert_int_equal(judgement.results[RUN_FIGURE_IOPS].open, 2);
	assert_int_equal(judgement.breach_count, 2);
	assert_false(judgement.breaches[0].fail);
	assert_true(judgement.breaches[0].interval);
	run_judgement_done(&judgement);
	result_done(&a);
	result_done(&b);
}

static void single_samples_by_themselves(void **state)
{
	static const size_t before[] = {1000, 0}, after[] = {940, 0};
	struct run_judgement judgement;
	struct result a, b;

	(void)state;
	run_fixture_start(&a, "a");
	run_fixture_workload(&a, "reader");
	run_fixture_reads(&a, "reader", "", "rw=randread size=64m bs=4k", before);
	run_fixture_start(&b, "b");
	run_fixture_workload(&b, "reader");
	run_fixture_reads(&b, "reader", "", "rw=randread size=64m bs=4k", after);
	hold(&a, &b, "iops_percent=-5", &judgement);
	assert_true(judgement.fail);
	assert_false(judgement.breaches[0].interval);
	run_judgement_done(&judgement);
	assert_false(fails(&a, &b, "iops_percent=-6"));
	/* what does nothing at all any more fails as well */
	b.samples[0].directions[DIRECTION_READ].ios = 0;
	b.samples[0].directions[DIRECTION_READ].bytes = 0;
	assert_true(fails(&a, &b, "iops_percent=-50"));
	result_done(&a);
	result_done(&b);
}

static void nothing_held_is_no_pass(void **state)
{
	static const size_t ios[] = {1000, 1010, 0};
	struct result a, b;

	(void)state;
	run_fixture_plain(&a, "a", 1);
	run_fixture_start(&b, "b");
	run_fixture_workload(&b, "another");
	run_fixture_reads(&b, "another", "", "rw=write size=64m bs=64k", ios);
	assert_true(fails(&a, &b, "iops_percent=-5"));
	assert_true(fails(&a, &a, "files_percent=-5")); /* there are no files */
	assert_true(fails(&a, &b, "unmatched=1"));
	assert_false(fails(&a, &b, "unmatched=2"));
	assert_false(fails(&a, &a, "iops_percent=-5,unmatched=0"));
	result_done(&a);
	result_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
		cmocka_unit_test(intervals_decide),
		cmocka_unit_test(single_samples_by_themselves),
		cmocka_unit_test(nothing_held_is_no_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
