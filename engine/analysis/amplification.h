/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * amplification.h - which levels are shown to make a pool's disks write more than another does.
 *
 * Judged as all else is (contrasts.h): the logarithms of bytes written to the disks for each byte
 * of the workload follow block + level, and Holm's procedure covers every pair of levels of every
 * comparison. It is a family of its own, beside that of the figures that choose a level: the two
 * answer two questions.
 */
#ifndef ENGINE_ANALYSIS_AMPLIFICATION_H
#define ENGINE_ANALYSIS_AMPLIFICATION_H

#include "engine/analysis/analysis.h"

/*
 * ret_low: heap, by comparison * level_count + level: the level has the figure, and is not shown
 * to write more than the level of the lowest mean. Of single samples nothing is shown: all that
 * have the figure stay. Phases of files are of one sample, and each says the same. -ENOMEM.
 */
MUST_CHECK int amplification_low(const struct analysis *analysis, bool **ret_low);

#endif
