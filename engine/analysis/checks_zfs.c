/* SPDX-License-Identifier: GPL-3.0-or-later */
/* checks_zfs.c - see checks_zfs.h. */
#include "engine/analysis/checks_zfs.h"

#include <stdio.h>
#include <string.h>

#include "engine/zfs/dataset.h"

/* A target that was filled holds all of its blocks, and metadata beside them. A tenth less than its
 * size is more than the last, partial blocks of files can lack. */
#define WRITTEN_SHARE 0.9

/* Random data do not shrink; what OpenZFS says of them is 1.00 to 1.01. */
#define COMPRESS_RATIO 1.05

/* Of which less than half reached the devices: the figure is mostly that of memory. */
#define DEVICES_SHARE 0.5

/* Above 80 % OpenZFS looks longer for space and writes less in a row: the rule of thumb of its
 * documentation (Workload Tuning, "Free Space"). */
#define USED_PERCENT 80.0

/* Half of the free space is in pieces: new blocks no longer lie one behind another. */
#define FRAGMENTATION_PERCENT 50.0

/* Writes are held in memory until their transaction group is synced, every zfs_txg_timeout seconds
 * where dirty data do not ask for it sooner; what is written in the first ones alone has not yet
 * been slowed down by the disks (zfs(4), zfs_txg_timeout and zfs_dirty_data_max). */
#define TXGS 3

/* Groups that the sync behind the load brings about by itself: txg_wait_synced() of
 * module/zfs/txg.c waits for TXG_DEFER_SIZE, 2, beyond the open one. */
#define TXGS_OF_SYNC 3

#define MIB (1024.0 * 1024)

struct check {
	struct sample *sample;
	const struct sample_zfs *zfs;
	const char *cell; /* or NULL */
};

static int add(const struct check *check, enum finding_severity severity, const char *code,
	       const char *expected, const char *found, const char *message)
{
	return findings_add(&check->sample->findings, severity, code, check->sample->workload,
			    check->cell, expected, found, "%s", message);
}

static const char *property(const struct check *check, const char *name)
{
	const char *value = properties_get(&check->zfs->properties, name);

	return value ? value : "";
}

static bool first_repeat(const struct check *check)
{
	return check->sample->repeat <= 1;
}

/* Of which the plan knows how it is made. */
static bool is_runs_own(const struct check *check)
{
	const char *slash = strrchr(check->zfs->dataset, '/');

	return slash && strncmp(slash + 1, ZFS_MADE_PREFIX, strlen(ZFS_MADE_PREFIX)) == 0;
}

static bool any_direct(const struct workload *options)
{
	for (size_t i = 0; i < workload_parts(options); i++)
		if (workload_part(options, i)->direct)
			return true;
	return false;
}

/* Whether a write waits for the disk, by any of the ways to say so. */
static bool any_synced(const struct workload *options)
{
	for (size_t i = 0; i < workload_parts(options); i++) {
		const struct workload *part = workload_part(options, i);

		if (part->sync != SYNC_NONE || part->fsync > 0 || part->fdatasync > 0 ||
		    part->end_fsync)
			return true;
	}
	return false;
}

static bool asks_for_compressible(const struct workload *options)
{
	for (size_t i = 0; i < workload_parts(options); i++) {
		const struct workload *part = workload_part(options, i);

		if (part->zero_buffers || part->buffer_compress_percentage > 0)
			return true;
	}
	return false;
}

/* What stands for written: of a zvol the logical size, which holes are not in, compressed or not;
 * of files the space they take, which compression lowers too. */
static int check_written(const struct check *check)
{
	const struct sample_zfs *zfs = check->zfs;
	double written = (double)(zfs->volume ? zfs->logical_bytes : zfs->written_bytes);
	double size = (double)zfs->size_bytes;
	char expected[64], found[64];

	if (!sample_moves(check->sample, DIRECTION_READ) || zfs->size_bytes == 0 ||
	    written >= size * WRITTEN_SHARE)
		return 0;
	if (!zfs->volume && zfs->compress_ratio > COMPRESS_RATIO)
		return 0;
	(void)snprintf(expected, sizeof(expected), "%.4g MiB written", size / MIB);
	(void)snprintf(found, sizeof(found), "%.4g MiB", written / MIB);
	return add(check, FINDING_WARNING, "unwritten_volume", expected, found,
		   "Much of what was read had never been written, or held zeros: OpenZFS answers "
		   "such reads from its metadata, without a disk, so these are no figures of the "
		   "pool. Fill the target with random data first.");
}

static int check_compressed(const struct check *check)
{
	const struct sample_zfs *zfs = check->zfs;
	bool asked = asks_for_compressible(&check->sample->options);
	char found[96];

	if (!sample_moves(check->sample, DIRECTION_READ) || zfs->compress_ratio <= COMPRESS_RATIO)
		return 0;
	(void)snprintf(found, sizeof(found), "%.2f with compression=%s", zfs->compress_ratio,
		       property(check, "compression"));
	return add(check, asked ? FINDING_INFO : FINDING_WARNING, "compressed_data",
		   "compressratio 1.00", found,
		   asked ? "The data are compressible, as the workload asks: the disks move less "
			   "than the figures say."
			 : "What was read is compressed: the disks moved less than the figures "
			   "say. Use random data, or compression=off.");
}

static int check_arc(const struct check *check)
{
	const struct sample_zfs *zfs = check->zfs;
	double share = sample_zfs_from_devices(zfs);
	const char *cached = property(check, "primarycache");
	char found[96], message[ERROR_MESSAGE_MAX], fits[96] = "";

	if (!sample_moves(check->sample, DIRECTION_READ) ||
	    sample_moves(check->sample, DIRECTION_WRITE) || share < 0 || share >= DEVICES_SHARE)
		return 0;
	(void)snprintf(found, sizeof(found), "%.1f %% with primarycache=%s", share * 100, cached);
	if (zfs->size_bytes > 0 && zfs->size_bytes <= zfs->arc.size_max_bytes)
		(void)snprintf(fits, sizeof(fits), " (%.4g MiB fit into its %.4g MiB)",
			       (double)zfs->size_bytes / MIB,
			       (double)zfs->arc.size_max_bytes / MIB);
	(void)snprintf(message, sizeof(message),
		       "Most reads were answered from memory, by ARC%s: the figures are not those "
		       "of the pool's devices. Set primarycache=metadata to measure them, or use "
		       "more data than memory.",
		       fits);
	return add(check, FINDING_WARNING, "reads_from_arc", "more than 50 % from the devices",
		   found, message);
}

static int check_sync(const struct check *check)
{
	const struct sample *sample = check->sample;

	if (strcmp(property(check, "sync"), "disabled") != 0 || !first_repeat(check) ||
	    !sample_moves(sample, DIRECTION_WRITE) || !any_synced(&sample->options))
		return 0;
	return add(check, FINDING_WARNING, "sync_disabled", "sync=standard or sync=always",
		   "sync=disabled",
		   "Synced writes come back before they are on any disk, and seconds of them are "
		   "lost with the power: these are not the figures of safe writes.");
}

static int check_direct_volume(const struct check *check)
{
	const char *cached = property(check, "primarycache");
	char found[64];

	if (!check->zfs->volume || is_runs_own(check) || strcmp(cached, "all") != 0 ||
	    !sample_moves(check->sample, DIRECTION_READ))
		return 0;
	(void)snprintf(found, sizeof(found), "primarycache=%s", cached);
	return add(check, FINDING_INFO, "direct_on_zvol", "primarycache=metadata", found,
		   "direct=1 on a zvol goes around Linux's page cache, never around ARC "
		   "(zfsprops(7)): what was read lately is answered from memory.");
}

/* zfsprops(7), "direct", of 2.3; before that O_DIRECT is taken and means nothing. */
static const char *direct_meaning(const struct check *check)
{
	const char *direct = property(check, "direct");

	if (!direct[0])
		return "This version of OpenZFS takes O_DIRECT and goes through ARC all the same: "
		       "direct=1 changes nothing here.";
	if (strcmp(direct, "disabled") == 0)
		return "The dataset has direct=disabled: O_DIRECT is taken and goes through ARC "
		       "all the same.";
	return "O_DIRECT goes around ARC here, where requests are aligned to pages, and writes "
	       "where they cover whole records; other requests go through ARC.";
}

static int check_direct_dataset(const struct check *check)
{
	const char *direct = property(check, "direct");
	char found[128];

	if (check->zfs->volume || check->zfs->properties.count == 0) /* not known */
		return 0;
	(void)snprintf(found, sizeof(found), "OpenZFS %s, %s%s", check->zfs->version,
		       direct[0] ? "direct=" : "no property direct", direct);
	return add(check, FINDING_INFO, "direct_on_dataset", "direct=1", found,
		   direct_meaning(check));
}

static int check_direct(const struct check *check)
{
	int r;

	if (!first_repeat(check) || !any_direct(&check->sample->options))
		return 0;
	r = check_direct_volume(check);
	return r < 0 ? r : check_direct_dataset(check);
}

static int check_txgs(const struct check *check)
{
	const struct sample *sample = check->sample;
	const struct sample_zfs *zfs = check->zfs;
	double seconds = sample->ramp_seconds + sample->seconds;
	double least = TXGS * zfs->txg_timeout_s;
	char expected[96], found[64];

	if (!first_repeat(check) || !sample_moves(sample, DIRECTION_WRITE) ||
	    any_synced(&sample->options) || sample->file_count > 0 || seconds >= least ||
	    zfs->pool.txgs > TXGS + TXGS_OF_SYNC)
		return 0;
	(void)snprintf(expected, sizeof(expected), "%.3g s: %d transaction groups", least, TXGS);
	(void)snprintf(found, sizeof(found), "%.3g s", seconds);
	return add(check, FINDING_INFO, "few_txgs", expected, found,
		   "OpenZFS gathers writes in memory and writes them out in transaction groups, "
		   "some seconds of them together: so short a sample is mostly of memory. Use a "
		   "longer runtime, or a ramp.");
}

static int check_pool(const struct check *check)
{
	const struct sample_zfs *zfs = check->zfs;
	char found[64];
	int r = 0;

	if (!first_repeat(check))
		return 0;
	if (zfs->used_percent > USED_PERCENT) {
		(void)snprintf(found, sizeof(found), "%.1f %% used", zfs->used_percent);
		r = add(check, FINDING_WARNING, "pool_nearly_full", "80 % at most", found,
			"The pool is nearly full, where OpenZFS writes slower the fuller it gets: "
			"compare with nothing measured on an emptier one.");
	}
	if (r < 0 || zfs->fragmentation_percent <= FRAGMENTATION_PERCENT)
		return r;
	(void)snprintf(found, sizeof(found), "%.0f %%", zfs->fragmentation_percent);
	return add(check, FINDING_WARNING, "pool_fragmented", "50 % at most", found,
		   "Most of the pool's free space is in small pieces: new data lie scattered, and "
		   "a new pool would be faster.");
}

int checks_zfs(struct sample *sample, const char *cell)
{
	static int (*const checks[])(const struct check *check) = {
		check_written, check_compressed, check_arc,  check_sync,
		check_direct,  check_txgs,	 check_pool,
	};
	const struct check check = {sample, sample->zfs, *cell ? cell : NULL};
	int r = 0;

	for (size_t i = 0; sample->zfs && i < ARRAY_SIZE(checks) && r == 0; i++)
		r = checks[i](&check);
	return r;
}
