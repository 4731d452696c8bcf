/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_steady.c - the criteria by figures worked out by hand, the window as it moves on, and whole
 * measurements that end when they are steady, or are not.
 */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "engine/io/measure.h"
#include "engine/io/steady.h"
#include "tests/unit/tries.h"

#define MIB (UINT64_C(1024) * 1024)

static const enum backend_kind backends[] = {BACKEND_IO_URING, BACKEND_THREADS, BACKEND_NULL};

static struct steady_result judge(const char *criterion, const uint64_t *reads, size_t count)
{
	struct series_second *seconds = calloc(count, sizeof(*seconds));
	struct steadystate_spec spec;
	struct steady_result result;
	struct error err;

	assert_non_null(seconds);
	if (steadystate_parse(criterion, &spec, &err) < 0)
		fail_msg("%s", err.message);
	/* a quarter of them writes, of twice the size */
	for (size_t i = 0; i < count; i++) {
		seconds[i].ios[DIRECTION_WRITE] = reads[i] / 4;
		seconds[i].ios[DIRECTION_READ] = reads[i] - reads[i] / 4;
		seconds[i].bytes[DIRECTION_READ] = 4096 * seconds[i].ios[DIRECTION_READ];
		seconds[i].bytes[DIRECTION_WRITE] = 8192 * seconds[i].ios[DIRECTION_WRITE];
	}
	steady_judge(&spec, seconds, count, &result);
	free(seconds);
	return result;
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

static void criteria_are_fios(void **state)
{
	/* mean 1000; furthest 40; slope (-2 x -40 + -1 x 0 + 0 + 1 x 20 + 2 x 20) / 10 = 14 */
	static const uint64_t values[] = {960, 1000, 1000, 1020, 1020};
	static const uint64_t falling[] = {1200, 1100, 1000, 900, 800};
	static const uint64_t nothing[] = {0, 0, 0, 0, 0};
	struct steady_result result;

	(void)state;
	result = judge("iops:4.001%", values, 5);
	assert_true(result.full && result.attained);
	assert_true(near(result.iops_mean, 1000) && near(result.deviation, 40));
	assert_true(near(result.found, 4) && near(result.slope, 14));
	assert_true(near(result.bw_mean, 1000 * 1.25 * 4096));
	/* at the limit is not below it */
	assert_false(judge("iops:4%", values, 5).attained);
	assert_true(judge("iops:40.5", values, 5).attained);
	assert_false(judge("iops:39.5", values, 5).attained);
	result = judge("iops_slope:1.41%", values, 5);
	assert_true(result.attained && near(result.found, 1.4));
	assert_false(judge("iops_slope:1.39%", values, 5).attained);
	assert_false(judge("iops_slope:13.9", values, 5).attained);
	/* downhill is as bad as uphill */
	result = judge("iops_slope:9.9%", falling, 5);
	assert_true(!result.attained && near(result.found, -10) && near(result.slope, -100));
	assert_true(judge("iops_slope:10.1%", falling, 5).attained);
	result = judge("bw:205k", values, 5);
	assert_true(result.attained && near(result.deviation, 40 * 1.25 * 4096));
	assert_false(judge("bw:199k", values, 5).attained);
	assert_true(judge("bw_slope:71k", values, 5).attained);
	assert_false(judge("bw_slope:69k", values, 5).attained);
	assert_false(judge("iops:5%", nothing, 5).attained);
}

static void the_window_moves_on(void **state)
{
	/* the first two belong to the ramp, the third to steadystate_ramp_time */
	static const uint64_t values[] = {5, 900, 5000, 100, 200, 300, 301, 299, 300, 300};
	struct workload workload;
	struct steady steady;
	struct load load;
	struct error err;
	size_t attained = 0;

	(void)state;
	workload_init(&workload);
	assert_int_equal(option_parse(option_find("ss"), "iops:2%", &workload, &err), 0);
	assert_int_equal(option_parse(option_find("ss_dur"), "3", &workload, &err), 0);
	assert_int_equal(option_parse(option_find("ss_ramp"), "1", &workload, &err), 0);
	assert_int_equal(load_init(&load, 10), 0);
	load.start_ns = 50 * NS_PER_S;
	for (size_t i = 0; i < 10; i++)
		load.seconds[i].ios[DIRECTION_READ] = values[i];
	/* 1.5 s of ramp: the third second is the first whole one, one more is left out */
	steady_init(&steady, &workload, 1500 * NS_PER_MS);
	assert_int_equal(steady.first, 3);
	for (uint64_t now_ns = load.start_ns; attained == 0; now_ns += 50 * NS_PER_MS) {
		assert_true(now_ns < load.start_ns + 20 * NS_PER_S);
		if (steady_look(&steady, &load, now_ns))
			attained = (size_t)((now_ns - load.start_ns) / NS_PER_S);
		/* no whole window before six seconds are over */
		if (now_ns < load.start_ns + 6 * NS_PER_S)
			assert_false(steady.result.full);
	}
	assert_int_equal(attained, 8); /* seconds 5 to 7 */
	assert_int_equal(steady.result.first, 5);
	assert_int_equal(steady.result.count, 3);
	assert_true(near(steady.result.iops_mean, 300));
	load_done(&load);
	workload_done(&workload);
}

static void measure(enum backend_kind backend, const char *options, struct sample *sample)
{
	char all[256], *rest = all, *word;
	struct measure_region region = {.length = MIB};
	struct workload workload;
	struct measure_spec spec = {.workload = &workload,
				    .backend = backend,
				    .seed = 7,
				    .region_count = 1,
				    .regions = &region};
	struct error err;

	workload_init(&workload);
	sample_init(sample);
	(void)snprintf(all, sizeof(all), "rw=randread size=1m direct=0 %s", options);
	while ((word = strsep(&rest, " "))) {
		char *value = strchr(word, '=');

		*value++ = '\0';
		if (option_parse(option_find(word), value, &workload, &err) < 0)
			fail_msg("%s: %s", word, err.message);
	}
	if (workload_complete(&workload, &err) < 0)
		fail_msg("%s: %s", options, err.message);
	region.fd = open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	assert_true(region.fd >= 0);
	assert_int_equal(ftruncate(region.fd, (off_t)MIB), 0);
	if (measure_run(&spec, sample, &err) < 0)
		fail_msg("%s: %s", backend_names[backend], err.message);
	(void)close(region.fd);
	workload_done(&workload);
}

/* A rate is as steady as can be, and the sample ends long before its runtime. */
static void what_is_steady_ends(void **state)
{
	(void)state;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		unsigned int tries = 0;
		struct sample sample;
		bool well;

		do {
			measure(backends[b], "runtime=60 rate_iops=200 ss=iops:10% ss_dur=2",
				&sample);
			well = sample.steady.attained && fabs(sample.steady.iops_mean - 200) < 20;
		} while (again(well, &tries) && (sample_done(&sample), true));
		assert_true(well);
		assert_true(sample.steady.attained && sample.steady.full);
		assert_true(sample.seconds >= 2 && sample.seconds < 60);
		assert_int_equal(sample.steady.count, 2);
		assert_true(sample.steady.iops_mean > 0);
		assert_true(near(sample.steady.bw_mean, sample.steady.iops_mean * 4096));
		/* What was outstanding completed: nothing was cancelled. */
		assert_int_equal(sample.error_count, 0);
		sample_done(&sample);
	}
}

/* Work in one second and rest in the next: the runtime ends it, and the last window is told. */
static void what_is_not_goes_on(void **state)
{
	unsigned int tries = 0;
	struct sample sample;

	(void)state;
	do
		measure(BACKEND_NULL,
			"runtime=3 thinktime=1700ms thinktime_iotime=300ms ss=bw:1 ss_dur=2",
			&sample);
	/* A machine that stood still for two seconds had nothing to tell. */
	while (again(sample.steady.found >= 1, &tries) && (sample_done(&sample), true));
	assert_true(sample.steady.full && !sample.steady.attained);
	assert_true(sample.seconds >= 3);
	assert_true(sample.steady.found >= 1);
	sample_done(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(criteria_are_fios),
		cmocka_unit_test(the_window_moves_on),
		cmocka_unit_test(what_is_steady_ends),
		cmocka_unit_test(what_is_not_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
