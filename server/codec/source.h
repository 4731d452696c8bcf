/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * source.h (codec) - what another tool told of a sample that was imported <-> JSON. See
 * openapi.yaml, schemas Source and Told.
 *
 * The member "source": {"tool", "file"?, "given"?, "seconds_known", "index"?, "memory_bytes"?,
 * "samples"?, "read"?, "write"?, "trim"?}; a direction is {"iops"?, "bw_bytes_per_s"?,
 * "latency_ns"?: {"min"?, "mean"?, "max"?, "stddev"?, "percentiles"?: {"99.000000": ns, ...}}}, and
 * a figure {"value", "low", "high"}. What is not known is absent.
 */
#ifndef SERVER_CODEC_SOURCE_H
#define SERVER_CODEC_SOURCE_H

#include "engine/sample.h"
#include "server/codec/fields.h"
#include "server/codec/latency.h"

json_t *source_encode(const struct sample_source *source);

/* From the member "source" of `in`; heap. */
MUST_CHECK int source_decode(const struct fields *in, struct sample_source **ret_source);

/* A figure under a name; nothing where it is not known. */
int put_told(json_t *object, const char *name, const struct told_figure *figure);
MUST_CHECK int get_told(const struct fields *in, const char *name, struct told_figure *ret_figure);

/* An imported sample's "read", "write" or "trim": what is known of it. */
json_t *source_direction_encode(const struct sample *sample, enum direction direction,
				const struct percentiles *list);
MUST_CHECK int source_direction_decode(const struct fields *in, struct direction_result *ret_result,
				       struct told_direction *ret_told);

#endif
