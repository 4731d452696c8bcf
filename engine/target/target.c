/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * target.c - see target.h: checks, making, removing. Descriptors are opened in regions.c, what may
 * be tested is listed in candidates.c.
 * Length: the order of the checks stands in one place.
 */
#include "engine/target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/base/text.h"
#include "engine/target/device.h"
#include "engine/target/manifest.h"
#include "engine/target/parts.h"
#include "engine/target/place.h"
#include "engine/target/safety.h"
#include "engine/target/scratch.h"
#include "engine/target/tree.h"
#include "engine/target/volume.h"

/* As far as offsets go, in whole pages: /dev/zero has no end. */
#define ZERO_BYTES (INT64_MAX - UINT64_C(4095))
#define FILE_UNIT 4096 /* a file's size is a multiple: direct I/O needs whole blocks */

/* ---- types ---- */

static const char *type_text(mode_t mode)
{
	if (S_ISREG(mode))
		return "a regular file: name it as a \"file\"";
	if (S_ISDIR(mode))
		return "a directory: name it as a \"directory\"";
	if (S_ISBLK(mode))
		return "a block device: name it as a \"device\"";
	if (S_ISLNK(mode))
		return "a symbolic link; name what it points to";
	if (S_ISCHR(mode))
		return "a character device; only /dev/zero may be read, as a \"file\" with "
		       "\"existing\": true, where --allow names it";
	return "neither a regular file nor a block device";
}

static int check_type(const struct stat *st, mode_t wanted, const char *path, struct error *err)
{
	char shown[PLACE_SHOWN];

	text_clean(path, shown, sizeof(shown));
	if ((st->st_mode & S_IFMT) != wanted)
		return error_set(err, ERROR_TARGET_TYPE, "", "%s is %s", shown,
				 type_text(st->st_mode));
	if (wanted != S_IFDIR && st->st_nlink != 1)
		return error_set(err, ERROR_TARGET_TYPE, "",
				 "%s has %ju hard links; a target has one name", shown,
				 (uintmax_t)st->st_nlink);
	return 0;
}

/* Opens O_PATH and checks the type. */
static int open_typed(const struct allow *allow, const char *path, mode_t wanted, int *ret_fd,
		      struct stat *st, struct error *err)
{
	char shown[PLACE_SHOWN];
	AUTO_CLOSE int fd = -1;
	int r;

	r = allow_open(allow, path, O_PATH | O_NOFOLLOW, 0, &fd, err);
	if (r < 0)
		return r;
	if (fstat(fd, st) < 0)
		return error_set_sys(err, ERROR_SYSTEM, errno, "%s",
				     text_clean(path, shown, sizeof(shown)));
	r = check_type(st, wanted, path, err);
	if (r < 0)
		return r;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

static int check_never_written(const struct target_need *need, const char *path, struct error *err)
{
	char shown[PLACE_SHOWN];

	if (!need->writes)
		return 0;
	return error_set(err, ERROR_FILE_EXISTS, "",
			 "%s is named as existing and never written; use workloads that only read",
			 text_clean(path, shown, sizeof(shown)));
}

/* ---- files ---- */

static int look_zero(const struct allow *allow, const struct target_spec *spec,
		     const struct target_need *need, struct target_info *info,
		     struct findings *findings, int *ret_fd, struct error *err)
{
	AUTO_CLOSE int fd = -1, readable = -1;
	int r;

	if (!spec->existing)
		return error_set(err, ERROR_FILE_EXISTS, "",
				 "/dev/zero can only be read; add \"existing\": true");
	r = check_never_written(need, spec->path, err);
	if (r == 0)
		r = allow_open(allow, spec->path, O_PATH, 0, &fd, err);
	if (r == 0)
		r = allow_open(allow, spec->path, O_RDONLY, 0, &readable, err);
	if (r < 0)
		return r;
	info->size_bytes = ZERO_BYTES;
	info->logical_block_bytes = 1;
	info->direct = true; /* it is left out, and nobody misses it */
	info->nowait = measure_nowait(readable);
	info->polled = false;
	info->checked = true;
	if (need->direct && findings) {
		r = findings_add(
			findings, FINDING_INFO, "direct_meaningless", NULL, NULL, NULL, NULL,
			"/dev/zero has no page cache to go around and refuses O_DIRECT: it "
			"is opened without, and direct=1 means nothing for it.");
		if (r < 0)
			return error_set_sys(err, ERROR_SYSTEM, -r, "telling of /dev/zero");
	}
	*ret_fd = TAKE_FD(fd);
	return 0;
}

static int tell_sparse(const struct stat *st, const char *path, struct findings *findings,
		       struct error *err)
{
	uint64_t stored = (uint64_t)st->st_blocks * 512;
	char shown[PLACE_SHOWN];
	int r;

	if (!findings || stored >= (uint64_t)st->st_size / 100 * 99)
		return 0;
	r = findings_add(
		findings, FINDING_WARNING, "sparse_file", NULL, NULL, NULL, NULL,
		"%s has %" PRIu64 " MiB but only %" PRIu64 " MiB of them are stored (holes "
		"or compression): reads of the rest never reach the device.",
		text_clean(path, shown, sizeof(shown)), (uint64_t)st->st_size >> 20, stored >> 20);
	return r < 0 ? error_set_sys(err, ERROR_SYSTEM, -r, "telling of a sparse file") : 0;
}

static int look_existing(const struct allow *allow, const struct target_spec *spec,
			 const struct target_need *need, bool measuring, struct target_info *info,
			 struct findings *findings, int *ret_fd, struct error *err)
{
	char shown[PLACE_SHOWN];
	AUTO_CLOSE int fd = -1;
	struct stat st;
	int r;

	r = open_typed(allow, spec->path, S_IFREG, &fd, &st, err);
	if (r == 0)
		r = check_never_written(need, spec->path, err);
	if (r < 0)
		return r;
	place_describe(fd, info);
	info->size_bytes = (uint64_t)st.st_size;
	if (info->size_bytes == 0 || info->size_bytes < need->bytes)
		return error_set(err, ERROR_TARGET_TOO_SMALL, "",
				 "%s has %" PRIu64 " bytes and the workloads reach %" PRIu64
				 "; lower size, offset or numjobs",
				 text_clean(spec->path, shown, sizeof(shown)), info->size_bytes,
				 need->bytes > 0 ? need->bytes : 1);
	if (!measuring) {
		r = place_probe_file(fd, info, err);
		if (r < 0)
			return r;
		info->checked = true;
	}
	r = place_check_direct(info, need->direct, err);
	if (r == 0)
		r = tell_sparse(&st, spec->path, findings, err);
	if (r < 0)
		return r;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

/* What a new file or a directory's files need of their file system; fd is the directory's. */
static int look_at_place(int fd, const struct target_need *need, bool measuring,
			 struct target_info *info, struct error *err)
{
	int r;

	place_describe(fd, info);
	if (!measuring) {
		r = place_probe_directory(fd, info, err);
		if (r < 0)
			return r;
		info->checked = true;
	}
	r = place_check_space(info, need->bytes, need->files, need->tree_bytes, err);
	if (r == 0)
		r = place_check_inodes(fd, info, need->tree_inodes, err);
	return r < 0 ? r : place_check_direct(info, need->direct, err);
}

/* *ret_fd is the parent directory, O_PATH. */
static int look_new(const struct allow *allow, const struct target_spec *spec,
		    const struct target_need *need, bool measuring, struct target_info *info,
		    int *ret_fd, struct error *err)
{
	AUTO_CLOSE int fd = -1, parent = -1;
	char shown[PLACE_SHOWN];
	struct error missing = {0};
	const char *name;
	struct stat st;
	int r;

	text_clean(spec->path, shown, sizeof(shown));
	r = open_typed(allow, spec->path, S_IFREG, &fd, &st, &missing);
	if (r == 0)
		return error_set(err, ERROR_FILE_EXISTS, "",
				 "%s exists and is never overwritten; name a new file, or add "
				 "\"existing\": true to read it",
				 shown);
	if (r != -ENOENT) {
		if (err)
			*err = missing;
		return r;
	}
	r = allow_open_parent(allow, spec->path, &parent, &name, err);
	if (r == -ENOENT)
		return error_set(err, ERROR_TARGET_MISSING, "",
				 "the directory of %s does not exist; make it first", shown);
	if (r == 0)
		r = look_at_place(parent, need, measuring, info, err);
	if (r < 0)
		return r;
	*ret_fd = TAKE_FD(parent);
	return 0;
}

/* ---- directories, devices ---- */

static int look_directory(const struct allow *allow, const struct target_spec *spec,
			  const struct target_need *need, bool measuring, struct target_info *info,
			  int *ret_fd, struct error *err)
{
	AUTO_CLOSE int fd = -1;
	struct stat st;
	int r;

	if (spec->existing)
		return error_set(err, ERROR_CONFLICT, "",
				 "a directory cannot be \"existing\"; name the file to read");
	r = open_typed(allow, spec->path, S_IFDIR, &fd, &st, err);
	if (r == 0)
		r = look_at_place(fd, need, measuring, info, err);
	if (r < 0)
		return r;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

static int look_device(const struct allow *allow, const struct target_spec *spec,
		       const struct target_need *need, enum device_check how,
		       struct target_info *info, int *ret_fd, struct error *err)
{
	AUTO_CLOSE int fd = -1;
	struct stat st;
	int claim = -1, r;

	r = open_typed(allow, spec->path, S_IFBLK, &fd, &st, err);
	if (r == 0 && spec->existing)
		r = check_never_written(need, spec->path, err);
	if (r == 0)
		r = device_describe(st.st_rdev, info, err);
	if (r == 0)
		r = device_check(fd, spec, need, how, info, &claim, err);
	if (r < 0)
		return r;
	*ret_fd = claim;
	return 0;
}

/*
 * All checks. *ret_fd, which the caller closes: the directory files will be made in, the existing
 * file, or with create the device's claim (else -1, and left alone for a zvol or dataset).
 */
static int look(const struct allow *allow, const struct target_spec *spec,
		const struct target_need *need, bool measuring, bool create,
		struct target_info *info, struct findings *findings, int *ret_fd, struct error *err)
{
	enum device_check how = create ? DEVICE_CLAIM : measuring ? DEVICE_LOOK : DEVICE_INSPECT;

	*info = (struct target_info){
		.kind = spec->kind,
		/* Unproven while a run measures and nothing is opened. */
		.direct = true,
		.nowait = true,
		.polled = true,
		.logical_block_bytes = 512,
	};
	(void)snprintf(info->path, sizeof(info->path), "%s", spec->path); /* allow.c refuses more */
	if (spec->fingerprint && spec->kind != TARGET_DEVICE)
		return error_set(err, ERROR_CONFLICT, "", "a fingerprint is for a device only");
	switch (spec->kind) {
	case TARGET_FILE:
		if (allow_is_zero(allow, spec->path))
			return look_zero(allow, spec, need, info, findings, ret_fd, err);
		if (spec->existing)
			return look_existing(allow, spec, need, measuring, info, findings, ret_fd,
					     err);
		return look_new(allow, spec, need, measuring, info, ret_fd, err);
	case TARGET_DIRECTORY:
		return look_directory(allow, spec, need, measuring, info, ret_fd, err);
	case TARGET_DEVICE:
		return look_device(allow, spec, need, how, info, ret_fd, err);
	case TARGET_ZVOL:
	case TARGET_DATASET:
		return volume_look(allow, spec, need, info, findings, err);
	case TARGET_KIND_COUNT:
		break;
	}
	return error_set(err, ERROR_BAD_VALUE, "",
			 "a target is a file, a directory, a device, a zvol or a dataset");
}

int target_check_space(const struct target_info *info, uint64_t bytes, struct error *err)
{
	return place_check_space(info, bytes, 1, 0, err);
}

int target_look(const struct allow *allow, const struct target_spec *spec,
		const struct target_need *need, bool measuring, struct target_info *info,
		struct findings *findings, struct error *err)
{
	AUTO_CLOSE int fd = -1;

	return look(allow, spec, need, measuring, false, info, findings, &fd, err);
}

int target_inspect(const struct allow *allow, const struct target_spec *spec,
		   const struct target_need *need, bool measuring, struct target_info *ret_info,
		   struct findings *findings, struct error *err)
{
	struct target_info info;
	int r;

	r = target_look(allow, spec, need, measuring, &info, findings, err);
	if (r == 0)
		*ret_info = info;
	return r;
}

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
	r = look(allow, spec, need, false, true, &target->info, NULL, &target->fd, err);
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
