/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * definition_made.h - what is to be made on OpenZFS, as far as it can be judged without OpenZFS:
 * zvols, datasets, and the factors that are properties of theirs. Steps of definition_check().
 */
#ifndef ENGINE_PLAN_DEFINITION_MADE_H
#define ENGINE_PLAN_DEFINITION_MADE_H

#include "engine/plan/definition.h"

/* Bytes of a parent's name: OpenZFS allows 255 for the whole of "PARENT/volbench-RUN-N", of which
 * the run's id may take 63 and the instance's number 4. */
#define DEFINITION_PARENT_MAX 178

/* A zvol's size is a multiple of this where no volblocksize is given: of the default of 8K (2.1)
 * and of 16K (from 2.2). */
#define DEFINITION_VOLUME_UNIT (UINT64_C(16) << 10)
/* One that is computed is a multiple of the largest block that every pool takes. */
#define DEFINITION_VOLUME_ROUND (UINT64_C(128) << 10)

/* A name that parents may have: BAD_VALUE, OUT_OF_RANGE. field: where it was given. */
MUST_CHECK int definition_made_check_parent(const char *parent, const char *field,
					    struct error *err);

/* Name of the parent, members that do not go together, properties one by one; these become
 * canonical. pointer: of the target ("/targets/1"). */
MUST_CHECK int definition_made_check_target(struct target_spec *target, const char *pointer,
					    struct error *err);

/* The levels of a factor that is a property become canonical; each error points to its level. */
MUST_CHECK int definition_made_canonical(const struct factor *factor, size_t level,
					 struct error *err);

/* Of a factor that is a property: that every target has the property, and none has it among its
 * own. pointer: of the factor. */
MUST_CHECK int definition_made_check_factor(const struct definition *definition,
					    const struct factor *factor, const char *pointer,
					    struct error *err);

/* How many zvols and datasets there are to be, and whether each zvol's size is one. After all other
 * checks, since it looks at every combination. */
MUST_CHECK int definition_made_check_whole(const struct definition *definition, struct error *err);

/* Bytes of the largest block that a zvol is made with: its volblocksize, or its largest level; 0
 * where none is given. */
uint64_t definition_made_block(const struct definition *definition, size_t target);

#endif
