/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * definition_repeats.h - repeats, as asked for and as made. A definition's "repeats" is a count, or
 * {"min"?, "max", "until_ci_percent"} where they end once the figures are known well enough
 * (repeats.h).
 */
#ifndef SERVER_CODEC_DEFINITION_REPEATS_H
#define SERVER_CODEC_DEFINITION_REPEATS_H

#include <jansson.h>

#include "engine/plan/repeats.h"
#include "server/codec/fields.h"

/* A whole number of an object whose pointer is given; *ret_value stays where it is absent. */
MUST_CHECK int definition_decode_integer(const json_t *value, const char *pointer, const char *name,
					 json_int_t min, json_int_t max, json_int_t *ret_value,
					 struct error *err);

/* The member "repeats" of a definition; 1 where it is absent. What it says is judged by
 * repeats_check(). */
MUST_CHECK int definition_decode_repeats(const json_t *value, struct definition *definition,
					 struct error *err);

/* The value of the member; NULL: no memory. */
json_t *definition_encode_repeats(const struct repeats *repeats);

/* The member "repeats" of an engine's end, a state, a run and a result: how they ended, {"ended":
 * "most" or "precise", "made", "most", "ci_percent"?, "until_ci_percent"}. Absent for NONE. */
int put_repeats_outcome(json_t *object, const struct repeats_outcome *outcome);
MUST_CHECK int get_repeats_outcome(const struct fields *in, struct repeats_outcome *ret_outcome);

#endif
