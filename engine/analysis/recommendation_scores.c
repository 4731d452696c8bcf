/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recommendation_scores.c - the scores of recommendation.h, from the tables of the comparisons. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/ranking.h"
#include "engine/analysis/recommendation.h"
#include "engine/analysis/stopping.h"

/* Whether a level has a figure with a logarithm. */
static bool has_level(const struct block_table *table, size_t level)
{
	for (size_t b = 0; b < table->block_count; b++)
		if (!isnan(table->logs[block_table_at(table, b, level)]))
			return true;
	return false;
}

/* Levels that take part: in every comparison that has two levels at the least; one alone says
 * nothing of any other. */
static size_t complete_levels(const struct analysis *analysis, const struct block_table *tables,
			      bool *complete)
{
	size_t count = 0;

	for (size_t l = 0; l < analysis->level_count; l++) {
		bool measured = false;

		complete[l] = true;
		for (size_t c = 0; c < analysis->comparison_count; c++) {
			if (analysis->comparisons[c].measured < 2)
				continue;
			measured = true;
			complete[l] = complete[l] && has_level(&tables[c], l);
		}
		complete[l] = complete[l] && measured;
		count += complete[l];
	}
	return count;
}

static void weigh(const struct analysis *analysis, struct recommendation_scores *scores)
{
	for (size_t c = 0; c < analysis->comparison_count; c++) {
		const struct comparison *comparison = &analysis->comparisons[c];

		if (comparison->measured < 2)
			continue;
		scores->comparisons++;
		scores->only = c;
		scores->weights += comparison->weight;
		scores->squares += comparison->weight * comparison->weight;
	}
}

/* The mean of a table's block over the levels that take part; NAN where one is not there. */
static double block_mean(const struct block_table *table, size_t block, const bool *complete)
{
	double sum = 0, count = 0;

	for (size_t l = 0; l < table->level_count; l++) {
		if (!complete[l])
			continue;
		sum += table->logs[block_table_at(table, block, l)];
		count++;
	}
	return sum / count;
}

/* One block's scores, or none where a figure is missing. */
static void score_block(const struct analysis *analysis, const struct block_table *tables,
			double weights, size_t block, struct block_table *scores)
{
	for (size_t l = 0; l < scores->level_count; l++)
		if (scores->measured[l])
			scores->logs[block_table_at(scores, block, l)] = 0;
	for (size_t c = 0; c < analysis->comparison_count; c++) {
		const struct block_table *table = &tables[c];
		double share = analysis->comparisons[c].weight / weights, mean;

		if (analysis->comparisons[c].measured < 2)
			continue;
		mean = block < table->block_count ? block_mean(table, block, scores->measured)
						  : NAN;
		for (size_t l = 0; l < scores->level_count; l++) {
			size_t at = block_table_at(scores, block, l);

			if (!scores->measured[l])
				continue;
			/* NAN once is NAN for good */
			scores->logs[at] += isnan(mean) ? NAN : share * (table->logs[at] - mean);
			scores->open[at] += isnan(mean) ? 0 : share * table->open[at];
		}
	}
}

/* The standard deviation of a level over the blocks. */
static double level_spread(const struct block_table *table, size_t level, size_t *ret_blocks)
{
	double mean = 0, squares = 0;
	size_t count = 0;

	for (size_t b = 0; b < table->block_count; b++) {
		double value = table->logs[block_table_at(table, b, level)];
		double step = value - mean;

		if (isnan(value))
			continue;
		mean += step / (double)++count;
		squares += step * (value - mean);
	}
	*ret_blocks = count;
	return count > 1 ? sqrt(squares / (double)(count - 1)) : 0;
}

/* A score is a level beside all of them, itself among them: what is open of it is its own part and
 * that of the others. */
static void open_scores(const struct block_table *table, struct recommendation_scores *scores)
{
	double sum = 0, levels = 0;

	for (size_t l = 0; l < table->level_count; l++) {
		double count = 0;

		for (size_t b = 0; b < table->block_count; b++) {
			size_t at = block_table_at(table, b, l);

			if (table->measured[l] && !isnan(table->logs[at]))
				scores->open[l] += (table->open[at] - scores->open[l]) / ++count;
		}
		sum += scores->open[l];
		levels += table->measured[l];
	}
	for (size_t l = 0; l < table->level_count; l++)
		if (table->measured[l])
			scores->open[l] = scores->open[l] * (1 - 2 / levels) + sum / levels;
}

/* Where no block is whole: from each level's own mean in each comparison. */
static void score_means(const struct analysis *analysis, const struct block_table *tables,
			const struct block_table *shape, struct recommendation_scores *scores)
{
	double mean = 0, count = 0;

	for (size_t l = 0; l < shape->level_count; l++) {
		scores->logs[l] = shape->measured[l] ? 0 : NAN;
		for (size_t c = 0; shape->measured[l] && c < analysis->comparison_count; c++)
			if (analysis->comparisons[c].measured > 1)
				scores->logs[l] += analysis->comparisons[c].weight /
						   scores->weights *
						   ranking_level_mean(&tables[c], l);
		if (!shape->measured[l])
			continue;
		mean += scores->logs[l];
		count++;
	}
	for (size_t l = 0; l < shape->level_count; l++)
		scores->logs[l] -= mean / count;
}

static int fill(const struct analysis *analysis, const struct block_table *tables,
		struct block_table *table, struct recommendation_scores *scores)
{
	bool whole = false;
	int r;

	for (size_t b = 0; b < table->block_count; b++)
		score_block(analysis, tables, scores->weights, b, table);
	for (size_t l = 0; l < table->level_count; l++) {
		scores->logs[l] = NAN;
		if (!table->measured[l])
			continue;
		scores->logs[l] = ranking_level_mean(table, l);
		scores->spreads[l] = level_spread(table, l, &scores->blocks);
		whole = whole || !isnan(scores->logs[l]);
	}
	open_scores(table, scores);
	/* The pairs of one comparison take the blocks that both levels have, and so must the
	 * scores, or another level might lead than the pairs say. */
	if (scores->comparisons < 2)
		return ranking_effects(&tables[scores->only], table->measured, scores->logs);
	if (!whole)
		score_means(analysis, tables, table, scores);
	r = contrasts_fit(table, &scores->own);
	if (r < 0)
		return r;
	/* A comparison's noisy level is noisy in the scores, too. */
	for (size_t c = 0; c < analysis->comparison_count; c++)
		scores->own.spreads_differ |= analysis->comparisons[c].spreads_differ;
	return contrasts_pairs(table, &scores->own);
}

int recommendation_score(const struct analysis *analysis, const struct block_table *tables,
			 struct recommendation_scores *ret_scores)
{
	struct recommendation_scores scores = {0};
	struct block_table table;
	size_t blocks = 0;
	double drift_degrees = 0;
	int r;

	scores.logs = calloc(analysis->level_count, sizeof(*scores.logs));
	scores.spreads = calloc(analysis->level_count, sizeof(*scores.spreads));
	scores.open = calloc(analysis->level_count, sizeof(*scores.open));
	if (!scores.logs || !scores.spreads || !scores.open) {
		recommendation_scores_done(&scores);
		return -ENOMEM;
	}
	for (size_t c = 0; c < analysis->comparison_count; c++) {
		if (tables[c].block_count > blocks)
			blocks = tables[c].block_count;
		drift_degrees = fmax(drift_degrees, tables[c].drift_degrees);
	}
	r = block_table_init(&table, blocks, analysis->level_count);
	if (r < 0) {
		recommendation_scores_done(&scores);
		return r;
	}
	table.drift_degrees = drift_degrees;
	table.first_look = scores.first_look = stopping_first_look(&analysis->result->definition);
	weigh(analysis, &scores);
	if (complete_levels(analysis, tables, table.measured) > 0) {
		r = fill(analysis, tables, &table, &scores);
	} else {
		for (size_t l = 0; l < analysis->level_count; l++)
			scores.logs[l] = NAN;
	}
	block_table_done(&table);
	if (r < 0)
		recommendation_scores_done(&scores);
	else
		*ret_scores = scores;
	return r;
}

void recommendation_scores_done(struct recommendation_scores *scores)
{
	contrasts_done(&scores->own);
	free(scores->logs);
	free(scores->spreads);
	free(scores->open);
	*scores = (struct recommendation_scores){0};
}
