/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * allow.h - the list of places targets may lie in, and the only way to open one.
 *
 * The list comes from the command line (or root's file) and nothing else can change it. An entry
 * is a directory (everything beneath it), a block device, or /dev/zero. Entries are resolved once,
 * when the list is made; a target's path is resolved beneath its entry by openat2 with
 * RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS, so no component below the entry
 * may be a symlink, not even for a moment.
 *
 * A target's path is absolute, without "..", and begins with the entry as it was given or as it
 * was resolved; of several entries that fit the longest counts. Mounts beneath an entry belong to
 * it. /dev/zero is allowed only where an entry names it, exactly so.
 *
 * Beside the paths it holds OpenZFS datasets, by name: beneath such a one, or beneath one of its
 * descendants, a run may make zvols and datasets of its own. A pool's own name is a dataset's like
 * another. Nothing is asked of OpenZFS here: its pool may be imported later.
 *
 * Any thread, once it is made.
 */
#ifndef ENGINE_TARGET_ALLOW_H
#define ENGINE_TARGET_ALLOW_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"

struct allow;

/* Each path must exist and be printable UTF-8, resolved too; err says which is not. */
MUST_CHECK int allow_new(const char *const *paths, size_t count, struct allow **ret_allow,
			 struct error *err);
/* Adds datasets: BAD_VALUE for what is no name of one (zfs_name_ok). Before the list is used. */
MUST_CHECK int allow_add_datasets(struct allow *allow, const char *const *names, size_t count,
				  struct error *err);
void allow_free(struct allow *allow);

size_t allow_count(const struct allow *allow);
const char *allow_path(const struct allow *allow, size_t index); /* as it was given */

size_t allow_dataset_count(const struct allow *allow);
const char *allow_dataset(const struct allow *allow, size_t index);

/* Whether a dataset's name is an allowed one or lies beneath one, by whole components; false for
 * what is no name. */
bool allow_covers_dataset(const struct allow *allow, const char *name);
/* The same of the parent of what is to be made: TARGET_NOT_ALLOWED says why not. */
MUST_CHECK int allow_check_dataset(const struct allow *allow, const char *parent,
				   struct error *err);

/* The same as a target's path: resolved where it was given as a relative one. */
const char *allow_target_path(const struct allow *allow, size_t index);

/* Whether the path is /dev/zero and an entry names it. */
bool allow_is_zero(const struct allow *allow, const char *path);

/* Whether an entry fits the path; nothing is opened. */
bool allow_covers(const struct allow *allow, const char *path);

/*
 * Opens beneath the list with O_CLOEXEC | flags (openat2 how.flags), mode for O_CREAT. Errors:
 * TARGET_NOT_ALLOWED (outside, relative, with ".." or control characters) -EACCES; TARGET_TYPE
 * -ELOOP for a symlink on the way, -ENOTDIR, -ENODEV for an entry that became another device;
 * BAD_VALUE -ENAMETOOLONG; TARGET_MISSING -ENOENT; FILE_EXISTS -EEXIST; TARGET_READ_ONLY -EROFS;
 * NO_SPACE -ENOSPC; SYSTEM otherwise.
 */
MUST_CHECK int allow_open(const struct allow *allow, const char *path, int flags, int mode,
			  int *ret_fd, struct error *err);

/* Opens the parent directory of a path beneath the list (O_PATH | O_DIRECTORY) and points
 * *ret_name at the last component inside `path`. Errors as above. */
MUST_CHECK int allow_open_parent(const struct allow *allow, const char *path, int *ret_dirfd,
				 const char **ret_name, struct error *err);

#endif
