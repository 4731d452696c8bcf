/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cell_figures.c - see cell_figures.h. Means are over those samples that know the figure; latencies
 * are merged, and kept in the narrow form of a histogram: there may be as many cells as samples.
 */
#include "engine/analysis/cell_figures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/stopping.h"

static int merge_latency(struct histogram **into, const struct histogram *latency)
{
	if (!latency)
		return 0;
	if (!*into) {
		*into = malloc(sizeof(**into));
		if (!*into)
			return -ENOMEM;
		histogram_init(*into);
	}
	histogram_merge(*into, latency);
	return 0;
}

static int narrow_latency(struct histogram **latency)
{
	struct histogram *narrow;

	if (!*latency || (*latency)->count == 0)
		return 0;
	narrow = histogram_narrow(*latency);
	if (!narrow)
		return -ENOMEM;
	free(*latency);
	*latency = narrow;
	return 0;
}

/* The mean of those samples that know the figure; count 0: none does. */
static struct estimate_interval figure_mean(const struct cell *cell, enum direction direction,
					    struct told_figure (*figure)(const struct sample *,
									 enum direction),
					    double *values)
{
	size_t count = 0;

	for (size_t i = 0; i < cell->sample_count; i++) {
		struct told_figure own = figure(cell->samples[i], direction);

		if (own.known)
			values[count++] = own.value;
	}
	return count ? statistics_mean(values, count) : (struct estimate_interval){.count = 0};
}

/* The mean latency of a sample: of its histogram, else as it was told. */
static struct told_figure latency_figure(const struct sample *sample, enum direction direction)
{
	const struct histogram *latency = sample->directions[direction].latency;

	if (latency && latency->count > 0)
		return told_exactly(histogram_mean_ns(latency));
	return sample->source ? sample->source->directions[direction].latency_mean
			      : (struct told_figure){.known = false};
}

/* values has room for a figure a sample. */
static int direction_estimate(struct cell *cell, enum direction d, double *values)
{
	struct cell_direction *direction = &cell->directions[d];
	int r;

	for (size_t i = 0; i < cell->sample_count; i++)
		direction->present |= sample_moves(cell->samples[i], d);
	if (!direction->present)
		return 0;
	direction->iops = figure_mean(cell, d, sample_iops_figure, values);
	direction->bandwidth = figure_mean(cell, d, sample_bandwidth_figure, values);
	direction->latency_mean_ns = figure_mean(cell, d, latency_figure, values);
	for (size_t i = 0; i < cell->sample_count; i++) {
		const struct direction_result *result = &cell->samples[i]->directions[d];

		r = merge_latency(&direction->latency, result->latency);
		if (r == 0)
			r = merge_latency(&direction->intended, result->intended);
		if (r < 0)
			return r;
	}
	r = narrow_latency(&direction->latency);
	return r < 0 ? r : narrow_latency(&direction->intended);
}

/* What the jobs of one name did in a sample. */
struct share {
	uint64_t ios, bytes;
	double seconds;
	bool present;
};

static int add_share(struct cell_direction *direction, const struct sample *sample,
		     const char *name, enum direction d, struct share *share)
{
	int r = 0;

	for (size_t i = 0; i < sample->job_count && r == 0; i++) {
		const struct job_result *job = &sample->jobs[i];
		const struct direction_result *result = &job->directions[d];

		if (!job->name || strcmp(job->name, name) != 0)
			continue;
		share->present |= sample_job_moves(sample, job, d);
		share->ios += result->ios;
		share->bytes += result->bytes;
		if (job->seconds > share->seconds)
			share->seconds = job->seconds;
		r = merge_latency(&direction->latency, result->latency);
		if (r == 0)
			r = merge_latency(&direction->intended, result->intended);
	}
	return r;
}

/* values has room for two figures a sample. */
static int part_estimate(struct cell *cell, struct cell_part *part, enum direction d,
			 double *values)
{
	struct cell_direction *direction = &part->directions[d];
	double *bytes = values + cell->sample_count;
	int r;

	for (size_t i = 0; i < cell->sample_count; i++) {
		struct share share = {0};

		r = add_share(direction, cell->samples[i], part->name, d, &share);
		if (r < 0)
			return r;
		direction->present |= share.present;
		values[i] = share.seconds > 0 ? (double)share.ios / share.seconds : 0;
		bytes[i] = share.seconds > 0 ? (double)share.bytes / share.seconds : 0;
	}
	if (!direction->present)
		return 0;
	direction->iops = statistics_mean(values, cell->sample_count);
	direction->bandwidth = statistics_mean(bytes, cell->sample_count);
	r = narrow_latency(&direction->latency);
	return r < 0 ? r : narrow_latency(&direction->intended);
}

/* Latencies of the syncs of the jobs of one name, merged. */
static int merge_part_syncs(const struct cell *cell, struct cell_part *part)
{
	int r = 0;

	for (int kind = 0; kind < SAMPLE_SYNCS_COUNT && r == 0; kind++) {
		struct histogram **into = &part->syncs[kind];

		for (size_t i = 0; i < cell->sample_count; i++) {
			const struct sample *sample = cell->samples[i];

			for (size_t k = 0; k < sample->job_count && r == 0; k++)
				if (sample->jobs[k].name &&
				    strcmp(sample->jobs[k].name, part->name) == 0)
					r = merge_latency(into,
							  sample_job_syncs(&sample->jobs[k], kind));
		}
		if (r == 0)
			r = narrow_latency(into);
	}
	return r;
}

static int make_parts(struct cell *cell, const struct definition *definition)
{
	const struct workload *workload = &definition->workloads[cell->workload];

	if (workload->part_count == 0)
		return 0;
	cell->parts = calloc(workload->part_count, sizeof(*cell->parts));
	if (!cell->parts)
		return -ENOMEM;
	cell->part_count = workload->part_count;
	for (size_t i = 0; i < cell->part_count; i++)
		cell->parts[i].name = workload->parts[i].name;
	return 0;
}

/* The phases of a metadata workload; values as above. */
static int files_estimate(struct cell *cell, int order, int operation, double *values)
{
	struct cell_files *files = &cell->files[order][operation];
	size_t count = 0;

	for (size_t i = 0; i < cell->sample_count; i++) {
		const struct file_result *result = sample_files(cell->samples[i], operation, order);
		int r = result ? merge_latency(&files->latency, result->latency) : 0;

		if (r < 0)
			return r;
		files->present |= result != NULL;
		/* What another tool was too quick to time is not known. */
		if (result && (result->told_ops_per_s.known || !cell->samples[i]->source ||
			       result->seconds > 0))
			values[count++] = file_result_ops_per_s(result);
	}
	if (count == 0)
		return 0;
	files->ops_per_s = statistics_mean(values, count);
	return narrow_latency(&files->latency);
}

static int merge_syncs(struct cell *cell)
{
	int r = 0;

	for (int kind = 0; kind < SAMPLE_SYNCS_COUNT && r == 0; kind++) {
		for (size_t i = 0; i < cell->sample_count && r == 0; i++)
			r = merge_latency(&cell->syncs[kind], sample_syncs(cell->samples[i], kind));
		if (r == 0)
			r = narrow_latency(&cell->syncs[kind]);
	}
	return r;
}

/* A mean of those samples that move data this way and know the figure; -1 says that one does not.
 */
static struct estimate_interval zfs_mean(const struct cell *cell, enum direction direction,
					 double (*figure)(const struct sample_zfs *zfs),
					 double *values)
{
	size_t count = 0;

	for (size_t i = 0; i < cell->sample_count; i++) {
		const struct sample *sample = cell->samples[i];
		const struct sample_zfs *zfs = sample->zfs;
		double value = zfs && sample_moves(sample, direction) ? figure(zfs) : -1;

		if (value >= 0)
			values[count++] = value;
	}
	if (count == 0)
		return (struct estimate_interval){0};
	return statistics_mean(values, count);
}

static void zfs_estimate(struct cell *cell, double *values)
{
	struct cell_zfs *zfs = &cell->zfs;

	for (size_t i = 0; i < cell->sample_count; i++) {
		if (!cell->samples[i]->zfs)
			continue;
		zfs->count++;
		zfs->last = cell->samples[i]->zfs;
	}
	zfs->from_devices = zfs_mean(cell, DIRECTION_READ, sample_zfs_from_devices, values);
	zfs->write_amplification =
		zfs_mean(cell, DIRECTION_WRITE, sample_zfs_write_amplification, values);
	zfs->read_amplification =
		zfs_mean(cell, DIRECTION_READ, sample_zfs_read_amplification, values);
}

static int of_samples(struct cell *cell)
{
	AUTO_FREE double *values = calloc(2 * cell->sample_count + 1, sizeof(*values));
	int r = values ? 0 : -ENOMEM;

	for (size_t i = 0; i < cell->part_count && r == 0; i++) {
		for (int d = 0; d < DIRECTION_COUNT && r == 0; d++)
			r = part_estimate(cell, &cell->parts[i], (enum direction)d, values);
		if (r == 0)
			r = merge_part_syncs(cell, &cell->parts[i]);
	}
	for (int d = 0; d < DIRECTION_COUNT && r == 0; d++)
		r = direction_estimate(cell, (enum direction)d, values);
	if (r == 0)
		r = merge_syncs(cell);
	for (int i = 0; i < FILE_ORDERS * FILE_OPERATION_COUNT && r == 0; i++)
		r = files_estimate(cell, i / FILE_OPERATION_COUNT, i % FILE_OPERATION_COUNT,
				   values);
	if (r == 0)
		zfs_estimate(cell, values);
	return r;
}

static void widen_directions(struct cell_direction *directions, double factor)
{
	for (size_t d = 0; d < DIRECTION_COUNT; d++) {
		statistics_widen(&directions[d].iops, factor);
		statistics_widen(&directions[d].bandwidth, factor);
		statistics_widen(&directions[d].latency_mean_ns, factor);
	}
}

/* Where nothing is compared it is the means themselves that end the repeats (stopping.h). */
static void widen(struct cell *cell, const struct definition *definition)
{
	double factor = stopping_widening(stopping_first_look(definition), cell->sample_count, 1);

	if (definition->factor_count > 0 && definition->factors[0].level_count > 1)
		return;
	widen_directions(cell->directions, factor);
	for (size_t i = 0; i < cell->part_count; i++)
		widen_directions(cell->parts[i].directions, factor);
	for (size_t i = 0; i < (size_t)FILE_ORDERS * FILE_OPERATION_COUNT; i++)
		statistics_widen(
			&cell->files[i / FILE_OPERATION_COUNT][i % FILE_OPERATION_COUNT].ops_per_s,
			factor);
}

static void phases_without_samples(struct cell *cell, const struct workload *options)
{
	struct file_phases phases;

	file_phases_of(options, &phases);
	for (int order = 0; order < FILE_ORDERS; order++)
		for (size_t i = 0; i < phases.count; i++)
			cell->files[order][phases.list[i]].present =
				file_phases_ordered(options, order);
}

/* A cell without samples has the directions that its options ask for. */
static int without_samples(struct cell *cell, const struct definition *definition)
{
	struct workload options;
	int r = definition_options(definition, cell->workload, cell->levels, &options);

	if (r < 0)
		return r == -ENOMEM ? r : 0; /* options that do not go together move nothing */
	for (int d = 0; d < DIRECTION_COUNT; d++)
		cell->directions[d].present = workload_moves(&options, (enum direction)d);
	for (size_t i = 0; i < cell->part_count && i < options.part_count; i++)
		for (int d = 0; d < DIRECTION_COUNT; d++)
			cell->parts[i].directions[d].present =
				workload_moves(&options.parts[i], (enum direction)d);
	if (workload_metadata(&options))
		phases_without_samples(cell, &options);
	workload_done(&options);
	return 0;
}

int cell_figures_fill(struct cell *cell, const struct definition *definition)
{
	int r = make_parts(cell, definition);

	if (r < 0)
		return r;
	if (cell->sample_count == 0)
		return without_samples(cell, definition);
	r = of_samples(cell);
	if (r == 0)
		widen(cell, definition);
	return r;
}

static void directions_done(struct cell_direction *directions)
{
	for (size_t d = 0; d < DIRECTION_COUNT; d++) {
		free(directions[d].latency);
		free(directions[d].intended);
	}
}

static void syncs_done(struct histogram *const *syncs)
{
	for (size_t kind = 0; kind < SAMPLE_SYNCS_COUNT; kind++)
		free(syncs[kind]);
}

void cell_figures_done(struct cell *cell)
{
	directions_done(cell->directions);
	for (size_t i = 0; i < cell->part_count; i++) {
		directions_done(cell->parts[i].directions);
		syncs_done(cell->parts[i].syncs);
	}
	free(cell->parts);
	syncs_done(cell->syncs);
	for (size_t i = 0; i < (size_t)FILE_ORDERS * FILE_OPERATION_COUNT; i++)
		free(cell->files[i / FILE_OPERATION_COUNT][i % FILE_OPERATION_COUNT].latency);
}
