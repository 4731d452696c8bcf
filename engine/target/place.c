/* SPDX-License-Identifier: GPL-3.0-or-later */
/* place.c - see place.h. */
#include "engine/target/place.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/io/discard.h"
#include "engine/target/system.h"

#define BLOCK_LEAST 512	 /* what any file system takes where it takes the least */
#define BLOCK_PAGE 4096	 /* what any takes at all */
#define BLOCK_MOST 65536 /* of the kernel's answers that are believed */
#define SPACE_LEAST (UINT64_C(64) << 20)

/* Reading is then no reason to write an access time, nor to look whether to: a fiftieth of the
 * processor's time for a small direct read. Only an owner may ask for it. */
static void keep_access_time(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags >= 0)
		(void)fcntl(fd, F_SETFL, flags | O_NOATIME); /* else it is as with any reader */
}

int place_reopen(int fd, int flags, int *ret_fd)
{
	char self[64];
	int opened;

	(void)snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	do {
		opened = open(self, (flags & ~O_NOFOLLOW) | O_CLOEXEC);
	} while (opened < 0 && errno == EINTR);
	if (opened < 0)
		return -errno;
	keep_access_time(opened);
	*ret_fd = opened;
	return 0;
}

uint64_t place_free_bytes(int fd)
{
	uint64_t bytes;

	return file_free_bytes(fd, &bytes) < 0 ? 0 : bytes;
}

void place_describe(int fd, struct target_info *info)
{
	struct stat st;

	system_filesystem(fd, info->filesystem, sizeof(info->filesystem));
	info->free_bytes = place_free_bytes(fd);
	info->device[0] = '\0';
	info->device_number = 0;
	/* File systems over several devices, or over none, have numbers of no block device. */
	if (fstat(fd, &st) < 0)
		return;
	info->place = st.st_dev;
	if (major(st.st_dev) != 0 && system_block_name(st.st_dev, info->device) == 0)
		info->device_number = st.st_dev;
}

/* ---- probing ---- */

typedef ssize_t transfer(int fd, void *buffer, size_t size);

static ssize_t write_start(int fd, void *buffer, size_t size)
{
	return pwrite(fd, buffer, size, 0);
}

static ssize_t read_start(int fd, void *buffer, size_t size)
{
	return pread(fd, buffer, size, 0);
}

/* A full disk or a file shorter than that is no objection: only EINVAL is one. */
static bool accepts(int fd, size_t size, transfer *move)
{
	void *buffer;
	bool accepted;

	if (posix_memalign(&buffer, size > BLOCK_PAGE ? size : BLOCK_PAGE, size) != 0)
		return true;
	memset(buffer, 0, size);
	accepted = move(fd, buffer, size) >= 0 || errno != EINVAL;
	free(buffer);
	return accepted;
}

/* fd is open for what `move` does; its flags are changed. */
static void probe_direct(int fd, transfer *move, struct target_info *info)
{
	struct system_file file;
	int flags = fcntl(fd, F_GETFL);
	/* OpenZFS tells the size of a file's records (zpl_inode.c), as which writes go around its
	 * cache; it takes whole pages as well. */
	bool known = strcmp(info->filesystem, "zfs") != 0 && system_file(fd, &file) == 0 &&
		     file.align_known && file.align <= BLOCK_MOST;

	info->logical_block_bytes = BLOCK_LEAST;
	info->direct = flags >= 0 && fcntl(fd, F_SETFL, flags | O_DIRECT) == 0 &&
		       !(known && file.align == 0);
	if (!info->direct)
		return;
	if (known) {
		info->logical_block_bytes = file.align;
		info->direct = accepts(fd, file.align, move);
	} else if (!accepts(fd, BLOCK_LEAST, move)) {
		info->logical_block_bytes = BLOCK_PAGE;
		info->direct = accepts(fd, BLOCK_PAGE, move);
	}
}

int place_probe_directory(int fd, struct target_info *info, struct error *err)
{
	AUTO_CLOSE int file = openat(fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char shown[PLACE_SHOWN];

	text_clean(info->path, shown, sizeof(shown));
	if (file >= 0) {
		info->nowait = measure_nowait(file);
		info->discards = discard(file, false, 0, BLOCK_PAGE) != -EOPNOTSUPP;
		probe_direct(file, write_start, info);
		info->polled = measure_polled(file);
		return 0;
	}
	switch (errno) {
	case EROFS:
		return error_set(err, ERROR_TARGET_READ_ONLY, "",
				 "%s lies on a read-only file system", shown);
	case ENOSPC:
	case EDQUOT:
		return error_set(err, ERROR_NO_SPACE, "", "no space for another file in %s", shown);
	case EACCES:
	case EPERM:
		return error_set_sys(err, ERROR_SYSTEM, errno,
				     "the engine may not make files in %s", shown);
	default: /* EOPNOTSUPP, EISDIR: no nameless files here */
		info->nowait = info->polled = false;
		info->direct = true;
		info->discards = true;
		info->logical_block_bytes = BLOCK_LEAST;
		return 0;
	}
}

int place_probe_file(int fd, struct target_info *info, struct error *err)
{
	char shown[PLACE_SHOWN];
	AUTO_CLOSE int file = -1;
	int r;

	r = place_reopen(fd, O_RDONLY, &file);
	if (r < 0)
		return error_set_sys(err, ERROR_SYSTEM, -r, "opening %s for reading",
				     text_clean(info->path, shown, sizeof(shown)));
	info->nowait = measure_nowait(file);
	probe_direct(file, read_start, info);
	info->polled = measure_polled(file);
	return 0;
}

/* ---- checks ---- */

int place_check_space(const struct target_info *info, uint64_t bytes, uint64_t files, uint64_t more,
		      struct error *err)
{
	uint64_t margin =
		info->free_bytes / 100 > SPACE_LEAST ? info->free_bytes / 100 : SPACE_LEAST;
	uint64_t total, usable = info->free_bytes > margin ? info->free_bytes - margin : 0;
	char shown[PLACE_SHOWN];

	bool overflow = __builtin_mul_overflow(bytes, files, &total) ||
			__builtin_add_overflow(total, more, &total);

	if (!overflow && total <= usable)
		return 0;
	text_clean(info->path, shown, sizeof(shown));
	if (overflow)
		return error_set(err, ERROR_NO_SPACE, "",
				 "%" PRIu64 " files of %" PRIu64 " bytes in %s are more than any "
				 "file system holds",
				 files, bytes, shown);
	return error_set(err, ERROR_NO_SPACE, "",
			 "%s needs %" PRIu64 " MiB and its file system has %" PRIu64
			 " MiB free, of which %" PRIu64 " MiB are kept free; lower %s or numjobs",
			 shown, (total >> 20) + ((total & 0xFFFFF) != 0), info->free_bytes >> 20,
			 margin >> 20, more > 0 ? "nrfiles, filesize, size" : "size");
}

int place_check_inodes(int fd, const struct target_info *info, uint64_t inodes, struct error *err)
{
	char shown[PLACE_SHOWN];
	struct statvfs st;

	/* Where there is no such limit none is told. */
	if (inodes == 0 || fstatvfs(fd, &st) < 0 || st.f_files == 0 || st.f_favail >= inodes)
		return 0;
	return error_set(
		err, ERROR_NO_SPACE, "",
		"the workloads make %" PRIu64 " files and directories, and the file system "
		"of %s has room for %" PRIu64 " more (inodes); lower nrfiles or numjobs",
		inodes, text_clean(info->path, shown, sizeof(shown)), (uint64_t)st.f_favail);
}

int place_check_direct(const struct target_info *info, bool wanted, struct error *err)
{
	char shown[PLACE_SHOWN];

	if (!wanted || info->direct)
		return 0;
	return error_set(err, ERROR_DIRECT_UNSUPPORTED, "",
			 "the file system of %s%s%s%s does not take O_DIRECT; set direct=0",
			 text_clean(info->path, shown, sizeof(shown)),
			 info->filesystem[0] ? " (" : "", info->filesystem,
			 info->filesystem[0] ? ")" : "");
}
