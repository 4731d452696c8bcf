/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * analysis.h (codec) - volbench.analysis/1: what the samples of a result show, for programs. See
 * openapi.yaml, schema Analysis. Made when asked for, never stored, so there is no way back in.
 *
 * Codes of statements and findings, the names of measures, verdicts and kinds are stable. What is
 * not known is absent.
 */
#ifndef SERVER_CODEC_ANALYSIS_H
#define SERVER_CODEC_ANALYSIS_H

#include <jansson.h>

#include "engine/analysis/analysis.h"

#define ANALYSIS_SCHEMA "volbench.analysis/1"

/* NULL: no memory. */
json_t *analysis_encode(const struct analysis *analysis);

#endif
