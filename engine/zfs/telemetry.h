/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * telemetry.h - what OpenZFS does beside one sample, from before its load to after it.
 *
 *   zfs_telemetry_new()     whose it is: a zvol or dataset, its pool and the disks beneath
 *   zfs_telemetry_begin()   `zpool sync`; what it holds and how it is set; counters of the disks
 *   zfs_telemetry_window()  at the window's two ends: counters of ARC. Some tens of microseconds of
 *                           the control thread; the load goes on meanwhile
 *   zfs_telemetry_end()     `zpool sync` again; counters of the disks
 *
 * Between the two syncs all that the load wrote goes to the disks, with what belongs to it:
 * metadata, parity, copies, the intent log. What others do with the same pool is counted too.
 *
 * What cannot be read is not known, never zero, and the sample goes on: sample_zfs.pool.reason says
 * why. `zpool sync` needs no privilege beyond /dev/zfs (zfs_ioctl.c: zfs_secpolicy_none); where it
 * is refused all the same, or hangs beyond ZFS_TELEMETRY_SYNC_MS, the pool's figures are not known.
 * Only a cancel and the lack of memory are errors.
 *
 * Control thread.
 */
#ifndef ENGINE_ZFS_TELEMETRY_H
#define ENGINE_ZFS_TELEMETRY_H

#include <stdbool.h>

#include "engine/base/error.h"
#include "engine/zfs/command.h"
#include "engine/zfs/sample_zfs.h"

/* A full dirty_data_max (4 GiB) goes out in this even to one slow disk. */
#define ZFS_TELEMETRY_SYNC_MS (5 * 60 * 1000)

struct zfs_telemetry;

/* The pool is read again for each sample: a disk may have been replaced. -ENOMEM. */
MUST_CHECK int zfs_telemetry_new(const char *dataset, bool volume,
				 struct zfs_telemetry **ret_telemetry, struct error *err);
void zfs_telemetry_free(struct zfs_telemetry *telemetry);

/* Who may end a sync early, and what is called while it takes; deadline_ms is not looked at.
 * *zfs is to be as sample_zfs_init() leaves it, and is filled. -ECANCELED, -ENOMEM. */
MUST_CHECK int zfs_telemetry_begin(struct zfs_telemetry *telemetry,
				   const struct zfs_patience *patience, struct sample_zfs *zfs,
				   struct error *err);

/* Whether what it holds was told after a sync: before one, what was written lately is not counted.
 */
bool zfs_telemetry_settled(const struct zfs_telemetry *telemetry);

void zfs_telemetry_window(struct zfs_telemetry *telemetry, bool begins);

/* Fills arc and pool; asked_ are the caller's. -ECANCELED. */
MUST_CHECK int zfs_telemetry_end(struct zfs_telemetry *telemetry,
				 const struct zfs_patience *patience, struct sample_zfs *zfs,
				 struct error *err);

#endif
