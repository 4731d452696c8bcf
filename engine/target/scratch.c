/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scratch.c - see scratch.h. */
#include "engine/target/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/target/manifest.h"
#include "engine/target/place.h"
#include "engine/target/system.h"

enum stage { STAGE_NONE, STAGE_TEMPORARY, STAGE_FINAL };

struct scratch_file {
	char *temporary, *path; /* absolute, for the manifest */
	enum stage stage;
	struct system_identity identity; /* from its creation on */
	int fd;				 /* while it is being made, else -1 */
};

struct scratch {
	struct manifest *manifest;
	int dirfd;
	size_t count;
	struct scratch_file *files;
};

static const char *name_of(const char *path)
{
	return strrchr(path, '/') + 1;
}

static const char *current_path(const struct scratch_file *file)
{
	return file->stage == STAGE_FINAL ? file->path : file->temporary;
}

/* ---- names ---- */

static int name_files(struct scratch *scratch, const struct scratch_plan *plan)
{
	size_t length = strlen(plan->directory);
	/* "/" and "DIR/" need no second slash. */
	const char *slash = length > 0 && plan->directory[length - 1] == '/' ? "" : "/";
	uint32_t unique;

	/* So that a name noted before it is made cannot be that of somebody's own file. */
	if (getrandom(&unique, sizeof(unique), 0) != (ssize_t)sizeof(unique))
		return -EIO;
	for (size_t i = 0; i < plan->count; i++) {
		struct scratch_file *file = &scratch->files[i];

		if (asprintf(&file->path, "%s%s%s", plan->directory, slash, plan->names[i]) < 0) {
			file->path = NULL;
			return -ENOMEM;
		}
		if (asprintf(&file->temporary, "%s%s" MANIFEST_PREFIX "%s-%zu-%08" PRIx32,
			     plan->directory, slash, plan->run_id, i, unique) < 0) {
			file->temporary = NULL;
			return -ENOMEM;
		}
	}
	return 0;
}

static int new_scratch(const struct scratch_plan *plan, struct scratch **ret_scratch)
{
	struct scratch *scratch = calloc(1, sizeof(*scratch));
	int r;

	if (!scratch)
		return -ENOMEM;
	scratch->dirfd = -1;
	scratch->manifest = plan->manifest;
	scratch->files = calloc(plan->count, sizeof(*scratch->files));
	if (!scratch->files) {
		scratch_free(scratch);
		return -ENOMEM;
	}
	scratch->count = plan->count;
	for (size_t i = 0; i < plan->count; i++)
		scratch->files[i].fd = -1;
	r = name_files(scratch, plan);
	if (r == 0) {
		scratch->dirfd = fcntl(plan->dirfd, F_DUPFD_CLOEXEC, 3);
		r = scratch->dirfd < 0 ? -errno : 0;
	}
	if (r < 0) {
		scratch_free(scratch);
		return r;
	}
	*ret_scratch = scratch;
	return 0;
}

/* ---- making ---- */

static int tell_making(const char *path, int sys, uint64_t bytes, struct error *err)
{
	char shown[PLACE_SHOWN];

	text_clean(path, shown, sizeof(shown));
	switch (sys) {
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
		(void)error_set(err, ERROR_NO_SPACE, "", "no room for %" PRIu64 " bytes in %s: %s",
				bytes, shown, strerrordesc_np(sys));
		break;
	case EEXIST:
		(void)error_set(err, ERROR_FILE_EXISTS, "", "%s exists already", shown);
		break;
	case EROFS:
		(void)error_set(err, ERROR_TARGET_READ_ONLY, "",
				"%s lies on a read-only file system", shown);
		break;
	default:
		return error_set_sys(err, ERROR_SYSTEM, sys, "making %s", shown);
	}
	return -sys;
}

/* Allocated, so that the file system cannot fill up under the run; else as long as asked. */
static int give_size(int fd, uint64_t bytes)
{
	int r;

	if (bytes > INT64_MAX)
		return -EFBIG;
	do {
		r = fallocate(fd, 0, 0, (off_t)bytes) < 0 ? -errno : 0;
	} while (r == -EINTR);
	if (r == -EOPNOTSUPP || r == -ENOSYS)
		r = ftruncate(fd, (off_t)bytes) < 0 ? -errno : 0;
	return r;
}

static int create_file(struct scratch *scratch, struct scratch_file *file, uint64_t bytes)
{
	int r;

	file->fd = openat(scratch->dirfd, name_of(file->temporary),
			  O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file->fd < 0)
		return -errno;
	file->stage = STAGE_TEMPORARY;
	r = system_identity(file->fd, &file->identity);
	return r < 0 ? r : give_size(file->fd, bytes);
}

static int intend_all(struct scratch *scratch)
{
	AUTO_FREE const char **paths = NULL;

	if (!scratch->manifest)
		return 0;
	paths = calloc(scratch->count, sizeof(*paths));
	if (!paths)
		return -ENOMEM;
	for (size_t i = 0; i < scratch->count; i++)
		paths[i] = scratch->files[i].temporary;
	return manifest_intend(scratch->manifest, paths, scratch->count);
}

static int note_made(struct scratch *scratch)
{
	AUTO_FREE struct manifest_made *made = NULL;

	if (!scratch->manifest)
		return 0;
	made = calloc(scratch->count, sizeof(*made));
	if (!made)
		return -ENOMEM;
	for (size_t i = 0; i < scratch->count; i++) {
		made[i].path = scratch->files[i].path;
		made[i].fd = scratch->files[i].fd;
	}
	return manifest_made(scratch->manifest, made, scratch->count);
}

static int make_files(struct scratch *scratch, uint64_t bytes, struct error *err)
{
	int r = intend_all(scratch);

	if (r < 0)
		return manifest_tell(r, "noting what the run will make", err);
	for (size_t i = 0; i < scratch->count; i++) {
		r = create_file(scratch, &scratch->files[i], bytes);
		if (r < 0)
			return tell_making(scratch->files[i].path, -r, bytes, err);
	}
	r = note_made(scratch);
	if (r < 0)
		return manifest_tell(r, "noting what the run has made", err);
	for (size_t i = 0; i < scratch->count; i++) {
		struct scratch_file *file = &scratch->files[i];

		r = file_rename_new(scratch->dirfd, name_of(file->temporary), scratch->dirfd,
				    name_of(file->path));
		if (r < 0)
			return tell_making(file->path, -r, bytes, err);
		file->stage = STAGE_FINAL;
	}
	return 0;
}

static void close_files(struct scratch *scratch)
{
	for (size_t i = 0; i < scratch->count; i++) {
		if (scratch->files[i].fd >= 0)
			(void)close(scratch->files[i].fd); /* nothing was written through it */
		scratch->files[i].fd = -1;
	}
}

int scratch_create(const struct scratch_plan *plan, struct scratch **ret_scratch, struct error *err)
{
	struct scratch *scratch;
	int r;

	r = new_scratch(plan, &scratch);
	if (r == -ENOMEM)
		return error_no_memory(err);
	if (r < 0)
		return error_set_sys(err, ERROR_SYSTEM, -r, "making the target");
	r = make_files(scratch, plan->bytes, err);
	close_files(scratch);
	if (r < 0) {
		/* What cannot be removed now stays in the manifest for the sweep. */
		int left = scratch_remove(scratch, NULL);

		(void)left;
		scratch_free(scratch);
		return r;
	}
	*ret_scratch = scratch;
	return 0;
}

/* ---- using ---- */

static int open_same(const struct scratch *scratch, const struct scratch_file *file, int *ret_fd,
		     struct error *err)
{
	struct system_identity identity;
	char shown[PLACE_SHOWN];
	AUTO_CLOSE int fd = -1;
	int r = 0;

	text_clean(current_path(file), shown, sizeof(shown));
	fd = openat(scratch->dirfd, name_of(current_path(file)), O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT) {
		(void)error_set(err, ERROR_TARGET_MISSING, "",
				"%s was removed while the run used it", shown);
		return -ENOENT;
	}
	if (fd < 0)
		return error_set_sys(err, ERROR_SYSTEM, errno, "%s", shown);
	r = system_identity(fd, &identity);
	if (r < 0 || !system_same(&identity, &file->identity))
		return error_set(err, ERROR_TARGET_TYPE, "",
				 "%s is not the file the run made any more; it is left as it is",
				 shown);
	*ret_fd = TAKE_FD(fd);
	return 0;
}

int scratch_open(const struct scratch *scratch, size_t index, int flags, int *ret_fd,
		 struct error *err)
{
	const struct scratch_file *file = &scratch->files[index];
	char shown[PLACE_SHOWN];
	AUTO_CLOSE int fd = -1;
	int r;

	r = open_same(scratch, file, &fd, err);
	if (r < 0)
		return r;
	r = place_reopen(fd, flags, ret_fd);
	if (r == -EINVAL && (flags & O_DIRECT))
		return error_set(err, ERROR_DIRECT_UNSUPPORTED, "",
				 "the file system of %s does not take O_DIRECT; set direct=0",
				 text_clean(file->path, shown, sizeof(shown)));
	if (r < 0)
		return error_set_sys(err, ERROR_SYSTEM, -r, "opening %s",
				     text_clean(file->path, shown, sizeof(shown)));
	return 0;
}

int scratch_directory(const struct scratch *scratch)
{
	return scratch->dirfd;
}

/* ---- removing ---- */

/* 0 also where it is gone already, by whomever, or was never made. */
static int remove_file(struct scratch *scratch, struct scratch_file *file, struct error *err)
{
	char shown[PLACE_SHOWN];
	AUTO_CLOSE int fd = -1;
	int r = 0;

	if (file->stage == STAGE_NONE)
		return 0;
	/* A temporary name is ours alone; the final one may have come to name something else. */
	if (file->stage == STAGE_FINAL)
		r = open_same(scratch, file, &fd, err);
	if (r < 0 && r != -ENOENT)
		return r;
	if (r == 0 && unlinkat(scratch->dirfd, name_of(current_path(file)), 0) < 0 &&
	    errno != ENOENT)
		return error_set_sys(err, ERROR_SYSTEM, errno, "removing %s",
				     text_clean(current_path(file), shown, sizeof(shown)));
	file->stage = STAGE_NONE;
	return 0;
}

static void forget_removed(struct scratch *scratch)
{
	for (size_t i = 0; i < scratch->count; i++) {
		if (scratch->files[i].stage != STAGE_NONE)
			continue;
		manifest_removed(scratch->manifest, scratch->files[i].temporary);
		manifest_removed(scratch->manifest, scratch->files[i].path);
	}
}

int scratch_remove(struct scratch *scratch, struct error *err)
{
	struct error first = {0}, one;
	int result = 0, r;

	for (size_t i = 0; i < scratch->count; i++) {
		one = (struct error){0};
		r = remove_file(scratch, &scratch->files[i], &one);
		if (r < 0 && result == 0) {
			result = r;
			first = one;
		}
	}
	/* The removals are durable before the manifest may forget them. */
	r = file_sync_directory(scratch->dirfd);
	if (r == 0)
		forget_removed(scratch);
	else if (result == 0)
		result = error_set_sys(&first, ERROR_SYSTEM, -r,
				       "making the removal of the target durable");
	if (result < 0 && err)
		*err = first;
	return result;
}

void scratch_free(struct scratch *scratch)
{
	if (!scratch)
		return;
	close_files(scratch);
	for (size_t i = 0; i < scratch->count; i++) {
		free(scratch->files[i].temporary);
		free(scratch->files[i].path);
	}
	if (scratch->dirfd >= 0)
		(void)close(scratch->dirfd); /* O_PATH: nothing to lose */
	free(scratch->files);
	free(scratch);
}
