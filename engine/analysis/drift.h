/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * drift.h - what falls or rises evenly over a run is taken out of the differences between levels.
 *
 * Blocks take out what drifts from block to block. Within a block levels are measured one after
 * another, and of a steep drift a part stays there: it cancels over each pair of blocks
 * (block_order.h), but swells the residual, so that intervals are far wider than they need be, and
 * an odd last block leaves a little of it in the differences. So:
 *
 * 1. Whether there is a drift is asked of the blocks' means: their slope over the run, by Student's
 *    t at 5 %, with (blocks - 2) degrees. Of normal noise these means tell nothing of the residuals
 *    within blocks, nor of the differences between levels. So to ask first costs no coverage, which
 *    a look at the residuals themselves would.
 * 2. Where there is, the slope within the blocks (analysis of covariance by the place in the run:
 *    Fisher, Statistical Methods for Research Workers, 1932, sec. 49.1; Cochran 1957, Biometrics
 *    13:261) is taken out of all figures. It costs one degree of freedom; nothing is done where
 *    fewer than DRIFT_DEGREES_MIN would be left.
 *
 * Only of samples in interleaved order: else place and level are the same thing.
 */
#ifndef ENGINE_ANALYSIS_DRIFT_H
#define ENGINE_ANALYSIS_DRIFT_H

#include "engine/analysis/contrasts.h"

#define DRIFT_ALPHA 0.05
#define DRIFT_DEGREES_MIN 2

/* The table's places are there. Where a drift is shown its logs are told anew and drift_degrees
 * and place_squares are set; *ret_slope is then that of the blocks' means, of the logarithm a
 * place; else it is 0. -ENOMEM: nothing was changed. */
MUST_CHECK int drift_take_out(struct block_table *table, double *ret_slope);

/* The same of a comparison's table, where the result's samples were interleaved. *ret_drift: how
 * good the run's last place is beside its first; 0: no drift is shown. */
MUST_CHECK int drift_of_run(const struct result *result, struct block_table *table,
			    double *ret_drift);

#endif
