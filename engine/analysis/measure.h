/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * measure.h - the one figure of a sample by which a comparison judges it.
 *
 * Pure functions. A figure is not known where one of the directions that the sample moves data in
 * does not tell it: half a sum is no sum.
 */
#ifndef ENGINE_ANALYSIS_MEASURE_H
#define ENGINE_ANALYSIS_MEASURE_H

#include "engine/analysis/analysis.h"

/*
 * What suits the samples of a comparison's cells:
 *   files      of a phase of a metadata workload
 *   latency    every direction that moves has a rate, in every sample, and latencies are known
 *   bandwidth  the request size is the first factor, or differs between samples that say it, or
 *              there is a sample whose IOPS are not known and none whose bandwidth is not
 *   iops       else
 */
enum measure measure_choose(const struct analysis *analysis, const struct comparison *comparison);

/* Whether rates say how much is done, each way and by each of its jobs, so that latencies alone
 * tell how well. */
bool measure_paced(const struct sample *sample);

/*
 * The sample's figure: all directions together, with what rounding leaves open. The latency is the
 * mean over all operations, from the intended start where there is one, so that a stall counts for
 * all it held up.
 */
struct told_figure measure_figure(const struct sample *sample, const struct comparison *comparison);

#endif
