/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * system.h - what Linux tells about files and block devices: /proc, /sys, statx.
 *
 * Nothing here opens a device. Any thread; errors are -errno and need no words of their own.
 */
#ifndef ENGINE_TARGET_SYSTEM_H
#define ENGINE_TARGET_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/base/macros.h"

#define SYSTEM_NAME_MAX 64 /* of a block device, "nvme0n1p1" */

/* The first line of a file, without its newline, cut where it does not fit. */
MUST_CHECK int system_line(const char *path, char *buffer, size_t size);

/* The whole of a file as a heap text; -EFBIG above 16 MiB. */
MUST_CHECK int system_text(const char *path, char **ret_text);

/* ---- block devices: /sys/dev/block/MAJOR:MINOR ---- */

/* "sda"; -ENOENT where the number is not that of a block device. */
MUST_CHECK int system_block_name(dev_t device, char ret_name[SYSTEM_NAME_MAX]);
/* The path of a leaf in its directory, "/sys/dev/block/8:0/queue/rotational". Returns buffer. */
const char *system_block_path(dev_t device, const char *leaf, char *buffer, size_t size);
MUST_CHECK int system_block_line(dev_t device, const char *leaf, char *buffer, size_t size);
MUST_CHECK int system_block_number(dev_t device, const char *leaf, uint64_t *ret_number);
/* The whole disk of a partition; *ret_disk = device where it is no partition. */
MUST_CHECK int system_block_disk(dev_t device, dev_t *ret_disk);

/* ---- mounts: /proc/self/mountinfo ---- */

struct system_mount {
	uint64_t id;
	dev_t device;
	char *point, *filesystem, *source; /* unescaped; valid during the call */
};

/* Calls visit for each until it returns something else than 0, and returns that. */
MUST_CHECK int system_each_mount(int (*visit)(void *arg, const struct system_mount *mount),
				 void *arg);

/* Turns the \040 of mountinfo and swaps back into what it stands for, in place. */
void system_unescape(char *text);

/* ---- files: statx ---- */

struct system_file {
	uint64_t mount_id;  /* 0: not known */
	bool align_known;   /* the file system tells what direct I/O needs */
	unsigned int align; /* of offsets and lengths, bytes; 0: no direct I/O here */
};

MUST_CHECK int system_file(int fd, struct system_file *ret_file);

/* What tells a file from every other one, also after its inode number was used again. */
struct system_identity {
	dev_t device;
	uint64_t inode;
	uint64_t birth_ns; /* 0: the file system does not keep it */
};

/* -EINVAL where it is not a regular file. */
MUST_CHECK int system_identity(int fd, struct system_identity *ret_identity);

/* Same inode and birth; or, where either has no birth, same device and inode. */
bool system_same(const struct system_identity *a, const struct system_identity *b);

/* "ext4" for an open file or directory (O_PATH is enough), "" where it cannot be told. */
void system_filesystem(int fd, char *buffer, size_t size);

#endif
