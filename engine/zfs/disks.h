/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * disks.h - bytes that the disks beneath a pool have moved. Control thread.
 *
 * Disks and partitions are counted by Linux (/sys/dev/block/M:m/stat: what really went to them, of
 * whomever). Where the whole pool lies on files, OpenZFS counts (vdev properties read_bytes and
 * write_bytes, vdevprops(7), from 2.2). Cache devices are left out: what they move is neither data
 * written nor data read from the pool.
 */
#ifndef ENGINE_ZFS_DISKS_H
#define ENGINE_ZFS_DISKS_H

#include <stdint.h>

#include "engine/zfs/pool.h"

struct zfs_disks {
	uint64_t read_bytes, written_bytes; /* data, special and dedup */
	uint64_t log_written_bytes;	    /* separate log devices */
};

/* NULL, or in words why it cannot be known (a constant); *ret_disks is set on success. */
const char *zfs_disks_read(const struct zfs_pool *pool, struct zfs_disks *ret_disks);

/* Sums the lines "NAME<tab>read_bytes<tab>VALUE" (and write_bytes) of those whose names are paths:
 * the files of a pool, as `zpool get -Hp -o name,property,value` lists them. False where no file
 * has both. */
bool zfs_disks_parse(const char *text, struct zfs_disks *ret_disks);

#endif
