/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * node.h - the device node of a zvol: awaited by event, proven by the kernel.
 *
 * A node is not trusted for its name or for a link that udev has made: the kernel is asked of which
 * zvol it is (ioctl BLKZNAME). To be asked it must be opened, for reading and only for that moment.
 *
 * The kernel makes the node (devtmpfs) shortly after `zfs create` has returned, and udev, where it
 * runs, its link and its group a little later. In a container whose /dev is no devtmpfs no node
 * ever appears: zfs_node_await() then ends at its deadline and says so. A user who may not open
 * block devices (not root, not of group disk) cannot have a node proven.
 * Control thread.
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

/*
 * Waits for the node of `dataset` (inotify): *ret_path "/dev/zd16", *ret_device its number. One
 * that was there before the watch is found as well: by udev's link at once, without one after a
 * second, when all nodes are asked. TARGET_MISSING with -ETIMEDOUT at the deadline; ZFS_PERMISSION
 * with -EACCES where a node appeared and this user may not open it; CANCELLED.
 */
MUST_CHECK int zfs_node_await(struct zfs_node_watch *watch, const char *dataset,
			      const struct zfs_patience *patience, char ret_path[64],
			      dev_t *ret_device, struct error *err);

/* The node of a zvol that is there, without waiting. -ENODEV where there is none; -EACCES where it
 * may be one that this user may not open. */
MUST_CHECK int zfs_node_find(const char *dataset, char ret_path[64], dev_t *ret_device);

/* A descriptor (inotify; not blocking, the caller's to close) that becomes readable whenever
 * somebody closes the node of a zvol that is there. As zfs_node_find(). */
MUST_CHECK int zfs_node_closes(const char *dataset, int *ret_fd);

#endif
