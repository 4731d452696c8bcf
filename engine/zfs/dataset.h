/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dataset.h - what is asked of, and done to, one dataset or zvol through `zfs`. Control thread.
 */
#ifndef ENGINE_ZFS_DATASET_H
#define ENGINE_ZFS_DATASET_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/plan/target_spec.h"
#include "engine/zfs/command.h"
#include "engine/zfs/name.h"

/* The user property that marks what a run has made; its value is the run's id. */
#define ZFS_RUN_PROPERTY "volbench:run"
/* How the last component of everything that is made begins. */
#define ZFS_MADE_PREFIX "volbench-"

struct zfs_value {
	char *value;  /* as `zfs get -p` prints it; "-" where it does not apply */
	char *source; /* "local", "default", "inherited from tank", "-", "received" */
};

/*
 * `zfs get -Hp`: one value a name, in the order of `names`. TARGET_MISSING with -ENOENT where there
 * is no such dataset, or its pool is not imported. A property this OpenZFS does not know has value
 * and source NULL. Freed by zfs_values_done().
 */
MUST_CHECK int zfs_get(const char *dataset, const char *const *names, size_t count,
		       struct zfs_value **ret_values, struct error *err);
void zfs_values_done(struct zfs_value *values, size_t count);

/* A number that `zfs get -p` printed; false for "-", "none" and what is none. "1.00" and "1.00x"
 * are read by zfs_ratio(). */
bool zfs_number(const char *value, uint64_t *ret_number);
bool zfs_ratio(const char *value, double *ret_ratio);

/*
 * Whether nothing more can be written to it: its `available` (zfsprops(7): quotas and reservations
 * of all that it lies beneath heeded) is next to nothing. A zvol's writer does not learn that from
 * its errno: EDQUOT becomes EIO (zvol_os.c, errno_to_bi_status), and of what the page cache writes
 * back ENOSPC does too (fs/buffer.c). False where `zfs` does not tell.
 */
bool zfs_is_full(const char *dataset);

struct zfs_creation {
	const char *name; /* whole: PARENT/volbench-... */
	const char *run_id;
	bool volume;
	uint64_t volsize;	/* volume: bytes */
	bool sparse;		/* volume */
	const char *mountpoint; /* dataset: an existing empty directory, resolved; it is made
				   canmount=noauto, and the altroot of its pool is heeded */
	const struct properties *properties;
};

/*
 * What it would take of the pool: a dry run (`zfs create -nP`), which also has OpenZFS judge the
 * properties. *ret_reserved: the refreservation a volume that is not sparse would have (also told
 * for a sparse one, since it will be filled); 0 for a dataset. BAD_VALUE where a property's value
 * is refused: err->field is then the property's name. BAD_SIZE with field "size" where volsize is
 * no multiple of the volblocksize: OpenZFS would make it larger. Neither space nor the parent is
 * looked at.
 */
MUST_CHECK int zfs_create_dry(const struct zfs_creation *creation, uint64_t *ret_reserved,
			      struct error *err);

/* Makes it, marked by ZFS_RUN_PROPERTY from its first moment; a volume gets volmode=dev, so that
 * nobody looks for partitions on it. FILE_EXISTS, NO_SPACE, ZFS_PERMISSION, BAD_VALUE as above;
 * CONFLICT where the pool's altroot keeps a dataset from being mounted there. */
MUST_CHECK int zfs_create(const struct zfs_creation *creation, const struct zfs_patience *patience,
			  struct error *err);

MUST_CHECK int zfs_mount(const char *dataset, const struct zfs_patience *patience,
			 struct error *err);

/*
 * Destroys one dataset or zvol, never recursively, if it is what this run made: its name lies
 * beneath `parent`, its last component is ZFS_MADE_PREFIX and run_id, or those and a number
 * ("-2"), and ZFS_RUN_PROPERTY is run_id, set on itself ("local"), which is looked at before each
 * try. Anything else: TARGET_NOT_ALLOWED with -EPERM, nothing done; a
 * permission that is lacking is ZFS_PERMISSION with -EACCES.
 * 0 where it does not exist while its parent does, and no `zfs create` that was left behind is
 * about to make it (creating.h; TARGET_BUSY with -EBUSY where one still is at the deadline);
 * TARGET_MISSING with -ENOENT where the parent is not there either (a pool that is not imported).
 * "dataset is busy" (udev looks at a new or a just closed zvol) is waited out, by closes of its
 * node (node.h), up to the patience's deadline: TARGET_BUSY with -EBUSY then. The last try may end
 * up to 10 s after the deadline: `zfs destroy` is not killed at once for having begun late.
 */
MUST_CHECK int zfs_destroy_made(const char *dataset, const char *parent, const char *run_id,
				const struct zfs_patience *patience, struct error *err);

#endif
