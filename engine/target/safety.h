/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * safety.h - whether a block device is in anyone's use, and whether anything lies on it.
 *
 * Each check returns 0 only where it is sure; whatever it cannot find out counts against the
 * device. Used inside engine/target only; control thread. Nothing is ever written.
 *
 * What cannot be seen: a program that has the device open without O_EXCL and without a mount, a
 * swap, a holder or a loop device (a virtual machine). Such a device is refused for what lies on
 * it.
 */
#ifndef ENGINE_TARGET_SAFETY_H
#define ENGINE_TARGET_SAFETY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/base/error.h"

/*
 * TARGET_BUSY where the device, one of its partitions or the disk it is a partition of is mounted,
 * swap, held by another device (LVM, RAID, dm-crypt) or backing a loop device; for a loop device
 * also where its backing file backs another one. Opens nothing. The caller claims the device with
 * O_EXCL besides.
 */
MUST_CHECK int safety_not_busy(dev_t device, const char *path, struct error *err);

/*
 * TARGET_HAS_SIGNATURE unless libblkid says that there is no file system, RAID, LVM, swap, crypto
 * header or partition table, and the kernel knows no partitions. fd is open for reading.
 */
MUST_CHECK int safety_unsigned(int fd, dev_t device, const char *path, struct error *err);

/*
 * TARGET_NOT_BLANK unless the first and last MiB and several hundred blocks, most spread evenly,
 * some at random, hold nothing but zeros.
 */
MUST_CHECK int safety_blank(int fd, uint64_t size_bytes, const char *path, struct error *err);

/*
 * TARGET_NOT_BLANK unless each of `bytes` from `first` on is zero. step (may be NULL) is called
 * before every MiB; false from it ends the reading with -ECANCELED, and err is left alone.
 */
MUST_CHECK int safety_blank_part(int fd, uint64_t first, uint64_t bytes, const char *path,
				 bool (*step)(void *arg), void *arg, struct error *err);

#endif
