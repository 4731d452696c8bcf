/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * series.h (codec) - the seconds of a sample <-> JSON. See openapi.yaml, schema Series.
 *
 * The lists of a direction are there where the sample moves data that way. Latencies are written
 * as means, which readers want; the sums behind them are found again exactly.
 */
#ifndef SERVER_CODEC_SERIES_H
#define SERVER_CODEC_SERIES_H

#include "engine/sample.h"
#include "server/codec/fields.h"

/* NULL: no memory. */
json_t *series_encode(const struct sample *sample);

/* The member "series" of a sample. *series must be all zero; what it holds is the caller's, also
 * on failure. */
MUST_CHECK int series_decode(const struct fields *in, struct series *series);

#endif
