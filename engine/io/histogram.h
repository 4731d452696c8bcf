/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * histogram.h - latencies in log-linear buckets.
 *
 * Scheme "loglinear-256", which lasts (stored results use it): values are whole nanoseconds. Below
 * 512 a bucket a value, index = value. From 512 on each power of two is cut into 256 equal
 * buckets: with e = (position of the highest bit) - 8, index = e * 256 + (value >> e). So a
 * bucket's width is at most 1/256 of its lower bound. Values of 2^40 ns (18 minutes) and more
 * count in the last bucket; max is kept exactly.
 *
 * Invariants: count is the sum over buckets; min, max and the two sums come from the values, not
 * from buckets (the sum of squares to a double's precision). Adding and merging never allocate.
 * Threads: one writer.
 *
 * A whole one takes 67 KB. What is kept of many samples is narrow (histogram_narrow): allocated
 * with the buckets from the smallest to the largest value alone, so never copied by assignment,
 * added to or merged into. Readers go over histogram_first() to histogram_end() with
 * histogram_at(), which serve both. See fio stat.h and HdrHistogram for the idea.
 */
#ifndef ENGINE_IO_HISTOGRAM_H
#define ENGINE_IO_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/macros.h"

#define HISTOGRAM_SCHEME "loglinear-256"
#define HISTOGRAM_SUB_BITS 8
#define HISTOGRAM_MAX_BITS 40
#define HISTOGRAM_BUCKETS ((HISTOGRAM_MAX_BITS - HISTOGRAM_SUB_BITS + 1) << HISTOGRAM_SUB_BITS)

struct histogram {
	uint64_t count;
	uint64_t min_ns, max_ns; /* min_ns is UINT64_MAX while count is 0 */
	uint64_t sum_ns;
	double sum_squares_ns2;
	bool narrow;
	uint64_t buckets[HISTOGRAM_BUCKETS]; /* narrow: the first is that of min_ns */
};

void histogram_init(struct histogram *histogram);

/* Empties it again; only touches what was used. */
void histogram_clear(struct histogram *histogram);

static inline size_t histogram_index(uint64_t value_ns)
{
	unsigned int e;

	if (__builtin_expect(value_ns >= (UINT64_C(1) << HISTOGRAM_MAX_BITS), 0))
		return HISTOGRAM_BUCKETS - 1;
	/* The bit that is set makes e 0 for all that is below 512, and changes no other e. */
	e = (63u ^ (unsigned int)__builtin_clzll(value_ns | UINT64_C(1) << HISTOGRAM_SUB_BITS)) -
	    HISTOGRAM_SUB_BITS;
	return ((size_t)e << HISTOGRAM_SUB_BITS) + (size_t)(value_ns >> e);
}

/* The buckets that may hold something: first <= index < end. */
static inline size_t histogram_first(const struct histogram *histogram)
{
	return histogram->count > 0 ? histogram_index(histogram->min_ns) : 0;
}

static inline size_t histogram_end(const struct histogram *histogram)
{
	return histogram->count > 0 ? histogram_index(histogram->max_ns) + 1 : 0;
}

static inline uint64_t histogram_at(const struct histogram *histogram, size_t index)
{
	return histogram->buckets[histogram->narrow ? index - histogram_first(histogram) : index];
}

/* Operations that share their stamps share their latency: `times` values at the price of one. */
static inline void histogram_add_many(struct histogram *histogram, uint64_t value_ns,
				      uint64_t times)
{
	double value = (double)(int64_t)value_ns; /* signed conversion is one instruction */

	histogram->buckets[histogram_index(value_ns)] += times;
	histogram->count += times;
	histogram->sum_ns += value_ns * times;
	histogram->sum_squares_ns2 += value * value * (double)(int64_t)times;
	if (value_ns < histogram->min_ns)
		histogram->min_ns = value_ns;
	if (value_ns > histogram->max_ns)
		histogram->max_ns = value_ns;
}

static inline void histogram_add(struct histogram *histogram, uint64_t value_ns)
{
	histogram_add_many(histogram, value_ns, 1);
}

void histogram_merge(struct histogram *into, const struct histogram *from);

/* A narrow copy of one that is not empty; heap, NULL on no memory. */
struct histogram *histogram_narrow(const struct histogram *histogram);

/* Bounds of a bucket by its width: lower inclusive, upper exclusive. The last one's upper bound is
 * 2^40 though it also holds all values above. */
void histogram_bounds(size_t index, uint64_t *ret_lower_ns, uint64_t *ret_upper_ns);

double histogram_mean_ns(const struct histogram *histogram);   /* 0 when empty */
double histogram_stddev_ns(const struct histogram *histogram); /* population; 0 when empty */

/*
 * The smallest value v such that at least percent/100 of the values are <= v, answered as the
 * middle of its bucket held within [min, max]: within 1/256 of the truth (max in the last bucket
 * and for the last value). 0 when empty.
 */
uint64_t histogram_percentile_ns(const struct histogram *histogram, double percent);

/* Whether n values support it: n (1 - p) >= 10 (PRODUCT: a percentile needs ten values beyond it).
 */
bool histogram_percentile_supported(uint64_t count, double percent);

/* The percentiles shown everywhere: 1, 5, 10, 25, 50, 75, 90, 95,
 * 99, 99.5, 99.9, 99.95, 99.99, 99.999. */
extern const double histogram_percentiles[];
extern const size_t histogram_percentile_count;

#endif
