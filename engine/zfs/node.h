/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * node.h - the device node of a zvol: awaited by event, proven by the kernel.
 *
 * A node is not trusted for its name or for a link that udev has made: the kernel is asked of which
 * zvol it is (ioctl BLKZNAME). Control thread.
 */
#ifndef ENGINE_ZFS_NODE_H
#define ENGINE_ZFS_NODE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/base/error.h"
#include "engine/zfs/command.h"
#include "engine/zfs/name.h"

/* The name of the zvol that an open block device is; -ENOTTY where it is none. */
MUST_CHECK int zfs_node_name(int fd, char name[ZFS_NAME_BYTES]);

/* Begun before a zvol is created, so that its node's appearance in /dev cannot be missed. */
struct zfs_node_watch;
MUST_CHECK int zfs_node_watch_new(struct zfs_node_watch **ret_watch, struct error *err);
void zfs_node_watch_free(struct zfs_node_watch *watch);

/* Waits for the node of `dataset` (inotify): *ret_path "/dev/zd16", *ret_device its number.
 * TARGET_MISSING with -ETIMEDOUT at the deadline, CANCELLED. */
MUST_CHECK int zfs_node_await(struct zfs_node_watch *watch, const char *dataset,
			      const struct zfs_patience *patience, char ret_path[64],
			      dev_t *ret_device, struct error *err);

#endif
