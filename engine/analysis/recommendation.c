/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recommendation.c - see recommendation.h. */
#include "engine/analysis/recommendation.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/ranking.h"
#include "engine/analysis/stopping.h"
#include "engine/analysis/volumes.h"

/* The pairs of scores, wherever they are. */
struct pairs {
	const struct contrast *list;
	size_t count, blocks;
	double residual, degrees;
	bool spreads_differ;
};

static struct pairs pairs_of(const struct analysis *analysis,
			     const struct recommendation_scores *scores)
{
	const struct comparison *only = &analysis->comparisons[scores->only];

	if (scores->comparisons == 1)
		return (struct pairs){only->contrasts, only->contrast_count, only->blocks,
				      only->residual,  only->degrees,	     only->spreads_differ};
	return (struct pairs){scores->own.list,	   scores->own.count,
			      scores->own.blocks,  scores->own.residual,
			      scores->own.degrees, scores->own.spreads_differ};
}

static const struct contrast *pair(const struct pairs *pairs, size_t one, size_t other)
{
	for (size_t i = 0; i < pairs->count; i++) {
		const struct contrast *contrast = &pairs->list[i];

		if ((contrast->a == one && contrast->b == other) ||
		    (contrast->a == other && contrast->b == one))
			return contrast;
	}
	return NULL;
}

/* Whole ones, or where levels are missing those of the pair that has most. */
static size_t most_blocks(const struct pairs *pairs)
{
	size_t most = pairs->blocks;

	for (size_t i = 0; i < pairs->count && most < 2; i++)
		if (pairs->list[i].blocks > most)
			most = pairs->list[i].blocks;
	return most;
}

static void find_leader(struct recommendation *recommendation)
{
	const struct recommended_level *leader = NULL;

	for (size_t l = 0; l < recommendation->level_count; l++) {
		const struct recommended_level *level = &recommendation->levels[l];

		if (!level->complete ||
		    (leader && level->score <= leader->score * (1 + RANKING_NEAR)))
			continue;
		leader = level;
		recommendation->leader = recommendation->next = l;
	}
}

/* 95 % of a score and what rounding leaves open, from what serves its pairs: the residual, of
 * levels that their own mean is taken from; where spreads differ its own. */
static void score_interval(const struct recommendation_scores *scores, const struct pairs *pairs,
			   size_t levels, size_t index, struct recommended_level *level)
{
	double blocks = (double)scores->blocks, error, degrees, half;

	if (scores->blocks < 2)
		return;
	if (pairs->residual > 0 && !pairs->spreads_differ) {
		degrees = pairs->degrees;
		error = pairs->residual * sqrt((1 - 1 / (double)levels) / blocks);
	} else {
		degrees = blocks - 1;
		error = scores->spreads[index] / sqrt(blocks);
	}
	error *= stopping_widening(scores->first_look, scores->blocks, degrees / (blocks - 1));
	half = statistics_student(1 - CONTRASTS_ALPHA, degrees) * error + scores->open[index];
	level->interval = true;
	level->low = level->score * exp(-half);
	level->high = level->score * exp(half);
}

/* The leader beside a level. */
static void lead(const struct recommendation *recommendation, const struct pairs *pairs,
		 size_t index)
{
	struct recommended_level *level = &recommendation->levels[index];
	const struct contrast *contrast = pair(pairs, recommendation->leader, index);
	double leader = recommendation->levels[recommendation->leader].score;

	level->to_leader = level->score / leader;
	level->lead = level->lead_low = level->lead_high = leader / level->score;
	level->p_holm = 1;
	level->in_set = true;
	if (!contrast || !contrast->interval || index == recommendation->leader)
		return;
	level->lead = contrast->b == recommendation->leader ? contrast->ratio : 1 / contrast->ratio;
	level->lead_low =
		contrast->b == recommendation->leader ? contrast->low : 1 / contrast->high;
	level->lead_high =
		contrast->b == recommendation->leader ? contrast->high : 1 / contrast->low;
	/* Of levels in unlike blocks scores and pair may differ by a little of noise: the leader is
	 * then not told as behind. */
	if (level->lead < 1 && contrast->verdict != VERDICT_DIFFERENT) {
		level->lead = leader / level->score;
		level->lead_high = fmax(level->lead_high, level->lead);
	}
	level->p_holm = contrast->p_holm;
	level->in_set = contrast->verdict != VERDICT_DIFFERENT || level->lead < 1;
}

static void find_worst(const struct analysis *analysis, size_t index,
		       struct recommended_level *level)
{
	level->worst = INFINITY;
	for (size_t c = 0; c < analysis->comparison_count; c++) {
		const struct comparison *comparison = &analysis->comparisons[c];

		if (comparison->measured < 2 || comparison->figures[index].samples == 0 ||
		    comparison->figures[index].to_best >= level->worst)
			continue;
		level->worst = comparison->figures[index].to_best;
		level->worst_comparison = c;
	}
}

/* What a level costs beside speed, where its cells and volumes know it. */
static int find_costs(const struct analysis *analysis, struct recommendation *recommendation)
{
	struct volumes volumes;
	int r = volumes_make(&analysis->cells, &volumes);

	if (r < 0)
		return r;
	for (size_t l = 0; l < recommendation->level_count; l++) {
		struct recommended_level *level = &recommendation->levels[l];
		double amplification = 0, cells = 0, taken = 0, held = 0;

		for (size_t i = 0; i < analysis->cells.count; i++) {
			const struct cell *cell = &analysis->cells.list[i];

			if (cell->levels[0] != l || cell->zfs.write_amplification.count == 0)
				continue;
			amplification += cell->zfs.write_amplification.mean;
			cells++;
		}
		for (size_t i = 0; i < volumes.count; i++) {
			const struct volume *volume = &volumes.list[i];
			const struct sample_zfs *zfs = volume->first->zfs;

			if (volume->cell->levels[0] != l || !volume->made ||
			    zfs->written_bytes == 0 || zfs->size_bytes == 0)
				continue;
			taken += (double)zfs->written_bytes;
			held += (double)zfs->size_bytes;
		}
		level->write_amplification = cells > 0 ? amplification / cells : 0;
		level->space = held > 0 ? taken / held : 0;
	}
	volumes_done(&volumes);
	return 0;
}

static int fill_set(const struct analysis *analysis, struct recommendation *recommendation)
{
	const struct recommended_level *next = NULL;

	recommendation->set = calloc(recommendation->level_count, sizeof(*recommendation->set));
	if (!recommendation->set)
		return -ENOMEM;
	for (size_t i = 0; i < recommendation->level_count; i++) {
		size_t index = analysis->order[i];
		const struct recommended_level *level = &recommendation->levels[index];

		if (!level->complete || !level->in_set)
			continue;
		recommendation->set[recommendation->set_count++] = index;
		if (index == recommendation->leader || (next && level->score <= next->score))
			continue;
		next = level;
		recommendation->next = index;
	}
	return 0;
}

/* Pairs of Holm's family that were shown to differ. */
static size_t shown(const struct analysis *analysis, const struct recommendation_scores *scores)
{
	size_t count = 0;

	for (size_t c = 0; c < analysis->comparison_count; c++)
		for (size_t i = 0; i < analysis->comparisons[c].contrast_count; i++)
			count += analysis->comparisons[c].contrasts[i].verdict == VERDICT_DIFFERENT;
	for (size_t i = 0; i < scores->own.count; i++)
		count += scores->own.list[i].verdict == VERDICT_DIFFERENT;
	return count;
}

/* How many repeats would set the leader off, and from what spread that is said. */
static void find_repeats(const struct analysis *analysis,
			 const struct recommendation_scores *scores, const struct pairs *pairs,
			 size_t tested, struct recommendation *recommendation)
{
	const struct contrast *contrast = pair(pairs, recommendation->leader, recommendation->next);
	double difference = log(recommendation->levels[recommendation->leader].score /
				recommendation->levels[recommendation->next].score);
	size_t levels = 0, open;

	for (size_t l = 0; l < recommendation->level_count; l++)
		levels += recommendation->levels[l].complete;
	if (contrast && contrast->interval) {
		recommendation->spread = contrast->error * sqrt((double)contrast->blocks / 2);
		if (contrast->paired)
			levels = 0;
		open = tested - shown(analysis, scores);
	} else if (recommendation->kind == RECOMMENDATION_SINGLE) {
		recommendation->spread =
			RECOMMENDATION_SPREAD * sqrt(scores->squares) / scores->weights;
		recommendation->spread_assumed = true;
		open = scores->comparisons * levels * (levels - 1) / 2;
		open += scores->comparisons > 1 ? levels * (levels - 1) / 2 : 0;
	} else {
		recommendation->spread = pairs->residual;
		return;
	}
	if (recommendation->next != recommendation->leader && open > 0 && difference > 0)
		recommendation->repeats_needed = contrasts_repeats(
			difference, recommendation->spread, levels, CONTRASTS_ALPHA / (double)open);
}

static void step(const struct analysis *analysis, size_t from, size_t to, struct trade_off *off)
{
	const struct recommended_level *levels = analysis->recommendation.levels;

	*off = (struct trade_off){.from = from, .to = to, .most_lost = INFINITY};
	off->ratio = levels[to].score / levels[from].score;
	for (size_t c = 0; c < analysis->comparison_count; c++) {
		const struct contrast *contrast =
			analysis_contrast(&analysis->comparisons[c], from, to);
		double ratio;

		if (!contrast || !(contrast->ratio > 0))
			continue;
		ratio = contrast->b == to ? contrast->ratio : 1 / contrast->ratio;
		if (contrast->verdict != VERDICT_DIFFERENT)
			off->open++;
		else if (ratio > 1)
			off->better++;
		else
			off->worse++;
		if (ratio > off->most_won) {
			off->most_won = ratio;
			off->won = c;
		}
		if (ratio < off->most_lost) {
			off->most_lost = ratio;
			off->lost = c;
		}
	}
	if (!isfinite(off->most_lost)) /* no block has both */
		off->most_won = off->most_lost = off->ratio;
}

static int fill_trade_offs(struct analysis *analysis)
{
	struct recommendation *recommendation = &analysis->recommendation;
	size_t from = SIZE_MAX;

	recommendation->trade_offs =
		calloc(recommendation->level_count, sizeof(*recommendation->trade_offs));
	if (!recommendation->trade_offs)
		return -ENOMEM;
	for (size_t i = 0; i < recommendation->level_count; i++) {
		size_t to = analysis->order[i];

		if (!recommendation->levels[to].complete)
			continue;
		if (from != SIZE_MAX)
			step(analysis, from, to,
			     &recommendation->trade_offs[recommendation->trade_off_count++]);
		from = to;
	}
	return 0;
}

static void fill_levels(const struct analysis *analysis, const struct recommendation_scores *scores,
			const struct pairs *pairs, struct recommendation *recommendation,
			size_t complete)
{
	for (size_t l = 0; l < recommendation->level_count; l++) {
		struct recommended_level *level = &recommendation->levels[l];

		if (!level->complete)
			continue;
		score_interval(scores, pairs, complete, l, level);
		lead(recommendation, pairs, l);
		find_worst(analysis, l, level);
	}
}

int recommendation_make(struct analysis *analysis, const struct recommendation_scores *scores,
			size_t tested)
{
	struct recommendation *recommendation = &analysis->recommendation;
	struct pairs pairs;
	size_t complete = 0;
	int r;

	recommendation->level_count = analysis->level_count;
	recommendation->levels =
		calloc(recommendation->level_count, sizeof(*recommendation->levels));
	if (!recommendation->levels)
		return -ENOMEM;
	r = find_costs(analysis, recommendation);
	if (r < 0 || scores->comparisons == 0)
		return r;
	pairs = pairs_of(analysis, scores);
	for (size_t l = 0; l < recommendation->level_count; l++) {
		recommendation->levels[l].complete = !isnan(scores->logs[l]);
		if (!recommendation->levels[l].complete)
			continue;
		recommendation->levels[l].score = exp(scores->logs[l]);
		complete++;
	}
	if (complete == 0)
		return 0;
	find_leader(recommendation);
	fill_levels(analysis, scores, &pairs, recommendation, complete);
	if (complete < 2)
		return 0; /* nothing to choose between */
	r = fill_set(analysis, recommendation);
	if (r < 0)
		return r;
	recommendation->blocks = most_blocks(&pairs);
	if (recommendation->blocks < 2)
		recommendation->kind = RECOMMENDATION_SINGLE;
	else
		recommendation->kind =
			recommendation->set_count > 1 ? RECOMMENDATION_SET : RECOMMENDATION_LEVEL;
	find_repeats(analysis, scores, &pairs, tested, recommendation);
	return fill_trade_offs(analysis);
}
