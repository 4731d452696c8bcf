/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json.h - strict JSON in, compact JSON out: what every codec and the API's handlers share.
 *
 * Strict means: one value, nothing after it; UTF-8 without BOM; no NUL; no duplicate member; depth
 * at most 16; integers within int64, reals finite. Errors JSON_INVALID carry line and column in
 * the message, JSON_TOO_DEEP, JSON_NUMBER.
 *
 * jansson's traps this hides: json_unpack's silent wrap of integers, NaN written as null, deep
 * recursion, memory growth of tiny objects (depth and size are checked before parsing).
 */
#ifndef SERVER_CODEC_JSON_H
#define SERVER_CODEC_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"

#define JSON_DEPTH_MAX 16
#define JSON_TEXT_MAX (1 << 20) /* bytes of a document from outside; more is BODY_TOO_LARGE */

MUST_CHECK int json_read(const char *text, size_t size, json_t **ret_value, struct error *err);

/* For documents we wrote ourselves (stored, or from the engine): deeper nesting is fine there. */
MUST_CHECK int json_read_own(const char *text, size_t size, json_t **ret_value, struct error *err);

/* For what other tools print, of any size: whoever calls bounds the memory that its values take.
 * Integers are read as reals, beyond 2^63 too, and of a repeated member the last one counts. */
MUST_CHECK int json_read_others(const char *text, size_t size, json_t **ret_value,
				struct error *err);

/*
 * Heap text, one line, members in insertion order; reals in the shortest form that reads back as
 * the same double, always with a point or an exponent; "<" as \u003c, so that a document may stand
 * in a page. NULL: no memory, or a NULL value.
 */
char *json_write(const json_t *value);

#define JSON_REAL_MAX 40

/* The shortest decimal that reads back as the same double, which is finite: "0.1", "1e+300", "4".
 * Returns buffer. */
const char *json_real_text(double value, char buffer[JSON_REAL_MAX]);

/* A JSON pointer: appends "/" and the escaped (~0 ~1) member name, or the index, to `base`; buffer
 * may be base. What does not fit is left out, between characters. */
void json_pointer_member(char *buffer, size_t size, const char *base, const char *member);
void json_pointer_index(char *buffer, size_t size, const char *base, size_t index);

/* UNKNOWN_FIELD with the pointer of the first member that is not among names (NULL-terminated);
 * the message lists what is allowed. */
MUST_CHECK int json_only_members(const json_t *object, const char *pointer,
				 const char *const *names, struct error *err);

/* A problem+json document (RFC 9457) of an error: type, title, status, detail, code, field (""
 * where no field is to blame). */
json_t *json_problem(const struct error *err, int status);

/* {"code", "field", "message", "sys"?} and back, as the engine's lines and state files carry it. A
 * code we do not know, or none, is read as SYSTEM. */
json_t *json_error(const struct error *err);
void json_error_read(const json_t *value, struct error *ret_err);

#endif
