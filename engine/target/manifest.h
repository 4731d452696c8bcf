/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * manifest.h - what a run created, written down before it is created, so that a crash leaves
 * nothing behind.
 *
 * A text file a run, DIR/<run id>.manifest, in the engine's own directory:
 *   volbench.manifest/1
 *   intend PATH                    (durable before the file is made under this unique name)
 *   made MAJOR:MINOR INODE BIRTH PATH    (durable before it is renamed, never replacing, to PATH)
 *   tree PATH                      (durable before the directory is made under this unique name)
 *   dataset NAME                   (durable before this zvol or dataset of OpenZFS is made)
 * PATH is the rest of the line; BIRTH are nanoseconds since 1970, 0 where the file system keeps
 * none.
 *
 * A sweep removes what is the run's of a `tree`, whose last component begins as that of an
 * `intend`, and it, by the rules of tree.h; the file of an `intend`, whose last component begins
 * with MANIFEST_PREFIX, and PATH of a `made` only where it is still that file: a regular one of the
 * same inode and time of birth (device numbers may change over a reboot), or of the same device and
 * inode where there is no time of birth; what a `dataset` names by the rules of volume.h. Anything
 * else is left and told. What could not be removed (its file system is not mounted, its pool not
 * imported, its place no longer allowed) stays in the manifest for the next sweep. A manifest that
 * cannot be read is moved to DIR/set-aside and told. A half-written one is removed: what it was to
 * note had not been made yet.
 *
 * One thread. A sweep must hold the engine's lock: it takes every manifest for a dead run's.
 */
#ifndef ENGINE_TARGET_MANIFEST_H
#define ENGINE_TARGET_MANIFEST_H

#include <stdbool.h>

#include "engine/base/error.h"
#include "engine/plan/finding.h"
#include "engine/target/allow.h"
#include "engine/zfs/command.h"

/* How the last component of every intended path begins. */
#define MANIFEST_PREFIX ".volbench-"

struct manifest;

/* Bytes of a run's id: 1 to so many of [A-Za-z0-9._-], not beginning with '.'. */
#define MANIFEST_RUN_ID_BYTES 64
bool manifest_run_id_ok(const char *run_id);

/* Starts the manifest of a run, durably (-EEXIST where there is one of that run, -EINVAL for an id
 * that is not ok); dirfd is kept by the caller, open as long as the manifest. */
MUST_CHECK int manifest_new(int dirfd, const char *run_id, struct manifest **ret_manifest);

/* Notes several files at once, for one durable write. Nothing is noted where it fails. */
MUST_CHECK int manifest_intend(struct manifest *manifest, const char *const *paths, size_t count);

/* Notes a directory that is kept under this name with what is made in it; see tree.h. */
MUST_CHECK int manifest_intend_tree(struct manifest *manifest, const char *path);

/* Notes a zvol or dataset: -EINVAL for a name that is not one of volume.h's. */
MUST_CHECK int manifest_intend_dataset(struct manifest *manifest, const char *name);

/* The dirfd of manifest_new(). */
int manifest_directory(const struct manifest *manifest);

struct manifest_made {
	const char *path; /* its final one */
	int fd;		  /* of the file, any flags */
};

MUST_CHECK int manifest_made(struct manifest *manifest, const struct manifest_made *made,
			     size_t count);

/* The file is gone: durable forgetting happens in manifest_finish. NULL: it was not noted. */
void manifest_removed(struct manifest *manifest, const char *path);
/* Removes the manifest when all it names is gone; else rewrites it with what is left. */
MUST_CHECK int manifest_finish(struct manifest *manifest);
void manifest_free(struct manifest *manifest);

/* Tells why one of the above that writes failed: STORAGE_FULL where the engine's directory is full,
 * else SYSTEM. Returns r. */
int manifest_tell(int r, const char *what, struct error *err);

/* Whether a run notes to have made a file at this path. Needs no lock: what it says may change. */
bool manifest_lists(int dirfd, const char *path);

/* Removes what dead runs left. Findings: "removed" (info), "left" and "set_aside" (warnings), one
 * a path. The first error is told, the rest still tried. patience: with each dataset; what a cancel
 * cuts short is left. */
MUST_CHECK int manifest_sweep(int dirfd, const struct allow *allow,
			      const struct zfs_patience *patience, struct findings *findings,
			      struct error *err);

#endif
