/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analysis_text.h - a result's analysis as text, for callers that know no JSON library. Pure. */
#ifndef SERVER_CODEC_ANALYSIS_TEXT_H
#define SERVER_CODEC_ANALYSIS_TEXT_H

#include "engine/base/error.h"
#include "engine/result.h"

/* volbench.analysis/1 on one line; heap. NULL: err says why. */
char *analysis_text(const struct result *result, struct error *err);

#endif
