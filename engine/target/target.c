/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * target.c - see target.h: making and removing. The checks before are in target_look.c, descriptors
 * are opened in regions.c, what may be tested is listed in candidates.c.
 */
#include "engine/target/target.h"

#include <errno.h>
#include <string.h>

#include "engine/target/manifest.h"
#include "engine/target/parts.h"
#include "engine/target/place.h"
#include "engine/target/safety.h"
#include "engine/target/scratch.h"
#include "engine/target/tree.h"
#include "engine/target/volume.h"

#define FILE_UNIT 4096 /* a file's size is a multiple: direct I/O needs whole blocks */

/* ---- making ---- */

/* What the names of a target's files begin with: those of several may lie in one directory. */
static const char *name_files(const struct target_making *making, char *buffer, size_t size)
{
	if (making->number == 0)
		(void)snprintf(buffer, size, "%s", making->run_id);
	else
		(void)snprintf(buffer, size, "%s-target%zu", making->run_id, making->number);
	return buffer;
}

/* The path of the directory a new file lies in: "/" or "/a/b". */
static char *parent_path(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

static int make_named(struct target *target, const char *path, struct scratch_plan plan,
		      struct error *err)
{
	AUTO_FREE char *directory = parent_path(path);
	const char *name = strrchr(path, '/') + 1;

	if (!directory)
		return error_no_memory(err);
	plan.directory = directory;
	plan.names = &name;
	plan.count = 1;
	return scratch_create(&plan, &target->scratch, err);
}

static int make_in_directory(struct target *target, const char *path, struct scratch_plan plan,
			     struct error *err)
{
	size_t count = target->files, named = 0;
	char **names = calloc(count, sizeof(*names));
	int r = names ? 0 : -ENOMEM;

	while (r == 0 && named < count) {
		if (asprintf(&names[named], "volbench-%s-%zu.dat", plan.run_id, named) < 0)
			r = -ENOMEM;
		else
			named++;
	}
	plan.directory = path;
	plan.names = (const char *const *)names;
	plan.count = count;
	if (r == 0)
		r = scratch_create(&plan, &target->scratch, err);
	else
		(void)error_set_sys(err, ERROR_SYSTEM, -r, "making the target");
	for (size_t i = 0; i < named; i++)
		free(names[i]);
	free(names);
	return r;
}

/* In a directory, or at the root of a dataset, which needs no manifest. */
static int make_files(struct target *target, const struct target_need *need,
		      const struct target_making *making, struct error *err)
{
	const char *path = target->info.path;
	struct manifest *manifest = target->volume ? NULL : making->manifest;
	char id[MANIFEST_RUN_ID_BYTES + 32];
	struct scratch_plan plan = {
		.manifest = manifest,
		.run_id = name_files(making, id, sizeof(id)),
		.dirfd = target->fd,
		.bytes = target->bytes,
	};
	const struct tree_plan tree = {
		.manifest = manifest,
		.run_id = id,
		.dirfd = target->fd,
		.directory = path,
	};
	int r = 0;

	if (target->bytes == 0 && target->files > 0)
		return error_set(err, ERROR_MISSING_FIELD, "size",
				 "a new file needs the size to make it with");
	if (need->tree_inodes > 0)
		r = tree_create(&tree, &target->tree, err);
	if (r < 0)
		return r;
	if (target->files == 0)
		target->scratch = NULL;
	else if (target->info.kind == TARGET_FILE)
		r = make_named(target, path, plan, err);
	else
		r = make_in_directory(target, path, plan, err);
	(void)close(target->fd); /* O_PATH; the scratch has its own */
	target->fd = -1;
	return r;
}

/* How much of the target there is to work in, and to fill. */
static int set_extent(struct target *target, const struct target_need *need, struct error *err)
{
	uint64_t unit = target->info.logical_block_bytes > FILE_UNIT
				? target->info.logical_block_bytes
				: FILE_UNIT;
	uint64_t wanted;

	if (__builtin_add_overflow(need->bytes, unit - 1, &wanted))
		return error_set(err, ERROR_OUT_OF_RANGE, "size", "the target would be too large");
	wanted -= wanted % unit;
	target->bytes = wanted;
	target->files = 1;
	if (target_kind_has_files(target->info.kind))
		target->files = need->files;
	if (target_kind_is_block(target->info.kind) || target->existing)
		target->bytes = target->info.size_bytes;
	/* Of a device not a byte more: what lies around is not ours. A zvol is ours, whole. */
	if (target->info.kind == TARGET_DEVICE)
		wanted = need->bytes;
	else if (target->info.kind == TARGET_ZVOL)
		wanted = target->info.size_bytes;
	/* A device whose need is unknown is used, and filled, whole. */
	target->fill_bytes = wanted > 0 && wanted < target->bytes ? wanted : target->bytes;
	if (target->info.kind == TARGET_DEVICE && need->first < target->fill_bytes)
		target->fill_first = need->first;
	target->fill_bytes -= target->fill_first;
	return 0;
}

/* Whatever there is of one that could not be made whole. What cannot be removed now stays in the
 * manifest for the sweep, and is told. */
static void abandon(struct target *target, const struct target_making *making)
{
	struct error err = {0};
	int r = 0;

	if (target->tree && !target->volume)
		r = tree_remove(target->tree, NULL, &err);
	if (target->volume)
		r = target_remove(target, making->step, making->arg, &err);
	if (r < 0 && making->left)
		making->left(making->arg, target->info.path, &err);
	target_free(target);
}

static int make(struct target *target, const struct target_spec *spec,
		const struct target_need *need, const struct target_making *making,
		struct error *err)
{
	int r = 0;

	if (target_kind_is_zfs(spec->kind))
		r = volume_create(spec, need, making, &target->info, &target->volume, &target->fd,
				  err);
	if (r == 0)
		r = set_extent(target, need, err);
	if (r == 0 && !target_kind_is_block(spec->kind) && !spec->existing)
		r = make_files(target, need, making, err);
	return r;
}

int target_create(const struct allow *allow, const struct target_spec *spec,
		  const struct target_need *need, const struct target_making *making,
		  struct target **ret_target, struct error *err)
{
	struct target *target = calloc(1, sizeof(*target));
	int r;

	if (!target)
		return error_no_memory(err);
	target->fd = -1;
	target->existing = spec->existing;
	target->blank = spec->kind == TARGET_DEVICE && need->writes && !spec->fingerprint;
	target->zero = spec->kind == TARGET_FILE && allow_is_zero(allow, spec->path);
	r = target_claim(allow, spec, need, &target->info, &target->fd, err);
	if (r == 0)
		r = make(target, spec, need, making, err);
	if (r < 0) {
		abandon(target, making);
		return r;
	}
	*ret_target = target;
	return 0;
}

/* ---- the rest of its life ---- */

int target_check_blank(const struct target *target, bool (*step)(void *arg), void *arg,
		       struct error *err)
{
	if (!target->blank)
		return 0;
	return safety_blank_part(target->fd, target->fill_first, target->fill_bytes,
				 target->info.path, step, arg, err);
}

const struct target_info *target_info(const struct target *target)
{
	return &target->info;
}

uint64_t target_free_bytes(const struct target *target)
{
	if (target->scratch)
		return place_free_bytes(scratch_directory(target->scratch));
	if (target->tree)
		return place_free_bytes(tree_directory(target->tree));
	if (target_kind_is_block(target->info.kind) || target->zero)
		return 0;
	return place_free_bytes(target->fd);
}

/* What keeps a zvol or dataset busy. */
static void close_all(struct target *target)
{
	scratch_free(target->scratch);
	target->scratch = NULL;
	tree_free(target->tree);
	target->tree = NULL;
	if (target->fd >= 0)
		(void)close(target->fd); /* nothing was written through it */
	target->fd = -1;
}

int target_remove(struct target *target, void (*step)(void *arg), void *arg, struct error *err)
{
	const struct tree_step steps = {.call = step, .arg = arg};
	int first = 0, r = 0;

	if (target->volume && target->fd >= 0) {
		r = volume_close(target->info.path, target->fd, step, arg, err);
		target->fd = -1;
		if (r < 0)
			return r;
	}
	if (target->volume) {
		close_all(target);
		return volume_remove(target->volume, step, arg, err);
	}
	if (target->tree)
		first = tree_remove(target->tree, &steps, err);
	if (target->scratch)
		r = scratch_remove(target->scratch, first < 0 ? NULL : err);
	return first < 0 ? first : r;
}

void target_free(struct target *target)
{
	if (!target)
		return;
	close_all(target);
	volume_free(target->volume);
	free(target);
}
