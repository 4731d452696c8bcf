/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * latency.h (codec) - histograms and the results of one direction <-> JSON. See openapi.yaml,
 * schemas Histogram, LatencySummary and DirectionResult.
 *
 * Histograms are stored whole: {"scheme": "loglinear-256", "count", "min_ns", "max_ns", "sum_ns",
 * "sum_squares_ns2", "buckets": [gap, count, gap, count, ...]} where gap is the distance of a
 * non-empty bucket's index from the one before (the first from 0). One without values is not
 * stored. What is derived (mean, percentiles, iops) is written for readers and not read back.
 */
#ifndef SERVER_CODEC_LATENCY_H
#define SERVER_CODEC_LATENCY_H

#include "engine/plan/percentiles.h"
#include "engine/sample.h"
#include "server/codec/fields.h"

/* NULL: no memory. */
json_t *histogram_encode(const struct histogram *histogram);

/* Reads into caller's storage. The error's field is the pointer inside `value`. BAD_VALUE where
 * its parts contradict each other. */
MUST_CHECK int histogram_decode(const json_t *value, struct histogram *histogram,
				struct error *err);

/* {"min", "mean", "stddev", "max", "percentiles": {"99.000000": ns, ...}}: those of the list that
 * are supported. */
json_t *latency_summary_encode(const struct histogram *histogram, const struct percentiles *list);

/* The key of a percentile as fio writes it, "99.900000". Returns buffer. */
#define PERCENTILE_KEY_MAX 16
char *percentile_key(double percent, char buffer[PERCENTILE_KEY_MAX]);

/* A sample's list, or histogram.h's standard ones. */
void latency_percentiles(const struct workload *options, struct percentiles *ret_list);

/* Puts a summary and a histogram under two names; nothing for NULL or an empty one. */
int put_latency(json_t *object, const char *summary_name, const char *histogram_name,
		const struct histogram *histogram, const struct percentiles *list);

/* The histogram under a name, heap, narrow (histogram.h); NULL where there is none. */
MUST_CHECK int get_latency(const struct fields *in, const char *histogram_name,
			   struct histogram **ret_histogram);

json_t *direction_encode(const struct direction_result *result, double seconds,
			 const struct percentiles *list);
/* *ret_result must be all zero; what it holds is the caller's, also on failure. */
MUST_CHECK int direction_decode(const struct fields *in, struct direction_result *ret_result);

#endif
