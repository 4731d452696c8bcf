/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cells.c - see cells.h: which cells there are, and whose each sample is. What a cell tells of its
 * samples is in cell_figures.c.
 */
#include "engine/analysis/cells.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/cell_figures.h"

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

static int fill(struct cells *cells, size_t per_workload)
{
	const struct result *result = cells->result;
	int r = 0;

	for (size_t i = 0; i < cells->count && r == 0; i++)
		r = cell_start(&cells->list[i], &result->definition, i, per_workload);
	for (size_t i = 0; i < result->sample_count && r == 0; i++) {
		struct cell *cell = cell_of(cells, &result->samples[i]);

		if (cell)
			r = cell_add(cell, &result->samples[i]);
	}
	for (size_t i = 0; i < cells->count && r == 0; i++)
		r = cell_figures_fill(&cells->list[i], &result->definition);
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

void cells_done(struct cells *cells)
{
	for (size_t i = 0; i < cells->count; i++) {
		struct cell *cell = &cells->list[i];

		free(cell->levels);
		free(cell->samples);
		cell_figures_done(cell);
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
