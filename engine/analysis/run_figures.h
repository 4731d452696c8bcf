/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_figures.h - one figure of one sample, measured or told: what run_comparison.h compares.
 */
#ifndef ENGINE_ANALYSIS_RUN_FIGURES_H
#define ENGINE_ANALYSIS_RUN_FIGURES_H

#include "engine/analysis/run_comparison.h"

/*
 * direction: DIRECTION_COUNT for all that move data, known where each is. Not known: what another
 * tool did not tell, or told as an index alone (base and unit are its own); latencies without a
 * histogram or told figure; a 99th percentile without ten values beyond it. Latencies are from the
 * intended start where rates gave operations one. -ENOMEM.
 */
MUST_CHECK int run_figure_of_data(const struct sample *sample, enum run_figure figure,
				  int direction, struct told_figure *ret_figure);

/* Of a phase of metadata. */
struct told_figure run_figure_of_files(const struct sample *sample, enum run_figure figure,
				       int operation, int order);

#endif
