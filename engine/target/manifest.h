/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * manifest.h - what a run created, written down before it is created, so that a crash leaves
 * nothing behind.
 *
 * A text file a run, DIR/<run id>.manifest, in the engine's own directory:
 *   volbench.manifest/1
 *   intend PATH            (durable before the file is made under this unique temporary name)
 *   made DEV INO PATH      (durable before the file is renamed, RENAME_NOREPLACE, to PATH)
 * A sweep removes the temporary name of an `intend`, and PATH of a `made` only where it is still
 * the regular file of that device and inode; anything else is left and told.
 */
#ifndef ENGINE_TARGET_MANIFEST_H
#define ENGINE_TARGET_MANIFEST_H

#include <sys/types.h>

#include "engine/base/error.h"
#include "engine/plan/finding.h"
#include "engine/target/allow.h"

struct manifest;

/* Starts the manifest of a run; dirfd is kept by the caller, open as long as the manifest. */
MUST_CHECK int manifest_new(int dirfd, const char *run_id, struct manifest **ret_manifest);
MUST_CHECK int manifest_intend(struct manifest *manifest, const char *path);
MUST_CHECK int manifest_made(struct manifest *manifest, const char *path, dev_t device,
			     ino_t inode);
/* The file is gone: durable forgetting happens in manifest_finish. */
void manifest_removed(struct manifest *manifest, const char *path);
/* Removes the manifest when all it names is gone; else rewrites it with what is left. */
MUST_CHECK int manifest_finish(struct manifest *manifest);
void manifest_free(struct manifest *manifest);

/* Removes what dead runs left. Findings: "removed" (info) and "left" (warning) a path each. */
MUST_CHECK int manifest_sweep(int dirfd, const struct allow *allow, struct findings *findings,
			      struct error *err);

#endif
