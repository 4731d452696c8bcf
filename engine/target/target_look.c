/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * target_look.c - whether a target may be tested: the checks of target.h, in their order, of each
 * kind. Nothing is made here.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "engine/base/text.h"
#include "engine/target/device.h"
#include "engine/target/parts.h"
#include "engine/target/place.h"
#include "engine/target/volume.h"

/* As far as offsets go, in whole pages: /dev/zero has no end. */
#define ZERO_BYTES (INT64_MAX - UINT64_C(4095))

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

/* All checks; *ret_fd as target_claim() has it, for a device -1 unless it is claimed. */
static int look(const struct allow *allow, const struct target_spec *spec,
		const struct target_need *need, enum device_check how, struct target_info *info,
		struct findings *findings, int *ret_fd, struct error *err)
{
	bool measuring = how == DEVICE_LOOK;

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

	return look(allow, spec, need, measuring ? DEVICE_LOOK : DEVICE_INSPECT, info, findings,
		    &fd, err);
}

int target_claim(const struct allow *allow, const struct target_spec *spec,
		 const struct target_need *need, struct target_info *info, int *ret_fd,
		 struct error *err)
{
	return look(allow, spec, need, DEVICE_CLAIM, info, NULL, ret_fd, err);
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
