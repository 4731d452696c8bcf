/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pool.h - what is known of a pool: its space, layout, health. Control thread. */
#ifndef ENGINE_ZFS_POOL_H
#define ENGINE_ZFS_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/base/error.h"
#include "engine/zfs/name.h"

enum zfs_vdev_class { ZFS_VDEV_DATA, ZFS_VDEV_LOG, ZFS_VDEV_CACHE };

/* A disk, partition or file at the bottom of the pool. */
struct zfs_leaf {
	enum zfs_vdev_class class; /* special and dedup are data; spares are left out */
	dev_t device;		   /* 0: a file */
};

/* What a plan, a result and a report say of it: plain, to be copied. */
struct zfs_facts {
	char pool[ZFS_NAME_BYTES]; /* "": the target does not lie on OpenZFS */
	char version[64];	   /* of the kernel module: "2.3.2-1~bpo12+2" */
	char health[32];	   /* "ONLINE" */
	bool readonly;
	uint64_t size_bytes, free_bytes;
	double fragmentation_percent; /* -1: not known */
	/* Of the data vdevs. 0: they differ; or not known, as before 2.2 for a pool that was made
	 * without naming it. */
	unsigned int ashift;
	/* "2 x mirror of 2", "raidz2 of 6", "draid2:4d:11c:1s", "4 x disk"; other classes follow:
	 * "disk; special: mirror of 2; logs: disk; cache: disk". */
	char layout[128];
	bool parity; /* raidz or dRAID */
	/* What TrueNAS recommends for a zvol there: 16K on mirrors and disks; on RAIDZ data disks x
	 * 8K, up to the next power of two, at least 16K, at most 128K; dRAID at least 32K. 0: not
	 * known. */
	uint64_t recommended_volblocksize;
};

struct zfs_pool {
	struct zfs_facts facts;
	size_t leaf_count;
	struct zfs_leaf *leaves; /* heap */
};

/* TARGET_MISSING with -ENOENT where it is not imported. */
MUST_CHECK int zfs_pool_read(const char *pool, struct zfs_pool *ret_pool, struct error *err);
void zfs_pool_done(struct zfs_pool *pool);

/* The version of the loaded module, "" without one; buffer of 64. */
const char *zfs_version(char buffer[64]);
/* Whether the loaded module is at least this ("2.3"). */
bool zfs_version_at_least(unsigned int major, unsigned int minor);

#endif
