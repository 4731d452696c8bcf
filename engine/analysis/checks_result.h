/* SPDX-License-Identifier: GPL-3.0-or-later */
/* checks_result.h - checks that look at several samples of a result. */
#ifndef ENGINE_ANALYSIS_CHECKS_RESULT_H
#define ENGINE_ANALYSIS_CHECKS_RESULT_H

#include "engine/analysis/analysis.h"

/* Adds to the analysis' findings, before its statements are made. -ENOMEM: what was added stays,
 * for analysis_done(). */
MUST_CHECK int checks_result(struct analysis *analysis);

#endif
