/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * privileges.h - what this process may do beneath a dataset, told before a run needs it.
 *
 * OpenZFS lets everything be done by who has CAP_SYS_ADMIN (secpolicy_zfs() in
 * module/os/linux/zfs/policy.c), else what `zfs allow` has delegated to the user, one of its groups
 * or everyone (dsl_deleg_access() in module/zfs/dsl_deleg.c; zfs-allow(8)): a permission granted on
 * a dataset counts there ("local"), beneath it ("descendent") or both, and what an ancestor grants
 * to its descendents counts too. "create" and "mount" are asked of the parent, everything else of
 * what has been made, where create-time permissions count as well.
 *
 * Linux lets nobody mount without CAP_SYS_ADMIN, whatever is delegated: who is not root has zvols
 * only. Their nodes belong to root and the group disk, unless a udev rule says otherwise. Anybody
 * who can open /dev/zfs may ask for everything that is asked, and sync a pool ("sync" has the
 * policy zfs_secpolicy_none in module/zfs/zfs_ioctl.c).
 *
 * Control thread.
 */
#ifndef ENGINE_ZFS_PRIVILEGES_H
#define ENGINE_ZFS_PRIVILEGES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "engine/base/error.h"
#include "engine/plan/target_spec.h"
#include "engine/zfs/command.h"

/* Where an administrator puts the rule that gives the nodes of zvols to a user, or group (the name
 * ends in this and .rules): README, systemd/volbench-zvol.rules. */
#define PRIVILEGES_UDEV_RULE "volbench-zvol"

/* Whether this process may ask anything at all: ZFS_PERMISSION where it may not open /dev/zfs. */
MUST_CHECK int privileges_check_access(struct error *err);

/*
 * Whether this process may make, use and destroy such a target beneath its parent (spec->path, an
 * existing dataset), with the properties it asks for. ZFS_PERMISSION names all that is missing and
 * the command that grants it. Errors of zfs_run() else.
 */
MUST_CHECK int privileges_check(const struct target_spec *spec, const struct zfs_patience *patience,
				struct error *err);

/* ---- its parts, for tests ---- */

/* Who asks, as `zfs allow` would print them: names, or where there is none "(unknown: ID)". */
struct privileges_who {
	const char *user;
	uid_t uid;
	size_t group_count;
	const char *const *groups;
	const gid_t *gids;
};

/* A permission, and where it has to be held: on the parent, on what is made beneath it. */
struct privileges_want {
	const char *name;
	bool on_parent, on_made;
};

/* Whether `text`, printed by `zfs allow PARENT`, delegates it to them. */
bool privileges_delegated(const char *text, const char *parent, const struct privileges_who *who,
			  const struct privileges_want *want);

/* What such a target wants, each permission once; *ret_wants is heap, its names are those of the
 * spec's properties or constants. -ENOMEM. */
MUST_CHECK int privileges_wanted(const struct target_spec *spec, struct privileges_want **ret_wants,
				 size_t *ret_count);

#endif
