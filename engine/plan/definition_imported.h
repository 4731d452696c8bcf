/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * definition_imported.h - the factors of a definition that was imported (definition.imported).
 *
 * What a factor is follows from its name: that of an option which may be a factor is the option,
 * that of a property of OpenZFS the property, any other a label. Of a name that is both ("sync")
 * the levels decide: all values of the property, else of the option. Labels are kept as they are,
 * the others' levels are canonical ("4096" is "4k").
 */
#ifndef ENGINE_PLAN_DEFINITION_IMPORTED_H
#define ENGINE_PLAN_DEFINITION_IMPORTED_H

#include "engine/plan/definition.h"

/* Finds kind and option of a factor that has its name and levels. BAD_VALUE with the field
 * "/factors/NAME" where a level is no value of it. */
MUST_CHECK int definition_imported_factor(struct factor *factor, struct error *err);

/* The canonical text of one level, heap; the text itself for a label and for a name that is both.
 * BAD_VALUE as above. */
MUST_CHECK int definition_imported_level(const char *factor, const char *level, char **ret_text,
					 struct error *err);

/* That nothing in it asks for a run: no target, nothing laid over. CONFLICT. */
MUST_CHECK int definition_imported_check(const struct definition *definition, struct error *err);

#endif
