/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * creating.h - a `zfs create` that outlives who began it.
 *
 * Whoever is killed while it waits for `zfs create`, or gives it up, leaves a process behind that
 * the kernel lets finish: the dataset appears some time later. A sweep that finds it missing must
 * know of that process, or it would forget what then comes to be. Control thread.
 */
#ifndef ENGINE_ZFS_CREATING_H
#define ENGINE_ZFS_CREATING_H

#include "engine/base/error.h"
#include "engine/zfs/command.h"

/*
 * Waits until no process (that /proc shows) is creating a dataset of this name. 0: there is none.
 * TARGET_BUSY with -EBUSY where one still does at the patience's deadline; CANCELLED; SYSTEM where
 * /proc cannot be read.
 */
MUST_CHECK int zfs_creating_await(const char *dataset, const struct zfs_patience *patience,
				  struct error *err);

#endif
