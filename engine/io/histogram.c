/* SPDX-License-Identifier: GPL-3.0-or-later */
/* histogram.c - see histogram.h. */
#include "engine/io/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double histogram_percentiles[] = {1,  5,	10,   25,   50,	   75,	  90,
					95, 99, 99.5, 99.9, 99.95, 99.99, 99.999};
const size_t histogram_percentile_count = ARRAY_SIZE(histogram_percentiles);

void histogram_init(struct histogram *histogram)
{
	memset(histogram, 0, sizeof(*histogram));
	histogram->min_ns = UINT64_MAX;
}

void histogram_clear(struct histogram *histogram)
{
	size_t first = histogram_index(histogram->min_ns),
	       last = histogram_index(histogram->max_ns);

	if (histogram->count > 0)
		memset(&histogram->buckets[first], 0,
		       (last - first + 1) * sizeof(histogram->buckets[0]));
	memset(histogram, 0, offsetof(struct histogram, buckets));
	histogram->min_ns = UINT64_MAX;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	if (from->count == 0)
		return;
	for (size_t i = histogram_first(from); i < histogram_end(from); i++)
		into->buckets[i] += histogram_at(from, i);
	into->count += from->count;
	into->sum_ns += from->sum_ns;
	into->sum_squares_ns2 += from->sum_squares_ns2;
	if (from->min_ns < into->min_ns)
		into->min_ns = from->min_ns;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
}

struct histogram *histogram_narrow(const struct histogram *histogram)
{
	size_t first = histogram_index(histogram->min_ns);
	size_t end = histogram_index(histogram->max_ns) + 1;
	struct histogram *narrow =
		malloc(offsetof(struct histogram, buckets) + (end - first) * sizeof(uint64_t));

	if (!narrow)
		return NULL;
	narrow->count = histogram->count;
	narrow->min_ns = histogram->min_ns;
	narrow->max_ns = histogram->max_ns;
	narrow->sum_ns = histogram->sum_ns;
	narrow->sum_squares_ns2 = histogram->sum_squares_ns2;
	narrow->narrow = true;
	for (size_t i = first; i < end; i++)
		narrow->buckets[i - first] = histogram_at(histogram, i);
	return narrow;
}

/*
 * The inverse of histogram_index: for index >= 512, e = index / 256 - 1 and the bucket begins at
 * (index - 256 e) << e.
 */
void histogram_bounds(size_t index, uint64_t *ret_lower_ns, uint64_t *ret_upper_ns)
{
	unsigned int e = 0;
	uint64_t lower;

	if (index >= HISTOGRAM_BUCKETS)
		index = HISTOGRAM_BUCKETS - 1;
	if (index >= (UINT64_C(2) << HISTOGRAM_SUB_BITS))
		e = (unsigned int)(index >> HISTOGRAM_SUB_BITS) - 1;
	lower = ((uint64_t)index - ((uint64_t)e << HISTOGRAM_SUB_BITS)) << e;
	*ret_lower_ns = lower;
	*ret_upper_ns = lower + (UINT64_C(1) << e);
}

double histogram_mean_ns(const struct histogram *histogram)
{
	if (histogram->count == 0)
		return 0;
	return (double)histogram->sum_ns / (double)histogram->count;
}

double histogram_stddev_ns(const struct histogram *histogram)
{
	double mean = histogram_mean_ns(histogram);
	double variance;

	if (histogram->count == 0)
		return 0;
	variance = histogram->sum_squares_ns2 / (double)histogram->count - mean * mean;
	return variance > 0 ? sqrt(variance) : 0; /* rounding may leave it just below 0 */
}

static uint64_t within(uint64_t value, uint64_t low, uint64_t high)
{
	if (value < low)
		return low;
	return value > high ? high : value;
}

uint64_t histogram_percentile_ns(const struct histogram *histogram, double percent)
{
	/* Held down by a hair: 99.9 percent of 1,000 is rank 999, not 1,000 for a rounding error.
	 */
	double wanted = ceil(percent / 100 * (double)histogram->count * (1 - 1e-12));
	uint64_t rank, seen = 0, lower, upper;

	if (histogram->count == 0)
		return 0;
	rank = wanted < 1 ? 1 : (uint64_t)wanted;
	if (rank >= histogram->count)
		return histogram->max_ns;
	for (size_t i = histogram_first(histogram); i < histogram_end(histogram); i++) {
		seen += histogram_at(histogram, i);
		if (seen < rank)
			continue;
		/* What lies in the last bucket may be anywhere above: the largest is the only
		 * figure known. */
		if (i == HISTOGRAM_BUCKETS - 1)
			break;
		histogram_bounds(i, &lower, &upper);
		return within(lower + (upper - lower) / 2, histogram->min_ns, histogram->max_ns);
	}
	return histogram->max_ns;
}

bool histogram_percentile_supported(uint64_t count, double percent)
{
	return (double)count * (100 - percent) / 100 >= 10 - 1e-6;
}
