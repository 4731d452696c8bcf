/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * checks.h - does a sample agree with itself and with what was asked?
 *
 * Adds findings to the sample; the thresholds stand with their reasons in checks*.c:
 *   io_errors            operations failed; what was measured is not the whole
 *   verify_failed        what was read back is not what was written
 *   verify_incomplete    blocks that could not be checked, since their last write failed
 *   mix_off              reads among the operations, asked against got
 *   time_short           runtime asked against time run
 *   time_long            the same, of another tool's
 *   drain_long           the last operations took long after time was over
 *   size_mismatch        operations x request size against bytes, IOPS x it against bandwidth
 *   device_bytes_differ  device bytes far from application bytes with direct
 *   reads_from_cache     buffered reads that never reached the device
 *   depth_not_reached    operations outstanding, asked against reached
 *   rate_not_kept        less was done than the rate asks for
 *   steadystate_attained, steadystate_not_attained
 *   not_steady           the target was not in a steady state (steady.h)
 *   device_queue_short   what was outstanding did not wait at the device
 *   served_one_at_a_time more outstanding got no more done than one at a time
 *   littles_law          depth against IOPS x latency
 *   no_operations        nothing was done one way
 *   few_operations       too few for the 99th percentile
 *   phase_too_quick      phases of files over too soon
 *   percentiles_unsupported  told percentiles that fewer than ten slower operations stand for
 *   latency_order        told latencies that do not rise from least over mean to most
 * and those of checks_zfs.h, where it lies on OpenZFS. Each names workload and cell, what was
 * expected and what was found.
 *
 * Of a sample that another tool measured (told.h) each check takes for known only what was told,
 * and says nothing where that is not enough. Figures are held against each other as far as their
 * printed digits leave them open.
 */
#ifndef ENGINE_ANALYSIS_CHECKS_H
#define ENGINE_ANALYSIS_CHECKS_H

#include "engine/sample.h"

/* Once for a sample; its options are completed, unless it has a source. -ENOMEM. */
MUST_CHECK int checks_sample(struct sample *sample);

#endif
