/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * summary_zfs.h - what a terminal is told of OpenZFS behind a result's table: the pool, how much of
 * each cell reached its disks, and what was made. What is not known is "unknown", never zero.
 */
#ifndef SERVER_SUMMARY_ZFS_H
#define SERVER_SUMMARY_ZFS_H

#include <stdio.h>

#include "engine/analysis/cells.h"
#include "engine/zfs/pool.h"

/* Of a result without any of it nothing. -ENOMEM. */
MUST_CHECK int summary_zfs(const struct cells *cells, FILE *out, size_t width);

/* "Pool tank on OpenZFS 2.3.2: 4 x mirror of 2, ashift 12, 4 TiB of 7 TiB free, 11 % fragmented,
 * ONLINE; for a zvol there TrueNAS recommends volblocksize=16K"; heap, NULL on no memory. */
char *summary_pool_text(const struct zfs_facts *facts);

#endif
