/* SPDX-License-Identifier: GPL-3.0-or-later */
/* path.c - percent-decoding of paths and parameters: see router.h. */
#include <stdint.h>
#include <string.h>

#include "api/router.h"

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* The byte at *text, decoded; moves *text behind it. -1: malformed. */
static int next_byte(const char **text, bool plus_is_space)
{
	const char *p = *text;
	int high, low;

	if (*p != '%') {
		*text = p + 1;
		return plus_is_space && *p == '+' ? ' ' : (unsigned char)*p;
	}
	high = hex_value(p[1]);
	low = high < 0 ? -1 : hex_value(p[2]);
	if (low < 0)
		return -1;
	*text = p + 3;
	return high * 16 + low;
}

/* Bytes of the well-formed UTF-8 sequence at text, 0 when there is none (RFC 3629). */
static size_t utf8_length(const unsigned char *text)
{
	unsigned char first = text[0];
	size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

	if (first < 0x80)
		return 1;
	if (first < 0xc2 || first > 0xf4)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	if ((first == 0xe0 && text[1] < 0xa0) || (first == 0xed && text[1] > 0x9f) ||
	    (first == 0xf0 && text[1] < 0x90) || (first == 0xf4 && text[1] > 0x8f))
		return 0;
	return length;
}

static bool utf8_ok(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	while (*p) {
		size_t length = utf8_length(p);

		if (length == 0)
			return false;
		p += length;
	}
	return true;
}

static bool control(int byte)
{
	return byte < 0x20 || byte == 0x7f;
}

static int bad_path(struct error *err, const char *why)
{
	return error_set(err, ERROR_BAD_PATH, "", "the path of the URL %s", why);
}

/* Ends the segment that begins at `start`, and checks it. */
static int end_segment(struct path *path, const char *start, bool last, struct error *err)
{
	if (!*start && !last)
		return bad_path(err, "has an empty part (//)");
	if (strcmp(start, ".") == 0 || strcmp(start, "..") == 0)
		return bad_path(err, "has a part \".\" or \"..\"");
	if (!utf8_ok(start))
		return bad_path(err, "is not UTF-8");
	if (path->count == PATH_SEGMENTS_MAX)
		return error_set(err, ERROR_NOT_FOUND, "", "there is nothing at so long a path");
	path->segments[path->count++] = start;
	return 0;
}

int path_parse(const char *raw, struct path *ret_path, struct error *err)
{
	char *out = ret_path->text, *start = out;
	char *limit = ret_path->text + sizeof(ret_path->text) - 1;
	int r;

	ret_path->count = 0;
	if (*raw != '/')
		return bad_path(err, "must begin with /");
	for (raw++; *raw;) {
		bool encoded = *raw == '%';
		int byte = next_byte(&raw, false);

		if (byte < 0)
			return bad_path(err, "has a % without two hexadecimal digits");
		if (byte == '\\' || control(byte) || (encoded && byte == '/'))
			return bad_path(err, "has an encoded /, a backslash or a control "
					     "character");
		if (out == limit)
			return bad_path(err, "is too long");
		if (byte == '/') {
			*out++ = '\0';
			r = end_segment(ret_path, start, false, err);
			if (r < 0)
				return r;
			start = out;
		} else {
			*out++ = (char)byte;
		}
	}
	*out = '\0';
	return end_segment(ret_path, start, true, err);
}

int path_decode_parameter(const char *raw, char **ret_text, struct error *err)
{
	char *text = malloc(strlen(raw) + 1), *out = text;

	if (!text)
		return error_no_memory(err);
	while (*raw) {
		int byte = next_byte(&raw, true);

		if (byte < 0 || control(byte)) {
			free(text);
			return error_set(err, ERROR_BAD_PARAMETER, "",
					 "the query of the URL is not well-formed");
		}
		*out++ = (char)byte;
	}
	*out = '\0';
	if (!utf8_ok(text)) {
		free(text);
		return error_set(err, ERROR_BAD_PARAMETER, "", "the query of the URL is not UTF-8");
	}
	*ret_text = text;
	return 0;
}
