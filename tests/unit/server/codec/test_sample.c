/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_sample.c (codec) - samples there and back to the bit; damaged ones are refused with the
 * pointer of what is wrong, whatever is damaged.
 *
 * Length: a sample has many members, each with a way of its own to be wrong. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "server/codec/sample.h"
#include "tests/unit/server/codec/fixture.h"

static json_t *through_text(json_t *value)
{
	struct error err = {0};
	json_t *again = NULL;
	char *text;

	assert_non_null(value);
	text = json_write(value);
	assert_non_null(text);
	assert_int_equal(json_read_own(text, strlen(text), &again, &err), 0);
	free(text);
	json_decref(value);
	return again;
}

static void expect_same_again(const struct sample *sample)
{
	json_t *value = through_text(sample_encode(sample));
	struct error err = {0};
	struct sample again;

	sample_init(&again);
	if (sample_decode(value, &again, &err) < 0)
		fail_msg("%s: %s", err.field, err.message);
	fixture_same_sample(sample, &again);
	sample_done(&again);
	json_decref(value);
}

static void a_full_sample_comes_back_whole(void **state)
{
	struct sample sample;

	(void)state;
	fixture_sample(&sample);
	expect_same_again(&sample);
	sample_done(&sample);
}

/* Two jobs of different options, one of them a job apart for each of its two. */
static void the_figures_of_jobs_come_back_whole(void **state)
{
	static const char *const names[] = {"reader", "reader", "logger"};
	struct sample sample;
	struct workload part;
	struct error err;
	json_t *value, *job;
	size_t blamed;

	(void)state;
	fixture_sample(&sample);
	memset(&sample.steady, 0, sizeof(sample.steady));
	workload_done(&sample.options);
	fixture_workload(&part, "name=reader rw=randread size=1m numjobs=2 group_reporting=0");
	assert_int_equal(workload_add_part(&sample.options, &part), 0);
	fixture_workload(&part, "name=logger rw=write size=1m fsync=1 fdatasync=2");
	assert_int_equal(workload_add_part(&sample.options, &part), 0);
	assert_int_equal(workload_join(&sample.options, &blamed, &err), 0);
	for (size_t i = 0; i < 2; i++)
		free(sample.jobs[i].directions[DIRECTION_WRITE].latency);
	free(sample.jobs[0].directions[DIRECTION_WRITE].submission);
	free(sample.jobs[0].directions[DIRECTION_WRITE].completion);
	free(sample.jobs[0].directions[DIRECTION_WRITE].intended);
	memset(&sample.jobs[0].directions[DIRECTION_WRITE], 0, sizeof(struct direction_result));
	sample.jobs = realloc(sample.jobs, 3 * sizeof(*sample.jobs));
	assert_non_null(sample.jobs);
	sample.job_count = 3;
	memset(&sample.jobs[2], 0, sizeof(sample.jobs[2]));
	sample.jobs[2].jobs = 1;
	fixture_direction(&sample.jobs[2].directions[DIRECTION_WRITE], 50, 4096, 7000, false);
	sample.jobs[2].sync = fixture_histogram(49, 3000000);
	sample.jobs[2].datasync = fixture_histogram(24, 2000000);
	for (size_t i = 0; i < 3; i++)
		sample.jobs[i].name = fixture_text(names[i]);
	expect_same_again(&sample);
	value = sample_encode(&sample);
	job = json_array_get(json_object_get(value, "jobs"), 2);
	assert_string_equal(json_string_value(json_object_get(job, "name")), "logger");
	assert_null(json_object_get(job, "read"));
	assert_int_equal(json_integer_value(json_object_get(json_object_get(job, "sync"), "ios")),
			 49);
	job = json_array_get(json_object_get(value, "jobs"), 0);
	assert_null(json_object_get(job, "write"));
	json_decref(value);
	sample_done(&sample);
}

/* Samples of earlier versions say neither a job's name nor of how many jobs its figures are. */
static void jobs_of_earlier_versions_are_read(void **state)
{
	struct sample sample, again;
	struct error err;
	json_t *value;

	(void)state;
	fixture_sample(&sample);
	value = sample_encode(&sample);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(json_object_del(json_array_get(json_object_get(value, "jobs"), i),
						 "numjobs"),
				 0);
	sample_init(&again);
	assert_int_equal(sample_decode(value, &again, &err), 0);
	fixture_same_sample(&sample, &again);
	sample_done(&again);
	sample_done(&sample);
	json_decref(value);
}

static void a_bare_sample_comes_back_whole(void **state)
{
	struct sample sample;

	(void)state;
	sample_init(&sample);
	sample.workload = fixture_text("w");
	sample.repeat = 1;
	sample.target = fixture_text("/dev/zero");
	sample.backend = fixture_text("threads");
	fixture_workload(&sample.options, "rw=read size=1m");
	expect_same_again(&sample);
	sample_done(&sample);
}

static void what_was_read_back_comes_back(void **state)
{
	struct sample sample;

	(void)state;
	for (int kind = -1; kind < VERIFY_KIND_COUNT; kind++) {
		struct verify_result *verify = &sample.verify;
		struct error err = {0};
		struct sample again;
		json_t *value;

		fixture_sample(&sample);
		*verify = (struct verify_result){.done = true,
						 .blocks = 1000,
						 .bytes = 4096000,
						 .unknown = 2,
						 .seconds = 0.25,
						 .errors = kind < 0 ? 0 : 3};
		if (kind >= 0)
			verify->first = (struct verify_fault){.kind = (enum verify_kind)kind,
							      .job = 2,
							      .block = 37,
							      .offset = 151552,
							      .byte = 100,
							      .generation = 5};
		if (kind == VERIFY_FLIPPED_BIT)
			verify->first.bit = 7;
		if (kind == VERIFY_TORN)
			verify->first.end = 4096;
		if (kind == VERIFY_TORN || kind == VERIFY_STALE)
			verify->first.found_generation = 4;
		if (kind == VERIFY_MISPLACED)
			verify->first.found_offset = 8192;
		value = through_text(sample_encode(&sample));
		sample_init(&again);
		if (sample_decode(value, &again, &err) < 0)
			fail_msg("%s: %s", err.field, err.message);
		assert_memory_equal(&again.verify.first, &verify->first, sizeof(verify->first));
		assert_true(again.verify.done);
		assert_int_equal(again.verify.blocks, 1000);
		assert_int_equal(again.verify.bytes, 4096000);
		assert_int_equal(again.verify.unknown, 2);
		assert_int_equal(again.verify.errors, verify->errors);
		assert_true(again.verify.seconds == 0.25);
		sample_done(&again);
		sample_done(&sample);
		json_decref(value);
	}
}

static void series_sums_are_exact(void **state)
{
	static const uint64_t ios[] = {1, 3, 7, 999983, 1000003, 12345678, UINT64_C(1) << 33};
	struct sample sample;

	(void)state;
	sample_init(&sample);
	sample.workload = fixture_text("w");
	sample.repeat = 1;
	sample.target = fixture_text("/srv/file");
	sample.backend = fixture_text("null");
	fixture_workload(&sample.options, "rw=read size=1m");
	sample.series.count = 20000;
	sample.series.last_span_ns = 999999999;
	sample.series.seconds = calloc(sample.series.count, sizeof(*sample.series.seconds));
	assert_non_null(sample.series.seconds);
	for (size_t i = 0; i < sample.series.count; i++) {
		struct series_second *second = &sample.series.seconds[i];

		/* up to 4.19 million operations outstanding: 1,024 jobs of depth 4,096 */
		second->ios[DIRECTION_READ] = ios[i % ARRAY_SIZE(ios)];
		second->latency_sum_ns[DIRECTION_READ] =
			i % 2 ? UINT64_C(4194304000000000) - i * 7919 : i * 1000003;
	}
	expect_same_again(&sample);
	sample_done(&sample);
}

static void directions_that_are_not_moved_are_absent(void **state)
{
	struct sample sample;
	json_t *value;

	(void)state;
	sample_init(&sample);
	sample.workload = fixture_text("w");
	sample.target = fixture_text("/srv/file");
	sample.backend = fixture_text("threads");
	fixture_workload(&sample.options, "rw=randwrite size=1m");
	value = sample_encode(&sample);
	assert_non_null(value);
	assert_null(json_object_get(value, "read"));
	assert_true(json_is_object(json_object_get(value, "write")));
	assert_null(json_object_get(json_object_get(value, "series"), "read_ios"));
	assert_true(json_is_array(json_object_get(json_object_get(value, "series"), "write_ios")));
	assert_null(json_object_get(value, "sync"));
	assert_null(json_object_get(value, "jobs"));
	assert_null(json_object_get(value, "device"));
	assert_null(json_object_get(value, "free_bytes"));
	assert_string_equal(json_string_value(json_object_get(value, "latency_stamp")), "batch");
	json_decref(value);
	sample_done(&sample);
}

/* Follows "a/0/b" to the object or array that holds the last name. */
static json_t *holder(json_t *value, char *path, char **ret_last)
{
	char *slash;

	while ((slash = strchr(path, '/'))) {
		*slash = '\0';
		value = json_is_array(value) ? json_array_get(value, strtoul(path, NULL, 10))
					     : json_object_get(value, path);
		assert_non_null(value);
		path = slash + 1;
	}
	*ret_last = path;
	return value;
}

/* Replaces (text NULL: removes) what is at the path. */
static void damage(json_t *value, const char *where, const char *text)
{
	char *path = fixture_text(where), *last;
	json_t *at = holder(value, path, &last), *with = NULL;
	struct error err = {0};

	if (!text) {
		assert_int_equal(json_object_del(at, last), 0);
	} else {
		assert_int_equal(json_read_own(text, strlen(text), &with, &err), 0);
		assert_int_equal(json_is_array(at)
					 ? json_array_set_new(at, strtoul(last, NULL, 10), with)
					 : json_object_set_new(at, last, with),
				 0);
	}
	free(path);
}

static void damaged_samples_are_refused(void **state)
{
	static const struct {
		const char *path, *value, *field;
	} damages[] = {
		{"schema", "\"volbench.sample/2\"", "/schema"},
		{"schema", "1", "/schema"},
		{"order", "-1", "/order"},
		{"order", "10000", "/order"},
		{"workload", "null", "/workload"},
		{"levels", "[]", "/levels"},
		{"levels/iodepth", "8", "/levels/iodepth"},
		{"levels",
		 "{\"a\":\"\",\"b\":\"\",\"c\":\"\",\"d\":\"\",\"e\":\"\",\"f\":\"\","
		 "\"g\":\"\",\"h\":\"\",\"i\":\"\"}",
		 "/levels"},
		{"repeat", "101", "/repeat"},
		{"started", "\"yesterday\"", "/started"},
		{"seconds", "-0.5", "/seconds"},
		{"seconds", "1e10", "/seconds"},
		{"ramp_seconds", "\"1\"", "/ramp_seconds"},
		{"options", "7", "/options"},
		{"seed", "9.3e18", "/seed"},
		{"backend", "\"spdk\"", "/backend"},
		{"latency_stamp", "\"none\"", "/latency_stamp"},
		{"depth_mean", "null", "/depth_mean"},
		{"read", "[]", "/read"},
		{"read/ios", "19999", "/read/histogram"},
		{"read/bytes", "-4096", "/read/bytes"},
		{"read/short_ios", "20001", "/read/short_ios"},
		{"read/histogram/count", "1", "/read/histogram/buckets"},
		{"write/slat_histogram/buckets", "[1]", "/write/slat_histogram/buckets"},
		{"sync/ios", "264", "/sync/histogram"},
		{"sync/histogram", NULL, "/sync/histogram"},
		{"series", NULL, "/series"},
		{"series/count", "5", "/series/read_ios"},
		{"series/count", "777601", "/series/count"},
		{"series/count", "1e9", "/series/count"},
		{"series/ramp_seconds_count", "5", "/series/ramp_seconds_count"},
		{"series/last_span_s", "-1", "/series/last_span_s"},
		{"series/read_ios/2", "-3", "/series/read_ios"},
		{"series/read_bytes", NULL, "/series/read_bytes"},
		{"series/read_bytes", "[1]", "/series/read_bytes"},
		{"series/read_bytes/0", "0.5", "/series/read_bytes"},
		{"series/read_latency_mean_ns/0", "null", "/series/read_latency_mean_ns"},
		{"series/read_latency_mean_ns/0", "1e18", "/series/read_latency_mean_ns"},
		{"series/write_latency_mean_ns/1", "5.0", "/series/write_latency_mean_ns"},
		{"jobs", "{}", "/jobs"},
		{"jobs/1", "5", "/jobs/1"},
		{"jobs/1/seconds", NULL, "/jobs/1/seconds"},
		{"jobs/0/write/clat_histogram/sum_ns", "0", "/jobs/0/write/clat_histogram/sum_ns"},
		{"cpu_seconds", NULL, "/cpu_seconds"},
		{"cpu_seconds/machine_busy", "-1", "/cpu_seconds/machine_busy"},
		{"device/name",
		 "\"0123456789012345678901234567890123456789012345678901234567890123"
		 "\"",
		 "/device/name"},
		{"device/io_ms", "1.25", "/device/io_ms"},
		{"free_bytes/after", "\"\"", "/free_bytes/after"},
		{"findings", NULL, "/findings"},
		{"findings/0/severity", "\"fatal\"", "/findings"},
		{"findings/1/code", NULL, "/findings"},
		{"findings/1/message", "[]", "/findings"},
	};
	struct sample sample, again;

	(void)state;
	fixture_sample(&sample);
	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		json_t *value = through_text(sample_encode(&sample));
		struct error err = {0};

		damage(value, damages[i].path, damages[i].value);
		sample_init(&again);
		if (sample_decode(value, &again, &err) != -EINVAL)
			fail_msg("%s = %s was taken", damages[i].path, damages[i].value);
		assert_string_equal(err.field, damages[i].field);
		assert_true(err.message[0] != '\0');
		assert_null(again.workload); /* fresh again */
		json_decref(value);
	}
	sample_done(&sample);
}

/* Every value anywhere in turn replaced by every kind of value: no crash, no leak, and whatever is
 * taken can be written again. */
static size_t mutate(json_t *root, json_t *at)
{
	static const char *const kinds[] = {"null", "-1", "0.5", "9223372036854775807",
					    "\"\"", "[]", "{}",	 "true"};
	size_t tried = 0;
	void *iterator = json_object_iter(at);
	size_t count = json_is_array(at) ? json_array_size(at) : json_object_size(at);

	if (json_is_array(at) && count > 4)
		count = 4; /* the long lists are alike */
	for (size_t i = 0; i < count; i++) {
		json_t *old = json_is_array(at) ? json_array_get(at, i)
						: json_object_iter_value(iterator);
		const char *key = json_is_array(at) ? "" : json_object_iter_key(iterator);

		json_incref(old);
		for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
			struct error err = {0};
			struct sample again;
			json_t *with = NULL;

			assert_int_equal(json_read_own(kinds[k], strlen(kinds[k]), &with, &err), 0);
			if (json_is_array(at))
				(void)json_array_set_new(at, i, with);
			else
				(void)json_object_set_new(at, key, with);
			sample_init(&again);
			if (sample_decode(root, &again, &err) == 0) {
				json_decref(sample_encode(&again));
				sample_done(&again);
			} else {
				assert_true(err.code != ERROR_NONE);
			}
			tried++;
		}
		if (json_is_array(at))
			(void)json_array_set(at, i, old);
		else
			(void)json_object_set(at, key, old);
		if (json_is_object(old) || json_is_array(old))
			tried += mutate(root, old);
		json_decref(old);
		if (iterator)
			iterator = json_object_iter_next(at, iterator);
	}
	return tried;
}

static void any_damage_is_survived(void **state)
{
	struct sample sample;
	json_t *value;

	(void)state;
	fixture_sample(&sample);
	value = through_text(sample_encode(&sample));
	assert_true(mutate(value, value) > 1000);
	json_decref(value);
	sample_done(&sample);
}

static void what_is_no_object_is_no_sample(void **state)
{
	static const char *const wrongs[] = {"[]", "7", "null", "\"sample\"", "{}"};
	struct sample sample;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrongs); i++) {
		struct error err = {0};
		json_t *value = NULL;

		assert_int_equal(json_read_own(wrongs[i], strlen(wrongs[i]), &value, &err), 0);
		sample_init(&sample);
		assert_int_equal(sample_decode(value, &sample, &err), -EINVAL);
		json_decref(value);
	}
	sample_init(&sample);
	assert_int_equal(sample_decode(NULL, &sample, NULL), -EINVAL);
}

static double number(const json_t *object, const char *name)
{
	assert_true(json_is_number(json_object_get(object, name)));
	return json_number_value(json_object_get(object, name));
}

/* From the series, as it is written; readers compute it again. */
static void a_steady_window_is_told(void **state)
{
	struct sample sample;
	struct series *series = &sample.series;
	const json_t *window, *settled;
	json_t *value;

	(void)state;
	fixture_sample(&sample);
	free(series->seconds);
	series->seconds = calloc(20, sizeof(*series->seconds));
	assert_non_null(series->seconds);
	series->count = 20;
	series->ramp_count = 0;
	series->last_span_ns = NS_PER_S;
	sample.error_count = 0;
	memset(sample.failed, 0, sizeof(sample.failed));
	sample.options.startdelay_ns = 0;
	for (size_t i = 0; i < 20; i++)
		series->seconds[i].ios[DIRECTION_READ] = i < 4 ? 3000 : 1000;
	value = sample_encode(&sample);
	assert_non_null(value);
	window = json_object_get(value, "steady_window");
	assert_true(json_is_false(json_object_get(window, "steady")));
	assert_true(number(window, "first_second") == 0 && number(window, "seconds") == 20);
	assert_true(number(window, "iops_mean") == 1400);
	/* 2000 of 1400; a fall of 400 a round */
	assert_true(fabs(number(window, "excursion_percent") - 200 / 1.4) < 1e-9);
	assert_true(fabs(number(window, "slope_percent") + 160 / 1.4) < 1e-9);
	settled = json_object_get(window, "settled");
	assert_true(number(settled, "first_second") == 5 && number(settled, "seconds") == 15);
	json_decref(value);

	memset(&series->seconds[0], 0, 20 * sizeof(*series->seconds));
	value = sample_encode(&sample);
	assert_null(json_object_get(value, "steady_window"));
	json_decref(value);
	sample_done(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_sample_comes_back_whole),
		cmocka_unit_test(the_figures_of_jobs_come_back_whole),
		cmocka_unit_test(jobs_of_earlier_versions_are_read),
		cmocka_unit_test(a_bare_sample_comes_back_whole),
		cmocka_unit_test(what_was_read_back_comes_back),
		cmocka_unit_test(series_sums_are_exact),
		cmocka_unit_test(directions_that_are_not_moved_are_absent),
		cmocka_unit_test(damaged_samples_are_refused),
		cmocka_unit_test(any_damage_is_survived),
		cmocka_unit_test(what_is_no_object_is_no_sample),
		cmocka_unit_test(a_steady_window_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
