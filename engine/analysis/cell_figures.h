/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cell_figures.h - what a cell tells of its samples: means with their intervals, merged latencies,
 * of each direction, named job, kind of sync and phase of files, and of OpenZFS. Internal to
 * cells.c: others read cells.h.
 */
#ifndef ENGINE_ANALYSIS_CELL_FIGURES_H
#define ENGINE_ANALYSIS_CELL_FIGURES_H

#include "engine/analysis/cells.h"

/* Of a cell that has its workload, levels and samples. Without samples only what its options would
 * have moved is present. Where repeats could end early the intervals are wider (stopping.h).
 * -ENOMEM: cell_figures_done() is due all the same. */
MUST_CHECK int cell_figures_fill(struct cell *cell, const struct definition *definition);
void cell_figures_done(struct cell *cell);

#endif
