/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stopping.h - whether the repeats of a run are enough: the differences between levels are known
 * as well as was asked. Asked at the end of a block, which is one repeat of everything.
 *
 * Repeats go on until the widest interval is narrow enough (Chow and Robbins 1965, Ann. Math.
 * Statist. 36:457), judged by the pooled residual, which says nothing of the differences
 * themselves. Such a rule tends to end where the spread happens to look small: of two levels only
 * 92 % of the 95 % intervals then hold the truth. A factor on the quantile gives that back
 * (Woodroofe 1977, Ann. Statist. 5:984, has one of this form): 1 + 0.5 / degrees at the first look,
 * found by simulation (1 to 6 levels, 1 and 9 comparisons, first looks at 5 and 10 blocks, means of
 * 5 to 60 blocks; intervals hold the truth in 94.6 to 97.4 %, and false verdicts stay within 5.1
 * %). It is on all intervals and tests of a run whose definition lets it end early.
 */
#ifndef ENGINE_ANALYSIS_STOPPING_H
#define ENGINE_ANALYSIS_STOPPING_H

#include "engine/result.h"

/* Fewer blocks than these tell nothing reliable of the spread, whatever was asked. */
#define STOPPING_BLOCKS_MIN 5

#define STOPPING_WIDENING 0.5

/*
 * so_far: definition and samples are looked at, nothing else; it stays the caller's. min_blocks:
 * at least STOPPING_BLOCKS_MIN is taken.
 *
 * The half width is that of the widest 95 % interval of a ratio between two levels (of the mean,
 * where nothing is compared), in percent, of all comparisons; 0 where it is not known yet, and
 * nothing is then reached. -ENOMEM, -EOVERFLOW.
 */
MUST_CHECK int stopping_reached(const struct result *so_far, double until_ci_percent,
				unsigned int min_blocks, bool *ret_reached,
				double *ret_half_width_percent);

/* The block at which a run of this definition might end for the first time; 0: its repeats are
 * fixed. */
size_t stopping_first_look(const struct definition *definition);

/* What standard errors are multiplied by, of samples in so many blocks; 1 where first_look is 0 or
 * was not passed. degrees: of the spread, a block beyond the first (levels - 1). */
double stopping_widening(size_t first_look, size_t blocks, double degrees);

#endif
