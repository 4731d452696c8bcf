/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_latency.c - histograms and directions there and back; damaged ones are refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/codec/json.h"
#include "server/codec/latency.h"
#include "tests/unit/server/codec/fixture.h"

static json_t *through_text(json_t *value)
{
	struct error err = {0};
	json_t *again = NULL;
	char *text = json_write(value);

	assert_non_null(text);
	assert_int_equal(json_read_own(text, strlen(text), &again, &err), 0);
	free(text);
	json_decref(value);
	return again;
}

static struct percentiles standard;

static void histograms_come_back_whole(void **state)
{
	static const uint64_t values[] = {0,	 1,	   511,	       512,	  513,
					  67000, 1u << 31, 1ull << 40, 1ull << 45};
	struct histogram *histogram = fixture_histogram(100000, 50000);
	struct histogram *again = malloc(sizeof(*again));
	struct error err = {0};
	json_t *value;

	(void)state;
	assert_non_null(again);
	for (size_t i = 0; i <= ARRAY_SIZE(values); i++) {
		value = through_text(histogram_encode(histogram));
		assert_int_equal(histogram_decode(value, again, &err), 0);
		assert_memory_equal(histogram, again, sizeof(*again));
		json_decref(value);
		if (i == 0)
			histogram_init(histogram);
		if (i < ARRAY_SIZE(values))
			histogram_add(histogram, values[i]);
	}
	free(histogram);
	free(again);
}

/* Each damage in turn to {count 3: 100, 100, 600}. */
static void damaged_histograms_are_refused(void **state)
{
	static const struct {
		const char *member, *value, *field;
	} damages[] = {
		{"scheme", "\"loglinear-64\"", "/scheme"},
		{"count", "4", "/buckets"},
		{"count", "0", "/buckets"},
		{"count", "-3", "/count"},
		{"count", "\"3\"", "/count"},
		{"min_ns", "101", "/min_ns"},
		{"min_ns", "600", "/min_ns"},
		{"max_ns", "99", "/max_ns"},
		{"max_ns", "1e30", "/max_ns"},
		{"sum_ns", "299", "/sum_ns"},
		{"sum_ns", "1801", "/sum_ns"},
		{"sum_squares_ns2", "1", "/sum_squares_ns2"},
		{"sum_squares_ns2", "1e7", "/sum_squares_ns2"},
		{"sum_squares_ns2", "null", "/sum_squares_ns2"},
		{"buckets", "{}", "/buckets"},
		{"buckets", "[]", "/buckets"},
		{"buckets", "[100]", "/buckets"},
		{"buckets", "[100, 2, 0, 1]", "/buckets"},
		{"buckets", "[100, 2, 456, 0]", "/buckets"},
		{"buckets", "[100, 2, 456, -1]", "/buckets"},
		{"buckets", "[100, 2, 456, 1.5]", "/buckets"},
		{"buckets", "[100, 2, 8448, 1]", "/buckets"},
		{"buckets", "[100, 2, 8400, 1]", "/buckets"},
		{"buckets", "[100, 2, -1, 1]", "/buckets"},
		{"buckets", "[9223372036854775807, 2, 9223372036854775807, 1]", "/buckets"},
		{"buckets", "[100, 9223372036854775807, 1, 9223372036854775807, 1, 5]", "/buckets"},
		{"buckets", "[100, 2, 457, 1]", "/max_ns"},
	};
	struct histogram *histogram = malloc(sizeof(*histogram));
	struct histogram *again = malloc(sizeof(*again));

	(void)state;
	assert_non_null(histogram);
	assert_non_null(again);
	histogram_init(histogram);
	histogram_add(histogram, 100);
	histogram_add(histogram, 100);
	histogram_add(histogram, 600);
	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		json_t *value = through_text(histogram_encode(histogram)), *damage = NULL;
		struct error err = {0};

		assert_int_equal(histogram_decode(value, again, &err), 0);
		assert_int_equal(
			json_read_own(damages[i].value, strlen(damages[i].value), &damage, &err),
			0);
		assert_int_equal(json_object_set_new(value, damages[i].member, damage), 0);
		if (histogram_decode(value, again, &err) != -EINVAL)
			fail_msg("%s = %s was taken", damages[i].member, damages[i].value);
		assert_string_equal(err.field, damages[i].field);
		assert_int_equal(json_object_del(value, damages[i].member), 0);
		assert_int_equal(histogram_decode(value, again, &err), -EINVAL);
		assert_int_equal(err.code, ERROR_MISSING_FIELD);
		json_decref(value);
	}
	free(histogram);
	free(again);
}

static void only_supported_percentiles_are_there(void **state)
{
	static const struct {
		size_t count;
		const char *last, *none;
	} cases[] = {
		{10, NULL, "1.000000"},
		{20, "50.000000", "75.000000"},
		{999, "95.000000", "99.000000"},
		{1000, "99.000000", "99.500000"},
		{100000, "99.990000", "99.999000"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct histogram *histogram = fixture_histogram(cases[i].count, 1000);
		json_t *summary = latency_summary_encode(histogram, &standard);
		json_t *percentiles = json_object_get(summary, "percentiles");

		if (cases[i].last)
			assert_true(json_is_integer(json_object_get(percentiles, cases[i].last)));
		assert_null(json_object_get(percentiles, cases[i].none));
		assert_true(json_number_value(json_object_get(summary, "mean")) ==
			    histogram_mean_ns(histogram));
		json_decref(summary);
		free(histogram);
	}
}

static void free_histograms(struct direction_result *result)
{
	free(result->latency);
	free(result->submission);
	free(result->completion);
	free(result->intended);
}

static void directions_come_back_whole(void **state)
{
	struct direction_result result[DIRECTION_COUNT] = {0}, again[DIRECTION_COUNT] = {0};
	struct error err = {0};
	struct fields in;
	json_t *value;

	(void)state;
	fixture_direction(&result[0], 5000, 8192, 70000, true);
	result[0].short_ios = 3;
	value = through_text(direction_encode(&result[0], 2.5, &standard));
	assert_true(json_number_value(json_object_get(value, "iops")) == 2000);
	assert_true(json_number_value(json_object_get(value, "bw_bytes_per_s")) == 2000 * 8192);
	assert_int_equal(fields_of(value, "/read", &err, &in), 0);
	assert_int_equal(direction_decode(&in, &again[0]), 0);
	fixture_same_directions(result, again);
	free_histograms(&again[0]);

	memset(again, 0, sizeof(again));
	assert_int_equal(json_object_set_new(value, "ios", json_integer(4999)), 0);
	assert_int_equal(direction_decode(&in, &again[0]), -EINVAL);
	assert_string_equal(err.field, "/read/histogram");
	free_histograms(&again[0]);
	free_histograms(&result[0]);
	json_decref(value);
}

static void a_direction_that_did_nothing_has_no_latency(void **state)
{
	struct direction_result result = {0};
	json_t *value = direction_encode(&result, 0, &standard);

	(void)state;
	assert_null(json_object_get(value, "latency_ns"));
	assert_null(json_object_get(value, "histogram"));
	assert_true(json_number_value(json_object_get(value, "iops")) == 0);
	json_decref(value);
}

int main(void)
{
	const struct workload no_list = {.name = NULL};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(histograms_come_back_whole),
		cmocka_unit_test(damaged_histograms_are_refused),
		cmocka_unit_test(only_supported_percentiles_are_there),
		cmocka_unit_test(directions_come_back_whole),
		cmocka_unit_test(a_direction_that_did_nothing_has_no_latency),
	};

	latency_percentiles(&no_list, &standard);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
