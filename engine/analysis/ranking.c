/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ranking.c - see ranking.h. */
#include "engine/analysis/ranking.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

double ranking_level_mean(const struct block_table *table, size_t level)
{
	double sum = 0, count = 0;

	for (size_t b = 0; b < table->block_count; b++) {
		double value = table->logs[block_table_at(table, b, level)];

		if (isnan(value))
			continue;
		sum += value;
		count++;
	}
	return sum / count; /* NAN without any */
}

/* Whether a block holds all levels that are counted, so that all hang together. */
static bool hangs_together(const struct block_table *table, const bool *counted)
{
	for (size_t b = 0; b < table->block_count; b++) {
		bool whole = true;

		for (size_t l = 0; l < table->level_count; l++)
			whole = whole &&
				!(counted[l] && isnan(table->logs[block_table_at(table, b, l)]));
		if (whole)
			return true;
	}
	return false;
}

/* What each level's figures lie above their blocks, once the effects so far are taken out of
 * these. */
static void sweep(const struct block_table *table, const bool *counted, const double *effects,
		  double *sums, double *counts)
{
	for (size_t l = 0; l < table->level_count; l++)
		sums[l] = counts[l] = 0;
	for (size_t b = 0; b < table->block_count; b++) {
		double mean = 0, count = 0;

		for (size_t l = 0; l < table->level_count; l++) {
			double value = table->logs[block_table_at(table, b, l)];

			if (counted[l] && !isnan(value))
				mean += (value - effects[l] - mean) / ++count;
		}
		for (size_t l = 0; l < table->level_count; l++) {
			double value = table->logs[block_table_at(table, b, l)];

			if (counted[l] && !isnan(value)) {
				sums[l] += value - mean;
				counts[l]++;
			}
		}
	}
}

/* Takes their mean from all that are counted. */
static void centre(const struct block_table *table, const bool *counted, double *effects)
{
	double mean = 0, levels = 0;

	for (size_t l = 0; l < table->level_count; l++)
		if (counted[l])
			mean += (effects[l] - mean) / ++levels;
	for (size_t l = 0; l < table->level_count; l++)
		effects[l] = counted[l] ? effects[l] - mean : NAN;
}

#define SWEEPS_MAX 200

/* By taking blocks and levels from each other in turn. */
static int least_squares(const struct block_table *table, const bool *counted, double *effects)
{
	AUTO_FREE double *sums = calloc(table->level_count + 1, sizeof(*sums));
	AUTO_FREE double *counts = calloc(table->level_count + 1, sizeof(*counts));
	double moved = INFINITY;

	if (!sums || !counts)
		return -ENOMEM;
	for (int i = 0; i < SWEEPS_MAX && moved > RANKING_NEAR; i++) {
		sweep(table, counted, effects, sums, counts);
		for (size_t l = 0; l < table->level_count; l++)
			sums[l] /= counts[l];
		centre(table, counted, sums);
		moved = 0;
		for (size_t l = 0; l < table->level_count; l++) {
			if (!counted[l])
				continue;
			moved = fmax(moved, fabs(sums[l] - effects[l]));
			effects[l] = sums[l];
		}
	}
	return 0;
}

int ranking_effects(const struct block_table *table, const bool *counted, double *ret_effects)
{
	int r = 0;

	for (size_t l = 0; l < table->level_count; l++)
		ret_effects[l] = 0;
	if (hangs_together(table, counted)) {
		r = least_squares(table, counted, ret_effects);
	} else {
		for (size_t l = 0; l < table->level_count; l++)
			ret_effects[l] = ranking_level_mean(table, l);
	}
	centre(table, counted, ret_effects);
	return r;
}

int ranking_make(const struct block_table *table, struct comparison *comparison)
{
	size_t levels = table->level_count, best = SIZE_MAX;
	AUTO_FREE double *effects = calloc(levels + 1, sizeof(*effects));
	AUTO_FREE bool *counted = calloc(levels + 1, sizeof(*counted));
	int r = effects && counted ? 0 : -ENOMEM;

	for (size_t l = 0; l < levels && r == 0; l++)
		counted[l] = !isnan(ranking_level_mean(table, l));
	if (r == 0)
		r = ranking_effects(table, counted, effects);
	if (r < 0)
		return r;
	for (size_t l = 0; l < levels; l++) {
		if (comparison->figures[l].samples == 0)
			continue;
		if (best == SIZE_MAX ||
		    (counted[l] && (!counted[best] || effects[l] > effects[best] + RANKING_NEAR)))
			best = l;
	}
	for (size_t l = 0; l < levels; l++) {
		struct comparison_level *level = &comparison->figures[l];

		if (level->samples == 0)
			continue;
		comparison->best = best;
		level->in_set = true;
		level->to_best = l == best    ? 1
				 : counted[l] ? fmin(exp(effects[l] - effects[best]), 1)
					      : 0;
	}
	return 0;
}
