/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cells.c - see cells.h.
 *
 * Length: every kind of figure that a cell gathers, all over one list of samples.
 */
#include "engine/analysis/cells.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/stopping.h"

/* Combinations of levels, or -EOVERFLOW. */
static int combinations(const struct definition *definition, size_t *ret_count)
{
	size_t count = 1;

	for (size_t i = 0; i < definition->factor_count; i++)
		if (__builtin_mul_overflow(count, definition->factors[i].level_count, &count))
			return -EOVERFLOW;
	*ret_count = count;
	return 0;
}

/* Where a cell stands in the list: the first factor runs fastest. */
static size_t place_of(const struct definition *definition, size_t workload, const size_t *levels)
{
	size_t place = workload;

	for (size_t i = definition->factor_count; i-- > 0;)
		place = place * definition->factors[i].level_count + levels[i];
	return place;
}

static int level_index(const struct factor *factor, const struct sample *sample, size_t *ret_index)
{
	for (size_t i = 0; i < sample->level_count; i++) {
		if (strcmp(sample->levels[i].factor, factor->name) != 0)
			continue;
		for (size_t n = 0; n < factor->level_count; n++) {
			if (strcmp(factor->levels[n], sample->levels[i].value) == 0) {
				*ret_index = n;
				return 0;
			}
		}
	}
	return -ENOENT;
}

/* The cell a sample belongs to; NULL when its workload or a level is not in the definition. */
static struct cell *cell_of(struct cells *cells, const struct sample *sample)
{
	const struct definition *definition = &cells->result->definition;
	size_t levels[DEFINITION_FACTORS_MAX];
	size_t workload = 0;

	while (workload < definition->workload_count &&
	       strcmp(definition->workloads[workload].name, sample->workload) != 0)
		workload++;
	if (workload == definition->workload_count ||
	    definition->factor_count > DEFINITION_FACTORS_MAX)
		return NULL;
	for (size_t i = 0; i < definition->factor_count; i++)
		if (level_index(&definition->factors[i], sample, &levels[i]) < 0)
			return NULL;
	return &cells->list[place_of(definition, workload, levels)];
}

static int cell_start(struct cell *cell, const struct definition *definition, size_t place,
		      size_t per_workload)
{
	size_t rest = place % per_workload;

	cell->workload = place / per_workload;
	cell->levels = calloc(definition->factor_count + 1, sizeof(*cell->levels));
	if (!cell->levels)
		return -ENOMEM;
	for (size_t i = 0; i < definition->factor_count; i++) {
		cell->levels[i] = rest % definition->factors[i].level_count;
		rest /= definition->factors[i].level_count;
	}
	return 0;
}

static int cell_add(struct cell *cell, const struct sample *sample)
{
	const struct sample **samples;
	size_t at = cell->sample_count;

	samples = realloc(cell->samples, (at + 1) * sizeof(*samples));
	if (!samples)
		return -ENOMEM;
	cell->samples = samples;
	while (at > 0 && samples[at - 1]->repeat > sample->repeat) {
		samples[at] = samples[at - 1];
		at--;
	}
	samples[at] = sample;
	cell->sample_count++;
	return 0;
}

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

/* There may be as many cells as samples. */
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

static int cell_estimate(struct cell *cell)
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
static int cell_without_samples(struct cell *cell, const struct definition *definition)
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

static int fill(struct cells *cells, size_t per_workload)
{
	const struct result *result = cells->result;
	int r = 0;

	for (size_t i = 0; i < cells->count && r == 0; i++) {
		r = cell_start(&cells->list[i], &result->definition, i, per_workload);
		if (r == 0)
			r = make_parts(&cells->list[i], &result->definition);
	}
	for (size_t i = 0; i < result->sample_count && r == 0; i++) {
		struct cell *cell = cell_of(cells, &result->samples[i]);

		if (cell)
			r = cell_add(cell, &result->samples[i]);
	}
	for (size_t i = 0; i < cells->count && r == 0; i++) {
		if (cells->list[i].sample_count > 0) {
			r = cell_estimate(&cells->list[i]);
			widen(&cells->list[i], &result->definition);
		} else {
			r = cell_without_samples(&cells->list[i], &result->definition);
		}
	}
	return r;
}

int cells_make(const struct result *result, struct cells *ret_cells)
{
	struct cells cells = {.result = result};
	size_t per_workload;
	int r;

	r = combinations(&result->definition, &per_workload);
	if (r < 0)
		return r;
	if (__builtin_mul_overflow(per_workload, result->definition.workload_count, &cells.count))
		return -EOVERFLOW;
	if (cells.count > DEFINITION_SAMPLES_MAX) /* no accepted definition has so many */
		return -EOVERFLOW;
	cells.list = calloc(cells.count + 1, sizeof(*cells.list));
	if (!cells.list)
		return -ENOMEM;
	r = fill(&cells, per_workload);
	if (r < 0) {
		cells_done(&cells);
		return r;
	}
	*ret_cells = cells;
	return 0;
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

void cells_done(struct cells *cells)
{
	for (size_t i = 0; i < cells->count; i++) {
		struct cell *cell = &cells->list[i];

		free(cell->levels);
		free(cell->samples);
		directions_done(cell->directions);
		for (size_t k = 0; k < cell->part_count; k++) {
			directions_done(cell->parts[k].directions);
			syncs_done(cell->parts[k].syncs);
		}
		free(cell->parts);
		syncs_done(cell->syncs);
		for (size_t n = 0; n < (size_t)FILE_ORDERS * FILE_OPERATION_COUNT; n++)
			free(cell->files[n / FILE_OPERATION_COUNT][n % FILE_OPERATION_COUNT]
				     .latency);
	}
	free(cells->list);
	memset(cells, 0, sizeof(*cells));
}

bool cells_have_zfs(const struct cells *cells)
{
	for (size_t i = 0; i < cells->count; i++)
		if (cells->list[i].zfs.count > 0)
			return true;
	return false;
}

const struct cell *cells_find(const struct cells *cells, size_t workload, const size_t *levels)
{
	const struct definition *definition = &cells->result->definition;

	if (workload >= definition->workload_count)
		return NULL;
	for (size_t i = 0; i < definition->factor_count; i++)
		if (levels[i] >= definition->factors[i].level_count)
			return NULL;
	return &cells->list[place_of(definition, workload, levels)];
}
