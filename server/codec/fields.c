/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fields.c - see fields.h. */
#include "server/codec/fields.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "server/codec/json.h"

#define TWO_TO_63 9223372036854775808.0

int put_value(json_t *object, const char *name, json_t *value)
{
	return json_object_set_new(object, name, value);
}

static json_t *from_u64(uint64_t value)
{
	double rounded = (double)value;

	if (value <= INT64_MAX)
		return json_integer((json_int_t)value);
	return json_real(rounded < 2 * TWO_TO_63 ? rounded : nextafter(2 * TWO_TO_63, 0));
}

int put_u64(json_t *object, const char *name, uint64_t value)
{
	return put_value(object, name, from_u64(value));
}

int append_u64(json_t *array, uint64_t value)
{
	return json_array_append_new(array, from_u64(value));
}

int put_real(json_t *object, const char *name, double value)
{
	return put_value(object, name, json_real(isfinite(value) && value > 0 ? value : 0));
}

int put_bool(json_t *object, const char *name, bool value)
{
	return put_value(object, name, json_boolean(value));
}

static json_t *from_text(const char *text)
{
	const char *raw = text ? text : "";
	json_t *value = json_string(raw);
	size_t size = strlen(raw) + 1; /* "?" takes a byte for a byte, or fewer */
	char *clean;

	if (value)
		return value;
	clean = malloc(size);
	if (!clean)
		return NULL;
	value = json_string(text_clean(raw, clean, size));
	free(clean);
	return value;
}

int put_text(json_t *object, const char *name, const char *text)
{
	return put_value(object, name, from_text(text));
}

int append_text(json_t *array, const char *text)
{
	return json_array_append_new(array, from_text(text));
}

int put_text_if(json_t *object, const char *name, const char *text)
{
	return text && text[0] ? put_text(object, name, text) : 0;
}

int put_time(json_t *object, const char *name, uint64_t wall_ms)
{
	char text[CLOCK_TEXT_MAX];

	return put_text(object, name, clock_format(wall_ms, text));
}

json_t *put_end(json_t *object, int failed)
{
	if (!failed)
		return object;
	json_decref(object);
	return NULL;
}

int fields_of(const json_t *value, const char *pointer, struct error *err,
	      struct fields *ret_fields)
{
	if (!json_is_object(value))
		return error_set(err, ERROR_WRONG_TYPE, pointer, "an object is needed here");
	ret_fields->object = value;
	(void)snprintf(ret_fields->pointer, sizeof(ret_fields->pointer), "%s", pointer);
	ret_fields->err = err;
	return 0;
}

int fields_error(const struct fields *in, enum error_code code, const char *member,
		 const char *format, ...)
{
	char pointer[ERROR_FIELD_MAX], message[ERROR_MESSAGE_MAX];
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(message, sizeof(message), format, arguments); /* ours, and short */
	va_end(arguments);
	json_pointer_member(pointer, sizeof(pointer), in->pointer, member);
	return error_set(in->err, code, pointer, "%s", message);
}

bool fields_have(const struct fields *in, const char *name)
{
	return json_object_get(in->object, name) != NULL;
}

static int get(const struct fields *in, const char *name, const json_t **ret_value)
{
	*ret_value = json_object_get(in->object, name);
	if (!*ret_value)
		return fields_error(in, ERROR_MISSING_FIELD, name, "\"%s\" is missing", name);
	return 0;
}

bool value_u64(const json_t *value, uint64_t *ret_value)
{
	double real;

	if (json_is_integer(value)) {
		if (json_integer_value(value) < 0)
			return false;
		*ret_value = (uint64_t)json_integer_value(value);
		return true;
	}
	if (!json_is_real(value))
		return false;
	real = json_real_value(value); /* from 2^63 on every double is whole */
	if (!(real >= TWO_TO_63) || !(real < 2 * TWO_TO_63))
		return false;
	*ret_value = (uint64_t)real;
	return true;
}

int get_u64(const struct fields *in, const char *name, uint64_t max, uint64_t *ret_value)
{
	const json_t *value;
	uint64_t number;
	int r;

	r = get(in, name, &value);
	if (r < 0)
		return r;
	if (!json_is_number(value))
		return fields_error(in, ERROR_WRONG_TYPE, name, "a number is needed here");
	if (!value_u64(value, &number) || number > max)
		return fields_error(in, ERROR_OUT_OF_RANGE, name,
				    "a whole number from 0 to %llu is needed here",
				    (unsigned long long)max);
	*ret_value = number;
	return 0;
}

int get_real(const struct fields *in, const char *name, double max, double *ret_value)
{
	const json_t *value;
	double number;
	int r;

	r = get(in, name, &value);
	if (r < 0)
		return r;
	if (!json_is_number(value))
		return fields_error(in, ERROR_WRONG_TYPE, name, "a number is needed here");
	number = json_number_value(value);
	if (!(number >= 0) || !(number <= max))
		return fields_error(in, ERROR_OUT_OF_RANGE, name,
				    "a number from 0 to %g is needed here", max);
	*ret_value = number;
	return 0;
}

int get_bool(const struct fields *in, const char *name, bool *ret_value)
{
	const json_t *value;
	int r;

	r = get(in, name, &value);
	if (r < 0)
		return r;
	if (!json_is_boolean(value))
		return fields_error(in, ERROR_WRONG_TYPE, name, "true or false is needed here");
	*ret_value = json_is_true(value);
	return 0;
}

static int get_string(const struct fields *in, const char *name, const char **ret_text)
{
	const json_t *value;
	int r;

	r = get(in, name, &value);
	if (r < 0)
		return r;
	if (!json_is_string(value))
		return fields_error(in, ERROR_WRONG_TYPE, name, "a text is needed here");
	*ret_text = json_string_value(value);
	return 0;
}

int get_text(const struct fields *in, const char *name, bool empty_is_null, char **ret_text)
{
	const char *text = NULL;
	char *copy = NULL;
	int r;

	r = get_string(in, name, &text);
	if (r < 0)
		return r;
	if (text[0] || !empty_is_null) {
		copy = strdup(text);
		if (!copy)
			return error_no_memory(in->err);
	}
	*ret_text = copy;
	return 0;
}

int get_text_into(const struct fields *in, const char *name, bool optional, char *buffer,
		  size_t size)
{
	const char *text = "";
	size_t length;
	int r;

	if (!optional || fields_have(in, name)) {
		r = get_string(in, name, &text);
		if (r < 0)
			return r;
	}
	length = strlen(text);
	if (length >= size)
		return fields_error(in, ERROR_OUT_OF_RANGE, name,
				    "the text has %zu bytes; at most %zu are read", length,
				    size - 1);
	memcpy(buffer, text, length + 1);
	return 0;
}

int get_choice(const struct fields *in, const char *name, const char *const *names, size_t count,
	       size_t *ret_index)
{
	char quoted[TEXT_EXCERPT_MAX];
	const char *text = NULL;
	int r;

	r = get_string(in, name, &text);
	if (r < 0)
		return r;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(names[i], text) == 0) {
			*ret_index = i;
			return 0;
		}
	}
	return fields_error(in, ERROR_BAD_VALUE, name, "\"%s\" is none of the %zu values there are",
			    text_excerpt(text, quoted), count);
}

/* The digits of a fixed-width number; -1 where one is none. */
static int digits(const char *text, size_t count)
{
	int value = 0;

	for (size_t i = 0; i < count; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -1;
		value = value * 10 + (text[i] - '0');
	}
	return value;
}

/* Exactly clock_format()'s form, and only a time that it would write so. */
static bool read_time(const char *text, uint64_t *ret_wall_ms)
{
	char again[CLOCK_TEXT_MAX];
	struct tm parts = {0};
	time_t seconds;
	int ms;

	if (strlen(text) != strlen("2026-11-30T11:30:00.123Z"))
		return false;
	parts.tm_year = digits(text, 4) - 1900;
	parts.tm_mon = digits(text + 5, 2) - 1;
	parts.tm_mday = digits(text + 8, 2);
	parts.tm_hour = digits(text + 11, 2);
	parts.tm_min = digits(text + 14, 2);
	parts.tm_sec = digits(text + 17, 2);
	ms = digits(text + 20, 3);
	seconds = timegm(&parts);
	if (seconds < 0 || ms < 0)
		return false;
	*ret_wall_ms = (uint64_t)seconds * 1000 + (uint64_t)ms;
	return strcmp(clock_format(*ret_wall_ms, again), text) == 0;
}

int get_time(const struct fields *in, const char *name, uint64_t *ret_wall_ms)
{
	const char *text = NULL;
	uint64_t wall_ms;
	int r;

	r = get_string(in, name, &text);
	if (r < 0)
		return r;
	if (!read_time(text, &wall_ms))
		return fields_error(in, ERROR_BAD_VALUE, name,
				    "a time like 2026-11-30T11:30:00.123Z is needed here");
	*ret_wall_ms = wall_ms;
	return 0;
}

int get_array(const struct fields *in, const char *name, size_t max, const json_t **ret_array)
{
	const json_t *value;
	int r;

	r = get(in, name, &value);
	if (r < 0)
		return r;
	if (!json_is_array(value))
		return fields_error(in, ERROR_WRONG_TYPE, name, "a list is needed here");
	if (json_array_size(value) > max)
		return fields_error(in, ERROR_TOO_MANY, name,
				    "the list has %zu entries; at most %zu are read",
				    json_array_size(value), max);
	*ret_array = value;
	return 0;
}

int get_object(const struct fields *in, const char *name, struct fields *ret_fields)
{
	char pointer[ERROR_FIELD_MAX];
	const json_t *value;
	int r;

	r = get(in, name, &value);
	if (r < 0)
		return r;
	json_pointer_member(pointer, sizeof(pointer), in->pointer, name);
	return fields_of(value, pointer, in->err, ret_fields);
}

int get_element(const struct fields *in, const char *name, const json_t *array, size_t index,
		struct fields *ret_fields)
{
	char list[ERROR_FIELD_MAX], pointer[ERROR_FIELD_MAX];

	json_pointer_member(list, sizeof(list), in->pointer, name);
	json_pointer_index(pointer, sizeof(pointer), list, index);
	return fields_of(json_array_get(array, index), pointer, in->err, ret_fields);
}

int get_schema(const struct fields *in, const char *schema)
{
	char quoted[TEXT_EXCERPT_MAX];
	const char *text = NULL;
	int r;

	r = get_string(in, "schema", &text);
	if (r < 0)
		return r;
	if (strcmp(text, schema) != 0)
		return fields_error(in, ERROR_UNSUPPORTED_SCHEMA, "schema",
				    "the document is a \"%s\"; this program reads \"%s\"",
				    text_excerpt(text, quoted), schema);
	return 0;
}
