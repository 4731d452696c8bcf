/* SPDX-License-Identifier: GPL-3.0-or-later */
/* name.h - names of OpenZFS datasets: "tank/volbench/a". No file system is touched. Any thread. */
#ifndef ENGINE_ZFS_NAME_H
#define ENGINE_ZFS_NAME_H

#include <stdbool.h>

#include "engine/base/error.h"

/* With the NUL: ZFS_MAX_DATASET_NAME_LEN of OpenZFS. */
#define ZFS_NAME_BYTES 256

/* Components of [A-Za-z0-9_.:-], separated by single '/', the first (the pool) beginning with a
 * letter; no '@' or '#', no "." or ".." as a component, at most ZFS_NAME_BYTES - 1 bytes. Blanks,
 * which OpenZFS allows, are refused: no name of ours needs them. */
bool zfs_name_ok(const char *name);
/* The same; BAD_NAME with -EINVAL. */
MUST_CHECK int zfs_name_check(const char *name, struct error *err);

/* Whether the name is `ancestor` or lies beneath it, by whole components. */
bool zfs_name_within(const char *name, const char *ancestor);

/* "tank" of "tank/volbench". Returns buffer. */
const char *zfs_name_pool(const char *name, char buffer[ZFS_NAME_BYTES]);

#endif
