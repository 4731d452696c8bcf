/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * comparisons.h - a result's cells as comparisons with their figures, and these as pairs of levels:
 * the first steps of analysis_make().
 */
#ifndef ENGINE_ANALYSIS_COMPARISONS_H
#define ENGINE_ANALYSIS_COMPARISONS_H

#include "engine/analysis/contrasts.h"

/* An analysis with cells, axis, level_count and comparisons, of which measure, weight, figures
 * and bests are there; analysis_done() frees it. As analysis_make(). */
MUST_CHECK int comparisons_gather(const struct result *result, struct analysis *ret_analysis);
void comparisons_done(struct analysis *analysis);

/* The figures of each comparison by block and level: as many tables as comparisons; what they rank
 * as best, and the contrasts made of them, not yet judged. -ENOMEM: nothing is left to free. */
MUST_CHECK int comparisons_contrast(struct analysis *analysis, struct block_table **ret_tables);
void comparisons_tables_free(struct block_table *tables, size_t count);

/* Holm's procedure over all pairs of all comparisons and over `scores`, which may be empty; levels
 * shown to be worse than the best leave its set. *ret_tested: pairs that could be judged. -ENOMEM.
 */
MUST_CHECK int comparisons_judge(struct analysis *analysis, const struct contrasts *scores,
				 size_t *ret_tested);

#endif
