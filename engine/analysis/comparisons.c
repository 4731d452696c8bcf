/* SPDX-License-Identifier: GPL-3.0-or-later */
/* comparisons.c - see comparisons.h. */
#include "engine/analysis/comparisons.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/drift.h"
#include "engine/analysis/measure.h"
#include "engine/analysis/ranking.h"
#include "engine/analysis/stopping.h"

/* Figures of one cell; values has room for one a sample. */
static void fill_figure(const struct analysis *analysis, const struct comparison *comparison,
			size_t index, double *values)
{
	struct comparison_level *level = &comparison->figures[index];
	const struct cell *cell = comparison->cells[index];
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
	if (analysis->level_count < 2) /* its mean ended the repeats */
		statistics_widen(
			&level->value,
			stopping_widening(stopping_first_look(&analysis->result->definition),
					  level->samples, 1));
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
		fill_figure(analysis, comparison, i, values);
		comparison->measured += comparison->figures[i].samples > 0;
	}
	return 0;
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
	/* Where one's digits end another's begin: 11.3k is 11,250 at the least, 11.2k below it.
	 * That product of digits and unit is exact to a few in 10^16. */
	for (size_t i = 0; top && i < analysis->level_count; i++)
		if (means[i].known &&
		    (means[i].high > top->low * (1 + 1e-12) || means[i].value == top->value))
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

/* A workload's weight is shared by its comparisons that compare (that were measured, where nothing
 * is compared). */
static void weigh(struct analysis *analysis, size_t workload, size_t first)
{
	double weight = analysis->result->definition.workloads[workload].weight;
	size_t sharing = 0, least = 1;

	for (size_t i = first; i < analysis->comparison_count; i++)
		if (analysis->comparisons[i].measured > 1)
			least = 2;
	for (size_t i = first; i < analysis->comparison_count; i++)
		sharing += analysis->comparisons[i].measured >= least;
	for (size_t i = first; i < analysis->comparison_count; i++)
		if (analysis->comparisons[i].measured >= least)
			analysis->comparisons[i].weight =
				(weight > 0 ? weight : 1) / (double)sharing;
}

static int make(struct analysis *analysis)
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

int comparisons_gather(const struct result *result, struct analysis *ret_analysis)
{
	const struct definition *definition = &result->definition;
	struct analysis analysis = {.result = result, .axis = "", .level_count = 1};
	int r;

	if (definition->factor_count > DEFINITION_FACTORS_MAX)
		return -EOVERFLOW;
	for (size_t i = 0; i < definition->factor_count; i++)
		if (definition->factors[i].level_count == 0)
			return -EOVERFLOW; /* a damaged document: there is no cell */
	findings_init(&analysis.findings);
	r = cells_make(result, &analysis.cells);
	if (r < 0)
		return r;
	if (definition->factor_count > 0) {
		analysis.axis = definition->factors[0].name;
		analysis.level_count = definition->factors[0].level_count;
	}
	r = make(&analysis);
	if (r < 0)
		analysis_done(&analysis);
	else
		*ret_analysis = analysis;
	return r;
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

/* The highest repeat. Beyond the limit of definitions, and of the samples that an imported cell
 * has, there are none but in damaged documents. */
static size_t count_blocks(const struct analysis *analysis, const struct comparison *comparison)
{
	size_t blocks = 0, limit = DEFINITION_REPEATS_MAX;

	for (size_t l = 0; l < analysis->level_count; l++)
		if (comparison->cells[l] && comparison->cells[l]->sample_count > limit)
			limit = comparison->cells[l]->sample_count;
	for (size_t l = 0; l < analysis->level_count; l++) {
		const struct cell *cell = comparison->cells[l];

		for (size_t i = 0; cell && i < cell->sample_count; i++)
			if (cell->samples[i]->repeat <= limit && cell->samples[i]->repeat > blocks)
				blocks = cell->samples[i]->repeat;
	}
	return blocks;
}

/* The logarithm that says how good the figure is, and half of what its digits leave open. */
static void set_log(struct block_table *table, const struct sample *sample, size_t level,
		    const struct told_figure *figure, enum measure measure)
{
	size_t at;

	if (!figure->known || !(figure->value > 0) || !isfinite(figure->value) ||
	    sample->repeat < 1 || sample->repeat > table->block_count)
		return;
	at = block_table_at(table, sample->repeat - 1, level);
	if (!isnan(table->logs[at]))
		return; /* a second one of this repeat: the first stands */
	table->logs[at] = measure == MEASURE_LATENCY ? -log(figure->value) : log(figure->value);
	table->places[at] = (double)sample->order;
	if (figure->low > 0 && figure->high > figure->low)
		table->open[at] = log(figure->high / figure->low) / 2;
}

static int fill_table(const struct analysis *analysis, const struct comparison *comparison,
		      struct block_table *ret_table)
{
	struct block_table table;
	int r = block_table_init(&table, count_blocks(analysis, comparison), analysis->level_count);

	if (r < 0)
		return r;
	table.first_look = stopping_first_look(&analysis->result->definition);
	for (size_t l = 0; l < analysis->level_count; l++) {
		const struct cell *cell = comparison->cells[l];

		table.measured[l] = comparison->figures[l].samples > 0;
		for (size_t i = 0; cell && i < cell->sample_count; i++) {
			struct told_figure figure = measure_figure(cell->samples[i], comparison);

			set_log(&table, cell->samples[i], l, &figure, comparison->measure);
		}
	}
	*ret_table = table;
	return 0;
}

/* Asked of all comparisons together, too: a level that is noisy in each of them shows it there
 * before it shows it in any. Squares count as shares of their comparison's. */
static bool spreads_differ(const struct contrasts *fits, size_t count, size_t levels)
{
	AUTO_FREE double *shares = calloc(levels, sizeof(*shares));
	double degrees = 0;

	if (!shares)
		return true; /* the careful answer; whoever goes on will see it, too */
	for (size_t i = 0; i < count; i++) {
		double sum = 0, blocks = (double)fits[i].blocks - 1;

		for (size_t l = 0; l < levels; l++)
			sum += fits[i].squares[l] > 0 ? fits[i].squares[l] : NAN;
		if (isnan(sum)) /* it lacks a level */
			continue;
		degrees += blocks;
		for (size_t l = 0; l < levels; l++)
			shares[l] += blocks * fits[i].squares[l] / sum;
	}
	return contrasts_spreads_differ(shares, levels, degrees);
}

/* Pairs of one comparison from its fit, which is used up. */
static int take_fit(struct comparison *comparison, const struct block_table *table,
		    struct contrasts *fit, bool differ)
{
	int r;

	fit->spreads_differ = (fit->spreads_differ || differ) && fit->residual > 0;
	r = contrasts_pairs(table, fit);
	if (r < 0)
		return r;
	comparison->blocks = fit->blocks;
	comparison->residual = fit->residual;
	comparison->degrees = fit->degrees;
	comparison->spreads_differ = fit->spreads_differ;
	comparison->contrast_count = fit->count;
	comparison->contrasts = TAKE_PTR(fit->list);
	return 0;
}

static int contrast(struct analysis *analysis, struct block_table *tables, struct contrasts *fits)
{
	size_t count = analysis->comparison_count;
	bool differ;
	int r = 0;

	for (size_t i = 0; i < count && r == 0; i++) {
		r = fill_table(analysis, &analysis->comparisons[i], &tables[i]);
		if (r == 0)
			r = drift_of_run(analysis->result, &tables[i],
					 &analysis->comparisons[i].drift);
		if (r == 0)
			r = ranking_make(&tables[i], &analysis->comparisons[i]);
		if (r == 0)
			r = contrasts_fit(&tables[i], &fits[i]);
	}
	if (r < 0)
		return r;
	differ = spreads_differ(fits, count, analysis->level_count);
	for (size_t i = 0; i < count && r == 0; i++)
		r = take_fit(&analysis->comparisons[i], &tables[i], &fits[i], differ);
	return r;
}

int comparisons_contrast(struct analysis *analysis, struct block_table **ret_tables)
{
	size_t count = analysis->comparison_count;
	struct block_table *tables = calloc(count + 1, sizeof(*tables));
	struct contrasts *fits = calloc(count + 1, sizeof(*fits));
	int r = tables && fits ? contrast(analysis, tables, fits) : -ENOMEM;

	for (size_t i = 0; fits && i < count; i++)
		contrasts_done(&fits[i]);
	free(fits);
	if (r < 0)
		comparisons_tables_free(tables, count);
	else
		*ret_tables = tables;
	return r;
}

void comparisons_tables_free(struct block_table *tables, size_t count)
{
	for (size_t i = 0; tables && i < count; i++)
		block_table_done(&tables[i]);
	free(tables);
}

/* Once verdicts are there. */
static void leave_set(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->contrast_count; i++) {
		const struct contrast *pair = &comparison->contrasts[i];

		if (pair->verdict != VERDICT_DIFFERENT)
			continue;
		if (pair->a == comparison->best && pair->ratio < 1)
			comparison->figures[pair->b].in_set = false;
		else if (pair->b == comparison->best && pair->ratio > 1)
			comparison->figures[pair->a].in_set = false;
	}
}

int comparisons_judge(struct analysis *analysis, const struct contrasts *scores, size_t *ret_tested)
{
	struct contrast **family;
	size_t count = scores->count, at = 0;

	for (size_t i = 0; i < analysis->comparison_count; i++)
		count += analysis->comparisons[i].contrast_count;
	family = calloc(count + 1, sizeof(*family));
	if (!family)
		return -ENOMEM;
	for (size_t i = 0; i < analysis->comparison_count; i++)
		for (size_t k = 0; k < analysis->comparisons[i].contrast_count; k++)
			family[at++] = &analysis->comparisons[i].contrasts[k];
	for (size_t i = 0; i < scores->count; i++)
		family[at++] = &scores->list[i];
	*ret_tested = contrasts_judge(family, count);
	free(family);
	for (size_t i = 0; i < analysis->comparison_count; i++)
		leave_set(&analysis->comparisons[i]);
	return 0;
}
