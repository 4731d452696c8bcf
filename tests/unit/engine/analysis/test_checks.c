/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_checks.c - a sound sample has no finding; each fault has its own, at its threshold.
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
#include "tests/unit/server/codec/fixture.h"

#define READS 70000u
#define WRITES 30000u
#define DEPTH 16

/* 10 s of a 70/30 mix at depth 8 x 2 jobs, nothing wrong with it. */
static void sound(struct sample *sample, const char *options)
{
	sample_init(sample);
	sample->workload = fixture_text("mix");
	fixture_level(sample, "iodepth", "8");
	fixture_level(sample, "bs", "4k");
	sample->backend = fixture_text("io_uring");
	fixture_workload(&sample->options, options);
	sample->seconds = 10.001;
	fixture_direction(&sample->directions[DIRECTION_READ], READS, 4096, 1, false);
	fixture_direction(&sample->directions[DIRECTION_WRITE], WRITES, 4096, 1, false);
	/* Latencies that add up to the depth over the window. */
	for (int d = 0; d < DIRECTION_COUNT; d++) {
		struct direction_result *result = &sample->directions[d];

		if (result->latency)
			result->latency->sum_ns =
				(uint64_t)(DEPTH * 10.001e9 * (double)result->ios /
					   (READS + WRITES));
	}
	sample->depth_mean = DEPTH;
	(void)snprintf(sample->device.name, sizeof(sample->device.name), "sda");
	sample->device.read_bytes = READS * 4096ull;
	sample->device.written_bytes = WRITES * 4096ull;
	sample->device.weighted_ms = 10001 * DEPTH;
}

static const char mixed[] = "rw=randrw rwmixread=70 bs=4k size=64m iodepth=8 numjobs=2 runtime=10";

static const struct finding *find(const struct sample *sample, const char *code)
{
	for (size_t i = 0; i < sample->findings.count; i++)
		if (strcmp(sample->findings.list[i].code, code) == 0)
			return &sample->findings.list[i];
	return NULL;
}

/* Checks it, expects this finding alone (none for NULL), and ends it. */
static void expect_only(struct sample *sample, const char *code)
{
	assert_int_equal(checks_sample(sample), 0);
	if (!code && sample->findings.count > 0)
		fail_msg("finding %s: expected %s, found %s", sample->findings.list[0].code,
			 sample->findings.list[0].expected, sample->findings.list[0].found);
	if (code) {
		const struct finding *finding = find(sample, code);

		if (!finding)
			fail_msg("no finding %s", code);
		assert_int_equal(sample->findings.count, 1);
		assert_int_equal(finding->workload_count, 1);
		assert_string_equal(finding->workloads[0], "mix");
		assert_string_equal(finding->cell, "iodepth=8, bs=4k");
		assert_true(finding->message[0] && finding->expected[0] && finding->found[0]);
	}
	sample_done(sample);
}

static void a_sound_sample_has_no_finding(void **state)
{
	struct sample sample;

	(void)state;
	sound(&sample, mixed);
	expect_only(&sample, NULL);
}

static void failed_operations_are_an_error(void **state)
{
	struct sample sample;

	(void)state;
	sound(&sample, mixed);
	sample.error_count = 1;
	assert_int_equal(checks_sample(&sample), 0);
	assert_int_equal(find(&sample, "io_errors")->severity, FINDING_ERROR);
	sample_done(&sample);
}

/* Those that continue_on_error passes over are told by kind, with what the first one said. */
static void failed_operations_that_went_on_are_told(void **state)
{
	struct sample sample;
	const struct finding *finding;

	(void)state;
	sound(&sample, mixed);
	sample.error_count = 3;
	sample.failed[DIRECTION_READ] = 2;
	sample.failed[DIRECTION_COUNT] = 1;
	sample.first_failure = strdup("read of 4096 bytes at offset 8192 failed");
	assert_int_equal(checks_sample(&sample), 0);
	finding = find(&sample, "io_errors");
	assert_int_equal(finding->severity, FINDING_WARNING);
	assert_non_null(strstr(finding->found, "3 failed: 2 reads, 0 writes, 0 trims, 1 syncs"));
	assert_non_null(strstr(finding->message, "The first: read of 4096 bytes at offset 8192"));
	sample_done(&sample);
}

static void what_was_read_back_is_as_written(void **state)
{
	struct sample sample;

	(void)state;
	sound(&sample, mixed);
	sample.verify = (struct verify_result){.done = true, .blocks = 5};
	expect_only(&sample, NULL);
	sound(&sample, mixed);
	sample.verify = (struct verify_result){
		.done = true,
		.blocks = 5,
		.errors = 2,
		.first = {.kind = VERIFY_FLIPPED_BIT, .job = 1, .block = 3, .byte = 9, .bit = 1}};
	assert_int_equal(checks_sample(&sample), 0);
	assert_int_equal(find(&sample, "verify_failed")->severity, FINDING_ERROR);
	assert_string_equal(find(&sample, "verify_failed")->found, "2 of 5 wrong");
	assert_non_null(strstr(find(&sample, "verify_failed")->message, "bit 1 of byte 9"));
	sample_done(&sample);
	sound(&sample, mixed);
	sample.verify = (struct verify_result){.done = true, .blocks = 5, .unknown = 1};
	expect_only(&sample, "verify_incomplete");
}

/* Moves operations from writes to reads, bytes and device with them. */
static void shift(struct sample *sample, int64_t ios)
{
	struct direction_result *read = &sample->directions[DIRECTION_READ];
	struct direction_result *write = &sample->directions[DIRECTION_WRITE];

	read->ios += (uint64_t)ios;
	write->ios -= (uint64_t)ios;
	read->bytes = sample->device.read_bytes = read->ios * 4096;
	write->bytes = sample->device.written_bytes = write->ios * 4096;
}

static void a_mix_may_miss_by_one_point(void **state)
{
	struct sample sample;

	(void)state;
	sound(&sample, mixed);
	shift(&sample, 990);
	expect_only(&sample, NULL);
	sound(&sample, mixed);
	shift(&sample, 1010);
	expect_only(&sample, "mix_off");
	sound(&sample, mixed);
	shift(&sample, -1010);
	expect_only(&sample, "mix_off");
}

static void a_small_mix_may_miss_by_chance(void **state)
{
	struct sample sample;

	(void)state;
	/* n = 2000, p = 0.7: 4 deviations are 4.1 points */
	sound(&sample, mixed);
	shift(&sample, 0);
	sample.directions[DIRECTION_READ].ios = 1400 - 80;
	sample.directions[DIRECTION_WRITE].ios = 600 + 80;
	assert_int_equal(checks_sample(&sample), 0);
	assert_null(find(&sample, "mix_off"));
	sample.directions[DIRECTION_READ].ios = 1400 - 84;
	sample.directions[DIRECTION_WRITE].ios = 600 + 84;
	assert_int_equal(checks_sample(&sample), 0);
	assert_non_null(find(&sample, "mix_off"));
	sample_done(&sample);
}

/* Another length of the window, with depth and queue to match. */
static void stretch(struct sample *sample, double seconds)
{
	for (int d = 0; d <= DIRECTION_WRITE; d++) {
		struct histogram *latency = sample->directions[d].latency;

		latency->sum_ns = (uint64_t)((double)latency->sum_ns * seconds / sample->seconds);
	}
	sample->seconds = seconds;
	sample->device.weighted_ms = (uint64_t)(seconds * 1000 * DEPTH);
}

static void time_asked_is_time_run(void **state)
{
	struct sample sample;

	(void)state;
	sound(&sample, mixed);
	stretch(&sample, 9.91);
	expect_only(&sample, NULL);
	sound(&sample, mixed);
	stretch(&sample, 9.89);
	expect_only(&sample, "time_short");
	sound(&sample, mixed);
	stretch(&sample, 10.99);
	expect_only(&sample, NULL);
	sound(&sample, mixed);
	stretch(&sample, 11.01);
	expect_only(&sample, "drain_long");
	sound(&sample, "rw=randrw rwmixread=70 bs=4k size=64m iodepth=8 numjobs=2 runtime=10 "
		       "time_based=0");
	stretch(&sample, 5);
	expect_only(&sample, NULL);
}

static void bytes_are_operations_times_size(void **state)
{
	struct sample sample;

	(void)state;
	sound(&sample, mixed);
	sample.directions[DIRECTION_READ].bytes -= READS * 4; /* 0.098 % */
	expect_only(&sample, NULL);
	sound(&sample, mixed);
	sample.directions[DIRECTION_READ].bytes -= READS * 5;
	expect_only(&sample, "size_mismatch");
	sound(&sample, mixed);
	sample.directions[DIRECTION_WRITE].bytes += WRITES * 5;
	expect_only(&sample, "size_mismatch");
	/* Short operations explain what is missing. */
	sound(&sample, mixed);
	sample.directions[DIRECTION_READ].short_ios = 100;
	sample.directions[DIRECTION_READ].bytes -= 100 * 4000;
	expect_only(&sample, NULL);
}

/* Of many sizes bytes are between as many of the smallest and of the largest. */
static void bytes_of_many_sizes_are_between(void **state)
{
	static const char ranges[] =
		"rw=randrw rwmixread=70 bsrange=4k-16k size=64m iodepth=8 numjobs=2 runtime=10";
	static const char splits[] = "rw=randrw rwmixread=70 bssplit=4k/50:16k/50 size=64m "
				     "iodepth=8 numjobs=2 runtime=10";
	static const struct {
		uint64_t size;
		const char *finding;
	} means[] = {
		{4080, "size_mismatch"},  {4096, NULL}, {9000, NULL}, {16384, NULL},
		{16420, "size_mismatch"},
	};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(means); i++) {
		struct sample sample;

		sound(&sample, i % 2 ? splits : ranges);
		sample.directions[DIRECTION_READ].bytes = READS * means[i / 2].size;
		sample.device.read_bytes = READS * means[i / 2].size;
		expect_only(&sample, means[i / 2].finding);
	}
}

static void the_device_moved_what_was_asked(void **state)
{
	const struct finding *finding;
	struct sample sample;

	(void)state;
	sound(&sample, mixed);
	sample.device.read_bytes = sample.device.read_bytes / 100 * 96;
	expect_only(&sample, NULL);
	sound(&sample, mixed);
	sample.device.read_bytes = sample.device.read_bytes / 100 * 90;
	expect_only(&sample, "device_bytes_differ");
	sound(&sample, mixed);
	/* Some more is always there: as much as other programs write, or half as much again. */
	sample.device.written_bytes += 8 << 20;
	expect_only(&sample, NULL);
	sound(&sample, mixed);
	sample.device.written_bytes = sample.device.written_bytes / 10 * 14;
	expect_only(&sample, NULL);
	sound(&sample, mixed);
	sample.device.written_bytes *= 4;
	assert_int_equal(checks_sample(&sample), 0);
	finding = find(&sample, "device_bytes_differ");
	assert_non_null(finding);
	assert_int_equal(finding->severity, FINDING_INFO);
	sample_done(&sample);
	/* No device, or none that is meant: nothing to hold it against. */
	sound(&sample, mixed);
	memset(&sample.device, 0, sizeof(sample.device));
	expect_only(&sample, NULL);
	sound(&sample, mixed);
	free(sample.backend);
	sample.backend = fixture_text("null");
	sample.device.read_bytes = 0;
	expect_only(&sample, NULL);
}

static void buffered_reads_may_come_from_memory(void **state)
{
	struct sample sample;
	char options[128];

	(void)state;
	(void)snprintf(options, sizeof(options), "%s direct=0", mixed);
	sound(&sample, options);
	sample.device.read_bytes = READS * 4096ull / 100 * 60;
	sample.device.written_bytes = 0;
	expect_only(&sample, NULL);
	sound(&sample, options);
	sample.device.read_bytes = 0;
	expect_only(&sample, "reads_from_cache");
}

static void depth_asked_is_depth_reached(void **state)
{
	struct sample sample;

	(void)state;
	sound(&sample, mixed);
	sample.depth_mean = 12.1;
	sample.directions[DIRECTION_READ].latency->sum_ns =
		sample.directions[DIRECTION_READ].latency->sum_ns / 16 * 12;
	sample.directions[DIRECTION_WRITE].latency->sum_ns =
		sample.directions[DIRECTION_WRITE].latency->sum_ns / 16 * 12;
	assert_int_equal(checks_sample(&sample), 0);
	assert_int_equal(sample.findings.count, 0);
	sample.depth_mean = 11.9;
	expect_only(&sample, "depth_not_reached");
	/* Nothing is outstanding where all completes at once. */
	sound(&sample, mixed);
	free(sample.backend);
	sample.backend = fixture_text("null");
	sample.depth_mean = 0.1;
	sample.directions[DIRECTION_READ].latency->sum_ns /= 160;
	sample.directions[DIRECTION_WRITE].latency->sum_ns /= 160;
	expect_only(&sample, NULL);
}

/* A schedule decides on mix and depth; less than it asked for is told. */
static void a_rate_is_kept_or_told(void **state)
{
	static const char options[] = "rw=randrw rwmixread=50 bs=4k size=64m iodepth=8 numjobs=2 "
				      "runtime=10 rate_iops=3500,1500";
	static const char bytes[] = "rw=randrw rwmixread=70 bs=4k size=64m iodepth=8 numjobs=2 "
				    "runtime=10 rate=,6400k";
	struct sample sample;

	(void)state;
	sound(&sample, options);
	sample.depth_mean = 0.5;
	sample.device.weighted_ms = 5000;
	for (int d = 0; d < 2; d++)
		sample.directions[d].latency->sum_ns /= 32;
	expect_only(&sample, NULL);
	/* 30,000 writes of 4k in 10 s by two jobs: 1500 a second each; 6400k would be 1600. */
	sound(&sample, bytes);
	expect_only(&sample, "rate_not_kept");
	sound(&sample, options);
	sample.options.rate_iops[DIRECTION_WRITE] = 1560;
	expect_only(&sample, NULL);
	sound(&sample, options);
	sample.options.rate_iops[DIRECTION_WRITE] = 1620;
	expect_only(&sample, "rate_not_kept");
}

static void steadystate_is_told_either_way(void **state)
{
	static const char options[] = "rw=randrw rwmixread=70 bs=4k size=64m iodepth=8 numjobs=2 "
				      "runtime=60 steadystate=iops:5% steadystate_duration=5";
	struct sample sample;

	(void)state;
	/* It ends the sample long before its time, which is no fault. */
	sound(&sample, options);
	sample.steady = (struct steady_result){
		.full = true, .attained = true, .first = 4, .count = 5, .found = 3.25};
	assert_int_equal(checks_sample(&sample), 0);
	assert_non_null(find(&sample, "steadystate_attained"));
	assert_non_null(strstr(find(&sample, "steadystate_attained")->found,
			       "3.25 %, 0 IOPS, seconds 4 to 9"));
	sample_done(&sample);
	sound(&sample, options);
	sample.options.runtime_ns = 10 * UINT64_C(1000000000);
	sample.steady = (struct steady_result){.full = true, .count = 5, .found = 30};
	expect_only(&sample, "steadystate_not_attained");
	sound(&sample, options);
	sample.options.runtime_ns = 10 * UINT64_C(1000000000);
	expect_only(&sample, "steadystate_not_attained");
}

static void the_queue_stood_at_the_device(void **state)
{
	struct sample sample;

	(void)state;
	sound(&sample, mixed);
	sample.device.weighted_ms = 10001 * 2 + 1;
	expect_only(&sample, NULL);
	sound(&sample, mixed);
	sample.device.weighted_ms = 10001 * 2 - 100;
	expect_only(&sample, "device_queue_short");
	sound(&sample, "rw=rw rwmixread=70 bs=4k size=64m iodepth=8 numjobs=2 runtime=10");
	sample.device.weighted_ms = 0;
	expect_only(&sample, NULL);
}

static void more_outstanding_get_more_done(void **state)
{
	struct sample sample;
	double iops;

	(void)state;
	sound(&sample, mixed);
	iops = sample_iops(&sample, DIRECTION_READ) + sample_iops(&sample, DIRECTION_WRITE);
	sample.alone_iops = iops / 1.51;
	expect_only(&sample, NULL);
	sound(&sample, mixed);
	sample.alone_iops = iops / 1.49;
	sample.alone_cpu_share = 0.49;
	expect_only(&sample, "served_one_at_a_time");
	/* The processor was what it waited for. */
	sound(&sample, mixed);
	sample.alone_iops = iops;
	sample.alone_cpu_share = 0.51;
	expect_only(&sample, NULL);
}

static void little_holds(void **state)
{
	struct sample sample;

	(void)state;
	sound(&sample, mixed);
	sample.depth_mean = DEPTH * 1.09;
	expect_only(&sample, NULL);
	sound(&sample, mixed);
	sample.depth_mean = DEPTH * 1.12;
	expect_only(&sample, "littles_law");
	/* fsyncs are outstanding too */
	sound(&sample, mixed);
	sample.sync = fixture_histogram(1, 100);
	sample.sync->sum_ns = 5 * UINT64_C(10001000000);
	sample.depth_mean = DEPTH + 5;
	expect_only(&sample, NULL);
}

/* What was outstanding is no more than was asked for, by rates and latencies as well. */
static void no_more_is_outstanding_than_asked(void **state)
{
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		double times = i == 0 ? 1.09 : 1.12;
		struct sample sample;

		sound(&sample, mixed);
		sample.depth_mean = DEPTH * times;
		for (int d = 0; d <= DIRECTION_WRITE; d++) {
			struct histogram *latency = sample.directions[d].latency;

			latency->sum_ns = (uint64_t)((double)latency->sum_ns * times);
			/* One of half a second that the ramp began, of ten. */
			latency->max_ns = i == 2 ? 500000000 : 1000000;
		}
		expect_only(&sample, i == 1 ? "littles_law" : NULL);
	}
}

static void few_operations_are_told(void **state)
{
	struct sample sample;

	(void)state;
	for (size_t ios = 999; ios <= 1000; ios++) {
		sound(&sample, "rw=randread bs=4k size=64m iodepth=8 numjobs=2 runtime=10");
		free(sample.directions[DIRECTION_WRITE].latency);
		memset(&sample.directions[DIRECTION_WRITE], 0,
		       sizeof(sample.directions[DIRECTION_WRITE]));
		sample.directions[DIRECTION_READ].ios = ios;
		sample.directions[DIRECTION_READ].bytes = ios * 4096;
		sample.device.read_bytes = ios * 4096;
		sample.directions[DIRECTION_READ].latency->sum_ns = (uint64_t)(DEPTH * 10.001e9);
		expect_only(&sample, ios < 1000 ? "few_operations" : NULL);
	}
	sound(&sample, mixed);
	sample.directions[DIRECTION_WRITE].ios = 0;
	assert_int_equal(checks_sample(&sample), 0);
	assert_non_null(find(&sample, "no_operations"));
	sample_done(&sample);
}

/* A reader at depth 16 and a logger with its syncs, nothing wrong with them. */
static void together(struct sample *sample)
{
	struct workload part;
	struct error err;
	size_t blamed;

	sound(sample, mixed);
	workload_done(&sample->options);
	fixture_workload(&part, "name=reader rw=randread bs=4k size=64m iodepth=8 numjobs=2 "
				"runtime=10");
	assert_int_equal(workload_add_part(&sample->options, &part), 0);
	fixture_workload(&part, "name=logger rw=write bs=8k size=64m fsync=1 runtime=5");
	assert_int_equal(workload_add_part(&sample->options, &part), 0);
	assert_int_equal(workload_join(&sample->options, &blamed, &err), 0);
	sample->job_count = 2;
	sample->jobs = calloc(2, sizeof(*sample->jobs));
	assert_non_null(sample->jobs);
	for (size_t i = 0; i < 2; i++) {
		struct job_result *job = &sample->jobs[i];
		enum direction d = i ? DIRECTION_WRITE : DIRECTION_READ;

		job->name = fixture_text(i ? "logger" : "reader");
		job->jobs = i ? 1 : 2;
		job->seconds = i ? 5 : 10;
		fixture_direction(&job->directions[d], i ? WRITES : READS, i ? 8192 : 4096, 1,
				  false);
		job->directions[d].latency->sum_ns =
			(uint64_t)((i ? 0.2 : 15.5) * job->seconds * 1e9);
	}
	sample->directions[DIRECTION_WRITE].bytes = WRITES * 8192ull;
	sample->device.written_bytes = WRITES * 8192ull;
}

static void jobs_that_run_together_are_checked_each(void **state)
{
	struct sample sample;

	(void)state;
	together(&sample);
	expect_only(&sample, NULL);

	together(&sample);
	sample.jobs[0].directions[DIRECTION_READ].latency->sum_ns = 110ull * 1000000000;
	assert_int_equal(checks_sample(&sample), 0);
	assert_string_equal(find(&sample, "depth_not_reached")->found, "reader: 11 on the mean");
	assert_int_equal(sample.findings.count, 1);
	sample_done(&sample);

	together(&sample);
	sample.jobs[1].directions[DIRECTION_WRITE].bytes -= 8192 * 100;
	expect_only(&sample, "size_mismatch");

	together(&sample);
	sample.seconds = 9.8; /* of the 10 that the longest was to last */
	sample.depth_mean *= 10.001 / 9.8;
	expect_only(&sample, "time_short");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_that_run_together_are_checked_each),
		cmocka_unit_test(a_sound_sample_has_no_finding),
		cmocka_unit_test(failed_operations_are_an_error),
		cmocka_unit_test(failed_operations_that_went_on_are_told),
		cmocka_unit_test(what_was_read_back_is_as_written),
		cmocka_unit_test(a_mix_may_miss_by_one_point),
		cmocka_unit_test(a_small_mix_may_miss_by_chance),
		cmocka_unit_test(time_asked_is_time_run),
		cmocka_unit_test(bytes_are_operations_times_size),
		cmocka_unit_test(bytes_of_many_sizes_are_between),
		cmocka_unit_test(the_device_moved_what_was_asked),
		cmocka_unit_test(buffered_reads_may_come_from_memory),
		cmocka_unit_test(depth_asked_is_depth_reached),
		cmocka_unit_test(a_rate_is_kept_or_told),
		cmocka_unit_test(steadystate_is_told_either_way),
		cmocka_unit_test(the_queue_stood_at_the_device),
		cmocka_unit_test(more_outstanding_get_more_done),
		cmocka_unit_test(little_holds),
		cmocka_unit_test(no_more_is_outstanding_than_asked),
		cmocka_unit_test(few_operations_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
