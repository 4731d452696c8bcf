/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * recommendation.h - which level serves all comparisons together, and what a step from one level to
 * the next costs.
 *
 * 1. In each block a level's score is the weighted mean over the comparisons of
 *    log(level / geometric mean of all levels). Only comparisons of two levels at the
 *    least count; levels that are measured in each of them take part, and blocks that hold all of
 *    these in each.
 * 2. Scores are judged as any figures in blocks are (contrasts.h). Which level leads is read from
 *    the same samples, so Holm's procedure is given every pair of levels and not only those with
 *    the leader: a leader picked by chance would else set itself off too often. With one comparison
 *    its own pairs are those of the scores.
 * 3. A level stays in the set unless the leader is shown to be better. Ratios to the best of a
 *    comparison stand without an interval: the highest of noisy means is too high.
 */
#ifndef ENGINE_ANALYSIS_RECOMMENDATION_H
#define ENGINE_ANALYSIS_RECOMMENDATION_H

#include "engine/analysis/contrasts.h"

/* What single samples do not tell: repeats of one test on one machine often lie within 2 % (their
 * standard deviation), and those of a busy one do not. */
#define RECOMMENDATION_SPREAD 0.02

/* What is handed from the first step to the second, between which the family is judged. */
struct recommendation_scores {
	struct contrasts own; /* of the scores; none with one comparison, which has them */
	double *logs;	      /* a level's score; NAN where it takes no part; heap */
	double *open;	      /* what rounding leaves open of it, either way; heap */
	size_t first_look;    /* stopping.h */
	double *spreads;      /* standard deviation of its own over the blocks; 0: unknown; heap */
	size_t blocks;	      /* whole ones, that the scores are of */
	size_t comparisons;   /* that were measured */
	size_t only;	      /* the last of them */
	double weights, squares; /* their sum, and that of their squares */
};

/* tables: one a comparison. -ENOMEM: nothing is left to free. */
MUST_CHECK int recommendation_score(const struct analysis *analysis,
				    const struct block_table *tables,
				    struct recommendation_scores *ret_scores);
void recommendation_scores_done(struct recommendation_scores *scores);

/* Fills the analysis' recommendation, once verdicts are there. tested: how many pairs were judged
 * together. -ENOMEM: what was added stays, for analysis_done(). */
MUST_CHECK int recommendation_make(struct analysis *analysis,
				   const struct recommendation_scores *scores, size_t tested);

#endif
