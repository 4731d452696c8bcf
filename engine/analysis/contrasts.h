/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * contrasts.h - pairs of levels judged by repeats in blocks.
 *
 * Model: the logarithm of a figure is block + level + noise (randomised blocks: Fisher, The Design
 * of Experiments, 1935; Cochran and Cox, Experimental Designs, 1957, ch. 4). What drifts over a run
 * moves whole blocks and leaves the differences between levels alone.
 *
 * 1. The residual of the blocks that hold every level, with (blocks-1)(levels-1) degrees of
 *    freedom, serves every pair by Student's t. Levels of fewer than two figures do not count.
 * 2. Whether the levels' spreads differ is asked of their residuals, by Bartlett's statistic
 *    (Bartlett 1937, Proc. R. Soc. A 160:268; of a two-way layout: Han 1969, Biometrics 25:153;
 *    Shukla 1972, Biometrics 28:1063) at 1 %, of three levels and three blocks at the least, in
 *    each comparison and in all together. That residuals of different levels are correlated makes
 *    it err on the side of alike. Where they differ, each pair is judged by the paired t of its own
 *    differences (blocks-1); so it is where fewer than two blocks hold every level.
 *    Few repeats do not always show that one level is noisier, and the pooled residual is then too
 *    small for its pairs. So the test of a pair (not its interval) takes the mean of the pooled
 *    variance and that of its own differences where the latter is larger; a variance of a few
 *    figures drawn towards that of all is what Smyth 2004 (Stat. Appl. Genet. Mol. Biol. 3:3)
 *    tests with. By simulation, six levels of which one is three times as noisy, nine comparisons,
 *    five repeats: 25 % of reports held a false verdict without the question to all together and
 *    this, 4 % with them; and a 5 % effect at 1 % noise is still found in 98 %.
 * 3. What rounding leaves open of the figures is no noise: repeats do not take it away. It widens
 *    the interval, and a difference counts only as far as it is larger.
 * 4. Where a drift was taken out of the figures (drift.h) each residual has one degree less, and a
 *    pair whose mean places in the run differ is known so much worse.
 * 5. Holm's procedure (Holm 1979, Scand. J. Statist. 6:65) over all that is told together holds the
 *    probability of any false verdict at 5 %.
 *
 * Pure functions but for what they allocate.
 */
#ifndef ENGINE_ANALYSIS_CONTRASTS_H
#define ENGINE_ANALYSIS_CONTRASTS_H

#include "engine/analysis/analysis.h"

#define CONTRASTS_ALPHA 0.05 /* any false verdict */
/* No figure is known better: a count of 10^9 operations, and what a double keeps of a logarithm.
 * Repeats that are equal to the last digit are not thereby without noise. */
#define CONTRASTS_RESOLUTION 1e-9
#define CONTRASTS_SPREADS_ALPHA 0.01 /* the cost of a false alarm is most of the degrees */
#define CONTRASTS_POWER 0.8	     /* that `detectable` and repeats needed are of */

/* Figures of one thing that is compared, by block and level. */
struct block_table {
	size_t block_count, level_count;
	double *logs;	   /* natural, more is better; a block's levels together; NAN: none */
	double *open;	   /* the same: what rounding leaves open either way */
	bool *measured;	   /* levels: pairs of them are made */
	size_t first_look; /* stopping.h; 0: the blocks were not ended by what they showed */
	double *places; /* as logs: where each stands in the run; meaningless where there is none */
	/* Where a drift was taken out of the logs (drift.h), else 0: a degree of freedom that it
	 * cost, and the squares of the places beside block and level. */
	double drift_degrees, place_squares;
};

/* No figures yet. -ENOMEM: nothing is left to free. */
MUST_CHECK int block_table_init(struct block_table *table, size_t blocks, size_t levels);
void block_table_done(struct block_table *table);
size_t block_table_at(const struct block_table *table, size_t block, size_t level);

struct contrasts {
	size_t levels, blocks; /* blocks that hold every level of at least two figures */
	double residual;       /* standard deviation; 0: not known */
	double degrees;
	double *squares; /* a level: of its residuals; 0: it is not among them; heap */
	bool spreads_differ;
	size_t count;
	struct contrast *list; /* heap; all pairs of measured levels: by a, and within by b */
};

/* All but the pairs. -ENOMEM: nothing is left to free. */
MUST_CHECK int contrasts_fit(const struct block_table *table, struct contrasts *ret_contrasts);
void contrasts_done(struct contrasts *contrasts);

/* The pairs, as residual and spreads_differ say: all but p_holm, detectable and verdict. -ENOMEM.
 */
MUST_CHECK int contrasts_pairs(const struct block_table *table, struct contrasts *contrasts);

/* Whether the levels' spreads differ: squares of residuals, each with so many degrees; levels of 0
 * are passed over. */
bool contrasts_spreads_differ(const double *squares, size_t levels, double degrees);

/* Holm's procedure over those that have an interval: p_holm, detectable and verdict of each. Sorts
 * the pointers. Returns how many they are. */
size_t contrasts_judge(struct contrast **all, size_t count);

/*
 * The difference (of logarithms) that a two-sided test at this level finds with a probability of
 * CONTRASTS_POWER, in standard errors: the noncentral t's 80 % point by Abramowitz and Stegun
 * 26.7.10, within 3 % from 4 degrees on.
 */
double contrasts_findable(double alpha, double degrees);

/* Repeats with which a difference is found that way, of levels whose figures spread so much from
 * repeat to repeat; levels 0: by paired t. 0: more than DEFINITION_REPEATS_MAX. */
unsigned int contrasts_repeats(double difference, double spread, size_t levels, double alpha);

#endif
