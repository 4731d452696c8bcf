/* SPDX-License-Identifier: GPL-3.0-or-later */
/* checks_figures.c - see checks_private.h: do the figures of a sample agree with each other, and
 * are there enough of them? */
#include "engine/analysis/checks_private.h"

#include <math.h>
#include <stdio.h>

#include "engine/base/clock.h"
#include "engine/plan/quantity.h"

/* The last request of a region may be cut short: never a thousandth of the bytes. */
#define SIZE_SHARE 0.001

/* Beyond what printed digits leave open there is only the arithmetic of doubles. */
#define ROUNDING_SHARE 1e-9

/* Depth and latency are counted apart at the window's ends only. */
#define LITTLE_SHARE 0.1
#define LITTLE_OPERATIONS 1000

/* n (1 - p) >= 10 for p = 0.99: see histogram_percentile_supported. */
#define FEW_OPERATIONS 1000

#define MIB (1024.0 * 1024)

/* How a reader finds the direction in "read", "written". */
static const char *moved(enum direction d)
{
	return d == DIRECTION_READ ? "read" : d == DIRECTION_WRITE ? "written" : "trimmed";
}

/* In words of its direction, so that both of a cell are seen beside each other. */
static int size_mismatch(const struct check *check, enum direction d, const char *expected,
			 const char *found)
{
	char message[160];

	(void)snprintf(message, sizeof(message),
		       "Operations times request size is not what was %s; IOPS and bandwidth "
		       "cannot both be right.",
		       moved(d));
	return checks_add(check, FINDING_WARNING, "size_mismatch", expected, found, message);
}

/* What may be counted on one side only, in bytes. fio's bytes hold what was outstanding when the
 * ramp ended, its operations do not: seen of 3.33, where 11,559 writes of 128k at depth 32 had the
 * bytes of 11,590. */
static double at_the_ramp(const struct sample *sample, double most)
{
	if (!sample->source || !sample_knows(sample, OPTION_ID_RAMP_TIME) ||
	    sample->options.ramp_time_ns == 0 || !checks_depth_known(sample))
		return 0;
	return checks_depth_asked(sample) * most;
}

/* By the amounts, in requests of least to most bytes. true: they agree. */
static bool amounts_agree(const struct sample *sample, enum direction d, double least, double most)
{
	const struct direction_result *result = &sample->directions[d];
	/* An operation that was short lacks a request's worth at most. */
	double missing = (double)result->short_ios * most;
	double bytes = (double)result->bytes, ios = (double)result->ios;

	return bytes <= ios * most * (1 + SIZE_SHARE) + at_the_ramp(sample, most) &&
	       bytes >= ios * least * (1 - SIZE_SHARE) - missing;
}

static int amounts_differ(const struct check *check, enum direction d, double least, double most)
{
	const struct direction_result *result = &check->sample->directions[d];
	double ios = (double)result->ios;
	char expected[96], found[96];

	if (least < most)
		(void)snprintf(expected, sizeof(expected),
			       "%.0f to %.0f bytes: %.0f operations of %.0f to %.0f", ios * least,
			       ios * most, ios, least, most);
	else
		(void)snprintf(expected, sizeof(expected), "%.0f bytes: %.0f operations of %.0f",
			       ios * most, ios, most);
	(void)snprintf(found, sizeof(found), "%.0f bytes %s", (double)result->bytes, moved(d));
	return size_mismatch(check, d, expected, found);
}

/* By the rates, as far as their printed digits leave them open. */
static bool rates_agree(const struct sample *sample, enum direction d, const double sizes[2])
{
	struct told_figure iops = checks_iops(sample, d);
	struct told_figure bandwidth = checks_bandwidth(sample, d);
	struct told_figure seconds = checks_seconds(sample);
	bool exact = iops.low == iops.high && bandwidth.low == bandwidth.high;
	double more = 1 + (exact ? SIZE_SHARE : ROUNDING_SHARE), ramp;

	if (!iops.known || !bandwidth.known)
		return true;
	/* A second at the least, where it is not known. */
	ramp = at_the_ramp(sample, sizes[1]) / (seconds.known ? seconds.low : 1);
	return iops.low * sizes[0] <= bandwidth.high * more &&
	       bandwidth.low <= iops.high * sizes[1] * more + ramp;
}

/* "201.95 to 202.73", or one number where it is the same. */
static const char *range_text(double low, double high, char buffer[64])
{
	if (high - low <= high * ROUNDING_SHARE)
		(void)snprintf(buffer, 64, "%.5g", low);
	else
		(void)snprintf(buffer, 64, "%.5g to %.5g", low, high);
	return buffer;
}

/* "8k", "4k to 16k". */
static const char *sizes_text(const double sizes[2], char buffer[96])
{
	char least[QUANTITY_TEXT_MAX], most[QUANTITY_TEXT_MAX];

	(void)snprintf(buffer, 96, "%s%s%s", quantity_format_size((uint64_t)sizes[0], least),
		       sizes[0] < sizes[1] ? " to " : "",
		       sizes[0] < sizes[1] ? quantity_format_size((uint64_t)sizes[1], most) : "");
	return buffer;
}

static int rates_differ(const struct check *check, enum direction d, const double sizes[2])
{
	struct told_figure iops = checks_iops(check->sample, d);
	struct told_figure bandwidth = checks_bandwidth(check->sample, d);
	char expected[256], found[96], a[64], b[64], c[96];

	(void)snprintf(expected, sizeof(expected), "%s MiB/s: %s IOPS of %s",
		       range_text(iops.low * sizes[0] / MIB, iops.high * sizes[1] / MIB, a),
		       range_text(iops.low, iops.high, b), sizes_text(sizes, c));
	(void)snprintf(found, sizeof(found), "%s MiB/s %s",
		       range_text(bandwidth.low / MIB, bandwidth.high / MIB, a), moved(d));
	return size_mismatch(check, d, expected, found);
}

/* What of a direction contradicts the request sizes. */
enum contradiction { AGREES, BY_AMOUNTS, BY_RATES };

static enum contradiction contradiction(const struct sample *sample, enum direction d,
					double sizes[2])
{
	const struct sample_source *source = sample->source;

	if (!checks_request_sizes(sample, d, &sizes[0], &sizes[1]))
		return AGREES;
	if ((!source || (source->directions[d].ios_known && source->directions[d].bytes_known)) &&
	    !amounts_agree(sample, d, sizes[0], sizes[1]))
		return BY_AMOUNTS;
	if (!source || sample->directions[d].short_ios > 0 || rates_agree(sample, d, sizes))
		return AGREES;
	return BY_RATES;
}

bool checks_sizes_agree(const struct sample *sample, enum direction d)
{
	double sizes[2];

	return contradiction(sample, d, sizes) == AGREES;
}

int checks_size(const struct check *check, enum direction d)
{
	double sizes[2];

	switch (contradiction(check->sample, d, sizes)) {
	case BY_AMOUNTS:
		return amounts_differ(check, d, sizes[0], sizes[1]);
	case BY_RATES:
		return rates_differ(check, d, sizes);
	case AGREES:
		break;
	}
	return 0;
}

static double sum_ns(const struct histogram *histogram)
{
	return histogram ? (double)histogram->sum_ns : 0;
}

/* No more can be outstanding than was asked for, but for operations that the ramp began: of those
 * the time before the window counts too, at most the longest latency. */
static int check_most_outstanding(const struct check *check, double depth)
{
	const struct sample *sample = check->sample;
	double asked = checks_depth_asked(sample), longest = 0;
	char expected[64], found[64];

	for (int d = 0; d < DIRECTION_COUNT; d++)
		if (sample->directions[d].latency)
			longest = fmax(longest, (double)sample->directions[d].latency->max_ns);
	if (depth <= asked * (1 + LITTLE_SHARE + longest / (sample->seconds * (double)NS_PER_S)))
		return 0;
	(void)snprintf(expected, sizeof(expected), "%.0f outstanding: iodepth x numjobs", asked);
	(void)snprintf(found, sizeof(found), "%.3g by IOPS x latency", depth);
	return checks_add(
		check, FINDING_WARNING, "littles_law", expected, found,
		"Operations per second times their mean latency is more than can have been "
		"outstanding; one of the three is wrong.");
}

int checks_little(const struct check *check)
{
	const struct sample *sample = check->sample;
	double data_ns = 0, syncs_ns, depth;
	char expected[64], found[64];

	/* What others told has no depth_mean: checks_told(). */
	if (sample->source || checks_operations(sample) < LITTLE_OPERATIONS || sample->seconds <= 0)
		return 0;
	for (int d = 0; d < DIRECTION_COUNT; d++)
		data_ns += sum_ns(sample->directions[d].latency);
	/* A sync is outstanding too. */
	syncs_ns = sum_ns(sample->sync) + sum_ns(sample->datasync) + sum_ns(sample->end_fsync);
	depth = (data_ns + syncs_ns) / (sample->seconds * (double)NS_PER_S);
	if (fabs(depth - sample->depth_mean) <= LITTLE_SHARE * fmax(depth, sample->depth_mean))
		return check_most_outstanding(check,
					      data_ns / (sample->seconds * (double)NS_PER_S));
	(void)snprintf(expected, sizeof(expected), "%.3g outstanding: IOPS x latency", depth);
	(void)snprintf(found, sizeof(found), "%.3g", sample->depth_mean);
	return checks_add(
		check, FINDING_WARNING, "littles_law", expected, found,
		"Operations per second times their mean latency is not the number that was "
		"outstanding; one of the three is wrong.");
}

/* Of others' samples some have no percentiles at all: none is missed then. */
static bool percentiles_told(const struct sample *sample, enum direction d)
{
	return !sample->source || sample->directions[d].latency ||
	       sample->source->directions[d].percentile_count;
}

int checks_count(const struct check *check, enum direction d)
{
	const struct sample *sample = check->sample;
	uint64_t ios = sample->directions[d].ios;
	char found[64];

	if (!sample_moves(sample, d) || ios >= FEW_OPERATIONS ||
	    (sample->source && !sample->source->directions[d].ios_known))
		return 0;
	(void)snprintf(found, sizeof(found), "%llu %ss", (unsigned long long)ios,
		       direction_names[d]);
	if (ios == 0)
		return checks_add(
			check, FINDING_WARNING, "no_operations", "at least one", found,
			"Not one operation of this kind ended in the measured time; use a "
			"longer runtime.");
	if (!percentiles_told(sample, d))
		return 0;
	return checks_add(
		check, FINDING_INFO, "few_operations", "1000 or more", found,
		"Too few operations for the 99th percentile, which needs ten slower ones; a "
		"longer runtime gives it.");
}
