/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sample.h (codec) - struct sample <-> volbench.sample/1. See openapi.yaml, schema Sample.
 *
 * Histograms are stored whole: {"scheme": "loglinear-256", "count", "min_ns", "max_ns", "sum_ns",
 * "sum_squares_ns2", "buckets": [gap, count, gap, count, ...]} where gap is the distance of a
 * non-empty bucket's index from the one before (the first from 0).
 */
#ifndef SERVER_CODEC_SAMPLE_H
#define SERVER_CODEC_SAMPLE_H

#include "engine/sample.h"
#include "server/codec/json.h"

#define SAMPLE_SCHEMA "volbench.sample/1"

json_t *sample_encode(const struct sample *sample);
/* `sample` must be fresh. Checks what it reads (a stored file may have been damaged). */
MUST_CHECK int sample_decode(const json_t *value, struct sample *sample, struct error *err);

json_t *histogram_encode(const struct histogram *histogram);
MUST_CHECK int histogram_decode(const json_t *value, struct histogram *histogram,
				struct error *err);

#endif
