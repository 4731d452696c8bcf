/* SPDX-License-Identifier: GPL-3.0-or-later */
/* multipart.c - see multipart.h. */
#include "api/multipart.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "engine/base/text.h"

struct walk {
	const char *at, *end;
	char delimiter[80]; /* CRLF, "--", boundary */
	size_t length;
	size_t part;
	struct error *err;
};

static int wrong(const struct walk *walk, const char *what)
{
	return error_set(walk->err, ERROR_BAD_REQUEST, "", "multipart/form-data, part %zu: %s",
			 walk->part, what);
}

static bool starts(const struct walk *walk, const char *text, size_t length)
{
	return (size_t)(walk->end - walk->at) >= length && memcmp(walk->at, text, length) == 0;
}

/* Behind a delimiter: the end, or a line's end. */
static int after_delimiter(struct walk *walk, bool *ret_last)
{
	*ret_last = starts(walk, "--", 2);
	if (*ret_last)
		return 0;
	while (walk->at < walk->end && (*walk->at == ' ' || *walk->at == '\t'))
		walk->at++;
	if (!starts(walk, "\r\n", 2))
		return wrong(walk, "no line ends behind the boundary");
	walk->at += 2;
	return 0;
}

/* ---- headers ---- */

/* The value of a parameter such as name="a \"b\""; false where there is none. */
static bool find_parameter(const char *line, size_t length, const char *name, char *buffer,
			   size_t size)
{
	const char *end = line + length, *at = line;
	size_t used = 0, name_length = strlen(name);

	while ((at = memchr(at, ';', (size_t)(end - at)))) {
		at++;
		while (at < end && (*at == ' ' || *at == '\t'))
			at++;
		if ((size_t)(end - at) > name_length + 2 &&
		    strncasecmp(at, name, name_length) == 0 && at[name_length] == '=' &&
		    at[name_length + 1] == '"')
			break;
	}
	if (!at)
		return false;
	for (at += name_length + 2; at < end && *at != '"'; at++) {
		if (*at == '\\' && at + 1 < end && (at[1] == '"' || at[1] == '\\'))
			at++;
		if (used + 1 < size)
			buffer[used++] = *at;
	}
	buffer[used] = '\0';
	return at < end;
}

static bool is_header(const char *line, size_t length, const char *name)
{
	size_t name_length = strlen(name);

	return length > name_length && strncasecmp(line, name, name_length) == 0 &&
	       line[name_length] == ':';
}

static bool plain_encoding(const char *line, size_t length)
{
	static const char *const plain[] = {"binary", "8bit", "7bit"};
	const char *at = memchr(line, ':', length), *end = line + length;

	for (at++; at < end && (*at == ' ' || *at == '\t');)
		at++;
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		if ((size_t)(end - at) == strlen(plain[i]) &&
		    strncasecmp(at, plain[i], strlen(plain[i])) == 0)
			return true;
	return false;
}

static int read_disposition(const struct walk *walk, const char *line, size_t length,
			    struct multipart_part *part)
{
	static const char value[] = "form-data;";
	const char *at = (const char *)memchr(line, ':', length) + 1;
	char raw[sizeof(part->filename)];

	while (at < line + length && (*at == ' ' || *at == '\t'))
		at++;
	if ((size_t)(line + length - at) < sizeof(value) - 1 ||
	    strncasecmp(at, value, sizeof(value) - 1) != 0)
		return wrong(walk, "its Content-Disposition is not form-data");
	if (!find_parameter(line, length, "name", raw, sizeof(part->name)))
		return wrong(walk, "it has no name");
	(void)text_clean(raw, part->name, sizeof(part->name));
	if (find_parameter(line, length, "filename", raw, sizeof(raw)))
		(void)text_clean(raw, part->filename, sizeof(part->filename));
	return 0;
}

/* Up to and with the empty line. */
static int read_headers(struct walk *walk, struct multipart_part *part)
{
	const char *begin = walk->at;

	for (;;) {
		size_t left = (size_t)(walk->end - walk->at);
		const char *line = walk->at, *end = memmem(line, left, "\r\n", 2);
		size_t length;
		int r = 0;

		if (!end || end - begin > MULTIPART_HEADERS_MAX)
			return wrong(walk, "its headers do not end");
		length = (size_t)(end - line);
		walk->at = end + 2;
		if (length == 0)
			break;
		if (is_header(line, length, "Content-Disposition"))
			r = read_disposition(walk, line, length, part);
		else if (is_header(line, length, "Content-Transfer-Encoding") &&
			 !plain_encoding(line, length))
			r = wrong(walk, "its Content-Transfer-Encoding is not understood");
		if (r < 0)
			return r;
	}
	return part->name[0] ? 0 : wrong(walk, "it has no Content-Disposition with a name");
}

/* ---- the whole ---- */

static int read_part(struct walk *walk, struct multipart_part *part)
{
	const char *end;
	int r;

	memset(part, 0, sizeof(*part));
	r = read_headers(walk, part);
	if (r < 0)
		return r;
	/* an empty part's delimiter begins with the line end of its headers */
	part->data = walk->at;
	end = memmem(walk->at - 2, (size_t)(walk->end - walk->at) + 2, walk->delimiter,
		     walk->length);
	if (!end)
		return wrong(walk, "no boundary ends it: the body was cut short");
	part->size = end < walk->at ? 0 : (size_t)(end - walk->at);
	walk->at = end + walk->length;
	return 0;
}

int multipart_parse(const char *boundary, const char *body, size_t size,
		    struct multipart_part parts[MULTIPART_PARTS_MAX], size_t *ret_count,
		    struct error *err)
{
	struct walk walk = {.at = body, .end = body + size, .err = err};
	bool last = false;
	size_t count = 0;
	int r;

	walk.length = (size_t)snprintf(walk.delimiter, sizeof(walk.delimiter), "\r\n--%s",
				       boundary); /* fits: at most 70 characters */
	if (size == 0 || !starts(&walk, walk.delimiter + 2, walk.length - 2))
		return wrong(&walk, "the body does not begin with the boundary");
	walk.at += walk.length - 2;
	r = after_delimiter(&walk, &last);
	while (r == 0 && !last) {
		if (count == MULTIPART_PARTS_MAX)
			return error_set(err, ERROR_TOO_MANY, "", "at most %d parts are taken",
					 MULTIPART_PARTS_MAX);
		walk.part = count + 1;
		r = read_part(&walk, &parts[count++]);
		if (r == 0)
			r = after_delimiter(&walk, &last);
	}
	*ret_count = count;
	return r;
}
