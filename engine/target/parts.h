/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * parts.h - what target_look.c (checks), target.c (making, removing), regions.c (descriptors) and
 * candidates.c share. Not for others: they read target.h.
 */
#ifndef ENGINE_TARGET_PARTS_H
#define ENGINE_TARGET_PARTS_H

#include "engine/target/target.h"

struct scratch;
struct tree;
struct volume;

struct target {
	struct target_info info;
	bool existing;
	bool zero;		 /* /dev/zero */
	bool blank;		 /* a device to write, taken for blank: no fingerprint was given */
	uint64_t bytes;		 /* of each file, or of the device; regions stay within */
	uint64_t fill_first;	 /* where the fill begins: 0 but on a device */
	uint64_t fill_bytes;	 /* of each, from there */
	uint64_t files;		 /* a directory's; else 1 */
	struct scratch *scratch; /* what was made; NULL for a device or an existing file */
	struct tree *tree;	 /* where metadata workloads make their files; or NULL */
	struct volume *volume;	 /* a zvol or dataset that was made; else NULL */
	int fd;			 /* else: a device's claim, or an O_PATH of what exists; or -1 */
};

/* target_inspect(), but *info is filled as far as it is known, also on failure. */
MUST_CHECK int target_look(const struct allow *allow, const struct target_spec *spec,
			   const struct target_need *need, bool measuring, struct target_info *info,
			   struct findings *findings, struct error *err);

/* The same for who makes the target next. *ret_fd, which the caller
 * closes: the directory files will be made in, the existing file, or the device's claim; left alone
 * for a zvol or dataset. */
MUST_CHECK int target_claim(const struct allow *allow, const struct target_spec *spec,
			    const struct target_need *need, struct target_info *info, int *ret_fd,
			    struct error *err);

#endif
