/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scratch.h - the files a run makes and removes, all in one directory.
 *
 * Making them: the manifest intends the unique temporary names -> each is created there (O_EXCL,
 * 0600) and gets its whole size -> the manifest notes what was made and under which name it will
 * stand -> each is renamed, never replacing. They are opened and removed by name in the directory
 * that was opened first, and only while they are still the same files. Used inside engine/target
 * only; control thread.
 */
#ifndef ENGINE_TARGET_SCRATCH_H
#define ENGINE_TARGET_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"

struct manifest;
struct scratch;

struct scratch_plan {
	struct manifest *manifest; /* outlives the scratch; NULL: what they lie in goes with them */
	const char *run_id;
	int dirfd;		  /* O_PATH of the directory; duplicated */
	const char *directory;	  /* its path, as the target names it */
	const char *const *names; /* of the files in it */
	size_t count;
	uint64_t bytes; /* of each */
};

/* NO_SPACE, FILE_EXISTS, SYSTEM; nothing is left behind then, but what the manifest still names. */
MUST_CHECK int scratch_create(const struct scratch_plan *plan, struct scratch **ret_scratch,
			      struct error *err);

/* Opens a file anew. TARGET_MISSING, or TARGET_TYPE where another one stands in its place. */
MUST_CHECK int scratch_open(const struct scratch *scratch, size_t index, int flags, int *ret_fd,
			    struct error *err);

/* O_PATH of the directory; not for keeping. */
int scratch_directory(const struct scratch *scratch);

/* Removes all of them and forgets them in the manifest; the first error is told. */
MUST_CHECK int scratch_remove(struct scratch *scratch, struct error *err);
void scratch_free(struct scratch *scratch); /* does not remove */

#endif
