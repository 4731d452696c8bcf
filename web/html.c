/* SPDX-License-Identifier: GPL-3.0-or-later */
/* html.c - see html.h. One growing buffer and a stack of the open elements' names. */
#include "web/html.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#define HTML_DEPTH_MAX 32

struct html {
	char *data;
	size_t size, room;
	bool failed;			   /* no memory: nothing more is written */
	const char *stack[HTML_DEPTH_MAX]; /* constants of the caller */
	size_t depth;
};

struct html *html_new(void)
{
	return calloc(1, sizeof(struct html));
}

void html_free(struct html *html)
{
	if (!html)
		return;
	free(html->data);
	free(html);
}

void html_raw_bytes(struct html *html, const char *bytes, size_t size)
{
	size_t room;
	char *data;

	if (!html || html->failed)
		return;
	if (html->room - html->size <= size) {
		room = html->room ? html->room : 8192;
		while (room - html->size <= size) {
			if (__builtin_mul_overflow(room, 2, &room)) {
				html->failed = true;
				return;
			}
		}
		data = realloc(html->data, room);
		if (!data) {
			html->failed = true;
			return;
		}
		html->data = data;
		html->room = room;
	}
	memcpy(html->data + html->size, bytes, size);
	html->size += size;
	html->data[html->size] = '\0';
}

static void put(struct html *html, const char *text)
{
	html_raw_bytes(html, text, strlen(text));
}

/*
 * Length of the UTF-8 sequence at s (which ends with a NUL), 0 where it is none: overlong forms,
 * surrogates and what lies beyond U+10FFFF are none.
 */
static size_t sequence(const unsigned char *s, uint32_t *ret_code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t length;
	uint32_t code;

	if (s[0] < 0x80) {
		*ret_code = s[0];
		return 1;
	}
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		length = 2, code = s[0] & 0x1fu;
	else if (s[0] >= 0xe0 && s[0] <= 0xef)
		length = 3, code = s[0] & 0x0fu;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		length = 4, code = s[0] & 0x07u;
	else
		return 0;
	for (size_t i = 1; i < length; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3fu);
	}
	if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 0;
	*ret_code = code;
	return length;
}

/* Characters a page must not carry: see invariant 1. */
static bool banned(uint32_t code)
{
	if (code < 0x20)
		return code != '\n' && code != '\t';
	if (code >= 0x7f && code <= 0x9f)
		return true;
	if (code == 0x200e || code == 0x200f || code == 0x61c) /* direction marks */
		return true;
	if ((code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069))
		return true;
	return (code & 0xfffe) == 0xfffe || (code >= 0xfdd0 && code <= 0xfdef);
}

static const char *entity(uint32_t code, bool attribute)
{
	switch (code) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	case '\n':
		return attribute ? "&#10;" : NULL;
	case '\t':
		return attribute ? "&#9;" : NULL;
	default:
		return NULL;
	}
}

static void escape(struct html *html, const char *text, bool attribute)
{
	const unsigned char *s = (const unsigned char *)text;
	const char *replacement;
	uint32_t code = 0;
	size_t length;

	while (*s) {
		length = sequence(s, &code);
		if (length == 0 || banned(code)) {
			put(html, "\xef\xbf\xbd");
			s += length ? length : 1;
			continue;
		}
		replacement = entity(code, attribute);
		if (replacement)
			put(html, replacement);
		else
			html_raw_bytes(html, (const char *)s, length);
		s += length;
	}
}

/* A scheme is what stands before the first ':' where no '/', '?' or '#' comes first. */
static bool address_ok(const char *address)
{
	size_t end = strcspn(address, ":/?#");

	for (const char *s = address; *s; s++)
		if ((unsigned char)*s <= ' ' || *s == '\\')
			return false;
	if (address[end] != ':')
		return true;
	return strncasecmp(address, "http:", 5) == 0 || strncasecmp(address, "https:", 6) == 0;
}

static void attributes(struct html *html, va_list list)
{
	const char *name, *value;

	while ((name = va_arg(list, const char *))) {
		value = va_arg(list, const char *);
		if (!value)
			continue;
		if ((strcmp(name, "href") == 0 || strcmp(name, "src") == 0 ||
		     strcmp(name, "srcset") == 0) &&
		    !address_ok(value))
			value = "#";
		put(html, " ");
		put(html, name);
		put(html, "=\"");
		escape(html, value, true);
		put(html, "\"");
	}
}

static void push(struct html *html, const char *element)
{
	assert(html->depth < HTML_DEPTH_MAX);
	html->stack[html->depth++] = element;
}

void html_open(struct html *html, const char *element, ...)
{
	va_list list;

	if (!html)
		return;
	put(html, "<");
	put(html, element);
	va_start(list, element);
	attributes(html, list);
	va_end(list);
	put(html, ">");
	push(html, element);
}

void html_close(struct html *html, const char *element)
{
	if (!html)
		return;
	assert(html->depth > 0 && strcmp(html->stack[html->depth - 1], element) == 0);
	html->depth--;
	put(html, "</");
	put(html, element);
	put(html, ">");
}

void html_void(struct html *html, const char *element, ...)
{
	va_list list;

	put(html, "<");
	put(html, element);
	va_start(list, element);
	attributes(html, list);
	va_end(list);
	put(html, "/>");
}

void html_element(struct html *html, const char *element, const char *text, ...)
{
	va_list list;

	put(html, "<");
	put(html, element);
	va_start(list, text);
	attributes(html, list);
	va_end(list);
	put(html, ">");
	html_text(html, text);
	put(html, "</");
	put(html, element);
	put(html, ">");
}

void html_text(struct html *html, const char *text)
{
	if (text)
		escape(html, text, false);
}

void html_name(struct html *html, const char *name)
{
	char piece[128];
	size_t length, rest;

	if (!name)
		return;
	while (*name) {
		length = strcspn(name, "_-/,.");
		length += name[length] != '\0';
		rest = length;
		/* Longer than a piece: cut where no character is torn. */
		if (length >= sizeof(piece)) {
			length = sizeof(piece) - 1;
			while (length > 1 && ((unsigned char)name[length] & 0xc0) == 0x80)
				length--;
		}
		memcpy(piece, name, length);
		piece[length] = '\0';
		html_text(html, piece);
		name += length;
		if (*name && length == rest)
			html_raw(html, "<wbr/>");
	}
}

void html_textf(struct html *html, const char *format, ...)
{
	char *text;
	va_list list;
	int length;

	if (!html)
		return;
	va_start(list, format);
	length = vasprintf(&text, format, list);
	va_end(list);
	if (length < 0) {
		html->failed = true;
		return;
	}
	html_text(html, text);
	free(text);
}

char *html_finish(struct html *html, size_t *ret_size)
{
	char *data;

	if (!html)
		return NULL;
	assert(html->depth == 0);
	html_raw(html, "\n");
	data = html->failed ? NULL : TAKE_PTR(html->data);
	if (data && ret_size)
		*ret_size = html->size;
	html_free(html);
	return data;
}
