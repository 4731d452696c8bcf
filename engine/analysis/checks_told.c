/* SPDX-License-Identifier: GPL-3.0-or-later */
/* checks_told.c - see checks_private.h: can what another tool told be so? */
#include "engine/analysis/checks_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/io/histogram.h"

/* Little's law: what is outstanding is arrivals a second x time in the system (Little, "A Proof for
 * the Queuing Formula L = lambda W", 1961). No more can be outstanding than jobs x iodepth. Tools
 * divide by a time that differs from the window by their begin and end; a tenth is more than that
 * in any measurement of some seconds. */
#define LITTLE_SHARE 0.1

/* With less than three quarters of the depth outstanding another level was measured than asked. */
#define DEPTH_SHARE 0.75

/* More operations than any measurement has, which a count still holds. */
#define COUNT_MAX 1e18

/* Ended by its time, as in checks_asked.c. */
#define TIME_SHARE 0.99

/* Of fewer operations those at the ends weigh too much. */
#define LITTLE_OPERATIONS 1000

/* Percentiles of buckets stand for their bucket, which fio's have 1/64 wide, diskspd's less; so one
 * may lie that much beyond the exact maximum. */
#define BUCKET_SHARE (1.0 / 32)

static struct told_figure latency_mean(const struct sample *sample, enum direction d)
{
	const struct histogram *histogram = sample->directions[d].latency;

	if (sample->source->directions[d].latency_mean.known)
		return sample->source->directions[d].latency_mean;
	if (histogram && histogram->count > 0)
		return told_exactly(histogram_mean_ns(histogram));
	return (struct told_figure){0};
}

/* Operations outstanding by rates and latencies. *ret_all: of every direction, and not only of
 * those that tell both. */
static struct told_figure outstanding(const struct sample *sample, bool *ret_all)
{
	struct told_figure sum = {0};
	bool pattern = sample_knows(sample, OPTION_ID_RW);

	*ret_all = true;
	for (int i = 0; i < DIRECTION_COUNT; i++) {
		enum direction d = (enum direction)i;
		struct told_figure iops = checks_iops(sample, d);
		struct told_figure latency = latency_mean(sample, d);

		/* Nothing goes this way. */
		if ((iops.known && iops.high <= 0) || (pattern && !sample_moves(sample, d)) ||
		    (!iops.known && d == DIRECTION_TRIM && !pattern))
			continue;
		if (!iops.known || !latency.known) {
			*ret_all = false;
			continue;
		}
		sum.known = true;
		sum.value += iops.value * latency.value / (double)NS_PER_S;
		sum.low += iops.low * latency.low / (double)NS_PER_S;
		sum.high += iops.high * latency.high / (double)NS_PER_S;
	}
	return sum;
}

/* Whether there are enough operations, as far as that is known. */
static bool enough(const struct sample *sample)
{
	bool known = false;

	for (int d = 0; d < DIRECTION_COUNT; d++)
		known |= sample->source->directions[d].ios_known;
	return !known || checks_operations(sample) >= LITTLE_OPERATIONS;
}

/* Whether all jobs went on to the end: of several that end with their size the first are over while
 * the last go on. */
static bool went_on_together(const struct sample *sample)
{
	const struct workload *options = &sample->options;
	struct told_figure seconds = checks_seconds(sample);

	if (options->numjobs == 1 ||
	    (sample_knows(sample, OPTION_ID_TIME_BASED) && options->time_based))
		return true;
	return sample_knows(sample, OPTION_ID_RUNTIME) && seconds.known &&
	       seconds.high >= (double)options->runtime_ns / (double)NS_PER_S * TIME_SHARE;
}

/* What completes at once is not outstanding. */
static bool completes_at_once(const struct sample *sample)
{
	return sample_knows(sample, OPTION_ID_IOENGINE) &&
	       sample->options.ioengine == IOENGINE_NULL;
}

static int check_outstanding(const struct check *check)
{
	const struct sample *sample = check->sample;
	double asked = checks_depth_asked(sample);
	struct told_figure depth;
	char expected[96], found[96];
	bool all;

	if (!checks_depth_known(sample) || !enough(sample))
		return 0;
	depth = outstanding(sample, &all);
	if (!depth.known)
		return 0;
	(void)snprintf(expected, sizeof(expected), "%.0f outstanding: iodepth x numjobs", asked);
	(void)snprintf(found, sizeof(found), "%.3g by IOPS x mean latency", depth.value);
	if (depth.low > asked * (1 + LITTLE_SHARE))
		return checks_add(check, FINDING_WARNING, "littles_law", expected, found,
				  "Operations per second times their mean latency is more than can "
				  "have been outstanding; one of the figures, or an option, is not "
				  "what it is told to be.");
	/* A job that waits for its fsync, a rate or a pause has less outstanding by right. */
	if (!all || depth.high >= asked * DEPTH_SHARE || !went_on_together(sample) ||
	    completes_at_once(sample) || sample->options.fsync > 0 ||
	    sample->options.fdatasync > 0 || sample->options.end_fsync || sample->sync ||
	    sample->error_count > 0 || checks_paced(sample))
		return 0;
	return checks_add(check, FINDING_WARNING, "depth_not_reached", expected, found,
			  "Fewer operations were outstanding than asked: a synchronous engine "
			  "(fio's default) ignores iodepth, without direct=1 a queue may not "
			  "form, or the processors set the pace; what was measured is a lower "
			  "depth.");
}

/* Operations of a direction; below 0: not known. */
static double count_of(const struct sample *sample, enum direction d)
{
	struct told_figure iops = checks_iops(sample, d);

	if (sample->source->directions[d].ios_known)
		return (double)sample->directions[d].ios;
	return iops.known && sample->source->seconds_known
		       ? fmin(iops.high * sample->seconds, COUNT_MAX)
		       : -1;
}

/* Percentiles with fewer than ten slower operations: they are those of a handful, and another run
 * has others. The rule and its reason: histogram_percentile_supported(). */
static int check_percentiles(const struct check *check, enum direction d)
{
	const struct told_direction *told = &check->sample->source->directions[d];
	double count = count_of(check->sample, d), most = 0;
	char expected[96], found[160], list[96] = "", message[200];
	size_t used = 0;

	if (count < 0 || told->percentile_count == 0)
		return 0;
	for (size_t i = 0; i < told->percentile_count; i++) {
		double percentile = told->percentiles[i].percentile;

		/* The hundredth is the maximum, which is what it is. */
		if (percentile <= 50 || percentile >= 100 ||
		    histogram_percentile_supported((uint64_t)count, percentile)) {
			most = percentile < 100 ? fmax(most, percentile) : most;
			continue;
		}
		(void)snprintf(list + used, sizeof(list) - used, "%s%.7g", used ? ", " : "",
			       percentile); /* may be cut */
		used = strlen(list);
	}
	if (!used)
		return 0;
	(void)snprintf(expected, sizeof(expected), "ten slower operations: up to %.7g", most);
	(void)snprintf(found, sizeof(found), "%s of %.0f %ss", list, count, direction_names[d]);
	(void)snprintf(message, sizeof(message),
		       "So few %ss cannot tell these percentiles: each is the latency of a handful "
		       "of operations, and another run has others. A longer run gives them.",
		       direction_names[d]);
	return checks_add(check, FINDING_INFO, "percentiles_unsupported", expected, found, message);
}

/* What lies between the least and the most of all latencies, and percentiles that rise. */
static int check_latencies(const struct check *check, enum direction d)
{
	const struct told_direction *told = &check->sample->source->directions[d];
	const struct told_figure *mean = &told->latency_mean, *most = &told->latency_max;
	const struct told_figure *least = &told->latency_min;
	double before = 0;
	char expected[96], found[96];

	if (mean->known && ((most->known && mean->low > most->high) ||
			    (least->known && mean->high < least->low))) {
		(void)snprintf(expected, sizeof(expected), "between %.4g and %.4g ms",
			       least->value / (double)NS_PER_MS, most->value / (double)NS_PER_MS);
		(void)snprintf(found, sizeof(found), "a mean of %.4g ms",
			       mean->value / (double)NS_PER_MS);
		return checks_add(check, FINDING_WARNING, "latency_order", expected, found,
				  "A mean lies between the smallest and the largest value; one of "
				  "the three is wrong.");
	}
	for (size_t i = 0; i < told->percentile_count; i++) {
		double ns = told->percentiles[i].ns;

		if (ns >= before && (!most->known || ns <= most->high * (1 + BUCKET_SHARE))) {
			before = ns;
			continue;
		}
		(void)snprintf(expected, sizeof(expected), "from %.4g ms up%s",
			       before / (double)NS_PER_MS, most->known ? ", to the maximum" : "");
		(void)snprintf(found, sizeof(found), "%.4g ms at the percentile %.7g of %ss",
			       ns / (double)NS_PER_MS, told->percentiles[i].percentile,
			       direction_names[d]);
		return checks_add(
			check, FINDING_WARNING, "latency_order", expected, found,
			"Percentiles rise from the smallest to the largest latency; one of "
			"them is wrong.");
	}
	return 0;
}

int checks_told(const struct check *check)
{
	int r = 0;

	if (!check->sample->source)
		return 0;
	r = check_outstanding(check);
	for (int d = 0; d < DIRECTION_COUNT && r == 0; d++) {
		r = check_percentiles(check, (enum direction)d);
		if (r == 0)
			r = check_latencies(check, (enum direction)d);
	}
	return r;
}
