/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * result_csv.h - a result as a table: RFC 4180, a header and a row per sample and direction, or
 * phase of a metadata workload ("sequential create" in the column direction, its own seconds, files
 * in ios). Behind those of a sample whose workload has "jobs" stand the rows of each job, with its
 * name in "job".
 *
 * Columns: order, workload, one a factor, repeat, job, direction, started, seconds, backend, ios,
 * bytes, iops, bw_bytes_per_s, lat_min_ns, lat_mean_ns, lat_stddev_ns, lat_p50_ns and the other
 * percentiles (empty where not supported), lat_max_ns, short_ios, sync_ios, sync_lat_mean_ns,
 * depth_mean, cpu_user_s, cpu_system_s, machine_busy_s, machine_steal_s, device, device_reads,
 * device_read_bytes, device_writes, device_written_bytes, device_io_ms, device_weighted_ms; where a
 * sample had a rate, also the latency from the intended start, named as that from the submission:
 * intended_min_ns to intended_max_ns; where a target lay on OpenZFS, also zfs_dataset,
 * zfs_compress_ratio, zfs_arc_hits, zfs_arc_misses, zfs_arc_prefetch_misses, zfs_direct_reads,
 * zfs_from_devices, zfs_pool_read_bytes, zfs_pool_written_bytes, zfs_log_written_bytes,
 * zfs_asked_read_bytes, zfs_asked_written_bytes, zfs_read_amplification, zfs_write_amplification
 * (empty where not known). What is of the whole sample stands in both rows of a mix, and
 * is empty in those of jobs.
 *
 * The percentiles are the standard ones, or those of percentile_list; where workloads differ in it,
 * those of all, and each row fills in its own.
 *
 * A cell that a spreadsheet would take for a formula (= + - @, tab or return first) gets an
 * apostrophe before it. Reals are written in the shortest form that reads back as the same value.
 */
#ifndef SERVER_CODEC_RESULT_CSV_H
#define SERVER_CODEC_RESULT_CSV_H

#include "engine/result.h"

/* Heap text, lines end in CRLF. NULL: no memory. */
char *result_csv(const struct result *result);

#endif
