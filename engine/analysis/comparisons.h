/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * comparisons.h - a result's cells as comparisons with their figures: the first step of
 * analysis_make(). Pairs of levels are judged afterwards (contrasts.h).
 */
#ifndef ENGINE_ANALYSIS_COMPARISONS_H
#define ENGINE_ANALYSIS_COMPARISONS_H

#include "engine/analysis/analysis.h"

/* From cells, level_count and the result: comparisons with measure, weight, figures, best and
 * bests. -ENOMEM: what was added stays, for comparisons_done(). */
MUST_CHECK int comparisons_make(struct analysis *analysis);
void comparisons_done(struct analysis *analysis);

#endif
