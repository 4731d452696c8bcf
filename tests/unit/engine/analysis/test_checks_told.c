/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_checks_told.c - what other tools told: honest figures have no finding however they were
 * rounded, what cannot be so has its own, and what is not known says nothing.
 *
 * Length: a test for each of the checks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/checks.h"
#include "tests/unit/engine/analysis/told_fixture.h"

/* Checks it, expects this finding alone (none for NULL), and ends it. */
static void expect_only(struct sample *sample, const char *code)
{
	assert_int_equal(checks_sample(sample), 0);
	if (!code && sample->findings.count > 0)
		fail_msg("finding %s: expected %s, found %s", sample->findings.list[0].code,
			 sample->findings.list[0].expected, sample->findings.list[0].found);
	if (code) {
		if (!told_find(&sample->findings, code))
			fail_msg("no finding %s", code);
		assert_int_equal(sample->findings.count, 1);
		assert_string_equal(sample->findings.list[0].workloads[0], "w");
	}
	sample_done(sample);
}

/* ---- IOPS x request size against bandwidth ---- */

static void only_rounding_may_part_rates(void **state)
{
	static const struct {
		const char *iops, *mib;
		bool agree;
	} cases[] = {
		/* 15.65k to 15.75k of 32k are 489.06 to 492.19 MiB/s */
		{"15.7k", "489", true},	 {"15.7k", "492", true},    {"15.7k", "488", false},
		{"15.7k", "493", false}, {"15.7k", "488.9", false}, {"15.7k", "489.1", true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sample sample;

		told_sample(&sample, "w", "rw=write bs=32k");
		told_rates(&sample, DIRECTION_WRITE, cases[i].iops, cases[i].mib);
		expect_only(&sample, cases[i].agree ? NULL : "size_mismatch");
	}
}

/* dd tells how many requests there were, and of none how long it took: no percentile is missed. */
static void few_operations_lack_no_percentiles_that_were_not_told(void **state)
{
	for (int told = 0; told < 2; told++) {
		struct told_direction *read;
		struct sample sample;

		told_sample(&sample, "w", "rw=read bs=1m");
		read = &sample.source->directions[DIRECTION_READ];
		sample.directions[DIRECTION_READ].ios = 64;
		read->ios_known = true;
		if (told) {
			read->percentiles = calloc(1, sizeof(*read->percentiles));
			assert_non_null(read->percentiles);
			read->percentile_count = 1;
			read->percentiles[0] = (struct told_percentile){50, 1e6};
		}
		expect_only(&sample, told ? "few_operations" : NULL);
	}
	(void)state;
}

/* Exact ones may miss by what a last, shorter request takes: a thousandth. */
static void exact_rates_may_miss_a_thousandth(void **state)
{
	static const double factors[] = {1, 1.0009, 0.9991, 1.0011, 0.9989};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(factors); i++) {
		struct sample sample;

		told_sample(&sample, "w", "rw=read bs=4k");
		sample.source->directions[DIRECTION_READ].iops = told_exactly(1000);
		sample.source->directions[DIRECTION_READ].bandwidth =
			told_exactly(4096000 * factors[i]);
		expect_only(&sample, i < 3 ? NULL : "size_mismatch");
	}
}

static void sizes_that_differ_give_a_range(void **state)
{
	static const char *const options[] = {"rw=read bsrange=4k-16k",
					      "rw=read bssplit=16k/20:4k/80"};
	static const struct {
		double bytes;
		const char *code;
	} cases[] = {{4080e3, "size_mismatch"},
		     {4096e3, NULL},
		     {16384e3, NULL},
		     {16420e3, "size_mismatch"}};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		struct sample sample;

		told_sample(&sample, "w", options[i % 2]);
		sample.source->directions[DIRECTION_READ].iops = told_exactly(1000);
		sample.source->directions[DIRECTION_READ].bandwidth =
			told_exactly(cases[i / 2].bytes);
		expect_only(&sample, cases[i / 2].code);
	}
}

static void amounts_are_held_to_the_size(void **state)
{
	struct sample sample;

	(void)state;
	told_sample(&sample, "w", "rw=read bs=64k");
	told_amounts(&sample, DIRECTION_READ, 537162, 35203448832);
	expect_only(&sample, NULL);
	told_sample(&sample, "w", "rw=read bs=64k");
	told_amounts(&sample, DIRECTION_READ, 537162, 35203448832 / 1000 * 998);
	expect_only(&sample, "size_mismatch");
}

/* fio, 128k at depth 32 with a ramp: what was outstanding at its end is among the bytes alone. */
static void a_ramp_may_leave_a_queue_of_bytes(void **state)
{
	static const struct {
		uint64_t more;
		bool ramp, agree;
	} cases[] = {{31, true, true}, {43, true, true}, {44, true, false}, {31, false, false}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sample sample;

		told_sample(&sample, "w",
			    cases[i].ramp ? "rw=write bs=128k iodepth=32 numjobs=1 ramp_time=1"
					  : "rw=write bs=128k iodepth=32 numjobs=1");
		told_amounts(&sample, DIRECTION_WRITE, 11559, (11559 + cases[i].more) << 17);
		told_seconds(&sample, 1);
		sample.source->directions[DIRECTION_WRITE].iops = told_exactly(11559);
		sample.source->directions[DIRECTION_WRITE].bandwidth =
			told_exactly((double)((11559 + cases[i].more) << 17));
		expect_only(&sample, cases[i].agree ? NULL : "size_mismatch");
	}
}

/* Nothing is said where what it takes is not known. */
static void unknown_says_nothing(void **state)
{
	struct sample sample;

	(void)state;
	told_sample(&sample, "w", "");
	expect_only(&sample, NULL);
	/* no request size */
	told_sample(&sample, "w", "rw=read iodepth=8 numjobs=2 runtime=60");
	told_rates(&sample, DIRECTION_READ, "10.0k", "1");
	expect_only(&sample, NULL);
	/* one of the two rates */
	told_sample(&sample, "w", "rw=read bs=4k");
	told_rates(&sample, DIRECTION_READ, NULL, "264");
	expect_only(&sample, NULL);
	/* no pattern: no mix, no direction that must have moved */
	told_sample(&sample, "w", "rwmixread=70 bs=4k");
	told_rates(&sample, DIRECTION_READ, "256", "1.0");
	told_rates(&sample, DIRECTION_WRITE, "256", "1.0");
	expect_only(&sample, NULL);
	/* a mix whose shares are not told */
	told_sample(&sample, "w", "rw=randrw bs=4k");
	told_rates(&sample, DIRECTION_READ, "256", "1.0");
	told_rates(&sample, DIRECTION_WRITE, "2560", "10.0");
	expect_only(&sample, NULL);
	/* latency without depth, depth without jobs */
	told_sample(&sample, "w", "rw=randread bs=4k iodepth=8");
	told_rates(&sample, DIRECTION_READ, "256", "1.0");
	sample.source->directions[DIRECTION_READ].latency_mean = told_exactly(1e9);
	expect_only(&sample, NULL);
	/* a steady state that was asked for, without a word about what it came to; phases and
	 * percentiles without their times and counts */
	told_sample(&sample, "w", "rw=randread bs=4k steadystate=iops:5% steadystate_duration=5");
	told_rates(&sample, DIRECTION_READ, "256", "1.0");
	sample.files = calloc(1, sizeof(*sample.files));
	sample.file_count = 1;
	sample.files[0].told_ops_per_s = told_exactly(1000);
	sample.source->directions[DIRECTION_READ].percentile_count = 1;
	sample.source->directions[DIRECTION_READ].percentiles =
		malloc(sizeof(struct told_percentile));
	sample.source->directions[DIRECTION_READ].percentiles[0] =
		(struct told_percentile){99.999, 1e6};
	expect_only(&sample, NULL);
	/* an index is no rate */
	told_sample(&sample, "w", "rw=randrw rwmixread=70 bs=4k");
	sample.source->index = true;
	told_rates(&sample, DIRECTION_READ, "100", "156");
	told_rates(&sample, DIRECTION_WRITE, "156", "100");
	expect_only(&sample, NULL);
}

/* ---- time, mix ---- */

static void longer_than_asked_is_told(void **state)
{
	struct sample sample;

	(void)state;
	/* diskspd, -d10: 838,790 operations at 51,098.78 a second are 16.4 s. */
	told_sample(&sample, "w", "rw=read bs=64k runtime=10");
	told_amounts(&sample, DIRECTION_READ, 838790, 54970941440);
	told_rates(&sample, DIRECTION_READ, "51098.78", "3193.67");
	expect_only(&sample, "time_long");
	/* and 537,162 at 51,881.09 are 10.35 s */
	told_sample(&sample, "w", "rw=read bs=64k runtime=10");
	told_amounts(&sample, DIRECTION_READ, 537162, 35203448832);
	told_rates(&sample, DIRECTION_READ, "51881.09", "3242.57");
	expect_only(&sample, NULL);
	for (size_t i = 0; i < 2; i++) {
		told_sample(&sample, "w", "rw=read bs=64k runtime=60");
		told_seconds(&sample, i ? 66.1 : 65.9);
		expect_only(&sample, i ? "time_long" : NULL);
	}
}

static void shorter_is_told_where_it_was_to_go_on(void **state)
{
	struct sample sample;

	(void)state;
	told_sample(&sample, "w", "rw=read bs=64k runtime=60 time_based=1");
	told_seconds(&sample, 59.3);
	expect_only(&sample, "time_short");
	told_sample(&sample, "w", "rw=read bs=64k runtime=60 time_based=1");
	told_seconds(&sample, 59.5);
	expect_only(&sample, NULL);
	told_sample(&sample, "w", "rw=read bs=64k runtime=60");
	told_seconds(&sample, 20);
	expect_only(&sample, NULL);
}

static void a_mix_may_miss_by_a_point_and_its_rounding(void **state)
{
	static const struct {
		const char *options, *reads, *writes;
		bool off;
	} cases[] = {
		/* of 100,000 a second, one point */
		{"rw=randrw rwmixread=70", "70990", "29010", false},
		{"rw=randrw rwmixread=70", "71010", "28990", true},
		{"rw=randrw rwmixwrite=30", "68990", "31010", true},
		{"rw=randrw rwmixwrite=30", "69010", "30990", false},
		/* 4.15k to 4.25k beside as many may be 49.4 to 50.6 % */
		{"rw=randrw rwmixread=51", "4.2k", "4.2k", false},
		/* of 400 in the least second of an unknown time chance leaves 9.2 points */
		{"rw=randrw rwmixread=70", "245", "155", false},
		{"rw=randrw rwmixread=70", "240", "160", true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sample sample;

		told_sample(&sample, "w", cases[i].options);
		told_rates(&sample, DIRECTION_READ, cases[i].reads, NULL);
		told_rates(&sample, DIRECTION_WRITE, cases[i].writes, NULL);
		expect_only(&sample, cases[i].off ? "mix_off" : NULL);
	}
}

/* fio draws the same directions again whenever its size begins anew: of 32 MiB there are 1,489
 * requests of 22k at the most, which may miss by 4.75 points. */
static void a_size_that_begins_anew_has_its_mix_again(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct sample sample;

		told_sample(&sample, "w", "rw=randrw rwmixread=70 bs=4k,64k size=32m");
		told_seconds(&sample, 60);
		sample.source->directions[DIRECTION_READ].iops = told_exactly(i ? 6500 : 6530);
		sample.source->directions[DIRECTION_WRITE].iops = told_exactly(i ? 3500 : 3470);
		expect_only(&sample, i ? "mix_off" : NULL);
	}
}

static void a_rate_is_kept_or_told(void **state)
{
	static const struct {
		const char *options;
		uint64_t ios, bytes; /* of 2 s */
		bool told;
	} cases[] = {
		/* 950 of 1,000 but for one at either end */
		{"rw=randread bs=4k numjobs=1 runtime=2 rate_iops=500", 948, 948 * 4096, false},
		{"rw=randread bs=4k numjobs=1 runtime=2 rate_iops=500", 947, 947 * 4096, true},
		/* jobs that are not known */
		{"rw=randread bs=4k runtime=2 rate_iops=500", 143, 143 * 4096, false},
		/* of several sizes the smallest count */
		{"rw=randread bssplit=4k/50:64k/50 numjobs=1 runtime=2 rate_iops=500", 20,
		 10 * 4096 + 10 * 65536, true},
		{"rw=randread bssplit=4k/50:64k/50 numjobs=1 runtime=2 rate_iops=500", 143,
		 71 * 4096 + 72 * 65536, false},
		{"rw=randread bs=4k numjobs=2 runtime=2 rate=1m", 1024, 1024 * 4096, false},
		{"rw=randread bs=4k numjobs=2 runtime=2 rate=1m", 900, 900 * 4096, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sample sample;

		told_sample(&sample, "w", cases[i].options);
		told_seconds(&sample, 2);
		told_amounts(&sample, DIRECTION_READ, cases[i].ios, cases[i].bytes);
		assert_int_equal(checks_sample(&sample), 0);
		if ((told_find(&sample.findings, "rate_not_kept") != NULL) != cases[i].told)
			fail_msg("%s: %d", cases[i].options, (int)cases[i].ios);
		if (cases[i].told) /* in what it was asked for */
			assert_string_equal(told_find(&sample.findings, "rate_not_kept")->expected,
					    strstr(cases[i].options, "rate=") ? "2 MiB/s of reads"
					    : strstr(cases[i].options, "split")
						    ? "1.953 MiB/s of reads"
						    : "500 IOPS of reads");
		sample_done(&sample);
	}
}

/* ---- Little's law ---- */

static void depth_follows_from_rate_and_latency(void **state)
{
	static const struct {
		double ms;
		const char *code;
	} cases[] = {
		/* 16 asked: 12 at the least, 17.6 at the most; 1000 IOPS are told as they are */
		{11.9, "depth_not_reached"}, {12.1, NULL}, {16, NULL}, {17.5, NULL},
		{17.7, "littles_law"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sample sample;

		told_sample(&sample, "w", "rw=randread bs=8k iodepth=4 numjobs=4 time_based=1");
		sample.source->directions[DIRECTION_READ].iops = told_exactly(1000);
		sample.source->directions[DIRECTION_READ].latency_mean =
			told_exactly(cases[i].ms * 1e6);
		expect_only(&sample, cases[i].code);
	}
}

/* diskspd, -o4 -t4: 6178.16 x 0.133 ms + 1489.7 x 10.166 ms are 15.97. */
static void both_directions_are_outstanding(void **state)
{
	struct sample sample;

	(void)state;
	told_sample(&sample, "w", "rw=randrw rwmixread=80 bs=8k iodepth=4 numjobs=4");
	told_rates(&sample, DIRECTION_READ, "6178.16", NULL);
	told_rates(&sample, DIRECTION_WRITE, "1489.70", NULL);
	sample.source->directions[DIRECTION_READ].latency_mean = told_exactly(0.133e6);
	sample.source->directions[DIRECTION_WRITE].latency_mean = told_exactly(10.166e6);
	expect_only(&sample, NULL);
	/* Without the writes' latency there is only a part, which is not too much. */
	told_sample(&sample, "w", "rw=randrw rwmixread=80 bs=8k iodepth=4 numjobs=4");
	told_rates(&sample, DIRECTION_READ, "6178.16", NULL);
	told_rates(&sample, DIRECTION_WRITE, "1489.70", NULL);
	sample.source->directions[DIRECTION_READ].latency_mean = told_exactly(0.133e6);
	expect_only(&sample, NULL);
}

/* fio's default engine: iodepth=32 without effect. */
static void an_engine_without_depth_is_found(void **state)
{
	struct sample sample;

	(void)state;
	told_sample(&sample, "w", "rw=randread bs=4k iodepth=32 numjobs=1");
	sample.source->directions[DIRECTION_READ].iops = told_exactly(10000);
	sample.source->directions[DIRECTION_READ].latency_mean = told_exactly(98e3);
	expect_only(&sample, "depth_not_reached");
	told_sample(&sample, "w", "rw=randread bs=4k iodepth=32 numjobs=1 ioengine=psync");
	sample.source->directions[DIRECTION_READ].iops = told_exactly(10000);
	sample.source->directions[DIRECTION_READ].latency_mean = told_exactly(98e3);
	expect_only(&sample, NULL);
	told_sample(&sample, "w", "rw=randread bs=4k iodepth=32 numjobs=1 rate_iops=10000");
	sample.source->directions[DIRECTION_READ].iops = told_exactly(10000);
	sample.source->directions[DIRECTION_READ].latency_mean = told_exactly(98e3);
	expect_only(&sample, NULL);
}

/* Of several jobs that end with their size the last go on alone; what completes at once is never
 * outstanding. */
static void depth_is_told_where_all_jobs_went_on(void **state)
{
	static const struct {
		const char *options;
		double seconds;
		bool told;
	} cases[] = {
		{"rw=randread bs=4k iodepth=32 numjobs=3 ioengine=libaio", 2, false},
		{"rw=randread bs=4k iodepth=32 numjobs=3 ioengine=libaio runtime=2", 1.97, false},
		{"rw=randread bs=4k iodepth=32 numjobs=3 ioengine=libaio runtime=2", 1.99, true},
		{"rw=randread bs=4k iodepth=32 numjobs=3 time_based=1 ioengine=libaio", 2, true},
		{"rw=randread bs=4k iodepth=32 numjobs=1 ioengine=libaio", 2, true},
		{"rw=randread bs=4k iodepth=32 numjobs=1 ioengine=null", 2, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sample sample;

		told_sample(&sample, "w", cases[i].options);
		told_seconds(&sample, cases[i].seconds);
		sample.source->directions[DIRECTION_READ].iops = told_exactly(10000);
		sample.source->directions[DIRECTION_READ].latency_mean = told_exactly(1e6);
		expect_only(&sample, cases[i].told ? "depth_not_reached" : NULL);
	}
}

/* ---- latency ---- */

static void percentiles_of(struct sample *sample, enum direction d, size_t count,
			   const struct told_percentile *percentiles)
{
	struct told_direction *told = &sample->source->directions[d];

	told->percentiles = calloc(count, sizeof(*percentiles));
	assert_non_null(told->percentiles);
	memcpy(told->percentiles, percentiles, count * sizeof(*percentiles));
	told->percentile_count = count;
}

/* The run of 12,450 reads and 3,002 writes: the reads carry 99.9, the writes 99. */
static void percentiles_need_their_operations(void **state)
{
	static const struct told_percentile reads[] = {
		{50, 0.115e6},	 {90, 0.192e6},	    {95, 0.216e6},	{99, 0.28e6},
		{99.9, 0.882e6}, {99.99, 12.319e6}, {99.999, 19.003e6}, {100, 19.003e6},
	};
	static const struct told_percentile writes[] = {
		{50, 6.803e6},	  {90, 22.814e6},    {95, 28.896e6},	 {99, 34.1e6},
		{99.9, 35.121e6}, {99.99, 35.213e6}, {99.999, 35.213e6}, {100, 35.213e6},
	};
	struct sample sample;

	(void)state;
	told_sample(&sample, "w", "rw=randrw rwmixread=80 bs=8k runtime=2");
	told_amounts(&sample, DIRECTION_READ, 12450, 101990400);
	told_amounts(&sample, DIRECTION_WRITE, 3002, 24592384);
	told_seconds(&sample, 2.015);
	percentiles_of(&sample, DIRECTION_READ, ARRAY_SIZE(reads), reads);
	percentiles_of(&sample, DIRECTION_WRITE, ARRAY_SIZE(writes), writes);
	assert_int_equal(checks_sample(&sample), 0);
	assert_int_equal(sample.findings.count, 2);
	assert_string_equal(sample.findings.list[0].code, "percentiles_unsupported");
	assert_string_equal(sample.findings.list[0].found, "99.99, 99.999 of 12450 reads");
	assert_string_equal(sample.findings.list[0].expected, "ten slower operations: up to 99.9");
	assert_string_equal(sample.findings.list[1].found, "99.9, 99.99, 99.999 of 3002 writes");
	sample_done(&sample);
	/* 10,000 are just enough for 99.9. */
	for (uint64_t ios = 9999; ios <= 10000; ios++) {
		told_sample(&sample, "w", "rw=randread bs=8k");
		told_amounts(&sample, DIRECTION_READ, ios, ios * 8192);
		percentiles_of(&sample, DIRECTION_READ, 5, reads);
		expect_only(&sample, ios < 10000 ? "percentiles_unsupported" : NULL);
	}
}

static void latencies_lie_in_order(void **state)
{
	static const struct told_percentile falling[] = {{50, 2e6}, {99, 1.9e6}};
	static const struct told_percentile rising[] = {{50, 2e6}, {99, 3.05e6}};
	struct told_direction *told;
	struct sample sample;

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		told_sample(&sample, "w", "rw=randread bs=8k");
		told = &sample.source->directions[DIRECTION_READ];
		told->latency_min = told_exactly(1e6);
		told->latency_max = told_exactly(i == 4 ? 2.9e6 : 3e6);
		told->latency_mean = told_exactly(i == 1 ? 3.1e6 : i == 2 ? 0.9e6 : 2e6);
		percentiles_of(&sample, DIRECTION_READ, 2, i == 3 ? falling : rising);
		expect_only(&sample, i ? "latency_order" : NULL);
	}
}

/* ---- errors ---- */

static void errors_that_are_told_are_told(void **state)
{
	struct sample sample;

	(void)state;
	told_sample(&sample, "w", "rw=randread bs=8k");
	sample.error_count = 1;
	expect_only(&sample, "io_errors");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_rounding_may_part_rates),
		cmocka_unit_test(few_operations_lack_no_percentiles_that_were_not_told),
		cmocka_unit_test(exact_rates_may_miss_a_thousandth),
		cmocka_unit_test(sizes_that_differ_give_a_range),
		cmocka_unit_test(amounts_are_held_to_the_size),
		cmocka_unit_test(a_ramp_may_leave_a_queue_of_bytes),
		cmocka_unit_test(unknown_says_nothing),
		cmocka_unit_test(longer_than_asked_is_told),
		cmocka_unit_test(shorter_is_told_where_it_was_to_go_on),
		cmocka_unit_test(a_mix_may_miss_by_a_point_and_its_rounding),
		cmocka_unit_test(a_size_that_begins_anew_has_its_mix_again),
		cmocka_unit_test(a_rate_is_kept_or_told),
		cmocka_unit_test(depth_follows_from_rate_and_latency),
		cmocka_unit_test(both_directions_are_outstanding),
		cmocka_unit_test(an_engine_without_depth_is_found),
		cmocka_unit_test(depth_is_told_where_all_jobs_went_on),
		cmocka_unit_test(percentiles_need_their_operations),
		cmocka_unit_test(latencies_lie_in_order),
		cmocka_unit_test(errors_that_are_told_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
