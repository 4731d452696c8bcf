/* SPDX-License-Identifier: GPL-3.0-or-later */
/* volume_look.c - volume_look() of volume.h: what can be known of a zvol or dataset before. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "engine/plan/quantity.h"
#include "engine/target/volume.h"
#include "engine/zfs/dataset.h"
#include "engine/zfs/privileges.h"

/* A zvol's (ZVOL_OBJ's queue limits), and the least that files take. */
#define BLOCK_BYTES 512

/* Of a zvol in a pool without the feature large_blocks. */
#define LARGEST_BLOCK (UINT64_C(128) << 10)

/* What is asked of the parent. */
enum { ASKED_TYPE, ASKED_AVAILABLE, ASKED_READONLY, ASKED_DIRECT, ASKED_RECORDSIZE, ASKED_COUNT };

static const char *const asked[ASKED_COUNT] = {
	[ASKED_TYPE] = "type",	   [ASKED_AVAILABLE] = "available",   [ASKED_READONLY] = "readonly",
	[ASKED_DIRECT] = "direct", [ASKED_RECORDSIZE] = "recordsize",
};

static const char *kind_text(enum target_kind kind)
{
	return kind == TARGET_ZVOL ? "a zvol" : "a dataset";
}

/* ---- the parent ---- */

static const char *value_of(const struct zfs_value *values, size_t index)
{
	return values[index].value ? values[index].value : "";
}

static int check_parent(const struct target_spec *spec, const struct zfs_value *values,
			struct target_info *info, struct error *err)
{
	if (strcmp(value_of(values, ASKED_TYPE), "filesystem") != 0)
		return error_set(err, ERROR_TARGET_TYPE, "",
				 "%s is a %s; the parent of what is made must be a file system",
				 spec->path, value_of(values, ASKED_TYPE));
	if (strcmp(value_of(values, ASKED_READONLY), "on") == 0)
		return error_set(err, ERROR_TARGET_READ_ONLY, "",
				 "%s has readonly=on, as %s made beneath it would have; "
				 "`zfs set readonly=off %s` ends that",
				 spec->path, kind_text(spec->kind), spec->path);
	if (!zfs_number(values[ASKED_AVAILABLE].value, &info->free_bytes))
		return error_set(err, ERROR_ZFS_FAILED, "",
				 "OpenZFS does not tell what is available to %s", spec->path);
	return 0;
}

/* ---- the pool ---- */

static int tell_degraded(const struct zfs_facts *facts, struct findings *findings)
{
	if (!findings || strcmp(facts->health, "ONLINE") == 0)
		return 0;
	return findings_add(findings, FINDING_WARNING, "pool_degraded", NULL, NULL, NULL, NULL,
			    "The pool %s is %s: what is measured is its speed in that state.",
			    facts->pool, facts->health);
}

static int check_pool(const struct target_spec *spec, struct target_info *info,
		      struct findings *findings, struct error *err)
{
	const struct zfs_facts *facts = &info->zfs;
	char name[ZFS_NAME_BYTES];
	struct zfs_pool pool;
	int r = zfs_pool_read(zfs_name_pool(spec->path, name), &pool, err);

	if (r < 0)
		return r;
	info->zfs = pool.facts;
	zfs_pool_done(&pool);
	if (strcmp(facts->health, "ONLINE") != 0 && strcmp(facts->health, "DEGRADED") != 0)
		return error_set(err, ERROR_ZFS_FAILED, "",
				 "the pool %s is %s; see `zpool status %s`", facts->pool,
				 facts->health, facts->pool);
	if (facts->readonly)
		return error_set(err, ERROR_TARGET_READ_ONLY, "",
				 "the pool %s is imported read-only", facts->pool);
	return tell_degraded(facts, findings) < 0 ? error_no_memory(err) : 0;
}

/* ---- what is made ---- */

static int check_size(const struct target_spec *spec, const struct target_need *need,
		      struct target_info *info, struct error *err)
{
	uint64_t size = spec->size_bytes ? spec->size_bytes : need->bytes;

	if (size == 0)
		return error_set(err, ERROR_MISSING_FIELD, "size",
				 "a zvol needs a size: its own, or that of its workloads");
	if (size < need->bytes)
		return error_set(err, ERROR_TARGET_TOO_SMALL, "size",
				 "the zvol has %" PRIu64 " bytes and the workloads reach %" PRIu64
				 "; lower size, offset or numjobs, or make it larger",
				 size, need->bytes);
	info->size_bytes = size;
	return 0;
}

/* OpenZFS itself judges size and properties. */
static int try(const struct target_spec *spec, bool volume, uint64_t bytes,
	       const struct properties *properties, uint64_t *ret_reserved, struct error *err)
{
	char name[4096 + 32];
	const struct zfs_creation creation = {
		.name = name,
		.run_id = "look",
		.volume = volume,
		.volsize = bytes,
		.sparse = spec->sparse,
		.mountpoint = "/",
		.properties = properties,
	};

	(void)snprintf(name, sizeof(name), "%s/" ZFS_MADE_PREFIX "look", spec->path); /* fits */
	return zfs_create_dry(&creation, ret_reserved, err);
}

/*
 * What files of so many bytes take, metadata and the padding of RAIDZ included: nobody tells it of
 * a dataset, but of a zvol with blocks of its recordsize (zvol_volsize_to_reservation() of
 * libzfs_dataset.c), which is stored alike. Larger records than every pool takes as a zvol's blocks
 * need no more than those do.
 */
static int weigh_files(const struct target_spec *spec, const struct target_need *need,
		       const struct zfs_value *values, struct target_info *info, struct error *err)
{
	const char *own = properties_get(&spec->properties, "recordsize");
	const char *copies = properties_get(&spec->properties, "copies");
	struct properties like = {0};
	char block[QUANTITY_TEXT_MAX];
	uint64_t record, bytes;
	int r = 0;

	if (__builtin_mul_overflow(need->bytes, need->files, &bytes) ||
	    __builtin_add_overflow(bytes, need->tree_bytes, &bytes) ||
	    __builtin_add_overflow(bytes, LARGEST_BLOCK - 1, &bytes))
		return error_set(err, ERROR_OUT_OF_RANGE, "size",
				 "the files would be larger than 2^64 bytes together");
	bytes -= bytes % LARGEST_BLOCK;
	if (quantity_parse_size(own ? own : value_of(values, ASKED_RECORDSIZE), &record, NULL) <
		    0 ||
	    record > LARGEST_BLOCK)
		record = LARGEST_BLOCK;
	(void)snprintf(block, sizeof(block), "%" PRIu64, record); /* fits */
	if (bytes == 0)
		return 0;
	r = properties_set(&like, "volblocksize", block);
	if (r == 0 && copies)
		r = properties_set(&like, "copies", copies);
	if (r < 0)
		r = error_no_memory(err);
	else
		r = try(spec, true, bytes, &like, &info->reserved_bytes, err);
	properties_done(&like);
	return r;
}

/*
 * What O_DIRECT means on a dataset (zfsprops(7), "direct", from 2.3): around ARC where requests are
 * whole pages, writes only where they are whole records besides; before, it was accepted and
 * nothing came of it.
 */
static int tell_direct(const struct target_spec *spec, const char *parent_direct, bool around,
		       const struct target_info *info, struct findings *findings)
{
	const char *own = properties_get(&spec->properties, "direct");
	const char *direct = own ? own : parent_direct;
	const char *meaning =
		strcmp(direct, "disabled") == 0
			? "O_DIRECT is accepted and ignored: every request goes through ARC"
			: "O_DIRECT goes around ARC for reads of whole pages and writes of whole "
			  "records; smaller writes go through it";

	if (!findings)
		return 0;
	if (!around)
		return findings_add(findings, FINDING_INFO, "zfs_direct", NULL, NULL, NULL, NULL,
				    "OpenZFS %s has no property direct: on a dataset O_DIRECT is "
				    "accepted and ignored, and every request goes through ARC.",
				    info->zfs.version);
	return findings_add(findings, FINDING_INFO, "zfs_direct", NULL, NULL, NULL, NULL,
			    "OpenZFS %s, direct=%s: on this dataset %s.", info->zfs.version, direct,
			    meaning);
}

/* What files of a dataset are like; probing the mounted one replaces it. They have no FMODE_NOWAIT
 * (zpl_file.c), so reads of them may block, and no polled queue. */
static int foretell_files(const struct target_spec *spec, const struct target_need *need,
			  const struct zfs_value *values, struct target_info *info,
			  struct findings *findings, struct error *err)
{
	bool around = zfs_version_at_least(2, 3);
	const char *own = properties_get(&spec->properties, "direct");
	const char *direct = own ? own : value_of(values, ASKED_DIRECT);
	int r = 0;

	(void)snprintf(info->filesystem, sizeof(info->filesystem), "zfs");
	info->nowait = info->polled = false;
	info->direct = info->discards = true;
	info->logical_block_bytes = around && strcmp(direct, "standard") == 0
					    ? (unsigned int)sysconf(_SC_PAGESIZE)
					    : BLOCK_BYTES;
	if (need->direct)
		r = tell_direct(spec, value_of(values, ASKED_DIRECT), around, info, findings);
	return r < 0 ? error_no_memory(err) : 0;
}

static void foretell_node(struct target_info *info)
{
	info->nowait = info->direct = info->discards = true;
	info->polled = false; /* polled requests end with EOPNOTSUPP */
	info->logical_block_bytes = BLOCK_BYTES;
}

static int look_beneath(const struct target_spec *spec, const struct target_need *need,
			const struct zfs_value *values, struct target_info *info,
			struct findings *findings, struct error *err)
{
	/* that first: in a pool that is read-only every dataset has readonly=on */
	int r = check_pool(spec, info, findings, err);

	if (r == 0)
		r = check_parent(spec, values, info, err);
	if (r == 0 && spec->kind == TARGET_ZVOL)
		r = check_size(spec, need, info, err);
	if (r == 0)
		r = try(spec, spec->kind == TARGET_ZVOL, info->size_bytes, &spec->properties,
			&info->reserved_bytes, err);
	if (r == 0)
		r = privileges_check(spec, &zfs_patience_ask, err);
	if (r == 0 && spec->kind == TARGET_DATASET)
		r = weigh_files(spec, need, values, info, err);
	if (r < 0)
		return r;
	info->checked = true;
	if (spec->kind == TARGET_DATASET)
		return foretell_files(spec, need, values, info, findings, err);
	foretell_node(info);
	return 0;
}

int volume_look(const struct allow *allow, const struct target_spec *spec,
		const struct target_need *need, struct target_info *info, struct findings *findings,
		struct error *err)
{
	struct zfs_value *values;
	int r;

	if (spec->existing)
		return error_set(err, ERROR_CONFLICT, "",
				 "%s is made by the run and cannot be \"existing\"",
				 kind_text(spec->kind));
	r = zfs_available(kind_text(spec->kind), err);
	if (r == 0)
		r = allow_check_dataset(allow, spec->path, err);
	if (r == 0)
		r = privileges_check_access(err);
	if (r == 0)
		r = zfs_get(spec->path, asked, ASKED_COUNT, &values, err);
	if (r < 0)
		return r;
	r = look_beneath(spec, need, values, info, findings, err);
	zfs_values_done(values, ASKED_COUNT);
	return r;
}
