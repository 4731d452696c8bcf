/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fields.h - members of JSON objects in and out, for the codecs of documents we wrote ourselves.
 *
 * Out: the put_ functions add a member and return 0, or -1 where memory ran out, so that a codec
 * may or them together and look once. They take any value: a uint64_t beyond 2^63-1 becomes a
 * real (rounded, never wrapped), a text that is not UTF-8 is shown with "?", a real that is
 * not finite, or negative, becomes 0: all reals here are amounts.
 *
 * In: a `struct fields` is an object and its JSON pointer. The get_ functions demand the member:
 * MISSING_FIELD, WRONG_TYPE, OUT_OF_RANGE or BAD_VALUE with its pointer. A stored document may have
 * been damaged, so nothing in it is trusted. Members that are not asked for are not looked at: a
 * later version of a document may have more.
 */
#ifndef SERVER_CODEC_FIELDS_H
#define SERVER_CODEC_FIELDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"

/* ---- out ---- */
int put_value(json_t *object, const char *name, json_t *value); /* takes value, NULL fails */
int put_u64(json_t *object, const char *name, uint64_t value);
int put_real(json_t *object, const char *name, double value);
int put_bool(json_t *object, const char *name, bool value);
int put_text(json_t *object, const char *name, const char *text);    /* NULL as "" */
int put_text_if(json_t *object, const char *name, const char *text); /* none for NULL, "" */
int put_time(json_t *object, const char *name, uint64_t wall_ms);    /* RFC 3339 */
int append_u64(json_t *array, uint64_t value);
int append_text(json_t *array, const char *text);

/* object, or NULL (and object freed) where failed is not 0. */
json_t *put_end(json_t *object, int failed);

/* ---- in ---- */
struct fields {
	const json_t *object; /* not owned */
	char pointer[ERROR_FIELD_MAX];
	struct error *err;
};

/* WRONG_TYPE where value is no object. pointer: that of value. */
MUST_CHECK int fields_of(const json_t *value, const char *pointer, struct error *err,
			 struct fields *ret_fields);

/* Sets an error of a member (an element's index may follow in `member`) and returns -EINVAL. */
int fields_error(const struct fields *in, enum error_code code, const char *member,
		 const char *format, ...) PRINTF_LIKE(4, 5);

bool fields_have(const struct fields *in, const char *name);

MUST_CHECK int get_u64(const struct fields *in, const char *name, uint64_t max,
		       uint64_t *ret_value);
MUST_CHECK int get_real(const struct fields *in, const char *name, double max, double *ret_value);
MUST_CHECK int get_bool(const struct fields *in, const char *name, bool *ret_value);
/* Heap. "" is read as NULL where empty_is_null. */
MUST_CHECK int get_text(const struct fields *in, const char *name, bool empty_is_null,
			char **ret_text);
/* Into a buffer that must be large enough; "" where the member is absent and `optional`. */
MUST_CHECK int get_text_into(const struct fields *in, const char *name, bool optional, char *buffer,
			     size_t size);
/* The index of the member's text among count names. */
MUST_CHECK int get_choice(const struct fields *in, const char *name, const char *const *names,
			  size_t count, size_t *ret_index);
MUST_CHECK int get_time(const struct fields *in, const char *name, uint64_t *ret_wall_ms);
/* Its elements: an array of at most max. */
MUST_CHECK int get_array(const struct fields *in, const char *name, size_t max,
			 const json_t **ret_array);
MUST_CHECK int get_object(const struct fields *in, const char *name, struct fields *ret_fields);
/* The object at an index of an array. */
MUST_CHECK int get_element(const struct fields *in, const char *name, const json_t *array,
			   size_t index, struct fields *ret_fields);
/* The member "schema" must be this one: UNSUPPORTED_SCHEMA. */
MUST_CHECK int get_schema(const struct fields *in, const char *schema);

/* A number that put_u64 wrote; false where value is none. */
bool value_u64(const json_t *value, uint64_t *ret_value);

#endif
