/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run_figures.c - see run_figures.h. */
#include "engine/analysis/run_figures.h"

#include <errno.h>
#include <stdlib.h>

#define P99 99.0

static struct told_figure unknown(void)
{
	return (struct told_figure){.known = false};
}

static struct told_figure rate_of(const struct sample *sample, enum run_figure figure,
				  enum direction direction)
{
	if (sample->source && sample->source->index)
		return unknown();
	return figure == RUN_FIGURE_IOPS ? sample_iops_figure(sample, direction)
					 : sample_bandwidth_figure(sample, direction);
}

static struct told_figure rate_of_all(const struct sample *sample, enum run_figure figure)
{
	struct told_figure total = told_exactly(0);
	bool any = false;

	for (int d = 0; d < DIRECTION_COUNT; d++) {
		struct told_figure one;

		if (!sample_moves(sample, d))
			continue;
		one = rate_of(sample, figure, d);
		if (!one.known)
			return unknown();
		any = true;
		total.value += one.value;
		total.low += one.low;
		total.high += one.high;
	}
	return any ? total : unknown();
}

static struct told_figure latency_of(const struct histogram *histogram, enum run_figure figure)
{
	if (!histogram || histogram->count == 0)
		return unknown();
	if (figure == RUN_FIGURE_LATENCY)
		return told_exactly(histogram_mean_ns(histogram));
	if (!histogram_percentile_supported(histogram->count, P99))
		return unknown();
	return told_exactly((double)histogram_percentile_ns(histogram, P99));
}

static struct told_figure told_latency(const struct told_direction *told, enum run_figure figure)
{
	if (figure == RUN_FIGURE_LATENCY)
		return told->latency_mean;
	for (size_t i = 0; i < told->percentile_count; i++)
		if (told->percentiles[i].percentile == P99) /* as it was written */
			return told_exactly(told->percentiles[i].ns);
	return unknown();
}

/* With a rate from the intended start, so that a stall counts for all it held up. */
static const struct histogram *latencies(const struct sample *sample, enum direction direction)
{
	const struct direction_result *result = &sample->directions[direction];

	return result->intended ? result->intended : result->latency;
}

static struct told_figure latency_of_direction(const struct sample *sample, enum run_figure figure,
					       enum direction direction)
{
	struct told_figure own = latency_of(latencies(sample, direction), figure);

	if (own.known || !sample->source || sample->directions[direction].latency)
		return own;
	return told_latency(&sample->source->directions[direction], figure);
}

/* All operations together: what each of them took, whichever way it went. */
static int latency_of_all(const struct sample *sample, enum run_figure figure,
			  struct told_figure *ret_figure)
{
	struct histogram *whole;
	size_t moving = 0, last = 0;
	bool known = true;

	for (int d = 0; d < DIRECTION_COUNT; d++) {
		if (!sample_moves(sample, d))
			continue;
		moving++;
		last = (size_t)d;
		known = known && latencies(sample, d);
	}
	if (moving == 1)
		*ret_figure = latency_of_direction(sample, figure, (enum direction)last);
	if (moving <= 1 || !known)
		return 0;
	whole = malloc(sizeof(*whole));
	if (!whole)
		return -ENOMEM;
	histogram_init(whole);
	for (int d = 0; d < DIRECTION_COUNT; d++)
		if (latencies(sample, d))
			histogram_merge(whole, latencies(sample, d));
	*ret_figure = latency_of(whole, figure);
	free(whole);
	return 0;
}

int run_figure_of_data(const struct sample *sample, enum run_figure figure, int direction,
		       struct told_figure *ret_figure)
{
	bool all = direction == DIRECTION_COUNT;
	int r = 0;

	*ret_figure = unknown();
	if (figure == RUN_FIGURE_IOPS || figure == RUN_FIGURE_BANDWIDTH)
		*ret_figure = all ? rate_of_all(sample, figure)
				  : rate_of(sample, figure, (enum direction)direction);
	else if (figure != RUN_FIGURE_FILES && all)
		r = latency_of_all(sample, figure, ret_figure);
	else if (figure != RUN_FIGURE_FILES)
		*ret_figure = latency_of_direction(sample, figure, (enum direction)direction);
	return r;
}

struct told_figure run_figure_of_files(const struct sample *sample, enum run_figure figure,
				       int operation, int order)
{
	const struct file_result *files = sample_files(sample, operation, order);

	if (!files)
		return unknown();
	if (figure != RUN_FIGURE_FILES)
		return latency_of(files->latency, figure);
	if (sample->source && sample->source->index)
		return unknown();
	if (files->told_ops_per_s.known)
		return files->told_ops_per_s;
	return files->seconds > 0 ? told_exactly(file_result_ops_per_s(files)) : unknown();
}
