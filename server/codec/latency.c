/* SPDX-License-Identifier: GPL-3.0-or-later */
/* latency.c - see latency.h. */
#include "server/codec/latency.h"

#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sums beyond 2^53 were rounded on their way through a document, sums of squares always. */
#define ROUNDING 1e-9

static json_t *buckets_encode(const struct histogram *histogram)
{
	json_t *buckets = json_array();
	size_t before = 0;
	int failed = 0;

	for (size_t i = histogram_first(histogram); i < histogram_end(histogram) && !failed; i++) {
		if (histogram_at(histogram, i) == 0)
			continue;
		failed |= append_u64(buckets, i - before);
		failed |= append_u64(buckets, histogram_at(histogram, i));
		before = i;
	}
	return put_end(buckets, failed);
}

json_t *histogram_encode(const struct histogram *histogram)
{
	json_t *value = json_object();
	int failed = 0;

	failed |= put_text(value, "scheme", HISTOGRAM_SCHEME);
	failed |= put_u64(value, "count", histogram->count);
	failed |= put_u64(value, "min_ns", histogram->min_ns);
	failed |= put_u64(value, "max_ns", histogram->max_ns);
	failed |= put_u64(value, "sum_ns", histogram->sum_ns);
	failed |= put_real(value, "sum_squares_ns2", histogram->sum_squares_ns2);
	failed |= put_value(value, "buckets", buckets_encode(histogram));
	return put_end(value, failed);
}

/* Fills the buckets; *ret_first and *ret_last are the outermost that hold something. */
static int buckets_decode(const struct fields *in, struct histogram *histogram, size_t *ret_first,
			  size_t *ret_last)
{
	const json_t *list = NULL;
	uint64_t gap, count, index = 0, sum = 0;
	int r;

	r = get_array(in, "buckets", 2 * (size_t)HISTOGRAM_BUCKETS, &list);
	if (r < 0)
		return r;
	if (json_array_size(list) < 2 || json_array_size(list) % 2 != 0)
		return fields_error(in, ERROR_BAD_VALUE, "buckets",
				    "pairs of a gap and a count are needed here");
	for (size_t i = 0; i < json_array_size(list); i += 2) {
		if (!value_u64(json_array_get(list, i), &gap) ||
		    !value_u64(json_array_get(list, i + 1), &count) || count == 0 ||
		    (gap == 0 && i > 0) || gap >= HISTOGRAM_BUCKETS ||
		    index + gap >= HISTOGRAM_BUCKETS || __builtin_add_overflow(sum, count, &sum))
			return fields_error(in, ERROR_BAD_VALUE, "buckets",
					    "entries %zu and %zu are not a gap and a count", i,
					    i + 1);
		index += gap;
		histogram->buckets[index] = count;
		if (i == 0)
			*ret_first = index;
	}
	*ret_last = index;
	if (sum != histogram->count)
		return fields_error(in, ERROR_BAD_VALUE, "buckets",
				    "the buckets hold %llu values, the count says %llu",
				    (unsigned long long)sum, (unsigned long long)histogram->count);
	return 0;
}

/* Whether the exact figures can be those of the values in the buckets. */
static int figures_check(const struct fields *in, const struct histogram *histogram, size_t first,
			 size_t last)
{
	double count = (double)histogram->count, sum = (double)histogram->sum_ns;
	double squares = histogram->sum_squares_ns2, max = (double)histogram->max_ns;
	double mean = sum / count;

	if (histogram_index(histogram->min_ns) != first)
		return fields_error(in, ERROR_BAD_VALUE, "min_ns",
				    "the smallest value is not in the first bucket");
	if (histogram_index(histogram->max_ns) != last || histogram->max_ns < histogram->min_ns)
		return fields_error(in, ERROR_BAD_VALUE, "max_ns",
				    "the largest value is not in the last bucket");
	if (mean < (double)histogram->min_ns * (1 - ROUNDING) || mean > max * (1 + ROUNDING))
		return fields_error(in, ERROR_BAD_VALUE, "sum_ns",
				    "the mean does not lie between the smallest and largest value");
	if (squares < sum * mean * (1 - ROUNDING) || squares > count * max * max * (1 + ROUNDING))
		return fields_error(in, ERROR_BAD_VALUE, "sum_squares_ns2",
				    "no values have this sum of squares and that sum");
	return 0;
}

static int histogram_read(const struct fields *in, struct histogram *histogram)
{
	static const char *const schemes[] = {HISTOGRAM_SCHEME};
	size_t scheme, first = 0, last = 0;
	int r;

	memset(histogram, 0, sizeof(*histogram));
	r = get_choice(in, "scheme", schemes, ARRAY_SIZE(schemes), &scheme);
	if (r == 0)
		r = get_u64(in, "count", UINT64_MAX, &histogram->count);
	if (r == 0)
		r = get_u64(in, "min_ns", UINT64_MAX, &histogram->min_ns);
	if (r == 0)
		r = get_u64(in, "max_ns", UINT64_MAX, &histogram->max_ns);
	if (r == 0)
		r = get_u64(in, "sum_ns", UINT64_MAX, &histogram->sum_ns);
	if (r == 0)
		r = get_real(in, "sum_squares_ns2", DBL_MAX, &histogram->sum_squares_ns2);
	if (r == 0)
		r = buckets_decode(in, histogram, &first, &last);
	if (r == 0)
		r = figures_check(in, histogram, first, last);
	return r;
}

int histogram_decode(const json_t *value, struct histogram *histogram, struct error *err)
{
	struct fields in;
	int r;

	r = fields_of(value, "", err, &in);
	return r < 0 ? r : histogram_read(&in, histogram);
}

char *percentile_key(double percent, char buffer[PERCENTILE_KEY_MAX])
{
	(void)snprintf(buffer, PERCENTILE_KEY_MAX, "%.6f", percent);
	return buffer;
}

void latency_percentiles(const struct workload *options, struct percentiles *ret_list)
{
	percentiles_of(options, histogram_percentiles, histogram_percentile_count, ret_list);
}

static json_t *percentiles_encode(const struct histogram *histogram, const struct percentiles *list)
{
	json_t *value = json_object();
	char key[PERCENTILE_KEY_MAX];
	int failed = 0;

	for (size_t i = 0; i < list->count; i++) {
		double percent = list->values[i];

		if (histogram_percentile_supported(histogram->count, percent))
			failed |= put_u64(value, percentile_key(percent, key),
					  histogram_percentile_ns(histogram, percent));
	}
	return put_end(value, failed);
}

json_t *latency_summary_encode(const struct histogram *histogram, const struct percentiles *list)
{
	json_t *value = json_object();
	int failed = 0;

	failed |= put_u64(value, "min", histogram->count > 0 ? histogram->min_ns : 0);
	failed |= put_real(value, "mean", histogram_mean_ns(histogram));
	failed |= put_real(value, "stddev", histogram_stddev_ns(histogram));
	failed |= put_u64(value, "max", histogram->max_ns);
	failed |= put_value(value, "percentiles", percentiles_encode(histogram, list));
	return put_end(value, failed);
}

int put_latency(json_t *object, const char *summary_name, const char *histogram_name,
		const struct histogram *histogram, const struct percentiles *list)
{
	int failed = 0;

	if (!histogram || histogram->count == 0)
		return 0;
	failed |= put_value(object, summary_name, latency_summary_encode(histogram, list));
	failed |= put_value(object, histogram_name, histogram_encode(histogram));
	return failed;
}

int get_latency(const struct fields *in, const char *histogram_name,
		struct histogram **ret_histogram)
{
	AUTO_FREE struct histogram *whole = NULL;
	struct histogram *narrow;
	struct fields inner;
	int r;

	if (!fields_have(in, histogram_name))
		return 0;
	r = get_object(in, histogram_name, &inner);
	if (r < 0)
		return r;
	whole = malloc(sizeof(*whole));
	if (!whole)
		return error_no_memory(in->err);
	r = histogram_read(&inner, whole);
	if (r < 0)
		return r;
	narrow = histogram_narrow(whole);
	if (!narrow)
		return error_no_memory(in->err);
	*ret_histogram = narrow;
	return 0;
}

json_t *direction_encode(const struct direction_result *result, double seconds,
			 const struct percentiles *list)
{
	json_t *value = json_object();
	int failed = 0;

	failed |= put_u64(value, "ios", result->ios);
	failed |= put_u64(value, "bytes", result->bytes);
	failed |= put_real(value, "iops", seconds > 0 ? (double)result->ios / seconds : 0);
	failed |= put_real(value, "bw_bytes_per_s",
			   seconds > 0 ? (double)result->bytes / seconds : 0);
	failed |= put_u64(value, "short_ios", result->short_ios);
	failed |= put_latency(value, "latency_ns", "histogram", result->latency, list);
	failed |= put_latency(value, "slat_ns", "slat_histogram", result->submission, list);
	failed |= put_latency(value, "clat_ns", "clat_histogram", result->completion, list);
	failed |= put_latency(value, "intended_ns", "intended_histogram", result->intended, list);
	return put_end(value, failed);
}

int direction_decode(const struct fields *in, struct direction_result *ret_result)
{
	int r;

	r = get_u64(in, "ios", UINT64_MAX, &ret_result->ios);
	if (r == 0)
		r = get_u64(in, "bytes", UINT64_MAX, &ret_result->bytes);
	if (r == 0)
		r = get_u64(in, "short_ios", ret_result->ios, &ret_result->short_ios);
	if (r == 0)
		r = get_latency(in, "histogram", &ret_result->latency);
	if (r == 0)
		r = get_latency(in, "slat_histogram", &ret_result->submission);
	if (r == 0)
		r = get_latency(in, "clat_histogram", &ret_result->completion);
	if (r == 0)
		r = get_latency(in, "intended_histogram", &ret_result->intended);
	if (r == 0 && ret_result->latency && ret_result->latency->count != ret_result->ios)
		r = fields_error(in, ERROR_BAD_VALUE, "histogram",
				 "the histogram has %llu operations, \"ios\" says %llu",
				 (unsigned long long)ret_result->latency->count,
				 (unsigned long long)ret_result->ios);
	return r;
}
