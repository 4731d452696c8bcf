/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sample_zfs.h - what a sample says of OpenZFS, where its target lies on it: plain figures. Filled
 * by zfs/telemetry.c; part of struct sample (engine/sample.h).
 */
#ifndef ENGINE_ZFS_SAMPLE_ZFS_H
#define ENGINE_ZFS_SAMPLE_ZFS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/plan/target_spec.h"
#include "engine/zfs/name.h"

/* Differences over the measured window, of the whole machine's ARC: others' reads are among them.
 * Accesses and reads are of blocks (volblocksize, recordsize), not of requests. */
struct zfs_arc_delta {
	bool known;
	uint64_t demand_data_hits; /* those that met a read under way (iohits) among them */
	uint64_t demand_data_misses;
	uint64_t prefetch_data_misses;
	uint64_t l2_hits, l2_misses;
	uint64_t direct_reads;		     /* of the pool: O_DIRECT around ARC, from 2.3 */
	uint64_t size_bytes, size_max_bytes; /* at the window's end; its limit (c_max) */
};

/*
 * Between two `zpool sync`, one before the sample's load begins and one when all of it is over: of
 * the disks the pool lies on, and of the sample itself, ramp and window together.
 */
struct zfs_pool_delta {
	bool known;	  /* false: there was no sync, or not all of its disks have counters */
	char reason[128]; /* why it is not known; "" where it is */
	uint64_t read_bytes, written_bytes; /* data disks */
	uint64_t log_written_bytes;	    /* of separate log devices */
	uint64_t asked_read_bytes, asked_written_bytes;
	uint64_t
		txgs; /* transaction groups synced, some of them by the second sync; 0: not known */
	uint64_t dirty_bytes; /* the most that one of them held; 0: not known */
};

struct sample_zfs {
	char dataset[ZFS_NAME_BYTES]; /* the zvol or dataset */
	bool volume;
	char version[64];
	struct properties properties; /* as found: volblocksize or recordsize, compression, ... */
	/* Before the sample: what it reads and writes of it (of a zvol up to the end of its
	 * regions, or the files' sizes); what that takes (`referenced` of a zvol; blocks of the
	 * files); `logicalreferenced`, which has no holes, and `refcompressratio` of the whole; 0
	 * where not known. */
	uint64_t size_bytes, written_bytes, logical_bytes;
	double compress_ratio;
	double used_percent;	      /* of the pool; -1: not known */
	double fragmentation_percent; /* of its free space; -1: not known */
	double txg_timeout_s;	      /* zfs_txg_timeout; 0: not known */
	/* Requests that meet one block one right after the other: block size / request size where
	 * reads are sequential and smaller than a block; else 1. 0 is taken for 1. */
	double accesses_a_block;
	/* Writes in the window that were smaller than a block, each of which reads the rest of it.
	 */
	uint64_t partial_writes;
	struct zfs_arc_delta arc;
	struct zfs_pool_delta pool;
};

/* All zero, figures of which zero is one not known. */
void sample_zfs_init(struct sample_zfs *zfs);

/*
 * 0 to 1: the share of reads that reached the devices; -1 where there were none or it is not known.
 *
 *   min(1, ((demand misses + prefetch misses) x accesses_a_block + direct reads) /
 *          (demand hits less partial_writes + demand misses + direct reads))
 *
 * A block that was fetched ahead is a hit when it is asked for, though it came from the devices all
 * the same: counted by demand misses alone, sequential reads with primarycache=metadata would seem
 * to come from memory (998 hits of 1000 were measured where 16 MB of 16 MB were read from the
 * disks). A sequential reader of 4k meets each 16k block four times, and only the first can reach a
 * device (250 misses and 750 hits of 1000, without prefetch). A write of a part of a block asks for
 * the block twice, when its transaction is assigned and when it is carried out
 * (dmu_tx_check_ioerr() and dmu_buf_hold_array_by_dnode(), module/zfs/dmu_tx.c and dmu.c), and the
 * second time is a hit (473 hits and 473 misses of 490 such writes and not one read, with
 * primarycache=metadata), which is no read that memory served. What prefetch fetches and nobody
 * asks for makes the share too large, never too small. Reads from L2ARC, which is a device, are
 * among the misses. With primarycache=metadata a block that was just read stays in memory for some
 * hundredths of a second all the same, and random requests smaller than a block may meet it there:
 * that is told as it is (2.5 % of 4k reads, 1,400 a second, over 64 MiB of 16k blocks; 0.5 % of
 * those over 256 MiB; more with more reads a second). Counters: arcstats, and direct_read_count of
 * the pool's iostats.
 */
double sample_zfs_from_devices(const struct sample_zfs *zfs);

/* Bytes written to the pool's disks, logs among them, for each byte the sample wrote; -1 where it
 * wrote none or it is not known. */
double sample_zfs_write_amplification(const struct sample_zfs *zfs);

/* Bytes read from the pool's data disks for each byte the sample read; -1 as above. */
double sample_zfs_read_amplification(const struct sample_zfs *zfs);

void sample_zfs_done(struct sample_zfs *zfs);

#endif
