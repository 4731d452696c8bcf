/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * manifest_parts.h - what manifest.c (a run's own, the text) and manifest_sweep.c share. Not for
 * others: they read manifest.h.
 */
#ifndef ENGINE_TARGET_MANIFEST_PARTS_H
#define ENGINE_TARGET_MANIFEST_PARTS_H

#include <stddef.h>

#include "engine/target/manifest.h"
#include "engine/target/system.h"

#define MANIFEST_SUFFIX ".manifest"

enum entry_kind { ENTRY_INTEND, ENTRY_MADE, ENTRY_TREE, ENTRY_DATASET };

struct entry {
	enum entry_kind kind;
	struct system_identity identity; /* ENTRY_MADE */
	char *path;			 /* absolute; of ENTRY_DATASET its name */
};

struct manifest {
	int dirfd;
	char name[MANIFEST_RUN_ID_BYTES + sizeof(MANIFEST_SUFFIX)];
	size_t count;
	struct entry *entries;
};

/* Reads the manifest of this name in dirfd. -ENAMETOOLONG, -EBADMSG and what is_unreadable() of the
 * sweep knows where it is none; the manifest may be released all the same. */
MUST_CHECK int manifest_load(int dirfd, const char *name, struct manifest *ret_manifest);
void manifest_release(struct manifest *manifest); /* what it holds, not itself */

/* Order does not matter: the last one takes the place of the one that goes. */
void manifest_forget(struct manifest *manifest, size_t index);

#endif
