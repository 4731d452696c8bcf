/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * checks_result.h - checks that look at several samples of a result, or at what else is known of
 * its system. The thresholds stand with their reasons in checks_result.c, checks_limits.c and
 * checks_repeated.c.
 *
 *   figure_repeated         the same figure where it cannot be
 *   bandwidth_above_link    more than the link carries, where a fact names one ("network":
 *                           "2 x 10 GbE")
 *   bandwidth_above_memory  more than memory does, where a fact says ("memory bandwidth":
 *                           "50 GB/s")
 *   fits_memory             reads of what fits into the memory of the machine, or into twice of it
 *   cell_missing            combinations of levels that were not measured
 *   single_sample           one measurement a cell: no spread, no verdict
 *   spread_unknown          figures that are means, without how much their measurements differed
 *   few_repeats             two measurements a cell
 *
 * Of results that were imported alone: nobody copies the figures of a run of ours by hand, and what
 * else is here its plan has said (traps.h), or its end.
 */
#ifndef ENGINE_ANALYSIS_CHECKS_RESULT_H
#define ENGINE_ANALYSIS_CHECKS_RESULT_H

#include "engine/analysis/analysis.h"

/* Adds to the analysis' findings, before its statements are made; of the analysis it reads result
 * and cells. -ENOMEM: what was added stays, for analysis_done(). */
MUST_CHECK int checks_result(struct analysis *analysis);

#endif
