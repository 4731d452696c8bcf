/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * file.c - see file.h. The order of the calls is the contract: create under a temporary name,
 * write, fsync, close, rename, fsync of the directory.
 */
#include "engine/base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#define TEMPORARY_PREFIX ".tmp-"
#define RANDOM_DIGITS 16
#define NAME_BYTES_MAX 200 /* leaves room for the temporary name's own parts in NAME_MAX */
#define TREE_DEPTH_MAX 64  /* each level holds a descriptor; our own trees have three */

enum replace { REPLACE, REPLACE_NOT };

/* ---- names ---- */

static bool has_temporary_prefix(const char *name)
{
	return strncmp(name, TEMPORARY_PREFIX, strlen(TEMPORARY_PREFIX)) == 0;
}

/* ".tmp-NAME-RANDOM" as make_temporary_name() makes it, nothing else that begins alike. */
static bool is_temporary(const char *name)
{
	size_t length = strlen(name);
	const char *digits;

	if (!has_temporary_prefix(name) || length < strlen(TEMPORARY_PREFIX) + 1 + RANDOM_DIGITS)
		return false;
	digits = name + length - RANDOM_DIGITS;
	return digits[-1] == '-' && strspn(digits, "0123456789abcdef") == RANDOM_DIGITS;
}

/* What the functions here take: wider than file_name_ok(), which is for names users choose. */
static bool is_usable(const char *name)
{
	size_t length = strlen(name);

	return length > 0 && length <= NAME_BYTES_MAX && !strchr(name, '/') &&
	       strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && !has_temporary_prefix(name);
}

bool file_name_ok(const char *name)
{
	size_t length = strlen(name);

	if (length == 0 || length > NAME_BYTES_MAX || name[0] == '.')
		return false;
	for (size_t i = 0; i < length; i++)
		if (name[i] == '/' || (unsigned char)name[i] < 0x20 || name[i] == 0x7F)
			return false;
	return true;
}

static int make_temporary_name(const char *name, char ret_name[NAME_MAX + 1])
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
		return errno ? -errno : -EIO;
	(void)snprintf(ret_name, NAME_MAX + 1, TEMPORARY_PREFIX "%s-%016llx", name,
		       (unsigned long long)number); /* fits: NAME_BYTES_MAX */
	return 0;
}

/* ---- steps ---- */

/* A failed fsync is told and never tried again on the same descriptor (file.h). */
static int sync_descriptor(int fd)
{
	return fsync(fd) < 0 ? -errno : 0;
}

/* Opened anew, since fsync itself takes neither AT_FDCWD nor descriptors opened with O_PATH. */
int file_sync_directory(int dirfd)
{
	AUTO_CLOSE int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : sync_descriptor(fd);
}

static int sync_directory(int dirfd)
{
	return dirfd == AT_FDCWD ? file_sync_directory(dirfd) : sync_descriptor(dirfd);
}

static int write_all(int fd, const char *data, size_t size)
{
	while (size > 0) {
		ssize_t written = write(fd, data, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		if (written == 0)
			return -EIO;
		data += written;
		size -= (size_t)written;
	}
	return 0;
}

/* Creates the temporary file, filled and durable; nothing is left of it on failure. */
static int write_temporary(int dirfd, const char *temporary, const void *data, size_t size,
			   int mode)
{
	int fd, r;

	fd = openat(dirfd, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0)
		return -errno;
	r = write_all(fd, data, size);
	if (r == 0)
		r = sync_descriptor(fd);
	if (close(fd) < 0 && r == 0)
		r = -errno;
	if (r < 0)
		(void)unlinkat(dirfd, temporary, 0); /* file_sweep_temporary has a second try */
	return r;
}

/*
 * Where the file system has no RENAME_NOREPLACE: a hard link refuses an existing name as well, and
 * so does mkdir, whose empty directory rename() may then replace by the real one.
 */
static int rename_new_by_hand(int old_dirfd, const char *old_name, int new_dirfd,
			      const char *new_name)
{
	if (linkat(old_dirfd, old_name, new_dirfd, new_name, 0) == 0)
		return unlinkat(old_dirfd, old_name, 0) < 0 ? -errno : 0;
	if (errno != EPERM)
		return -errno;
	if (mkdirat(new_dirfd, new_name, 0700) < 0)
		return -errno;
	if (renameat(old_dirfd, old_name, new_dirfd, new_name) < 0) {
		int sys = errno;

		(void)unlinkat(new_dirfd, new_name, AT_REMOVEDIR); /* ours and empty */
		return -sys;
	}
	return 0;
}

int file_rename_new(int old_dirfd, const char *old_name, int new_dirfd, const char *new_name)
{
	if (renameat2(old_dirfd, old_name, new_dirfd, new_name, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	return rename_new_by_hand(old_dirfd, old_name, new_dirfd, new_name);
}

/* ---- files ---- */

static int write_file(int dirfd, const char *name, const void *data, size_t size, int mode,
		      enum replace replace)
{
	char temporary[NAME_MAX + 1];
	int r;

	if (!is_usable(name))
		return -EINVAL;
	r = make_temporary_name(name, temporary);
	if (r == 0)
		r = write_temporary(dirfd, temporary, data, size, mode);
	if (r < 0)
		return r;
	if (replace == REPLACE_NOT)
		r = file_rename_new(dirfd, temporary, dirfd, name);
	else
		r = renameat(dirfd, temporary, dirfd, name) < 0 ? -errno : 0;
	if (r < 0) {
		(void)unlinkat(dirfd, temporary, 0); /* file_sweep_temporary has a second try */
		return r;
	}
	return sync_directory(dirfd);
}

int file_write(int dirfd, const char *name, const void *data, size_t size, int mode)
{
	return write_file(dirfd, name, data, size, mode, REPLACE);
}

int file_write_new(int dirfd, const char *name, const void *data, size_t size, int mode)
{
	return write_file(dirfd, name, data, size, mode, REPLACE_NOT);
}

/* Reads to the end of the file, whatever fstat said of its size. */
static int read_all(int fd, size_t expected, size_t max_bytes, char **ret_data, size_t *ret_size)
{
	size_t capacity = expected + 2, size = 0; /* one to see the end, one for the NUL */
	AUTO_FREE char *data = malloc(capacity);

	if (!data)
		return -ENOMEM;
	for (;;) {
		ssize_t got = read(fd, data + size, capacity - size - 1);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		size += (size_t)got;
		if (size > max_bytes)
			return -EFBIG;
		if (size + 1 == capacity) {
			char *grown;

			if (__builtin_mul_overflow(capacity, (size_t)2, &capacity))
				return -EFBIG;
			grown = realloc(data, capacity);
			if (!grown)
				return -ENOMEM;
			data = grown;
		}
	}
	data[size] = '\0';
	if (ret_size)
		*ret_size = size;
	*ret_data = TAKE_PTR(data);
	return 0;
}

int file_read(int dirfd, const char *name, size_t max_bytes, char **ret_data, size_t *ret_size)
{
	AUTO_CLOSE int fd = -1;
	struct stat st;

	if (!is_usable(name))
		return -EINVAL;
	/* O_NONBLOCK: a FIFO of that name must not hold us up before it is seen to be one. */
	fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if ((uint64_t)st.st_size > max_bytes || (uint64_t)st.st_size > SIZE_MAX - 2)
		return -EFBIG;
	return read_all(fd, (size_t)st.st_size, max_bytes, ret_data, ret_size);
}

int file_remove(int dirfd, const char *name)
{
	if (!is_usable(name))
		return -EINVAL;
	/* Where it is gone already, an earlier removal may not be durable yet. */
	if (unlinkat(dirfd, name, 0) < 0 && errno != ENOENT)
		return -errno;
	return sync_directory(dirfd);
}

int file_move(int old_dirfd, const char *old_name, int new_dirfd, const char *new_name)
{
	int r;

	if (!is_usable(old_name) || !is_usable(new_name))
		return -EINVAL;
	r = file_rename_new(old_dirfd, old_name, new_dirfd, new_name);
	if (r == 0)
		r = sync_directory(new_dirfd);
	if (r == 0 && old_dirfd != new_dirfd)
		r = sync_directory(old_dirfd);
	return r;
}

int file_free_bytes(int dirfd, uint64_t *ret_bytes)
{
	struct statvfs vfs;

	if (fstatvfs(dirfd, &vfs) < 0)
		return -errno;
	if (__builtin_mul_overflow((uint64_t)vfs.f_bavail, (uint64_t)vfs.f_frsize, ret_bytes))
		*ret_bytes = UINT64_MAX;
	return 0;
}

/* ---- directories ---- */

/* Makes what is missing durable; an entry that cannot be made durable is taken back. */
static int make_directory(int dirfd, const char *name)
{
	int r;

	if (mkdirat(dirfd, name, 0700) < 0)
		return errno == EEXIST ? 0 : -errno;
	r = file_sync_directory(dirfd);
	if (r < 0)
		(void)unlinkat(dirfd, name, AT_REMOVEDIR); /* else the next call would trust it */
	return r;
}

int file_open_directory(int dirfd, const char *name, int *ret_dirfd)
{
	int fd, r;

	if (!is_usable(name))
		return -EINVAL;
	r = make_directory(dirfd, name);
	if (r < 0)
		return r;
	fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*ret_dirfd = fd;
	return 0;
}

/* Takes the next component off *path; false at its end. */
static bool next_component(const char **path, char component[NAME_MAX + 1], int *ret_error)
{
	size_t length;

	*ret_error = 0;
	*path += strspn(*path, "/");
	length = strcspn(*path, "/");
	if (length == 0)
		return false;
	if (length > NAME_MAX) {
		*ret_error = -ENAMETOOLONG;
		return false;
	}
	memcpy(component, *path, length);
	component[length] = '\0';
	*path += length;
	return true;
}

int file_open_directory_path(const char *path, int *ret_dirfd)
{
	char component[NAME_MAX + 1];
	AUTO_CLOSE int here = -1;
	int fd, r;

	if (path[0] == '\0')
		return -ENOENT;
	here = open(path[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (here < 0)
		return -errno;
	while (next_component(&path, component, &r)) {
		/* The user's own path may lead through symlinks and unreadable directories. */
		int next = openat(here, component, O_PATH | O_DIRECTORY | O_CLOEXEC);

		if (next < 0 && errno == ENOENT) {
			r = make_directory(here, component);
			if (r < 0)
				return r;
			next = openat(here, component,
				      O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		}
		if (next < 0)
			return -errno;
		(void)close(here); /* O_PATH: nothing to lose */
		here = next;
	}
	if (r < 0)
		return r;
	fd = openat(here, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*ret_dirfd = fd;
	return 0;
}

static int empty_directory(int fd, dev_t device, unsigned int depth);

/* Removes one entry of a directory: a directory with all below it, anything else as it is. */
static int remove_entry(int dirfd, const char *name, dev_t device, unsigned int depth)
{
	struct stat st;
	int fd, r, tries = 100;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISDIR(st.st_mode))
		return unlinkat(dirfd, name, 0) < 0 && errno != ENOENT ? -errno : 0;
	if (depth == 0)
		return -ELOOP;
	do {
		fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		r = empty_directory(fd, device, depth - 1); /* closes fd */
		if (r == 0 && unlinkat(dirfd, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
			r = -errno;
	} while (r == -ENOTEMPTY && --tries > 0); /* somebody has yet to see that it is gone */
	return r;
}

/* Takes fd. */
static int empty_directory(int fd, dev_t device, unsigned int depth)
{
	struct dirent *entry;
	struct stat st;
	DIR *dir;
	int r = 0;

	if (fstat(fd, &st) < 0)
		r = -errno;
	else if (st.st_dev != device)
		r = -EXDEV;
	dir = r == 0 ? fdopendir(fd) : NULL;
	if (!dir) {
		r = r < 0 ? r : -errno;
		(void)close(fd); /* only read */
		return r;
	}
	while (r == 0) {
		errno = 0;
		entry = readdir(dir);
		if (!entry) {
			r = -errno;
			break;
		}
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			r = remove_entry(fd, entry->d_name, device, depth);
	}
	(void)closedir(dir); /* only read */
	return r;
}

int file_remove_tree(int dirfd, const char *name)
{
	char temporary[NAME_MAX + 1];
	struct stat st;
	int r;

	if (!is_usable(name))
		return -EINVAL;
	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	r = make_temporary_name(name, temporary);
	if (r < 0)
		return r;
	/* Renamed first, so that a crash leaves it whole or as something the sweep removes. */
	if (renameat(dirfd, name, dirfd, temporary) < 0)
		return -errno;
	r = sync_directory(dirfd);
	if (r == 0)
		r = remove_entry(dirfd, temporary, st.st_dev, TREE_DEPTH_MAX);
	return r;
}

int file_sweep_temporary(int dirfd, unsigned int *ret_count)
{
	unsigned int count = 0;
	struct dirent *entry;
	struct stat st;
	int fd, r = 0, last;
	DIR *dir;

	fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || !(dir = fdopendir(fd))) {
		r = -errno;
		(void)close(fd); /* only read */
		return r;
	}
	for (;;) {
		errno = 0;
		entry = readdir(dir);
		if (!entry) {
			r = r < 0 ? r : -errno;
			break;
		}
		if (!is_temporary(entry->d_name))
			continue;
		last = remove_entry(fd, entry->d_name, st.st_dev, TREE_DEPTH_MAX);
		if (last == 0)
			count++;
		else if (r == 0)
			r = last; /* the rest is still tried */
	}
	if (count > 0 && r == 0)
		r = sync_descriptor(fd);
	(void)closedir(dir); /* only read */
	if (r == 0 && ret_count)
		*ret_count = count;
	return r;
}
