/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * definition.h - what is to be compared: targets, factors, workloads, repeats.
 *
 * Filled by server/codec/definition.c from JSON, checked by definition_check(), immutable once
 * accepted. All strings are heap and owned by the definition.
 */
#ifndef ENGINE_PLAN_DEFINITION_H
#define ENGINE_PLAN_DEFINITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/plan/workload.h"

/* Limits; each has a test at it and one above it. */
#define DEFINITION_NAME_MAX 128	 /* bytes of a name or label */
#define DEFINITION_TEXT_MAX 2000 /* bytes of a description */
#define DEFINITION_TARGETS_MAX 16
#define DEFINITION_FACTORS_MAX 8
#define DEFINITION_LEVELS_MAX 64
#define DEFINITION_WORKLOADS_MAX 64
#define DEFINITION_REPEATS_MAX 100
#define DEFINITION_SAMPLES_MAX 10000

enum target_kind { TARGET_FILE, TARGET_DIRECTORY, TARGET_DEVICE };

extern const char *const target_kind_names[]; /* "file", "directory", "device" */

struct target_spec {
	char *name; /* level name where targets are compared; else NULL */
	enum target_kind kind;
	char *path;
	bool existing;	   /* read what is there, never write or remove it */
	char *fingerprint; /* device only: the override of SECURITY, as GET /targets gave it; or
			      NULL */
};

struct factor {
	char *name;		     /* an option's name, or "target" */
	const struct option *option; /* NULL: the targets are the levels */
	size_t level_count;
	char **levels; /* as shown: canonical text of the option, or target names */
};

enum sample_order { ORDER_INTERLEAVED, ORDER_GROUPED };

struct definition {
	char *name;
	char *description; /* or NULL */
	size_t target_count;
	struct target_spec *targets;
	size_t factor_count;
	struct factor *factors; /* the first is the chart's axis */
	struct workload defaults;
	size_t workload_count;
	struct workload *workloads; /* each with its name; options as given, not completed */
	struct workload override;   /* laid over all else */
	unsigned int repeats;
	enum sample_order order;
	uint64_t seed;
	bool seed_given;
};

/* All zero but repeats 1; definition_done frees what it holds. */
void definition_init(struct definition *definition);
void definition_done(struct definition *definition);

/*
 * What can be checked without a target: names unique and printable, counts within the limits,
 * levels distinct, every combination completes (workload_complete), filename/directory against
 * target, read-only where a target is `existing`. A filename or directory option becomes the
 * target where the definition has none. Pointers are those of the JSON document
 * ("/workloads/0/bs", "/factors/iodepth/1").
 */
MUST_CHECK int definition_check(struct definition *definition, struct error *err);

#endif
