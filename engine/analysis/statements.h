/* SPDX-License-Identifier: GPL-3.0-or-later */
/* statements.h - what an analysis says, in sentences that carry their numbers. */
#ifndef ENGINE_ANALYSIS_STATEMENTS_H
#define ENGINE_ANALYSIS_STATEMENTS_H

#include "engine/analysis/analysis.h"

/* Fills statements; everything else of the analysis is there. -ENOMEM: what was added stays, for
 * analysis_done(). */
MUST_CHECK int statements_make(struct analysis *analysis);

#endif
