/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sample.h (codec) - struct sample <-> volbench.sample/1. See openapi.yaml, schema Sample.
 *
 * What was encoded is decoded to the same struct to the bit. But for the options: they stand
 * completed, so all count as given when they come back, and those that do nothing (the shares of a
 * mix that is none) are 0. "read" and "write" are there where the sample moves data
 * that way.
 *
 * A sample that was imported has "source" (source.h), of its options those that are known, and none
 * of what nobody told: target, started, seconds, backend, seed, series, processor time.
 */
#ifndef SERVER_CODEC_SAMPLE_H
#define SERVER_CODEC_SAMPLE_H

#include "engine/sample.h"
#include "server/codec/json.h"
#include "server/codec/latency.h"

#define SAMPLE_SCHEMA "volbench.sample/1"

/* NULL: no memory. */
json_t *sample_encode(const struct sample *sample);

/* `sample` must be fresh, and is again on failure. Checks what it reads (a stored file may have
 * been damaged). */
MUST_CHECK int sample_decode(const json_t *value, struct sample *sample, struct error *err);

#endif
