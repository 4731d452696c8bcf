/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * file_results.h (codec) - the phases of a metadata workload's sample <-> JSON: the member
 * "metadata", a list of {"operation", "order", "ops", "bytes", "seconds", "ops_per_s",
 * "latency_ns", "histogram"} in the order they were done. One that another tool told has
 * "told_ops_per_s", and may lack amounts and time. See openapi.yaml, schema MetadataResult.
 */
#ifndef SERVER_CODEC_FILE_RESULTS_H
#define SERVER_CODEC_FILE_RESULTS_H

#include "engine/sample.h"
#include "server/codec/fields.h"

json_t *file_results_encode(const struct sample *sample);

/* From the member "metadata" of `in`; what it puts into *sample is the caller's, also on failure.
 */
MUST_CHECK int file_results_decode(const struct fields *in, struct sample *sample);

#endif
