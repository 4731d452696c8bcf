/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * volume.h - zvols and datasets of OpenZFS as targets: checked, made beneath their parent, used,
 * destroyed. "Volume" is either of them here.
 *
 * Invariants:
 * 1. Its name, "PARENT/volbench-<run id>" and "-N" behind it where a run makes several, is in the
 *    manifest durably before `zfs create` begins, and leaves it only when it is known to be gone.
 * 2. The user property that marks it is set in the create itself.
 * 3. Only what zfs_destroy_made() takes for this run's is ever destroyed, and that never
 *    recursively.
 * 4. A zvol is used only after the kernel has said that its node is that zvol (BLKZNAME) and while
 *    it is claimed (O_EXCL); a dataset only after the kernel's list of mounts has said that it is
 *    what lies at its mountpoint.
 *
 * A dataset is mounted at a directory of its own, mode 0700, in the engine's directory (that of the
 * manifest): "volbench-<run id>-N.mount". Its files need no manifest: they go with it.
 *
 * Used inside engine/target only; control thread.
 */
#ifndef ENGINE_TARGET_VOLUME_H
#define ENGINE_TARGET_VOLUME_H

#include <stdbool.h>

#include "engine/target/target.h"
#include "engine/zfs/command.h"

struct volume;

/*
 * All that can be known before it is made; nothing is. Fills info, with what its files or its node
 * are going to be like. Errors, in this order: ZFS_UNAVAILABLE; TARGET_NOT_ALLOWED; ZFS_PERMISSION
 * (/dev/zfs); TARGET_MISSING; TARGET_READ_ONLY, ZFS_FAILED (pool); TARGET_TYPE, TARGET_READ_ONLY
 * (parent); MISSING_FIELD, TARGET_TOO_SMALL, with "size" as field; what OpenZFS says of it
 * (zfs_create_dry), with a property's name as field; ZFS_PERMISSION (what is not delegated).
 * Findings (may be NULL): "pool_degraded", "zfs_direct".
 */
MUST_CHECK int volume_look(const struct allow *allow, const struct target_spec *spec,
			   const struct target_need *need, struct target_info *info,
			   struct findings *findings, struct error *err);

/*
 * Makes it. info has been filled by volume_look(); what the kernel tells of the very node or mount
 * replaces what was foretold. *ret_fd, the caller's: the zvol's claim, or O_PATH of the dataset's
 * root directory. Nothing is left behind by a failure, but what the manifest still names.
 */
MUST_CHECK int volume_create(const struct target_spec *spec, const struct target_need *need,
			     const struct target_making *making, struct target_info *info,
			     struct volume **ret_volume, int *ret_fd, struct error *err);

/*
 * Closes the last descriptor of a zvol, for which the kernel waits until what was written is on the
 * disks (zvol_os.c: zvol_release): for ever where its pool is suspended. ZFS_FAILED with -ETIMEDOUT
 * then, and the descriptor is left to a thread that waits on. step as target_remove()'s.
 */
MUST_CHECK int volume_close(const char *name, int fd, void (*step)(void *arg), void *arg,
			    struct error *err);

/* Destroys it, once every descriptor of it is closed, and forgets it in the manifest. A cancel ends
 * the wait for its space alone, so that all of a run are destroyed before the patience with it is
 * over. */
MUST_CHECK int volume_remove(struct volume *volume, void (*step)(void *arg), void *arg,
			     struct error *err);
void volume_free(struct volume *volume); /* does not remove */

/*
 * For a sweep: destroys what the run of this id has made under this name, and removes the directory
 * it was mounted at. *ret_removed: it was there; its space may be free only later. -EACCES where
 * its parent is not allowed any more, -EPERM where what has this name now is not the run's; else as
 * zfs_destroy_made().
 */
MUST_CHECK int volume_sweep(int dirfd, const struct allow *allow, const char *name,
			    const char *run_id, const struct zfs_patience *patience,
			    bool *ret_removed, struct error *err);

/* Waits, for a while, until the pool of what was destroyed has freed its space. */
void volume_await_freed(const char *name, const struct zfs_patience *patience);

#endif
