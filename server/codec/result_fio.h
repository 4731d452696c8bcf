/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * result_fio.h - a result in the layout of fio 3's own JSON (--output-format=json), for programs
 * that read fio's output.
 *
 * "fio version" is "fio-3.33-volbench-VERSION": the form of fio's builds between releases, so that
 * a parser finds the release whose layout this is, and a person sees who measured.
 *
 * jobs[] has an entry a sample; where the sample kept the figures of its jobs one for each, as fio
 * has: of every one of a workload's "jobs", and of every single job with group_reporting=0. jobname
 * is "WORKLOAD/LEVELS/REPEAT" ("Exchange/bs=4k,iodepth=32/1"; "Exchange/1" without factors), of
 * "jobs" with the job's name in place of the workload's; groupid the sample's order.
 *
 * What fio defines otherwise or Volbench does not know:
 *   clat_ns       where operations were not stamped one by one there is no honest split: slat_ns
 *                 has N 0, as with fio's synchronous engines, and clat_ns is the whole latency,
 *                 from submission to completion. Compare lat_ns.
 *   percentile    fio's keys, in clat_ns and in lat_ns; only those with ten slower operations.
 *   bw_*, iops_*  min, max, mean, deviation over whole seconds (fio: half seconds); over the whole
 *                 window where there is no whole second, or for one job of several.
 *   iodepth_level all operations in the class of the mean depth of a job.
 *   iodepth_submit, iodepth_complete, ctx, majf, minf, merges and ticks of disk_util: not counted,
 *                 0.
 *   sync          of all jobs together, in the first entry of a sample; of "jobs" each one's own.
 *   usr_cpu, sys_cpu  the engine's, as fio averages them: per job's second.
 *   metadata      samples of metadata workloads are left out: fio has no job of several operations
 *                 on files, and its filecreate and filestat tell of "reads" that were none.
 *   disk_util     sums over the samples' measured windows.
 */
#ifndef SERVER_CODEC_RESULT_FIO_H
#define SERVER_CODEC_RESULT_FIO_H

#include <jansson.h>

#include "engine/result.h"

/* NULL: no memory. */
json_t *result_fio(const struct result *result);

#endif
