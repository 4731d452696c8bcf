/* SPDX-License-Identifier: GPL-3.0-or-later */
/* checks_across.h - what the files of checks_result.h share. Nobody else includes it. Each adds to
 * the analysis' findings; 0, or -ENOMEM. */
#ifndef ENGINE_ANALYSIS_CHECKS_ACROSS_H
#define ENGINE_ANALYSIS_CHECKS_ACROSS_H

#include "engine/analysis/analysis.h"

/* checks_limits.c */
MUST_CHECK int checks_memory(struct analysis *analysis, size_t workload);
MUST_CHECK int checks_limits(struct analysis *analysis);

/* Bytes a second that a text says: "10 GbE", "2 x 25 Gbit/s", "50 GB/s"; 0: none. */
double checks_rate_of_text(const char *text);

/* checks_repeated.c */
MUST_CHECK int checks_repeated(struct analysis *analysis);

/* The width that a figure's digits leave open, as a share of it: as printed, or of an exact one the
 * last digit it has in any unit that figures are told in. */
double checks_digits_share(const struct told_figure *figure);

#endif
