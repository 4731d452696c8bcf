/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stopping.h - whether the repeats of a run are enough: the differences between levels are known
 * as well as was asked. Asked at the end of a block, which is one repeat of everything.
 */
#ifndef ENGINE_ANALYSIS_STOPPING_H
#define ENGINE_ANALYSIS_STOPPING_H

#include "engine/result.h"

/* Fewer blocks than these tell nothing reliable of the spread, whatever was asked. */
#define STOPPING_BLOCKS_MIN 5

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

#endif
