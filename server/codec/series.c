/* SPDX-License-Identifier: GPL-3.0-or-later */
/* series.c (codec) - see series.h. */
#include "server/codec/series.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/base/clock.h"

/* A sample lasts 8 days at most (ramp and runtime); a longer series is damage. */
#define SERIES_MAX (9 * 86400)
#define SECONDS_MAX 1e9

static int put_series_name(json_t *object, enum direction d, const char *what, json_t *value)
{
	char name[40];

	(void)snprintf(name, sizeof(name), "%s_%s", direction_names[d], what);
	return put_value(object, name, value);
}

static int put_series_direction(json_t *object, const struct series *series, enum direction d)
{
	json_t *ios = json_array(), *bytes = json_array(), *means = json_array();
	int failed = 0;

	for (size_t i = 0; i < series->count; i++) {
		const struct series_second *second = &series->seconds[i];
		double mean = second->ios[d] > 0
				      ? (double)second->latency_sum_ns[d] / (double)second->ios[d]
				      : 0;

		failed |= append_u64(ios, second->ios[d]);
		failed |= append_u64(bytes, second->bytes[d]);
		failed |= json_array_append_new(means,
						second->ios[d] > 0 ? json_real(mean) : json_null());
	}
	failed |= put_series_name(object, d, "ios", ios);
	failed |= put_series_name(object, d, "bytes", bytes);
	failed |= put_series_name(object, d, "latency_mean_ns", means);
	return failed;
}

static bool series_moves(const struct sample *sample, enum direction d)
{
	if (sample_moves(sample, d))
		return true;
	for (size_t i = 0; i < sample->series.count; i++)
		if (sample->series.seconds[i].ios[d] > 0)
			return true;
	return false;
}

json_t *series_encode(const struct sample *sample)
{
	const struct series *series = &sample->series;
	json_t *value = json_object();
	int failed = 0;

	failed |= put_u64(value, "interval_s", 1);
	failed |= put_u64(value, "count", series->count);
	failed |= put_u64(value, "ramp_seconds_count", series->ramp_count);
	failed |= put_real(value, "last_span_s", (double)series->last_span_ns / (double)NS_PER_S);
	for (int d = 0; d < DIRECTION_COUNT; d++)
		if (series_moves(sample, (enum direction)d))
			failed |= put_series_direction(value, series, (enum direction)d);
	return put_end(value, failed);
}

/*
 * The sum behind a mean: the nearest whole number, or the neighbour that gives this very mean. It
 * is exact while the sum is below 2^52 ns, which more than four million operations outstanding for
 * the whole second would be needed to leave.
 */
static uint64_t sum_of_mean(double mean, uint64_t ios)
{
	uint64_t sum = (uint64_t)llround(mean * (double)ios);

	for (int64_t step = -2; step <= 2; step++) {
		uint64_t near = sum + (uint64_t)step;

		if ((step >= 0 || sum >= (uint64_t)-step) && (double)near / (double)ios == mean)
			return near;
	}
	return sum;
}

static int series_second_decode(const json_t *means, size_t i, enum direction d,
				struct series_second *second)
{
	const json_t *mean = json_array_get(means, i);
	double value;

	if (second->ios[d] == 0)
		return json_is_null(mean) ? 0 : -EINVAL;
	if (!json_is_number(mean))
		return -EINVAL;
	value = json_number_value(mean);
	if (!(value >= 0) || !(value * (double)second->ios[d] < 9e18))
		return -EINVAL;
	second->latency_sum_ns[d] = sum_of_mean(value, second->ios[d]);
	return 0;
}

/* The three lists of one direction; all there or none. */
static int series_direction_decode(const struct fields *in, enum direction d, struct series *series)
{
	static const char *const whats[] = {"ios", "bytes", "latency_mean_ns"};
	const json_t *lists[ARRAY_SIZE(whats)] = {NULL};
	char names[ARRAY_SIZE(whats)][40];
	int r;

	for (size_t n = 0; n < ARRAY_SIZE(whats); n++) {
		(void)snprintf(names[n], sizeof(names[n]), "%s_%s", direction_names[d], whats[n]);
		if (n == 0 && !fields_have(in, names[0]))
			return 0;
		r = get_array(in, names[n], SERIES_MAX, &lists[n]);
		if (r < 0)
			return r;
		if (json_array_size(lists[n]) != series->count)
			return fields_error(in, ERROR_BAD_VALUE, names[n],
					    "%zu entries are needed here, one a second",
					    series->count);
	}
	for (size_t i = 0; i < series->count; i++) {
		struct series_second *second = &series->seconds[i];

		if (!value_u64(json_array_get(lists[0], i), &second->ios[d]))
			return fields_error(in, ERROR_BAD_VALUE, names[0], "entry %zu is no count",
					    i);
		if (!value_u64(json_array_get(lists[1], i), &second->bytes[d]))
			return fields_error(in, ERROR_BAD_VALUE, names[1],
					    "entry %zu is no number of bytes", i);
		if (series_second_decode(lists[2], i, d, second) < 0)
			return fields_error(in, ERROR_BAD_VALUE, names[2],
					    "entry %zu is not the mean of its operations", i);
	}
	return 0;
}

int series_decode(const struct fields *in, struct series *series)
{
	uint64_t count = 0, ramp_count = 0;
	double last_span_s = 0;
	struct fields inner;
	int r;

	r = get_object(in, "series", &inner);
	if (r == 0)
		r = get_u64(&inner, "count", SERIES_MAX, &count);
	if (r == 0)
		r = get_u64(&inner, "ramp_seconds_count", count, &ramp_count);
	if (r == 0)
		r = get_real(&inner, "last_span_s", SECONDS_MAX, &last_span_s);
	if (r < 0)
		return r;
	series->last_span_ns = (uint64_t)llround(last_span_s * (double)NS_PER_S);
	series->ramp_count = (size_t)ramp_count;
	if (count == 0)
		return 0;
	series->seconds = calloc((size_t)count, sizeof(*series->seconds));
	if (!series->seconds)
		return error_no_memory(in->err);
	series->count = (size_t)count;
	for (int d = 0; d < DIRECTION_COUNT && r == 0; d++)
		r = series_direction_decode(&inner, (enum direction)d, series);
	return r;
}
