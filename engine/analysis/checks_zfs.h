/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * checks_zfs.h - what OpenZFS did to a sample that its reader should know; nothing where the sample
 * does not lie on it. The thresholds stand with their reasons in checks_zfs.c:
 *   unwritten_volume   reads meet what was never written: OpenZFS answers them without a disk
 *   compressed_data    what is read is smaller on the disks than what is counted
 *   reads_from_arc     a read test of which less than half reached the devices
 *   sync_disabled      synced writes come back before they are on a disk
 *   direct_on_zvol     O_DIRECT leaves ARC in the way (of zvols that are not the run's own: of its
 *                      own the plan says so)
 *   direct_on_dataset  what O_DIRECT means in this version, with this property
 *   few_txgs           writes of less time than OpenZFS gathers them for
 *   pool_nearly_full, pool_fragmented
 * Those that say the same of each repeat are told of the first.
 */
#ifndef ENGINE_ANALYSIS_CHECKS_ZFS_H
#define ENGINE_ANALYSIS_CHECKS_ZFS_H

#include "engine/sample.h"

/* cell: "bs=4k, iodepth=32", or "". Of checks_sample(). -ENOMEM. */
MUST_CHECK int checks_zfs(struct sample *sample, const char *cell);

#endif
