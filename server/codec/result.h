/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * result.h (codec) - volbench.result/1 <-> struct result, and the forms other programs read.
 *
 * A result document: {"schema", "id", "name", "state", "created", "started"?, "ended"?, "error"?,
 * "definition", "backend", "backend_reason", "environment", "targets", "planned_samples",
 * "findings", "samples": [volbench.sample/1, ...]}.
 */
#ifndef SERVER_CODEC_RESULT_H
#define SERVER_CODEC_RESULT_H

#include "engine/result.h"
#include "server/codec/json.h"

#define RESULT_SCHEMA "volbench.result/1"

/* Builds a result from its parts, samples as stored texts (kept verbatim). NULL: no memory. */
json_t *result_encode(const struct result *result);
MUST_CHECK int result_decode(const json_t *value, struct result *result, struct error *err);

/* RFC 4180, a header and a row per sample and direction: order, workload, one column a factor,
 * repeat, direction, started, seconds, backend, ios, bytes, iops, bw_bytes_per_s, lat min, mean,
 * stddev, percentiles (empty where not supported), max, cpu, device counters. Cells that a
 * spreadsheet would take for a formula (= + - @ first) get a leading apostrophe. Heap text. */
char *result_csv(const struct result *result);

/* fio 3's own JSON layout: "fio version", "timestamp", "time", "global options", jobs[] (one a
 * sample and job group, jobname "WORKLOAD/LEVELS/repeat", percentiles "99.000000"), disk_util[]. */
json_t *result_fio(const struct result *result);

json_t *environment_encode(const struct environment *environment);
MUST_CHECK int environment_decode(const json_t *value, struct environment *ret_environment);

#endif
