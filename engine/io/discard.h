/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * discard.h - giving blocks back: BLKDISCARD on a device, a punched hole in a file, whose size
 * stays. A blocking call each.
 */
#ifndef ENGINE_IO_DISCARD_H
#define ENGINE_IO_DISCARD_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a descriptor is a block device's. */
bool discard_of_device(int fd);

/* length, or -errno; -EOPNOTSUPP where the target cannot. */
int32_t discard(int fd, bool device, uint64_t offset, uint32_t length);

#endif
