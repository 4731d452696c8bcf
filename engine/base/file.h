/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * file.h - the one writer of files.
 *
 * Every file Volbench keeps (a scratch target is not one of them) is changed here and only here:
 * written whole under a temporary name, fsync'ed, renamed over the old one, and its directory
 * fsync'ed, before the call returns 0. A reader sees the old file or the new one, whole, also
 * after a power cut.
 *
 * Errors: -errno of the first call that failed; the old file is then untouched and the temporary
 * file is removed where possible (file_sweep_temporary removes what a crash left). One exception:
 * where only the fsync of the directory failed, the new file is already in place, whole, but a
 * power cut may bring back the old one. After a failed fsync nothing is retried on that
 * descriptor: its pages may be marked clean with wrong data, so the caller writes a new file or
 * gives up.
 *
 * Names are relative to a directory descriptor opened for reading (or AT_FDCWD), have 1 to 200
 * bytes and hold no '/'. Temporary names are ".tmp-<name>-<random>"; a name that begins with
 * ".tmp-" is refused with -EINVAL.
 * Threads: any; two writers of one name do not mix their contents, the last rename wins.
 */
#ifndef ENGINE_BASE_FILE_H
#define ENGINE_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/macros.h"

/* Writes the file durably. mode is that of open(2), e.g. 0600. */
MUST_CHECK int file_write(int dirfd, const char *name, const void *data, size_t size, int mode);

/* The same, but -EEXIST where the name is already there (renameat2 RENAME_NOREPLACE). */
MUST_CHECK int file_write_new(int dirfd, const char *name, const void *data, size_t size, int mode);

/*
 * Reads a whole regular file (-EISDIR, -ELOOP for a symlink, else -EINVAL) of at most max_bytes
 * (-EFBIG beyond) into a heap buffer with a NUL behind it. *ret_size may be NULL.
 */
MUST_CHECK int file_read(int dirfd, const char *name, size_t max_bytes, char **ret_data,
			 size_t *ret_size);

/* Removes durably (directory fsync'ed). 0 also when it was not there. */
MUST_CHECK int file_remove(int dirfd, const char *name);

/* Renames inside one directory, or between two, durably. -EEXIST where the new name exists; what a
 * failed rename leaves is the old name, and at the worst both. */
MUST_CHECK int file_move(int old_dirfd, const char *old_name, int new_dirfd, const char *new_name);

/* The rename of file_move() alone, of any name and not made durable: for scratch files. The
 * descriptors may be O_PATH. */
MUST_CHECK int file_rename_new(int old_dirfd, const char *old_name, int new_dirfd,
			       const char *new_name);

/* Makes a directory (0700 when made) durably where it is missing and opens it. *ret_dirfd is
 * O_CLOEXEC. */
MUST_CHECK int file_open_directory(int dirfd, const char *name, int *ret_dirfd);

/* mkdir -p of an absolute or relative path with mode 0700, then opens it. */
MUST_CHECK int file_open_directory_path(const char *path, int *ret_dirfd);

/*
 * Removes a directory and all below it (never follows a symlink, never leaves the file system:
 * -EXDEV). It first takes a temporary name, durably, so that a crash leaves the whole of it or
 * something file_sweep_temporary removes. 0 also when it was not there.
 */
MUST_CHECK int file_remove_tree(int dirfd, const char *name);

/* Removes the temporary files (and half-removed trees) in one directory, not below it, while nobody
 * writes there; *ret_count may be NULL. The first error is told, the rest is still tried. */
MUST_CHECK int file_sweep_temporary(int dirfd, unsigned int *ret_count);

/* Makes durable what was made, renamed or removed in a directory. dirfd may be O_PATH, or AT_FDCWD.
 */
MUST_CHECK int file_sync_directory(int dirfd);

/* Free bytes for an unprivileged writer on the file system of dirfd. */
MUST_CHECK int file_free_bytes(int dirfd, uint64_t *ret_bytes);

/* A plain name: 1 to 200 bytes, no '/', not starting with '.', no control characters. */
bool file_name_ok(const char *name);

#endif
