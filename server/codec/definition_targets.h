/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * definition_targets.h - "target" and "targets" of a definition, and the two helpers that reading
 * the other members takes as well.
 */
#ifndef SERVER_CODEC_DEFINITION_TARGETS_H
#define SERVER_CODEC_DEFINITION_TARGETS_H

#include <jansson.h>

#include "engine/plan/definition.h"

/* Either or none of the two members; both are a CONFLICT. */
MUST_CHECK int definition_decode_targets(const json_t *value, struct definition *definition,
					 struct error *err);

/* A text member, copied; *ret_text stays as it is where there is none. WRONG_TYPE. */
MUST_CHECK int definition_decode_text_member(const json_t *object, const char *pointer,
					     const char *name, char **ret_text, struct error *err);

/* The elements of an array of 1 to max; the pointer's last part names them in the message. */
MUST_CHECK int definition_count_elements(const json_t *array, const char *pointer, size_t max,
					 size_t *ret_count, struct error *err);

#endif
