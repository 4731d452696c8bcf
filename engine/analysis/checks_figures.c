/* SPDX-License-Identifier: GPL-3.0-or-later */
/* checks_figures.c - see checks_private.h: do the figures of a sample agree with each other, and
 * are there enough of them? */
#include "engine/analysis/checks_private.h"

#include <math.h>
#include <stdio.h>

#include "engine/base/clock.h"
#include "engine/plan/workload_sizes.h"

/* The last request of a region may be cut short: never a thousandth of the bytes. */
#define SIZE_SHARE 0.001

/* Depth and latency are counted apart at the window's ends only. */
#define LITTLE_SHARE 0.1
#define LITTLE_OPERATIONS 1000

/* n (1 - p) >= 10 for p = 0.99: see histogram_percentile_supported. */
#define FEW_OPERATIONS 1000

int checks_size(const struct check *check, enum direction d)
{
	const struct direction_result *result = &check->sample->directions[d];
	double ios = (double)result->ios, most = ios * (double)check->sample->options.bs[d];
	double least = ios * (double)workload_least_request(&check->sample->options, d);
	/* An operation that was short lacks a request's worth at most. */
	double missing = (double)result->short_ios * (double)check->sample->options.bs[d];
	double bytes = (double)result->bytes;
	char expected[96], found[96];

	if (bytes <= most * (1 + SIZE_SHARE) && bytes >= least * (1 - SIZE_SHARE) - missing)
		return 0;
	if (least < most)
		(void)snprintf(expected, sizeof(expected),
			       "%.0f to %.0f bytes: %.0f operations of %.0f to %.0f", least, most,
			       ios, least / ios, most / ios);
	else
		(void)snprintf(expected, sizeof(expected), "%.0f bytes: %.0f operations of %llu",
			       most, ios, (unsigned long long)check->sample->options.bs[d]);
	(void)snprintf(found, sizeof(found), "%.0f bytes %s", bytes,
		       d == DIRECTION_READ    ? "read"
		       : d == DIRECTION_WRITE ? "written"
					      : "trimmed");
	return checks_add(check, FINDING_WARNING, "size_mismatch", expected, found,
			  "Operations times request size is not what was moved; IOPS and bandwidth "
			  "cannot both be right.");
}

int checks_little(const struct check *check)
{
	const struct sample *sample = check->sample;
	double sum_ns = 0, depth;
	char expected[64], found[64];

	if (checks_operations(sample) < LITTLE_OPERATIONS || sample->seconds <= 0)
		return 0;
	for (int d = 0; d < DIRECTION_COUNT; d++)
		if (sample->directions[d].latency)
			sum_ns += (double)sample->directions[d].latency->sum_ns;
	/* A sync is outstanding too. */
	sum_ns += sample->sync ? (double)sample->sync->sum_ns : 0;
	sum_ns += sample->datasync ? (double)sample->datasync->sum_ns : 0;
	sum_ns += sample->end_fsync ? (double)sample->end_fsync->sum_ns : 0;
	depth = sum_ns / (sample->seconds * (double)NS_PER_S);
	if (fabs(depth - sample->depth_mean) <= LITTLE_SHARE * fmax(depth, sample->depth_mean))
		return 0;
	(void)snprintf(expected, sizeof(expected), "%.3g outstanding: IOPS x latency", depth);
	(void)snprintf(found, sizeof(found), "%.3g", sample->depth_mean);
	return checks_add(
		check, FINDING_WARNING, "littles_law", expected, found,
		"Operations per second times their mean latency is not the number that was "
		"outstanding; one of the three is wrong.");
}

int checks_count(const struct check *check, enum direction d)
{
	const struct sample *sample = check->sample;
	uint64_t ios = sample->directions[d].ios;
	char found[64];

	if (!sample_moves(sample, d) || ios >= FEW_OPERATIONS)
		return 0;
	(void)snprintf(found, sizeof(found), "%llu %ss", (unsigned long long)ios,
		       direction_names[d]);
	if (ios == 0)
		return checks_add(
			check, FINDING_WARNING, "no_operations", "at least one", found,
			"Not one operation of this kind ended in the measured time; use a "
			"longer runtime.");
	return checks_add(
		check, FINDING_INFO, "few_operations", "1000 or more", found,
		"Too few operations for the 99th percentile, which needs ten slower ones; a "
		"longer runtime gives it.");
}
