/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json.c - see json.h. A scan of our own refuses what jansson would take, or would take too much
 * stack or memory over; jansson then parses. Writing is our own too: jansson prints 0.1 as
 * 0.10000000000000001 and leaves "<" as it is.
 */
#include "server/codec/json.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"

/* Documents we wrote: a result holds samples, which hold directions, latencies, percentiles. */
#define OWN_DEPTH_MAX 64

/*
 * Where jansson's parser finds no memory it says nothing, speaks of an invalid token, or goes on
 * with a number it has cut: so its allocations are watched, from before any thread is made.
 */
static _Thread_local bool starved;

static void *watched_malloc(size_t size)
{
	void *memory = malloc(size);

	starved |= !memory;
	return memory;
}

__attribute__((constructor)) static void watch_jansson(void)
{
	json_set_alloc_funcs(watched_malloc, free);
}

struct place {
	size_t line, column; /* from 1; columns are characters */
};

static void step(struct place *place, unsigned char byte)
{
	if (byte == '\n') {
		place->line++;
		place->column = 1;
	} else if ((byte & 0xC0) != 0x80) {
		place->column++;
	}
}

static int refuse(struct error *err, enum error_code code, const struct place *place,
		  const char *what)
{
	return error_set(err, code, "", "line %zu, column %zu: %s", place->line, place->column,
			 what);
}

/* What has to hold before jansson sees the text: no BOM, no NUL, nesting within bounds. */
static int scan(const char *text, size_t size, size_t depth_max, struct error *err)
{
	struct place place = {1, 1};
	size_t depth = 0;
	bool in_string = false, escaped = false;

	if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
		return refuse(err, ERROR_JSON_INVALID, &place,
			      "the text begins with a byte order mark; leave it out");
	for (size_t i = 0; i < size; i++) {
		unsigned char byte = (unsigned char)text[i];

		if (byte == '\0')
			return refuse(err, ERROR_JSON_INVALID, &place, "a NUL byte");
		if (in_string) {
			if (escaped)
				escaped = false;
			else if (byte == '\\')
				escaped = true;
			else if (byte == '"')
				in_string = false;
		} else if (byte == '"') {
			in_string = true;
		} else if (byte == '[' || byte == '{') {
			if (++depth > depth_max)
				return refuse(err, ERROR_JSON_TOO_DEEP, &place,
					      depth_max == JSON_DEPTH_MAX
						      ? "nested more than 16 deep"
						      : "nested too deep");
		} else if ((byte == ']' || byte == '}') && depth > 0) {
			depth--;
		}
		step(&place, byte);
	}
	return 0;
}

static int from_jansson(const json_error_t *error, struct error *err)
{
	struct place place = {error->line > 0 ? (size_t)error->line : 1,
			      error->column > 0 ? (size_t)error->column : 1};
	char text[JSON_ERROR_TEXT_LENGTH];

	(void)snprintf(text, sizeof(text), "%s", error->text);
	for (char *p = text; *p; p++)
		if (iscntrl((unsigned char)*p))
			*p = '?';
	switch (json_error_code(error)) {
	case json_error_numeric_overflow:
		return refuse(err, ERROR_JSON_NUMBER, &place,
			      "a number beyond what 64 bits hold (integers from -2^63 to 2^63-1)");
	case json_error_stack_overflow:
		return refuse(err, ERROR_JSON_TOO_DEEP, &place, "nested too deep");
	case json_error_null_character:
	case json_error_null_byte_in_key:
		return refuse(err, ERROR_JSON_INVALID, &place, "\\u0000 is not taken in a text");
	default:
		return refuse(err, ERROR_JSON_INVALID, &place, text);
	}
}

static int read_value(const char *text, size_t size, size_t depth_max, size_t flags,
		      json_t **ret_value, struct error *err)
{
	json_error_t error;
	json_t *value;
	int r;

	r = scan(text, size, depth_max, err);
	if (r < 0)
		return r;
	starved = false;
	value = json_loadb(text, size, flags, &error);
	if (starved) {
		json_decref(value);
		(void)error_set(err, ERROR_NO_MEMORY, "", "not enough memory for the document");
		return -ENOMEM;
	}
	if (!value)
		return from_jansson(&error, err);
	*ret_value = value;
	return 0;
}

int json_read(const char *text, size_t size, json_t **ret_value, struct error *err)
{
	if (size > JSON_TEXT_MAX)
		return error_set(err, ERROR_BODY_TOO_LARGE, "",
				 "the document has %zu bytes; at most %d are read", size,
				 JSON_TEXT_MAX);
	return read_value(text, size, JSON_DEPTH_MAX, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY,
			  ret_value, err);
}

int json_read_own(const char *text, size_t size, json_t **ret_value, struct error *err)
{
	return read_value(text, size, OWN_DEPTH_MAX, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY,
			  ret_value, err);
}

int json_read_others(const char *text, size_t size, json_t **ret_value, struct error *err)
{
	return read_value(text, size, JSON_DEPTH_MAX, JSON_DECODE_INT_AS_REAL, ret_value, err);
}

static void write_string(FILE *out, const char *text, size_t length)
{
	(void)fputc('"', out);
	for (size_t i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)text[i];

		if (byte == '"' || byte == '\\')
			(void)fprintf(out, "\\%c", byte);
		else if (byte == '\n')
			(void)fputs("\\n", out);
		else if (byte < 0x20 || byte == '<' || byte == 0x7F)
			(void)fprintf(out, "\\u%04x", byte);
		else
			(void)fputc(byte, out);
	}
	(void)fputc('"', out);
}

const char *json_real_text(double value, char buffer[JSON_REAL_MAX])
{
	for (int digits = 15; digits <= 17; digits++) {
		(void)snprintf(buffer, JSON_REAL_MAX, "%.*g", digits, value);
		if (strtod(buffer, NULL) == value)
			break;
	}
	return buffer;
}

/* Always with a "." or an exponent. */
static void write_real(FILE *out, double value)
{
	char text[JSON_REAL_MAX];

	(void)json_real_text(value, text);
	(void)fprintf(out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

static void write_value(FILE *out, const json_t *value)
{
	const char *separator = "";

	switch (json_typeof(value)) {
	case JSON_OBJECT:
		(void)fputc('{', out);
		for (void *i = json_object_iter((json_t *)value); i;
		     i = json_object_iter_next((json_t *)value, i)) {
			(void)fputs(separator, out);
			write_string(out, json_object_iter_key(i), json_object_iter_key_len(i));
			(void)fputc(':', out);
			write_value(out, json_object_iter_value(i));
			separator = ",";
		}
		(void)fputc('}', out);
		break;
	case JSON_ARRAY:
		(void)fputc('[', out);
		for (size_t i = 0; i < json_array_size(value); i++) {
			(void)fputs(separator, out);
			write_value(out, json_array_get(value, i));
			separator = ",";
		}
		(void)fputc(']', out);
		break;
	case JSON_STRING:
		write_string(out, json_string_value(value), json_string_length(value));
		break;
	case JSON_INTEGER:
		(void)fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
		break;
	case JSON_REAL:
		write_real(out, json_real_value(value));
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		(void)fputs(json_is_true(value) ? "true" : "false", out);
		break;
	case JSON_NULL:
		(void)fputs("null", out);
		break;
	}
}

char *json_write(const json_t *value)
{
	char *text = NULL;
	size_t size;
	FILE *out;
	bool failed;

	if (!value)
		return NULL;
	out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	write_value(out, value);
	failed = ferror(out) != 0; /* a write that failed for want of memory is told here */
	if (fclose(out) != 0 || failed) {
		free(text);
		return NULL;
	}
	return text;
}

/* Appends as much of text as fits, cut between characters. */
static void append(char *buffer, size_t size, size_t *used, const char *text, size_t length)
{
	if (length == 0 || *used + length >= size) {
		*used = size; /* full: nothing may follow what was left out */
		return;
	}
	memcpy(buffer + *used, text, length);
	*used += length;
	buffer[*used] = '\0';
}

static size_t start_pointer(char *buffer, size_t size, const char *base)
{
	size_t used = strnlen(base, size - 1);

	memmove(buffer, base, used);
	buffer[used] = '\0';
	append(buffer, size, &used, "/", 1);
	return used;
}

void json_pointer_member(char *buffer, size_t size, const char *base, const char *member)
{
	size_t used = start_pointer(buffer, size, base);

	while (*member) {
		size_t length = text_character(member);

		if (*member == '~')
			append(buffer, size, &used, "~0", 2);
		else if (*member == '/')
			append(buffer, size, &used, "~1", 2);
		else
			append(buffer, size, &used, member, length);
		member += length > 0 ? length : 1;
	}
}

void json_pointer_index(char *buffer, size_t size, const char *base, size_t index)
{
	size_t used = start_pointer(buffer, size, base);
	char digits[24];

	(void)snprintf(digits, sizeof(digits), "%zu", index);
	append(buffer, size, &used, digits, strlen(digits));
}

static void list_names(const char *const *names, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t i = 0; names[i] && used < size; i++) {
		int n = snprintf(buffer + used, size - used, "%s%s", i ? ", " : "", names[i]);

		used += n > 0 ? (size_t)n : 0;
	}
}

int json_only_members(const json_t *object, const char *pointer, const char *const *names,
		      struct error *err)
{
	for (void *i = json_object_iter((json_t *)object); i;
	     i = json_object_iter_next((json_t *)object, i)) {
		const char *key = json_object_iter_key(i);
		char field[ERROR_FIELD_MAX], quoted[TEXT_EXCERPT_MAX], allowed[ERROR_MESSAGE_MAX];
		size_t n = 0;

		while (names[n] && strcmp(names[n], key) != 0)
			n++;
		if (names[n])
			continue;
		list_names(names, allowed, sizeof(allowed));
		json_pointer_member(field, sizeof(field), pointer, key);
		return error_set(err, ERROR_UNKNOWN_FIELD, field,
				 "there is no member \"%s\" here; there are: %s",
				 text_excerpt(key, quoted), allowed);
	}
	return 0;
}

json_t *json_problem(const struct error *err, int status)
{
	const char *code = error_code_text(err->code);
	char title[64], type[96], message[ERROR_MESSAGE_MAX], field[ERROR_FIELD_MAX];

	(void)snprintf(type, sizeof(type), "urn:volbench:problem:%s", code);
	(void)snprintf(title, sizeof(title), "%s", code);
	title[0] = (char)toupper((unsigned char)title[0]);
	for (char *p = title; *p; p++)
		if (*p == '_')
			*p = ' ';
	return json_pack("{s:s, s:s, s:i, s:s, s:s, s:s}", "type", type, "title", title, "status",
			 status, "detail", text_clean(err->message, message, sizeof(message)),
			 "code", code, "field", text_clean(err->field, field, sizeof(field)));
}

json_t *json_error(const struct error *err)
{
	char message[ERROR_MESSAGE_MAX], field[ERROR_FIELD_MAX];
	json_t *value = json_pack("{s:s, s:s, s:s}", "code", error_code_text(err->code), "field",
				  text_clean(err->field, field, sizeof(field)), "message",
				  text_clean(err->message, message, sizeof(message)));

	if (value && err->sys != 0 &&
	    json_object_set_new(value, "sys", json_integer(err->sys)) < 0) {
		json_decref(value);
		return NULL;
	}
	return value;
}

static const char *text_member(const json_t *value, const char *name, const char *otherwise)
{
	const char *text = json_string_value(json_object_get(value, name));

	return text ? text : otherwise;
}

void json_error_read(const json_t *value, struct error *ret_err)
{
	json_int_t sys = json_integer_value(json_object_get(value, "sys"));
	enum error_code code = error_code_from_text(text_member(value, "code", ""));

	(void)error_set(ret_err, code == ERROR_NONE ? ERROR_SYSTEM : code,
			text_member(value, "field", ""), "%s",
			text_member(value, "message", "no reason was given"));
	ret_err->sys = sys > 0 && sys < 4096 ? (int)sys : 0;
}
