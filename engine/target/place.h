/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * place.h - the file system a target lies on: its name, the device beneath, free space, and what
 * direct I/O and non-blocking reads do there. Used inside engine/target only; control thread.
 *
 * Probing a directory makes a nameless file (O_TMPFILE) that is gone when it is closed.
 */
#ifndef ENGINE_TARGET_PLACE_H
#define ENGINE_TARGET_PLACE_H

#include "engine/target/target.h"

/* Room for a path in a message. */
#define PLACE_SHOWN 200

/* Opens what an O_PATH descriptor stands for, with these flags and O_CLOEXEC, and O_NOATIME where
 * this process may. -errno. */
MUST_CHECK int place_reopen(int fd, int flags, int *ret_fd);

/* filesystem, free_bytes, device, device_number of an open file or directory (O_PATH is enough). */
void place_describe(int fd, struct target_info *info);

/*
 * direct, logical_block_bytes, nowait of a directory's file system. Where it has no nameless files
 * direct is supposed to work (creating the target shows it) and nowait is not. Errors: the
 * directory cannot be written (TARGET_READ_ONLY, NO_SPACE, SYSTEM).
 */
MUST_CHECK int place_probe_directory(int fd, struct target_info *info, struct error *err);

/* The same of an existing file, by reading. */
MUST_CHECK int place_probe_file(int fd, struct target_info *info, struct error *err);

/* Free bytes for us; 0 where it cannot be told. */
uint64_t place_free_bytes(int fd);

/*
 * NO_SPACE with the figures unless the files, and `more` bytes, fit and a margin stays: 64 MiB or a
 * hundredth of what is free, whichever is more, since a file system filled to the brim is slow, and
 * not ours alone.
 */
MUST_CHECK int place_check_space(const struct target_info *info, uint64_t bytes, uint64_t files,
				 uint64_t more, struct error *err);

/* NO_SPACE unless the file system of fd can have so many more files, where it has a limit. */
MUST_CHECK int place_check_inodes(int fd, const struct target_info *info, uint64_t inodes,
				  struct error *err);

/* DIRECT_UNSUPPORTED where direct I/O is wanted and does not work. */
MUST_CHECK int place_check_direct(const struct target_info *info, bool wanted, struct error *err);

#endif
