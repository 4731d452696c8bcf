/* SPDX-License-Identifier: GPL-3.0-or-later */
/* checks_known.c - see checks_private.h: what is known of a sample, our own or another tool's. */
#include "engine/analysis/checks_private.h"

#include <string.h>

#include "engine/io/pace.h"
#include "engine/plan/bssplit.h"
#include "engine/plan/workload_sizes.h"

uint64_t checks_operations(const struct sample *sample)
{
	uint64_t all = 0;

	for (int d = 0; d < DIRECTION_COUNT; d++)
		all += sample->directions[d].ios;
	return all;
}

bool checks_paced(const struct sample *sample)
{
	for (size_t i = 0; i < workload_parts(&sample->options); i++)
		if (!pace_is_plain(workload_part(&sample->options, i)))
			return true;
	return false;
}

double checks_depth_asked(const struct sample *sample)
{
	return (double)workload_outstanding(&sample->options);
}

bool checks_on_null(const struct sample *sample)
{
	return sample->backend && strcmp(sample->backend, "null") == 0;
}

bool checks_depth_known(const struct sample *sample)
{
	const struct workload *options = &sample->options;

	if (!sample->source)
		return true;
	/* A synchronous engine has a depth of 1 whatever iodepth says. */
	return options->part_count == 0 && sample_knows(sample, OPTION_ID_NUMJOBS) &&
	       (sample_knows(sample, OPTION_ID_IODEPTH) ||
		(sample_knows(sample, OPTION_ID_IOENGINE) &&
		 (options->ioengine == IOENGINE_PSYNC || options->ioengine == IOENGINE_SYNC)));
}

/* An index has nothing to do with operations or bytes. */
static bool rates_are_told(const struct sample *sample)
{
	return !sample->source || !sample->source->index;
}

struct told_figure checks_iops(const struct sample *sample, enum direction d)
{
	return rates_are_told(sample) ? sample_iops_figure(sample, d) : (struct told_figure){0};
}

struct told_figure checks_bandwidth(const struct sample *sample, enum direction d)
{
	return rates_are_told(sample) ? sample_bandwidth_figure(sample, d)
				      : (struct told_figure){0};
}

/* What an amount takes at a rate. */
static struct told_figure time_of(uint64_t amount, const struct told_figure *rate)
{
	struct told_figure seconds = {0};

	if (amount == 0 || !rate->known || rate->low <= 0)
		return seconds;
	seconds.known = true;
	seconds.value = (double)amount / rate->value;
	seconds.low = (double)amount / rate->high;
	seconds.high = (double)amount / rate->low;
	return seconds;
}

struct told_figure checks_seconds(const struct sample *sample)
{
	const struct sample_source *source = sample->source;
	struct told_figure seconds = {0};

	if (!source || source->seconds_known)
		return told_exactly(sample->seconds);
	for (int d = 0; d < DIRECTION_COUNT && !seconds.known && !source->index; d++) {
		const struct told_direction *told = &source->directions[d];

		if (told->ios_known)
			seconds = time_of(sample->directions[d].ios, &told->iops);
		if (!seconds.known && told->bytes_known)
			seconds = time_of(sample->directions[d].bytes, &told->bandwidth);
	}
	return seconds;
}

/* The entries of bssplit; false where it leaves the direction to bs. */
static bool split_sizes(const struct workload *options, enum direction d, double *ret_least,
			double *ret_most)
{
	struct bssplit splits[DIRECTION_COUNT];

	if (!options->bssplit || bssplit_parse(options->bssplit, splits, NULL) < 0 ||
	    splits[d].count == 0)
		return false;
	*ret_least = *ret_most = (double)splits[d].entries[0].bytes;
	for (uint32_t i = 1; i < splits[d].count; i++) {
		double bytes = (double)splits[d].entries[i].bytes;

		*ret_least = bytes < *ret_least ? bytes : *ret_least;
		*ret_most = bytes > *ret_most ? bytes : *ret_most;
	}
	return true;
}

bool checks_request_sizes(const struct sample *sample, enum direction d, double *ret_least,
			  double *ret_most)
{
	const struct workload *options = &sample->options;

	if (!sample->source) {
		*ret_least = (double)workload_least_request(options, d);
		*ret_most = (double)options->bs[d];
		return true;
	}
	/* Options that are not completed: bs is what bs was given as, not the largest request. */
	if (options->part_count > 0 || split_sizes(options, d, ret_least, ret_most))
		return options->part_count == 0;
	if (sample_knows(sample, OPTION_ID_BSRANGE) && options->bsrange[d][1] > 0) {
		*ret_least = (double)options->bsrange[d][0];
		*ret_most = (double)options->bsrange[d][1];
		return true;
	}
	*ret_least = *ret_most = (double)options->bs[d];
	return sample_knows(sample, OPTION_ID_BS) && options->bs[d] > 0;
}
