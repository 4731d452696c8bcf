/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tree.h - the directory that metadata workloads make their files in, and its removal.
 *
 * One a target and run: ".volbench-<run id>-files-<unique>", mode 0700, noted in the manifest
 * before it is made, and kept under that name. Each sample has its own directories in it,
 * "j0000/d0000", which are made before it and removed after it with whatever files of ours are left
 * (files_plan.h has their names). Removing goes by names and types: a regular file of our naming in
 * a directory of our naming. Anything else there is not ours: it is never followed, entered or
 * removed, and then the directories above it stay too, and are told.
 *
 * Used inside engine/target only; control thread.
 */
#ifndef ENGINE_TARGET_TREE_H
#define ENGINE_TARGET_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"

struct manifest;
struct tree;

struct tree_plan {
	struct manifest *manifest; /* outlives the tree; NULL: what it lies in goes with it */
	const char *run_id;
	int dirfd;	       /* O_PATH of the target's directory; duplicated */
	const char *directory; /* its path */
};

/* NO_SPACE, TARGET_READ_ONLY, SYSTEM; nothing is left behind then. */
MUST_CHECK int tree_create(const struct tree_plan *plan, struct tree **ret_tree, struct error *err);

/* O_PATH of the target's directory; not for keeping. */
int tree_directory(const struct tree *tree);

/*
 * Makes `count` directories for each of `jobs` and opens them (O_PATH), job by job: a heap array of
 * jobs x count descriptors, closed by tree_clear(). SYSTEM with EMFILE where that are more than
 * this process may have open. tree_clear() is due also after a failure.
 */
MUST_CHECK int tree_fill(struct tree *tree, size_t jobs, size_t count, int **ret_directories,
			 struct error *err);

/* Called now and then while files are removed, which may take long; may be NULL. */
struct tree_step {
	void (*call)(void *arg);
	void *arg;
};

/* Closes the directories (NULL: none) and removes all of ours but the tree itself. */
MUST_CHECK int tree_clear(struct tree *tree, int *directories, size_t count,
			  const struct tree_step *step, struct error *err);

/* Removes all of it, durably, and forgets it in the manifest. */
MUST_CHECK int tree_remove(struct tree *tree, const struct tree_step *step, struct error *err);
void tree_free(struct tree *tree); /* does not remove */

/* For a sweep: removes what is ours of a tree by its name, and it. 0 also where it is not there;
 * -ENOTDIR where that name is no directory; -ENOTEMPTY where something else lies in it. */
MUST_CHECK int tree_sweep(int parent, const char *name);

#endif
