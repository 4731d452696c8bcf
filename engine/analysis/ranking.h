/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ranking.h - which level of a comparison is best, and how near the others come: by geometric means
 * over the blocks, as pairs are judged, and not by the arithmetic means that tables show.
 *
 * Arithmetic means of the same samples may have another level first, where one repeat is far off or
 * a drift was taken out (drift.h); a sentence then says so (statements.h: mean_above).
 */
#ifndef ENGINE_ANALYSIS_RANKING_H
#define ENGINE_ANALYSIS_RANKING_H

#include "engine/analysis/contrasts.h"

/* Logarithms nearer to each other than this are equal, but for rounding. */
#define RANKING_NEAR 1e-12

/*
 * Each counted level beside the mean of all of them, of the logarithms; NAN of others. A level that
 * is counted has a figure. Least squares of block + level, so that of levels in the same blocks the
 * difference is that of their pair; where no block holds all that are counted, of each level's own
 * mean. -ENOMEM.
 */
MUST_CHECK int ranking_effects(const struct block_table *table, const bool *counted,
			       double *ret_effects);

double ranking_level_mean(const struct block_table *table, size_t level); /* NAN: no figure */

/* best of the comparison, to_best and in_set of its levels; all stay in the set until contrasts
 * show that they are worse. -ENOMEM. */
MUST_CHECK int ranking_make(const struct block_table *table, struct comparison *comparison);

#endif
