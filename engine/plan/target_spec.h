/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * target_spec.h - a target as a definition names it.
 *
 * Three kinds are there by a path: a file, a directory for a file a job, a block device. Two are
 * made on OpenZFS for the run, beneath a parent dataset, and are gone with it: a zvol, which is
 * used as a device is, and a dataset, which is used as a directory is.
 *
 * Strings are heap and owned by their struct.
 */
#ifndef ENGINE_PLAN_TARGET_SPEC_H
#define ENGINE_PLAN_TARGET_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/macros.h"

enum target_kind {
	TARGET_FILE,
	TARGET_DIRECTORY,
	TARGET_DEVICE,
	TARGET_ZVOL,
	TARGET_DATASET,
	TARGET_KIND_COUNT
};

extern const char *const target_kind_names[]; /* "file", "directory", ...; NULL at the end */

/* Its jobs share one block device. */
bool target_kind_is_block(enum target_kind kind);
/* Each of its jobs has a file. */
bool target_kind_has_files(enum target_kind kind);
/* Made by the run beneath a parent dataset. */
bool target_kind_is_zfs(enum target_kind kind);

/* What stands behind the colon of "file:/tank/a" or "zvol:tank/volbench", and the kind before it;
 * NULL where there is no such kind, or nothing behind it. */
const char *target_kind_parse(const char *text, enum target_kind *ret_kind);

/* OpenZFS properties, by native names ("volblocksize"); values as `zfs set` takes them. */
struct property {
	char *name, *value;
};

struct properties {
	size_t count;
	struct property *list; /* each name once, in the order they were first given */
};

const char *properties_get(const struct properties *properties, const char *name); /* or NULL */
/* Adds, or replaces the value. -ENOMEM; then nothing has changed. */
MUST_CHECK int properties_set(struct properties *properties, const char *name, const char *value);
/* Sets all of `over` in *properties. -ENOMEM. */
MUST_CHECK int properties_overlay(struct properties *properties, const struct properties *over);
void properties_done(struct properties *properties);

struct target_spec {
	char *name; /* level name where targets are compared; else NULL */
	enum target_kind kind;
	char *path;	   /* of a zvol or dataset its parent: "tank/volbench" */
	bool existing;	   /* read what is there, never write or remove it */
	char *fingerprint; /* device only: the override of SECURITY, as GET /targets gave it; or
			      NULL */
	/* Of a zvol: */
	uint64_t size_bytes; /* volsize; 0: as large as the workloads need */
	bool sparse;	     /* without refreservation */
	/* Of a zvol or dataset, to be set when it is made. */
	struct properties properties;
};

MUST_CHECK int target_spec_copy(const struct target_spec *from, struct target_spec *to);
void target_spec_done(struct target_spec *spec); /* leaves it all zero */

#endif
