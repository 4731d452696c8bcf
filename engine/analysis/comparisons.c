/* SPDX-License-Identifier: GPL-3.0-or-later */
/* comparisons.c - see comparisons.h. */
#include "engine/analysis/comparisons.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/measure.h"

/* Figures of one cell; values has room for one a sample. */
static void fill_figure(const struct comparison *comparison, const struct cell *cell,
			struct comparison_level *level, double *values)
{
	double low = 0, high = 0;

	for (size_t i = 0; i < cell->sample_count; i++) {
		struct told_figure figure = measure_figure(cell->samples[i], comparison);

		if (!figure.known)
			continue;
		values[level->samples++] = figure.value;
		low += figure.low;
		high += figure.high;
	}
	if (level->samples == 0)
		return;
	level->value = statistics_mean(values, level->samples);
	level->told_low = low / (double)level->samples;
	level->told_high = high / (double)level->samples;
}

static int fill_figures(const struct analysis *analysis, struct comparison *comparison)
{
	for (size_t i = 0; i < analysis->level_count; i++) {
		const struct cell *cell = comparison->cells[i];
		AUTO_FREE double *values = NULL;

		if (!cell || cell->sample_count == 0)
			continue;
		values = calloc(cell->sample_count, sizeof(*values));
		if (!values)
			return -ENOMEM;
		fill_figure(comparison, cell, &comparison->figures[i], values);
		comparison->measured += comparison->figures[i].samples > 0;
	}
	return 0;
}

/* Above 1 where `one` is the better of two figures. */
static double better_by(enum measure measure, double one, double other)
{
	double ratio = measure == MEASURE_LATENCY ? other / one : one / other;

	return isfinite(ratio) ? ratio : 0;
}

static void rank(const struct analysis *analysis, struct comparison *comparison)
{
	const struct comparison_level *best = NULL;

	for (size_t i = 0; i < analysis->level_count; i++) {
		struct comparison_level *level = &comparison->figures[i];
		double mean = level->value.mean;

		if (level->samples == 0)
			continue;
		if (!best || (comparison->measure == MEASURE_LATENCY ? mean < best->value.mean
								     : mean > best->value.mean)) {
			best = level;
			comparison->best = i;
		}
	}
	for (size_t i = 0; best && i < analysis->level_count; i++) {
		struct comparison_level *level = &comparison->figures[i];

		if (level->samples == 0)
			continue;
		level->in_set = true; /* until contrasts show that it is worse */
		level->to_best = level == best ? 1
					       : better_by(comparison->measure, level->value.mean,
							   best->value.mean);
	}
}

/* A direction's figure over the samples of a cell that know it. */
static struct told_figure direction_mean(const struct cell *cell, enum direction direction,
					 enum measure measure)
{
	struct told_figure mean = {0};
	double count = 0;

	for (size_t i = 0; cell && i < cell->sample_count; i++) {
		struct told_figure figure =
			measure == MEASURE_BANDWIDTH
				? sample_bandwidth_figure(cell->samples[i], direction)
				: sample_iops_figure(cell->samples[i], direction);

		if (!figure.known || !sample_moves(cell->samples[i], direction))
			continue;
		count++;
		mean.known = true;
		mean.value += (figure.value - mean.value) / count;
		mean.low += (figure.low - mean.low) / count;
		mean.high += (figure.high - mean.high) / count;
	}
	return mean;
}

static int find_best(const struct analysis *analysis, struct comparison *comparison,
		     enum direction direction)
{
	struct direction_best *best = &comparison->bests[direction];
	AUTO_FREE struct told_figure *means = calloc(analysis->level_count, sizeof(*means));
	const struct told_figure *top = NULL;

	best->levels = calloc(analysis->level_count, sizeof(*best->levels));
	if (!means || !best->levels)
		return -ENOMEM;
	for (size_t i = 0; i < analysis->level_count; i++) {
		means[i] = direction_mean(comparison->cells[i], direction, comparison->measure);
		if (means[i].known && means[i].value > 0 && (!top || means[i].value > top->value))
			top = &means[i];
	}
	for (size_t i = 0; top && i < analysis->level_count; i++)
		if (means[i].known && means[i].high >= top->low)
			best->levels[best->count++] = i;
	best->known = best->count > 0;
	return 0;
}

static int fill(struct analysis *analysis, struct comparison *comparison, size_t *levels)
{
	int r;

	comparison->figures = calloc(analysis->level_count, sizeof(*comparison->figures));
	comparison->cells = calloc(analysis->level_count, sizeof(*comparison->cells));
	if (!comparison->figures || !comparison->cells)
		return -ENOMEM;
	for (size_t i = 0; i < analysis->level_count; i++) {
		levels[0] = i;
		comparison->cells[i] = cells_find(&analysis->cells, comparison->workload, levels);
	}
	comparison->levels = comparison->cells[0]->levels;
	comparison->measure = measure_choose(analysis, comparison);
	r = fill_figures(analysis, comparison);
	if (r < 0)
		return r;
	rank(analysis, comparison);
	for (int d = 0; d < DIRECTION_COUNT && !comparison->files && r == 0; d++)
		r = find_best(analysis, comparison, (enum direction)d);
	return r;
}

static int add(struct analysis *analysis, size_t *levels, const struct comparison *kind)
{
	struct comparison *grown =
		reallocarray(analysis->comparisons, analysis->comparison_count + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	analysis->comparisons = grown;
	grown[analysis->comparison_count] = *kind;
	return fill(analysis, &grown[analysis->comparison_count++], levels);
}

/* What the workload's cells hold at any of the first factor's levels. */
struct held {
	bool data, phases[FILE_ORDERS][FILE_OPERATION_COUNT];
};

static void look(const struct analysis *analysis, size_t workload, size_t *levels,
		 struct held *held)
{
	for (size_t i = 0; i < analysis->level_count; i++) {
		const struct cell *cell;

		levels[0] = i;
		cell = cells_find(&analysis->cells, workload, levels);
		for (int d = 0; cell && d < DIRECTION_COUNT; d++)
			held->data = held->data || cell->directions[d].present;
		for (int k = 0; cell && k < FILE_ORDERS * FILE_OPERATION_COUNT; k++)
			if (cell->files[k / FILE_OPERATION_COUNT][k % FILE_OPERATION_COUNT].present)
				held->phases[k / FILE_OPERATION_COUNT][k % FILE_OPERATION_COUNT] =
					true;
	}
}

/* One, or of a metadata workload one a phase. */
static int add_all(struct analysis *analysis, size_t workload, size_t *levels)
{
	struct comparison kind = {.workload = workload};
	struct held held = {0};
	bool files = false;
	int r = 0;

	look(analysis, workload, levels, &held);
	for (int k = 0; k < FILE_ORDERS * FILE_OPERATION_COUNT && r == 0; k++) {
		kind.files = true;
		kind.order = k / FILE_OPERATION_COUNT;
		kind.operation = k % FILE_OPERATION_COUNT;
		if (!held.phases[kind.order][kind.operation])
			continue;
		files = true;
		r = add(analysis, levels, &kind);
	}
	if (r < 0 || (files && !held.data))
		return r;
	return add(analysis, levels, &(struct comparison){.workload = workload});
}

/* The next combination of the levels after the first factor; false after the last. */
static bool next_levels(const struct definition *definition, size_t *levels)
{
	for (size_t f = 1; f < definition->factor_count; f++) {
		if (++levels[f] < definition->factors[f].level_count)
			return true;
		levels[f] = 0;
	}
	return false;
}

/* A workload's weight is shared by its comparisons that were measured. */
static void weigh(struct analysis *analysis, size_t workload, size_t first)
{
	double weight = analysis->result->definition.workloads[workload].weight;
	size_t measured = 0;

	for (size_t i = first; i < analysis->comparison_count; i++)
		measured += analysis->comparisons[i].measured > 0;
	for (size_t i = first; i < analysis->comparison_count; i++)
		if (analysis->comparisons[i].measured > 0)
			analysis->comparisons[i].weight =
				(weight > 0 ? weight : 1) / (double)measured;
}

int comparisons_make(struct analysis *analysis)
{
	const struct definition *definition = &analysis->result->definition;

	for (size_t w = 0; w < definition->workload_count; w++) {
		size_t levels[DEFINITION_FACTORS_MAX] = {0};
		size_t first = analysis->comparison_count;

		do {
			int r = add_all(analysis, w, levels);

			if (r < 0)
				return r;
		} while (next_levels(definition, levels));
		weigh(analysis, w, first);
	}
	return 0;
}

void comparisons_done(struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->comparison_count; i++) {
		struct comparison *comparison = &analysis->comparisons[i];

		free(comparison->figures);
		free(comparison->cells);
		free(comparison->contrasts);
		for (size_t d = 0; d < DIRECTION_COUNT; d++)
			free(comparison->bests[d].levels);
	}
	free(analysis->comparisons);
	analysis->comparisons = NULL;
	analysis->comparison_count = 0;
}
