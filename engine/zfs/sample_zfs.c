/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sample_zfs.c - see sample_zfs.h. */
#include "engine/zfs/sample_zfs.h"

void sample_zfs_init(struct sample_zfs *zfs)
{
	*zfs = (struct sample_zfs){.used_percent = -1, .fragmentation_percent = -1};
}

double sample_zfs_from_devices(const struct sample_zfs *zfs)
{
	const struct zfs_arc_delta *arc = &zfs->arc;
	double direct = (double)arc->direct_reads;
	double fetched = (double)arc->demand_data_misses + (double)arc->prefetch_data_misses;
	double hits = (double)arc->demand_data_hits - (double)zfs->partial_writes;
	double all = (hits > 0 ? hits : 0) + (double)arc->demand_data_misses + direct;
	double reached = fetched * (zfs->accesses_a_block > 1 ? zfs->accesses_a_block : 1) + direct;

	if (!arc->known || arc->demand_data_hits + arc->demand_data_misses + arc->direct_reads == 0)
		return -1;
	if (all <= 0) /* no more than what writes asked for again, all of it in ARC */
		return 0;
	return reached < all ? reached / all : 1;
}

double sample_zfs_write_amplification(const struct sample_zfs *zfs)
{
	const struct zfs_pool_delta *pool = &zfs->pool;

	if (!pool->known || pool->asked_written_bytes == 0)
		return -1;
	return (double)(pool->written_bytes + pool->log_written_bytes) /
	       (double)pool->asked_written_bytes;
}

double sample_zfs_read_amplification(const struct sample_zfs *zfs)
{
	const struct zfs_pool_delta *pool = &zfs->pool;

	if (!pool->known || pool->asked_read_bytes == 0)
		return -1;
	return (double)pool->read_bytes / (double)pool->asked_read_bytes;
}

void sample_zfs_done(struct sample_zfs *zfs)
{
	properties_done(&zfs->properties);
}
