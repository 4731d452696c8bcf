/* SPDX-License-Identifier: GPL-3.0-or-later */
/* amplification.c - see amplification.h. */
#include "engine/analysis/amplification.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/contrasts.h"
#include "engine/analysis/stopping.h"

static const struct estimate_interval *figure_of(const struct comparison *comparison, size_t level)
{
	static const struct estimate_interval none;
	const struct cell *cell = comparison->cells[level];

	return cell ? &cell->zfs.write_amplification : &none;
}

/* Whether it is of the same samples as the one before it, as the phases of files are. */
static bool repeats_samples(const struct analysis *analysis, size_t k)
{
	const struct comparison *own = &analysis->comparisons[k];

	if (k == 0 || !own->files)
		return false;
	for (size_t i = 0; i < analysis->level_count; i++)
		if (own->cells[i] != own[-1].cells[i])
			return false;
	return true;
}

/* Of which less is better, as contrasts take more to be. */
static void set_log(struct block_table *table, size_t level, const struct sample *sample)
{
	double value = sample->zfs && sample_moves(sample, DIRECTION_WRITE)
			       ? sample_zfs_write_amplification(sample->zfs)
			       : 0;

	if (value > 0 && isfinite(value) && sample->repeat >= 1 &&
	    sample->repeat <= table->block_count)
		table->logs[block_table_at(table, sample->repeat - 1, level)] = -log(value);
}

static int fill_table(const struct analysis *analysis, const struct comparison *comparison,
		      struct block_table *table)
{
	int r = block_table_init(table, DEFINITION_REPEATS_MAX, analysis->level_count);

	if (r < 0)
		return r;
	table->first_look = stopping_first_look(&analysis->result->definition);
	for (size_t l = 0; l < analysis->level_count; l++) {
		const struct cell *cell = comparison->cells[l];

		table->measured[l] = figure_of(comparison, l)->count > 0;
		for (size_t i = 0; cell && i < cell->sample_count; i++)
			set_log(table, l, cell->samples[i]);
	}
	return 0;
}

static int fit(const struct analysis *analysis, size_t k, struct contrasts *ret_contrasts)
{
	struct block_table table;
	int r = fill_table(analysis, &analysis->comparisons[k], &table);

	if (r < 0)
		return r;
	r = contrasts_fit(&table, ret_contrasts);
	if (r == 0)
		r = contrasts_pairs(&table, ret_contrasts);
	block_table_done(&table);
	return r;
}

/* The verdicts, over all pairs together. */
static int judge(struct contrasts *fits, size_t count)
{
	struct contrast **family;
	size_t room = 1, at = 0;

	for (size_t k = 0; k < count; k++)
		room += fits[k].count;
	family = calloc(room, sizeof(*family));
	if (!family)
		return -ENOMEM;
	for (size_t k = 0; k < count; k++)
		for (size_t i = 0; i < fits[k].count; i++)
			family[at++] = &fits[k].list[i];
	(void)contrasts_judge(family, at);
	free(family);
	return 0;
}

static void mark(const struct comparison *comparison, size_t levels, const struct contrasts *fit,
		 bool *low)
{
	size_t least = levels;

	for (size_t l = 0; l < levels; l++) {
		const struct estimate_interval *own = figure_of(comparison, l);

		low[l] = own->count > 0;
		if (low[l] && (least == levels || own->mean < figure_of(comparison, least)->mean))
			least = l;
	}
	for (size_t i = 0; i < fit->count; i++) {
		const struct contrast *pair = &fit->list[i];

		if (pair->verdict != VERDICT_DIFFERENT)
			continue;
		if (pair->a == least && pair->ratio < 1)
			low[pair->b] = false;
		else if (pair->b == least && pair->ratio > 1)
			low[pair->a] = false;
	}
}

int amplification_low(const struct analysis *analysis, bool **ret_low)
{
	size_t count = analysis->comparison_count, levels = analysis->level_count;
	AUTO_FREE bool *low = calloc(count * levels + 1, sizeof(*low));
	struct contrasts *fits = calloc(count + 1, sizeof(*fits));
	int r = low && fits ? 0 : -ENOMEM;

	for (size_t k = 0; k < count && r == 0; k++)
		if (!repeats_samples(analysis, k))
			r = fit(analysis, k, &fits[k]);
	if (r == 0)
		r = judge(fits, count);
	for (size_t k = 0; k < count && r == 0; k++) {
		if (repeats_samples(analysis, k))
			memcpy(&low[k * levels], &low[(k - 1) * levels], levels * sizeof(*low));
		else
			mark(&analysis->comparisons[k], levels, &fits[k], &low[k * levels]);
	}
	for (size_t k = 0; fits && k < count; k++)
		contrasts_done(&fits[k]);
	free(fits);
	if (r == 0)
		*ret_low = TAKE_PTR(low);
	return r;
}
