/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * definition_targets.h - "target" and "targets" of a definition, and the helpers that reading
 * the other members takes as well.
 */
#ifndef SERVER_CODEC_DEFINITION_TARGETS_H
#define SERVER_CODEC_DEFINITION_TARGETS_H

#include <jansson.h>

#include "engine/plan/definition.h"

/* Either or none of the two members; both are a CONFLICT. Beside them "parent", where the zvols and
 * datasets are made that name none; CONFLICT where there is none that lacks it. */
MUST_CHECK int definition_decode_targets(const json_t *value, struct definition *definition,
					 struct error *err);

/* Whether a definition has a zvol or dataset that names no parent of its own. */
bool definition_lacks_parent(const json_t *definition);

/* A text member, copied; *ret_text stays as it is where there is none. WRONG_TYPE. */
MUST_CHECK int definition_decode_text_member(const json_t *object, const char *pointer,
					     const char *name, char **ret_text, struct error *err);

/* The value of a property, not yet looked at: heap. WRONG_TYPE. */
MUST_CHECK int definition_property_text(const char *name, const json_t *value, const char *pointer,
					char **ret_text, struct error *err);

/* The elements of an array of 1 to max; the pointer's last part names them in the message. */
MUST_CHECK int definition_count_elements(const json_t *array, const char *pointer, size_t max,
					 size_t *ret_count, struct error *err);

#endif
