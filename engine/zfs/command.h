/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * command.h - the only one that executes `zfs` and `zpool`: by argument vector, never by a shell,
 * with LC_ALL=C, in a process group of its own (base/child.h).
 *
 * The programs are taken from the system's directories (/usr/sbin, /sbin, /usr/local/sbin,
 * /usr/bin), never from PATH. A command may hang in the kernel (a suspended pool): the caller's
 * thread waits at most for the deadline, hears a cancel, and leaves such a child behind.
 * Control thread.
 */
#ifndef ENGINE_ZFS_COMMAND_H
#define ENGINE_ZFS_COMMAND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"

enum zfs_program { ZFS_PROGRAM_ZFS, ZFS_PROGRAM_ZPOOL };

/* How long a command may take, and who may end it early. */
struct zfs_patience {
	uint64_t deadline_ms;	 /* 0: that of zfs_patience_ask */
	atomic_bool *cancel;	 /* or NULL */
	void (*tick)(void *arg); /* several times a second while it takes; or NULL */
	void *arg;
};

/* For what only asks: 20 s, no cancel. */
extern const struct zfs_patience zfs_patience_ask;

struct zfs_output {
	int status;	      /* exit status */
	char *out;	      /* heap, NUL-terminated, at most 1 MiB */
	char error_text[512]; /* the first line of its stderr that is no warning, cleaned */
	bool busy;	      /* it said "dataset is busy", or "pool or dataset is busy" */
	bool missing;	      /* it said "dataset does not exist", or "no such pool" */
};

/*
 * Whether there is OpenZFS on this machine: the module is loaded and both programs are there.
 * ZFS_UNAVAILABLE with what is missing ("The target is a zvol, and this machine has no OpenZFS: the
 * kernel module zfs is not loaded"); what: "a zvol".
 */
MUST_CHECK int zfs_available(const char *what, struct error *err);

/*
 * Runs `zfs ARGUMENTS...` to its end; arguments NULL-terminated, without the program's name.
 * 0 also where its status is not 0: look there. ZFS_UNAVAILABLE with -ENODEV; ZFS_FAILED where it
 * had to be killed at the deadline (-ETIMEDOUT, "zfs create did not answer within 20 s"), printed
 * more than 1 MiB or died; -ECANCELED with CANCELLED; NO_MEMORY. patience may be NULL for
 * zfs_patience_ask. output is to be freed by zfs_output_done() after success only. Never -EPERM,
 * which zfs_destroy_made() (dataset.h) keeps for what is not the run's.
 */
MUST_CHECK int zfs_run(enum zfs_program program, const char *const *arguments,
		       const struct zfs_patience *patience, struct zfs_output *ret_output,
		       struct error *err);
void zfs_output_done(struct zfs_output *output);

/*
 * The error that a status other than 0 means by its words, "DOING: its words": ZFS_PERMISSION
 * (-EACCES), NO_SPACE (-ENOSPC), TARGET_MISSING (-ENOENT), FILE_EXISTS (-EEXIST), TARGET_READ_ONLY
 * (-EROFS), else ZFS_FAILED (-EIO).
 */
MUST_CHECK int zfs_told(const struct zfs_output *output, const char *doing, struct error *err);

/* zfs_run() for what must succeed: another status is zfs_told(). ret_out (heap) may be NULL. */
MUST_CHECK int zfs_do(enum zfs_program program, const char *const *arguments,
		      const struct zfs_patience *patience, const char *doing, char **ret_out,
		      struct error *err);

#endif
