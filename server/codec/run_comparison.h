/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_comparison.h (codec) - volbench.comparison/1: runs beside each other, for programs. See
 * openapi.yaml, schema Comparison. Limits are read here too. For callers that know no JSON library.
 */
#ifndef SERVER_CODEC_RUN_COMPARISON_H
#define SERVER_CODEC_RUN_COMPARISON_H

#include "engine/analysis/run_limits.h"

#define RUN_COMPARISON_SCHEMA "volbench.comparison/1"

/* judgement: NULL without limits. Heap, one line; NULL: no memory. */
char *run_comparison_text(const struct run_comparison *comparison,
			  const struct run_judgement *judgement);

/* {"iops_percent": -5, "unmatched": 0}, added to what is there; the error's field is the member. */
MUST_CHECK int run_limits_read(const char *text, size_t size, struct run_limits *limits,
			       struct error *err);

#endif
