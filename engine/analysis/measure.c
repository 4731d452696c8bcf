/* SPDX-License-Identifier: GPL-3.0-or-later */
/* measure.c - see measure.h. */
#include "engine/analysis/measure.h"

#include <stdlib.h>
#include <string.h>

static struct told_figure files_figure(const struct sample *sample,
				       const struct comparison *comparison)
{
	const struct file_result *files =
		sample_files(sample, comparison->operation, comparison->order);

	if (!files)
		return (struct told_figure){0};
	if (files->told_ops_per_s.known)
		return files->told_ops_per_s;
	if (sample->source && !(files->seconds > 0))
		return (struct told_figure){0};
	return told_exactly(file_result_ops_per_s(files));
}

static void add_to(struct told_figure *total, const struct told_figure *figure, double weight)
{
	total->known = true;
	total->value += weight * figure->value;
	total->low += weight * figure->low;
	total->high += weight * figure->high;
}

/* A rewrite reads each block and writes it back, so that one figure tells both, and other tools
 * tell one. */
static bool one_way_told(const struct sample *sample)
{
	return sample->source && sample_knows(sample, OPTION_ID_RW) &&
	       workload_rewrites(&sample->options);
}

static struct told_figure total_rate(const struct sample *sample, enum measure measure)
{
	struct told_figure total = {0};

	for (int d = 0; d < DIRECTION_COUNT; d++) {
		struct told_figure figure =
			measure == MEASURE_IOPS
				? sample_iops_figure(sample, (enum direction)d)
				: sample_bandwidth_figure(sample, (enum direction)d);

		if (!sample_moves(sample, (enum direction)d))
			continue;
		if (!figure.known && one_way_told(sample))
			continue;
		if (!figure.known)
			return (struct told_figure){0};
		add_to(&total, &figure, 1);
	}
	return total;
}

static const struct histogram *latencies(const struct sample *sample, int d)
{
	const struct direction_result *direction = &sample->directions[d];

	if (direction->intended && direction->intended->count > 0)
		return direction->intended;
	return direction->latency && direction->latency->count > 0 ? direction->latency : NULL;
}

/* Of one direction; *ret_operations weighs it beside the others. */
static struct told_figure direction_latency(const struct sample *sample, int d,
					    double *ret_operations)
{
	const struct histogram *histogram = latencies(sample, d);
	struct told_figure iops = sample_iops_figure(sample, (enum direction)d);

	if (histogram) {
		*ret_operations = (double)histogram->count;
		return told_exactly(histogram_mean_ns(histogram));
	}
	*ret_operations = iops.value;
	if (!sample->source || !(iops.value > 0))
		return (struct told_figure){0};
	return sample->source->directions[d].latency_mean;
}

static struct told_figure mean_latency(const struct sample *sample)
{
	struct told_figure sum = {0};
	double operations = 0;

	for (int d = 0; d < DIRECTION_COUNT; d++) {
		struct told_figure mean;
		double count;

		if (!sample_moves(sample, (enum direction)d))
			continue;
		mean = direction_latency(sample, d, &count);
		if (!mean.known)
			return (struct told_figure){0};
		add_to(&sum, &mean, count);
		operations += count;
	}
	if (!(operations > 0))
		return (struct told_figure){0};
	sum.value /= operations;
	sum.low /= operations;
	sum.high /= operations;
	return sum;
}

struct told_figure measure_figure(const struct sample *sample, const struct comparison *comparison)
{
	switch (comparison->measure) {
	case MEASURE_FILES:
		return files_figure(sample, comparison);
	case MEASURE_LATENCY:
		return mean_latency(sample);
	case MEASURE_IOPS:
	case MEASURE_BANDWIDTH:
		return total_rate(sample, comparison->measure);
	case MEASURE_COUNT:
		break;
	}
	return (struct told_figure){0};
}

bool measure_paced(const struct sample *sample)
{
	bool any = false;

	if (sample->source && !sample_knows(sample, OPTION_ID_RW))
		return false;
	for (size_t i = 0; i < workload_parts(&sample->options); i++) {
		const struct workload *part = workload_part(&sample->options, i);

		for (int d = 0; d < DIRECTION_COUNT; d++) {
			if (!workload_moves(part, (enum direction)d))
				continue;
			if (part->rate[d] == 0 && part->rate_iops[d] == 0)
				return false;
			any = true;
		}
	}
	return any;
}

static bool is_request_size(const struct option *option)
{
	return option && (option->id == OPTION_ID_BS || option->id == OPTION_ID_BSRANGE ||
			  option->id == OPTION_ID_BSSPLIT);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Request sizes as far as both say them. */
static bool same_sizes(const struct sample *a, const struct sample *b)
{
	const size_t parts = workload_parts(&a->options);

	if (parts != workload_parts(&b->options))
		return true; /* other jobs: nothing that one size could say */
	for (size_t i = 0; i < parts; i++) {
		const struct workload *one = workload_part(&a->options, i);
		const struct workload *two = workload_part(&b->options, i);

		if (sample_knows(a, OPTION_ID_BS) && sample_knows(b, OPTION_ID_BS) &&
		    memcmp(one->bs, two->bs, sizeof(one->bs)) != 0)
			return false;
		if (memcmp(one->bsrange, two->bsrange, sizeof(one->bsrange)) != 0 ||
		    !same_text(one->bssplit, two->bssplit))
			return false;
	}
	return true;
}

/* What the samples of a comparison have in common. */
struct traits {
	size_t samples;
	bool paced, one_size, iops, bandwidth; /* of all */
};

static void look_at(struct traits *traits, const struct sample *sample, const struct sample *first)
{
	traits->samples++;
	traits->paced = traits->paced && measure_paced(sample) && mean_latency(sample).known;
	traits->one_size = traits->one_size && same_sizes(first, sample);
	traits->iops = traits->iops && total_rate(sample, MEASURE_IOPS).known;
	traits->bandwidth = traits->bandwidth && total_rate(sample, MEASURE_BANDWIDTH).known;
}

enum measure measure_choose(const struct analysis *analysis, const struct comparison *comparison)
{
	const struct definition *definition = &analysis->result->definition;
	struct traits traits = {.paced = true, .one_size = true, .iops = true, .bandwidth = true};
	const struct sample *first = NULL;

	if (comparison->files)
		return MEASURE_FILES;
	for (size_t l = 0; l < analysis->level_count; l++) {
		const struct cell *cell = comparison->cells[l];

		for (size_t i = 0; cell && i < cell->sample_count; i++) {
			first = first ? first : cell->samples[i];
			look_at(&traits, cell->samples[i], first);
		}
	}
	if (traits.samples > 0 && traits.paced)
		return MEASURE_LATENCY;
	if (definition->factor_count > 0 && is_request_size(definition->factors[0].option))
		traits.one_size = false;
	if (traits.bandwidth && (!traits.one_size || !traits.iops))
		return MEASURE_BANDWIDTH;
	return MEASURE_IOPS;
}
