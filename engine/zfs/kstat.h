/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kstat.h - the counters of OpenZFS in /proc/spl/kstat/zfs.
 *
 * A kstat is a line of numbers, a line of column names, and a line a value. Named ones ("arcstats",
 * "POOL/iostats") have name, type, value; "POOL/txgs" a line a transaction group. What is not there
 * or is no number counts as not known: names come and go between versions (iohits came with 2.2,
 * direct reads with 2.3). The texts are judged as anybody's.
 *
 * Any thread. Nothing is allocated.
 */
#ifndef ENGINE_ZFS_KSTAT_H
#define ENGINE_ZFS_KSTAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/macros.h"

/* Larger than arcstats (7 KiB) and the usual history of txgs (100, 14 KiB). */
#define KSTAT_BYTES 32768

/* The text of one of them ("arcstats", "tank/txgs"); of one that is longer its end, which may begin
 * within a line. -errno; -ENOENT without OpenZFS, or where it has no such kstat. */
MUST_CHECK int kstat_read(const char *name, char *buffer, size_t size);

/* A value of a named kstat; false where it is not there, or no number of 64 bits. */
bool kstat_value(const char *text, const char *name, uint64_t *ret_value);

/* What arcstats says (module/zfs/arc.c: ARCSTAT_CONDSTAT); counters go on for ever. */
struct kstat_arc {
	uint64_t demand_data_hits, demand_data_iohits, demand_data_misses;
	uint64_t prefetch_data_misses;
	uint64_t l2_hits, l2_misses;
	uint64_t size, c_max;
};

/* False where its demand_data_hits or _misses are not there; what else is missing is 0. */
bool kstat_arc(const char *text, struct kstat_arc *ret_arc);

/* What txgs (module/zfs/spa_stats.c; zfs_txg_history of them are kept, none where that is 0) says
 * of those that are synced (state C). */
struct kstat_txgs {
	uint64_t newest;      /* its number */
	uint64_t dirty_bytes; /* the most that one of them held that is newer than `after` */
};

/* False where it tells of none. */
bool kstat_txgs(const char *text, uint64_t after, struct kstat_txgs *ret_txgs);

#endif
