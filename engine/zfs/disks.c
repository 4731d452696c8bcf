/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * disks.c - see disks.h.
 *
 * Fields of /sys/dev/block/M:m/stat, from 1: 3 is sectors read, 7 sectors written
 * (Documentation/block/stat.rst); a sector is 512 bytes whatever the device's blocks are.
 */
#include "engine/zfs/disks.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "engine/zfs/command.h"

#define SECTOR_BYTES 512

static bool parse_stat(FILE *file, uint64_t *ret_read, uint64_t *ret_written)
{
	uint64_t read_sectors, written_sectors;

	if (fscanf(file, "%*u %*u %" SCNu64 " %*u %*u %*u %" SCNu64, &read_sectors,
		   &written_sectors) != 2)
		return false;
	return !__builtin_mul_overflow(read_sectors, SECTOR_BYTES, ret_read) &&
	       !__builtin_mul_overflow(written_sectors, SECTOR_BYTES, ret_written);
}

static bool block_bytes(dev_t device, uint64_t *ret_read, uint64_t *ret_written)
{
	char path[64];
	FILE *file;
	bool known;

	(void)snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat", major(device),
		       minor(device));
	file = fopen(path, "re");
	if (!file)
		return false;
	known = parse_stat(file, ret_read, ret_written);
	(void)fclose(file); /* it was read only */
	return known;
}

/* "NAME\tPROPERTY\tVALUE": adds where it is a file's. */
static bool add_line(const char *line, size_t length, const char *property, uint64_t *sum)
{
	const char *tab = memchr(line, '\t', length), *value;
	size_t name = strlen(property);
	uint64_t bytes;
	int used = 0;

	if (*line != '/' || !tab || strncmp(tab + 1, property, name) != 0 || tab[1 + name] != '\t')
		return false;
	value = tab + 2 + name;
	if (!isdigit((unsigned char)*value) ||
	    sscanf(value, "%20" SCNu64 "%n", &bytes, &used) != 1 || value + used != line + length)
		return false;
	return !__builtin_add_overflow(*sum, bytes, sum);
}

bool zfs_disks_parse(const char *text, struct zfs_disks *ret_disks)
{
	struct zfs_disks disks = {0};
	size_t reads = 0, writes = 0;

	while (*text) {
		size_t length = strcspn(text, "\n");

		reads += add_line(text, length, "read_bytes", &disks.read_bytes);
		writes += add_line(text, length, "write_bytes", &disks.written_bytes);
		text += length + (text[length] == '\n');
	}
	if (reads == 0 || reads != writes)
		return false;
	*ret_disks = disks;
	return true;
}

static const char *read_files(const struct zfs_pool *pool, struct zfs_disks *ret_disks)
{
	const char *const arguments[] = {"get",
					 "-Hp",
					 "-o",
					 "name,property,value",
					 "read_bytes,write_bytes",
					 pool->facts.pool,
					 "all-vdevs",
					 NULL};
	struct zfs_output output;
	struct error err;
	bool known;

	if (!zfs_version_at_least(2, 2))
		return "The pool lies on files, which OpenZFS counts from 2.2 only.";
	if (zfs_run(ZFS_PROGRAM_ZPOOL, arguments, &zfs_patience_ask, &output, &err) < 0)
		return "OpenZFS did not tell what its files moved.";
	known = output.status == 0 && zfs_disks_parse(output.out, ret_disks);
	zfs_output_done(&output);
	return known ? NULL : "OpenZFS did not tell what its files moved.";
}

/* Whether all of it is data on files: of a log or cache on a file nobody says which it is. */
static bool all_files(const struct zfs_pool *pool)
{
	for (size_t i = 0; i < pool->leaf_count; i++)
		if (pool->leaves[i].device != 0 || pool->leaves[i].class != ZFS_VDEV_DATA)
			return false;
	return true;
}

const char *zfs_disks_read(const struct zfs_pool *pool, struct zfs_disks *ret_disks)
{
	struct zfs_disks disks = {0};

	if (pool->leaf_count == 0)
		return "The disks of the pool are not known.";
	if (all_files(pool))
		return read_files(pool, ret_disks);
	for (size_t i = 0; i < pool->leaf_count; i++) {
		const struct zfs_leaf *leaf = &pool->leaves[i];
		uint64_t read_bytes = 0, written_bytes = 0;

		if (leaf->class == ZFS_VDEV_CACHE)
			continue;
		if (leaf->device == 0)
			return "Part of the pool lies on files, part on disks.";
		if (!block_bytes(leaf->device, &read_bytes, &written_bytes))
			return "Not all disks of the pool have counters.";
		if (leaf->class == ZFS_VDEV_LOG) {
			disks.log_written_bytes += written_bytes;
			continue;
		}
		disks.read_bytes += read_bytes;
		disks.written_bytes += written_bytes;
	}
	*ret_disks = disks;
	return NULL;
}
